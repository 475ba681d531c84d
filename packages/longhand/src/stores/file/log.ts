import { basename, dirname, join } from 'node:path';
import type { LogLine } from '../../core/line.ts';
import { rehearseRewrite } from '../../core/rewritten-lines.ts';
import {
  type DecideRewrite,
  describeLog,
  isMeant,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  logNotFound,
  type Rewritten,
  type WantedLog,
} from '../../core/store.ts';
import { guarded, guardedAsync, NeverInPlace, notOurs, reasonOf } from './failures.ts';
import { type FileSystem, OpenFileLook } from './file-system.ts';
import { FileLock, LOCK_ANCHOR, type LockContext } from './lock.ts';
import type { Operation } from './lock-view.ts';
import { type DurableLog, LogDurability } from './log-durability.ts';
import { isAsRead, LogFile } from './log-file.ts';
import { MEMORY_FILE } from './log-paths.ts';
import { readQuarantine } from './quarantine.ts';
import { findLost, linesAfter, linesToPutBack } from './rescue.ts';
import { removeLeftovers, replaceLog } from './rewrite.ts';
import { INDEX_FILE, readText, TOMBSTONE_FILE } from './sidecar-files.ts';
import type { Syncer } from './syncer.ts';
import { tightenAll } from './tighten.ts';

/** A process that has not written for this long finds its code and the files gone from the processor's caches. */
const RESTED_MS = 5;
/** A folder that others remove and make again gets a new anchor each time; a hundred times in a row is a fault. */
const MAX_ANCHORS = 100;

interface FileLogContext extends Omit<LockContext, 'logName'> {
  readonly checksums: boolean;
}

/**
 * One log in its folder: the open file, the lock, reading and rewriting. Appending is in `log-writer.ts`,
 * which works through the turn, `tryLock`, `waitForLock` and `unlock`; how it comes to the disk is in
 * `log-durability.ts`.
 *
 * The holder of the log has the turn in this process and the kernel's lock among processes, and has made
 * sure that the path still leads to the file that is open here: another process may have put a new log in
 * its place, or removed the folder and made another of the same name.
 */
export class FileLog implements DurableLog {
  readonly #context: FileLogContext;
  readonly #turn = new Turn();
  readonly #anchorPath: string;
  readonly #sizes: LogSizes;
  readonly #look: OpenFileLook;
  readonly address: LogAddress;
  readonly folder: string;
  readonly path: string;
  readonly name: string;
  readonly syncer: Syncer;
  readonly #durability: LogDurability;
  #lock: FileLock;
  #file: LogFile;
  #sizeWhenLocked = 0;
  /** When this process last set out to append, or had the lock after a wait for it. */
  #lastTriedMs = Number.NEGATIVE_INFINITY;
  #hasRecovered = false;
  /** Whether a look ahead, a moment ago, found the anchor in its place and nothing left behind. */
  #isInOrder = false;

