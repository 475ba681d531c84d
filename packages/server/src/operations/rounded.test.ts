import { expect, it } from 'vitest';
import { rounded, roundedScores } from './rounded.ts';

it.each([
  [1.00000005, 1],
  [1.349999999, 1.35],
  [0.000123456, 0.0001235],
  [12345.6, 12350],
  [0, 0],
])('rounds %d to %d', (value, expected) => {
  expect(rounded(value)).toBe(expected);
});

it('rounds all numbers of scores, however deep, and nothing else', () => {
  const scores = { match: 0.99999999, match_parts: { words: 1.00000005 }, name: 'x', none: null };
  expect(roundedScores(scores)).toEqual({ match: 1, match_parts: { words: 1 }, name: 'x', none: null });
});
