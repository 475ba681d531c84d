import { describe, expect, it } from 'vitest';
import { moduleBytes, multiplyAll, multiplyPlainly } from './dot-kernel.ts';

/** Whole numbers from −127 to 127, the same in every run. */
function numbers(count: number, seed: number): Int8Array {
  let state = seed;
  return Int8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state >>> 8) % 255) - 127;
  });
}

describe('products of vectors', () => {
  it('are made by a module that WebAssembly takes', () => {
    const { WebAssembly } = globalThis as unknown as {
      readonly WebAssembly: { validate(bytes: Uint8Array): boolean };
    };
    expect(WebAssembly.validate(moduleBytes())).toBe(true);
  });

  it('are the same with and without WebAssembly, for every dimension and number of rows', () => {
    const shapes = Array.from({ length: 70 }, (_, at) => [at + 1, 5] as const);
    // Several pieces of vectors, a piece that is just full, and rows that alone fill most of one.
    for (const [dimensions, rows] of [
      ...shapes,
      [384, 2_000],
      [1, 30_000],
      [16, 12_288],
      [8_192, 50],
    ] as const) {
      const vector = numbers(dimensions, dimensions);
      const values = numbers(dimensions * rows, rows + dimensions);
      const products = new Int32Array(rows);
      multiplyAll(vector, values, products);
      const plain = new Int32Array(rows);
      multiplyPlainly(vector, values, plain);
      expect(Buffer.compare(Buffer.from(products.buffer), Buffer.from(plain.buffer))).toBe(0);
      const last = values.subarray((rows - 1) * dimensions);
      expect(products[rows - 1]).toBe(vector.reduce((sum, value, at) => sum + value * last[at]!, 0));
    }
  });

  it('hold the largest numbers there are, and leave nothing of the vector before', () => {
    const products = new Int32Array(1);
    multiplyAll(new Int8Array(8_192).fill(127), new Int8Array(8_192).fill(-127), products);
    expect(products[0]).toBe(-127 * 127 * 8_192);
    multiplyAll(new Int8Array([3, -2, 1]), new Int8Array([5, 7, -11]), products);
    expect(products[0]).toBe(-10);
    multiplyAll(new Int8Array([1]), new Int8Array(0), new Int32Array(0));
  });
});
