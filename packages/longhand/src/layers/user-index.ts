import { NotFoundError } from '../core/errors.ts';
import type { LogLine } from '../core/line.ts';
import { type DecayOverride, isMemoryEntry, type LogRecord, type MemoryEntry } from '../core/records.ts';
import type { ChangeMark, IndexFiles, IndexWriter, LogPosition, LogSlice } from '../core/store.ts';
import { type DecayPolicy, resolveDecayPolicy } from '../recall/decay.ts';
import { type MemoryUse, type OpenSegment, RecallIndex, SegmentDamage } from '../recall/index.ts';
import { type IndexManifest, parseManifest, renderManifest, type StoredSegment } from './index-manifest.ts';
import { foldSession } from './session-fold.ts';
import { addressOf } from './sessions.ts';
import { EPOCH, parseStoredRecord } from './stored-record.ts';
import type { Workshop } from './workshop.ts';

/**
 * The search index of one user, in this process.
 *
 * It follows the user's logs: a query first takes in what any process has written since the last one, found
 * by one look at the user's change file. What is new goes into a tail in memory. A tail that has grown is
 * sealed into an immutable segment on the disk, small segments are merged, and a manifest names the segments
 * that count, with the position in each log that they cover. A process that starts reads the manifest and
 * goes on from those positions; a process whose manifest is no longer the newest, because another one has
 * sealed meanwhile, throws its tail away and starts again from the newer one. So nobody holds a full copy.
 *
 * All of it is derived. Whatever is missing, damaged, of another version or ahead of its log is built again
 * from the logs, and the answers depend on the logs alone.
 */

/** Documents in a tail before it is sealed: about 20 ms of work, and some 4 MB of memory. */
const SEAL_AT_DOCUMENTS = 2_048;
/** The same while a whole log is taken in: fewer, larger segments need less merging. */
const SEAL_WHEN_BUILDING = 16_384;
/** Segments of about the same size before they are merged into one. */
const MERGE_AT_SEGMENTS = 8;
/** Larger segments stay as they are: merging them would hold up the process for seconds. */
const MAX_MERGED_DOCUMENTS = 262_144;

interface Followed {
  readonly position: LogPosition;
  /** Counts rewrites: places from before are void. */
  readonly rewrites: number;
  readonly policy?: DecayPolicy | undefined;
  readonly decayConfig?: DecayOverride | undefined;
}

interface HeldSegment extends StoredSegment {
  readonly segment: OpenSegment;
  readonly close: () => void;
}

export class UserIndex {
  readonly #workshop: Workshop;
  readonly #userId: string;
  readonly #files: IndexFiles | undefined;
  #index = new RecallIndex();
  #followed = new Map<string, Followed>();
  #uses = new Map<string, Map<string, MemoryUse>>();
  #segments: HeldSegment[] = [];
  #manifestId = '';
  #mark: ChangeMark | undefined;
  #isLoaded = false;
  #working: Promise<void> = Promise.resolve();

  constructor(workshop: Workshop, userId: string) {
    this.#workshop = workshop;
    this.#userId = userId;
    this.#files = workshop.store.indexFiles(userId);
  }

