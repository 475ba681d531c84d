/** A map that forgets what was not asked for longest. */
export class LeastRecentlyUsed<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, Value>();
  /** Asked for again, it need not be moved. */
  #newest: string | undefined;

  /** @param capacity 0 keeps nothing */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined || key === this.#newest) return value;
    this.#values.delete(key);
    this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    if (this.#capacity === 0) return;
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#newest = key;
    if (this.#values.size > this.#capacity) this.delete(this.#values.keys().next().value!);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** A copy: asking for a value changes the order. */
  keys(): string[] {
    return [...this.#values.keys()];
  }

  get size(): number {
    return this.#values.size;
  }
}
