/**
 * Search against a model that follows the description word by word, with maps and arrays and no index.
 *
 * Model and index must agree on every result, its order and its relevance, in small collections and in ones with
 * more matches than are compared in full; and they must agree whatever way the index came to its documents.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OpenSegment, RecallIndex } from '../src/recall/recall-index.ts';
import { search } from '../src/recall/search.ts';
import type { SearchRequest } from '../src/recall/search-request.ts';
import { searchSessions } from '../src/recall/search-sessions.ts';
import type { SegmentReader } from '../src/recall/segment-format.ts';
import { quantise } from '../src/recall/vectors/quantise.ts';
import { type MeasureMeaning, Similarity } from '../src/recall/vectors/similarity.ts';
import { encodeBlock, type NewRow, VectorBlock } from '../src/recall/vectors/vector-block.ts';
import { idHashesOf } from '../src/recall/vectors/vector-key.ts';
import { VectorTable } from '../src/recall/vectors/vector-table.ts';
import { datedDocuments, datedRequest, timedRequest } from './dated-cases.ts';
import {
  combinedRequest,
  documents,
  listRequest,
  manyDocuments,
  NOW,
  policy,
  request,
  sessionRequest,
  sessionRequestsOf,
} from './search-cases.ts';
import { type Document, type Meaning, Model, type ModelRequest } from './search-model.ts';

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
  const index = new RecallIndex();
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
  let index = new RecallIndex();
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
  for (const [number, { entry, order }] of all.entries()) {
    const other = extra[number];
    if (other) {
      const detour = { ...other.entry, id: `gone_${number}` };
      index.add(detour, order + 0.5, PLACE);
      gone.push({ entry: detour, order });
    }
    index.add(entry, order, PLACE);
    switch (history[number] ?? 'none') {
      case 'seal':
        seal();
        break;
      case 'merge':
        merge(Number.POSITIVE_INFINITY);
        break;
      case 'mergeTwo':
        merge(2);
        break;
      case 'remove':
        for (const { entry: each } of gone.splice(0))
          expect(index.remove(each.session_id, each.id)).toBe(true);
        break;
      case 'reopen': {
        seal();
        const reopened = new RecallIndex();
        for (const opened of index.segments) {
          const bytes = bytesOf.get(opened)!;
          bytesOf.set(reopened.openSegment(readerOf(bytes), opened.deadDocuments), bytes);
        }
        index = reopened;
        break;
      }
      case 'none':
        break;
    }
  }
  for (const { entry } of gone) index.remove(entry.session_id, entry.id);
  return index;
}

/** Few values, so that there are equals; a document in five has no vector. */
const vectorValues = fc.array(
  fc.tuple(fc.nat(4), fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 5, maxLength: 5 })),
  {
    minLength: 30,
    maxLength: 30,
  },
);

function meaningOf(
  all: readonly Document[],
  values: readonly (readonly [number, readonly number[]])[],
): Meaning {
  const vectors = new Map<string, Int8Array>();
  const quantised = ([, numbers]: readonly [number, readonly number[]]): Int8Array =>
    quantise(Float32Array.from([...numbers, 0.5])).values;
  for (const [at, { entry }] of all.entries()) {
    const value = values[(at * 7) % values.length]!;
    if (value[0] > 0) vectors.set(`${entry.session_id}/${entry.id}`, quantised(value));
  }
  return { vectors, asked: quantised(values.at(-1)!) };
}

/** The same vectors, in some blocks. */
function measureOf({ vectors, asked }: Meaning, blockCount: number): MeasureMeaning {
  const squaresOf = (values: Int8Array): number => values.reduce((sum, value) => sum + value * value, 0);
  const rows = [...vectors].map(([key, values]): NewRow => {
    const [sessionId, id] = key.split('/') as [string, string];
    const content = { high: 1, low: 2 };
    return { sessionId, generation: 'g', ...idHashesOf(id), content, values, squares: squaresOf(values) };
  });
  const blocks = Array.from({ length: blockCount }, (_, number) =>
    rows.filter((__, at) => at % blockCount === number),
  )
    .filter(({ length }) => length > 0)
    .map((some) => new VectorBlock(encodeBlock('model', asked.length, some)));
  const table = new VectorTable(blocks);
  const vector = { values: asked, squares: squaresOf(asked) };
  return (index) =>
    new Similarity(index, { table, textsOf: () => ({ generation: 'g', corrected: new Map() }), vector });
}

