/**
 * Search against a model that follows the description word by word, with maps and arrays and no index.
 *
 * Model and index must agree on every result, its order and its relevance, in small collections and in ones with
 * more matches than are compared in full; and they must agree whatever way the index came to its documents.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecayConfig } from '../src/core/decay-config.ts';
import { MEMORY_TYPES, type MemoryEntry, type MemoryType } from '../src/core/records.ts';
import { decayFactor, recencyBoost, resolveDecayPolicy } from '../src/recall/decay.ts';
import { dateText, KIND_ASKS, KIND_HOLDS_QUESTION, readEntry } from '../src/recall/entry-text.ts';
import { MemoryUses } from '../src/recall/memory-uses.ts';
import { readQueryText, termsOf } from '../src/recall/query-text.ts';
import { type OpenSegment, RecallIndex } from '../src/recall/recall-index.ts';
import { search } from '../src/recall/search.ts';
import type { SearchRequest } from '../src/recall/search-request.ts';
import type { SegmentReader } from '../src/recall/segment-format.ts';
import { isStopword } from '../src/recall/stopwords.ts';
import { matchesTags, resolveTagFilter } from '../src/recall/tag-match.ts';
import { findTimeMentions, mentionCloseness, parseWithin } from '../src/recall/time-expression.ts';
import { quantise } from '../src/recall/vectors/quantise.ts';
import { type MeasureMeaning, Similarity } from '../src/recall/vectors/similarity.ts';
import { encodeBlock, idHashesOf, type NewRow, VectorBlock } from '../src/recall/vectors/vector-block.ts';
import { VectorTable } from '../src/recall/vectors/vector-table.ts';
import * as weights from '../src/recall/weights.ts';
import { compileWildcard, matchesWildcard } from '../src/recall/wildcard.ts';
import { forEachWord, termOf } from '../src/recall/words.ts';

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
  readonly words: readonly string[];
  readonly frequencies = new Map<string, number>();
  readonly length: number;
  readonly kind: number;
  readonly author: string;
  readonly time: number;

  constructor({ entry, order }: Document) {
    const said = readEntry(entry);
    this.entry = entry;
    this.order = order;
    this.time = Date.parse(entry.timestamp);
    this.texts = [...said.texts, dateText(this.time)].map(wordsOf);
    this.words = this.texts.flat();
    for (const term of this.words.map(termOf)) this.frequencies.set(term, this.frequency(term) + 1);
    this.length = this.words.filter((word) => !isStopword(word)).length;
    this.kind = said.kind;
    this.author = said.author;
  }

  frequency(term: string): number {
    return this.frequencies.get(term) ?? 0;
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

  get lengthFactor(): number {
    const long = [1, 8, 64].filter((times) => this.length >= times * weights.LONG_MEMORY_WORDS);
    return 1 - weights.LONG_MEMORY_DISCOUNT * long.length;
  }

  isTurn(): boolean {
    return this.entry.type === 'conversation';
  }
}

interface Meaning {
  readonly vectors: ReadonlyMap<string, Int8Array>;
  readonly asked: Int8Array;
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
  /** Session and id → vector, as whole numbers; and that of the question. */
  readonly vectors: ReadonlyMap<string, Int8Array>;
  readonly asked: Int8Array | undefined;
  /** Of the last search: the strength that the match of all is measured by. */
  strongest = 0;

  constructor(documents: readonly Document[], meaning?: Meaning) {
    this.documents = documents.map((document) => new ModelDocument(document));
    this.vectors = meaning?.vectors ?? new Map();
    this.asked = meaning?.asked;
  }

  /** In steps of 1/32768; `undefined` without a vector. */
  cosine({ entry }: ModelDocument): number | undefined {
    const vector = this.vectors.get(`${entry.session_id}/${entry.id}`);
    if (vector === undefined || this.asked === undefined) return undefined;
    const product = (left: Int8Array, right: Int8Array): number =>
      left.reduce((sum, value, at) => sum + value * right[at]!, 0);
    const length = Math.sqrt(product(this.asked, this.asked)) * Math.sqrt(product(vector, vector));
    return Math.round((product(this.asked, vector) / length) * 32_768) / 32_768;
  }

  /** How far a document stands out, in deviations; 0 for those below the mean. */
  deviations(document: ModelDocument): number {
    const cosines = this.documents.map((each) => this.cosine(each)).filter((each) => each !== undefined);
    while (cosines.length < weights.FEW_VECTORS) cosines.push(0);
    const mean = cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
    const variance = cosines.reduce((sum, each) => sum + (each - mean) ** 2, 0) / cosines.length;
    const cosine = this.cosine(document) ?? -2;
    return cosine <= mean || variance < 1e-12 ? 0 : (cosine - mean) / Math.sqrt(variance);
  }

  similarity(document: ModelDocument): number {
    return weights.SIMILARITY * Math.min(weights.MOST_DEVIATIONS, this.deviations(document));
  }

  /** Those that stand out most, of those that pass. */
  nearest(passing: readonly ModelDocument[]): ModelDocument[] {
    return passing
      .filter((document) => this.deviations(document) > 0)
      .sort(
        (left, right) =>
          this.cosine(right)! - this.cosine(left)! ||
          right.time - left.time ||
          (left.entry.session_id < right.entry.session_id ? -1 : 1) *
            (left.entry.session_id === right.entry.session_id ? 0 : 1) ||
          right.order - left.order,
      )
      .slice(0, weights.NEAREST);
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
    const isOnlyStopwords = text.words.every(isStopword);
    const isName = (word: string): boolean =>
      (isOnlyStopwords || !isStopword(word) || text.capitalised.has(word)) && authors.has(nameOf(word));
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
    if (request.references && !this.related(request).has(document)) return false;
    return true;
  }

  /** What a reference in a session means: its own memory, else those of others. */
  meant(session: string | undefined, id: string): readonly ModelDocument[] {
    const all = this.documents.filter(({ entry }) => entry.id === id);
    const own = all.filter(({ entry }) => entry.session_id === session);
    return own.length > 0 ? own : all;
  }

  /** The memories one step of references away; one that is gone connects those that speak of it. */
  neighboursOf(node: ModelDocument | string): (ModelDocument | string)[] {
    const targets = (from: ModelDocument): (ModelDocument | string)[] =>
      from.entry.references.flatMap((id): (ModelDocument | string)[] => {
        const meant = this.meant(from.entry.session_id, id);
        return meant.length > 0 ? [...meant] : [id];
      });
    const incoming = this.documents.filter((each) => targets(each).includes(node));
    return typeof node === 'string' ? incoming : [...targets(node), ...incoming];
  }

  related(request: SearchRequest): Set<ModelDocument | string> {
    const starts = request.references!.flatMap((id): (ModelDocument | string)[] => {
      const meant = this.meant(request.referencesFrom, id);
      return meant.length > 0 ? [...meant] : [id];
    });
    const reached = new Set(starts);
    let level = [...reached];
    for (let depth = 0; depth < (request.maxDepth ?? 1); depth++) {
      level = [...new Set(level.flatMap((node) => this.neighboursOf(node)))].filter(
        (each) => !reached.has(each),
      );
      for (const node of level) reached.add(node);
    }
    for (const start of starts) reached.delete(start);
    return reached;
  }

  freshness(document: ModelDocument, request: SearchRequest): { decay: number; recency: number } {
    const { entry, time } = document;
    const own = request.policyOfSession?.get(entry.session_id) ?? request.policy;
    const use = request.usesOfSession?.get(entry.session_id)?.get(entry.id);
    const relatives =
      own.relatedShare > 0 ? this.neighboursOf(document).filter((each) => typeof each !== 'string') : [];
    const freshestRelatedMs = Math.max(time, ...relatives.map((each) => each.time));
    const decay = decayFactor({ ...use, type: entry.type, timestampMs: time, freshestRelatedMs }, own, NOW);
    const recency = recencyBoost(use?.lastAccessMs ?? time, NOW);
    return { decay: Math.max(decay, this.closeness(document, request)), recency };
  }

  closeness({ time }: ModelDocument, request: SearchRequest): number {
    const mentions = findTimeMentions(request.text ?? '', NOW);
    return Math.max(0, ...mentions.map((mention) => mentionCloseness(mention, time)));
  }

  key(document: ModelDocument, strength: number, request: SearchRequest): number {
    switch (request.sortBy ?? 'relevance') {
      case 'match':
        return strength;
      case 'time':
        return document.time;
      case 'importance':
        return document.entry.importance;
      case 'relevance': {
        const { decay, recency } = this.freshness(document, request);
        return Math.log(document.entry.importance * decay * recency) + weights.SHARPNESS * strength;
      }
    }
  }

  search(request: SearchRequest): ModelHit[] {
    this.strongest = 0;
    const text = readQueryText(request.text ?? '');
    const hasWords = text.words.length > 0 || text.wildcards.length > 0;
    if (!hasWords && !text.isBlank) return [];
    const passing = this.documents.filter((document) => this.passes(document, request));
    const strengths = hasWords ? this.strengths(request, passing) : new Map(passing.map((each) => [each, 0]));
    return this.ordered(strengths, request);
  }

  ordered(strengths: ReadonlyMap<ModelDocument, number>, request: SearchRequest): ModelHit[] {
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
    if (ideal === 0) ideal = 1;
    const near = new Set(this.nearest(passing));
    const isFound = (document: ModelDocument): boolean => own.get(document)! > 0 || near.has(document);
    const matched = passing.filter(isFound);
    const strengthOf = (document: ModelDocument, lent: number): number => {
      const isNamed = wordsOf(document.author).some((word) => names.has(word));
      const sum =
        (own.get(document)! * document.lengthFactor) / ideal +
        lent / ideal +
        weights.SESSION_PRIOR * (sessions.get(document.entry.session_id)! / (sessionIdeal || 1)) +
        (isNamed ? weights.NAMED_AUTHOR : 0) +
        weights.NAMED_TIME * this.closeness(document, request) +
        ((document.kind & KIND_ASKS) !== 0 ? -weights.ASKING_PENALTY : 0) +
        this.similarity(document);
      return Math.max(0, sum);
    };
    const strengths = new Map(matched.map((document) => [document, strengthOf(document, 0)]));
    const sortBy = request.sortBy === 'match' ? 'match' : 'relevance';
    const candidates = this.ordered(strengths, { ...request, sortBy })
      .slice(0, weights.CANDIDATES)
      .map(({ document }) => document);
    const compared = new Set(candidates);
    const best = Math.max(0, ...candidates.map((document) => own.get(document)!));
    for (const document of candidates) {
      if (!document.isTurn() || own.get(document)! < weights.LENDING_SHARE * best) continue;
      for (const step of [-2, -1, 1, 2]) {
        const neighbour = this.neighbour(document, step);
        if (neighbour && passing.includes(neighbour)) compared.add(neighbour);
      }
    }
    const isByMatch = (request.sortBy ?? 'relevance') === 'relevance' || request.sortBy === 'match';
    for (const document of compared) {
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
      if (!isFound(document) && lent === 0) continue;
      this.strongest = Math.max(this.strongest, strengthOf(document, lent));
      if (isByMatch || isFound(document)) strengths.set(document, strengthOf(document, lent));
    }
    this.strongest = Math.max(this.strongest, ...strengths.values());
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
  'Will',
  'café',
  'コーヒー',
  '清华大学',
  '🎉',
  '2026-01-10',
  '東京',
  '2026',
  '10,000',
];
const AUTHORS = ['Ingrid', 'Olaf Berg', 'Will', 'user'];
const TAGS = ['security', 'security.tokens', 'Garden', 'deprecated'];

