/**
 * Queries of thousands of words, numbers, phrases and wildcards, against the model: what bounds their work leaves the answer
 * that the bounds promise, the rarest 64 terms, and no other.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { QueryError } from '../src/recall/analysis/query-text.ts';
import { RecallIndex } from '../src/recall/index/recall-index.ts';
import { search } from '../src/recall/ranking/search.ts';
import { sized, withSeed } from './campaign.ts';
import type { Document } from './naive/naive-document.ts';
import { NOW, policy } from './search-cases.ts';
import { Model, type ModelHit } from './search-model.ts';

const SYLLABLES = 'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu'.split(' ');

/** Words of no language, and of no rule. @param number of one of 8,000 */
function plainWord(number: number): string {
  const places = [number % 20, Math.floor(number / 20) % 20, Math.floor(number / 400) % 20];
  return `${places.map((place) => SYLLABLES[place]).join('')}m`;
}

/** One kind of thing, many times over. */
const KINDS: readonly ((number: number) => string)[] = [
  plainWord,
  (number) => `${plainWord(number)}*`,
  (number) => `*${plainWord(number)}`,
  (number) => `"${plainWord(number)} ${plainWord(number + 1)}"`,
  (number) => `"${plainWord(number)}" 555 ${1_000 + number}`,
  (number) => `${10_000_000 + number}`,
  (number) => `**${plainWord(number)}**`,
  (number) => `{"${plainWord(number)}":"${plainWord(number + 1)}"}`,
  (number) => `${1 + (number % 28)} May ${2_020 + (number % 7)}`,
];

/** Queries as they are pasted: far more of everything than one may have. */
const longQuery = fc
  .array(fc.tuple(fc.constantFrom(...KINDS), fc.constantFrom(1, 20, 31, 32, 33, 40, 400), fc.nat(500)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((kinds) =>
    kinds
      .flatMap(([write, count, from]) => Array.from({ length: count }, (_, number) => write(from + number)))
      .join(' '),
  );

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
        (number: number) => `${10_000_000 + number}`,
        (number: number) => `${plainWord(number)} ${plainWord(number + 1)}`,
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
  const answer = (): readonly ModelHit[] => search(indexOf(all), request).hits;
  let expected: readonly ModelHit[];
  try {
    expected = new Model(all).search(request);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    expect(answer).toThrow(QueryError);
    return;
  }
  const hits = answer();
  expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  for (const [rank, { quality, match }] of hits.entries()) {
    expect(quality).toBeCloseTo(expected[rank]!.quality, 6);
    expect(match).toBeCloseTo(expected[rank]!.match, 6);
  }
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
