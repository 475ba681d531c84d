import { join } from 'node:path';
import { IOError } from '../../core/errors.ts';
import type { LogLine } from '../../core/line.ts';
import {
  describeLog,
  type LinePlace,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  logNotFound,
  type ReadOptions,
  type RewritePlan,
  type Rewritten,
} from '../../core/store.ts';
import { toLonghandError } from './failures.ts';
import { FileLock, LOCK_ANCHOR, type LockContext, type Operation } from './lock.ts';
import { LOG_FILE, LogFile } from './log-file.ts';
import { removeLeftovers, replaceLog, rescueLog } from './rewrite.ts';
import { INDEX_FILE, TOMBSTONE_FILE } from './side-files.ts';
import { Syncer } from './syncer.ts';
import { Turn } from './turn.ts';

export interface FileLogContext extends Omit<LockContext, 'logName'> {
  readonly checksums: boolean;
}

/**
 * One log in its folder: the open file, the lock, reading and rewriting. Appending is in `log-writer.ts`,
 * which works through `tryHold`, `waitForHold` and `release`.
 *
 * Whoever holds the log has the turn in this process and the kernel's lock among processes, and has made
 * sure that the path still leads to the file that is open here: another process may have put a new log in
 * its place, or removed the folder and made another of the same name.
 */
export class FileLog {
  readonly #context: FileLogContext;
  readonly #folder: string;
  readonly #turn = new Turn();
  readonly address: LogAddress;
  readonly name: string;
  readonly syncer: Syncer;
  #lock: FileLock;
  #file: LogFile;
  #hasRecovered = false;
  #readOnlyCause: unknown;

