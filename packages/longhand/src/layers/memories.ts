import { CorruptionError, IOError, NotFoundError, ValidationError } from '../core/errors.ts';
import { parseMemoryId, parseSessionId } from '../core/ids.ts';
import { type CheckedMemory, parseImportance, parseNewMemory, parseTag } from '../core/new-memory.ts';
import { parseJson } from '../core/parse-json.ts';
import {
  type DeleteRecord,
  type ImportanceRecord,
  isMemoryEntry,
  type MemoryEntry,
  type MemoryType,
  type NewMemory,
  SCHEMA_VERSION,
} from '../core/records.ts';
import type { Appended, AppendOptions, LinePlace, LogPosition } from '../core/store.ts';
import { parseReason } from '../core/text.ts';
import { decayFactor } from '../recall/decay.ts';
import { tagCovers } from '../recall/tag-match.ts';
import { onlyLineOf, quoted } from './first-look.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import { foldSession } from './session-fold.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type Sessions } from './sessions.ts';
import { parseStoredRecord } from './stored-record.ts';
import { tombstoneLines } from './tombstones.ts';
import type { Workshop } from './workshop.ts';

/** Decisions that may wait for one another in a session: while the disk fails, they do not pile up for ever. */
const MAX_WAITING_DECISIONS = 10_000;

const SESSIONS_LOOKED_INTO = 1_024;

export interface DeleteOptions {
  /** For the list of deletions; `user request` when left out. */
  readonly reason?: string;
  /** Count what would go, and delete nothing. */
  readonly dryRun?: boolean;
}

export interface DeleteByTopicOptions extends DeleteOptions {
  /** Only the tag itself, not what lies under it. */
  readonly exact?: boolean;
}

/** The memories of a session: adding, getting, deleting. */
export class Memories {
  readonly #workshop: Workshop;
  readonly #sessions: Sessions;
  /** Checked lines by session and id. Text, not objects: every caller gets an object of its own. */
  readonly #cache: LeastRecentlyUsed<string>;
  readonly #lookedInto = new LeastRecentlyUsed<true>(SESSIONS_LOOKED_INTO);
  /** The last decision that is under way, by session. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, number>();

  constructor(workshop: Workshop, sessions: Sessions) {
    this.#workshop = workshop;
    this.#sessions = sessions;
    this.#cache = new LeastRecentlyUsed(workshop.config.performance.cache_size);
  }

  /** Checks memories that are to be added. One that is wrong keeps all of them out. */
  check(sessionId: string, view: SessionView, inputs: readonly NewMemory[]): readonly CheckedMemory[] {
    const { clock, makeId } = this.#workshop;
    const nowMs = clock.now();
    const policy = this.#sessions.policyOf(view.session);
    const defaults = {
      sessionId,
      nowMs,
      makeId,
      decayFactorOf: (type: MemoryType, timestampMs: number) =>
        decayFactor({ type, timestampMs }, policy, nowMs),
    };
    return inputs.map((input) => parseNewMemory(input, defaults));
  }

  /**
   * Adds checked memories together. Those that bring an id the session already holds are taken for a retry.
   * `undefined` when all of them were.
   */
  append(
    sessionId: string,
    view: SessionView,
    checked: readonly CheckedMemory[],
    maxBytes: number,
  ): Promise<Appended | undefined> {
    const options: AppendOptions = { maxBytes, userId: view.session.user_id };
    if (checked.some(({ hasOwnId }) => hasOwnId)) {
      return this.#inTurn(sessionId, () => this.#addOnce(sessionId, checked, options));
    }
    const bodies = checked.map(({ body }) => body);
    return this.#workshop.store.append(addressOf(sessionId), bodies, options);
  }

