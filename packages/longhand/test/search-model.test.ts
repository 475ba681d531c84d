/**
 * Search against a model that follows the description word by word, with maps and arrays and no index.
 *
 * Model and index must agree on every result, its order and its relevance, in small collections and in ones with
 * more matches than are compared in full; and they must agree whatever way the index came to its documents.
 */

import fc from 'fast-check';
import { readTable } from 'longhand-vectors';
import { describe, expect, it } from 'vitest';
import type { MemoryType } from '../src/core/records.ts';
import { type OpenSegment, RecallIndex } from '../src/recall/index/recall-index.ts';
import type { SegmentReader } from '../src/recall/index/segment-format.ts';
import { encodeRows, readRows } from '../src/recall/index/vector-rows.ts';
import { search } from '../src/recall/ranking/search.ts';
import type { SearchHit, SearchRequest } from '../src/recall/ranking/search-request.ts';
import { searchSessions } from '../src/recall/ranking/search-sessions.ts';
import { embeddedSimilarity, type MeasureMeaning, wordMeaning } from '../src/recall/ranking/similarity.ts';
import { quantise } from '../src/recall/vectors/quantise.ts';
import { encodeBlock, type NewRow, VectorBlock } from '../src/recall/vectors/vector-block.ts';
import { idHashesOf } from '../src/recall/vectors/vector-key.ts';
import { VectorTable } from '../src/recall/vectors/vector-table.ts';
import { WordVectors } from '../src/recall/vectors/word-vectors.ts';
import { assertFor, sized } from './campaign.ts';
import { datedDocuments, datedRequest } from './dated-cases.ts';
import type { Document } from './naive/naive-document.ts';
import { embeddedMeaning, type Meaning, meaningOfWords } from './naive/naive-meaning.ts';
import {
  combinedRequest,
  DAY_MS,
  documents,
  listRequest,
  manyDocuments,
  NOW,
  policy,
  request,
  sessionRequest,
  sessionRequestsOf,
} from './search-cases.ts';
import { Model, type ModelHit } from './search-model.ts';

const words = new WordVectors(readTable());

function readerOf(bytes: Uint8Array): SegmentReader {
  return {
    size: bytes.length,
    read: (offset, length, into = new Uint8Array(length)) => {
      into.set(bytes.subarray(offset, offset + length));
      return into.subarray(0, Math.max(0, Math.min(length, bytes.length - offset)));
    },
  };
}

const PLACE = { log: 1, offset: 2, length: 3 };

function inMemory(all: readonly Document[]): RecallIndex {
  const index = new RecallIndex(words);
  for (const { entry, order } of all) index.add(entry, order, PLACE);
  return index;
}

/** What can happen to an index between additions. */
type Step = 'seal' | 'merge' | 'mergeTwo' | 'remove' | 'reopen' | 'none';
const steps = fc.array(fc.constantFrom<Step>('seal', 'merge', 'mergeTwo', 'remove', 'reopen', 'none'), {
  maxLength: 40,
  size: 'max',
});

/** Adds documents in the given order, with detours: extra documents that go again, seals, merges, restarts. */
function withHistory(
  all: readonly Document[],
  history: readonly Step[],
  extra: readonly Document[],
): RecallIndex {
  let index = new RecallIndex(words);
  const gone: Document[] = [];
  const bytesOf = new Map<OpenSegment, Uint8Array>();
  const merge = (count: number): void => {
    const segments = index.segments.slice(-count);
    if (segments.length === 0) return;
    const bytes = index.mergeSegments(segments);
    bytesOf.set(index.replaceSegments(segments, readerOf(bytes)), bytes);
  };
  const seal = (): void => {
    const bytes = index.sealTail();
    bytesOf.set(index.replaceTail(readerOf(bytes)), bytes);
  };
  const remove = (): void => {
    for (const { entry } of gone.splice(0)) expect(index.remove(entry.session_id, entry.id)).toBe(true);
  };
  const reopen = (): void => {
    seal();
    const reopened = new RecallIndex(words);
    for (const opened of index.segments) {
      const bytes = bytesOf.get(opened)!;
      const readVectors = () => readRows(readerOf(encodeRows(opened.vectors!).bytes));
      bytesOf.set(reopened.openSegment(readerOf(bytes), opened.deadDocuments, readVectors), bytes);
    }
    index = reopened;
  };
  const happen = {
    ...{ seal, remove, reopen, none: () => undefined },
    ...{ merge: () => merge(Number.POSITIVE_INFINITY), mergeTwo: () => merge(2) },
  };
  for (const [number, { entry, order }] of all.entries()) {
    const other = extra[number];
    if (other) {
      const detour = { ...other.entry, id: `gone_${number}` };
      index.add(detour, order + 0.5, PLACE);
      gone.push({ entry: detour, order });
    }
    index.add(entry, order, PLACE);
    happen[history[number] ?? 'none']();
  }
  remove();
  expect(index.takeVectors()).toEqual([]);
  return index;
}