const word = fc.constantFrom(...VOCABULARY);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 6 }), fc.constantFrom('.', '?', ''))
  .map(([words, end]) => words.join(' ') + end);
const message = fc.array(sentence, { minLength: 1, maxLength: 2 }).map((sentences) => sentences.join(' '));

const draft = fc.record({
  session: fc.nat(3),
  type: fc.oneof(
    { weight: 3, arbitrary: fc.constant<MemoryType>('conversation') },
    fc.constantFrom(...MEMORY_TYPES),
  ),
  message,
  author: fc.option(fc.constantFrom(...AUTHORS), { nil: undefined }),
  ageDays: fc.nat(200),
  importance: fc.constantFrom(0, 0.1, 0.5, 0.7, 1),
  // Longer than what counts as long, now and then.
  times: fc.constantFrom(...Array.from({ length: 30 }, () => 1), 150),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }),
  references: fc.uniqueArray(fc.nat(14), { maxLength: 2 }),
  agent: fc.option(fc.constantFrom('planner', 'writer'), { nil: undefined }),
});

function documentsOf(minLength: number, maxLength: number): fc.Arbitrary<Document[]> {
  return fc.array(draft, { minLength, maxLength }).map((drafts) => {
    const inSession = new Map<number, number>();
    return drafts.map(({ session, message, times, author, ageDays, agent, references, ...rest }, number) => {
      // Ids are unique in their session only: every session has a mem_0.
      const count = inSession.get(session) ?? 0;
      inSession.set(session, count + 1);
      return {
        order: number + 1,
        entry: {
          schema_version: 1,
          id: `mem_${count}`,
          session_id: `sess_${session}`,
          timestamp: new Date(NOW - ageDays * 86_400_000).toISOString(),
          content: {
            message: Array.from({ length: times }, () => message).join(' '),
            ...(author ? { speaker: author } : {}),
          },
          decay_factor: 1,
          references: references.map((target) => `mem_${target}`),
          provenance: { author: 'user', trust: 'owner', ...(agent ? { agent_id: agent } : {}) },
          ...rest,
        },
      };
    });
  });
}

