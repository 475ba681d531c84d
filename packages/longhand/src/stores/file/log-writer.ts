import { IOError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { encodeLines } from '../../core/line.ts';
import type { Appended, AppendOptions, Durability, LogAddress, NewRecords } from '../../core/store.ts';
import { isOfSession } from '../../core/store.ts';
import { Batch, type BatchTarget, type Written } from './batch.ts';
import type { ChangeFile } from './change-file.ts';
import { ChangeNotes } from './change-notes.ts';
import { isFull, mayPass, reasonOf, toLonghandError } from './failures.ts';
import type { FileSystem } from './file-system.ts';
import type { LockTimes } from './lock.ts';
import type { FileLog } from './log.ts';
import { appendTombstones } from './sidecar-files.ts';
import { WriteQueue, type WriteRequest } from './write-queue.ts';

/**
 * Appending to a log.
 *
 * A request joins the queue; when the code that is running has come to its end, everything that waits is
 * taken together. Under the lock the writer learns the last sequence number from the file's last bytes, encodes,
 * writes once and releases it; then it notes the session in its user's change file, and acknowledges. Nothing that
 * others wrote is read.
 *
 * There are two kinds of failure. A full disk or a final refusal goes back to the callers after a few tries, with
 * the file as it was. A temporary failure leaves the requests in the queue, unacknowledged; an event reports it, and
 * they are retried until they are stored or the store is closed.
 */

/** Requests are joined into writes of at most this: the largest that no kill was seen to tear. */
const MAX_WRITE_CHARACTERS = 1_000_000;
/** What may wait in memory while the disk fails. Beyond it, callers are refused at once. */
const MAX_PENDING_CHARACTERS = 16_000_000;
/** Bytes kept for a rescue until a sync covers them; more than this brings the sync forward. */
const MAX_UNSYNCED_BYTES = 8_388_608;
/** More than this takes about 2 ms to write: long enough to show people who holds the lock. */
const LONG_HOLD_CHARACTERS = 250_000;
const MAX_RETRY_PAUSE_MS = 5_000;
/** Less than a millisecond of writing before timers and sockets get their turn. */
const MAX_WRITES_A_ROUND = 32;
const SETTLED = Promise.resolve();

interface LogWriterContext {
  readonly fileSystem: FileSystem;
  readonly emit: Emit;
  readonly times: LockTimes;
  readonly checksums: boolean;
  readonly durability: Durability;
  readonly syncIntervalMs: number;
  readonly changesOf: (userId: string) => ChangeFile;
}

export class LogWriter {
  readonly #context: LogWriterContext;
  readonly #log: FileLog;
  readonly #queue = new WriteQueue();
  readonly #notes: ChangeNotes;
  readonly #target: BatchTarget;
  #isScheduled = false;
  /** Of the event loop. */
  #writesThisRound = 0;
  /** Failed tries in a row. */
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(context: LogWriterContext, log: FileLog) {
    this.#context = context;
    this.#log = log;
    this.#notes = new ChangeNotes(
      (userId) => context.changesOf(userId).note(log.address.id),
      (reason) => context.emit({ kind: 'io-failed', log: log.name, operation: 'note', reason }),
      context.times.retryBackoffMs,
    );
    this.#target = {
      checksums: context.checksums,
      address: log.address,
      appendTombstones: (lines) => this.#appendTombstones(lines),
      onHealed: (tornBytes) => context.emit({ kind: 'tail-healed', log: log.name, torn_bytes: tornBytes }),
      onWrote: (bytes, offset) => log.syncer.wrote(bytes, offset),
    };
  }

  /** Records that are held in memory because the disk refuses them at the moment. */
  get pendingRecords(): number {
    return this.#failures > 0 ? this.#queue.records : 0;
  }

  /** Nothing waits, nothing is unsynced: the log can be closed now without harm to a caller. */
  get isIdle(): boolean {
    return this.#queue.isEmpty && !this.#isScheduled && this.#notes.isIdle && this.#log.syncer.isIdle;
  }

  /** Stores what waits and brings it to the disk. What the disk still refuses is rejected. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#log.takeTurn();
    let waiting = Number.POSITIVE_INFINITY;
    while (this.#queue.length > 0 && this.#queue.length < waiting) {
      waiting = this.#queue.length;
      await this.#writeNext();
    }
    clearTimeout(this.#retryTimer);
    this.#log.passTurn();
    this.#notes.close();
    const refused = this.#queue.takeAll();
    for (const request of refused) {
      request.reject(
        new IOError(
          'IO_FAILED',
          `${this.#log.name} was closed while the disk refused. The write was not stored.`,
        ),
      );
    }
    // A caller that waits for a sync gets its failure from that sync.
    if (this.#log.syncer.isUnsynced) await this.#log.syncer.whenSynced().catch(() => undefined);
    await this.#log.syncer.settle();
  }

  append(log: LogAddress, records: NewRecords, options: AppendOptions): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new IOError('STORE_CLOSED', 'The store is closed.'));
        return;
      }
      if (this.#failures > 0 && this.#queue.characters > MAX_PENDING_CHARACTERS) {
        reject(
          new IOError(
            'WRITE_BUFFER_FULL',
            `${this.#log.name} cannot be written at the moment, and ${this.#queue.length} writes wait already.`,
          ),
        );
        return;
      }
      const decide = typeof records === 'function' ? records : undefined;
      const bodies = typeof records === 'function' ? [] : records;
      this.#queue.push({ log, bodies, decide, options, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * After everything that is ready to run now, so that what is asked for together is written together. As a
   * microtask, because a round of the event loop costs as much as the write; but not many times in a row,
   * because a caller that adds one memory after the other would keep all others from running.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#queue.isEmpty || this.#retryTimer !== undefined) return;
    this.#isScheduled = true;
    if (this.#writesThisRound++ < MAX_WRITES_A_ROUND) {
      if (this.#writesThisRound === 1) setImmediate(() => this.#startRound());
      // `queueMicrotask` would do the same, with a resource for the hooks of `async_hooks` on top.
      void SETTLED.then(this.#write);
    } else {
      setImmediate(this.#write);
    }
  }

  #startRound(): void {
    this.#writesThisRound = 0;
  }

  readonly #write = (): void => {
    // Without a promise when the log is free, which is nearly always.
    if (this.#log.tryTurn()) {
      const waiting = this.#tryWrite() ? undefined : this.#writeNext();
      if (waiting === undefined) this.#finishTurn();
      else void waiting.finally(() => this.#finishTurn());
    } else {
      void this.#log
        .takeTurn()
        .then(() => this.#writeNext())
        .finally(() => this.#finishTurn());
    }
  };

  #finishTurn(): void {
    this.#isScheduled = false;
    this.#log.passTurn();
    this.#schedule();
  }

  /** Writes without waiting. False when the lock is not free this instant. */
  #tryWrite(): boolean {
    if (this.#log.readOnlyCause !== undefined) return false;
    this.#prepare();
    try {
      if (!this.#log.tryLock()) return false;
    } catch (error) {
      this.#onFailure(this.#takeBatch(), error);
      return true;
    }
    this.#writeAndUnlock();
    return true;
  }

  /** After a rest: what can be done before the lock is held. With the wrong number it is done again under it. */
  #prepare(): void {
    let seq = this.#log.lookAhead();
    if (seq === undefined || this.#queue.characters > LONG_HOLD_CHARACTERS) return;
    for (const request of this.#queue.waiting) {
      // What it will write, and the numbers of those behind it, is decided under the lock.
      if (request.decide !== undefined) return;
      const { bodies } = request;
      request.prepared = { firstSeq: seq, bytes: encodeLines(bodies, seq, this.#context.checksums) };
      seq += bodies.length;
    }
  }

  async #writeNext(): Promise<void> {
    if (this.#queue.isEmpty) return;
    try {
      if (this.#log.readOnlyCause !== undefined) await this.#leaveReadOnly();
      await this.#log.waitForLock();
    } catch (error) {
      this.#onFailure(this.#queue.takeAll(), error);
      return;
    }
    this.#writeAndUnlock();
  }

  /** The rescue needs the turn for itself. */
  async #leaveReadOnly(): Promise<void> {
    this.#log.passTurn();
    try {
      await this.#log.leaveReadOnly();
    } finally {
      await this.#log.takeTurn();
    }
  }

  #takeBatch(): WriteRequest[] {
    return this.#queue.take(
      this.#context.durability === 'strict' ? 1 : Number.POSITIVE_INFINITY,
      MAX_WRITE_CHARACTERS,
    );
  }

  /** Everything in here happens without a pause. */
  #writeAndUnlock(): void {
    const requests = this.#takeBatch();
    const { file } = this.#log;
    const isLong = this.#queue.charactersTaken > LONG_HOLD_CHARACTERS;
    let batch: Batch | undefined;
    let failure: unknown;
    try {
      const size = this.#log.sizeWhenLocked(smallestLimit(requests));
      if (!file.isAsLeft(size.log)) this.#log.noteHolder();
      if (isLong) this.#log.showView();
      batch = new Batch(this.#target, file, size);
      for (const request of requests) batch.add(request);
      batch.flush();
    } catch (error) {
      failure = error;
    }
    const written = batch?.written ?? [];
    if (isLong) this.#log.hideView();
    this.#log.unlock();
    // Without the lock, which others wait for, but before the callers learn that the write is done.
    if (written.length > 0) {
      this.#note(written);
      this.#onWritten(written);
    }
    if (failure !== undefined) this.#onFailure(batch?.unsettled(requests) ?? requests, failure);
  }

  #note(written: readonly Written[]): void {
    let noted: string | undefined;
    for (const { request } of written) {
      const { log } = request;
      // One session has one user: nearly always the same as the last.
      if (!isOfSession(log) || log.userId === undefined || log.userId === noted) continue;
      this.#notes.note(log.userId);
      noted = log.userId;
    }
  }

  /** The deletion itself is in the log already; a rewrite mends the list from there. */
  #appendTombstones(lines: readonly string[]): void {
    try {
      this.#log.forgetKnownSize();
      appendTombstones(this.#context.fileSystem, this.#log.folder, lines);
    } catch (error) {
      this.#emitFailure('list deletions', error);
    }
  }

  #onWritten(written: readonly Written[]): void {
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#context.emit({ kind: 'write-recovered', log: this.#log.name, records: written.length });
    }
    const { syncer } = this.#log;
    if (this.#context.durability === 'buffered') {
      for (const { request, appended } of written) request.resolve(appended);
      if (syncer.unsyncedBytes > MAX_UNSYNCED_BYTES) syncer.syncSoon();
      else syncer.syncLater(this.#context.syncIntervalMs);
      return;
    }
    syncer.whenSynced().then(
      () => {
        for (const { request, appended } of written) request.resolve(appended);
      },
      (error) => {
        for (const { request } of written) request.reject(error);
      },
    );
  }

  #onFailure(requests: readonly WriteRequest[], error: unknown): void {
    const { times, emit } = this.#context;
    this.#failures++;
    this.#emitFailure('append', error);
    const isWorthAnotherTry = mayPass(error) || (isFull(error) && this.#failures <= times.maxRetries);
    if (!isWorthAnotherTry) {
      this.#failures = 0;
      for (const request of requests) request.reject(toLonghandError(error, this.#log.address, 'append to'));
      return;
    }
    this.#queue.putBack(requests);
    if (this.#failures === times.maxRetries + 1) {
      emit({
        kind: 'write-pending',
        log: this.#log.name,
        records: this.#queue.records,
        reason: reasonOf(error),
      });
    }
    const pause = Math.min(MAX_RETRY_PAUSE_MS, times.retryBackoffMs * 2 ** (this.#failures - 1));
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#schedule();
    }, pause);
  }

  #emitFailure(operation: string, error: unknown): void {
    this.#context.emit({ kind: 'io-failed', log: this.#log.name, operation, reason: reasonOf(error) });
  }
}

/** The request with the smallest limit decides how exactly the size is measured. */
function smallestLimit(requests: readonly WriteRequest[]): number | undefined {
  let smallest: number | undefined;
  for (const { options } of requests) {
    const { maxBytes } = options;
    if (maxBytes !== undefined && (smallest === undefined || maxBytes < smallest)) smallest = maxBytes;
  }
  return smallest;
}