  /** @throws NotFoundError SESSION_NOT_FOUND, IOError UNSAFE_PATH */
  constructor(context: FileLogContext, address: LogAddress, folder: string) {
    this.#context = context;
    this.#folder = folder;
    this.address = address;
    this.name = describeLog(address);
    const kind = context.fileSystem.stat(folder)?.kind;
    if (kind === undefined) throw logNotFound(address);
    if (kind !== 'directory') throw toLonghandError({ code: 'ENOTDIR' }, address, 'open');
    this.#file = this.#guarded('open', () => this.#openFile());
    try {
      this.#lock = this.#guarded('open', () => this.#openLock());
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.syncer = new Syncer(
      context.fileSystem,
      () => this.#file.fd,
      (unsynced, cause) => this.#rescue(unsynced, cause),
    );
  }

  get folder(): string {
    return this.#folder;
  }

  get file(): LogFile {
    return this.#file;
  }

  /** Why nothing can be written, when nothing can. */
  get readOnlyCause(): unknown {
    return this.#readOnlyCause;
  }

  read(after: LogPosition | undefined, options: ReadOptions): LogSlice {
    return this.#guarded('read', () => {
      this.#followPath();
      return this.#file.read(after, options);
    });
  }

  isCurrent(position: LogPosition): boolean {
    const status = this.#context.fileSystem.stat(join(this.#folder, LOG_FILE));
    return (
      status !== undefined &&
      status.inode === this.#file.inode &&
      position.generation === this.#file.generation &&
      position.offset === status.size
    );
  }

  readLine(place: LinePlace, position: LogPosition): LogLine | undefined {
    return this.#guarded('read', () => {
      this.#followPath();
      if (position.generation !== this.#file.generation) return undefined;
      return this.#file.readLine(place.offset, place.length, place.lineNumber);
    });
  }

  size(): LogSize {
    const sizeOf = (name: string): number =>
      this.#context.fileSystem.stat(join(this.#folder, name))?.size ?? 0;
    const log = sizeOf(LOG_FILE);
    const index = sizeOf(INDEX_FILE);
    const tombstones = sizeOf(TOMBSTONE_FILE);
    return { log, index, tombstones, total: log + index + tombstones };
  }

  rewrite(decide: (slice: LogSlice) => RewritePlan): Promise<Rewritten> {
    return this.whileHolding('rewrite', async () => {
      const sizeBefore = this.size();
      const slice = this.#file.read(undefined, { check: 'full' });
      const plan = decide(slice);
      if (plan.dryRun) return { sizeBefore, sizeAfter: sizeBefore };
      const { fileSystem, checksums } = this.#context;
      await replaceLog(fileSystem, this.#folder, this.#file, plan, slice.position.lastSeq, checksums);
      this.#adoptNewFile();
      return { sizeBefore, sizeAfter: this.size() };
    });
  }

  /** Runs work while no other process, and nothing else in this one, can write to the log. */
  async whileHolding<Result>(operation: Operation, work: () => Promise<Result>): Promise<Result> {
    await this.#turn.take();
    try {
      if (!this.tryLock(operation)) await this.waitForLock(operation);
      try {
        this.#lock.showView(operation);
        return await work();
      } finally {
        this.#lock.hideView();
        this.#lock.release();
      }
    } catch (error) {
      throw toLonghandError(error, this.address, operation);
    } finally {
      this.#turn.pass();
    }
  }

  tryTurn(): boolean {
    return this.#turn.tryTake();
  }

  takeTurn(): Promise<void> {
    return this.#turn.take();
  }

  passTurn(): void {
    this.#turn.pass();
  }

  /** With the turn: takes the lock if it is free this instant. */
  tryLock(operation: Operation): boolean {
    if (!this.#lock.tryAcquire(operation)) return false;
    return this.#settleIn();
  }

  /** With the turn: waits for the lock. @throws ConcurrencyError LOCK_TIMEOUT */
  async waitForLock(operation: Operation): Promise<void> {
    do await this.#lock.acquire(operation);
    while (!this.#settleIn());
  }

  unlock(): void {
    this.#lock.release();
  }

  /** After a failed sync, nothing is written to this file any more. Tries once to write the log anew. */
  async leaveReadOnly(): Promise<void> {
    if (this.#readOnlyCause !== undefined) await this.#rescue(this.syncer.unsynced, this.#readOnlyCause);
  }

  close(): void {
    this.#file.close();
    this.#lock.close();
  }

  /** First thing under the lock. False when it turned out to be the lock of a folder that is gone. */
  #settleIn(): boolean {
    try {
      const isSameFile = this.#followPath();
      if (isSameFile && this.#hasRecovered) return true;
      const anchor = this.#context.fileSystem.stat(join(this.#folder, LOCK_ANCHOR));
      if (anchor?.inode !== this.#lock.anchorInode) {
        this.#lock.release();
        this.#lock.close();
        this.#lock = this.#openLock();
        return false;
      }
      this.#recover();
      return true;
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  #recover(): void {
    const abandoned = this.#lock.findAbandonedView();
    removeLeftovers(this.#context.fileSystem, this.#folder);
    if (abandoned !== undefined) {
      this.#lock.hideView();
      this.#context.emit({ kind: 'lock-taken-over', log: this.name, from_pid: abandoned.pid });
    }
    this.#hasRecovered = true;
  }

  /** Opens the log again when the path leads elsewhere by now. Whether it still led to the same file. */
  #followPath(): boolean {
    const status = this.#context.fileSystem.stat(join(this.#folder, LOG_FILE));
    if (status === undefined) throw logNotFound(this.address);
    if (status.inode === this.#file.inode) return true;
    this.#adoptNewFile();
    return false;
  }

  #adoptNewFile(): void {
    const file = this.#openFile();
    this.#file.close();
    this.#file = file;
    this.syncer.forget();
    this.#readOnlyCause = undefined;
  }

  /** @throws IOError READ_ONLY when the log cannot be written anew either */
  async #rescue(unsynced: readonly Buffer[], cause: unknown): Promise<void> {
    const { fileSystem, emit } = this.#context;
    this.#readOnlyCause = cause;
    emit({ kind: 'log-read-only', log: this.name, reason: reasonOf(cause) });
    try {
      await this.whileHolding('recover', async () => {
        await rescueLog(fileSystem, this.#folder, this.#file, unsynced);
        this.#adoptNewFile();
      });
    } catch (error) {
      throw new IOError(
        'READ_ONLY',
        `${this.name} is read-only: the disk did not confirm a write (${reasonOf(cause)}), and the log could not be ` +
          'written anew. Check the disk; the next write tries again.',
        { cause: error, details: { log: this.name } },
      );
    }
    emit({ kind: 'log-rescued', log: this.name });
  }

  #openFile(): LogFile {
    return new LogFile(this.#context.fileSystem, this.#folder, this.#context.checksums);
  }

  #openLock(): FileLock {
    return new FileLock(this.#folder, { ...this.#context, logName: this.name });
  }

  #guarded<Result>(operation: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toLonghandError(error, this.address, operation);
    }
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : String(error);
}
