/**
 * The whole way of a query: words to candidates, candidates to strengths, strengths and decay to relevance.
 *
 *   relevance = importance × decay × recency × match
 *
 * The match of the best memory found is its strength (at most 1); every other falls from there by
 * e^(−sharpness × how much weaker it is), so that an old memory which answers beats a young one which does not.
 * Sorting uses the logarithm without the best one's share, which does not change when better memories arrive.
 */

import { BoundedBest } from './bounded-best.ts';
import { bestMatches, compareIdentity, type PackedDocument } from './candidates.ts';
import { type Cursor, givenHash, type LastPlace, readCursor, writeCursor } from './cursor.ts';
import { type PartFilter, prepareFilters, sessionNumbers } from './filter.ts';
import { FreshnessReader, type WorthBounds } from './freshness.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import { type MatchedWords, WordsOfQuery } from './matched-words.ts';
import type { Part } from './part.ts';
import { type FoundPhrases, findPhrases } from './phrase.ts';
import { queryTerms } from './query-terms.ts';
import { QueryError, readQueryText } from './query-text.ts';
import type { DocumentRef, RecallIndex } from './recall-index.ts';
import {
  fingerprint,
  isFiltering,
  type SearchHit,
  type SearchPage,
  type SearchRequest,
  type SortKey,
} from './search-request.ts';
import { matchOf, StrengthReader } from './strength.ts';
import { askedTimes, isAnsweredByTime, isLeftToTime, TimeReader } from './time-alone.ts';
import { TimeCloseness } from './time-closeness.ts';
import { calendarOf } from './time-expression.ts';
import type { Similarity } from './vectors/similarity.ts';
import { CANDIDATES, IDEAL_TERMS, LENDING_SHARE, SHARPNESS } from './weights.ts';

interface Ranked extends DocumentRef {
  readonly partNumber: number;
  /** What the results are sorted by, highest first. */
  readonly key: number;
  /** 0 without a text. */
  readonly strength: number;
  /** Whether the turns around it were left out: it is none of those that are compared in full. */
  readonly isPlain: boolean;
}

const DEFAULT_LIMIT = 10;
const NONE_GIVEN: ReadonlySet<string> = new Set();
/** Where a time is all that is asked for. */
const NO_WORDS: MatchedWords = { matchedWords: [], matchedByDate: [] };
const memory = new MatchMemory();