function summary(index: RecallIndex, asked: SearchRequest): unknown {
  return search(index, { ...asked, explain: true }).hits.map(({ place: _, timestampMs: __, ...hit }) => hit);
}

/** Every result, its order and all that is said of it. */
function expectAsModelled(all: readonly Document[], asked: ModelRequest, model: Model): void {
  const expected = model.search(asked);
  const { hits } = search(inMemory(all), { ...asked, explain: true });
  expect(hits.map(({ sessionId, id }) => `${sessionId}/${id}`)).toEqual(
    expected.slice(0, asked.limit).map(({ document: { entry } }) => `${entry.session_id}/${entry.id}`),
  );
  for (const [rank, hit] of hits.entries()) {
    const { document } = expected[rank]!;
    expect(hit.importance).toBe(document.entry.importance);
    for (const [factor, value] of Object.entries(model.valueOf(expected[rank]!, asked)))
      expect(hit[factor as 'match'], factor).toBeCloseTo(value, 9);
    if (hit.matchParts === undefined) continue;
    const parts = model.parts.get(document)!;
    for (const [part, value] of Object.entries(hit.matchParts))
      expect(value, part).toBeCloseTo(parts[part as 'words'], 9);
    const taken = model.isOfTimeAlone(asked) ? {} : model.takenForIn(document);
    expect(hit.takenFor ?? {}).toEqual(taken);
    const nothing = { words: [], byDate: [] };
    const matched = model.isOfTimeAlone(asked) ? nothing : model.matchedIn(document, asked);
    expect({ words: hit.matchedWords, byDate: hit.matchedByDate }).toEqual(matched);
  }
}

