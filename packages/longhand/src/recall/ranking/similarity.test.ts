import fc from 'fast-check';
import { expect, it } from 'vitest';
import { synonymTable } from '../../../test/synonym-table.ts';
import type { MemoryEntry, MemoryType } from '../../core/records.ts';
import {
  FEW_VECTORS,
  LEAST_COSINE,
  MOST_DEVIATIONS,
  SIMILARITY,
  WORDLESS_SIMILARITY,
} from '../analysis/weights.ts';
import { RecallIndex } from '../index/recall-index.ts';
import type { SegmentReader } from '../index/segment-format.ts';
import { COSINE_STEPS, WordVectors } from '../vectors/word-vectors.ts';
import { resolveDecayPolicy } from './decay.ts';
import { search } from './search.ts';
import { wordMeaning } from './similarity.ts';

const NOW = Date.UTC(2026, 5, 1);
const WORDS = ['car', 'automobile', 'cat', 'feline', 'tea', 'drink', 'house', 'home', 'unknown'];
const table = new WordVectors(
  synonymTable([WORDS.slice(0, 2), WORDS.slice(2, 4), WORDS.slice(4, 6), WORDS.slice(6, 8)]),
);

interface Case {
  readonly texts: readonly string[];
  /** After which documents the tail is sealed. */
  readonly seals: readonly boolean[];
  readonly removed: readonly boolean[];
  readonly question: string;
}

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));
const cases: fc.Arbitrary<Case> = fc
  .array(
    fc.tuple(
      text,
      fc.boolean(),
      fc.nat(3).map((chance) => chance === 0),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .chain((documents) =>
    text.map((question) => ({
      texts: documents.map(([each]) => each),
      seals: documents.map(([, isSealed]) => isSealed),
      removed: documents.map(([, , isRemoved]) => isRemoved),
      question,
    })),
  );

function entry(number: number, message: string, type: MemoryType = 'conversation'): MemoryEntry {
  return {
    schema_version: 1,
    id: `mem_${number}`,
    session_id: 'one',
    timestamp: new Date(NOW - number * 60_000).toISOString(),
    type,
    content: { message },
    importance: 0.5,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
  };
}

function readerOf(bytes: Uint8Array): SegmentReader {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** @param isSpread in segments, merged at the end, in place of one tail */
function indexOf({ texts, seals, removed }: Case, isSpread: boolean): RecallIndex {
  const index = new RecallIndex(table);
  for (const [number, each] of texts.entries()) {
    index.add(entry(number, each), number, { log: 0, offset: 0, length: 0 });
    if (isSpread && seals[number]) index.replaceTail(readerOf(index.sealTail()));
  }
  for (const [number, isRemoved] of removed.entries()) if (isRemoved) index.remove('one', `mem_${number}`);
  const merged = index.segments.slice(0, 3);
  if (isSpread && merged.length > 1) index.replaceSegments(merged, readerOf(index.mergeSegments(merged)));
  expect(index.takeVectors()).toEqual([]);
  return index;
}

function answer(index: RecallIndex, question: string) {
  const policy = resolveDecayPolicy();
  const request = { text: question, nowMs: NOW, policy, limit: 100, explain: true };
  return search(index, { ...request, meaning: wordMeaning(question) }).hits;
}

/** Its steps, straight from the table. */
function stepsOf(left: string, right: string): number {
  const [one, other] = [left, right].map((each) => {
    const row = new Int8Array(table.dimensions);
    table.read([each], row);
    return row;
  }) as [Int8Array, Int8Array];
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}

it('is the same however the memories are spread over parts', () => {
  fc.assert(
    fc.property(cases, (each) => {
      expect(answer(indexOf(each, true), each.question)).toEqual(answer(indexOf(each, false), each.question));
    }),
    { numRuns: 150 },
  );
});

it('is what the definition says: deviations above the mean of the living, more for those without a word', () => {
  fc.assert(
    fc.property(cases, (each) => {
      const { texts, removed, question } = each;
      const steps = texts.map((other, number) => (removed[number] ? 0 : stepsOf(question, other)));
      const living = steps.filter((step) => step !== 0);
      const all = Math.max(living.length, FEW_VECTORS);
      const mean = living.reduce((sum, step) => sum + step, 0) / all;
      const variance = living.reduce((sum, step) => sum + step * step, 0) / all - mean * mean;
      const hits = answer(indexOf(each, true), question);
      for (const { id, matchParts } of hits) {
        const step = steps[Number(id.slice(4))]!;
        const { words, similarity } = matchParts!;
        if (similarity === undefined) continue;
        const deviations = step === 0 ? 0 : Math.max(0, (step - mean) / Math.sqrt(variance));
        const weight = WORDLESS_SIMILARITY + (SIMILARITY - WORDLESS_SIMILARITY) * Math.min(1, words);
        expect(similarity).toBeCloseTo(weight * Math.min(MOST_DEVIATIONS, deviations), 9);
      }
      const found = new Set(hits.map(({ id }) => id));
      for (const [number, step] of steps.entries()) {
        if (step > mean && step >= LEAST_COSINE * COSINE_STEPS) expect(found).toContain(`mem_${number}`);
      }
    }),
    { numRuns: 150 },
  );
});

it('is that of the nearest for notes with all asked words: of two that contradict each other the newer comes first', () => {
  const index = new RecallIndex(table);
  const texts = ['The car is at home', 'The car is an automobile', 'A feline'];
  for (const [number, each] of texts.entries())
    index.add(entry(number, each, 'preference'), number, { log: 0, offset: 0, length: 0 });
  const question = 'Where is the car?';
  const [newer, older] = answer(index, question);
  expect([newer!.id, older!.id]).toEqual(['mem_0', 'mem_1']);
  expect(newer!.strength).toBe(older!.strength);
  // Its own meaning is less near.
  expect(stepsOf(question, texts[0]!)).toBeLessThan(stepsOf(question, texts[1]!));
});
