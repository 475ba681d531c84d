import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { ConcurrencyError } from '../../core/errors.ts';
import type { Emit, EventFacts } from '../../core/events.ts';
import { reasonOf } from './failures.ts';
import { type FileSystem, O_CREAT, O_RDWR, openPrivate } from './file-system.ts';
import type { LockPlace } from './lock-holders.ts';
import { type HolderDescription, LockView, type Operation } from './lock-view.ts';

/**
 * The exclusive lock of one log.
 *
 * The kernel holds it, on byte 0 of the anchor `.lock.k`, a file that is made once and never renamed or
 * removed while its log lives: removing it would let two processes lock two different files. Byte 1 is a
 * turnstile: a process that wants byte 0 passes through byte 1 first, so waiters are served in turn and a
 * busy process cannot overtake them for ever. One that has just passed through it may take byte 0 again without, for
 * a tenth of a millisecond: it writes one entry after the other, and every system call costs a twentieth of a write.
 *
 * A live process never loses its lock, however long it takes; a killed one releases it at once. What people see of
 * the lock is in `lock-view.ts`, how a process that gave up learns the holder in `lock-holders.ts`, and a `lock`
 * found while holding the kernel's lock was left by a process that died.
 *
 * A wait blocks in a thread of the pool: the system wakes it at once and in turn. The pool has four threads, so at
 * most `MAX_BLOCKING_WAITS` do so at the same time, and all others poll every few milliseconds. A blocked wait
 * cannot be cancelled: when its caller gives up, it stays outstanding, and the next caller takes it over. A process
 * that has given up and closed its store therefore exits only when the holder releases the lock; `process.exit()` ends
 * it at once. (Polling alone made ten busy processes slower, and some of them waited far longer.)
 *
 * How much a lock covers depends on the system (`LockUnit`): where it is whole files, the turnstile is a second file.
 *
 * One caller at a time: `FileLog` ensures that with its turn.
 */

export const LOCK_BYTE = 0;
const TURNSTILE_BYTE = 1;
const BOTH_BYTES = 2;
const MAX_BLOCKING_WAITS = 2;
/** How long those in line may be overtaken by a process that writes one entry after the other. */
const OVERTAKING_MS = 0.1;
const POLL_MIN_MS = 1;
const POLL_MAX_MS = 8;

export const LOCK_ANCHOR = '.lock.k';
/** Where locks are for whole files. */
const TURNSTILE_ANCHOR = '.lock.t';

export interface LockTimes {
  /** One try. */
  readonly lockTimeoutMs: number;
  /** Further tries after the first. */
  readonly maxRetries: number;
  /** Pause before the second try; doubles with each. */
  readonly retryBackoffMs: number;
}

export interface LockContext {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly times: LockTimes;
  /** For messages. */
  readonly logName: string;
}

let blockingWaits = 0;

export class FileLock {
  readonly #context: LockContext;
  readonly #folder: string;
  readonly #view: LockView;
  /** Made once: they come with every write. */
  readonly #acquired: EventFacts;
  readonly #released: EventFacts;
  #anchor!: number;
  #anchorInode = 0;
  #lock!: LockPlace;
  #turnstile: LockPlace | undefined;
  /** Whether lock and turnstile can be taken together, and released one by one. */
  #isOneRange = false;
  #lastInLineMs = Number.NEGATIVE_INFINITY;
  /** Waits in a thread that no caller has taken over yet. */
  readonly #outstanding = new Map<LockPlace, Promise<void>>();
  #isOpen = false;
  #isClosed = false;

  /** Opens the anchor, and makes it when a person copied the folder without it. */
  constructor(folder: string, context: LockContext) {
    this.#context = context;
    this.#folder = folder;
    this.#view = new LockView(context.fileSystem, folder);
    this.#acquired = { kind: 'lock-acquired', log: context.logName };
    this.#released = { kind: 'lock-released', log: context.logName };
    this.#openAnchor();
  }

  get anchorInode(): number {
    return this.#anchorInode;
  }

  /**
   * Takes the lock if it is free this instant. The fast path: no promise, no thread.
   * @param nowMs for a hold of microseconds, on the monotonic clock: it may overtake those in line when this process
   * was in line itself a moment ago. Without it, no waiter is overtaken
   */
  tryAcquire(nowMs?: number): boolean {
    const isTaken = this.#tryNow(nowMs);
    if (isTaken) this.#context.emit(this.#acquired);
    return isTaken;
  }

