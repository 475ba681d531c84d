/** A direction as integers from −127 to 127: a quarter of the memory, and products are exact on every machine. */
export interface QuantisedVector {
  readonly values: Int8Array;
  /** The sum of the squares, never 0. */
  readonly squares: number;
}

const MOST = 127;

/** @param vector not all zeros */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const values = new Int8Array(vector.length);
  let squares = 0;
  for (let at = 0; at < vector.length; at++) {
    // Divides first: 127 / largest could overflow.
    const value = Math.round((vector[at]! / largest) * MOST);
    values[at] = value;
    squares += value * value;
  }
  return { values, squares };
}
