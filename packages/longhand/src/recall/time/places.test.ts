import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holding, type Place } from './places.ts';

const place = fc.tuple(fc.nat(30), fc.nat(12)).map(([from, length]): Place => ({ from, to: from + length }));

test('a place is held by whichever of many holds all of it', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 20, size: 'max' }), place, (places, wanted) => {
      const isHeld = places.some(({ from, to }) => from <= wanted.from && wanted.to <= to);
      expect(holding(places)(wanted)).toBe(isHeld);
    }),
  );
});
