import type { Emit } from '../../../core/events.ts';
import { failureOf } from '../../failures.ts';
import type { UserIndex } from '../user-index.ts';

/**
 * Vectors that should be gone. Forgetting takes them out before it settles, unless its process is killed in between: then
 * a log has been rewritten, or is gone, and vectors of what it held are still there. The process that next opens the
 * user's index, or sees a log go, checks them after a delay in which a living process would have done it.
 */
const OWED_AFTER_MS = 1_000;

interface OwedPurgesNeeds {
  /** Whether the store may hold vectors of the user. Costs next to nothing. */
  readonly mayHaveAny: (userId: string) => Promise<boolean>;
  /** Takes those out that should be gone. */
  readonly purge: (userId: string, index: UserIndex) => Promise<void>;
  readonly emit: Emit;
}

export class OwedPurges {
  readonly #needs: OwedPurgesNeeds;
  #paying: Promise<void> = Promise.resolve();
  readonly #owed = new Map<string, { readonly timer: NodeJS.Timeout; readonly index: UserIndex }>();

  constructor(needs: OwedPurgesNeeds) {
    this.#needs = needs;
  }

  /** A user's vectors should be looked at, in a moment. @param index of the same user */
  owe(userId: string, index: UserIndex): void {
    if (this.#owed.has(userId)) return;
    const timer = setTimeout(() => void this.pay(userId), OWED_AFTER_MS);
    timer.unref();
    this.#owed.set(userId, { timer, index });
  }

  /** Looks at them now, if that is owed, and waits for those that are being looked at. */
  pay(userId: string): Promise<void> {
    const index = this.#owed.get(userId)?.index;
    if (index === undefined) return this.#paying;
    this.settle(userId, index);
    this.#paying = this.#paying.then(() => this.#purge(userId, index));
    return this.#paying;
  }

  /** A failure is reported as an event, and the next process that opens the index owes the purge again. */
  async #purge(userId: string, index: UserIndex): Promise<void> {
    try {
      if (await this.#needs.mayHaveAny(userId)) await this.#needs.purge(userId, index);
    } catch (error) {
      this.#needs.emit(failureOf(`vectors of ${userId}`, 'purge', error));
    }
  }

  /** Nothing is owed any more, as far as this index saw. */
  settle(userId: string, index: UserIndex): void {
    const owed = this.#owed.get(userId);
    if (owed?.index !== index) return;
    clearTimeout(owed.timer);
    this.#owed.delete(userId);
  }
}
