import type { FileSystem } from './file-system.ts';

/**
 * Brings written bytes to the disk, many writers at a time: whoever asks while a sync is running waits for
 * the next one, which then covers all of them.
 *
 * A failed sync is never tried again on the same file. The kernel may have thrown the pages away and would
 * call the second try a success. So the bytes are kept here until a sync has covered them, and when one
 * fails, `rescue` gets them, to write the log anew.
 */
export class Syncer {
  readonly #fileSystem: FileSystem;
  readonly #fd: () => number;
  readonly #rescue: (unsynced: readonly Buffer[], cause: unknown) => Promise<void>;
  #unsynced: Buffer[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  unsyncedBytes = 0;

  constructor(
    fileSystem: FileSystem,
    fd: () => number,
    rescue: (unsynced: readonly Buffer[], cause: unknown) => Promise<void>,
  ) {
    this.#fileSystem = fileSystem;
    this.#fd = fd;
    this.#rescue = rescue;
  }

  /** What no sync has covered yet, in the order it was written. */
  get unsynced(): readonly Buffer[] {
    return this.#unsynced;
  }

  wrote(bytes: Buffer): void {
    this.#unsynced.push(bytes);
    this.unsyncedBytes += bytes.length;
  }

  /** The log stands in a fresh file that has been synced. */
  forget(): void {
    this.#unsynced = [];
    this.unsyncedBytes = 0;
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
      // The rescue has told everybody who listens; nobody waits for this promise.
      this.whenSynced().catch(() => undefined);
    }, intervalMs);
    // What is written survives the end of the process; only a power cut could take it.
    this.#timer.unref();
  }

  /** Ends the timer; settles when no sync runs any more. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.allSettled([this.#running, this.#next]);
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #sync(): Promise<void> {
    const covered = this.#unsynced.length;
    try {
      await this.#fileSystem.sync(this.#fd());
    } catch (cause) {
      await this.#rescue(this.#unsynced, cause);
      return;
    }
    for (const bytes of this.#unsynced.splice(0, covered)) this.unsyncedBytes -= bytes.length;
  }
}
