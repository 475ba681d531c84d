import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ListedPostings, unionPostings } from './postings.ts';

const DOCUMENTS = 400;

/** Document → frequency. */
type Held = ReadonlyMap<number, number>;

const heldBy = (most: number): fc.Arbitrary<Held> =>
  fc
    .array(fc.tuple(fc.nat(DOCUMENTS - 1), fc.integer({ min: 1, max: 255 })), { maxLength: most })
    .map((pairs) => new Map(pairs));

/** Every so many documents: long lists of chance are seldom drawn, and take minutes to shrink. */
const heldByMany: fc.Arbitrary<Held> = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 254 }))
  .map(([step, factor]) => {
    const documents = Array.from({ length: Math.floor(DOCUMENTS / step) }, (_, at) => at * step);
    return new Map(documents.map((document) => [document, 1 + ((document * factor) % 255)]));
  });

function postingsOf(held: Held): ListedPostings {
  const pairs = [...held].toSorted(([left], [right]) => left - right);
  return {
    kind: 'listed',
    count: pairs.length,
    documents: Int32Array.from(pairs, ([document]) => document),
    frequencies: Uint8Array.from(pairs, ([, frequency]) => frequency),
  };
}

it.each([
  ['a few beside many', fc.tuple(heldByMany, heldBy(6), heldBy(6))],
  ['equals', fc.tuple(heldBy(60), heldBy(60), heldBy(60))],
  ['many lists', fc.array(heldBy(8), { maxLength: 12 })],
])('the union of postings has each document with its highest frequency: %s', (_, lists) => {
  fc.assert(
    fc.property(lists as fc.Arbitrary<Held[]>, (all) => {
      const highest = new Map<number, number>();
      for (const held of all)
        for (const [document, frequency] of held)
          highest.set(document, Math.max(frequency, highest.get(document) ?? 0));
      const { count, documents, frequencies } = unionPostings(all.map(postingsOf), DOCUMENTS);
      const expected = postingsOf(highest);
      expect({ count, documents: [...documents], frequencies: [...frequencies] }).toEqual({
        count: expected.count,
        documents: [...expected.documents],
        frequencies: [...expected.frequencies],
      });
    }),
  );
});
