import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedBest } from './lists.ts';

describe('BoundedBest', () => {
  it('keeps what sorting would put first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(12), (numbers, most) => {
        const best = new BoundedBest<number>(most, (left, right) => left - right);
        for (const number of numbers) best.offer(number);
        expect(best.sorted()).toEqual(numbers.toSorted((left, right) => left - right).slice(0, most));
      }),
    );
  });
});
