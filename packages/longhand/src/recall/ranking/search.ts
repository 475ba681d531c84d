/**
 * The whole way of a query: words to candidates, candidates to strengths, strengths and decay to relevance.
 *
 *   relevance = importance × decay × recency × match quality
 *
 * The match quality of the strongest memory is 1; that of every other is e^(−sharpness × how much weaker it is), so that an old
 * memory which answers beats a young one which does not. Sorting uses the logarithm without the strongest, which does not
 * change when stronger memories arrive.
 */

import { calendarOf } from '../../time/index.ts';
import {
  CANDIDATES,
  IDEAL_TERMS,
  LENDING_SHARE,
  MEANING_MATCH,
  MOST_DEVIATIONS,
  NAMED_TIME,
  QueryError,
  readQueryText,
  SHARPNESS,
  SIMILARITY,
} from '../analysis/index.ts';
import type { DocumentRef, Part, RecallIndex } from '../index/index.ts';
import { AskedTimes } from './asked-times.ts';
import { Candidates } from './candidates.ts';
import { type Cursor, givenHash, type LastPlace, readCursor, writeCursor } from './cursor.ts';
import { compareIdentity, type PackedDocument } from './document-order.ts';
import { type PartFilter, prepareFilters, sessionNumbers } from './filter.ts';
import { FreshnessReader, type WorthBounds } from './freshness.ts';
import { BoundedBest } from './lists.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import { type MatchedWords, matchedWordsIn } from './matched-words.ts';
import { queryTerms } from './query-terms.ts';
import {
  fingerprint,
  type SearchHit,
  type SearchPage,
  type SearchRequest,
  type SortKey,
} from './search-request.ts';
import type { Similarity } from './similarity.ts';
import { lengthFactor, type MatchParts, matchQuality, StrengthReader } from './strength.ts';
import { findPhrases, isHeld } from './word-terms.ts';

interface Ranked extends DocumentRef {
  readonly partNumber: number;
  /** What the results are sorted by, highest first. */
  readonly key: number;
  /** 0 without a text. */
  readonly strength: number;
  /** Whether the turns around it were left out: it is not one of those that are compared in full. */
  readonly isPlain: boolean;
}

type MeaningOf = (partNumber: number, document: number) => number;

const DEFAULT_LIMIT = 10;
/** So many times as many are ranked when too many of the best say the same. */
const WIDENING = 4;
const NONE_GIVEN: ReadonlySet<string> = new Set();
/** Where a time is all that is asked for. */
const NO_WORDS: MatchedWords = { matchedWords: [], matchedByDate: [] };
const NO_PARTS: MatchParts = { words: 0, neighbours: 0, session: 0, author: 0, time: 0, question: 0 };
const memory = new MatchMemory();

/**
 * Finds memories.
 *
 * @throws QueryError for a limit that is not a whole number of at least 0, a wrong cursor, or a text that is too long
 * or has too many phrases or wildcards
 * @throws SegmentDamage when a segment that is needed was harmed
 */
export function search(index: RecallIndex, request: SearchRequest): SearchPage {
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (!(Number.isInteger(limit) && limit >= 0)) {
    throw new QueryError('The limit must be a whole number, 0 or more.', 'limit');
  }
  if (limit === 0) return { hits: [] };
  return new Search(index, request, limit).run();
}

class Search {
  #index: RecallIndex;
  #request: SearchRequest;
  #limit: number;
  #sortBy: SortKey;
  #nowMs: number;
  /** Hits of the pages before that may come up again, by their hash. */
  #given = NONE_GIVEN;
  /** Whether one hit stands for all that say the same. */
  #collapses = false;
  /** Whether the place of a memory in the order depends on the others. */
  #isRelative = false;
  #reader: StrengthReader | undefined;
  /** In its place, where a time is all that is asked for. */
  #times: AskedTimes | undefined;
  #meaning: MeaningOf | undefined;
  /** For those who ask why. */
  #words: ((partNumber: number, document: number) => MatchedWords) | undefined;
  #freshness: FreshnessReader;
  /** The documents that are compared in full, packed, with their strengths. */
  #compared: ReadonlyMap<PackedDocument, number> = new Map();
  /** So many are ranked: those that were given, and that others stand for, may be among them. */
  #most: number;
  #best: BoundedBest<Ranked>;
  /** Where the page before ended, in an order in which places stay. */
  #after: LastPlace | undefined;
  #strongest = 0;
  /** The part that was ranked last, and the bound for its documents. */
  #boundPart: Part | undefined;
  #worthBounds: WorthBounds | undefined;

