import { IOError, ValidationError } from '../../core/errors.ts';
import { encodeLine, LogLine } from '../../core/line.ts';
import { findLines } from '../../core/log-decoder.ts';
import { rehearseRewrite, rewrittenLines } from '../../core/rewritten-lines.ts';
import {
  type Appended,
  type AppendOptions,
  type ByteChunks,
  blobExists,
  type ChangeMark,
  checkBlobName,
  type Decide,
  type DecideRewrite,
  type DocumentOptions,
  describeLog,
  type LifeOptions,
  type LinePlace,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  type LogStore,
  logKey,
  logNotFound,
  mendedTombstones,
  NO_LOG,
  type OpenBlob,
  type QuarantinedLine,
  type ReadOptions,
  type RemoveOptions,
  type Rewritten,
  type StoredBytes,
  sessionFull,
  toDecided,
  type UserChanges,
} from '../../core/store.ts';
import { MemoryLog, TOMBSTONE_DOCUMENT } from './memory-log.ts';

/**
 * The logs of a process that keeps nothing: for tests, for trying things out, and as the plain model that
 * the other stores are compared with. It holds the same lines that a file would, so sizes agree too.
 */
export class MemoryStore implements LogStore {
  readonly name = 'memory';
  readonly #logs = new Map<string, MemoryLog>();
  readonly #documents = new Map<string, string>();
  /** Session ids by user, one for each change. */
  readonly #changes = new Map<string, string[]>();
  /** Users that were removed so far. */
  #removals = 0;
  readonly #claims = new Set<string>();
  #generations = 0;
  #isClosed = false;

