/**
 * Search against a model that follows the description word by word, with maps and arrays and no index.
 *
 * The collections are small enough that every match is compared in full, so model and index must agree on every
 * result, its order and its relevance; and they must agree whatever way the index came to its documents.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEMORY_TYPES, type MemoryEntry, type MemoryType } from '../core/records.ts';
import { decayFactor, recencyBoost, resolveDecayPolicy } from './decay.ts';
import { dateText, KIND_ASKS, KIND_HOLDS_QUESTION, readEntry } from './entry-text.ts';
import { readQueryText, termsOf } from './query-text.ts';
import { type OpenSegment, RecallIndex } from './recall-index.ts';
import { referenceClosure } from './references.ts';
import { search } from './search.ts';
import type { SearchRequest } from './search-request.ts';
import type { SegmentReader } from './segment-format.ts';
import { isStopword } from './stopwords.ts';
import { matchesTags, resolveTagFilter } from './tag-match.ts';
import { findTimeMentions, mentionCloseness } from './time-expression.ts';
import * as weights from './weights.ts';
import { compileWildcard, matchesWildcard } from './wildcard.ts';
import { forEachWord, termOf } from './words.ts';

const NOW = Date.UTC(2026, 5, 1);
const policy = resolveDecayPolicy();

interface Document {
  readonly entry: MemoryEntry;
  readonly order: number;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (word) => words.push(word));
  return words;
}

/** A document as the model knows it. */
class ModelDocument {
  readonly entry: MemoryEntry;
  readonly order: number;
  readonly texts: readonly (readonly string[])[];
  readonly kind: number;
  readonly author: string;
  readonly time: number;

  constructor({ entry, order }: Document) {
    const said = readEntry(entry);
    this.entry = entry;
    this.order = order;
    this.time = Date.parse(entry.timestamp);
    this.texts = [...said.texts, dateText(this.time)].map(wordsOf);
    this.kind = said.kind;
    this.author = said.author;
  }

  get words(): string[] {
    return this.texts.flat();
  }

  frequency(term: string): number {
    return this.words.filter((word) => termOf(word) === term).length;
  }

  /** The frequency of the most frequent written word or stem that a pattern matches. */
  wildcardFrequency(pattern: string): number {
    const compiled = compileWildcard(pattern);
    const written = new Map<string, number>();
    const stems = new Map<string, number>();
    for (const word of this.words) {
      if (word !== termOf(word)) written.set(word, (written.get(word) ?? 0) + 1);
      stems.set(termOf(word), (stems.get(termOf(word)) ?? 0) + 1);
    }
    let most = 0;
    for (const counts of [written, stems]) {
      for (const [word, count] of counts) if (matchesWildcard(compiled, word)) most = Math.max(most, count);
    }
    return most;
  }

  hasPhrase(phrase: readonly string[]): boolean {
    return this.texts.some((words) =>
      words.some((_, start) => phrase.every((term, step) => termOf(words[start + step] ?? '') === term)),
    );
  }

  get length(): number {
    return this.words.filter((word) => !isStopword(word)).length;
  }

  isTurn(): boolean {
    return this.entry.type === 'conversation';
  }
}

interface ModelTerm {
  readonly name: string;
  readonly frequencyIn: (document: ModelDocument) => number;
}

interface ModelHit {
  readonly document: ModelDocument;
  readonly key: number;
  readonly strength: number;
}

function rarity(holders: number, all: number): number {
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}

class Model {
  readonly documents: readonly ModelDocument[];

  constructor(documents: readonly Document[]) {
    this.documents = documents.map((document) => new ModelDocument(document));
  }

  neighbour(document: ModelDocument, step: number): ModelDocument | undefined {
    const session = this.documents
      .filter(({ entry }) => entry.session_id === document.entry.session_id)
      .sort((left, right) => left.order - right.order);
    return session[session.indexOf(document) + step];
  }