  /** Sessions whose decay differs from the configuration's. */
  get policies(): ReadonlyMap<string, DecayPolicy> {
    const policies = new Map<string, DecayPolicy>();
    for (const [id, { policy }] of this.#followed) if (policy !== undefined) policies.set(id, policy);
    return policies;
  }

  /**
   * Gives the work an index that knows everything written until now. The work must not wait for anything.
   * An index that turns out to be damaged is built again first.
   */
  async use<Result>(work: (index: RecallIndex) => Result): Promise<Result> {
    const turn = this.#working.then(async () => {
      try {
        await this.#catchUp();
        return work(this.#index);
      } catch (error) {
        if (!(error instanceof SegmentDamage)) throw error;
        this.#startOver();
        await this.#catchUp();
        return work(this.#index);
      }
    });
    this.#working = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /** Where a found memory stands, when its log has not been rewritten since it was indexed. */
  positionOf(sessionId: string, rewrites: number): LogPosition | undefined {
    const followed = this.#followed.get(sessionId);
    return followed?.rewrites === rewrites ? followed.position : undefined;
  }

  /** Brings what is in memory to the disk, if it is worth a segment. */
  async flush(minDocuments = SEAL_AT_DOCUMENTS / 8): Promise<void> {
    await this.use(() => undefined);
    this.#working = this.#working.then(async () => {
      if (this.#index.tailCount >= minDocuments && !(await this.#seal())) this.#startOver();
    });
    await this.#working;
  }

  async close(): Promise<void> {
    await this.#working;
    this.#startOver();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      if (!this.#isLoaded) await this.#load();
      if (await this.#takeChanges()) return;
      // Another process has published meanwhile: its segments are what this one goes on from.
      this.#startOver();
    }
  }

  /** False when this process's segments are no longer the newest. */
  async #takeChanges(): Promise<boolean> {
    const changes = await this.#workshop.store.changesOfUser(this.#userId, this.#mark);
    for (const sessionId of changes.sessionIds) {
      if (sessionId !== '' && !(await this.#follow(sessionId))) return false;
    }
    this.#mark = changes.mark;
    return this.#index.tailCount < SEAL_AT_DOCUMENTS || this.#seal();
  }

  async #follow(sessionId: string): Promise<boolean> {
    const { store } = this.#workshop;
    const followed = this.#followed.get(sessionId);
    const address = addressOf(sessionId);
    if (followed !== undefined && (await store.isCurrent(address, followed.position))) return true;
    let slice: LogSlice;
    try {
      slice = await store.read(address, followed?.position);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      this.#forgetSession(sessionId);
      return true;
    }
    if (slice.reset) return this.#takeWhole(sessionId, slice, followed);
    await this.#takeMore(sessionId, slice, followed!);
    return true;
  }

  /**
   * The log is new, or another than the one that was followed: what it holds now is all that counts. Until
   * the last of it is in, the session does not count as followed, and whoever comes next takes it whole.
   */
  async #takeWhole(sessionId: string, slice: LogSlice, followed: Followed | undefined): Promise<boolean> {
    this.#forgetSession(sessionId);
    const fold = foldSession(sessionId, slice, this.#workshop.schema);
    // Not this user's: a name in the change file is a hint, the log decides.
    if (fold.session?.user_id !== this.#userId) return true;
    const rewrites = (followed?.rewrites ?? -1) + 1;
    for (const { entry, line } of fold.entries) {
      this.#index.add(entry, line.seq ?? line.offset, { log: rewrites, offset: line.offset, length: line.length });
      if (this.#index.tailCount >= SEAL_WHEN_BUILDING && !(await this.#seal())) return false;
    }
    for (const { record } of fold.records) if (!isMemoryEntry(record)) this.#noteUses(sessionId, record);
    this.#setFollowed(sessionId, slice.position, rewrites, fold.session.decay_config);
    return true;
  }

  async #takeMore(sessionId: string, slice: LogSlice, followed: Followed): Promise<void> {
    const { schema } = this.#workshop;
    const { rewrites } = followed;
    let { decayConfig } = followed;
    for (const line of slice.lines) {
      const record = parseStoredRecord(line, { sessionId, schema, createdAt: EPOCH });
      if (record === undefined) continue;
      if (isMemoryEntry(record)) this.#put(sessionId, record, line, rewrites);
      else if (record.record === 'delete') for (const id of record.ids) this.#remove(sessionId, id);
      else if (record.record === 'session') decayConfig = { ...decayConfig, ...record.decay_config };
      else if (record.record === 'importance') await this.#reweigh(sessionId, record.id, record.importance);
      else this.#noteUses(sessionId, record);
    }
    this.#setFollowed(sessionId, slice.position, rewrites, decayConfig);
  }

  #put(sessionId: string, entry: MemoryEntry, line: LogLine, rewrites: number): void {
    // The second line of a memory whose first one is damaged, or that a person copied.
    this.#index.remove(sessionId, entry.id);
    const place = { log: rewrites, offset: line.offset, length: line.length };
    this.#index.add(entry, line.seq ?? line.offset, place);
  }

  #remove(sessionId: string, id: string): void {
    this.#index.remove(sessionId, id);
    this.#uses.get(sessionId)?.delete(id);
  }