  async create(
    address: LogAddress,
    bodies: readonly string[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    this.#refuseWhenClosed();
    const session = isPartOfSession(address) ? this.#open(sessionOf(address.id), options.life) : undefined;
    if (this.#logs.has(logKey(address))) {
      throw new ValidationError('SESSION_EXISTS', `There is a ${describeLog(address)} already.`);
    }
    const generation = this.#nextGeneration();
    const log = new MemoryLog(generation, session?.life ?? generation);
    const appended = this.#append(address, log, bodies, options);
    this.#logs.set(logKey(address), log);
    return appended;
  }

  async append(
    address: LogAddress,
    bodies: readonly string[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    return this.#append(address, this.#open(address, options.life), bodies, options);
  }

  async transact(
    address: LogAddress,
    after: LogPosition | undefined,
    decide: Decide,
    options: AppendOptions = {},
  ): Promise<Appended> {
    const log = this.#open(address, options.life);
    const decided = toDecided(decide(log.read(after, { check: 'light' })), options.tombstones);
    return this.#append(address, log, decided.bodies, { ...options, tombstones: decided.tombstones });
  }

  #append(address: LogAddress, log: MemoryLog, bodies: readonly string[], options: AppendOptions): Appended {
    let seq = log.lastSeq;
    const bytes = Buffer.from(bodies.map((body) => encodeLine(body, ++seq, true)).join(''));
    const { total } = log.size();
    if (options.maxBytes !== undefined && bytes.length > 0 && total + bytes.length > options.maxBytes) {
      throw sessionFull(address, log.size(), bytes.length, options.maxBytes);
    }
    const firstSeq = log.lastSeq + 1;
    log.grow(bytes);
    log.lastSeq = seq;
    log.tombstones.push(...(options.tombstones ?? []));
    if (options.userId !== undefined) this.#noteChange(options.userId, address.id);
    return { firstSeq, lastSeq: seq, sizeBytes: log.size().total };
  }

  async read(address: LogAddress, after?: LogPosition, options: ReadOptions = {}): Promise<LogSlice> {
    return this.#open(address).read(after, options);
  }

  isCurrent(address: LogAddress, position: LogPosition): boolean {
    this.#refuseWhenClosed();
    const log = this.#logs.get(logKey(address));
    if (log === undefined) return position === NO_LOG;
    return position.generation === log.generation && position.offset === log.bytes.length;
  }

  async readLine(address: LogAddress, place: LinePlace, position: LogPosition): Promise<LogLine | undefined> {
    const log = this.#open(address);
    if (position.generation !== log.generation) return undefined;
    return new LogLine(log.bytes, place.offset, place.offset + place.length, place.offset, place.lineNumber);
  }

  async linesWith(address: LogAddress, text: string): Promise<readonly LogLine[]> {
    return findLines(this.#open(address).bytes, text, 0);
  }

  async rewrite(address: LogAddress, decide: DecideRewrite, { life }: LifeOptions = {}): Promise<Rewritten> {
    const log = this.#open(address, life);
    const sizeBefore = log.size();
    const slice = log.read(undefined, {});
    const plan = decide(slice, log.aside);
    if (plan.dryRun) {
      const rehearse = () => rehearseRewrite(plan, slice, sizeBefore, log.tombstoneText() ?? '', true);
      return { sizeBefore, sizeAfter: sizeBefore, rehearse };
    }
    const lines = [...rewrittenLines(plan, slice.position.lastSeq, true)];
    log.replace(Buffer.concat(lines), this.#nextGeneration());
    log.lastSeq = log.read(undefined, { check: 'light' }).position.lastSeq;
    log.tombstones.splice(0, log.tombstones.length, ...mendedTombstones(log.tombstones, plan.tombstones));
    log.setAside(plan.quarantine ?? [], new Set(plan.forget));
    return { sizeBefore, sizeAfter: log.size() };
  }

  async quarantined(address: LogAddress): Promise<readonly QuarantinedLine[]> {
    return this.#open(address).aside;
  }

  async remove(address: LogAddress, options: RemoveOptions = {}): Promise<boolean> {
    this.#refuseWhenClosed();
    const log = this.#logs.get(logKey(address));
    if (log === undefined || (options.life ?? log.life) !== log.life) return false;
    if (options.userId !== undefined) this.#dropChange(options.userId, address.id);
    // Positions in what is gone are void, also when a log of the same name is made again.
    if (address.kind === 'session') {
      for (const kind of ['transcript', 'details'] as const)
        this.#logs.delete(logKey({ kind, id: address.id }));
    }
    return this.#logs.delete(logKey(address));
  }

  async list(kind: 'session' | 'agent'): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    const prefix = `${kind}/`;
    return [...this.#logs.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .sort();
  }

  async listWithoutLog(): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return [];
  }

  async listUsers(): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    const withNotes = this.#notes().map(([userId]) => userId);
    return [...new Set([...this.#changes.keys(), ...withNotes])].sort();
  }

  async removeUser(userId: string): Promise<boolean> {
    this.#refuseWhenClosed();
    this.#removals++;
    return this.#changes.delete(userId);
  }

  async listNotes(userId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return this.#notes()
      .filter(([owner]) => owner === userId)
      .map(([, agentId]) => agentId)
      .sort();
  }

  /** Whose, and of which agent. */
  #notes(): readonly (readonly [string, string])[] {
    const prefix = 'notes/';
    const keys = [...this.#logs.keys()].filter((key) => key.startsWith(prefix));
    return keys.map((key) => JSON.parse(key.slice(prefix.length)) as [string, string]);
  }

  async listOfUser(userId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    const exists = (id: string): boolean => this.#logs.has(logKey({ kind: 'session', id }));
    return [...new Set(this.#changes.get(userId))].filter(exists).sort();
  }

  async adoptSessions(): Promise<readonly string[]> {
    // Nobody can put anything there by hand.
    return [];
  }

  async changesOfUser(userId: string, since?: ChangeMark): Promise<UserChanges> {
    this.#refuseWhenClosed();
    const changes = this.#changes.get(userId) ?? [];
    const generation = String(this.#removals);
    // A mark from before a user was removed says nothing of what came after.
    const from = since?.generation === generation ? Math.max(0, since.offset - 1) : 0;
    const sessionIds = [...new Set(changes.slice(from))].sort();
    return { sessionIds, mark: { generation, offset: changes.length, lastId: changes.at(-1) ?? '' } };
  }

  /** What is in memory needs no index on a disk. */
  indexFiles(): undefined {
    return undefined;
  }

  vectorFiles(): undefined {
    return undefined;
  }

  async size(address?: LogAddress): Promise<LogSize> {
    if (address !== undefined) return this.#open(address).size();
    let total = 0;
    for await (const { bytes } of this.scan()) total += bytes.length;
    return { log: total, index: 0, tombstones: 0, total };
  }

  async readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined> {
    this.#refuseWhenClosed();
    if (owner === undefined) return this.#documents.get(name);
    const log = this.#logs.get(logKey(owner));
    return name === TOMBSTONE_DOCUMENT ? log?.tombstoneText() : log?.documents.get(name);
  }

  async writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string,
    { life, generation }: DocumentOptions = {},
  ): Promise<boolean> {
    this.#refuseWhenClosed();
    const log = owner === undefined ? undefined : this.#open(owner, life);
    if (log !== undefined && (generation ?? log.generation) !== log.generation) return false;
    (log?.documents ?? this.#documents).set(name, text);
    return true;
  }

  async exchangeDocument(
    owner: LogAddress | undefined,
    name: string,
    expected: string | undefined,
    text: string,
  ): Promise<boolean> {
    this.#refuseWhenClosed();
    const documents = owner === undefined ? this.#documents : this.#open(owner).documents;
    if (documents.get(name) !== expected) return false;
    documents.set(name, text);
    return true;
  }

  async removeDocument(owner: LogAddress, name: string): Promise<boolean> {
    return this.#open(owner).documents.delete(name);
  }

  async writeBlob(
    sessionId: string,
    name: string,
    chunks: ByteChunks,
    { life }: LifeOptions = {},
  ): Promise<number> {
    checkBlobName(name);
    this.#open(sessionOf(sessionId), life);
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
    // Looked up again: the session may have gone while the chunks came in.
    const { blobs } = this.#open(sessionOf(sessionId), life);
    if (blobs.has(name)) throw blobExists(name);
    const bytes = Buffer.concat(parts);
    blobs.set(name, bytes);
    return bytes.length;
  }

  async openBlob(sessionId: string, name: string): Promise<OpenBlob | undefined> {
    const bytes = this.#blobs(sessionId)?.get(name);
    if (bytes === undefined) return undefined;
    return {
      size: bytes.length,
      read: async (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)),
      close: () => undefined,
    };
  }

  async removeBlob(sessionId: string, name: string): Promise<boolean> {
    return this.#blobs(sessionId)?.delete(name) ?? false;
  }

  async listBlobs(sessionId: string): Promise<readonly string[]> {
    return [...(this.#blobs(sessionId)?.keys() ?? [])].sort();
  }

  #blobs(sessionId: string): Map<string, Uint8Array> | undefined {
    this.#refuseWhenClosed();
    return this.#logs.get(logKey(sessionOf(sessionId)))?.blobs;
  }

  async *scan(): AsyncGenerator<StoredBytes> {
    this.#refuseWhenClosed();
    const whole = (place: string, bytes: Uint8Array): StoredBytes => ({ place, offset: 0, bytes });
    for (const [name, text] of this.#documents) yield whole(name, Buffer.from(text));
    for (const [userId, ids] of this.#changes) yield whole(`changes/${userId}`, Buffer.from(ids.join('\n')));
    for (const [key, log] of this.#logs) {
      yield whole(key, log.bytes);
      yield whole(`${key}/${TOMBSTONE_DOCUMENT}`, Buffer.from(log.tombstoneText() ?? ''));
      for (const [name, text] of log.documents) yield whole(`${key}/${name}`, Buffer.from(text));
      for (const [name, bytes] of log.blobs) yield whole(`${key}/${name}`, bytes);
    }
  }

  async claim(name: string): Promise<(() => void) | undefined> {
    if (this.#claims.has(name)) return undefined;
    this.#claims.add(name);
    return () => void this.#claims.delete(name);
  }

  placeOf(address: LogAddress): string {
    return describeLog(address);
  }

  pendingWrites(): number {
    return 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** @param life that it must be in, when one is named */
  #open(address: LogAddress, life?: string): MemoryLog {
    this.#refuseWhenClosed();
    const log = this.#logs.get(logKey(address));
    if (log !== undefined && (life ?? log.life) === log.life) return log;
    throw logNotFound(address);
  }

  #noteChange(userId: string, id: string): void {
    const changes = this.#changes.get(userId) ?? [];
    if (changes.at(-1) !== id) changes.push(id);
    this.#changes.set(userId, changes);
  }

  /** Readers see another generation, and look at every session that they know. */
  #dropChange(userId: string, id: string): void {
    const changes = this.#changes.get(userId);
    if (!changes?.includes(id)) return;
    this.#removals++;
    const others = changes.filter((each) => each !== id);
    this.#changes.set(userId, others);
  }

  #nextGeneration(): string {
    return String(++this.#generations);
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The store is closed.');
  }
}

function isPartOfSession({ kind }: LogAddress): boolean {
  return kind === 'transcript' || kind === 'details';
}

function sessionOf(id: string): LogAddress {
  return { kind: 'session', id };
}