/** How memories are compared by their meaning, by the index and by the model. */
interface Compared {
  readonly measure?: MeasureMeaning;
  readonly meaning?: Meaning;
}
type MeaningKind = 'none' | 'words' | 'embedder';
const meaningKind = fc.constantFrom<MeaningKind>('none', 'words', 'embedder');

/** Few values, so that there are equals; a document in five has no vector. */
const vectorValues = fc.array(
  fc.tuple(fc.nat(4), fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 5, maxLength: 5 })),
  { minLength: 30, maxLength: 30 },
);
type VectorValues = typeof vectorValues extends fc.Arbitrary<infer Value> ? Value : never;

function comparedBy(
  kind: MeaningKind,
  all: readonly Document[],
  values: VectorValues,
  blockCount: number,
): Compared {
  if (kind === 'none') return {};
  if (kind === 'words') return { measure: wordMeaning('words')!, meaning: meaningOfWords(words) };
  const quantised = ([, numbers]: VectorValues[0]): Int8Array =>
    quantise(Float32Array.from([...numbers, 0.5])).values;
  const squaresOf = (vector: Int8Array): number => vector.reduce((sum, value) => sum + value * value, 0);
  const vectors = new Map<string, Int8Array>();
  const blocks = Array.from({ length: blockCount }, (): NewRow[] => []);
  for (const [at, { entry }] of all.entries()) {
    const value = values[(at * 7) % values.length]!;
    if (value[0] === 0) continue;
    const { session_id: sessionId, id } = entry;
    const vector = quantised(value);
    vectors.set(`${sessionId}/${id}`, vector);
    const row = { sessionId, generation: 'g', ...idHashesOf(id), content: { high: 1, low: 2 } };
    blocks[at % blockCount]!.push({ ...row, values: vector, squares: squaresOf(vector) });
  }
  const asked = quantised(values.at(-1)!);
  const filled = blocks.filter(({ length }) => length > 0);
  const table = new VectorTable(
    filled.map((rows) => new VectorBlock(encodeBlock('model', asked.length, rows))),
  );
  const vector = { values: asked, squares: squaresOf(asked) };
  const textsOf = () => ({ generation: 'g', corrected: new Map() });
  return {
    measure: (index) => embeddedSimilarity(index, table, textsOf, vector),
    meaning: embeddedMeaning(vectors, asked),
  };
}

const nameOf = ({ sessionId, id }: Pick<SearchHit, 'sessionId' | 'id'>): string => `${sessionId}/${id}`;

function summary(index: RecallIndex, asked: SearchRequest): unknown {
  return search(index, { ...asked, explain: true }).hits.map(({ place: _, timestampMs: __, ...hit }) => hit);
}

/** All pages of a search. */
function paged(index: RecallIndex, asked: SearchRequest, limit: number): string[] {
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = search(index, { ...asked, limit, ...(cursor ? { cursor } : {}) });
    names.push(...page.hits.map(nameOf));
    cursor = page.nextCursor;
    if (cursor === undefined) return names;
  }
}

