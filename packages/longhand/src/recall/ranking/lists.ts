import { placeOf } from '../index/index.ts';

/** Whether a number is among rising ones. */
export function holds(rising: Int32Array, wanted: number): boolean {
  return rising[placeOf(rising, wanted)] === wanted;
}

/** What is in both of two rising lists. */
export function intersectLists(left: Int32Array, right: Int32Array): Int32Array {
  const both = new Int32Array(Math.min(left.length, right.length));
  let count = 0;
  let at = 0;
  for (const document of left) {
    while (at < right.length && right[at]! < document) at++;
    if (right[at] === document) both[count++] = document;
  }
  return both.subarray(0, count);
}

/** The best few of many: a heap with the worst at its root, so that most items cost one comparison. */
export class BoundedBest<Item> {
  #heap: Item[] = [];
  #most: number;
  #compare: (left: Item, right: Item) => number;

  /** @param compare negative when `left` is better */
  constructor(most: number, compare: (left: Item, right: Item) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** The worst one kept, once there is no more room. */
  get worst(): Item | undefined {
    return this.#heap.length === this.#most ? this.#heap[0] : undefined;
  }

  offer(item: Item): void {
    const heap = this.#heap;
    if (heap.length < this.#most) {
      let at = heap.length;
      heap.push(item);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (this.#compare(heap[parent]!, item) >= 0) break;
        heap[at] = heap[parent]!;
        at = parent;
      }
      heap[at] = item;
    } else if (this.#most > 0 && this.#compare(item, heap[0]!) < 0) this.#replaceWorst(item);
  }

  #replaceWorst(item: Item): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (this.#compare(heap[child]!, item) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }

  /** What was kept, best first. */
  sorted(): Item[] {
    return [...this.#heap].sort(this.#compare);
  }
}

/**
 * What `items.map` gives, always as one kind of array.
 *
 * V8 makes another kind once the code around `map` is optimised, and discards what it had optimised for the first kind.
 */
export function ofEach<Item, Made>(items: readonly Item[], make: (item: Item, at: number) => Made): Made[] {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at++) made.push(make(items[at]!, at));
  return made;
}
