import { NotFoundError } from '../../core/errors.ts';
import { parseMemoryId } from '../../core/ids.ts';
import { changeMemory, type MemoryChanges, parseMemoryChanges } from '../../core/memory-changes.ts';
import { type MemoryDefaults, parseImportance } from '../../core/new-memory.ts';
import { type ImportanceRecord, type MemoryEntry, SCHEMA_VERSION } from '../../core/records.ts';
import type { Workshop } from '../workshop.ts';
import { type DecisionGroup, type Decisions, isThere, racedMemory } from './decisions.ts';
import type { Session } from './session.ts';
import type { SessionOwner } from './session-owner.ts';

/** What a correction needs of the memories that it is about. */
export interface CorrectedMemories {
  get(sessionId: string, memoryId: string, owner?: SessionOwner): Promise<MemoryEntry | null>;
  defaultsOf(sessionId: string, session: Session): MemoryDefaults;
}

/**
 * Memories that are put right afterwards.
 *
 * A changed importance is a small record. Everything else is the memory's whole line again, under its id: the last line
 * of an id counts, and a compaction takes the ones before it out.
 */
export class Corrections {
  readonly #workshop: Workshop;
  readonly #memories: CorrectedMemories;
  readonly #decisions: Decisions;

  constructor(workshop: Workshop, memories: CorrectedMemories, decisions: Decisions) {
    this.#workshop = workshop;
    this.#memories = memories;
    this.#decisions = decisions;
  }

  /** @throws NotFoundError MEMORY_NOT_FOUND, SizeLimitError */
  async setImportance(
    sessionId: string,
    memoryId: string,
    value: number,
    maxBytes: number,
    owner?: SessionOwner,
  ): Promise<void> {
    const id = parseMemoryId(memoryId);
    const importance = parseImportance(value);
    const record: ImportanceRecord = {
      schema_version: SCHEMA_VERSION,
      record: 'importance',
      session_id: sessionId,
      timestamp: new Date(this.#workshop.clock.now()).toISOString(),
      id,
      importance,
    };
    const body = JSON.stringify(record);
    await this.#decisions.run(sessionId, {
      records: 1,
      characters: body.length,
      maxBytes,
      owner,
      decide: (group) => {
        if (!isThere(group, id)) throw memoryNotFound(sessionId, id);
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
    sessionId: string,
    memoryId: string,
    input: MemoryChanges,
    maxBytes: number,
    owner?: SessionOwner,
  ): Promise<MemoryEntry> {
    const id = parseMemoryId(memoryId);
    const changes = parseMemoryChanges(input);
    const { importance, ...others } = changes;
    if (importance !== undefined && Object.keys(others).length === 0) {
      await this.setImportance(sessionId, id, importance, maxBytes, owner);
      return this.#read(sessionId, id, owner);
    }
    let present: MemoryEntry;
    let updated: MemoryEntry;
    return this.#decisions.run(sessionId, {
      records: 1,
      characters: JSON.stringify(changes).length,
      maxBytes,
      owner,
      prepare: async ({ session }) => {
        present = await this.#read(sessionId, id, owner);
        // Refused before anybody is kept waiting for it.
        changeMemory(present, changes, this.#memories.defaultsOf(sessionId, session));
        return true;
      },
      decide: (group) => {
        if (!isThere(group, id)) throw memoryNotFound(sessionId, id);
        const defaults = this.#memories.defaultsOf(sessionId, group.view.session);
        const { entry, body } = changeMemory(latest(group, present), changes, defaults);
        updated = entry;
        group.added.set(id, entry);
        group.importances.delete(id);
        return { bodies: [body], tombstones: [] };
      },
      conclude: () => updated,
    });
  }

  async #read(sessionId: string, id: string, owner: SessionOwner | undefined): Promise<MemoryEntry> {
    const found = await this.#memories.get(sessionId, id, owner);
    if (found === null) throw memoryNotFound(sessionId, id);
    return found;
  }
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

function memoryNotFound(sessionId: string, id: string): NotFoundError {
  return new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${id} in session ${sessionId}.`);
}