/**
 * What is expected, with the found numbers in place of those that agree with them to nine digits. To round both would
 * not do: two numbers that are nearly equal may round apart.
 */
function asFound(expected: unknown, found: unknown): unknown {
  if (typeof expected === 'number') {
    const isNear = Math.abs(expected - Number(found)) <= 1e-9 * Math.max(Math.abs(expected), 1e-3);
    return isNear ? found : expected;
  }
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return expected;
  const fields = Object.entries(expected);
  return Object.fromEntries(
    fields.map(([key, each]) => [key, asFound(each, (found as Record<string, unknown>)[key])]),
  );
}

/** In the same order, with all that the model tells of them. */
function expectHits(found: readonly SearchHit[], expected: readonly ModelHit[]): void {
  expect(found.map(nameOf)).toEqual(expected.map(nameOf));
  for (const [rank, hit] of found.entries())
    expect(hit).toMatchObject(asFound(expected[rank], hit) as object);
}

/** What documents went through before they are searched, and how they are compared. */
const circumstances = (some: fc.Arbitrary<Document[]>) =>
  fc.record({
    extra: some,
    history: steps,
    kind: meaningKind,
    values: vectorValues,
    blockCount: fc.integer({ min: 1, max: 4 }),
    pageSize: fc.integer({ min: 1, max: 60 }),
  });

interface Said {
  readonly order: number;
  readonly session?: number;
  readonly daysAgo?: number;
  readonly type?: MemoryType;
  readonly importance?: number;
}

function said(
  message: string,
  { order, session = 0, daysAgo = 0, type = 'conversation', importance = 0.5 }: Said,
): Document {
  return {
    order,
    entry: {
      schema_version: 1,
      id: `mem_${order}`,
      session_id: `sess_${session}`,
      timestamp: new Date(NOW - daysAgo * DAY_MS).toISOString(),
      type,
      content: { message },
      importance,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    },
  };
}

/** Cases in which index and model once disagreed. */
describe('search once more', () => {
  const meaning = meaningOfWords(words);
  const measure = wordMeaning('words')!;

  it('finds what is of a time when no memory holds the other word and no vector is known for it', () => {
    const all = [said('roses', { order: 1, daysAgo: 0.4 }), said('roses', { order: 2, daysAgo: 40 })];
    const asked = { text: 'janaury 1 June', nowMs: NOW, policy };
    const { hits } = search(inMemory(all), { ...asked, meaning: measure });
    expect(hits.map(({ id }) => id)).toEqual(['mem_1']);
    expectHits(hits, new Model(all, meaning, words).search(asked));
  });

  it('counts the meaning of a long text less, in sessions as in memories', () => {
    const long = said('roses '.repeat(150), { order: 1, session: 1 });
    const all = [long, said('roses', { order: 2, session: 2 })];
    const asked = { text: 'flowers', nowMs: NOW };
    const found = searchSessions(inMemory(all), { ...asked, meaning: measure });
    expect(found.map(({ sessionId }) => sessionId)).toEqual(['sess_2', 'sess_1']);
    expect(found).toEqual(new Model(all, meaning, words).searchSessions(asked));
  });
});

