import { FileStore, type LogStore, LonghandError, MemoryManager, MemoryStore } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { lasting } from '../../src/testing/lasting-store.ts';

/** One store with two managers on it, and the ids that it gave to the memories of the model. */
export class RealSystem {
  readonly name: string;
  readonly clock: FakeClock;
  readonly idOfKey = new Map<number, string>();
  readonly #openStore: () => LogStore;
  readonly #managers: [MemoryManager, MemoryManager];

  constructor(name: string, nowMs: number, openStore: () => LogStore) {
    this.name = name;
    this.clock = new FakeClock(nowMs);
    this.#openStore = openStore;
    this.#managers = [this.#open(), this.#open()];
  }

  manager(which: 0 | 1): MemoryManager {
    return this.#managers[which];
  }

  async reopen(which: 0 | 1): Promise<void> {
    await this.#managers[which].close();
    this.#managers[which] = this.#open();
  }

  async close(): Promise<void> {
    for (const manager of this.#managers) await manager.close();
  }

  /** Texts with this store's ids replaced by the keys of the model: now two stores can be compared. */
  anonymous(text: string): string {
    const keys = new Map([...this.idOfKey].map(([key, id]) => [id, key]));
    return text.replace(/mem_[0-9A-Z]{26}/g, (id) => `key ${keys.get(id)}`);
  }

  #open(): MemoryManager {
    return new MemoryManager({ store: this.#openStore(), clock: this.clock });
  }
}

export function openRealSystems(root: string, nowMs: number): readonly RealSystem[] {
  const memory = lasting(new MemoryStore());
  return [
    new RealSystem('files', nowMs, () => new FileStore({ root })),
    new RealSystem('memory', nowMs, () => memory),
  ];
}

/** What came of a call: its answer, or the code of its refusal. */
export async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!LonghandError.isInstance(error)) throw error;
    return { refused: error.code };
  }
}