  /** @throws NotFoundError SESSION_NOT_FOUND, IOError UNSAFE_PATH */
  constructor(context: FileLogContext, address: LogAddress, path: string) {
    this.#context = context;
    this.address = address;
    this.folder = dirname(path);
    this.path = path;
    this.#anchorPath = join(this.folder, LOCK_ANCHOR);
    this.#sizes = new LogSizes(context.fileSystem, path);
    this.#look = new OpenFileLook(context.fileSystem, path, context.clock);
    this.name = describeLog(address);
    this.#file = guarded(this.address, 'open', () => this.#openFile(false));
    try {
      this.#lock = guarded(this.address, 'open', () => this.#openLock());
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.#durability = new LogDurability(this, context.fileSystem, context.emit);
    this.syncer = this.#durability.syncer;
  }

  get file(): LogFile {
    return this.#file;
  }

  /** Why nothing can be written, when nothing can. */
  get readOnlyCause(): unknown {
    return this.#durability.readOnlyCause;
  }

  /** `undefined` when the log is in another incarnation than the wanted one. */
  read(wanted: WantedLog): LogSlice | undefined {
    return guarded(this.address, 'read', () => {
      // Places are of the file that the position is in, also when another one has taken its place a moment ago: the
      // caller has looked at the log before. Lines out of it cost no further look.
      const isFollowed = wanted.places === undefined || wanted.after?.generation !== this.#file.generation;
      if (isFollowed) this.#followPath();
      const file = this.#file;
      if (!isMeant(wanted.log, file.incarnation)) return undefined;
      const slice = file.answer(wanted);
      if (!wanted.aside) return slice;
      return { ...slice, aside: readQuarantine(this.#context.fileSystem, this.path) };
    });
  }

  isCurrent(log: LogAddress, position: LogPosition, mayLag: boolean): boolean {
    return guarded(this.address, 'look at', () => {
      const { generation, fd, inode, incarnation } = this.#file;
      if (position.generation !== generation) return false;
      if (!isMeant(log, incarnation)) return false;
      const status = mayLag ? this.#look.statusOf(fd, inode) : this.#context.fileSystem.stat(this.path);
      return status?.inode === inode && isAsRead(status, position, this.#context.clock);
    });
  }

  /** System errors come out as they are: a writer tells them apart. */
  size(): LogSize {
    return this.#sizes.measure();
  }

  /** The same right after the lock was taken, when the log has just been looked at. */
  sizeWhenLocked(limitBytes: number | undefined): LogSize {
    return this.#sizes.around(this.#sizeWhenLocked, limitBytes);
  }

  /** The list of deletions has grown. */
  forgetKnownSize(): void {
    this.#sizes.forget();
  }

  async rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    // `decide` must see what a failed sync took. And what is on the disk is never put back into the new file: a person
    // may have edited the old one, and what was forgotten must not return.
    if (this.syncer.isUnsynced) await this.syncer.whenSynced();
    const work = async (): Promise<Rewritten> => {
      const sizeBefore = guarded(this.address, 'read', () => this.size());
      const slice = guarded(this.address, 'read', () => this.#file.read(undefined, { check: 'full' }));
      const plan = decide(
        guarded(this.address, 'read', () => this.#withTornTail(slice)),
        guarded(this.address, 'read', () => readQuarantine(this.#context.fileSystem, this.path)),
      );
      const { fileSystem, checksums } = this.#context;
      if (plan.dryRun) {
        const listed = readText(fileSystem, join(this.folder, TOMBSTONE_FILE)) ?? '';
        const rehearsal = rehearseRewrite(plan, slice, sizeBefore, listed, checksums);
        return { sizeBefore, sizeAfter: sizeBefore, rehearsal };
      }
      const { generation, lastSeq } = slice.position;
      await guardedAsync(this.address, 'rewrite', async () => {
        await replaceLog(fileSystem, this.path, generation, plan, lastSeq, checksums);
        await this.#durability.bringFolderToDisk(this.#file);
        // No other process writes, unless a person removed the anchor and a process still uses the lock of that one.
        const late = linesAfter(fileSystem, this.#file.fd, slice.position.at + slice.unfinishedBytes);
        this.adoptNewFile(true);
        if (late.length > 0) this.#keepLate(late);
      });
      return { sizeBefore, sizeAfter: guarded(this.address, 'read', () => this.size()) };
    };
    return this.whileHolding('rewrite', work, log);
  }

  /** While holding the lock: no process is writing, so an unfinished line stays so, and is damage like any other. */
  #withTornTail(slice: LogSlice): LogSlice {
    if (slice.unfinishedBytes === 0) return slice;
    const line = this.#file.tornLine(slice);
    return { ...slice, damage: [...slice.damage, { kind: 'torn', line }], unfinishedBytes: 0 };
  }

  /**
   * Runs work while no other process, and nothing else in this one, can write to the log. What the work
   * throws comes out as it is.
   * @param log the address of the caller @throws NotFoundError SESSION_NOT_FOUND when it means another incarnation
   */
  async whileHolding<Result>(
    operation: Operation,
    work: () => Promise<Result>,
    log = this.address,
  ): Promise<Result> {
    await this.#turn.take();
    try {
      await guardedAsync(this.address, 'lock', async () => {
        if (!(this.#lock.tryAcquire() && this.#settleIn('wary'))) await this.waitForLock();
      });
      try {
        this.#recover(true);
        if (!isMeant(log, this.#file.incarnation)) throw logNotFound(this.address);
        this.#lock.noteHolder(operation);
        this.#lock.showView(operation);
        return await work();
      } finally {
        this.forgetKnownSize();
        this.#lock.hideView();
        this.#lock.release();
      }
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

  /**
   * Without the lock, and only after a rest: looks at the files that the writer needs. Then they are in the
   * processor's caches, and the hold, which others may wait for, is a fraction as long. What is found in order need
   * not be looked at again under the lock. Tells the number that the next line is likely to get.
   */
  lookAhead(): number | undefined {
    const { clock, fileSystem } = this.#context;
    const nowMs = clock.monotonic();
    const hasRested = nowMs - this.#lastTriedMs >= RESTED_MS;
    this.#lastTriedMs = nowMs;
    if (!hasRested) return undefined;
    try {
      const isAnchored = fileSystem.stat(this.#anchorPath)?.inode === this.#lock.anchorInode;
      this.#isInOrder = isAnchored && this.#lock.findAbandonedView() === undefined;
      const status = fileSystem.stat(this.path);
      return status?.inode === this.#file.inode ? this.#file.guessNextSeq(status.size) : undefined;
    } catch {
      // What fails here fails under the lock too, where it is reported.
      return undefined;
    }
  }

  /** With the turn, and right after `lookAhead`: takes the lock if it is free this instant. */
  tryLock(): boolean {
    const isInOrder = this.#isInOrder;
    this.#isInOrder = false;
    return this.#lock.tryAcquire(this.#lastTriedMs) && this.#settleIn(isInOrder ? 'trusting' : 'careful');
  }

  /** With the turn: waits for the lock. @throws ConcurrencyError LOCK_TIMEOUT, NeverInPlace */
  async waitForLock(): Promise<void> {
    for (let tries = 1; ; tries++) {
      await this.#lock.acquire();
      if (this.#settleIn('wary')) break;
      if (tries === MAX_ANCHORS) throw new NeverInPlace(LOCK_ANCHOR, tries);
    }
    // Waiting is no rest.
    this.#lastTriedMs = this.#context.clock.monotonic();
  }

  unlock(): void {
    this.#lock.release();
  }

  /** While holding the lock: lets those who wait know for whom, where the kernel does not tell them. */
  noteHolder(): void {
    this.#lock.noteHolder('append');
  }

  /** The same for people, around an append that takes a while. */
  showView(): void {
    this.#lock.showView('append');
  }

  hideView(): void {
    this.#lock.hideView();
  }

  /** After a failed sync, nothing is written to this file any more. Tries once to rewrite the log. */
  leaveReadOnly(): Promise<void> {
    return this.#durability.leaveReadOnly();
  }

  close(): void {
    this.#file.close();
    this.#lock.close();
  }

  /**
   * First thing under the lock. False when it turned out to be the lock of a folder, or of an anchor, that is gone.
   * @param care `wary` looks at everything, `careful` only when something has changed since this process last wrote,
   * `trusting` only when the file is another one
   */
  #settleIn(care: 'wary' | 'careful' | 'trusting'): boolean {
    try {
      const isSameFile = this.#followPath();
      if (this.syncer.lost.length > 0) this.#putBackLost();
      if (isSameFile && this.#hasRecovered && care !== 'wary') {
        if (care === 'trusting' || this.#file.isAsLeft(this.#sizeWhenLocked)) return true;
      }
      const anchor = this.#context.fileSystem.stat(this.#anchorPath);
      if (anchor?.inode !== this.#lock.anchorInode) {
        const lock = this.#openLock();
        this.#lock.release();
        this.#lock.close();
        this.#lock = lock;
        this.#hasRecovered = false;
        return false;
      }
      this.#recover(!isSameFile || !this.#hasRecovered);
      return true;
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  /**
   * Clears what a process that died under the lock left behind. It disturbs no reader, so a failure here can wait.
   * @param isThorough also when no such process has left its name
   */
  #recover(isThorough: boolean): void {
    try {
      const abandoned = this.#lock.findAbandonedView();
      if (!isThorough && abandoned === undefined) return;
      removeLeftovers(this.#context.fileSystem, this.folder);
      if (!this.#hasRecovered) tightenAll(this.#context.fileSystem, this.folder, this.#context.emit);
      if (abandoned !== undefined) {
        this.#lock.hideView();
        this.#context.emit({ kind: 'lock-taken-over', log: this.name, from_pid: abandoned.pid });
      }
      this.#hasRecovered = true;
    } catch (error) {
      const reason = reasonOf(error);
      this.#context.emit({ kind: 'io-failed', log: this.name, operation: 'recover', reason });
    }
  }

  /** Opens the log again when the path leads elsewhere by now. Whether it still led to the same file. */
  #followPath(): boolean {
    const status = this.#context.fileSystem.stat(this.path);
    if (status === undefined) throw logNotFound(this.address);
    this.#sizeWhenLocked = status.size;
    if (status.inode === this.#file.inode) return true;
    this.adoptNewFile(false);
    return false;
  }

  /**
   * Goes on with the file that is in place now.
   *
   * The process that put it there had the lock, and brought to the disk what this process had written until then: all
   * that the old file had not lost to a failed sync.
   */
  adoptNewFile(isEntryOnDisk: boolean): void {
    const old = this.#file;
    this.#file = this.#openFile(isEntryOnDisk);
    let lost: readonly LogLine[] = [];
    try {
      // A new incarnation of the folder holds another log, which has nothing to do with this one's lines.
      if (this.#file.incarnation === old.incarnation)
        lost = findLost(this.#context.fileSystem, old.fd, this.syncer.unsynced);
      else this.syncer.forgetLost();
    } catch (error) {
      this.#file.close();
      this.#file = old;
      throw error;
    }
    this.syncer.forget(lost);
    this.forgetKnownSize();
    if (lost.length > 0) this.syncer.syncSoon();
    const close = (): void => old.close();
    // A sync in a thread must not find another file under its number.
    if (this.syncer.running === undefined) close();
    else this.syncer.running.then(close, close);
  }

  /** Under the lock: brings the lines that a failed sync took back into the file that is in place by now. */
  #putBackLost(): void {
    const { lines } = this.#file.read(undefined, { check: 'full' });
    const tail = this.#file.tail(this.#sizeWhenLocked);
    const { bytes, lastSeq } = linesToPutBack(lines, this.syncer.lost, tail.lastSeq, this.#context.checksums);
    if (bytes.length > 0) {
      const whole = tail.tornBytes > 0 ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes;
      this.#file.append(whole, tail, lastSeq);
      this.syncer.wrote(whole, tail.size);
      this.#sizeWhenLocked += whole.length;
    }
    this.syncer.forgetLost();
    this.#context.emit({ kind: 'log-rescued', log: this.name });
  }

  /** While holding the lock: lines that came into the old file while the new one was made. */
  #keepLate(late: readonly LogLine[]): void {
    this.syncer.forget(late);
    this.#followPath();
    this.#putBackLost();
    this.syncer.syncSoon();
  }

  #openFile(isEntryOnDisk: boolean): LogFile {
    return new LogFile(this.#context, this.path, isEntryOnDisk);
  }

  #openLock(): FileLock {
    return new FileLock(this.folder, { ...this.#context, logName: this.name });
  }
}

/** Looking at two files costs as much as writing a line. */
const MAX_USES_OF_KNOWN_SIZE = 32;
/** From here on the limit is kept to the byte. */
const NEAR_THE_LIMIT = 0.8;

/** How much a log takes on the disk with what lies beside it. */
class LogSizes {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  #known: LogSize | undefined;
  #usesOfKnown = 0;

  /** @param path of the log's file */
  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.#path = path;
  }

  measure(): LogSize {
    return this.#measureAround(this.#sizeOf(basename(this.#path)));
  }

  /**
   * With a log whose size is known. The files beside it are looked at again when the limit is near, and now and
   * then: what another process wrote beside the log may go unnoticed for a few writes.
   */
  around(log: number, limitBytes: number | undefined): LogSize {
    const known = this.#known;
    if (known !== undefined && this.#usesOfKnown++ < MAX_USES_OF_KNOWN_SIZE) {
      const total = log + known.index + known.tombstones;
      if (limitBytes === undefined || total < limitBytes * NEAR_THE_LIMIT) {
        return { log, index: known.index, tombstones: known.tombstones, total };
      }
    }
    this.#usesOfKnown = 0;
    this.#known = this.#measureAround(log);
    return this.#known;
  }

  /** Something beside the log has changed, or another log is in its place. */
  forget(): void {
    this.#known = undefined;
  }

  #measureAround(log: number): LogSize {
    // What lies beside it belongs to the log that gave the folder its name.
    const isMain = basename(this.#path) === MEMORY_FILE;
    const index = isMain ? this.#sizeOf(INDEX_FILE) : 0;
    const tombstones = isMain ? this.#sizeOf(TOMBSTONE_FILE) : 0;
    return { log, index, tombstones, total: log + index + tombstones };
  }

  #sizeOf(name: string): number {
    const status = this.#fileSystem.stat(join(dirname(this.#path), name));
    if (status !== undefined && status.kind !== 'file') throw notOurs(name);
    return status?.size ?? 0;
  }
}

/** Lets one piece of work at a time through, first come, first served. */
class Turn {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  tryTake(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  take(): Promise<void> {
    if (this.tryTake()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