describe('search', () => {
  it.each([
    ['few', documents, request, 800],
    ['many', manyDocuments, request, 60],
    ['days', datedDocuments, datedRequest, 600],
    ['all conditions together', documents, combinedRequest, 400],
    ['no words', documents, listRequest, 400],
  ] as const)('finds, orders, values and pages what the model does, of %s', (_, some, requests, numRuns) => {
    return assertFor(
      fc.property(some, circumstances(some), requests, (all, around, asked) => {
        const { measure, meaning } = comparedBy(around.kind, all, around.values, around.blockCount);
        const index = withHistory(all, around.history, around.extra);
        const expected = new Model(all, meaning, words).search(asked);
        const given = { ...asked, ...(measure ? { meaning: measure } : {}) };
        const { hits } = search(index, { ...given, explain: true });
        expectHits(hits, expected.slice(0, asked.limit));
        expect(paged(index, given, around.pageSize)).toEqual(expected.map(nameOf));
      }),
      sized(numRuns, 50 * numRuns),
    );
  });

  it.each([
    ['few', documents, sessionRequest, 400],
    ['many', manyDocuments, sessionRequest, 40],
    ['days', datedDocuments, sessionRequestsOf(datedRequest), 300],
  ] as const)('ranks and values sessions as the model does, of %s', (_, some, requests, numRuns) => {
    return assertFor(
      fc.property(some, circumstances(some), requests, (all, around, asked) => {
        const { measure, meaning } = comparedBy(around.kind, all, around.values, around.blockCount);
        const expected = new Model(all, meaning, words).searchSessions(asked).slice(0, asked.limit);
        const index = withHistory(all, around.history, around.extra);
        const hits = searchSessions(index, { ...asked, ...(measure ? { meaning: measure } : {}) });
        expect(hits.map(({ sessionId }) => sessionId)).toEqual(expected.map(({ sessionId }) => sessionId));
        for (const [rank, { relevance }] of hits.entries())
          expect(relevance).toBeCloseTo(expected[rank]!.relevance, 5);
      }),
      sized(numRuns, 50 * numRuns),
    );
  });

  it.each([
    ['few', documents, request],
    ['days', datedDocuments, datedRequest],
  ] as const)(
    'depends on the live documents alone, never on how they came together, of %s',
    (_, some, requests) => {
      return assertFor(
        fc.property(some, some, steps, requests, (all, extra, history, asked) => {
          const plain = summary(inMemory(all), asked);
          expect(summary(withHistory(all, history, extra), asked)).toEqual(plain);
          const shuffled = all.toReversed();
          expect(summary(withHistory(shuffled, history.toReversed(), extra), asked)).toEqual(plain);
        }),
        sized(300, 15_000),
      );
    },
  );

  // What one question leaves for the next (bounds, days, scores) must not be taken for an answer to another.
  it.each([
    ['few', documents, fc.oneof(request, listRequest)],
    ['days', datedDocuments, datedRequest],
  ] as const)(
    'answers alike whatever was asked before, wherever, whenever and of how many, of %s',
    (_, some, requests) => {
      return assertFor(
        fc.property(
          some,
          fc.array(requests, { minLength: 2, maxLength: 5 }),
          fc.boolean(),
          (all, asked, isSealed) => {
            const before = Math.floor(all.length / 2);
            const index = inMemory(all.slice(0, before));
            if (isSealed) index.replaceTail(readerOf(index.sealTail()));
            for (const [number, each] of asked.entries()) {
              const from = before + number;
              for (const { entry, order } of all.slice(from, from + 1)) index.add(entry, order, PLACE);
              expect(summary(index, each)).toEqual(summary(inMemory(all.slice(0, from + 1)), each));
            }
          },
        ),
        sized(200, 10_000),
      );
    },
  );

  it('takes the same candidates when more match equally than are compared', () => {
    const many = Array.from({ length: 500 }, (_, number) =>
      said(number % 5 === 0 ? 'garden roses' : 'garden', {
        order: number,
        session: number % 7,
        daysAgo: number % 11,
        type: number % 3 === 0 ? 'decision' : 'conversation',
        importance: number % 4 === 0 ? 0.7 : 0.5,
      }),
    );
    const extra = many.slice(0, 60);
    return assertFor(
      fc.property(
        fc.array(fc.constantFrom<Step>('seal', 'merge', 'remove', 'none'), { maxLength: 9 }),
        (few) => {
          const history = many.map((_, number) =>
            number % 50 === 0 ? (few[number / 50] ?? 'none') : 'none',
          );
          for (const text of ['garden', 'garden roses', 'gard*']) {
            const asked = { text, nowMs: NOW, policy, limit: 20 };
            expect(summary(withHistory(many, history, extra), asked)).toEqual(summary(inMemory(many), asked));
          }
        },
      ),
      sized(20, 300),
    );
  });
});
