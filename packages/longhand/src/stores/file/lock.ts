import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { ConcurrencyError } from '../../core/errors.ts';
import type { EventListener } from '../../core/events.ts';
import {
  type FileSystem,
  O_CREAT,
  O_RDONLY,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  systemErrorCode,
} from './file-system.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { removeIfThere, TEMPORARY_ENDING } from './side-files.ts';

/**
 * The exclusive lock of one log.
 *
 * The kernel holds it, on byte 0 of the anchor `.lock.k`, a file that is made once and never renamed or
 * removed while its log lives: removing it would let two processes lock two different files. Byte 1 is a
 * turnstile: whoever wants byte 0 passes through byte 1 first, so those who wait are served in turn and a
 * busy process cannot overtake them for ever.
 *
 * People read two things. `lock` is a JSON file that stands there during long holds. The anchor itself
 * names the last holder, overwritten in place, which costs one small write and covers short holds. Neither
 * decides anything: a `lock` found while holding the kernel's lock was left by a process that died, and a
 * live process is never robbed, however long it takes.
 *
 * Waiting blocks a thread of the pool, of which Node has four: at most `MAX_BLOCKING_WAITS` waits block at
 * the same time, the others ask again every few milliseconds. A blocked wait cannot be called off; when its
 * caller gives up, the wait stays outstanding, and the next caller takes it over.
 */

const LOCK_BYTE = 0;
const TURNSTILE_BYTE = 1;
const MAX_BLOCKING_WAITS = 2;
const POLL_MIN_MS = 1;
const POLL_MAX_MS = 8;
/** The holder's line starts behind the two lock bytes. */
const HOLDER_OFFSET = 2;
const HOLDER_BYTES = 256;

export const LOCK_VIEW = 'lock';
export const LOCK_ANCHOR = '.lock.k';

export type Operation = 'append' | 'rewrite' | 'remove' | 'recover';

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
  readonly emit: EventListener;
  readonly times: LockTimes;
  /** For messages. */
  readonly logName: string;
}

/** What `lock` says, in the fields that the requirement names, and four that survive pid reuse. */
interface LockView {
  readonly pid: number;
  readonly timestamp: string;
  readonly operation: Operation;
  readonly expires_at: string;
  readonly host: string;
  readonly boot_id: string;
  readonly start_ticks: number;
}

let blockingWaits = 0;

export class FileLock {
  readonly #context: LockContext;
  readonly #viewPath: string;
  readonly #identity: ProcessIdentity = ownIdentity();
  readonly #anchor: number;
  readonly anchorInode: number;
  /** Waits in a thread that nobody has taken up yet, by byte. */
  readonly #outstanding = new Map<number, Promise<void>>();
  #wroteHolder = false;
  #isClosed = false;

