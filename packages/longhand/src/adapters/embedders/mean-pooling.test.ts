import { expect, it } from 'vitest';
import { meanPooling } from './mean-pooling.ts';

it('takes the mean of the tokens that count, at length 1', () => {
  // Two texts of three tokens with two numbers each; the last two tokens of the second are padding.
  const hidden = Float32Array.from([1, 2, 3, 2, 2, 8, -3, 4, 100, 100, 100, 100]);
  const [first, second] = meanPooling(hidden, [1, 1, 1, 1, 0, 0], { texts: 2, tokens: 3, dimensions: 2 });
  // The sum is 6, 12: the mean is 2, 4, and its length √20.
  expect(first![0]).toBeCloseTo(1 / Math.sqrt(5), 6);
  expect(first![1]).toBeCloseTo(2 / Math.sqrt(5), 6);
  expect([...second!].map((value) => Number(value.toFixed(6)))).toEqual([-0.6, 0.8]);
});

it('gives no direction where there is none', () => {
  const [none] = meanPooling(Float32Array.from([1, 0, -1, 0]), [1, 1], {
    texts: 1,
    tokens: 2,
    dimensions: 2,
  });
  expect([...none!]).toEqual([0, 0]);
});