  /**
   * `null` when the session holds no such memory.
   * @throws CorruptionError CORRUPT_ENTRY when it does, but its line is damaged
   */
  async get(sessionId: string, memoryId: string): Promise<MemoryEntry | null> {
    const id = parseMemoryId(memoryId);
    const unread = await this.#getUnread(parseSessionId(sessionId), id);
    if (unread !== undefined) return unread;
    const view = await this.#viewFor(sessionId, id);
    const place = view.placeOf(id);
    if (place === undefined) {
      if (view.isDamaged(id)) throw corrupt(sessionId, id);
      return null;
    }
    const key = `${view.epoch}/${place.offset}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return withImportance(parseMemoryText(cached), view);

    const line = await this.#workshop.store.readLine(addressOf(sessionId), place, view.position!);
    // Rewritten between the two readings: look again in the new log.
    if (line === undefined) return this.get(sessionId, id);
    if (line.check() === 'damaged') return this.#getThorough(sessionId, id);
    if (line.memoryId === id && line.hasChecksumField) {
      this.#cache.set(key, line.text);
      return withImportance(parseMemoryText(line.text), view);
    }
    const { schema } = this.#workshop;
    const { created_at: createdAt } = view.session;
    const record = parseStoredRecord(line, { sessionId, schema, createdAt });
    const isWanted = record !== undefined && isMemoryEntry(record) && record.id === id;
    return isWanted ? withImportance(record, view) : this.#getThorough(sessionId, id);
  }

  /** The first look into a session. Whoever asks a second time gets a view, which then knows every memory. */
  async #getUnread(sessionId: string, id: string): Promise<MemoryEntry | undefined> {
    if (this.#sessions.known(sessionId) !== undefined || this.#lookedInto.get(sessionId)) return undefined;
    this.#lookedInto.set(sessionId, true);
    const line = onlyLineOf(id, await this.#workshop.store.linesWith(addressOf(sessionId), quoted(id)));
    return line === undefined ? undefined : parseMemoryText(line.text);
  }

  /**
   * The view in which a memory can be looked up. That there is none is only said after every line has been
   * checked, once: a line whose newline was damaged hides the next one.
   */
  async #viewFor(sessionId: string, id: string): Promise<SessionView> {
    const view = await this.#sessions.current(sessionId);
    if (view.placeOf(id) !== undefined || view.isDeleted(id) || view.isVerified) return view;
    const { store, schema } = this.#workshop;
    const slice = await store.read(addressOf(sessionId));
    const fold = foldSession(sessionId, slice, schema);
    this.#sessions.reportDamage(sessionId, slice.position.generation, fold.damage);
    view.adopt(fold, slice.position);
    return view;
  }

  /**
   * Checks every line of the log: the last one that names the memory is damaged, but it may have taken another
   * one's name with that, or be the torn first try of a write that came through.
   */
  async #getThorough(sessionId: string, id: string): Promise<MemoryEntry | null> {
    const { store, schema } = this.#workshop;
    const slice = await store.read(addressOf(sessionId));
    const fold = foldSession(sessionId, slice, schema);
    this.#sessions.reportDamage(sessionId, slice.position.generation, fold.damage);
    const found = fold.entries.find(({ entry }) => entry.id === id);
    if (found !== undefined) return found.entry;
    if (fold.deletedIds.has(id)) return null;
    throw corrupt(sessionId, id);
  }

  /** A memory whose place is known. `undefined` when its log was rewritten since. */
  async readAt(
    sessionId: string,
    id: string,
    place: LinePlace,
    position: LogPosition,
  ): Promise<MemoryEntry | undefined> {
    const key = `${sessionId}/${position.generation}/${place.offset}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return parseMemoryText(cached);
    const line = await this.#workshop.store.readLine(addressOf(sessionId), place, position);
    if (line === undefined || line.memoryId !== id || !line.hasChecksumField) return undefined;
    if (line.check() === 'damaged') throw corrupt(sessionId, id);
    this.#cache.set(key, line.text);
    return parseMemoryText(line.text);
  }

