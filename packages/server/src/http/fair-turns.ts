/**
 * Requests are answered in the order in which they came. Left alone, an event loop takes all requests that have come
 * in, answers them one after the other, and only then looks again: a request that comes in meanwhile waits for all of
 * those and, since the next look finds it last, for all others once more. So a few are answered at a time, and between
 * them the loop looks for new requests and puts them at the end of the queue.
 */
export class FairTurns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #looksSoon = false;

  /** @param atOnce how many are answered between two looks: few are fairer, many cost fewer looks */
  constructor(atOnce = 8) {
    this.#atOnce = atOnce;
    this.#free = atOnce;
  }

  /** Resolves when it is the caller's turn; `undefined` when it is already. */
  next(): Promise<void> | undefined {
    if (!this.#looksSoon) {
      this.#looksSoon = true;
      setImmediate(() => this.#begin());
    }
    if (this.#free > 0 && this.#waiting.length === 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    const released = this.#waiting.splice(0, this.#atOnce);
    this.#free = this.#atOnce - released.length;
    this.#looksSoon = this.#waiting.length > 0 || released.length > 0;
    if (this.#looksSoon) setImmediate(() => this.#begin());
    for (const release of released) release();
  }
}