  terms(request: SearchRequest): { terms: ModelTerm[]; names: Set<string> } {
    const text = readQueryText(request.text ?? '');
    const authors = new Set(this.documents.flatMap(({ author }) => wordsOf(author)));
    const nameOf = (word: string): string => word.replace(/'s?$/, '');
    const isName = (word: string): boolean => !isStopword(word) && authors.has(nameOf(word));
    const names = new Set(text.words.filter(isName).map(nameOf));
    const others = text.words.filter((word) => !isName(word));
    const terms: ModelTerm[] = termsOf(others).map((term) => ({
      name: term,
      frequencyIn: (document) => document.frequency(term),
    }));
    const isFound = terms.some((term) => this.documents.some((document) => term.frequencyIn(document) > 0));
    if (!isFound || others.every(isStopword)) {
      for (const name of names) {
        terms.push({
          name: `@${name}`,
          frequencyIn: (document) =>
            Math.max(document.frequency(termOf(name)), wordsOf(document.author).includes(name) ? 1 : 0),
        });
      }
    }
    for (const phrase of text.phrases.filter((terms) => terms.length > 1)) {
      terms.push({
        name: phrase.join(' '),
        frequencyIn: (document) => (document.hasPhrase(phrase) ? 1 : 0),
      });
    }
    for (const pattern of text.wildcards) {
      terms.push({ name: pattern, frequencyIn: (document) => document.wildcardFrequency(pattern) });
    }
    return { terms, names };
  }

  passes(document: ModelDocument, request: SearchRequest): boolean {
    const { entry, time } = document;
    const text = readQueryText(request.text ?? '');
    if (text.isOnlyPhrases && !text.phrases.every((phrase) => document.hasPhrase(phrase))) return false;
    if (request.types && !request.types.includes(entry.type)) return false;
    if (request.tags && !matchesTags(entry.tags, resolveTagFilter(request.tags))) return false;
    if (time < (request.startMs ?? -Infinity) || time > (request.endMs ?? Infinity)) return false;
    if (entry.importance < (request.minImportance ?? 0)) return false;
    if (request.sessions && ![...request.sessions].includes(entry.session_id)) return false;
    if (
      request.authors &&
      !request.authors.some((name) => name.toLowerCase() === document.author.toLowerCase())
    ) {
      return false;
    }
    if (request.agents && !request.agents.includes(entry.provenance.agent_id ?? '')) return false;
    if (request.references) {
      const byId = new Map(this.documents.map(({ entry: each }) => [each.id, each]));
      const { reached } = referenceClosure(
        request.references,
        {
          referencesOf: (id) => byId.get(id)?.references,
          referencedBy: (id) =>
            this.documents.filter((each) => each.entry.references.includes(id)).map((each) => each.entry.id),
        },
        { maxDepth: request.maxDepth ?? 1 },
      );
      if (!reached.some(({ id, depth }) => id === entry.id && depth > 0)) return false;
    }
    return true;
  }

  key(document: ModelDocument, strength: number, request: SearchRequest): number {
    const { entry, time } = document;
    switch (request.sortBy ?? 'relevance') {
      case 'match':
        return strength;
      case 'time':
        return time;
      case 'importance':
        return entry.importance;
      case 'relevance': {
        const decay = decayFactor({ type: entry.type, timestampMs: time }, policy, request.nowMs);
        const worth = entry.importance * decay * recencyBoost(time, request.nowMs);
        return Math.log(worth) + weights.SHARPNESS * strength;
      }
    }
  }

  search(request: SearchRequest): ModelHit[] {
    const text = readQueryText(request.text ?? '');
    const hasWords = text.words.length > 0 || text.wildcards.length > 0;
    const passing = this.documents.filter((document) => this.passes(document, request));
    const strengths = hasWords ? this.strengths(request, passing) : new Map(passing.map((each) => [each, 0]));
    const hits = [...strengths].map(([document, strength]) => ({
      document,
      strength,
      key: this.key(document, strength, request),
    }));
    return hits.sort(
      (left, right) =>
        (left.key === right.key ? 0 : right.key - left.key) ||
        right.document.time - left.document.time ||
        (left.document.entry.session_id < right.document.entry.session_id ? -1 : 1) *
          (left.document.entry.session_id === right.document.entry.session_id ? 0 : 1) ||
        right.document.order - left.document.order,
    );
  }

  strengths(request: SearchRequest, passing: readonly ModelDocument[]): Map<ModelDocument, number> {
    const { terms, names } = this.terms(request);
    const counted = terms
      .map((term) => ({ term, holders: this.documents.filter((each) => term.frequencyIn(each) > 0).length }))
      .filter(({ holders }) => holders > 0)
      .sort((left, right) => left.holders - right.holders || (left.term.name < right.term.name ? -1 : 1));
    const own = new Map(this.documents.map((document) => [document, 0]));
    const sessions = new Map(this.documents.map(({ entry }) => [entry.session_id, 0]));
    const lengthOf = (id: string): number =>
      this.documents
        .filter(({ entry }) => entry.session_id === id)
        .reduce((sum, each) => sum + each.length, 0);
    const averageLength =
      this.documents.reduce((sum, each) => sum + each.length, 0) / Math.max(1, sessions.size);
    let ideal = 0;
    let sessionIdeal = 0;
    const weightOf = new Map<ModelTerm, number>();
    for (const { term, holders } of counted) {
      const weight = rarity(holders, this.documents.length);
      weightOf.set(term, weight);
      ideal += weight;
      for (const document of this.documents) {
        const frequency = Math.min(255, term.frequencyIn(document));
        const gain =
          (weight * frequency * (1 + weights.WORD_SATURATION)) / (frequency + weights.WORD_SATURATION);
        own.set(document, Math.fround(own.get(document)! + gain));
      }
      const inSession = [...sessions.keys()].map((id) => ({
        id,
        frequency: this.documents
          .filter(({ entry }) => entry.session_id === id)
          .reduce((sum, each) => sum + Math.min(255, term.frequencyIn(each)), 0),
      }));
      const sessionWeight = rarity(inSession.filter(({ frequency }) => frequency > 0).length, sessions.size);
      sessionIdeal += sessionWeight;
      for (const { id, frequency } of inSession.filter(({ frequency }) => frequency > 0)) {
        const relativeLength = lengthOf(id) / (averageLength || 1);
        const share = weights.SESSION_LENGTH_SHARE;
        const slope = weights.SESSION_SATURATION * (1 - share + share * relativeLength);
        const gain = (sessionWeight * frequency * (1 + weights.SESSION_SATURATION)) / (frequency + slope);
        sessions.set(id, sessions.get(id)! + gain);
      }
    }
    const candidates = new Set(passing.filter((document) => own.get(document)! > 0));
    const reranks =
      request.sortBy === undefined || request.sortBy === 'relevance' || request.sortBy === 'match';
    const best = Math.max(0, ...[...candidates].map((document) => own.get(document)!));
    for (const document of reranks ? [...candidates] : []) {
      if (!document.isTurn() || own.get(document)! < weights.LENDING_SHARE * best) continue;
      for (const step of [-2, -1, 1, 2]) {
        const neighbour = this.neighbour(document, step);
        if (neighbour && passing.includes(neighbour)) candidates.add(neighbour);
      }
    }
    const mentions = findTimeMentions(request.text ?? '', request.nowMs);
    const strengths = new Map<ModelDocument, number>();
    for (const document of candidates) {
      let lent = 0;
      for (const [step, share] of [
        [-1, weights.PREVIOUS_TURN],
        [-2, weights.SECOND_TURN],
        [1, weights.NEXT_TURN],
        [2, weights.SECOND_TURN],
      ] as const) {
        const neighbour = this.neighbour(document, step);
        if (!document.isTurn() || !neighbour?.isTurn()) continue;
        const asks = step < 0 && (neighbour.kind & KIND_HOLDS_QUESTION) !== 0;
        const held = counted.filter(({ term }) => term.frequencyIn(neighbour) > 0).map(({ term }) => term);
        let fresh = 0;
        let again = 0;
        for (const term of held) {
          if (term.frequencyIn(document) > 0) again += weightOf.get(term)!;
          else fresh += weightOf.get(term)!;
        }
        lent += share * (asks ? weights.QUESTION_LENDS : 1) * (fresh + weights.LENT_AGAIN * again);
      }
      if (own.get(document) === 0 && lent === 0) continue;
      const isNamed = wordsOf(document.author).some((word) => names.has(word));
      const closeness = Math.max(0, ...mentions.map((mention) => mentionCloseness(mention, document.time)));
      const sum =
        own.get(document)! / ideal +
        lent / ideal +
        weights.SESSION_PRIOR * (sessions.get(document.entry.session_id)! / (sessionIdeal || 1)) +
        (isNamed ? weights.NAMED_AUTHOR : 0) +
        weights.NAMED_TIME * closeness +
        ((document.kind & KIND_ASKS) !== 0 ? -weights.ASKING_PENALTY : 0);
      strengths.set(document, Math.max(0, sum));
    }
    return strengths;
  }
}

const VOCABULARY = [
  'garden',
  'gardens',
  'planted',
  'planting',
  'roses',
  'token',
  'tokens',
  'authentication',
  'authorize',
  'lake',
  'camping',
  'May',
  'the',
  'and',
  'did',
  'you',
  'Ingrid',
  'café',
  '東京',
  '2026',
  '10,000',
];
const AUTHORS = ['Ingrid', 'Olaf Berg', 'user'];
const TAGS = ['security', 'security.tokens', 'Garden', 'deprecated'];

const word = fc.constantFrom(...VOCABULARY);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 6 }), fc.constantFrom('.', '?', ''))
  .map(([words, end]) => words.join(' ') + end);