  constructor(index: RecallIndex, request: SearchRequest, limit: number) {
    this.#index = index;
    this.#request = request;
    this.#limit = Math.min(limit, Math.max(1, index.count));
    this.#sortBy = request.sortBy ?? 'relevance';
    this.#nowMs = request.nowMs;
    this.#freshness = new FreshnessReader(index, request, this.#nowMs);
    this.#most = this.#limit;
    this.#best = this.#bestOf();
  }

  #bestOf(): BoundedBest<Ranked> {
    return new BoundedBest(this.#most, (left, right) => this.#compare(left, right));
  }

  run(): SearchPage {
    const { text = '', cursor } = this.#request;
    if (cursor !== undefined) this.#resume(readCursor(cursor, fingerprint(this.#request)));
    if (text === '') return this.#list();
    const whole = readQueryText(text);
    if (whole.isBlank) return this.#list();
    if (whole.words.length === 0 && whole.wildcards.length === 0) return { hits: [] };
    this.#isRelative = this.#sortBy === 'relevance' || this.#sortBy === 'match';
    const { collapse, passages } = this.#request;
    this.#collapses = this.#isRelative && (collapse === true || passages === true);
    const times = new AskedTimes(text, this.#nowMs, calendarOf(this.#request.timeZone));
    if (times.isAlone) return this.#listOfTime(times);
    const words = times.hasMentions ? readQueryText(times.rest) : whole;
    const phrases = findPhrases(this.#index.parts(), words.phrases);
    const filters = prepareFilters(this.#index, this.#request, words.isOnlyPhrases ? phrases : []);
    const { terms, names, askedOfNames, takenFor } = queryTerms(this.#index, words, phrases, times);
    const similarity = this.#request.meaning?.(this.#index, times.rest);
    const isLeftToTimes = times.isLeftAlone(terms);
    if (isLeftToTimes && !terms.some(({ postings }) => isHeld(postings)))
      return this.#listOfTime(times, this.#meaningOf(similarity));
    const options = { idealTerms: IDEAL_TERMS, raritySessions: passages === true };
    const matches = matchTerms(this.#index.parts(), this.#index.registry, terms, memory, options);
    this.#words = (part, document) => matchedWordsIn({ terms, takenFor }, matches, part, document);
    try {
      // What is of a time is the answer then, and meaning alone finds nothing else.
      if (!isLeftToTimes) similarity?.noteNearest(matches, filters);
      const sessions = this.#request.sessions && sessionNumbers(this.#index, this.#request.sessions);
      const beside = { names, askedOfNames, times, similarity, sessions };
      this.#reader = new StrengthReader(this.#index, matches, beside);
      this.#reader.noteNamed();
      const ranked = this.#enough(() => this.#rankMatches(matches, filters));
      // What the best session adds is of this index alone.
      const strongest = this.#strongest - this.#reader.highestSessionPart;
      return this.#page(ranked, this.#duplicatesOf(ranked, matches, filters), strongest);
    } finally {
      matches.release();
    }
  }

  /** Without words all that pass are found. */
  #list(): SearchPage {
    for (const [partNumber, filter] of prepareFilters(this.#index, this.#request).entries())
      for (const document of filter.documents()) this.#offerAs(partNumber, document, 0, true);
    return this.#page(this.#notGiven());
  }

  /** How near documents are in meaning, 0 to 1, where no memory holds a word of the question. */
  #meaningOf(similarity: Similarity | undefined): MeaningOf {
    const parts = this.#index.parts();
    return (partNumber, document) =>
      (lengthFactor(parts[partNumber]!, document) * (similarity?.part(partNumber, document, 1) ?? 0)) /
      (SIMILARITY * MOST_DEVIATIONS);
  }

  /** All memories of a time. @param meaning orders them, where other words are asked for than those of the time */
  #listOfTime(times: AskedTimes, meaning?: MeaningOf): SearchPage {
    this.#times = times;
    this.#meaning = meaning;
    const filters = prepareFilters(this.#index, this.#request);
    const duplicates = new Map<number, number>();
    const { passages } = this.#request;
    const strongestOf = new Map<number, number>();
    const ranked = this.#enough(() => {
      duplicates.clear();
      strongestOf.clear();
      for (const [partNumber, filter] of filters.entries()) {
        const { part } = filter;
        for (const document of filter.documents()) {
          const closeness = times.strength(part, document);
          if (closeness === -1) continue;
          const strength = closeness + (meaning?.(partNumber, document) ?? 0);
          if (strength > this.#strongest) this.#strongest = strength;
          const session = part.session[document]!;
          // Most passages of a text are alike, and it takes time to tell which comes first.
          if (passages === true && strength <= (strongestOf.get(session) ?? -1)) continue;
          if (passages === true) strongestOf.set(session, strength);
          const hash = part.textHash[document]!;
          if (this.#collapses) duplicates.set(hash, (duplicates.get(hash) ?? -1) + 1);
          this.#offerAs(partNumber, document, strength, true);
        }
      }
    });
    return this.#page(ranked, duplicates, this.#strongest - 1 + NAMED_TIME);
  }

  /** Ranks, and ranks more when too many of the best were given or say the same. */
  #enough(rank: () => void): readonly Ranked[] {
    for (;;) {
      rank();
      const ranked = this.#notGiven();
      if (ranked.length === this.#limit || !this.#widen()) return ranked;
    }
  }

  /** Whether more can be ranked than were. */
  #widen(): boolean {
    if (this.#best.worst === undefined) return false;
    this.#most *= WIDENING;
    this.#best = this.#bestOf();
    return true;
  }

  /** The best of those that no page has given, and of those that say the same the first. */
  #notGiven(): readonly Ranked[] {
    const said = new Set<number>();
    const ranked: Ranked[] = [];
    for (const each of this.#best.sorted()) {
      if (ranked.length === this.#limit) break;
      if (this.#given.size > 0 && this.#given.has(this.#hashOf(each))) continue;
      const same = this.#sameness(each.part, each.document);
      if (this.#collapses && said.has(same)) continue;
      said.add(same);
      ranked.push(each);
    }
    return ranked;
  }

  /** By which a hit is known again on a later page. */
  #hashOf({ part, document }: Ranked): string {
    if (this.#collapses) return givenHash('', this.#sameness(part, document).toString(36));
    return givenHash(this.#index.registry.ids[part.session[document]!]!, part.row(document).id);
  }

  /** The same number for those of which one stands for all: for what says the same, or for passages of one text. */
  #sameness(part: Part, document: number): number {
    return this.#request.passages === true ? part.session[document]! : part.textHash[document]!;
  }

  /** How many matches that pass say the same as each of some hits, by their hash. */
  #duplicatesOf(
    ranked: readonly Ranked[],
    { parts, scores }: Matches,
    filters: readonly PartFilter[],
  ): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    // Nearly all matches are ruled out by a few bits of their hashes.
    const marks = new Uint8Array(MARKS);
    for (const { part, document } of this.#collapses ? ranked : []) {
      counts.set(part.textHash[document]!, -1);
      marks[bitsOf(wordsOf(part.textHash), document)] = 1;
    }
    for (let partNumber = 0; counts.size > 0 && partNumber < parts.length; partNumber++) {
      const { textHash } = parts[partNumber]!;
      const words = wordsOf(textHash);
      const { matched, matchedCount } = scores[partNumber]!;
      for (let at = 0; at < matchedCount; at++) {
        const document = matched[at]!;
        if (marks[bitsOf(words, document)] === 0) continue;
        const count = counts.get(textHash[document]!);
        if (count === undefined || !filters[partNumber]!.passes(document)) continue;
        counts.set(textHash[document]!, count + 1);
      }
    }
    return counts;
  }

  #resume({ nowMs, after }: Cursor): void {
    this.#nowMs = nowMs;
    this.#freshness = new FreshnessReader(this.#index, this.#request, nowMs);
    if ('key' in after) {
      const { order = after.order } = this.#index.get(after.sessionId, after.id) ?? {};
      this.#after = { ...after, order };
    } else {
      this.#given = after;
      // All that were given may be among the best again.
      this.#most = this.#limit + after.size;
      this.#best = this.#bestOf();
    }
  }

  /** Whether a memory comes before a place, or is the one that stood there. */
  #isBefore(other: Ranked, after: LastPlace): boolean {
    const time = other.part.time[other.document]!;
    const session = this.#index.registry.ids[other.part.session[other.document]!]!;
    const isSame = time === after.timestampMs && session === after.sessionId;
    if (isSame && other.part.orderOf(other.document) === after.order) return true;
    if (other.key !== after.key) return other.key > after.key;
    if (time !== after.timestampMs) return time > after.timestampMs;
    if (session !== after.sessionId) return session < after.sessionId;
    return other.part.orderOf(other.document) > after.order;
  }

  #rankMatches(matches: Matches, filters: readonly PartFilter[]): void {
    const reader = this.#reader!;
    const freshness = this.#sortBy === 'match' ? undefined : this.#freshness;
    const candidates = new Candidates(this.#index, matches, filters, reader, freshness);
    const partCount = matches.parts.length;
    const compared = new Map<PackedDocument, number>();
    // As many as the candidates are before all others.
    const isEnough = this.#isRelative && this.#request.minMatch === undefined && this.#most <= CANDIDATES;
    this.#strongest = candidates.strongest;
    for (const packed of this.#withTurnsAround(candidates.documents, filters, partCount)) {
      const partNumber = packed % partCount;
      const document = Math.floor(packed / partCount);
      const strength = reader.strength(partNumber, document);
      if (strength > this.#strongest) this.#strongest = strength;
      if (this.#isRelative) this.#offerAs(partNumber, document, strength, false);
      if (!isEnough) compared.set(packed, strength);
    }
    if (isEnough) return;
    this.#compared = compared;
    for (let partNumber = 0; partNumber < partCount; partNumber++) {
      const { matched, matchedCount } = matches.scores[partNumber]!;
      const filter = filters[partNumber]!;
      for (let at = 0; at < matchedCount; at++) {
        const document = matched[at]!;
        if (!filter.passes(document)) continue;
        if (this.#isRelative && compared.has(document * partCount + partNumber)) continue;
        this.#offer(partNumber, document);
      }
    }
  }

  #withTurnsAround(
    candidates: readonly PackedDocument[],
    filters: readonly PartFilter[],
    partCount: number,
  ): Set<PackedDocument> {
    const reader = this.#reader!;
    const taken = new Set(candidates);
    let best = 0;
    for (const packed of candidates) {
      best = Math.max(best, reader.ownScore(packed % partCount, Math.floor(packed / partCount)));
    }
    for (const packed of candidates) {
      const partNumber = packed % partCount;
      const document = Math.floor(packed / partCount);
      if (reader.ownScore(partNumber, document) < LENDING_SHARE * best) continue;
      if (!reader.isTurn(partNumber, document)) continue;
      for (let step: 1 | -1 = -1; ; step = 1) {
        let isThere = reader.step(partNumber, document, step);
        for (let distance = 1; isThere; distance++) {
          const { foundPart, foundDocument } = reader;
          if (filters[foundPart]!.passes(foundDocument)) taken.add(foundDocument * partCount + foundPart);
          isThere = distance < 2 && reader.step(foundPart, foundDocument, step);
        }
        if (step === 1) break;
      }
    }
    return taken;
  }

  #offer(partNumber: number, document: number): void {
    const full = this.#compared.get(document * this.#index.parts().length + partNumber);
    const strength = full ?? this.#plainStrength(partNumber, document);
    this.#offerAs(partNumber, document, strength, full === undefined);
  }

  /** @param strength −1 for a document that is not found */
  #offerAs(partNumber: number, document: number, strength: number, isPlain: boolean): void {
    if (strength === -1) return;
    const part = this.#index.parts()[partNumber]!;
    const worst = this.#best.worst?.key;
    if (worst !== undefined && this.#cannotReach(worst, part, document, strength)) return;
    const key = this.#key(part, document, strength);
    if (worst !== undefined && key < worst) return;
    const { minMatch = 0 } = this.#request;
    if (minMatch > 0 && this.#match(partNumber, document) < minMatch) return;
    const ranked = { partNumber, document, part, strength, key, isPlain };
    if (this.#after === undefined || !this.#isBefore(ranked, this.#after)) this.#best.offer(ranked);
  }

  #plainStrength(partNumber: number, document: number): number {
    const reader = this.#reader!;
    if (!reader.isFound(partNumber, document)) return -1;
    const part = this.#index.parts()[partNumber]!;
    return reader.plain(partNumber, document, reader.closeness(part, document));
  }

  /** Most come behind without their use being asked for. */
  #cannotReach(key: number, part: Part, document: number, strength: number): boolean {
    if (this.#sortBy !== 'relevance') return false;
    if (part !== this.#boundPart) {
      this.#boundPart = part;
      const hasMentions = (this.#reader ?? this.#times)?.hasMentions === true;
      this.#worthBounds = this.#freshness.worthBounds(part, hasMentions);
    }
    const atMost = this.#worthBounds!.logWorthAtMost(document);
    return atMost + SHARPNESS * strength < key;
  }

  /** 1 where no word is asked for: of a list, and of what is of a time where nothing else is asked for. */
  #match(partNumber: number, document: number): number {
    if (this.#reader !== undefined) return this.#reader.match(partNumber, document);
    return this.#meaning === undefined ? 1 : MEANING_MATCH * this.#meaning(partNumber, document);
  }

  #closeness(part: Part, document: number): number {
    return (this.#reader ?? this.#times)?.closeness(part, document) ?? 0;
  }

  #key(part: Part, document: number, strength: number): number {
    switch (this.#sortBy) {
      case 'relevance':
        return (
          this.#freshness.logWorth(part, document, this.#closeness(part, document)) + SHARPNESS * strength
        );
      case 'match':
        return strength;
      case 'time':
        return part.time[document]!;
      case 'importance':
        return part.importance[document]!;
    }
  }

  #compare(left: Ranked, right: Ranked): number {
    if (left.key !== right.key) return left.key > right.key ? -1 : 1;
    return compareIdentity(this.#index, left, right);
  }

  #page(ranked: readonly Ranked[], duplicates?: ReadonlyMap<number, number>, strongest?: number): SearchPage {
    const last = ranked.at(-1);
    if (last === undefined) return { hits: [] };
    const hits = ranked.map((each) => this.#hit(each, duplicates));
    const page = strongest === undefined ? { hits } : { hits, strongest };
    const isLast = hits.length < (this.#request.limit ?? DEFAULT_LIMIT);
    if (isLast || this.#request.withoutCursor === true) return page;
    const query = fingerprint(this.#request);
    const after = this.#isRelative
      ? new Set([...this.#given, ...ranked.map((each) => this.#hashOf(each))])
      : this.#placeOf(last, hits.at(-1)!);
    return { ...page, nextCursor: writeCursor({ query, nowMs: this.#nowMs, after }) };
  }

  #placeOf(last: Ranked, { sessionId, timestampMs, id }: SearchHit): LastPlace {
    return { key: last.key, timestampMs, sessionId, order: last.part.orderOf(last.document), id };
  }

  #hit(
    { part, partNumber, document, strength, isPlain }: Ranked,
    duplicatesByHash: ReadonlyMap<number, number> | undefined,
  ): SearchHit {
    const place = part.row(document);
    const { id } = place;
    const sessionId = this.#index.registry.ids[part.session[document]!]!;
    const timestampMs = part.time[document]!;
    const importance = part.importance[document]!;
    const { decay, recency } = this.#freshness.of(part, document, this.#closeness(part, document));
    const isMatch = this.#reader !== undefined || this.#times !== undefined;
    const quality = isMatch ? matchQuality(strength, this.#strongest) : 1;
    const relevance = importance * decay * recency * quality;
    const match = this.#match(partNumber, document);
    const factors = { importance, decay, recency, quality };
    // A hit that only its neighbours found is not a match.
    const duplicates = Math.max(0, duplicatesByHash?.get(part.textHash[document]!) ?? 0);
    const hit = { id, sessionId, place, timestampMs, relevance, ...factors, match, strength, duplicates };
    if (!isMatch || this.#request.explain !== true) return hit;
    const matchParts = this.#reader?.parts(partNumber, document, isPlain) ?? {
      ...NO_PARTS,
      time: this.#closeness(part, document),
      ...(this.#meaning && { similarity: this.#meaning(partNumber, document) }),
    };
    return { ...hit, matchParts, ...(this.#words?.(partNumber, document) ?? NO_WORDS) };
  }
}

const MARKS = 1024;

function wordsOf({ buffer, byteOffset, length }: Float64Array): Int32Array {
  return new Int32Array(buffer, byteOffset, 2 * length);
}

function bitsOf(words: Int32Array, document: number): number {
  return (words[2 * document]! >>> 8) & (MARKS - 1);
}
