import { MAX_TIMER_MS } from '../core/limits.ts';

/** Periodic work, one run after the other. It keeps no process alive, and nothing waits for it. */
export class Repeated {
  readonly #timers: readonly NodeJS.Timeout[];
  #running: Promise<void> = Promise.resolve();

  /**
   * @param work reports its own failures
   * @param firstMs when it is done for the first time; after the interval when left out
   */
  constructor(work: () => Promise<void>, intervalMs: number, firstMs?: number) {
    const run = (): void => {
      this.#running = this.#running.then(work);
    };
    const again = setInterval(run, Math.min(intervalMs, MAX_TIMER_MS)).unref();
    this.#timers = firstMs === undefined ? [again] : [again, setTimeout(run, firstMs).unref()];
  }

  /** No further run begins; settles when the one under way is done. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
  }
}
