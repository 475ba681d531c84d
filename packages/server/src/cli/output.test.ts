import fc from 'fast-check';
import { it } from 'vitest';
import { grouped } from './output.ts';

it('groups the digits of a count as English does', () => {
  fc.assert(fc.property(fc.nat(), (count) => grouped(count) === count.toLocaleString('en')));
});
