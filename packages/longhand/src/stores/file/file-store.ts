import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConcurrencyError, IOError, ValidationError } from '../../core/errors.ts';
import type { EventListener } from '../../core/events.ts';
import { decodeFileName, encodeFileName } from '../../core/ids.ts';
import { encodeLine, type LogLine } from '../../core/line.ts';
import {
  type Appended,
  type AppendOptions,
  type Durability,
  describeLog,
  type LinePlace,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  type LogStore,
  type ReadOptions,
  type RewritePlan,
  type Rewritten,
} from '../../core/store.ts';
import { appendWhole } from './append-whole.ts';
import { ChangeFile, makeFolder } from './change-file.ts';
import { toLonghandError } from './failures.ts';
import {
  createNodeFileSystem,
  type FileSystem,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_WRONLY,
  systemErrorCode,
} from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { LOCK_ANCHOR, type LockTimes } from './lock.ts';
import { FileLog } from './log.ts';
import { LOG_FILE } from './log-file.ts';
import { LogWriter } from './log-writer.ts';
import { readText, removeIfThere, replaceFile } from './side-files.ts';
import { prepareRoot } from './storage-root.ts';

/**
 * Logs as folders of plain files:
 *
 *     sessions/{session_id}/memory.jsonl     the log, and beside it what is made from it
 *     agents/{agent_id}/memory.jsonl
 *     users/{user_id}/changes                which of the user's sessions have news
 *
 * Folders appear and disappear whole, by renaming: a log is never seen without its first records, nor half
 * removed. The byte-level format is docs/file-format.md.
 */

export interface FileStoreOptions {
  readonly root: string;
  readonly emit?: EventListener;
  readonly clock?: Clock;
  /** Default `buffered`. */
  readonly durability?: Durability;
  /** How long written bytes may wait for their sync in `buffered`. Default 1000. */
  readonly syncIntervalMs?: number;
  /** Default 5000, 3 and 100. */
  readonly lockTimes?: LockTimes;
  /** Default true. */
  readonly checksums?: boolean;
  /** Default false: locks and appends do not hold between machines. */
  readonly allowNetworkFileSystem?: boolean;
  /** For tests: the system's own by default. */
  readonly fileSystem?: FileSystem;
}

interface OpenLog {
  readonly log: FileLog;
  readonly writer: LogWriter;
}

const FOLDERS = { session: 'sessions', agent: 'agents' } as const;
const HIDDEN = /^\./;
const SINGLE_PROCESS_FILE = '.single-process';
/** Open logs cost two descriptors each; the ones used longest ago are closed beyond this. */
const MAX_OPEN_LOGS = 128;
/** A draft is written within milliseconds. */
const DRAFT_LIFE_MS = 3_600_000;
export const DEFAULT_LOCK_TIMES: LockTimes = { lockTimeoutMs: 5_000, maxRetries: 3, retryBackoffMs: 100 };

export class FileStore implements LogStore {
  readonly name = 'file';
  readonly root: string;
  readonly #options: Required<Omit<FileStoreOptions, 'root' | 'allowNetworkFileSystem'>>;
  readonly #fileSystem: FileSystem;
  readonly #logs = new Map<string, OpenLog>();
  readonly #changes = new Map<string, ChangeFile>();
  #ownsSingleProcessFile = false;
  #isClosed = false;