const message = fc.array(sentence, { minLength: 1, maxLength: 2 }).map((sentences) => sentences.join(' '));

const documents = fc
  .array(
    fc.record({
      session: fc.nat(3),
      type: fc.oneof(
        { weight: 3, arbitrary: fc.constant<MemoryType>('conversation') },
        fc.constantFrom(...MEMORY_TYPES),
      ),
      message,
      author: fc.option(fc.constantFrom(...AUTHORS), { nil: undefined }),
      ageDays: fc.nat(200),
      importance: fc.constantFrom(0.1, 0.5, 0.7, 1),
      tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }),
      references: fc.uniqueArray(fc.nat(24), { maxLength: 2 }),
      agent: fc.option(fc.constantFrom('planner', 'writer'), { nil: undefined }),
    }),
    { maxLength: 25 },
  )
  .map((drafts) =>
    drafts.map(
      (draft, number): Document => ({
        order: number + 1,
        entry: {
          schema_version: 1,
          id: `mem_${number}`,
          session_id: `sess_${draft.session}`,
          timestamp: new Date(NOW - draft.ageDays * 86_400_000).toISOString(),
          type: draft.type,
          content: { message: draft.message, ...(draft.author ? { speaker: draft.author } : {}) },
          importance: draft.importance,
          decay_factor: 1,
          tags: draft.tags,
          references: draft.references.map((target) => `mem_${target}`),
          provenance: { author: 'user', trust: 'owner', ...(draft.agent ? { agent_id: draft.agent } : {}) },
        },
      }),
    ),
  );

