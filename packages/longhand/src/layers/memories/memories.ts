import { CorruptionError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { parseMemoryId, parseSessionId } from '../../core/ids.ts';
import type { LogLine } from '../../core/line.ts';
import { type CheckedMemory, type MemoryDefaults, parseNewMemory, parseTag } from '../../core/new-memory.ts';
import { linesHolding, readLine } from '../../core/read-log.ts';
import { type DeleteRecord, isMemoryEntry, type MemoryEntry, type NewMemory } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import {
  type Appended,
  type LogPosition,
  logNotFound,
  type QuarantinedLine,
  UNCHANGED,
} from '../../core/store.ts';
import { parseReason } from '../../core/text.ts';
import { tagCovers } from '../../recall/index/index.ts';
import { decayFactor } from '../../recall/ranking/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import { opening, requireMeant, type SessionOwner, type SessionRef } from '../session-ref.ts';
import { damagedLines } from '../unreadable-lines.ts';
import { ConditionalWrites, type DecisionGroup, isThere, racedMemory } from './conditional-writes.ts';
import { damagedId } from './damaged-lines.ts';
import { FoundMemories, type FoundPlace } from './found-memories.ts';
import { replacedBy } from './replacements.ts';
import type { Session } from './session.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type OpenSession, type Sessions } from './sessions.ts';
import { onlyLineOf, parseMemoryText, parseStoredRecord, quoted, tombstoneLines } from './stored-record.ts';
import { type CheckReplaces, Updates } from './updates.ts';

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

export interface DeleteByTimeOptions extends DeleteOptions {
  /** Where days without a time begin and end: an IANA name, `UTC` or `system`. The setting `time_zone` when left out. */
  readonly timeZone?: string;
}

/** A memory as an index has it. */
export interface PlacedMemory {
  readonly sessionId: string;
  readonly id: string;
  readonly place: FoundPlace;
  /** Of the log that the place is in; `undefined` when that was rewritten since. The same for all of a session. */
  readonly position: LogPosition | undefined;
}

/** The memories of a session: adding, getting, deleting. */
export class Memories {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  /** Checked lines by session and id. Text, not objects: every caller gets an object of its own. */
  readonly #cache: LeastRecentlyUsed<string>;
  readonly #found: FoundMemories;
  readonly #conditionalWrites: ConditionalWrites;
  readonly updates: Updates;
  readonly #lookedInto = new LeastRecentlyUsed<true>(SESSIONS_LOOKED_INTO);
  readonly #checkReplaces: CheckReplaces;

  constructor(context: LayerContext, sessions: Sessions, checkReplaces: CheckReplaces) {
    this.#context = context;
    this.#sessions = sessions;
    const { cache_size } = context.config.performance;
    this.#cache = new LeastRecentlyUsed(cache_size);
    this.#found = new FoundMemories(cache_size > 0);
    this.#conditionalWrites = new ConditionalWrites(context, sessions);
    this.#checkReplaces = checkReplaces;
    this.updates = new Updates(context, this, this.#conditionalWrites, checkReplaces);
  }

  /** Writes that are held in memory because the store fails at the moment. */
  pendingWrites(sessionId: string): number {
    return this.#conditionalWrites.pendingWrites(sessionId);
  }

  /** The defaults of a memory that is written now. */
  defaultsOf(sessionId: string, session: Session): MemoryDefaults {
    const { clock, makeId } = this.#context;
    const nowMs = clock.now();
    const policy = this.#sessions.policyOf(session);
    return {
      sessionId,
      nowMs,
      makeId,
      decayFactorOf: (type, timestampMs) => decayFactor({ type, timestampMs }, policy, nowMs),
    };
  }

  /** Checks memories that are to be added. One that is wrong keeps all of them out. */
  check(sessionId: string, session: Session, inputs: readonly NewMemory[]): readonly CheckedMemory[] {
    const defaults = this.defaultsOf(sessionId, session);
    // Not `map`: the lists that it makes change their kind once it is compiled, and all that reads them is recompiled.
    const checked: CheckedMemory[] = [];
    for (const [index, input] of inputs.entries()) {
      try {
        checked.push(parseNewMemory(input, defaults));
      } catch (error) {
        throw inputs.length > 1 && error instanceof ValidationError
          ? ofBatch(error, index, inputs.length)
          : error;
      }
    }
    return checked;
  }

  /**
   * Adds checked memories together. Those that bring an id the session already holds are taken for a retry.
   * `undefined` when all of them were.
   * @throws NotFoundError SESSION_NOT_FOUND, SizeLimitError, IOError
   */
  append(
    opened: OpenSession,
    checked: readonly CheckedMemory[],
    maxBytes: number,
  ): Promise<Appended | undefined> {
    const { session } = opened;
    const bodies: string[] = [];
    let isReplacing = false;
    for (const { body, entry, hasOwnId } of checked) {
      if (hasOwnId) return this.#addOnce(opened, checked, maxBytes);
      bodies.push(body);
      if (entry.replaces !== undefined) isReplacing = true;
    }
    const address = addressOf(opened, session.user_id);
    const append = (): Promise<Appended> => this.#context.store.append(address, bodies, { maxBytes });
    return isReplacing ? this.#refuseWrong(session, checked).then(append) : append();
  }

  /** What comes from an export may name memories that are yet to come. @throws ValidationError INVALID_ENTRY */
  async #refuseWrong({ id, user_id }: Session, added: Iterable<CheckedMemory>): Promise<void> {
    const entries = [...added].filter(({ wasKept }) => !wasKept).map(({ entry }) => entry);
    if (entries.some(({ replaces }) => replaces !== undefined)) {
      await this.#checkReplaces(user_id, id, entries);
    }
  }

  /**
   * `null` when the session holds no such memory.
   * @param owner whose the session must be: one look at the log tells that, and what it holds
   * @throws CorruptionError CORRUPT_ENTRY when it does, but its line is damaged
   * @throws NotFoundError SESSION_NOT_FOUND also when the session is another owner's
   */
  async get(sessionId: string, memoryId: string, owner?: SessionOwner): Promise<MemoryEntry | null> {
    const id = parseMemoryId(memoryId);
    if (owner === undefined) {
      const unread = await this.#getUnread(parseSessionId(sessionId), id);
      if (unread !== undefined) return unread;
    }
    return this.#sessions.on(sessionId, owner, (session) => this.getIn(session, id));
  }

  /** @throws as `get` */
  async getIn(session: SessionRef, id: string): Promise<MemoryEntry | null> {
    const { sessionId } = session;
    const view = await this.#viewFor(session, id);
    const place = view.placeOf(id);
    if (place === undefined) {
      if (view.isDamaged(id)) throw corrupt(sessionId, id);
      return null;
    }
    const key = `${view.revision}/${place.offset}`;
    const cached = this.#cache.get(key);
    this.#context.emit({ kind: cached === undefined ? 'cache-miss' : 'cache-hit', id });
    if (cached !== undefined) return withImportance(parseMemoryText(cached, sessionId), view);

    const line = await readLine(this.#context.store, addressOf(session), place, view.position!);
    // Rewritten between the two readings: look again in the new log.
    if (line === undefined) return this.getIn(session, id);
    if (line.check() === 'damaged') return this.#getThorough(session, id);
    if (line.memoryId === id && line.hasChecksumField) {
      this.#cache.set(key, line.text);
      return withImportance(parseMemoryText(line.text, sessionId), view);
    }
    const { schema } = this.#context;
    const { created_at: createdAt } = view.session;
    const record = parseStoredRecord(line, { sessionId, schema, createdAt });
    const isWanted = record !== undefined && isMemoryEntry(record) && record.id === id;
    return isWanted ? withImportance(record, view) : this.#getThorough(session, id);
  }

  /** The first look into a session. A second request gets a view, which then knows every memory. */
  async #getUnread(sessionId: string, id: string): Promise<MemoryEntry | undefined> {
    if (this.#sessions.known(sessionId) !== undefined || this.#lookedInto.get(sessionId)) return undefined;
    this.#lookedInto.set(sessionId, true);
    const line = onlyLineOf(id, await linesHolding(this.#context.store, addressOf(sessionId), quoted(id)));
    return line === undefined ? undefined : parseMemoryText(line.text, sessionId);
  }

  /**
   * The view in which a memory can be looked up. That there is none is only said after every line has been
   * checked, once: a line whose newline was damaged hides the next one.
   */
  async #viewFor(session: SessionRef, id: string): Promise<SessionView> {
    const view = await this.#sessions.current(session);
    if (view.placeOf(id) !== undefined || view.isDeleted(id) || view.isVerified) return view;
    await this.#readAll(session, view);
    return view;
  }

  /**
   * Checks every line of the log: the last one that names the memory is damaged, but it may have taken another
   * one's name with that, or be the torn first try of a write that came through.
   */
  async #getThorough(session: SessionRef, id: string): Promise<MemoryEntry | null> {
    const { fold } = await this.#readAll(session, await this.#sessions.current(session));
    const found = fold.entries.find(({ entry }) => entry.id === id);
    if (found !== undefined) return found.entry;
    if (fold.deletedIds.has(id)) return null;
    throw corrupt(session.sessionId, id);
  }

  /**
   * Every line of the log, checked, and those that were set aside; the view learns from them.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async #readAll(
    session: SessionRef,
    view: SessionView,
  ): Promise<{ fold: SessionFold; aside: readonly QuarantinedLine[] }> {
    const { store, schema } = this.#context;
    const { sessionId } = session;
    const log = addressOf(session);
    const [slice] = await store.read([{ log, aside: true }]);
    if (slice === undefined || slice === UNCHANGED) throw logNotFound(log);
    requireMeant(session, view.incarnation);
    const fold = foldSession(sessionId, slice, schema);
    this.#sessions.reportDamage(sessionId, slice.position.generation, fold.damage);
    const { aside = [] } = slice;
    view.adopt(fold, slice.position, new Set(aside.flatMap(({ line }) => damagedId(line) ?? [])));
    return { fold, aside };
  }

  /** The same without a look at the log, for what was read lately: `undefined` for everything else. */
  knownAt(id: string, place: FoundPlace, { generation }: LogPosition): MemoryEntry | undefined {
    const found = this.#found.get(id, generation, place);
    if (found !== undefined) this.#context.emit({ kind: 'cache-hit', id });
    return found;
  }

  /**
   * Memories by their places, all read at once; by its id where the log was rewritten since. `undefined` for one that was
   * deleted, or damaged since its place was noted. @param owner whose the sessions must be
   */
  async readPlaced(
    wanted: readonly PlacedMemory[],
    owner?: SessionOwner,
  ): Promise<readonly (MemoryEntry | undefined)[]> {
    const lines = await this.#linesOf(wanted.filter(({ position }) => position !== undefined));
    const entries: (MemoryEntry | undefined)[] = [];
    for (const placed of wanted) entries.push(await this.#readPlaced(placed, lines.get(placed), owner));
    return entries;
  }

  async #linesOf(placed: readonly PlacedMemory[]): Promise<ReadonlyMap<PlacedMemory, LogLine>> {
    const lines = new Map<PlacedMemory, LogLine>();
    const logs = [...Map.groupBy(placed, ({ sessionId }) => sessionId)];
    const answers = await this.#context.store.read(
      logs.map(([sessionId, group]) => ({
        log: addressOf(sessionId),
        after: group[0]!.position,
        places: group.map(({ place: { offset, length } }) => ({ offset, length, lineNumber: 0 })),
      })),
    );
    for (const [at, [, group]] of logs.entries()) {
      const answer = answers[at];
      const found = typeof answer === 'object' ? answer.lines : [];
      for (const [i, line] of found.entries()) lines.set(group[i]!, line);
    }
    return lines;
  }

  async #readPlaced(
    { sessionId, id, place, position }: PlacedMemory,
    line: LogLine | undefined,
    owner: SessionOwner | undefined,
  ): Promise<MemoryEntry | undefined> {
    try {
      if (position !== undefined) this.#context.emit({ kind: 'cache-miss', id });
      if (line === undefined || line.memoryId !== id || !line.hasChecksumField)
        return (await this.get(sessionId, id, owner)) ?? undefined;
      const { generation } = position!;
      if (line.check() === 'damaged') {
        this.#sessions.reportDamage(sessionId, generation, [{ kind: 'checksum', line }]);
        return undefined;
      }
      const entry = parseMemoryText(line.text, sessionId);
      this.#found.keep(id, { entry, generation, place });
      return entry;
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof CorruptionError) return undefined;
      throw error;
    }
  }

  /** Whether there was such a memory to delete. */
  async delete(session: SessionRef, memoryId: string, options: DeleteOptions): Promise<boolean> {
    const id = parseMemoryId(memoryId);
    const view = await this.#viewFor(session, id);
    const ids = isDeletable(view, id) ? [id] : [];
    const entry = options.dryRun ? undefined : await this.#getIfWhole(session, view, id);
    const replaced = replacedBy(entry === undefined ? [] : [entry]);
    return (await this.#deleteIds(session, ids, options, 'user request', { replaced })) > 0;
  }

  /** Notes that memories stay replaced, by one that goes with its session. @param replaced ids, and since when */
  async keepReplaced(session: SessionRef, replaced: Readonly<Record<string, string>>): Promise<void> {
    await this.#deleteIds(session, [], {}, 'session deleted', { replaced });
  }

  async deleteByTopic(session: SessionRef, topic: string, options: DeleteByTopicOptions): Promise<number> {
    const tag = parseTag(topic);
    const { exact = false, ...rest } = options;
    const isMeant = ({ tags }: MemoryEntry): boolean => tags.some((own) => tagCovers(tag, own, exact));
    return this.#deleteEntries(session, isMeant, rest, `topic ${tag}`);
  }

  /** Both ends belong to the range. */
  async deleteByTimeRange(
    session: SessionRef,
    startMs: number,
    endMs: number,
    options: DeleteOptions,
  ): Promise<number> {
    const isInside = ({ timestamp }: MemoryEntry): boolean => {
      const ms = Date.parse(timestamp);
      return ms >= startMs && ms <= endMs;
    };
    const reason = `time range ${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
    return this.#deleteEntries(session, isInside, options, reason);
  }

  /** Appends those that are not there yet, decided while no other process can write. */
  #addOnce(
    session: SessionRef,
    checked: readonly CheckedMemory[],
    maxBytes: number,
  ): Promise<Appended | undefined> {
    const fresh = new Map<string, CheckedMemory>();
    return this.#conditionalWrites.run(session, {
      records: checked.length,
      characters: checked.reduce((sum, { body }) => sum + body.length, 0),
      maxBytes,
      prepare: async (view) => {
        for (const memory of checked) {
          const { id } = memory.entry;
          if (view.isDeleted(id)) throw idDeleted(id);
          const twin = fresh.get(id)?.entry ?? (await this.#getIfWhole(session, view, id));
          if (twin === undefined) fresh.set(id, memory);
          else if (!saysTheSame(twin, memory.entry))
            refuseOther(await this.#asAdded(session, twin), memory.entry);
        }
        await this.#refuseWrong(view.session, fresh.values());
        return fresh.size > 0;
      },
      decide: (group) => {
        const wanted = [...fresh].filter(([id, { entry }]) => isNew(group, id, entry));
        for (const [id, { entry }] of wanted) group.added.set(id, entry);
        return { bodies: wanted.map(([, { body }]) => body), tombstones: [] };
      },
      conclude: (appended) => appended,
    });
  }

  async #getIfWhole(session: SessionRef, view: SessionView, id: string): Promise<MemoryEntry | undefined> {
    if (view.placeOf(id) === undefined) return undefined;
    try {
      return (await this.getIn(session, id)) ?? undefined;
    } catch (error) {
      // Damaged: writing it again is what the caller wants.
      if (error instanceof CorruptionError) return undefined;
      throw error;
    }
  }

  /** A memory as it was before it was corrected, as long as the log still knows: a retry says what was said then. */
  async #asAdded(session: SessionRef, present: MemoryEntry): Promise<MemoryEntry> {
    const { id } = present;
    const lines = await linesHolding(this.#context.store, addressOf(session), quoted(id));
    const first = lines.find((line) => line.memoryId === id && line.check() === 'verified');
    return first === undefined ? present : parseMemoryText(first.text, session.sessionId);
  }

  async #deleteEntries(
    session: SessionRef,
    isChosen: (entry: MemoryEntry) => boolean,
    options: DeleteOptions,
    reason: string,
  ): Promise<number> {
    const view = await this.#sessions.current(session);
    const { fold, aside } = await this.#readAll(session, view);
    const going = fold.entries.map(({ entry }) => entry).filter(isChosen);
    // What a damaged line was about is unknown: the deletion wins.
    const damaged = [...damagedLines(fold.damage), ...aside.map(({ line }) => line)];
    const lost = damaged.flatMap((line) => damagedId(line) ?? []).filter((id) => isDeletable(view, id));
    const ids = [...new Set([...going.map(({ id }) => id), ...lost])];
    const lines = [...new Set(damaged.map((line) => sha256Hex(line.bytes)))];
    const beside = { damaged: lines, replaced: replacedBy(going) };
    return this.#deleteIds(session, ids, options, reason, beside);
  }

  /** One record for all of them: they go together. How many were still there. */
  async #deleteIds(
    session: SessionRef,
    ids: readonly string[],
    options: DeleteOptions,
    defaultReason: string,
    { damaged = [], replaced = {} }: Pick<DeleteRecord, 'damaged' | 'replaced'> = {},
  ): Promise<number> {
    const reason = parseReason(options.reason) ?? defaultReason;
    const { length } = [...ids, ...damaged, ...Object.keys(replaced)];
    if (length === 0 || options.dryRun) return ids.length;
    const { clock, emit } = this.#context;
    const { sessionId } = session;
    let gone: readonly string[] = [];
    const count = await this.#conditionalWrites.run(session, {
      records: 1,
      characters: (ids.length + damaged.length) * ID_CHARACTERS,
      decide: (group) => {
        gone = ids.filter((id) => isThere(group, id) || (group.view.isDamaged(id) && !group.deleted.has(id)));
        // Another process was faster with every one of them: there is nothing to write down.
        if (ids.length > 0 && gone.length + damaged.length === 0) return { bodies: [], tombstones: [] };
        for (const id of gone) group.deleted.add(id);
        const record: DeleteRecord = {
          ...opening('delete', sessionId, clock.now()),
          ids: gone,
          reason,
          ...(damaged.length === 0 ? {} : { damaged }),
          ...(Object.keys(replaced).length === 0 ? {} : { replaced }),
        };
        return { bodies: [JSON.stringify(record)], tombstones: tombstoneLines(record) };
      },
      conclude: () => gone.length,
    });
    if (count > 0) emit({ kind: 'memories-deleted', session_id: sessionId, ids: gone });
    return count;
  }
}

/** About what an id takes in a record. */
const ID_CHARACTERS = 40;

/** Whether a memory is not there yet. @throws ValidationError when another is, or one was and is deleted */
function isNew(group: DecisionGroup, id: string, entry: MemoryEntry): boolean {
  if (group.deleted.has(id) || group.view.isDeleted(id)) throw idDeleted(id);
  const twin = group.added.get(id) ?? racedMemory(group, id, entry.session_id);
  if (twin === undefined) return true;
  refuseOther(twin, entry);
  return false;
}

function isDeletable(view: SessionView, id: string): boolean {
  return view.placeOf(id) !== undefined || view.isDamaged(id);
}

function withImportance(entry: MemoryEntry, view: SessionView): MemoryEntry {
  const importance = view.importanceOf(entry.id);
  return importance === undefined ? entry : { ...entry, importance };
}

function corrupt(sessionId: string, id: string): CorruptionError {
  return new CorruptionError(
    'CORRUPT_ENTRY',
    `Checksum mismatch for ${id}: it is damaged in session ${sessionId} and cannot be read. Its bytes are kept.`,
    { details: { session_id: sessionId, memory_id: id } },
  );
}

function idDeleted(id: string): ValidationError {
  return new ValidationError(
    'ID_DELETED',
    `Memory ${id} was deleted, and ids are never used again. Leave the id out.`,
    { details: { memory_id: id } },
  );
}

/** @throws ValidationError ID_TAKEN unless it is a retry */
function refuseOther(present: MemoryEntry, added: MemoryEntry): void {
  if (saysTheSame(present, added)) return;
  throw new ValidationError('ID_TAKEN', `The session already holds another memory with the id ${added.id}.`, {
    details: { memory_id: added.id },
  });
}

/** A retry says the same as before; time and decay may differ, since they have defaults. */
export function saysTheSame(one: MemoryEntry, other: MemoryEntry): boolean {
  const essence = ({ type, content, tags, references, replaces }: MemoryEntry): string =>
    JSON.stringify([type, content, tags, references, replaces]);
  return essence(one) === essence(other);
}

/** Which of several memories was wrong. */
function ofBatch({ code, message, details }: ValidationError, index: number, count: number): ValidationError {
  return new ValidationError(code, `Of the ${count} memories, number ${index + 1}: ${message}`, {
    details: { ...details, index },
  });
}