  async #reweigh(sessionId: string, id: string, importance: number): Promise<void> {
    const { store, schema } = this.#workshop;
    const found = this.#index.get(sessionId, id);
    const followed = this.#followed.get(sessionId);
    if (found === undefined || followed === undefined) return;
    const line = await store.readLine(addressOf(sessionId), { ...found.place, lineNumber: 0 }, followed.position);
    const record =
      line === undefined || line.check() === 'damaged'
        ? undefined
        : parseStoredRecord(line, { sessionId, schema, createdAt: EPOCH });
    // Rewritten or damaged: the whole log is read again, which finds the importance in it.
    if (record === undefined || !isMemoryEntry(record)) return;
    this.#index.remove(sessionId, id);
    this.#index.add({ ...record, importance }, found.order, found.place);
    const use = this.#uses.get(sessionId)?.get(id);
    if (use !== undefined) this.#index.noteUse(sessionId, id, use);
  }

  #noteUses(sessionId: string, record: Exclude<LogRecord, MemoryEntry>): void {
    if (record.record !== 'access') return;
    const lastAccessMs = Date.parse(record.timestamp);
    for (const [id, count] of Object.entries(record.uses)) {
      const before = this.#uses.get(sessionId)?.get(id);
      this.#noteUse(sessionId, id, { lastAccessMs, accessCount: (before?.accessCount ?? 0) + count });
    }
  }

  #noteUse(sessionId: string, id: string, use: MemoryUse): void {
    if (!this.#index.noteUse(sessionId, id, use)) return;
    const uses = this.#uses.get(sessionId) ?? new Map<string, MemoryUse>();
    this.#uses.set(sessionId, uses.set(id, use));
  }

  #forgetSession(sessionId: string): void {
    this.#index.removeSession(sessionId);
    this.#followed.delete(sessionId);
    this.#uses.delete(sessionId);
  }

  #setFollowed(
    sessionId: string,
    position: LogPosition,
    rewrites: number,
    decayConfig: DecayOverride | undefined,
  ): void {
    const isOwn = decayConfig !== undefined && Object.keys(decayConfig).length > 0;
    const policy = isOwn ? resolveDecayPolicy(this.#workshop.config.decay, decayConfig) : undefined;
    this.#followed.set(sessionId, { position, rewrites, policy, decayConfig: isOwn ? decayConfig : undefined });
  }

  /** From the newest manifest; from nothing when there is none, or it cannot be used. */
  async #load(): Promise<void> {
    this.#isLoaded = true;
    const manifest = parseManifest(await this.#files?.readManifest());
    if (manifest === undefined) return;
    try {
      for (const stored of manifest.segments) this.#openSegment(stored);
    } catch (error) {
      if (!(error instanceof SegmentDamage)) throw error;
      this.#startOver();
      this.#isLoaded = true;
      return;
    }
    this.#manifestId = manifest.id;
    this.#mark = manifest.mark;
    for (const [id, { position, rewrites, decay_config }] of Object.entries(manifest.sessions)) {
      this.#setFollowed(id, position, rewrites, decay_config);
    }
    for (const [sessionId, uses] of Object.entries(manifest.uses)) {
      for (const [id, [lastAccessMs, accessCount]] of Object.entries(uses)) {
        this.#noteUse(sessionId, id, { lastAccessMs, accessCount });
      }
    }
  }

  #openSegment(stored: StoredSegment): void {
    const file = this.#files!.open(stored.name);
    if (file === undefined) throw new SegmentDamage(`The segment ${stored.name} is missing.`);
    const segment = this.#index.openSegment(file, stored.dead);
    this.#segments.push({ ...stored, segment, close: () => file.close() });
  }

  #startOver(): void {
    for (const { close } of this.#segments) close();
    this.#index = new RecallIndex();
    this.#followed = new Map();
    this.#uses = new Map();
    this.#segments = [];
    this.#manifestId = '';
    this.#mark = undefined;
    this.#isLoaded = false;
  }

  /**
   * Puts the tail into a segment of its own, merges small ones, and publishes the manifest. Leaves all as it
   * is when another process is at it. False when another one has published since this one last read.
   */
  async #seal(): Promise<boolean> {
    const files = this.#files;
    if (files === undefined) return true;
    const isNewest = await files.change(async (writer) => {
      const current = parseManifest(await files.readManifest());
      if ((current?.id ?? '') !== this.#manifestId) return false;
      const name = `${crypto.randomUUID()}.segment`;
      await writer.write(name, this.#index.sealTail());
      const file = files.open(name)!;
      const segment = this.#index.replaceTail(file);
      this.#segments.push({ name, dead: [], segment, close: () => file.close() });
      await this.#mergeSmall(writer);
      const manifest = this.#describe();
      await writer.writeManifest(
        renderManifest(manifest),
        manifest.segments.map((stored) => stored.name),
      );
      this.#manifestId = manifest.id;
      return true;
    });
    return isNewest ?? true;
  }

  async #mergeSmall(writer: IndexWriter): Promise<void> {
    for (let group = this.#mergeable(); group.length > 0; group = this.#mergeable()) {
      const name = `${crypto.randomUUID()}.segment`;
      const segments = group.map(({ segment }) => segment);
      await writer.write(name, this.#index.mergeSegments(segments));
      const file = this.#files!.open(name)!;
      const segment = this.#index.replaceSegments(segments, file);
      for (const { close } of group) close();
      this.#segments = this.#segments.filter((held) => !group.includes(held));
      this.#segments.push({ name, dead: [], segment, close: () => file.close() });
    }
  }

  /** Segments of one size class, when there are enough of them. Classes grow by the factor they merge by. */
  #mergeable(): HeldSegment[] {
    const classes = new Map<number, HeldSegment[]>();
    for (const held of this.#segments) {
      const count = held.segment.segment.documentCount;
      if (count * 2 > MAX_MERGED_DOCUMENTS) continue;
      const sizeClass = Math.floor(Math.log(Math.max(1, count)) / Math.log(MERGE_AT_SEGMENTS));
      classes.set(sizeClass, [...(classes.get(sizeClass) ?? []), held]);
    }
    for (const group of classes.values()) if (group.length >= MERGE_AT_SEGMENTS) return group;
    return [];
  }

  #describe(): IndexManifest {
    const sessions = [...this.#followed].map(([id, { position, rewrites, decayConfig }]) => [
      id,
      { position, rewrites, ...(decayConfig === undefined ? {} : { decay_config: decayConfig }) },
    ]);
    const uses = [...this.#uses].map(([sessionId, byId]) => [
      sessionId,
      Object.fromEntries([...byId].map(([id, use]) => [id, [use.lastAccessMs ?? 0, use.accessCount ?? 0]])),
    ]);
    return {
      id: crypto.randomUUID(),
      mark: this.#mark,
      segments: this.#segments.map(({ name, segment }) => ({ name, dead: segment.deadDocuments })),
      sessions: Object.fromEntries(sessions),
      uses: Object.fromEntries(uses),
    };
  }
}
