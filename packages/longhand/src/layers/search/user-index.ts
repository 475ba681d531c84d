import { IOError, LonghandError, NotFoundError } from '../../core/errors.ts';
import { readLog } from '../../core/read-log.ts';
import type { MemoryEntry } from '../../core/records.ts';
import type { ChangeMark, LogPosition, UserChanges } from '../../core/store.ts';
import { readEntry } from '../../recall/analysis/index.ts';
import {
  frameMemory,
  type MemoryUses,
  type OpenSegment,
  type Part,
  type RecallIndex,
  SegmentDamage,
} from '../../recall/index/index.ts';
import type { DecayPolicy } from '../../recall/ranking/index.ts';
import type { IndexedTexts, WordVectors } from '../../recall/vectors/index.ts';
import { failureOf } from '../failures.ts';
import type { IndexLimits, LayerContext } from '../layer-context.ts';
import type { Replacements } from '../memories/replacements.ts';
import { foldSession } from '../memories/session-fold.ts';
import { addressOf, type Sessions } from '../memories/sessions.ts';
import { Turns } from '../turns.ts';
import type { IndexedHistory } from './index-manifest.ts';
import { IndexSegments, type LoadedIndex, type PurgeOutcome } from './index-segments.ts';
import { IndexedLogs } from './indexed-logs.ts';

/**
 * The search index of one user, in this process.
 *
 * It follows the user's logs: a query first takes in what any process has written since the last one, found
 * by one look at the user's change file. What is new goes into a tail in memory. A tail that has grown is
 * sealed into an immutable segment on the disk, small segments are merged, and a manifest names the segments
 * that count, with the position in each log that they cover. A process that starts reads the manifest and
 * goes on from those positions; a process whose manifest is no longer the newest, because another one has
 * sealed meanwhile, throws its tail away and starts again from the newer one. So no process holds a full copy.
 *
 * All of it is derived. Whatever is missing, damaged, of another version or ahead of its log is rebuilt
 * from the logs, and the answers depend on the logs alone. A log that was changed behind the change file's back
 * (restored from a copy, say) is noticed when its session is asked, when a memory is not where it should be,
 * by a look at a few of the sessions with each of the first queries, and at one now and then afterwards.
 */

/** So many logs that a process which starts would have to read again are worth a new manifest. */
const PUBLISH_AT_LOGS = 8;
/** Another process that is sealing takes tens of milliseconds. */
const PURGE_PAUSE_MS = 20;
const MAX_PURGE_TRIES = 500;
/** The process that removed memories clears them from the index. Others wait so long before they take it for dead. */
const OWED_PURGE_AFTER_MS = 1_000;
/** A caller that queries without a pause would keep a tail from being sealed: after so many queries it is sealed. */
const QUERIES_BEFORE_SEALING = 32;
/** By then the memories that were found have come from the store, as a rule. */
const SEAL_AFTER_MS = 100;
/** After others were faster so many times, a query is answered from memory alone. */
const MAX_ROUNDS = 4;

/** Gets what the index sees while it follows the logs. */
interface IndexListeners {
  /** Damaged lines of a log, each of them once, also when another process has indexed it. */
  readonly onDamage: Sessions['reportDamage'];
  /** A log that was followed is gone, or was rewritten. */
  readonly onGone: () => void;
}

export class UserIndex {
  readonly #context: LayerContext;
  readonly #listeners: IndexListeners;
  readonly #userId: string;
  readonly #limits: IndexLimits;
  readonly #words: WordVectors | undefined;
  readonly #segments: IndexSegments;
  readonly #logs: IndexedLogs;
  readonly #checks = new SessionChecks(() => this.#logs.sessions.ids);
  #mark: ChangeMark | undefined;
  #isLoaded = false;
  #isSealingSoon = false;
  /** Whether segments on the disk hold memories whose log has been rewritten without them, or is gone. */
  #owesPurge = false;
  /** How many queries were answered since sealing was put off. */
  #queriesSincePutOff = 0;
  /** The size of the tail at which it is sealed; 0 publishes in any case. */
  #sealAt: number;
  /** How often others were faster to publish while this one was catching up. */
  #rounds = 0;
  #hasMadeVectors = false;
  readonly #turns = new Turns();
  /** How often the logs were looked at, and which of the looks was the last that has told all. */
  #looks = 0;
  #lastWhole = 0;

