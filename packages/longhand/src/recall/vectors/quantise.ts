/**
 * Vectors as whole numbers from −127 to 127: a quarter of the room, and what is computed from them is the same to the
 * last bit on every machine. The length of a vector says nothing about a text, so only its direction is kept.
 */
export interface QuantisedVector {
  readonly values: Int8Array;
  /** The sum of the squares of the values: never 0. */
  readonly squares: number;
}

const MOST = 127;

/** @param vector with at least one number that is not 0 */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const values = new Int8Array(vector.length);
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    // Divided first: a factor of its own would overflow for very small numbers.
    const value = Math.round((vector[at]! / largest) * MOST);
    values[at] = value;
    squares += value * value;
  }
  return { values, squares };
}

/** The product of two vectors, the second of which begins at `from`. Exact: whole numbers far below 2^53. */
export function dotAt(left: Int8Array, right: Int8Array, from: number): number {
  const { length } = left;
  const unrolled = length & ~3;
  let sum = 0;
  let at = 0;
  for (; at < unrolled; at += 4) {
    sum =
      (sum +
        left[at]! * right[from + at]! +
        left[at + 1]! * right[from + at + 1]! +
        left[at + 2]! * right[from + at + 2]! +
        left[at + 3]! * right[from + at + 3]!) |
      0;
  }
  for (; at < length; at++) sum = (sum + left[at]! * right[from + at]!) | 0;
  return sum;
}