  /** @throws NotFoundError MEMORY_NOT_FOUND */
  async setImportance(sessionId: string, memoryId: string, importance: number): Promise<void> {
    const id = parseMemoryId(memoryId);
    const { store, clock } = this.#workshop;
    const view = await this.#sessions.current(sessionId);
    const record: ImportanceRecord = {
      schema_version: SCHEMA_VERSION,
      record: 'importance',
      session_id: sessionId,
      timestamp: new Date(clock.now()).toISOString(),
      id,
      importance: parseImportance(importance),
    };
    await store.transact(
      addressOf(sessionId),
      view.position,
      (slice) => {
        this.#sessions.applySlice(sessionId, view, slice);
        if (view.placeOf(id) !== undefined) return [JSON.stringify(record)];
        throw new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${id} in session ${sessionId}.`);
      },
      { userId: view.session.user_id },
    );
  }

  /** Whether there was such a memory to delete. */
  async delete(sessionId: string, memoryId: string, options: DeleteOptions): Promise<boolean> {
    const id = parseMemoryId(memoryId);
    const view = await this.#viewFor(sessionId, id);
    const ids = isDeletable(view, id) ? [id] : [];
    const count = await this.#inTurn(sessionId, () =>
      this.#deleteIds(sessionId, view, ids, options, 'user request'),
    );
    return count > 0;
  }

  async deleteByTopic(sessionId: string, topic: string, options: DeleteByTopicOptions): Promise<number> {
    const tag = parseTag(topic);
    const { exact = false, ...rest } = options;
    return this.#deleteEntries(
      sessionId,
      ({ tags }) => tags.some((own) => tagCovers(tag, own, exact)),
      rest,
      `topic ${tag}`,
    );
  }

  /** Both ends belong to the range. */
  async deleteByTimeRange(
    sessionId: string,
    startMs: number,
    endMs: number,
    options: DeleteOptions,
  ): Promise<number> {
    const isInside = ({ timestamp }: MemoryEntry): boolean => {
      const ms = Date.parse(timestamp);
      return ms >= startMs && ms <= endMs;
    };
    const reason = `time range ${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
    return this.#deleteEntries(sessionId, isInside, options, reason);
  }

  /** Appends those that are not there yet, decided while nobody else can write. */
  async #addOnce(
    sessionId: string,
    checked: readonly CheckedMemory[],
    options: AppendOptions,
  ): Promise<Appended | undefined> {
    const view = await this.#sessions.current(sessionId);
    // From here on, whatever others write is looked at again under the lock, also what the view learns of by
    // the way while this waits.
    const { position } = view;
    const fresh = new Map<string, CheckedMemory>();
    for (const memory of checked) {
      const { id } = memory.entry;
      refuseDeleted(view, id);
      const twin = fresh.get(id)?.entry ?? (await this.#getIfWhole(sessionId, view, id));
      if (twin === undefined) fresh.set(id, memory);
      else refuseOther(twin, memory.entry);
    }
    if (fresh.size === 0) return undefined;
    return this.#workshop.store.transact(
      addressOf(sessionId),
      position,
      (slice) => {
        const raced = new Map(slice.lines.map((line) => [line.memoryId, line]));
        this.#sessions.applySlice(sessionId, view, slice);
        const bodies: string[] = [];
        for (const [id, memory] of fresh) {
          refuseDeleted(view, id);
          const line = view.placeOf(id) === undefined ? undefined : raced.get(id);
          if (line === undefined || line.check() === 'damaged') bodies.push(memory.body);
          else refuseOther(parseMemoryText(line.text), memory.entry);
        }
        return bodies;
      },
      options,
    );
  }

  async #getIfWhole(sessionId: string, view: SessionView, id: string): Promise<MemoryEntry | undefined> {
    if (view.placeOf(id) === undefined) return undefined;
    try {
      return (await this.get(sessionId, id)) ?? undefined;
    } catch (error) {
      // Damaged: writing it again is what the caller wants.
      if (error instanceof CorruptionError) return undefined;
      throw error;
    }
  }

  async #deleteEntries(
    sessionId: string,
    isChosen: (entry: MemoryEntry) => boolean,
    options: DeleteOptions,
    reason: string,
  ): Promise<number> {
    const { store, schema } = this.#workshop;
    const view = await this.#sessions.current(sessionId);
    const fold = foldSession(sessionId, await store.read(addressOf(sessionId)), schema);
    const ids = fold.entries.filter(({ entry }) => isChosen(entry)).map(({ entry }) => entry.id);
    return this.#inTurn(sessionId, () => this.#deleteIds(sessionId, view, ids, options, reason));
  }

