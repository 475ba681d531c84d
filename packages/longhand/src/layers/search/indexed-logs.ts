import { NotFoundError } from '../../core/errors.ts';
import type { LogLine } from '../../core/line.ts';
import { orderAfter } from '../../core/line-order.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import { readLine, readLog } from '../../core/read-log.ts';
import { isMemoryEntry, type MemoryEntry } from '../../core/records.ts';
import { type LogPosition, type LogSlice, type ReadAnswer, UNCHANGED } from '../../core/store.ts';
import type { Part } from '../../recall/index/index.ts';
import { RecallIndex } from '../../recall/index/index.ts';
import { idKeyOf, textKeyOf, type WordVectors } from '../../recall/vectors/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { replacementsIn, withDeleted, withReplaced } from '../memories/replacements.ts';
import { changeSettings } from '../memories/session.ts';
import { foldSession, saidAgain } from '../memories/session-fold.ts';
import { addressOf, isUnreadable } from '../memories/sessions.ts';
import { EPOCH, parseStoredRecord } from '../memories/stored-record.ts';
import { gatherUses, isAccess } from '../memories/uses.ts';
import { type Followed, FollowedSessions, NONE, voided } from './followed-sessions.ts';
import type { IndexManifest } from './index-manifest.ts';

/** Logs that are read with one call. Their new lines are in memory together. */
const LOGS_AT_ONCE = 32;

interface IndexedLogsNeeds {
  /** The size at which a tail is sealed in the midst of a log: it must not take all the memory. */
  readonly sealAt: number;
  /** False when this process's segments are no longer the newest: then it starts again from those. */
  readonly seal: () => Promise<boolean>;
  /** What is on the disk does not say yet that it covers a log which it has all of. */
  readonly onPublishedInPart: () => void;
  /** Memories are in no log any more, and may be in segments on the disk still. */
  readonly onRemoved: () => void;
  /** A log that was followed is gone, or was rewritten. */
  readonly onGone: () => void;
}

/** A user's logs, as far as they are in the index: what they hold, and where the next reading of each goes on. */
export class IndexedLogs {
  readonly #context: LayerContext;
  readonly #userId: string;
  readonly #needs: IndexedLogsNeeds;
  /**
   * Session → another number whenever this process has read all of its log: editors write in place, so that its memories
   * may say something else than before, in a log of the same generation too.
   */
  readonly readings = new Map<string, number>();
  lastReading = 0;
  /** Another object when a memory other than a turn came, changed, was replaced or is gone, and seldom besides. */
  lastChange: object = {};
  readonly #words: WordVectors | undefined;
  index: RecallIndex;
  sessions: FollowedSessions;
  /** Logs that were read since the manifest that is on the disk. */
  readonly readSince = new Set<string>();
  #replaced:
    | { readonly parts: readonly Part[]; readonly marks: ReadonlyMap<Part, Uint8Array> | undefined }
    | undefined;

  constructor(
    context: LayerContext,
    userId: string,
    needs: IndexedLogsNeeds,
    words: WordVectors | undefined,
  ) {
    this.#context = context;
    this.#words = words;
    this.index = new RecallIndex(words);
    this.#userId = userId;
    this.#needs = needs;
    this.sessions = new FollowedSessions(context.config);
  }

  /** Goes on from what is on the disk. The sessions to be looked at first. */
  start(index: RecallIndex, manifest: IndexManifest | undefined): readonly string[] {
    this.lastChange = {};
    this.index = index;
    if (manifest === undefined) return [];
    return this.sessions.load(manifest);
  }