const documents = documentsOf(0, 25);
/** More of them match than are compared in full. */
const manyDocuments = documentsOf(80, 120);

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
    fc.nat(14).map((target) => `mem_${target}`),
    { minLength: 1, maxLength: 2 },
  ),
  sessions: fc.uniqueArray(fc.constantFrom('sess_0', 'sess_1', 'sess_9'), { maxLength: 2 }),
  referencesFrom: fc.constantFrom('sess_0', 'sess_9'),
  authors: fc.uniqueArray(fc.constantFrom('ingrid', 'Olaf Berg', 'nobody'), { minLength: 1, maxLength: 2 }),
  agents: fc.constant(['planner']),
  within: fc.constantFrom('last week', 'last 60 days', 'since 2026-03-01'),
  policy: fc
    .constantFrom<DecayConfig>(
      { reinforcement: { enabled: true } },
      { related: { enabled: true } },
      { min_decay_factor: 0, related: { enabled: true, share: 1 } },
    )
    .map((config) => resolveDecayPolicy(config)),
  policyOfSession: fc
    .constantFrom({ enabled: false }, { half_life_hours: 10 })
    .map((override) => new Map([['sess_0', resolveDecayPolicy({}, override)]])),
  usesOfSession: fc
    .array(fc.record({ id: fc.nat(9), hours: fc.nat(400), accessCount: fc.integer({ min: 1, max: 40 }) }), {
      maxLength: 6,
    })
    .map((uses) => {
      const used = uses.map(
        ({ id, hours, accessCount }) =>
          [`mem_${id}`, { lastAccessMs: NOW - hours * 3_600_000, accessCount }] as const,
      );
      return new Map([
        ['sess_0', new MemoryUses(used)],
        ['sess_1', new MemoryUses(used.slice(1))],
      ]);
    }),
};