  /** One decision at a time in each session: each starts from what the one before has seen. */
  async #inTurn<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(sessionId) ?? 0;
    if (waiting >= MAX_WAITING_DECISIONS) {
      throw new IOError('WRITE_BUFFER_FULL', `Session ${sessionId} has ${waiting} writes waiting already.`);
    }
    this.#waiting.set(sessionId, waiting + 1);
    const turn = (this.#turns.get(sessionId) ?? Promise.resolve()).then(work, work);
    this.#turns.set(sessionId, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
      const left = this.#waiting.get(sessionId)! - 1;
      if (left === 0) this.#waiting.delete(sessionId);
      else this.#waiting.set(sessionId, left);
    }
  }

  /** One record for all of them: they go together. How many were still there. */
  async #deleteIds(
    sessionId: string,
    view: SessionView,
    ids: readonly string[],
    options: DeleteOptions,
    defaultReason: string,
  ): Promise<number> {
    const reason = parseReason(options.reason) ?? defaultReason;
    if (ids.length === 0 || options.dryRun) return ids.length;
    const { store, clock, emit } = this.#workshop;
    const record: DeleteRecord = {
      schema_version: SCHEMA_VERSION,
      record: 'delete',
      session_id: sessionId,
      timestamp: new Date(clock.now()).toISOString(),
      ids,
      reason,
    };
    let count = 0;
    try {
      await store.transact(
        addressOf(sessionId),
        view.position,
        (slice) => {
          this.#sessions.applySlice(sessionId, view, slice);
          count = ids.filter((id) => isDeletable(view, id)).length;
          // Somebody else was faster with every one of them: there is nothing to write down.
          if (count === 0) throw new NothingLeft();
          return [JSON.stringify(record)];
        },
        { userId: view.session.user_id, tombstones: tombstoneLines(record) },
      );
    } catch (error) {
      if (error instanceof NothingLeft) return 0;
      throw error;
    }
    emit({ kind: 'memories-deleted', session_id: sessionId, ids, reason: record.reason });
    return count;
  }
}

class NothingLeft extends Error {}

function isDeletable(view: SessionView, id: string): boolean {
  return view.placeOf(id) !== undefined || (view.isDamaged(id) && !view.isDeleted(id));
}

/** A memory's line, checked before, as the object that callers get. */
function parseMemoryText(text: string): MemoryEntry {
  const {
    seq: _seq,
    checksum: _checksum,
    ...entry
  } = parseJson(text) as MemoryEntry & Record<string, unknown>;
  return entry as MemoryEntry;
}

function withImportance(entry: MemoryEntry, view: SessionView): MemoryEntry {
  const importance = view.importanceOf(entry.id);
  return importance === undefined ? entry : { ...entry, importance };
}

function corrupt(sessionId: string, id: string): CorruptionError {
  return new CorruptionError(
    'CORRUPT_ENTRY',
    `Memory ${id} of session ${sessionId} is damaged on disk and cannot be read. Its line stays in the log.`,
    { details: { session_id: sessionId, memory_id: id } },
  );
}

function refuseDeleted(view: SessionView, id: string): void {
  if (!view.isDeleted(id)) return;
  throw new ValidationError(
    'ID_DELETED',
    `Memory ${id} was deleted, and ids are never used again. Leave the id out.`,
  );
}

/** A retry says the same as before; time and decay may differ, since they have defaults. */
function refuseOther(present: MemoryEntry, added: MemoryEntry): void {
  const essence = ({ type, content, tags, references }: MemoryEntry): string =>
    JSON.stringify([type, content, tags, references]);
  if (essence(present) === essence(added)) return;
  throw new ValidationError('ID_TAKEN', `The session already holds another memory with the id ${added.id}.`);
}