const queryText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: word },
      fc.constantFrom('garden*', 'auth*', '*token', 'pl*ing', "Ingrid's", 'last week', 'three months ago'),
      fc.tuple(word, word).map(([first, second]) => `"${first} ${second}"`),
    ),
    { maxLength: 4 },
  )
  .map((pieces) => pieces.join(' '));

const CONDITIONS = {
  sortBy: fc.constantFrom('relevance' as const, 'match' as const, 'time' as const, 'importance' as const),
  types: fc.uniqueArray(fc.constantFrom(...MEMORY_TYPES), { minLength: 1, maxLength: 2 }),
  tags: fc.record(
    {
      include: fc.uniqueArray(fc.constantFrom(...TAGS, 'unknown'), { maxLength: 2 }),
      exclude: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 1 }),
      mode: fc.constantFrom('all' as const, 'any' as const),
      exact: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  startMs: fc.nat(200).map((days) => NOW - days * 86_400_000),
  endMs: fc.nat(200).map((days) => NOW - days * 86_400_000),
  minImportance: fc.constantFrom(0.5, 0.7),
  references: fc.uniqueArray(
    fc.nat(24).map((target) => `mem_${target}`),
    { minLength: 1, maxLength: 2 },
  ),
  sessions: fc.uniqueArray(fc.constantFrom('sess_0', 'sess_1', 'sess_9'), { maxLength: 2 }),
  authors: fc.uniqueArray(fc.constantFrom('melanie', 'Olaf Berg'), { minLength: 1, maxLength: 2 }),
  agents: fc.constant(['planner']),
};