/**
 * Finds memories.
 *
 * @throws QueryError for a limit that is no whole number from 0 on, a wrong cursor, or a text that is too long
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
  /** Memories of the pages before that may come up again, by their hash. */
  #given = NONE_GIVEN;
  /** Whether the place of a memory in the order depends on the others. */
  #isRelative = false;
  #reader: StrengthReader | undefined;
  /** In its place, where a time is all that is asked for. */
  #times: TimeReader | undefined;
  /** For those who ask why. */
  #words: WordsOfQuery | undefined;
  #freshness: FreshnessReader;
  /** The documents that are compared in full, packed, with their strengths. */
  #compared: ReadonlyMap<PackedDocument, number> = new Map();
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
    this.#best = this.#bestOf(this.#limit);
  }

  #bestOf(most: number): BoundedBest<Ranked> {
    return new BoundedBest(most, (left, right) => this.#compare(left, right));
  }

  run(): SearchPage {
    const { text = '', cursor } = this.#request;
    if (cursor !== undefined) this.#resume(readCursor(cursor, fingerprint(this.#request)));
    if (text === '') return this.#list();
    const words = readQueryText(text);
    if (words.isBlank) return this.#list();
    if (words.words.length === 0 && words.wildcards.length === 0) return { hits: [] };
    this.#isRelative = this.#sortBy === 'relevance' || this.#sortBy === 'match';
    const calendar = calendarOf(this.#request.timeZone);
    const asked = askedTimes(text, this.#nowMs, calendar);
    const { mentions } = asked;
    const times = new TimeCloseness(asked, calendar);
    if (isAnsweredByTime(this.#index.parts(), asked, times)) return this.#listOfTime(new TimeReader(times));
    const phrases = findPhrases(this.#index.parts(), words.phrases, calendar);
    const filters = this.#filters(words.isOnlyPhrases ? phrases : []);
    const { terms, names, askedOfNames, dates, takenFor } = queryTerms(
      this.#index,
      words,
      phrases,
      text,
      asked,
      times.spokenDays,
    );
    // With an embedder, what is near in meaning may answer.
    if (this.#request.meaning === undefined && isLeftToTime(text, mentions, terms)) {
      return this.#listOfTime(new TimeReader(times));
    }
    if (this.#request.explain === true) {
      this.#words = new WordsOfQuery(this.#index.parts(), { terms, dates, takenFor });
    }
    const options = { idealTerms: IDEAL_TERMS };
    const matches = matchTerms(this.#index.parts(), this.#index.registry, terms, memory, options);
    try {
      const similarity = this.#similarity(matches, filters);
      const sessions = this.#request.sessions && sessionNumbers(this.#index, this.#request.sessions);
      const { isWhen } = asked;
      const beside = { names, askedOfNames, times, isWhen, similarity, sessions };
      this.#reader = new StrengthReader(this.#index, matches, beside);
      this.#reader.noteNamed();
      this.#rankMatches(matches, filters);
      return this.#page();
    } finally {
      matches.release();
    }
  }

  /** Without words all that pass are found. */
  #list(): SearchPage {
    this.#rankAll(this.#filters([]));
    return this.#page();
  }

  /** Whatever is of a time. */
  #listOfTime(reader: TimeReader): SearchPage {
    this.#times = reader;
    const filters = this.#filters([]);
    for (const [partNumber, part] of this.#index.parts().entries()) {
      const filter = filters?.[partNumber];
      for (let document = 0; document < part.count; document++) {
        if (part.dead?.[document] === 1 || filter?.passes(document) === false) continue;
        const strength = reader.strength(part, document);
        if (strength > this.#strongest) this.#strongest = strength;
        this.#offerAs(partNumber, document, strength, true);
      }
    }
    return this.#page();
  }

  #filters(required: FoundPhrases): readonly PartFilter[] | undefined {
    const hasFilter = required.length > 0 || isFiltering(this.#request);
    return hasFilter ? prepareFilters(this.#index, this.#request, required) : undefined;
  }

  #similarity(matches: Matches, filters: readonly PartFilter[] | undefined): Similarity | undefined {
    const { meaning } = this.#request;
    if (meaning === undefined) return undefined;
    const similarity = meaning(this.#index);
    similarity.noteNearest(matches, filters);
    return similarity;
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
      this.#best = this.#bestOf(this.#limit + after.size);
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

  /** From the end, where the newest mostly are: they rule out nearly all others. */
  #rankAll(filters: readonly PartFilter[] | undefined): void {
    for (const [partNumber, part] of this.#index.parts().entries()) {
      const filter = filters?.[partNumber];
      const listed = filter?.listedAlone;
      if (listed !== undefined) {
        for (let at = listed.length - 1; at >= 0; at--) this.#offerPlain(partNumber, part, listed[at]!);
      } else if (filter !== undefined) {
        for (const document of filter.documents()) this.#offerPlain(partNumber, part, document);
      } else {
        const { dead, count } = part;
        for (let document = count - 1; document >= 0; document--) {
          if (dead?.[document] !== 1) this.#offerPlain(partNumber, part, document);
        }
      }
    }
  }

  /** Without words there is nothing to compare. */
  #offerPlain(partNumber: number, part: Part, document: number): void {
    const { worst } = this.#best;
    if (worst !== undefined && this.#cannotReach(worst.key, part, document, 0)) return;
    const key = this.#key(part, document, 0);
    if (worst !== undefined) {
      if (key < worst.key) return;
      // Of equals the newer comes first: old memories that have faded all the way are equals.
      if (key === worst.key && part.time[document]! < worst.part.time[worst.document]!) return;
    }
    this.#take({ partNumber, document, part, strength: 0, key, isPlain: true });
  }

  #rankMatches(matches: Matches, filters: readonly PartFilter[] | undefined): void {
    const reader = this.#reader!;
    const freshness = this.#sortBy === 'match' ? undefined : this.#freshness;
    const candidates = bestMatches(this.#index, matches, filters, reader, freshness);
    const partCount = matches.parts.length;
    const compared = new Map<PackedDocument, number>();
    // As many as the candidates are before all others.
    const isEnough = this.#isRelative && this.#given.size + this.#limit <= CANDIDATES;
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
      const filter = filters?.[partNumber];
      for (let at = 0; at < matchedCount; at++) {
        const document = matched[at]!;
        if (filter !== undefined && !filter.passes(document)) continue;
        if (this.#isRelative && compared.has(document * partCount + partNumber)) continue;
        this.#offer(partNumber, document);
      }
    }
  }

  #withTurnsAround(
    candidates: readonly PackedDocument[],
    filters: readonly PartFilter[] | undefined,
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
          if (!filters || filters[foundPart]!.passes(foundDocument)) {
            taken.add(foundDocument * partCount + foundPart);
          }
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
    this.#take({ partNumber, document, part, strength, key, isPlain });
  }

  #take(ranked: Ranked): void {
    if (this.#after !== undefined && this.#isBefore(ranked, this.#after)) return;
    this.#best.offer(ranked);
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

  #page(): SearchPage {
    let ranked = this.#best.sorted();
    if (this.#given.size > 0) ranked = ranked.filter((each) => !this.#wasGiven(each)).slice(0, this.#limit);
    const hits = ranked.map((each) => this.#hit(each));
    const last = ranked.at(-1);
    const isLast = !last || hits.length < (this.#request.limit ?? DEFAULT_LIMIT);
    if (isLast || this.#request.withoutCursor === true) return { hits };
    const query = fingerprint(this.#request);
    return { hits, nextCursor: writeCursor({ query, nowMs: this.#nowMs, after: this.#end(last, hits) }) };
  }

  #wasGiven({ part, document }: Ranked): boolean {
    const sessionId = this.#index.registry.ids[part.session[document]!]!;
    return this.#given.has(givenHash(sessionId, part.row(document).id));
  }

  /** Where a page with these hits ends. */
  #end(last: Ranked, hits: readonly SearchHit[]): Cursor['after'] {
    if (this.#isRelative) {
      return new Set([...this.#given, ...hits.map(({ sessionId, id }) => givenHash(sessionId, id))]);
    }
    const { sessionId, timestampMs, id } = hits.at(-1)!;
    return { key: last.key, timestampMs, sessionId, order: last.part.orderOf(last.document), id };
  }

  #hit({ part, partNumber, document, strength, isPlain }: Ranked): SearchHit {
    const place = part.row(document);
    const { id } = place;
    const sessionId = this.#index.registry.ids[part.session[document]!]!;
    const timestampMs = part.time[document]!;
    const importance = part.importance[document]!;
    const { decay, recency } = this.#freshness.of(part, document, this.#closeness(part, document));
    const isMatch = this.#reader !== undefined || this.#times !== undefined;
    const match = isMatch ? matchOf(strength, this.#strongest) : 1;
    const relevance = importance * decay * recency * match;
    const hit = { id, sessionId, place, timestampMs, relevance, importance, decay, recency, match };
    if (!isMatch || this.#request.explain !== true) return hit;
    const matchParts =
      this.#reader?.parts(partNumber, document, isPlain) ?? this.#times!.parts(part, document);
    return { ...hit, matchParts, ...(this.#words?.in(partNumber, document) ?? NO_WORDS) };
  }
}