describe('search', () => {
  it.each([
    ['few', documents, request, 400],
    ['many', manyDocuments, request, 25],
    ['days', datedDocuments, datedRequest, 500],
    ['all conditions together', documents, combinedRequest, 300],
    ['no words', documents, listRequest, 400],
  ] as const)('finds, orders and values what the model does, of %s', (_, some, requests, numRuns) => {
    fc.assert(
      fc.property(some, requests, (all, asked) => {
        expectAsModelled(all, asked, new Model(all, { timeZone: asked.timeZone }));
      }),
      { numRuns },
    );
  });

  it('takes times for what they are by the calendar of a place', () => {
    fc.assert(
      fc.property(datedDocuments, timedRequest, (all, { asked, readTimes }) => {
        const { timeZone } = asked;
        expectAsModelled(all, asked, new Model(all, { timeZone, readTimes }));
        const { text = '', sortBy: _, ...others } = asked;
        const sessions = new Model(all, { timeZone, readTimes }).searchSessions({ ...others, text });
        const found = searchSessions(inMemory(all), { ...others, text });
        expect(found).toEqual(sessions.slice(0, asked.limit));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['few', documents, 250],
    ['many', manyDocuments, 25],
  ] as const)(
    'does so with vectors too, whatever history they and the documents have, of %s',
    (_, some, numRuns) => {
      fc.assert(
        fc.property(
          some,
          fc.tuple(some, steps, vectorValues, fc.nat(3)),
          request,
          (all, [extra, history, values, blockCount], asked) => {
            const meaning = meaningOf(all, values);
            const model = new Model(all, { timeZone: asked.timeZone, meaning });
            const expected = model.search(asked);
            const measure = measureOf(meaning, blockCount + 1);
            const found = search(inMemory(all), { ...asked, explain: true, meaning: measure }).hits;
            const whole = expected.map(({ document: { entry } }) => `${entry.session_id}/${entry.id}`);
            expect(found.map(({ sessionId, id }) => `${sessionId}/${id}`)).toEqual(
              whole.slice(0, asked.limit),
            );
            for (const [rank, hit] of found.entries()) {
              if (hit.matchParts === undefined) continue;
              const { similarity } = hit.matchParts;
              if (model.isOfTimeAlone(asked)) expect(similarity).toBeUndefined();
              else expect(similarity).toBeCloseTo(model.similarity(expected[rank]!.document), 9);
              expect(hit.match).toBeCloseTo(model.valueOf(expected[rank]!, asked).match, 9);
            }
            const other = withHistory(all, history, extra);
            expect(summary(other, { ...asked, meaning: measureOf(meaning, 1) })).toEqual(
              summary(inMemory(all), { ...asked, meaning: measure }),
            );
            const limit = 7;
            const paged: string[] = [];
            for (let cursor: string | undefined; ; ) {
              const page = search(other, {
                ...asked,
                limit,
                meaning: measure,
                ...(cursor ? { cursor } : {}),
              });
              paged.push(...page.hits.map(({ sessionId, id }) => `${sessionId}/${id}`));
              cursor = page.nextCursor;
              if (cursor === undefined) break;
            }
            expect(paged).toEqual(whole);
          },
        ),
        { numRuns },
      );
    },
  );

  it.each([
    ['few', documents, sessionRequest, 400],
    ['many', manyDocuments, sessionRequest, 40],
    ['days', datedDocuments, sessionRequestsOf(datedRequest), 300],
  ] as const)('ranks and values sessions as the model does, of %s', (_, some, requests, numRuns) => {
    fc.assert(
      fc.property(
        some,
        fc.tuple(some, steps, vectorValues, fc.nat(3), fc.boolean()),
        requests,
        (all, [extra, history, values, blockCount, hasMeaning], asked) => {
          const meaning = hasMeaning ? meaningOf(all, values) : undefined;
          const expected = new Model(all, { timeZone: asked.timeZone, meaning }).searchSessions(asked);
          for (const index of [inMemory(all), withHistory(all, history, extra)]) {
            const measure = meaning && measureOf(meaning, blockCount + 1);
            const hits = searchSessions(index, { ...asked, ...(measure ? { meaning: measure } : {}) });
            expect(hits.map(({ sessionId }) => sessionId)).toEqual(
              expected.slice(0, asked.limit).map(({ sessionId }) => sessionId),
            );
            for (const [rank, { relevance }] of hits.entries())
              expect(relevance).toBeCloseTo(expected[rank]!.relevance, 5);
          }
        },
      ),
      { numRuns },
    );
  });

  it.each([
    ['few', documents, request],
    ['days', datedDocuments, datedRequest],
  ] as const)(
    'depends on the live documents alone, never on how they came together, of %s',
    (_, some, requests) => {
      fc.assert(
        fc.property(some, some, steps, requests, (all, extra, history, asked) => {
          const plain = summary(inMemory(all), asked);
          expect(summary(withHistory(all, history, extra), asked)).toEqual(plain);
          const shuffled = all.toReversed();
          expect(summary(withHistory(shuffled, history.toReversed(), extra), asked)).toEqual(plain);
        }),
        { numRuns: 300 },
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
      fc.assert(
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
        { numRuns: 200 },
      );
    },
  );

  it('takes the same candidates when more match equally than are compared', () => {
    const many: Document[] = Array.from({ length: 500 }, (_, number) => ({
      order: number,
      entry: {
        schema_version: 1,
        id: `mem_${number}`,
        session_id: `sess_${number % 7}`,
        timestamp: new Date(NOW - (number % 11) * 86_400_000).toISOString(),
        type: number % 3 === 0 ? 'decision' : 'conversation',
        content: { message: number % 5 === 0 ? 'garden roses' : 'garden' },
        importance: number % 4 === 0 ? 0.7 : 0.5,
        decay_factor: 1,
        tags: [],
        references: [],
        provenance: { author: 'user', trust: 'owner' },
      },
    }));
    const extra = many.slice(0, 60);
    fc.assert(
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
      { numRuns: 15 },
    );
  });

  it.each([
    ['few', documents, 7, 200],
    ['many', manyDocuments, 60, 40],
  ] as const)('gives the same list in pages of any size, of %s', (_, some, max, numRuns) => {
    fc.assert(
      fc.property(some, request, fc.integer({ min: 1, max }), (all, asked, limit) => {
        const index = inMemory(all);
        const whole = search(index, { ...asked, limit: 1_000 }).hits.map(
          ({ sessionId, id }) => `${sessionId}/${id}`,
        );
        const paged: string[] = [];
        let cursor: string | undefined;
        do {
          const page = search(index, { ...asked, limit, ...(cursor ? { cursor } : {}) });
          paged.push(...page.hits.map(({ sessionId, id }) => `${sessionId}/${id}`));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(paged).toEqual(whole);
      }),
      { numRuns },
    );
  });
});