  /** Opens the anchor, and makes it when a person copied the folder without it. */
  constructor(folder: string, context: LockContext) {
    this.#context = context;
    this.#viewPath = join(folder, LOCK_VIEW);
    const { fileSystem } = context;
    this.#anchor = fileSystem.open(join(folder, LOCK_ANCHOR), O_RDWR | O_CREAT, 0o600);
    this.anchorInode = fileSystem.fstat(this.#anchor).inode;
  }

  /** Takes the lock if it is free this instant. The fast path: no promise, no thread. */
  tryAcquire(operation: Operation): boolean {
    const { fileSystem } = this.#context;
    // An outstanding wait may be granted at any moment, and would then be given back under our feet.
    if (this.#outstanding.size > 0) return false;
    if (!fileSystem.tryLock(this.#anchor, TURNSTILE_BYTE)) return false;
    const isFree = fileSystem.tryLock(this.#anchor, LOCK_BYTE);
    fileSystem.unlock(this.#anchor, TURNSTILE_BYTE);
    if (isFree) this.#noteHolder(operation);
    return isFree;
  }

  /**
   * Waits for the lock.
   * @throws ConcurrencyError LOCK_TIMEOUT after all tries, naming the holder
   */
  async acquire(operation: Operation): Promise<void> {
    const { clock, emit, times, logName } = this.#context;
    const startedAt = clock.monotonic();
    for (let attempt = 0; attempt <= times.maxRetries; attempt++) {
      if (attempt > 0) await sleep(times.retryBackoffMs * 2 ** (attempt - 1));
      const deadline = clock.monotonic() + times.lockTimeoutMs;
      if (!(await this.#take(TURNSTILE_BYTE, deadline))) continue;
      const isTaken = await this.#take(LOCK_BYTE, deadline);
      this.#context.fileSystem.unlock(this.#anchor, TURNSTILE_BYTE);
      if (!isTaken) continue;
      this.#noteHolder(operation);
      emit({ kind: 'lock-waited', log: logName, waited_ms: clock.monotonic() - startedAt });
      return;
    }
    const holder = this.#describeHolder();
    emit({ kind: 'lock-timeout', log: logName, holder });
    throw new ConcurrencyError(
      'LOCK_TIMEOUT',
      `Could not lock ${logName} within ${times.maxRetries + 1} tries of ${times.lockTimeoutMs} ms: ${holder}. ` +
        'Try again, or stop that process.',
      { details: { holder, log: logName } },
    );
  }

  release(): void {
    this.#context.fileSystem.unlock(this.#anchor, LOCK_BYTE);
  }

  /** Shows people who holds the lock for a while. Only while holding it, and never worth a failure. */
  showView(operation: Operation): void {
    const { clock, times } = this.#context;
    const now = clock.now();
    const view: LockView = {
      pid: this.#identity.pid,
      timestamp: new Date(now).toISOString(),
      operation,
      expires_at: new Date(now + times.lockTimeoutMs).toISOString(),
      host: this.#identity.host,
      boot_id: this.#identity.bootId,
      start_ticks: this.#identity.startTicks,
    };
    this.#tolerate('show lock', () => this.#writeView(`${JSON.stringify(view)}\n`));
  }

  hideView(): void {
    this.#tolerate('hide lock', () => removeIfThere(this.#context.fileSystem, this.#viewPath));
  }

  #writeView(text: string): void {
    const { fileSystem } = this.#context;
    const temporary = `${this.#viewPath}${TEMPORARY_ENDING}`;
    const fd = fileSystem.open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o644);
    try {
      // Whatever the umask: other users of the machine may see who holds the lock.
      fileSystem.setMode(fd, 0o644);
      fileSystem.write(fd, Buffer.from(text));
    } finally {
      fileSystem.close(fd);
    }
    fileSystem.rename(temporary, this.#viewPath);
  }

  #tolerate(operation: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      const reason = systemErrorCode(error) ?? String(error);
      this.#context.emit({ kind: 'io-failed', log: this.#context.logName, operation, reason });
    }
  }

  /**
   * The process that left a `lock` behind, when there is one. Only while holding the kernel's lock, which
   * proves that it no longer holds anything.
   */
  findAbandonedView(): { readonly pid: number | undefined } | undefined {
    if (this.#context.fileSystem.stat(this.#viewPath) === undefined) return undefined;
    return { pid: this.#readView()?.pid };
  }

  /** Lets go of the anchor, at once or when an outstanding wait has been granted. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#outstanding.size === 0) this.#context.fileSystem.close(this.#anchor);
  }

  async #take(byte: number, deadline: number): Promise<boolean> {
    const { fileSystem, clock } = this.#context;
    const outstanding = this.#outstanding.get(byte);
    if (outstanding === undefined && fileSystem.tryLock(this.#anchor, byte)) return true;
    if (outstanding === undefined && blockingWaits >= MAX_BLOCKING_WAITS) return this.#poll(byte, deadline);

    const wait = outstanding ?? this.#startWait(byte);
    const isGranted = await beforeDeadline(wait, deadline - clock.monotonic());
    if (isGranted) this.#outstanding.delete(byte);
    return isGranted;
  }

  #startWait(byte: number): Promise<void> {
    const { fileSystem } = this.#context;
    blockingWaits++;
    const wait = fileSystem.waitForLock(this.#anchor, byte).finally(() => {
      blockingWaits--;
    });
    this.#outstanding.set(byte, wait);
    void wait.then(
      () => setImmediate(() => this.#giveBackUnclaimed(byte, wait)),
      () => this.#outstanding.delete(byte),
    );
    return wait;
  }

  /** A wait was granted that nobody waits for any more: everybody gave up in the meantime. */
  #giveBackUnclaimed(byte: number, wait: Promise<void>): void {
    if (this.#outstanding.get(byte) !== wait) return;
    this.#outstanding.delete(byte);
    this.#context.fileSystem.unlock(this.#anchor, byte);
    if (this.#isClosed) this.#context.fileSystem.close(this.#anchor);
  }

  async #poll(byte: number, deadline: number): Promise<boolean> {
    const { fileSystem, clock } = this.#context;
    for (let pause = POLL_MIN_MS; clock.monotonic() < deadline; pause = Math.min(POLL_MAX_MS, pause * 2)) {
      await sleep(pause);
      if (fileSystem.tryLock(this.#anchor, byte)) return true;
    }
    return false;
  }

  /** Names this process in the anchor, once: whoever takes the lock next writes over it. */
  #noteHolder(operation: Operation): void {
    if (this.#wroteHolder && operation === 'append') return;
    const { pid, startTicks, bootId, host } = this.#identity;
    const line = JSON.stringify({ pid, start_ticks: startTicks, boot_id: bootId, host, operation });
    this.#context.fileSystem.write(
      this.#anchor,
      Buffer.from(line.padEnd(HOLDER_BYTES - 1).concat('\n')),
      HOLDER_OFFSET,
    );
    this.#wroteHolder = operation === 'append';
  }

  /** Another process held the lock in between, so the anchor names that one now. */
  forgetHolder(): void {
    this.#wroteHolder = false;
  }

  #describeHolder(): string {
    const view = this.#readView();
    if (view !== undefined && isAlive(identityOf(view))) {
      return `process ${view.pid} on ${view.host} holds it for ${view.operation} since ${view.timestamp}`;
    }
    const bytes = Buffer.alloc(HOLDER_BYTES);
    const length = this.#context.fileSystem.read(this.#anchor, bytes, HOLDER_OFFSET);
    const holder = parseObject(bytes.subarray(0, length).toString('utf8'));
    return holder === undefined
      ? 'its holder is unknown'
      : `process ${holder.pid} on ${holder.host} held it last, for ${holder.operation}`;
  }

  #readView(): LockView | undefined {
    const { fileSystem } = this.#context;
    try {
      const fd = fileSystem.open(this.#viewPath, O_RDONLY);
      try {
        const bytes = Buffer.alloc(4096);
        return parseObject(bytes.subarray(0, fileSystem.read(fd, bytes, 0)).toString('utf8')) as
          | LockView
          | undefined;
      } finally {
        fileSystem.close(fd);
      }
    } catch (error) {
      // Gone in the meantime, or not ours to read: there is nothing to show.
      if (systemErrorCode(error) !== undefined) return undefined;
      throw error;
    }
  }
}

function identityOf(view: LockView): ProcessIdentity {
  return { pid: view.pid, host: view.host, bootId: view.boot_id, startTicks: view.start_ticks };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Half written or damaged: as good as not there.
    return undefined;
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
