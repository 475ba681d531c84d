/**
 * Queries of thousands of words, numbers, phrases and wildcards, against the model: what bounds their work leaves the answer
 * that the bounds promise, the rarest 64 terms, and no other.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { QueryError } from '../src/recall/query-text.ts';
import { RecallIndex } from '../src/recall/recall-index.ts';
import { search } from '../src/recall/search.ts';
import { sized, withSeed } from './campaign.ts';
import { readNaively } from './naive/naive-query.ts';
import { longQuery, plainWord } from './reading-cases.ts';
import { NOW, policy } from './search-cases.ts';
import { type Document, Model } from './search-model.ts';

/** Memories that hold some of what the queries ask for: low numbers in many, high ones in few. */
const documents = fc
  .array(
    fc.record({
      words: fc.array(
        fc.tuple(fc.nat(400), fc.nat(400)).map(([one, other]) => Math.min(one, other)),
        { minLength: 1, maxLength: 30 },
      ),
      write: fc.constantFrom(
        plainWord,
        (number: number) => `555-${1_000 + number}`,
        (number: number) => `${10_000_000 + number}`,
        (number: number) => `${plainWord(number)} ${plainWord(number + 1)}`,
        (number: number) => `${plainWord(number)}js`,
      ),
      session: fc.nat(1),
      // What turns lend each other is told by the 32 rarest.
      isTurn: fc.constantFrom(true, true, true, false),
      ageDays: fc.nat(200),
    }),
    { minLength: 5, maxLength: 40, size: 'max' },
  )
  .map((drafts) =>
    drafts.map(
      ({ words, write, session, isTurn, ageDays }, order): Document => ({
        order,
        entry: {
          schema_version: 1,
          id: `mem_${order}`,
          session_id: `sess_${session}`,
          timestamp: new Date(NOW - ageDays * 86_400_000).toISOString(),
          type: isTurn ? 'conversation' : 'finding',
          content: { message: words.map(write).join(' ') },
          importance: 0.5,
          decay_factor: 1,
          tags: [],
          references: [],
          provenance: { author: 'user', trust: 'owner' },
        },
      }),
    ),
  );

function indexOf(all: readonly Document[]): RecallIndex {
  const index = new RecallIndex();
  for (const { entry, order } of all) index.add(entry, order, { log: 0, offset: 0, length: 0 });
  return index;
}

const sortBy = fc.constantFrom('relevance' as const, 'match' as const, 'time' as const);

function expectAnswer(
  all: readonly Document[],
  text: string,
  order: typeof sortBy extends fc.Arbitrary<infer Key> ? Key : never,
): void {
  const request = { nowMs: NOW, policy, text, sortBy: order, limit: 1_000 };
  if (readNaively(text) === 'refused') {
    expect(() => search(indexOf(all), request)).toThrow(QueryError);
    return;
  }
  const model = new Model(all);
  const expected = model.search(request);
  const { hits } = search(indexOf(all), { ...request, explain: true });
  expect(hits.map(({ id }) => id)).toEqual(expected.map(({ document }) => document.entry.id));
  for (const [rank, { match }] of hits.entries())
    expect(match).toBeCloseTo(model.valueOf(expected[rank]!, request).match, 6);
}

/** Every run tries the same cases, the nights new ones. */
function check(property: fc.IRawProperty<unknown>, numRuns: number): Promise<void> {
  return withSeed(async (seed) => fc.assert(property as fc.IProperty<unknown>, { seed, numRuns }));
}

it('are answered as the model answers them', () => {
  return check(fc.property(documents, longQuery, sortBy, expectAnswer), sized(60, 2_000));
});

it('of ten thousand words are answered by the 64 rarest', () => {
  const numbers = fc.array(fc.nat(500), { minLength: 10_000, maxLength: 10_000, size: 'max' });
  return check(
    fc.property(documents, numbers, sortBy, (all, words, order) =>
      expectAnswer(all, words.map(plainWord).join(' '), order),
    ),
    sized(12, 200),
  );
});

it('of a thousand wildcards are refused, and among more words they are words', () => {
  const wildcards = Array.from({ length: 1_000 }, (_, number) => `${plainWord(number)}*`).join(' ');
  const words = Array.from({ length: 1_001 }, (_, number) => plainWord(number % 40)).join(' ');
  return check(
    fc.property(documents, sortBy, (all, order) => {
      expectAnswer(all, wildcards, order);
      expectAnswer(all, `${wildcards} ${words}`, order);
    }),
    sized(3, 100),
  );
});