// A few conditions at a time: with all of them nothing is left to compare.
const request: fc.Arbitrary<SearchRequest> = fc
  .tuple(fc.subarray(Object.keys(CONDITIONS), { maxLength: 3 }), fc.record(CONDITIONS), queryText, fc.nat(3))
  .map(([kept, conditions, text, maxDepth]) => {
    const { within, ...others }: Partial<typeof conditions> = Object.fromEntries(
      Object.entries(conditions).filter(([key]) => kept.includes(key)),
    );
    const parsed = within === undefined ? undefined : parseWithin(within, NOW);
    return {
      nowMs: NOW,
      policy,
      limit: 1000,
      text,
      maxDepth,
      ...others,
      ...(parsed?.ok ? parsed.range : {}),
    };
  });

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
  return (index) => new Similarity(index, { table, generationOf: () => 'g', vector });
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
  it.each([
    ['few', documents, 400],
    ['many', manyDocuments, 25],
  ] as const)('finds, orders and values what the model does, of %s', (_, some, numRuns) => {
    fc.assert(
      fc.property(some, request, (all, asked) => {
        const model = new Model(all);
        const expected = model.search(asked);
        const { hits } = search(inMemory(all), { ...asked, explain: true });
        expect(hits.map(({ sessionId, id }) => `${sessionId}/${id}`)).toEqual(
          expected.map(({ document: { entry } }) => `${entry.session_id}/${entry.id}`),
        );
        const { strongest } = model;
        for (const [rank, hit] of hits.entries()) {
          const { document, strength } = expected[rank]!;
          const hasWords = hit.matchParts !== undefined;
          const match = hasWords
            ? Math.min(1, strongest) * Math.exp(weights.SHARPNESS * (strength - strongest))
            : 1;
          const { decay, recency } = model.freshness(document, asked);
          const worth = document.entry.importance * decay * recency;
          expect(hit.match).toBeCloseTo(match, 9);
          expect(hit.relevance).toBeCloseTo(worth * match, 9);
        }
      }),
      { numRuns },
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
            const model = new Model(all, meaning);
            const expected = model.search(asked);
            const measure = measureOf(meaning, blockCount + 1);
            const found = search(inMemory(all), { ...asked, explain: true, meaning: measure }).hits;
            expect(found.map(({ sessionId, id }) => `${sessionId}/${id}`)).toEqual(
              expected.map(({ document: { entry } }) => `${entry.session_id}/${entry.id}`),
            );
            for (const [rank, hit] of found.entries()) {
              if (hit.matchParts === undefined) continue;
              expect(hit.matchParts.similarity).toBeCloseTo(model.similarity(expected[rank]!.document), 9);
              const { strength } = expected[rank]!;
              const { strongest } = model;
              const match = Math.min(1, strongest) * Math.exp(weights.SHARPNESS * (strength - strongest));
              expect(hit.match).toBeCloseTo(match, 9);
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
            expect(paged).toEqual(found.map(({ sessionId, id }) => `${sessionId}/${id}`));
          },
        ),
        { numRuns },
      );
    },
  );

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

  it.each([
    ['few', documents, 7, 200],
    ['many', manyDocuments, 60, 40],
  ] as const)('gives the same list in pages of any size, of %s', (_, some, max, numRuns) => {
    fc.assert(
      fc.property(some, request, fc.integer({ min: 1, max }), (all, asked, limit) => {
        const index = inMemory(all);
        const whole = search(index, asked).hits.map(({ sessionId, id }) => `${sessionId}/${id}`);
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
