interface Held {
  readonly owner: object;
  readonly waiting: { readonly owner: object; readonly grant: () => void }[];
}

/** Locks as the kernel holds them for open files: between all openings, and gone with the last close. */
export class SimulatedLocks {
  readonly #held = new Map<string, Held>();

  /** All of the bytes, or none. */
  tryLock(inode: number, byte: number, count: number, owner: object): boolean {
    const keys = keysOf(inode, byte, count);
    if (keys.some((key) => (this.#held.get(key)?.owner ?? owner) !== owner)) return false;
    for (const key of keys) if (!this.#held.has(key)) this.#held.set(key, { owner, waiting: [] });
    return true;
  }

  waitForLock(inode: number, byte: number, owner: object): Promise<void> {
    if (this.tryLock(inode, byte, 1, owner)) return Promise.resolve();
    return new Promise((grant) => this.#held.get(`${inode}:${byte}`)!.waiting.push({ owner, grant }));
  }

  unlock(inode: number, byte: number, count: number, owner: object): void {
    for (const key of keysOf(inode, byte, count)) if (this.#held.get(key)?.owner === owner) this.#pass(key);
  }

  /** The owner is closed or dead: what it holds is free, what it waits for it no longer gets. */
  releaseAll(owner: object): void {
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

function keysOf(inode: number, byte: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${inode}:${byte + i}`);
}
