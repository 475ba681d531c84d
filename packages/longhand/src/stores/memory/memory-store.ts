import { IOError, ValidationError } from '../../core/errors.ts';
import { encodeLine } from '../../core/line.ts';
import { rehearseRewrite, rewrittenLines } from '../../core/rewritten-lines.ts';
import {
  type Appended,
  type AppendOptions,
  type ByteChunks,
  blobExists,
  type ChangeMark,
  checkBlobName,
  type DecideRewrite,
  type DocumentOptions,
  describeLog,
  isMeant,
  isOfSession,
  type ListedKind,
  type LogAddress,
  type LogSize,
  type LogStore,
  logKey,
  logNotFound,
  mendedTombstones,
  type NamePage,
  type NewRecords,
  type OpenBlob,
  pageOfNames,
  type ReadAnswer,
  type Rewritten,
  type SessionAddress,
  type StoredBytes,
  sessionFull,
  sliceOfNoLog,
  toDecided,
  type UserAddress,
  type UserChanges,
  type WantedLog,
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
  /** Users and sessions that were removed so far. */
  #removals = 0;
  readonly #claims = new Set<string>();
  #generations = 0;
  #isClosed = false;

  look<Result>(_userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  async read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]> {
    return wanted.map((each) => this.#find(each.log)?.read(each));
  }

  async append(address: LogAddress, records: NewRecords, options: AppendOptions = {}): Promise<Appended> {
    const { create, after, maxBytes } = options;
    const present = this.#find(address);
    if (present !== undefined && create === 'new') {
      throw new ValidationError('SESSION_EXISTS', `There is a ${describeLog(address)} already.`);
    }
    if (present === undefined && create === undefined) throw logNotFound(address);
    const log = present ?? this.#newLog(address);
    const seen = () => (present === undefined ? sliceOfNoLog(log.incarnation) : log.decode(after, 'light'));
    const decided = toDecided(typeof records === 'function' ? records(seen()) : records, options.tombstones);
    const firstSeq = log.lastSeq + 1;
    const lines = decided.bodies.map((body, i) => encodeLine(body, firstSeq + i, true));
    const bytes = Buffer.from(lines.join(''));
    const size = log.size();
    if (maxBytes !== undefined && bytes.length > 0 && size.total + bytes.length > maxBytes) {
      throw sessionFull(address, size, bytes.length, maxBytes);
    }
    log.grow(bytes);
    log.lastSeq += lines.length;
    log.tombstones.push(...decided.tombstones);
    this.#logs.set(logKey(address), log);
    if (isOfSession(address) && address.userId !== undefined) this.#noteChange(address.userId, address.id);
    return { firstSeq, lastSeq: log.lastSeq, sizeBytes: log.size().total };
  }

  #newLog(address: LogAddress): MemoryLog {
    const generation = this.#nextGeneration();
    // A session that is new is of no incarnation that a caller could know.
    const isOfOther =
      isOfSession(address) && (address.kind !== 'session' || address.incarnation !== undefined);
    return new MemoryLog(generation, isOfOther ? this.#open(sessionOf(address)).incarnation : generation);
  }

  async rewrite(address: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    const log = this.#open(address);
    const sizeBefore = log.size();
    const slice = log.decode(undefined, 'full');
    const plan = decide(slice, log.aside);
    if (plan.dryRun) {
      const rehearsal = rehearseRewrite(plan, slice, sizeBefore, log.tombstoneText() ?? '', true);
      return { sizeBefore, sizeAfter: sizeBefore, rehearsal };
    }
    const lines = [...rewrittenLines(plan, slice.position.lastSeq, true)];
    log.replace(Buffer.concat(lines), this.#nextGeneration());
    log.lastSeq = log.decode(undefined, 'light').position.lastSeq;
    log.tombstones.splice(0, log.tombstones.length, ...mendedTombstones(log.tombstones, plan.tombstones));
    log.setAside(plan.quarantine ?? [], new Set(plan.forget));
    return { sizeBefore, sizeAfter: log.size() };
  }

  async remove(what: LogAddress | UserAddress): Promise<boolean> {
    this.#refuseWhenClosed();
    if (what.kind === 'user') {
      this.#removals++;
      return this.#changes.delete(what.id);
    }
    if (this.#find(what) === undefined) return false;
    if (what.kind === 'session') {
      if (what.userId !== undefined) this.#dropChange(what.userId, what.id);
      for (const kind of ['transcript', 'details'] as const) this.#logs.delete(logKey({ kind, id: what.id }));
    }
    return this.#logs.delete(logKey(what));
  }

  async list(kind: ListedKind, of?: string, page?: NamePage): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return pageOfNames([...new Set(this.#names(kind, of))].sort(), page);
  }

  #names(kind: ListedKind, of = ''): Iterable<string> {
    const keys = (prefix: string): string[] =>
      [...this.#logs.keys()].flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : []));
    const notes = (): [string, string][] => keys('notes/').map((key) => JSON.parse(key) as [string, string]);
    switch (kind) {
      case 'session':
        return of === ''
          ? keys('session/')
          : (this.#changes.get(of) ?? []).filter((id) => this.#find({ kind, id }));
      case 'agent':
        return keys('agent/');
      case 'user':
        return [...this.#changes.keys(), ...notes().map(([userId]) => userId)];
      case 'notes':
        return notes().flatMap(([userId, agentId]) => (userId === of ? agentId : []));
      case 'blob':
        return this.#find({ kind: 'session', id: of })?.blobs.keys() ?? [];
    }
  }

  async follow(userId: string, since?: ChangeMark): Promise<UserChanges> {
    this.#refuseWhenClosed();
    const changes = this.#changes.get(userId) ?? [];
    const generation = String(this.#removals);
    // A mark from before a removal says nothing of what came after.
    const from = since?.generation === generation ? Math.max(0, since.offset - 1) : 0;
    const sessionIds = [...new Set(changes.slice(from))].sort();
    return { sessionIds, mark: { generation, offset: changes.length, lastId: changes.at(-1) ?? '' } };
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
    const log = this.#find(owner);
    return name === TOMBSTONE_DOCUMENT ? log?.tombstoneText() : log?.documents.get(name);
  }

  async writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string | undefined,
    { generation, expected }: DocumentOptions = {},
  ): Promise<boolean> {
    this.#refuseWhenClosed();
    const log = owner === undefined ? undefined : this.#open(owner);
    const documents = log?.documents ?? this.#documents;
    if (generation !== undefined && log !== undefined && generation !== log.generation) return false;
    if (expected !== undefined && expected !== (documents.get(name) ?? null)) return false;
    if (text === undefined) return documents.delete(name);
    documents.set(name, text);
    return true;
  }

  async writeBlob(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    checkBlobName(name);
    this.#open(sessionOf(session));
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
    // Looked up again: the session may have gone while the chunks came in.
    const { blobs } = this.#open(sessionOf(session));
    if (blobs.has(name)) throw blobExists(name);
    const bytes = Buffer.concat(parts);
    blobs.set(name, bytes);
    return bytes.length;
  }

  async openBlob(session: SessionAddress, name: string): Promise<OpenBlob | undefined> {
    const bytes = this.#find(sessionOf(session))?.blobs.get(name);
    if (bytes === undefined) return undefined;
    return {
      size: bytes.length,
      read: async (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)),
      close: () => undefined,
    };
  }

  async removeBlobs(session: SessionAddress, names: readonly string[]): Promise<number> {
    const blobs = this.#find(sessionOf(session))?.blobs;
    return names.filter((name) => blobs?.delete(name)).length;
  }

  /** What is in memory needs no index on a disk. */
  async loadIndex(): Promise<undefined> {
    return undefined;
  }

  async publishIndex(): Promise<'unsupported'> {
    return 'unsupported';
  }

  async claim(name: string, userId?: string): Promise<(() => void) | undefined> {
    const key = JSON.stringify([name, userId]);
    if (this.#claims.has(key)) return undefined;
    this.#claims.add(key);
    return () => void this.#claims.delete(key);
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

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** The log in the incarnation that the address insists on, if any. */
  #find(address: LogAddress): MemoryLog | undefined {
    this.#refuseWhenClosed();
    const log = this.#logs.get(logKey(address));
    return log !== undefined && isMeant(address, log.incarnation) ? log : undefined;
  }

  #open(address: LogAddress): MemoryLog {
    const log = this.#find(address);
    if (log === undefined) throw logNotFound(address);
    return log;
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

function sessionOf({ id, incarnation }: SessionAddress): SessionAddress {
  return { kind: 'session', id, incarnation };
}
