import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EditDistance } from './edit-distance.ts';

/** All texts that one error more makes of some. */
function withErrorMore(texts: ReadonlySet<string>, letters: string): Set<string> {
  const made = new Set(texts);
  for (const text of texts) {
    for (let at = 0; at <= text.length; at++) {
      const [before, behind] = [text.slice(0, at), text.slice(at)];
      made.add(before + behind.slice(1));
      if (behind.length > 1) made.add(before + behind[1] + behind[0] + behind.slice(2));
      for (const letter of letters) {
        made.add(before + letter + behind);
        made.add(before + letter + behind.slice(1));
      }
    }
  }
  return made;
}

describe('the distance of words', () => {
  it.each([
    ['garden', 'garden', 0],
    ['gardn', 'garden', 1],
    ['gardden', 'garden', 1],
    ['gerden', 'garden', 1],
    ['gadren', 'garden', 1],
    ['recieve', 'receive', 1],
    ['tommorow', 'tomorrow', 2],
    ['garden', 'harbour', 3],
    ['gard', 'gardening', 3],
    ['', 'ab', 2],
  ])('from %j to %j is %d', (typed, other, distance) => {
    expect(new EditDistance(typed, 2).to(other)).toBe(distance);
    expect(new EditDistance(other, 2).to(typed)).toBe(distance);
  });

  it('is the number of errors that make one of the other, and what is ruled out is so whatever follows', () => {
    const letters = 'abc';
    const word = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
    fc.assert(
      fc.property(word, word, word, (typed, other, more) => {
        const one = withErrorMore(new Set([typed]), letters);
        const distance = new EditDistance(typed, 1);
        const found = distance.to(other);
        expect(found <= 1).toBe(one.has(other));
        if (distance.ruledOutBy === 0) return;
        expect(one.has(other.slice(0, distance.ruledOutBy) + more)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
