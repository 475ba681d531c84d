interface Held {
  readonly owner: object;
  readonly waiting: { readonly owner: object; readonly grant: () => void }[];
}

/** Locks as the kernel holds them for open files: between all openings, and gone with the last close. */
export class SimulatedLocks {
  readonly #held = new Map<string, Held>();

  tryLock(inode: number, byte: number, owner: object): boolean {
    const key = `${inode}:${byte}`;
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, { owner, waiting: [] });
    return held === undefined || held.owner === owner;
  }

  waitForLock(inode: number, byte: number, owner: object): Promise<void> {
    if (this.tryLock(inode, byte, owner)) return Promise.resolve();
    return new Promise((grant) => this.#held.get(`${inode}:${byte}`)!.waiting.push({ owner, grant }));
  }

  unlock(inode: number, byte: number, owner: object): void {
    const key = `${inode}:${byte}`;
    if (this.#held.get(key)?.owner === owner) this.#pass(key);
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
