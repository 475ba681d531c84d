interface Held<Owner> {
  readonly owner: Owner;
  readonly waiting: { readonly owner: Owner; readonly grant: () => void }[];
}

/**
 * Exclusive locks on the bytes of files, as the kernel keeps them for openings: an owner is one opening, two owners
 * exclude each other even within one process, and what an owner holds is free when it is closed.
 */
export class LockTable<Owner> {
  readonly #held = new Map<string, Held<Owner>>();

  /** All of the bytes, or none. */
  tryLock(file: string | number, byte: number, count: number, owner: Owner): boolean {
    const keys = keysOf(file, byte, count);
    if (keys.some((key) => (this.#held.get(key)?.owner ?? owner) !== owner)) return false;
    for (const key of keys) if (!this.#held.has(key)) this.#held.set(key, { owner, waiting: [] });
    return true;
  }

  waitForLock(file: string | number, byte: number, owner: Owner): Promise<void> {
    if (this.tryLock(file, byte, 1, owner)) return Promise.resolve();
    return new Promise((grant) => this.#held.get(`${file}:${byte}`)!.waiting.push({ owner, grant }));
  }

  unlock(file: string | number, byte: number, count: number, owner: Owner): void {
    for (const key of keysOf(file, byte, count)) if (this.#held.get(key)?.owner === owner) this.#pass(key);
  }

  isLocked(file: string | number, byte: number): boolean {
    return this.#held.has(`${file}:${byte}`);
  }

  /** The owner is closed or dead: what it holds is free, what it waits for it no longer gets. */
  releaseAll(owner: Owner): void {
    for (const [key, held] of [...this.#held]) {
      const stillWaiting = held.waiting.filter((waiter) => waiter.owner !== owner);
      held.waiting.splice(0, held.waiting.length, ...stillWaiting);
      if (held.owner === owner) this.#pass(key);
    }
  }

  #pass(key: string): void {
    const [next, ...waiting] = this.#held.get(key)!.waiting;
    if (next === undefined) {
      this.#held.delete(key);
      return;
    }
    this.#held.set(key, { owner: next.owner, waiting });
    next.grant();
  }
}

function keysOf(file: string | number, byte: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${file}:${byte + i}`);
}