  #tryNow(nowMs: number | undefined): boolean {
    const { fileSystem } = this.#context;
    // An outstanding wait may be granted at any moment, and would then be given back under our feet.
    if (this.#outstanding.size > 0) return false;
    const turnstile = this.#turnstile ?? this.#openTurnstile();
    if (this.#isOneRange) {
      if (nowMs !== undefined && nowMs - this.#lastInLineMs < OVERTAKING_MS)
        return fileSystem.tryLock(this.#anchor, LOCK_BYTE);
      // Both bytes at once: a waiter holds or wants the turnstile, so no waiter is overtaken. Then the
      // turnstile is free for the next in line, which must be standing in it when this hold ends.
      if (!fileSystem.tryLock(this.#anchor, LOCK_BYTE, BOTH_BYTES)) return false;
      fileSystem.unlock(this.#anchor, TURNSTILE_BYTE);
      if (nowMs !== undefined) this.#lastInLineMs = nowMs;
      return true;
    }
    if (!fileSystem.tryLock(turnstile.fd, turnstile.byte)) return false;
    try {
      return fileSystem.tryLock(this.#anchor, LOCK_BYTE);
    } finally {
      fileSystem.unlock(turnstile.fd, turnstile.byte);
    }
  }

  /**
   * Waits for the lock.
   * @throws ConcurrencyError LOCK_TIMEOUT after all tries, naming the holder where it can be seen
   */
  async acquire(): Promise<void> {
    const { clock, emit, times, logName } = this.#context;
    const startedAt = clock.monotonic();
    for (let attempt = 0; attempt <= times.maxRetries; attempt++) {
      if (attempt > 0) await sleep(times.retryBackoffMs * 2 ** (attempt - 1));
      if (!(await this.#tryUntil(clock.monotonic() + times.lockTimeoutMs))) continue;
      emit({ kind: 'lock-waited', log: logName, waited_ms: clock.monotonic() - startedAt });
      emit(this.#acquired);
      return;
    }
    const { words: holder, isHolder } = await this.#describeHolder();
    emit({ kind: 'lock-timeout', log: logName, holder });
    throw new ConcurrencyError(
      'LOCK_TIMEOUT',
      `Lock timeout: could not lock ${logName} within ${times.maxRetries + 1} tries of ${times.lockTimeoutMs} ms: ${holder}. ` +
        `Try again${isHolder ? ', or stop that process' : ''}.`,
      { details: { holder, log: logName } },
    );
  }

  release(): void {
    const { fileSystem, emit, logName } = this.#context;
    try {
      fileSystem.unlock(this.#anchor, LOCK_BYTE);
    } catch (error) {
      // Closing releases it in any case. The next acquisition opens the anchor again, if there is one still.
      emit({ kind: 'io-failed', log: logName, operation: 'unlock', reason: reasonOf(error) });
      // What was done under the lock is done: the caller that waits for the answer must get it.
      this.#tolerate('unlock', () => this.#closeFiles());
    }
    emit(this.#released);
  }

  #openAnchor(): void {
    const { fd, status } = openPrivate(
      this.#context.fileSystem,
      join(this.#folder, LOCK_ANCHOR),
      O_RDWR | O_CREAT,
    );
    this.#anchor = fd;
    this.#anchorInode = status.inode;
    this.#lock = { fd, byte: LOCK_BYTE };
    this.#isOpen = true;
  }

  #openTurnstile(): LockPlace {
    const { fileSystem } = this.#context;
    if (!this.#isOpen) this.#openAnchor();
    const unit = fileSystem.lockUnit();
    this.#isOneRange = unit === 'range';
    this.#turnstile =
      unit === 'file'
        ? {
            ...this.#lock,
            fd: openPrivate(fileSystem, join(this.#folder, TURNSTILE_ANCHOR), O_RDWR | O_CREAT).fd,
          }
        : { fd: this.#anchor, byte: TURNSTILE_BYTE };
    return this.#turnstile;
  }

  /** Leaves this process's name for those who wait, where the kernel does not tell them. Never worth a failure. */
  noteHolder(operation: Operation): void {
    if (this.#context.fileSystem.showsHolder(this.#anchor)) return;
    this.#tolerate('note the lock holder', () => this.#view.noteHolder(this.#anchor, operation));
  }

  showView(operation: Operation): void {
    const { clock, times } = this.#context;
    this.#tolerate('show the lock', () => this.#view.show(operation, clock, times.lockTimeoutMs));
  }

  hideView(): void {
    this.#tolerate('hide the lock', () => this.#view.hide());
  }

  /** The process that left a `lock` behind, when there is one. Only while holding the lock. */
  findAbandonedView(): { readonly pid: number | undefined } | undefined {
    return this.#view.findAbandoned();
  }

  /**
   * No process may hold the lock and still none get it: the first in line was stopped before it could take it.
   */
  async #describeHolder(): Promise<HolderDescription> {
    const places = [this.#lock, this.#turnstile!];
    const [pid, firstInLine] = await this.#context.fileSystem.holdersOf(places);
    return this.#view.describeHolder(this.#anchor, pid, firstInLine);
  }

  /** Closes the anchor, at once or when the last outstanding wait is over. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeWhenUnused();
  }

  async #tryUntil(deadline: number): Promise<boolean> {
    const turnstile = this.#turnstile ?? this.#openTurnstile();
    if (!(await this.#take(turnstile, deadline))) return false;
    try {
      return await this.#take(this.#lock, deadline);
    } finally {
      this.#context.fileSystem.unlock(turnstile.fd, turnstile.byte);
    }
  }

  async #take(place: LockPlace, deadline: number): Promise<boolean> {
    const { fileSystem, clock } = this.#context;
    const outstanding = this.#outstanding.get(place);
    if (outstanding === undefined) {
      if (fileSystem.tryLock(place.fd, place.byte)) return true;
      if (!this.#mayBlock()) return this.#poll(place, deadline);
    }
    const wait = outstanding ?? this.#startWait(place);
    const isGranted = await beforeDeadline(wait, deadline - clock.monotonic());
    if (isGranted) this.#outstanding.delete(place);
    return isGranted;
  }

  /** Not where two bytes cannot be locked at once: how blocked threads behave there is not tested. */
  #mayBlock(): boolean {
    return this.#isOneRange && blockingWaits < MAX_BLOCKING_WAITS;
  }

  #startWait(place: LockPlace): Promise<void> {
    blockingWaits++;
    const wait = this.#context.fileSystem.waitForLock(place.fd, place.byte).finally(() => {
      blockingWaits--;
    });
    this.#outstanding.set(place, wait);
    void wait.then(
      () => setImmediate(() => this.#giveBackUnclaimed(place, wait)),
      () => {
        this.#outstanding.delete(place);
        this.#closeWhenUnused();
      },
    );
    return wait;
  }

  /** A wait was granted after all its callers had given up. */
  #giveBackUnclaimed(place: LockPlace, wait: Promise<void>): void {
    if (this.#outstanding.get(place) !== wait) return;
    this.#outstanding.delete(place);
    this.#context.fileSystem.unlock(place.fd, place.byte);
    this.#closeWhenUnused();
  }

  #closeWhenUnused(): void {
    if (this.#isClosed && this.#outstanding.size === 0) this.#closeFiles();
  }

  #closeFiles(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { fileSystem } = this.#context;
    const turnstile = this.#turnstile?.fd ?? this.#anchor;
    this.#turnstile = undefined;
    if (turnstile !== this.#anchor) fileSystem.close(turnstile);
    fileSystem.close(this.#anchor);
  }

  async #poll({ fd, byte }: LockPlace, deadline: number): Promise<boolean> {
    const { fileSystem, clock } = this.#context;
    for (let pause = POLL_MIN_MS; clock.monotonic() < deadline; pause = Math.min(POLL_MAX_MS, pause * 2)) {
      await sleep(pause);
      if (fileSystem.tryLock(fd, byte)) return true;
    }
    return false;
  }

  #tolerate(operation: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      const { emit, logName } = this.#context;
      emit({ kind: 'io-failed', log: logName, operation, reason: reasonOf(error) });
    }
  }
}

/** Whether the promise settles in time; the timer does not outlive the question. */
function beforeDeadline(promise: Promise<void>, remainingMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), Math.max(0, remainingMs));
    promise.then(
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
