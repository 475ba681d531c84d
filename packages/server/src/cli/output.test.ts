import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimals, grouped } from './output.ts';

it('groups the digits of a count as English does', () => {
  fc.assert(fc.property(fc.nat(), (count) => grouped(count) === count.toLocaleString('en')));
});

it.each([
  [0, '0.00'],
  [0.004, '<0.01'],
  [0.005, '0.01'],
  [1.349, '1.35'],
])('rounds %d to %s', (value, shown) => {
  expect(decimals(value, 2)).toBe(shown);
});
