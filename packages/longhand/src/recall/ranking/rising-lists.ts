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