// A few conditions at a time: with all of them nothing is left to compare.
const request: fc.Arbitrary<SearchRequest> = fc
  .tuple(fc.subarray(Object.keys(CONDITIONS), { maxLength: 2 }), fc.record(CONDITIONS), queryText, fc.nat(3))
  .map(([kept, conditions, text, maxDepth]) => ({
    ...Object.fromEntries(Object.entries(conditions).filter(([key]) => kept.includes(key))),
    text,
    maxDepth,
    nowMs: NOW,
    policy,
    limit: 100,
  }));

function readerOf(bytes: Uint8Array): SegmentReader {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
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

function summary(index: RecallIndex, asked: SearchRequest): unknown {
  return search(index, { ...asked, explain: true }).hits.map(
    ({ id, sessionId, relevance, match, matchParts }) => ({
      id,
      sessionId,
      relevance,
      match,
      matchParts,
    }),
  );
}

describe('search', () => {
  it('finds, orders and values what the model does', () => {
    fc.assert(
      fc.property(documents, request, (all, asked) => {
        const expected = new Model(all).search(asked);
        const { hits } = search(inMemory(all), { ...asked, explain: true });
        expect(hits.map(({ id }) => id)).toEqual(expected.map(({ document }) => document.entry.id));
        const strongest = Math.max(...expected.map(({ strength }) => strength));
        for (const [rank, hit] of hits.entries()) {
          const { document, strength } = expected[rank]!;
          const hasWords = hit.matchParts !== undefined;
          const match = hasWords
            ? Math.min(1, strongest) * Math.exp(weights.SHARPNESS * (strength - strongest))
            : 1;
          const decay = decayFactor({ type: document.entry.type, timestampMs: document.time }, policy, NOW);
          const worth = document.entry.importance * decay * recencyBoost(document.time, NOW);
          expect(hit.match).toBeCloseTo(match, 9);
          expect(hit.relevance).toBeCloseTo(worth * match, 9);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('depends on the live documents alone, never on how they came together', () => {
    fc.assert(
      fc.property(documents, documents, steps, request, (all, extra, history, asked) => {
        const plain = summary(inMemory(all), asked);
        expect(summary(withHistory(all, history, extra), asked)).toEqual(plain);
        const shuffled = all.toReversed();
        expect(summary(withHistory(shuffled, history.toReversed(), extra), asked)).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });

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

  it('gives the same list in pages, whatever their size', () => {
    fc.assert(
      fc.property(documents, request, fc.integer({ min: 1, max: 7 }), (all, asked, limit) => {
        const index = inMemory(all);
        const whole = search(index, asked).hits.map(({ id }) => id);
        const paged: string[] = [];
        let cursor: string | undefined;
        do {
          const page = search(index, { ...asked, limit, ...(cursor ? { cursor } : {}) });
          paged.push(...page.hits.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(paged).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
});
