/** The shortcuts against a look at every match: the same candidates, and the same strongest. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MEMORY_TYPES, type MemoryEntry } from '../../core/records.ts';
import { UTC_CALENDAR } from '../../time/index.ts';
import { readQueryText } from '../analysis/query-text.ts';
import { CANDIDATES, SHARPNESS } from '../analysis/weights.ts';
import { MemoryUses } from '../index/memory-uses.ts';
import { RecallIndex } from '../index/recall-index.ts';
import { AskedTimes } from './asked-times.ts';
import { Candidates } from './candidates.ts';
import { resolveDecayPolicy } from './decay.ts';
import { compareIdentity, type PackedDocument } from './document-order.ts';
import { prepareFilters } from './filter.ts';
import { FreshnessReader } from './freshness.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import { queryTerms } from './query-terms.ts';
import { search } from './search.ts';
import type { SearchRequest } from './search-request.ts';
import { StrengthReader } from './strength.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;
const WORDS = ['garden', 'roses', 'lake', 'token', 'camping'];

const draft = fc.record({
  session: fc.nat(5),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }),
  end: fc.constantFrom('.', '?'),
  speaker: fc.constantFrom('Ingrid', 'Olaf'),
  type: fc.constantFrom(...MEMORY_TYPES),
  ageMs: fc.oneof(fc.nat(3 * DAY_MS), fc.nat(400 * DAY_MS)),
  importance: fc.constantFrom(0, 0.1, 0.5, 0.9, 1),
});
type Draft = typeof draft extends fc.Arbitrary<infer Value> ? Value : never;

const policy = resolveDecayPolicy();
const policies = fc.constantFrom(
  policy,
  policy,
  resolveDecayPolicy({ reinforcement: { enabled: true } }),
  resolveDecayPolicy({ min_decay_factor: 0 }),
);

const question = fc.record({
  text: fc
    .array(fc.constantFrom(...WORDS, 'Ingrid', 'last week'), { minLength: 1, maxLength: 4 })
    .map((words) => words.join(' ')),
  // Earlier and later than the question before: bounds that are kept must hold, or go.
  laterMs: fc.oneof(fc.nat(60_000), fc.integer({ min: -40 * DAY_MS, max: 200 * DAY_MS })),
  isByMatch: fc.boolean(),
  policy: policies,
  hasOwnPolicy: fc.boolean(),
  used: fc.array(fc.nat(40), { maxLength: 4 }),
  isFiltered: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

function entryOf({ session, words, end, speaker, ageMs, ...rest }: Draft, number: number): MemoryEntry {
  return {
    schema_version: 1,
    id: `mem_${number}`,
    session_id: `sess_${session}`,
    timestamp: new Date(NOW - ageMs).toISOString(),
    content: { message: words.join(' ') + end, speaker },
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
    ...rest,
  };
}

function requestOf({ policy, hasOwnPolicy, used, isFiltered }: Question, nowMs: number): SearchRequest {
  const uses = used.map((id) => [`mem_${id}`, { lastAccessMs: NOW - DAY_MS, accessCount: 2 }] as const);
  return {
    nowMs,
    policy,
    ...(hasOwnPolicy
      ? { policyOfSession: new Map([['sess_1', resolveDecayPolicy({ enabled: false })]]) }
      : {}),
    ...(uses.length > 0 ? { usesOfSession: new Map([['sess_0', new MemoryUses(uses)]]) } : {}),
    ...(isFiltered ? { minImportance: 0.5 } : {}),
  };
}

function chosenByLookingAtAll(
  index: RecallIndex,
  matches: Matches,
  passes: (partNumber: number, document: number) => boolean,
  reader: StrengthReader,
  freshness: FreshnessReader | undefined,
): { documents: PackedDocument[]; strongest: number } {
  const all = matches.parts.flatMap((part, partNumber) => {
    const { matched, matchedCount } = matches.scores[partNumber]!;
    return Array.from(matched.subarray(0, matchedCount))
      .filter((document) => passes(partNumber, document))
      .map((document) => {
        const closeness = reader.closeness(part, document);
        const strength = reader.plain(partNumber, document, closeness);
        const worth = freshness?.logWorth(part, document, closeness);
        const key = worth === undefined ? strength : worth + SHARPNESS * strength;
        return { part, document, strength, key, packed: document * matches.parts.length + partNumber };
      });
  });
  all.sort((left, right) =>
    left.key === right.key ? compareIdentity(index, left, right) : left.key > right.key ? -1 : 1,
  );
  return {
    documents: all.slice(0, CANDIDATES).map(({ packed }) => packed),
    strongest: Math.max(0, ...all.map(({ strength }) => strength)),
  };
}

it.each([
  ['some', 1, 150],
  ['thousands', 60, 12],
])('takes those that a look at every match takes, question after question, of %s', (_, times, numRuns) => {
  // So many times over, each a little older than the one before.
  const drafts = fc
    .array(draft, { minLength: 60, maxLength: 200 })
    .map((some) =>
      Array.from({ length: times }, (_, turn) =>
        some.map((each) => ({ ...each, ageMs: each.ageMs + turn * 3_600_000 })),
      ).flat(),
    );
  const questions = fc.array(question, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(drafts, fc.nat(200), questions, (all, sealAt, asked) => {
      const index = new RecallIndex();
      for (const [number, each] of all.entries()) {
        index.add(entryOf(each, number), number, { log: 0, offset: 0, length: 0 });
        if (number !== sealAt) continue;
        const bytes = index.sealTail();
        index.replaceTail({
          size: bytes.length,
          read: (offset, length) => bytes.subarray(offset, offset + length),
        });
      }
      const memory = new MatchMemory();
      let nowMs = NOW;
      for (const each of asked) {
        nowMs += each.laterMs;
        const request = requestOf(each, nowMs);
        const times = new AskedTimes(each.text, nowMs, UTC_CALENDAR);
        const { terms, names } = queryTerms(index, readQueryText(times.rest), [], times);
        const matches = matchTerms(index.parts(), index.registry, terms, memory);
        const readerOf = (): StrengthReader => new StrengthReader(index, matches, { names, times });
        const freshness = each.isByMatch ? undefined : new FreshnessReader(index, request, nowMs);
        const filters = prepareFilters(index, request);
        const found = new Candidates(index, matches, filters, readerOf(), freshness);
        const passes = (partNumber: number, document: number): boolean =>
          filters[partNumber]!.passes(document);
        const expected = chosenByLookingAtAll(index, matches, passes, readerOf(), freshness);
        expect(found.documents.toSorted()).toEqual(expected.documents.toSorted());
        expect(found.strongest).toBe(expected.strongest);
        matches.release();
      }
    }),
    { numRuns },
  );
});

it('takes the newest also when a later moment was asked about before', () => {
  const index = new RecallIndex();
  // The oldest first: those that come last are ruled out wrongly when their bound is of the later moment.
  const entries = Array.from({ length: 2 * CANDIDATES }, (_, number) =>
    entryOf(
      {
        session: 0,
        words: ['garden'],
        end: '.',
        speaker: 'Ingrid',
        // Not a turn, so that nothing is lent.
        type: 'finding',
        ageMs: (2 * CANDIDATES - number) * (DAY_MS / 8),
        importance: 0.5,
      },
      number,
    ),
  );
  for (const [number, entry] of entries.entries()) index.add(entry, number, { log: 0, offset: 0, length: 0 });
  const asked = { text: 'garden', policy, limit: 5 };
  const newest = entries
    .toReversed()
    .slice(0, 5)
    .map(({ id }) => id);
  for (const nowMs of [NOW + 400 * DAY_MS, NOW]) {
    expect(search(index, { ...asked, nowMs }).hits.map(({ id }) => id)).toEqual(newest);
  }
});
