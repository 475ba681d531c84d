/**
 * What was used lately, within a bound.
 *
 * Two generations: what is asked for stands in the young one. When that has taken half of the room, it becomes
 * the old one, and what was in the old one and not asked for meanwhile is forgotten. So a hit moves nothing, as
 * a list in the order of use would, and hits are what queries are made of.
 */
export class RecentlyUsed<Key, Value> {
  readonly #room: number;
  #young = new Map<Key, Sized<Value>>();
  #old = new Map<Key, Sized<Value>>();
  #youngSize = 0;

  /** @param room the sum of the sizes that are kept; 0 keeps nothing */
  constructor(room: number) {
    this.#room = room;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.set(key, old.value, old.size);
    return old.value;
  }

  set(key: Key, value: Value, size: number): void {
    if (2 * size > this.#room) return;
    if (2 * (this.#youngSize + size) > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#young.set(key, { value, size });
    this.#youngSize += size;
  }
}

interface Sized<Value> {
  readonly value: Value;
  readonly size: number;
}
