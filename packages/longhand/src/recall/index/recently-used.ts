/**
 * A bounded cache with two generations. A lookup moves its entry into the young one. When that takes half of the room it
 * becomes the old one, and the old entries are dropped. A hit in the young generation moves nothing, unlike in an LRU list.
 */
export class RecentlyUsed<Key, Value> {
  readonly #room: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param room how many entries are kept; less than 2 keeps none */
  constructor(room: number) {
    this.#room = room;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#room < 2) return;
    if (2 * (this.#young.size + 1) > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
