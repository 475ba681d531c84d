import { NotFoundError } from '../../core/errors.ts';
import { parseMemoryId } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { changeMemory, type MemoryChanges, parseMemoryChanges } from '../../core/memory-changes.ts';
import { type MemoryDefaults, parseImportance } from '../../core/new-memory.ts';
import type { ImportanceRecord, MemoryEntry } from '../../core/records.ts';
import { formatTimestamp } from '../../core/timestamps.ts';
import type { LayerContext } from '../layer-context.ts';
import { opening, type SessionRef } from '../session-ref.ts';
import { type ConditionalWrites, type DecisionGroup, isThere, racedMemory } from './conditional-writes.ts';
import type { Session } from './session.ts';

/** What a correction needs of the memories that it is about. */
interface CorrectedMemories {
  getIn(session: SessionRef, id: string): Promise<MemoryEntry | null>;
  defaultsOf(sessionId: string, session: Session): MemoryDefaults;
}

/** Refuses memories that replace what cannot be replaced. @throws ValidationError INVALID_ENTRY */
export type CheckReplaces = (
  userId: string,
  sessionId: string,
  entries: readonly Pick<MemoryEntry, 'id' | 'replaces'>[],
) => Promise<void>;

/**
 * Memories that are corrected afterwards.
 *
 * A changed importance is a small record. Everything else is the memory's whole line again, under its id: the last line
 * of an id counts, and a compaction takes the ones before it out.
 */
export class Updates {
  readonly #context: LayerContext;
  readonly #memories: CorrectedMemories;
  readonly #conditionalWrites: ConditionalWrites;
  readonly #checkReplaces: CheckReplaces;

  constructor(
    context: LayerContext,
    memories: CorrectedMemories,
    conditionalWrites: ConditionalWrites,
    checkReplaces: CheckReplaces,
  ) {
    this.#context = context;
    this.#memories = memories;
    this.#conditionalWrites = conditionalWrites;
    this.#checkReplaces = checkReplaces;
  }

  /** @throws NotFoundError MEMORY_NOT_FOUND, SizeLimitError */
  async setImportance(session: SessionRef, memoryId: string, value: number, maxBytes: number): Promise<void> {
    const id = parseMemoryId(memoryId);
    const importance = parseImportance(value);
    const record: ImportanceRecord = {
      ...opening('importance', session.sessionId, this.#context.clock.now()),
      id,
      importance,
    };
    const body = JSON.stringify(record);
    await this.#conditionalWrites.run(session, {
      records: 1,
      characters: body.length,
      maxBytes,
      decide: (group) => {
        if (!isThere(group, id)) throw memoryNotFound(session, id);
        group.importances.set(id, importance);
        return { bodies: [body], tombstones: [] };
      },
      conclude: () => undefined,
    });
  }

  /**
   * What the changes name is as they say, all else as it was. The memory as it is now.
   * @throws ValidationError, NotFoundError MEMORY_NOT_FOUND, CorruptionError CORRUPT_ENTRY, SizeLimitError
   */
  async update(
    session: SessionRef,
    memoryId: string,
    input: MemoryChanges,
    maxBytes: number,
  ): Promise<MemoryEntry> {
    const id = parseMemoryId(memoryId);
    const changes = parseMemoryChanges(input);
    const { importance, ...others } = changes;
    if (importance !== undefined && Object.keys(others).length === 0) {
      await this.setImportance(session, id, importance, maxBytes);
      return this.#read(session, id);
    }
    const characters = JSON.stringify(changes).length;
    return this.#rewrite(session, id, { characters, changesTo: () => changes }, maxBytes);
  }

  /**
   * Notes that a memory was said again: it gets the tags that it did not have, as many as it has room for, and replaces what
   * the other would have replaced.
   * @throws as `update`
   */
  async confirm(
    session: SessionRef,
    memoryId: string,
    { tags, replaces = [] }: Pick<MemoryEntry, 'tags' | 'replaces'>,
    maxBytes: number,
  ): Promise<MemoryEntry> {
    const confirmed_at = formatTimestamp(this.#context.clock.now());
    const changesTo = (present: MemoryEntry): Changes => ({
      confirmed_at,
      tags: unitedTags(present.tags, tags).slice(0, LIMITS.tagsPerMemory),
      replaces: [...new Set([...(present.replaces ?? []), ...replaces])],
    });
    const characters = JSON.stringify([tags, replaces]).length;
    return this.#rewrite(session, memoryId, { characters, changesTo }, maxBytes);
  }

  async #rewrite(
    ref: SessionRef,
    id: string,
    {
      characters,
      changesTo,
    }: { readonly characters: number; readonly changesTo: (present: MemoryEntry) => Changes },
    maxBytes: number,
  ): Promise<MemoryEntry> {
    const { sessionId } = ref;
    let present: MemoryEntry;
    let updated: MemoryEntry;
    return this.#conditionalWrites.run(ref, {
      records: 1,
      characters,
      maxBytes,
      prepare: async ({ session }) => {
        present = await this.#read(ref, id);
        const changes = changesTo(present);
        // Refused before it keeps another writer waiting.
        const { entry } = changeMemory(present, changes, this.#memories.defaultsOf(sessionId, session));
        const replaces = (entry.replaces ?? []).filter((other) => !present.replaces?.includes(other));
        if (replaces.length > 0) await this.#checkReplaces(session.user_id, sessionId, [{ id, replaces }]);
        return true;
      },
      decide: (group) => {
        if (!isThere(group, id)) throw memoryNotFound(ref, id);
        const defaults = this.#memories.defaultsOf(sessionId, group.view.session);
        const now = latest(group, present);
        const { entry, body } = changeMemory(now, changesTo(now), defaults);
        updated = entry;
        group.added.set(id, entry);
        group.importances.delete(id);
        return { bodies: [body], tombstones: [] };
      },
      conclude: () => updated,
    });
  }

  async #read(session: SessionRef, id: string): Promise<MemoryEntry> {
    const found = await this.#memories.getIn(session, id);
    if (found === null) throw memoryNotFound(session, id);
    return found;
  }
}

type Changes = Parameters<typeof changeMemory>[1];

/** Tags are matched without case. */
function unitedTags(present: readonly string[], more: readonly string[]): readonly string[] {
  const known = new Set(present.map((text) => text.toLowerCase()));
  return [...present, ...more.filter((text) => !known.has(text.toLowerCase()))];
}

/** A memory as it is under the lock, with what others and the group itself have made of it since it was read. */
function latest(group: DecisionGroup, read: MemoryEntry): MemoryEntry {
  const { id, session_id } = read;
  const own = group.added.get(id);
  const entry = own ?? racedMemory(group, id, session_id) ?? read;
  // What the group has added says its importance itself, unless the group has changed that afterwards.
  const others = own === undefined ? group.view.importanceOf(id) : undefined;
  const importance = group.importances.get(id) ?? others ?? entry.importance;
  return { ...entry, importance };
}

function memoryNotFound({ sessionId }: SessionRef, id: string): NotFoundError {
  return new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${id} in session ${sessionId}.`);
}