  reset(): void {
    this.lastChange = {};
    this.index = new RecallIndex(this.#words);
    this.sessions = new FollowedSessions(this.#context.config);
    this.readSince.clear();
  }

  /** What the log holds is not what was indexed: it is indexed again. False when it is not followed. */
  distrust(sessionId: string): boolean {
    const followed = this.sessions.get(sessionId);
    if (followed === undefined) return false;
    this.sessions.move(sessionId, voided(followed.position));
    return true;
  }

  /** Takes in what is new in the logs of sessions. False when this process's segments are no longer the newest. */
  async follow(sessionIds: readonly string[]): Promise<boolean> {
    for (let at = 0; at < sessionIds.length; at += LOGS_AT_ONCE) {
      const ids = sessionIds.slice(at, at + LOGS_AT_ONCE);
      const answers = await this.#read(ids);
      for (const [i, id] of ids.entries()) if (!(await this.#take(id, answers[i]))) return false;
    }
    return true;
  }

  /** A session that cannot be read does not stop a search of the others; lists of sessions report it. */
  async #read(sessionIds: readonly string[]): Promise<readonly ReadAnswer[]> {
    try {
      const positions = sessionIds.map((id) => this.sessions.get(id)?.position);
      // What lags is what the user had a moment ago: an index holds nothing of others.
      const wanted = sessionIds.map((id, i) => ({ log: addressOf(id), after: positions[i], mayLag: true }));
      return await this.#context.store.read(wanted);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (sessionIds.length === 1) return [undefined];
      const answers: ReadAnswer[] = [];
      for (const id of sessionIds) answers.push(...(await this.#read([id])));
      return answers;
    }
  }

  async #take(sessionId: string, answer: ReadAnswer): Promise<boolean> {
    if (answer === UNCHANGED) return true;
    this.#replaced = undefined;
    const followed = this.sessions.get(sessionId);
    this.readSince.add(sessionId);
    try {
      if (answer === undefined) this.#forgetSession(sessionId);
      else if (answer.reset || followed === undefined) return await this.#takeWhole(sessionId, answer);
      else if (!followed.isOwn) this.sessions.move(sessionId, answer.position);
      else if (!(await this.#takeMore(sessionId, answer, followed))) {
        return await this.#takeWhole(sessionId, await readLog(this.#context.store, addressOf(sessionId)));
      }
    } catch (error) {
      if (!(error instanceof NotFoundError) && !isUnreadable(error)) throw error;
      this.#forgetSession(sessionId);
    }
    return true;
  }

  /**
   * The log is new, or another than the one that was followed: what it holds now is all that counts. Until
   * the last of it is in, the next query takes it whole.
   */
  async #takeWhole(sessionId: string, slice: LogSlice): Promise<boolean> {
    const rewrites = (this.sessions.get(sessionId)?.rewrites ?? -1) + 1;
    this.#forgetSession(sessionId);
    this.readings.set(sessionId, ++this.lastReading);
    const fold = foldSession(sessionId, slice, this.#context.schema);
    const { position } = slice;
    const damage = fold.damage.map(({ kind, line: { offset } }) => ({ kind, line: { offset } }));
    // A name in the change file is a hint, the log decides.
    const beside = fold.session?.user_id ? undefined : await this.#ownerBesideLog(sessionId);
    if ((fold.session?.user_id || beside?.user_id) !== this.#userId) {
      const order = fold.lastOrder;
      const none = { corrected: NONE, replaces: NONE };
      this.sessions.set(sessionId, { position, rewrites, order, isOwn: false, damage, ...none });
      return true;
    }
    const again = saidAgain(fold.records);
    const corrected = new Map<number, string>();
    const replaces = replacementsIn(fold.entries, fold);
    let isPublishedInPart = false;
    for (const { entry, line, order } of fold.entries) {
      this.#add(entry, line, order, rewrites);
      if (again.has(entry.id)) corrected.set(idKeyOf(entry.id), textKeyOf(entry));
      if (this.index.tailSize < this.#needs.sealAt) continue;
      // A process that starts from what is published here has a part of the log, and must know that it is to be read.
      const position = voided(slice.position);
      const part = { damage: [], corrected, replaces };
      this.sessions.set(sessionId, { position, rewrites, order, isOwn: true, ...part });
      if (!(await this.#needs.seal())) return false;
      isPublishedInPart = true;
    }
    if (isPublishedInPart) this.#needs.onPublishedInPart();
    for (const [id, use] of gatherUses(fold.records)) this.sessions.noteUse(sessionId, id, use);
    const decayConfig = fold.session?.decay_config ?? changeSettings({}, beside?.decay_config);
    const own = { position, rewrites, order: fold.lastOrder, isOwn: true, decayConfig };
    const changed = { corrected: orNone(corrected), replaces: orNone(replaces) };
    this.sessions.set(sessionId, { ...own, damage, ...changed });
    return true;
  }

  /** For a log whose own records no longer say so. */
  async #ownerBesideLog(sessionId: string) {
    const metadata = await this.#context.store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    return parseOwner(sessionId, metadata);
  }

  /** False when the whole log is needed to understand what is new in it. */
  async #takeMore(sessionId: string, slice: LogSlice, followed: Followed): Promise<boolean> {
    // What a person wrote has its time from the session, and what a person copied may have been deleted before.
    if (slice.damage.length > 0 || slice.lines.some((line) => line.seq === undefined)) return false;
    const { schema } = this.#context;
    const { rewrites } = followed;
    let { decayConfig, order, replaces } = followed;
    let corrected: Map<number, string> | undefined;
    for (const line of slice.lines) {
      order = orderAfter(order, line.seq);
      const record = parseStoredRecord(line, { sessionId, schema, createdAt: EPOCH });
      if (record === undefined) return false;
      if (isMemoryEntry(record)) {
        if (this.#put(sessionId, record, line, order, rewrites)) {
          corrected ??= new Map(followed.corrected);
          corrected.set(idKeyOf(record.id), textKeyOf(record));
        }
        replaces = withReplaced(replaces, record);
      } else if (record.record === 'delete') {
        for (const id of record.ids) this.#remove(sessionId, id);
        replaces = withDeleted(replaces, record.ids, Object.keys(record.replaced ?? {}));
      } else if (record.record === 'session') decayConfig = changeSettings(decayConfig, record.decay_config);
      else if (record.record === 'importance') {
        if (!(await this.#reweigh(sessionId, record.id, record.importance, followed.position))) return false;
      } else if (isAccess(record)) this.sessions.noteUses(sessionId, record);
    }
    const { position } = slice;
    if (replaces !== followed.replaces) this.lastChange = {};
    this.sessions.set(sessionId, {
      ...{ ...followed, position, order, decayConfig, replaces },
      ...(corrected === undefined ? {} : { corrected }),
    });
    return true;
  }

  /** The documents that others have replaced, by part; `undefined` without any. */
  get replaced(): ReadonlyMap<Part, Uint8Array> | undefined {
    const parts = this.index.parts();
    if (this.#replaced?.parts === parts) return this.#replaced.marks;
    const replaced = [...this.sessions.replacements].map(
      ([sessionId, replacements]) => [sessionId, [...replacements.values()].flat()] as const,
    );
    this.#replaced = { parts, marks: markReplaced(this.index, replaced) };
    return this.#replaced.marks;
  }

  #add(entry: MemoryEntry, { offset, length }: LogLine, order: number, rewrites: number): void {
    this.index.add(entry, order, { log: rewrites, offset, length });
  }

  /** Whether the memory was there: then it was corrected, and a vector of it is of what it said before. */
  #put(sessionId: string, entry: MemoryEntry, line: LogLine, order: number, rewrites: number): boolean {
    const before = this.index.get(sessionId, entry.id);
    if (before !== undefined || entry.type !== 'conversation') this.lastChange = {};
    this.index.remove(sessionId, entry.id);
    // Its place is that of its first line: pages that have begun go on from a place.
    this.#add(entry, line, before?.order ?? order, rewrites);
    return before !== undefined;
  }

  #remove(sessionId: string, id: string): void {
    this.lastChange = {};
    this.index.remove(sessionId, id);
    this.sessions.forgetUse(sessionId, id);
  }

  /** False when the memory's line cannot be read where it was. */
  async #reweigh(sessionId: string, id: string, importance: number, position: LogPosition): Promise<boolean> {
    const { store, schema } = this.#context;
    const found = this.index.get(sessionId, id);
    if (found === undefined) return true;
    const { place } = found;
    const line = await readLine(store, addressOf(sessionId), { ...place, lineNumber: 0 }, position);
    if (line?.seq === undefined || line.check() === 'damaged') return false;
    const record = parseStoredRecord(line, { sessionId, schema, createdAt: EPOCH });
    if (record === undefined || !isMemoryEntry(record) || record.id !== id) return false;
    this.lastChange = {};
    this.index.remove(sessionId, id);
    this.index.add({ ...record, importance }, found.order, place);
    return true;
  }

  #forgetSession(sessionId: string): void {
    this.lastChange = {};
    if (this.index.removeSession(sessionId)) this.#needs.onRemoved();
    if (this.sessions.delete(sessionId)) this.#needs.onGone();
  }
}

/** One map for all that have none. */
function orNone<Key, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return map.size === 0 ? (NONE as ReadonlyMap<never, never>) : map;
}

/**
 * A 1 for each document that others replace, by part; `undefined` without any.
 * @param replaced ids, by the session that says so: an id means that session's own memory, or else those of other sessions
 */
export function markReplaced(
  index: RecallIndex,
  replaced: Iterable<readonly [string, readonly string[]]>,
): ReadonlyMap<Part, Uint8Array> | undefined {
  const marks = new Map<Part, Uint8Array>();
  for (const [sessionId, ids] of replaced) {
    for (const id of ids) {
      for (const { part, document } of index.referred(index.registry.find(sessionId), id)) {
        if (!marks.has(part)) marks.set(part, new Uint8Array(part.count));
        marks.get(part)![document] = 1;
      }
    }
  }
  return marks.size === 0 ? undefined : marks;
}