  /** @throws IOError STORAGE_ROOT_UNUSABLE, ConcurrencyError SINGLE_PROCESS_STORE */
  constructor(options: FileStoreOptions) {
    this.root = resolve(options.root);
    const loaded = options.fileSystem === undefined ? loadKernelLocks() : undefined;
    this.#fileSystem = options.fileSystem ?? createNodeFileSystem(loaded!.locks);
    this.#options = {
      emit: options.emit ?? (() => undefined),
      clock: options.clock ?? systemClock,
      durability: options.durability ?? 'buffered',
      syncIntervalMs: options.syncIntervalMs ?? 1_000,
      lockTimes: options.lockTimes ?? DEFAULT_LOCK_TIMES,
      checksums: options.checksums ?? true,
      fileSystem: this.#fileSystem,
    };
    prepareRoot(this.#fileSystem, this.root, {
      allowNetworkFileSystem: options.allowNetworkFileSystem ?? false,
    });
    if (loaded?.singleProcess) this.#claimForOneProcess();
    for (const folder of Object.values(FOLDERS)) this.#sweep(join(this.root, folder));
  }

  async create(log: LogAddress, bodies: readonly string[], options: AppendOptions = {}): Promise<Appended> {
    this.#refuseWhenClosed();
    const target = this.#folderOf(log);
    const draft = join(this.root, FOLDERS[log.kind], `.new-${randomUUID()}`);
    const text = bodies.map((body, i) => encodeLine(body, i + 1, this.#options.checksums)).join('');
    const bytes = Buffer.from(text);
    try {
      await this.#writeDraft(draft, bytes);
      // Noted first: a session that is named but not there is nothing, one that is there must be named.
      if (options.userId !== undefined) this.#changesOf(options.userId).note(log.id);
      this.#fileSystem.rename(draft, target);
      await this.#fileSystem.syncDirectory(join(this.root, FOLDERS[log.kind]));
    } catch (error) {
      this.#removeFolder(draft);
      if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) {
        throw new ValidationError('SESSION_EXISTS', `There is a ${describeLog(log)} already.`, {
          cause: error,
        });
      }
      throw toLonghandError(error, log, 'create');
    }
    return { firstSeq: 1, lastSeq: bodies.length, sizeBytes: bytes.length };
  }

  async append(log: LogAddress, bodies: readonly string[], options: AppendOptions = {}): Promise<Appended> {
    return this.#open(log).writer.append(bodies, options);
  }

  async transact(
    log: LogAddress,
    after: LogPosition | undefined,
    decide: (slice: LogSlice) => readonly string[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    return this.#open(log).writer.transact(after, decide, options);
  }

  async read(log: LogAddress, after?: LogPosition, options: ReadOptions = {}): Promise<LogSlice> {
    return this.#open(log).log.read(after, options);
  }

  isCurrent(log: LogAddress, position: LogPosition): boolean {
    return this.#open(log).log.isCurrent(position);
  }

  async readLine(log: LogAddress, place: LinePlace, position: LogPosition): Promise<LogLine | undefined> {
    return this.#open(log).log.readLine(place, position);
  }

  async rewrite(log: LogAddress, decide: (slice: LogSlice) => RewritePlan): Promise<Rewritten> {
    return this.#open(log).log.rewrite(decide);
  }

  async remove(log: LogAddress): Promise<boolean> {
    this.#refuseWhenClosed();
    const parent = join(this.root, FOLDERS[log.kind]);
    if (this.#fileSystem.stat(this.#folderOf(log)) === undefined) return false;
    const removed = join(parent, `.removed-${randomUUID()}`);
    const open = this.#open(log);
    await open.log.whileHolding('remove', async () => {
      this.#fileSystem.rename(this.#folderOf(log), removed);
      await this.#fileSystem.syncDirectory(parent);
    });
    await this.#letGo(log);
    this.#removeFolder(removed);
    return true;
  }

  async list(kind: LogAddress['kind']): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    const parent = join(this.root, FOLDERS[kind]);
    const names = this.#fileSystem.list(parent).filter((name) => !HIDDEN.test(name));
    return names.map((name) => (kind === 'agent' ? decodeFileName(name) : name)).sort();
  }

  async listOfUser(userId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    const exists = (id: string): boolean =>
      this.#fileSystem.stat(join(this.#folderOf({ kind: 'session', id }), LOG_FILE)) !== undefined;
    return this.#changesOf(userId).sessionIds().filter(exists);
  }

  async size(log: LogAddress): Promise<LogSize> {
    return this.#open(log).log.size();
  }

  async readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined> {
    this.#refuseWhenClosed();
    try {
      return readText(this.#fileSystem, join(owner === undefined ? this.root : this.#folderOf(owner), name));
    } catch (error) {
      throw toLonghandError(error, owner ?? ROOT, `read ${name} of`);
    }
  }

  async writeDocument(owner: LogAddress | undefined, name: string, text: string): Promise<void> {
    this.#refuseWhenClosed();
    const folder = owner === undefined ? this.root : this.#folderOf(owner);
    const write = (): Promise<void> =>
      replaceFile(
        this.#fileSystem,
        join(folder, name),
        [Buffer.from(text)],
        this.#options.durability !== 'buffered',
      );
    try {
      // Under the lock, where a temporary file cannot be taken for one that a dead process left.
      await (owner === undefined ? write() : this.#open(owner).log.whileHolding('rewrite', write));
    } catch (error) {
      throw toLonghandError(error, owner ?? ROOT, `write ${name} of`);
    }
  }

  pendingWrites(log: LogAddress): number {
    return this.#logs.get(keyOf(log))?.writer.pendingRecords ?? 0;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { log, writer } of this.#logs.values()) {
      await writer.close();
      log.close();
    }
    this.#logs.clear();
    for (const changes of this.#changes.values()) changes.close();
    this.#changes.clear();
    if (this.#ownsSingleProcessFile) removeIfThere(this.#fileSystem, join(this.root, SINGLE_PROCESS_FILE));
  }

  #open(address: LogAddress): OpenLog {
    this.#refuseWhenClosed();
    const key = keyOf(address);
    const present = this.#logs.get(key);
    if (present !== undefined) {
      // Most recently used last.
      if (this.#logs.size > 1) {
        this.#logs.delete(key);
        this.#logs.set(key, present);
      }
      return present;
    }
    const { clock, emit, lockTimes: times, checksums, durability, syncIntervalMs } = this.#options;
    const fileSystem = this.#fileSystem;
    const log = new FileLog({ fileSystem, clock, emit, times, checksums }, address, this.#folderOf(address));
    const changesOf = (userId: string): ChangeFile => this.#changesOf(userId);
    const writer = new LogWriter(
      { fileSystem, emit, times, checksums, durability, syncIntervalMs, changesOf },
      log,
    );
    const opened = { log, writer };
    this.#logs.set(key, opened);
    this.#closeLongestUnused();
    return opened;
  }

  #closeLongestUnused(): void {
    for (const [key, { log, writer }] of this.#logs) {
      if (this.#logs.size <= MAX_OPEN_LOGS) return;
      if (!writer.isIdle || !log.tryTurn()) continue;
      this.#logs.delete(key);
      log.close();
    }
  }

  async #letGo(address: LogAddress): Promise<void> {
    const open = this.#logs.get(keyOf(address));
    this.#logs.delete(keyOf(address));
    await open?.writer.close();
    open?.log.close();
  }

  #changesOf(userId: string): ChangeFile {
    let changes = this.#changes.get(userId);
    if (changes === undefined) {
      changes = new ChangeFile(this.#fileSystem, this.root, userId);
      this.#changes.set(userId, changes);
    }
    return changes;
  }

  #folderOf(log: LogAddress): string {
    return join(this.root, FOLDERS[log.kind], log.kind === 'agent' ? encodeFileName(log.id) : log.id);
  }

  async #writeDraft(folder: string, bytes: Buffer): Promise<void> {
    makeFolder(this.#fileSystem, folder);
    const anchor = this.#fileSystem.open(join(folder, LOCK_ANCHOR), O_WRONLY | O_CREAT | O_EXCL, 0o600);
    this.#fileSystem.close(anchor);
    const fd = this.#fileSystem.open(join(folder, LOG_FILE), O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600);
    try {
      this.#fileSystem.setMode(fd, 0o600);
      appendWhole(this.#fileSystem, fd, 0, bytes);
      await this.#fileSystem.sync(fd);
    } finally {
      this.#fileSystem.close(fd);
    }
    await this.#fileSystem.syncDirectory(folder);
  }

  /** Finishes what a killed process began: removed folders go, drafts too once nobody can be writing them. */
  #sweep(parent: string): void {
    for (const name of this.#fileSystem.list(parent).filter((entry) => HIDDEN.test(entry))) {
      const path = join(parent, name);
      const ageMs = this.#options.clock.now() - (this.#fileSystem.stat(path)?.birthtimeMs ?? 0);
      if (name.startsWith('.removed-') || (name.startsWith('.new-') && ageMs > DRAFT_LIFE_MS))
        this.#removeFolder(path);
    }
  }

  /** Leaves what it cannot remove: such folders are hidden, and only cost their room. */
  #removeFolder(path: string): void {
    try {
      for (const name of this.#fileSystem.list(path)) {
        const inside = join(path, name);
        if (this.#fileSystem.stat(inside)?.kind === 'directory') this.#removeFolder(inside);
        else removeIfThere(this.#fileSystem, inside);
      }
      this.#fileSystem.removeDirectory(path);
    } catch (error) {
      const reason = systemErrorCode(error) ?? String(error);
      if (reason !== 'ENOENT')
        this.#options.emit({ kind: 'io-failed', log: path, operation: 'remove', reason });
    }
  }

  #claimForOneProcess(): void {
    const path = join(this.root, SINGLE_PROCESS_FILE);
    try {
      const fd = this.#fileSystem.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
      this.#fileSystem.write(fd, Buffer.from(`${process.pid}\n`));
      this.#fileSystem.close(fd);
      this.#ownsSingleProcessFile = true;
    } catch (error) {
      throw new ConcurrencyError(
        'SINGLE_PROCESS_STORE',
        `No kernel locks are available here, so only one process may use ${this.root}, and process ` +
          `${readText(this.#fileSystem, path)?.trim()} does. If it is gone, remove ${path}; or install koffi.`,
        { cause: error },
      );
    }
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The store is closed.');
  }
}

const ROOT: LogAddress = { kind: 'session', id: '(root)' };

function keyOf(log: LogAddress): string {
  return `${log.kind}/${log.id}`;
}
