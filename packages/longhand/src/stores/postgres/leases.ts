import { randomName } from '../../core/ids.ts';
import type { Calls } from './calls.ts';

/** A process that is killed or cut off holds a lease for this long at most. */
export const LEASE_MS = 30_000;

/** Work that one process does at a time: rows that expire by the clock of the database, and are renewed while it lasts. */
export class Leases {
  readonly #calls: Calls;
  readonly #held = new Set<() => Promise<void>>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async claim(name: string, userId = ''): Promise<(() => void) | undefined> {
    const holder = randomName();
    if (!(await this.#calls.value<boolean>('claim', [userId, name, holder, LEASE_MS]))) return undefined;
    const release = this.hold(name, userId, holder);
    return () => void release();
  }

  /** Renews a lease that was taken, until it is released. */
  hold(name: string, userId: string, holder: string): () => Promise<void> {
    const renew = () => this.#calls.rows('claim', [userId, name, holder, LEASE_MS]).catch(() => undefined);
    const timer = setInterval(renew, LEASE_MS / 3);
    timer.unref();
    const release = async (): Promise<void> => {
      if (!this.#held.delete(release)) return;
      clearInterval(timer);
      // It expires automatically when this fails.
      await this.#calls.rows('release', [userId, name, holder]).catch(() => undefined);
    };
    this.#held.add(release);
    return release;
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#held].map((release) => release()));
  }
}
