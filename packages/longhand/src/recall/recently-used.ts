/**
 * What was used lately, within a bound.
 *
 * Two generations: what is asked for stands in the young one. When that has taken half of the room, it becomes
 * the old one, and what was in the old one and not asked for meanwhile is forgotten. So a hit moves nothing, as
 * a list in the order of use would, and hits are what queries are made of.
 */
export class RecentlyUsed<Key, Value> {
  readonly #room: number;
  readonly #sizeOf: (value: Value) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngSize = 0;

  /** @param room the sum of the sizes that are kept; 0 keeps nothing */
  constructor(room: number, sizeOf: (value: Value) => number = () => 1) {
    this.#room = room;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value);
    if (2 * size > this.#room) return;
    if (2 * (this.#youngSize + size) > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(key, value);
    this.#youngSize += size;
  }
}
