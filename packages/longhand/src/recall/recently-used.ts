/**
 * What was used lately, within a bound.
 *
 * Two generations: what is asked for stands in the young one. When that has taken half of the room, it becomes
 * the old one, and what was in the old one and not asked for meanwhile is forgotten. So a hit moves nothing, as
 * a list in the order of use would, and hits are what queries are made of.
 */
export class RecentlyUsed<Key, Value> {
  readonly #room: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param room how many are kept; less than 2 keeps nothing */
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