  /** @param words with them, memories are found by their meaning too */
  constructor(context: LayerContext, userId: string, listeners: IndexListeners, words?: WordVectors) {
    this.#context = context;
    this.#words = words;
    this.#listeners = listeners;
    this.#userId = userId;
    this.#limits = context.indexLimits;
    this.#sealAt = this.#limits.sealAtDocuments;
    this.#segments = new IndexSegments(userId, context.store, this.#limits, words);
    const needs = {
      sealAt: this.#limits.sealWhenBuilding,
      seal: () => this.#seal(),
      onPublishedInPart: () => {
        this.#sealAt = 0;
      },
      onRemoved: () => this.#owePurge(),
      onGone: listeners.onGone,
    };
    this.#logs = new IndexedLogs(context, userId, needs, words);
  }

  /** What replaces what, by session. */
  get replacements(): Iterable<Replacements> {
    return [...this.#logs.sessions.replacements].map(([, replacements]) => replacements);
  }

  /** What the memories of a session replace, and those that it had once. */
  replacedBy(sessionId: string): readonly string[] {
    return [...(this.#logs.sessions.get(sessionId)?.replaces.values() ?? [])].flat();
  }

  /** The documents that others have replaced. Only while the index is in use. */
  get replaced(): ReadonlyMap<Part, Uint8Array> | undefined {
    return this.#logs.replaced;
  }

  /** By session. */
  get uses(): ReadonlyMap<string, MemoryUses> {
    return this.#logs.sessions.uses;
  }

  /** Sessions whose decay differs from the configuration's. */
  get policies(): ReadonlyMap<string, DecayPolicy> {
    return this.#logs.sessions.policies;
  }

  /**
   * Gives the work an index that knows everything written until now. The work must not wait for anything.
   * An index that turns out to be damaged is built again first.
   * @param sessionId looked at in any case
   * @param needsVectors of all memories, when there is a table of words
   */
  use<Result>(work: (index: RecallIndex) => Result, sessionId = '', needsVectors = false): Promise<Result> {
    const looksBefore = this.#looks;
    return this.#turns.run(async () => {
      try {
        if (this.#queriesSincePutOff > QUERIES_BEFORE_SEALING) await this.#sealPutOff();
        // Those who ask at the same time share a look: one that began after all of them had asked.
        if (sessionId !== '' || this.#lastWhole <= looksBefore) await this.#catchUp(sessionId);
        else this.#checks.pass();
        if (needsVectors) await this.#takeVectors();
        // No other query is in progress: work runs without waiting.
        frameMemory.turn();
        const result = work(this.#logs.index);
        this.#sealSoon();
        return result;
      } catch (error) {
        // Bytes from the disk can be wrong in more ways than one. The logs know better.
        if (LonghandError.isInstance(error) || this.#segments.count === 0) throw error;
        this.#start(await this.#segments.startOver());
        await this.#catchUp(sessionId);
        if (needsVectors) await this.#takeVectors();
        return work(this.#logs.index);
      }
    });
  }

  /** Segments that a process without this table of words wrote get their vectors here, and keep them. */
  async #takeVectors(): Promise<void> {
    const { index } = this.#logs;
    const lacking = this.#words === undefined ? [] : index.takeVectors();
    if (lacking.length === 0) return;
    await makeVectors(lacking, this.#words!, this.#context);
    index.takeVectors();
    // Once: processes with different tables would take turns for ever.
    if (!this.#hasMadeVectors) this.#sealAt = 0;
    this.#hasMadeVectors = true;
  }

  /** Whether the session is there, and this user's. */
  holds(sessionId: string): boolean {
    return this.#logs.sessions.get(sessionId)?.isOwn === true;
  }

  /** What vectors of a session's memories must have been made from; `undefined` for a session that is not this user's. */
  textsOf(sessionId: string): IndexedTexts | undefined {
    const followed = this.#logs.sessions.get(sessionId);
    if (followed?.isOwn !== true) return undefined;
    return { generation: followed.position.generation, corrected: followed.corrected };
  }

  get logs(): Readonly<Pick<IndexedLogs, 'readings' | 'lastReading' | 'lastChange'>> {
    return this.#logs;
  }

  /** Where a found memory stands, when its log has not been rewritten since it was indexed. */
  positionOf(sessionId: string, rewrites: number): LogPosition | undefined {
    const followed = this.#logs.sessions.get(sessionId);
    return followed?.rewrites === rewrites ? followed.position : undefined;
  }

  /** What these logs hold is not what was indexed: the next use indexes them again. */
  doubt(sessionIds: Iterable<string>): Promise<void> {
    return this.#turns.run(async () => {
      this.#lastWhole = 0;
      for (const id of sessionIds) {
        if (this.#logs.distrust(id)) this.#checks.addFirst(id);
      }
    });
  }

  /** Brings what is in memory to the disk, if it is worth a segment, and takes out what should be gone by now. */
  async flush(): Promise<void> {
    await this.use(() => undefined);
    await this.#payPurge();
    await this.#turns.run(async () => {
      // What holds no new memories (uses, changed settings) costs the next process a look at each of these logs, and
      // this one a manifest alone.
      const isOnlyManifest = this.#logs.index.tailCount === 0 && this.#segments.count > 0;
      const isWorthIt =
        this.#logs.index.tailSize >= Math.min(this.#sealAt, this.#limits.sealAtDocuments / 8) ||
        this.#logs.readSince.size >= (isOnlyManifest ? 1 : PUBLISH_AT_LOGS);
      if (isWorthIt && !(await this.#seal())) this.#reset();
    });
  }

  /** Takes what is gone from the logs out of the files on the disk too. */
  purge(): Promise<void> {
    return this.#purgeWhile(() => true);
  }

  async #purgeWhile(isNeeded: () => boolean): Promise<void> {
    for (let tries = 0; tries < MAX_PURGE_TRIES; tries++) {
      if (!isNeeded()) return;
      const outcome = await this.#purgeOnce();
      if (outcome === 'done') return;
      if (outcome === 'stale') await this.#turns.run(async () => this.#reset());
      else await new Promise((resolve) => setTimeout(resolve, PURGE_PAUSE_MS));
    }
    throw new IOError(
      'IO_FAILED',
      `The search index of ${this.#userId} could not be cleared of what is gone.`,
    );
  }

  /** A user without an index, whose memories were never searched, gets none from this. */
  async #purgeOnce(): Promise<PurgeOutcome> {
    if (!this.#isLoaded && !(await this.#segments.isStored())) {
      return this.#turns.run(() => this.#segments.publishNothing());
    }
    await this.use(() => undefined);
    return this.#turns.run(() => this.#purgeSegments());
  }

  /** Lets go of the files. */
  close(): Promise<void> {
    return this.#turns.run(async () => {
      this.#segments.close();
      this.#reset();
    });
  }

  async #catchUp(sessionId: string): Promise<void> {
    const look = ++this.#looks;
    for (this.#rounds = 0; ; this.#rounds++) {
      if (!this.#isLoaded) this.#start(await this.#segments.load());
      const changes = await this.#context.store.follow(this.#userId, this.#mark);
      if (await this.#takeChanges(changes, sessionId)) {
        this.#lastWhole = look;
        return this.#tellOfDamage();
      }
      // Another process has published meanwhile: its segments are what this one goes on from.
      this.#reset();
    }
  }

  /** False when this process's segments are no longer the newest. */
  async #takeChanges({ mark, sessionIds: named }: UserChanges, sessionId: string): Promise<boolean> {
    // Another history than the one that was followed: the user may have been removed, and what was read of theirs
    // must not be written down again.
    const isOther = this.#mark !== undefined && this.#mark.generation !== mark.generation;
    const ids = new Set(isOther ? [...this.#logs.sessions.ids, ...named] : named);
    if (sessionId !== '') ids.add(sessionId);
    for (const id of this.#checks.take()) ids.add(id);
    if (!(await this.#logs.follow([...ids]))) return false;
    this.#mark = mark;
    // A tail that has outgrown its bounds is sealed at once: it must not take all the memory.
    return this.#logs.index.tailSize < this.#limits.sealWhenBuilding || this.#seal();
  }

  /** Also of what another process met when it indexed a log: the caller's answer lacks those lines. */
  #tellOfDamage(): void {
    for (const [sessionId, { position, damage }] of this.#logs.sessions.takeDamaged())
      this.#listeners.onDamage(sessionId, position.generation, damage);
  }

  /** The answer first: the caller does not wait for what makes the next process start faster. */
  #sealSoon(): void {
    if (this.#logs.index.tailSize < this.#sealAt) return;
    this.#queriesSincePutOff++;
    if (this.#isSealingSoon) return;
    this.#isSealingSoon = true;
    setTimeout(() => {
      void this.#turns.run(async () => {
        this.#isSealingSoon = false;
        try {
          await this.#sealPutOff();
        } catch {
          // Damage that the next query meets as well, and mends.
          this.#reset();
        }
      });
    }, SEAL_AFTER_MS);
  }

  async #sealPutOff(): Promise<void> {
    this.#queriesSincePutOff = 0;
    if (!this.#isLoaded || this.#logs.index.tailSize < this.#sealAt) return;
    if (!(await this.#seal())) this.#reset();
  }

  /** A log is gone or was rewritten, and its memories are still in segments: that process may have been killed. */
  #owePurge(): void {
    if (this.#owesPurge) return;
    this.#owesPurge = true;
    const timer = setTimeout(() => {
      this.#payPurge().catch((error: unknown) => {
        this.#context.emit(failureOf(`index of ${this.#userId}`, 'purge', error));
      });
    }, OWED_PURGE_AFTER_MS);
    timer.unref();
  }

  #payPurge(): Promise<void> {
    return this.#purgeWhile(() => this.#owesPurge);
  }

  #start({ index, manifest, isDamaged }: LoadedIndex): void {
    this.#reset();
    const toCheck = this.#logs.start(index, manifest);
    this.#isLoaded = true;
    this.#sealAt = isDamaged ? 0 : this.#limits.sealAtDocuments;
    this.#mark = manifest?.mark;
    this.#checks.restart(toCheck);
  }

  #reset(): void {
    this.#logs.reset();
    this.#checks.restart();
    this.#mark = undefined;
    this.#isLoaded = false;
    this.#lastWhole = 0;
    this.#owesPurge = false;
  }

  /** False when another process has published since this one last read. */
  async #seal(): Promise<boolean> {
    const { sealAtDocuments } = this.#limits;
    if (this.#rounds >= MAX_ROUNDS) return true;
    try {
      const isNewest = await this.#publish();
      this.#sealAt = sealAtDocuments;
      this.#logs.readSince.clear();
      return isNewest;
    } catch (error) {
      if (error instanceof SegmentDamage) throw error;
      // A full disk keeps no caller from searching: the tail grows, and sealing is retried.
      this.#sealAt = this.#logs.index.tailSize + sealAtDocuments;
      this.#context.emit(failureOf(`index of ${this.#userId}`, 'seal', error));
      return true;
    }
  }

  /** Pays an owed purge too: a process that starts from the new manifest does not know of it any more. */
  async #publish(): Promise<boolean> {
    if (!this.#owesPurge) return this.#segments.seal(this.#logs.index, () => this.#describe());
    return (await this.#purgeSegments()) !== 'stale';
  }

  async #purgeSegments(): Promise<PurgeOutcome> {
    const outcome = await this.#segments.purge(this.#logs.index, () => this.#describe());
    if (outcome === 'done') this.#owesPurge = false;
    return outcome;
  }

  #describe(): IndexedHistory {
    return { mark: this.#mark, ...this.#logs.sessions.describe() };
  }
}

/** Sessions of a loaded index that are looked at with each query, until all were. Each costs microseconds. */
const CHECKS_A_QUERY = 16;
/** Once all were, one is looked at with every so many queries. */
const QUERIES_A_CHECK = 4;

/**
 * Which sessions are looked at although the change file does not name them: their logs may have been changed behind its
 * back.
 */
class SessionChecks {
  readonly #ids: () => Iterable<string>;
  #unchecked: string[] = [];
  /** What has been looked at before: in turns, without end. */
  #turns: Iterator<string> = [].values();
  #queriesSinceCheck = 0;

  /** @param ids of all sessions that are followed */
  constructor(ids: () => Iterable<string>) {
    this.#ids = ids;
  }

  /** Whether the next query looks at any. */
  get isDue(): boolean {
    return this.#unchecked.length > 0 || this.#queriesSinceCheck + 1 >= QUERIES_A_CHECK;
  }

  /** From now on others are followed. @param unchecked those not looked at yet, the most urgent first */
  restart(unchecked: readonly string[] = []): void {
    this.#unchecked = [...unchecked];
    this.#turns = [].values();
  }

  /** Before all others. */
  addFirst(sessionId: string): void {
    this.#unchecked.unshift(sessionId);
  }

  /** A query is answered without a look at any. */
  pass(): void {
    this.#queriesSinceCheck++;
  }

  /** Those that a query looks at. */
  take(): readonly string[] {
    if (this.#unchecked.length > 0) return this.#unchecked.splice(0, CHECKS_A_QUERY);
    if (++this.#queriesSinceCheck < QUERIES_A_CHECK) return [];
    this.#queriesSinceCheck = 0;
    const next = this.#turns.next();
    if (!next.done) return [next.value];
    this.#turns = this.#ids()[Symbol.iterator]();
    return [];
  }
}

/** The documents of a session in one segment, and where their vectors go. */
interface Stretch {
  readonly ids: readonly string[];
  readonly values: Int8Array;
}

/**
 * Gives segments vectors from the texts in the logs: a process without the table wrote them, or one with another. Each log is
 * read once.
 */
async function makeVectors(
  segments: readonly OpenSegment[],
  words: WordVectors,
  context: LayerContext,
): Promise<void> {
  const { id: table, dimensions } = words;
  const ofSession = new Map<string, Stretch[]>();
  for (const opened of segments) {
    const { segment } = opened;
    const values = new Int8Array(segment.documentCount * dimensions);
    const ids: string[] = [];
    segment.forEachRow((_, { id }) => ids.push(id));
    for (const { id, start, end } of segment.sessions) {
      const stretch = {
        ids: ids.slice(start, end),
        values: values.subarray(start * dimensions, end * dimensions),
      };
      ofSession.set(id, [...(ofSession.get(id) ?? []), stretch]);
    }
    opened.vectors = { table, dimensions, values };
  }
  for (const [sessionId, stretches] of ofSession) {
    const entries = await entriesOf(sessionId, context);
    for (const { ids, values } of stretches) {
      for (const [at, id] of ids.entries()) {
        const entry = entries.get(id);
        const row = values.subarray(at * dimensions, (at + 1) * dimensions);
        if (entry !== undefined) words.read(readEntry(entry).said, row);
      }
    }
  }
}

/** By id; none when the session is gone: then the index is about to learn of it. */
async function entriesOf(
  sessionId: string,
  { store, schema }: LayerContext,
): Promise<ReadonlyMap<string, MemoryEntry>> {
  try {
    const { entries } = foldSession(sessionId, await readLog(store, addressOf(sessionId)), schema);
    return new Map(entries.map(({ entry }) => [entry.id, entry]));
  } catch (error) {
    if (error instanceof NotFoundError) return new Map();
    throw error;
  }
}
