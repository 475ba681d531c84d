import { LonghandError } from '../../core/errors.ts';

const LOOK_INTERVAL_MS = 500;

/**
 * Notifies listeners of changes to a document of notes: at once of this process's, within about a second of those of
 * other processes and people. One timer per document, only while there are listeners, and it keeps no process alive.
 */
export class NotesWatch<Value> {
  readonly #look: () => Promise<unknown>;
  readonly #reportFailure: (error: unknown) => void;
  readonly #listeners = new Set<(value: Value) => void>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #hasFailed = false;

  /** @param look finds out what is new, and announces it */
  constructor(look: () => Promise<unknown>, reportFailure: (error: unknown) => void) {
    this.#look = look;
    this.#reportFailure = reportFailure;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns the function that ends it. */
  add(listener: (value: Value) => void): () => void {
    // Of its own, so that the same function can listen twice and leave once.
    const own = (value: Value): void => listener(value);
    this.#listeners.add(own);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#tick(), LOOK_INTERVAL_MS).unref();
      // What is there now is what the next look is compared with.
      void this.#tick();
    }
    return () => {
      this.#listeners.delete(own);
      if (this.isIdle) this.stop();
    };
  }

  announce(value: Value): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        // The listener's bug belongs to its owner: surface it as an uncaught error, outside of our work.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#look();
      this.#hasFailed = false;
    } catch (error) {
      if (LonghandError.isInstance(error) && error.code === 'STORE_CLOSED') this.stop();
      // Said once, not twice a second.
      else if (!this.#hasFailed) this.#reportFailure(error);
      this.#hasFailed = true;
    } finally {
      this.#isLooking = false;
    }
  }
}
