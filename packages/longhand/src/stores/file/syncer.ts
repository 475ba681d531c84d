import type { LogLine } from '../../core/line.ts';

/**
 * Brings written bytes to the disk, many writers at a time: a writer that asks while a sync is running waits for
 * the next one, which then covers all of them.
 *
 * A failed sync is never retried on the same file. The kernel may have thrown the pages away and would
 * call the second try a success. So the bytes are kept here until a sync has covered them, and when one
 * fails, `rescue` rewrites the log with them. While that is not done, `bringToDisk` fails without asking the
 * system, so that every further sync is another try to rescue.
 *
 * When another process has put a new file in the log's place, what the old one had lost by then is `lost` from the
 * new one too: it is kept here until it is put back.
 */
export class Syncer {
  readonly #bringToDisk: () => Promise<void>;
  readonly #rescue: (cause: unknown) => Promise<void>;
  readonly #onSynced: (bytes: Buffer) => void;
  #unsynced: Unsynced = { parts: [], bytes: 0 };
  #lost: readonly LogLine[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onSynced gets what is kept here no longer, because it is on the disk */
  constructor(
    bringToDisk: () => Promise<void>,
    rescue: (cause: unknown) => Promise<void>,
    onSynced: (bytes: Buffer) => void,
  ) {
    this.#bringToDisk = bringToDisk;
    this.#rescue = rescue;
    this.#onSynced = onSynced;
  }

  /** What no sync has covered yet, in the order it was written. */
  get unsynced(): readonly UnsyncedPart[] {
    return this.#unsynced.parts;
  }

  /** Lines that were written, and that no file has any more. */
  get lost(): readonly LogLine[] {
    return this.#lost;
  }

  get isUnsynced(): boolean {
    return this.#unsynced.bytes > 0 || this.#lost.length > 0;
  }

  get unsyncedBytes(): number {
    return this.#unsynced.bytes;
  }

  /** Nothing is unsynced, and no timer or sync will use the file. */
  get isIdle(): boolean {
    return !this.isUnsynced && this.#running === undefined && this.#timer === undefined;
  }

  /** The sync under way: the file that it works on must stay open until it settles. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** @param offset where in the file */
  wrote(bytes: Buffer, offset: number): void {
    this.#unsynced.parts.push({ bytes, offset });
    this.#unsynced.bytes += bytes.length;
  }

  /** The log stands in a fresh file, which was synced with all of this in it but for the lines that are lost. */
  forget(lost: readonly LogLine[] = []): void {
    // A new list, not an emptied one: the sync under way goes on counting in the old one.
    this.#unsynced = { parts: [], bytes: 0 };
    if (lost.length > 0) this.#lost = [...this.#lost, ...lost];
  }

  /** What was lost is in the file again. */
  forgetLost(): void {
    this.#lost = [];
  }

  /** Settles when everything that was written before the call is on the disk. */
  whenSynced(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  /** Syncs within the interval, once for everything that is written until then. */
  syncLater(intervalMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isUnsynced) this.syncSoon();
    }, intervalMs);
    // What is written survives the end of the process; only a power cut could take it.
    this.#timer.unref();
  }

  syncSoon(): void {
    // The rescue reports a failure to its listeners; no caller waits for this promise.
    if (this.#next === undefined) this.whenSynced().catch(() => undefined);
  }

  /** Ends the timer; settles when no sync runs any more. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#running !== undefined) await Promise.allSettled([this.#running, this.#next]);
  }

  #start(): Promise<void> {
    this.#next = undefined;
    this.#running = this.#sync().finally(() => {
      // With another one waiting it stays, so that no third starts in between.
      if (this.#next === undefined) this.#running = undefined;
    });
    return this.#running;
  }

  async #sync(): Promise<void> {
    const unsynced = this.#unsynced;
    const covered = unsynced.parts.length;
    try {
      await this.#bringToDisk();
    } catch (cause) {
      await this.#rescue(cause);
      return;
    }
    for (const { bytes } of unsynced.parts.splice(0, covered)) {
      unsynced.bytes -= bytes.length;
      this.#onSynced(bytes);
    }
  }
}

/** One write. */
export interface UnsyncedPart {
  readonly bytes: Buffer;
  readonly offset: number;
}

interface Unsynced {
  readonly parts: UnsyncedPart[];
  bytes: number;
}
