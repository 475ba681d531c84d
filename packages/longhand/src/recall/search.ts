/**
 * The whole way of a query: words to candidates, candidates to strengths, strengths and decay to relevance.
 *
 *   relevance = importance × decay × recency × match
 *
 * The match of the best memory found is its strength (at most 1); every other falls from there by
 * e^(−sharpness × how much weaker it is), so that an old memory which answers beats a young one which does not.
 * Sorting uses the logarithm without the best one's share, which does not change when better memories arrive.
 */

import { MEMORY_TYPES } from '../core/records.ts';
import { BoundedBest } from './bounded-best.ts';
import { bestMatches, compareIdentity, type PackedDocument } from './candidates.ts';
import { type Cursor, givenHash, type LastPlace, readCursor, writeCursor } from './cursor.ts';
import { type DecayPolicy, decayFactor, decayFactorOfAge, MAX_RECENCY_BONUS, recencyBoost } from './decay.ts';
import { KIND_TYPE_MASK } from './entry-text.ts';
import { type PartFilter, prepareFilters } from './filter.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import type { MemoryUse } from './memory-uses.ts';
import type { Part } from './part.ts';
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
import { StrengthReader } from './strength.ts';
import { findTimeMentions } from './time-expression.ts';
import { CANDIDATES, LENDING_SHARE, SHARPNESS } from './weights.ts';

interface Ranked extends DocumentRef {
  readonly partNumber: number;
  /** What the results are sorted by, highest first. */
  readonly key: number;
  /** 0 without a text. */
  readonly strength: number;
}

const DEFAULT_LIMIT = 10;
const memory = new MatchMemory();

/**
 * Finds memories.
 *
 * @throws QueryError for a limit that is no whole number from 0 on, a wrong cursor, or too many wildcards
 * @throws SegmentDamage when a segment that is needed was harmed
 */
export function search(index: RecallIndex, request: SearchRequest): SearchPage {
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (!(Number.isInteger(limit) && limit >= 0)) {
    throw new QueryError('The limit must be a whole number, 0 or more.');
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
  #given: ReadonlySet<string> = new Set();
  /** Whether the place of a memory in the order depends on the others. */
  #isRelative = false;
  #reader: StrengthReader | undefined;
  #best: BoundedBest<Ranked>;
  /** Where the page before ended, in an order in which places stay. */
  #after: LastPlace | undefined;
  #strongest = 0;

  constructor(index: RecallIndex, request: SearchRequest, limit: number) {
    this.#index = index;
    this.#request = request;
    this.#limit = Math.min(limit, Math.max(1, index.count));
    this.#sortBy = request.sortBy ?? 'relevance';
    this.#nowMs = request.nowMs;
    this.#best = this.#bestOf(this.#limit);
  }

  #bestOf(most: number): BoundedBest<Ranked> {
    return new BoundedBest(most, (left, right) => this.#compare(left, right));
  }

  run(): SearchPage {
    const { text = '', cursor } = this.#request;
    if (cursor !== undefined) this.#resume(readCursor(cursor, fingerprint(this.#request)));
    const words = readQueryText(text);
    const required = words.isOnlyPhrases ? words.phrases : [];
    const hasFilter = required.length > 0 || isFiltering(this.#request);
    const filters = hasFilter ? prepareFilters(this.#index, this.#request, required) : undefined;
    const isAboutWords = words.words.length > 0 || words.wildcards.length > 0;
    if (!isAboutWords) {
      this.#rankAll(filters);
      return this.#page();
    }
    this.#isRelative = this.#sortBy === 'relevance' || this.#sortBy === 'match';
    const { terms, names } = queryTerms(this.#index, words);
    const matches = matchTerms(this.#index.parts(), this.#index.registry, terms, memory);
    try {
      const mentions = findTimeMentions(text, this.#nowMs);
      this.#reader = new StrengthReader(this.#index, matches, names, mentions);
      this.#rankMatches(matches, filters);
      return this.#page();
    } finally {
      matches.release();
    }
  }

  #resume({ nowMs, after }: Cursor): void {
    this.#nowMs = nowMs;
    if ('key' in after) this.#after = after;
    else {
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

  #rankAll(filters: readonly PartFilter[] | undefined): void {
    for (const [partNumber, part] of this.#index.parts().entries()) {
      const filter = filters?.[partNumber];
      if (filter) for (const document of filter.documents()) this.#offer(partNumber, document);
      else {
        const { dead, count } = part;
        for (let document = 0; document < count; document++) {
          if (dead?.[document] !== 1) this.#offer(partNumber, document);
        }
      }
    }
  }

  #rankMatches(matches: Matches, filters: readonly PartFilter[] | undefined): void {
    const enough = 2 * (this.#given.size + this.#limit);
    const wanted = this.#isRelative ? CANDIDATES + enough : Number.POSITIVE_INFINITY;
    const most = Math.max(1, Math.min(this.#index.count, wanted));
    const options = { most, enough, nowMs: this.#nowMs, policy: this.#request.policy };
    const candidates = bestMatches(this.#index, matches, filters, options);
    const partCount = matches.parts.length;
    const taken = new Set(candidates);
    if (this.#isRelative) this.#addTurnsAround(candidates, taken, filters, partCount);
    for (const packed of taken) this.#offer(packed % partCount, Math.floor(packed / partCount));
  }

  #addTurnsAround(
    candidates: readonly PackedDocument[],
    taken: Set<PackedDocument>,
    filters: readonly PartFilter[] | undefined,
    partCount: number,
  ): void {
    const reader = this.#reader!;
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
  }

  #offer(partNumber: number, document: number): void {
    const strength = this.#reader ? this.#reader.strength(partNumber, document) : 0;
    if (strength === -1) return;
    if (strength > this.#strongest) this.#strongest = strength;
    const part = this.#index.parts()[partNumber]!;
    const { worst } = this.#best;
    const isAsked = worst !== undefined && this.#isFreshnessDear(part, document);
    if (isAsked && this.#cannotReach(worst.key, part, document, strength)) return;
    const key = this.#key(part, document, strength);
    if (worst !== undefined && key < worst.key) return;
    const ranked = { partNumber, document, part, strength, key };
    if (this.#after === undefined || !this.#isBefore(ranked, this.#after)) this.#best.offer(ranked);
  }

  /** Whether more than a memory's own age has to be looked up to say what is left of it. */
  #isFreshnessDear(part: Part, document: number): boolean {
    if (this.#sortBy !== 'relevance') return false;
    const { usesOfSession } = this.#request;
    const session = this.#index.registry.ids[part.session[document]!]!;
    return usesOfSession?.has(session) === true || this.#policyOf(part, document).relatedShare > 0;
  }

  /**
   * Whether a memory comes behind `key` even if it was used a moment ago: most do, and need not be asked for
   * their use.
   */
  #cannotReach(key: number, part: Part, document: number, strength: number): boolean {
    const highest = part.importance[document]! * this.#decayAtMost(part, document) * (1 + MAX_RECENCY_BONUS);
    return Math.log(highest) + SHARPNESS * strength < key;
  }

  /** Decay itself, unless use or relatives could slow it. */
  #decayAtMost(part: Part, document: number): number {
    const policy = this.#policyOf(part, document);
    if (policy.maxHalfLifeMultiplier > 1 || policy.relatedShare > 0) return 1;
    return this.#decay(part, document, part.time[document]!, undefined);
  }

  #key(part: Part, document: number, strength: number): number {
    switch (this.#sortBy) {
      case 'relevance': {
        const { decay, recency } = this.#freshness(part, document);
        return Math.log(part.importance[document]! * decay * recency) + SHARPNESS * strength;
      }
      case 'match':
        return strength;
      case 'time':
        return part.time[document]!;
      case 'importance':
        return part.importance[document]!;
    }
  }

  /** What age and use have left of a memory. */
  #freshness(part: Part, document: number): { readonly decay: number; readonly recency: number } {
    const timestampMs = part.time[document]!;
    const use = this.#useOf(part, document);
    const recency = recencyBoost(use?.lastAccessMs ?? timestampMs, this.#nowMs);
    return { decay: this.#decay(part, document, timestampMs, use), recency };
  }

  #useOf(part: Part, document: number): MemoryUse | undefined {
    const { usesOfSession } = this.#request;
    if (usesOfSession === undefined || usesOfSession.size === 0) return undefined;
    const uses = usesOfSession.get(this.#index.registry.ids[part.session[document]!]!);
    return uses && part.useOf(document, uses);
  }

  #policyOf(part: Part, document: number): DecayPolicy {
    const { policy, policyOfSession } = this.#request;
    if (policyOfSession === undefined || policyOfSession.size === 0) return policy;
    return policyOfSession.get(this.#index.registry.ids[part.session[document]!]!) ?? policy;
  }

  #decay(part: Part, document: number, timestampMs: number, use: MemoryUse | undefined): number {
    const policy = this.#policyOf(part, document);
    const type = part.kind[document]! & KIND_TYPE_MASK;
    if (use !== undefined || policy.relatedShare > 0) {
      const input = { ...use, type: MEMORY_TYPES[type]!, timestampMs };
      const freshestRelatedMs =
        policy.relatedShare > 0 ? this.#index.freshestRelatedMs(part, document) : timestampMs;
      return decayFactor({ ...input, freshestRelatedMs }, policy, this.#nowMs);
    }
    const rate = policy.ratePerMsByTypeIndex[type]!;
    return decayFactorOfAge(this.#nowMs - timestampMs, rate, policy.minDecayFactor);
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
    const { sessionId, timestampMs } = hits.at(-1)!;
    return { key: last.key, timestampMs, sessionId, order: last.part.orderOf(last.document) };
  }

  #hit({ part, partNumber, document, strength }: Ranked): SearchHit {
    const { id, sessionId, place, timestampMs } = this.#index.describe({ part, document });
    const importance = part.importance[document]!;
    const { decay, recency } = this.#freshness(part, document);
    const best = Math.min(1, this.#strongest);
    const match = this.#reader ? best * Math.exp(SHARPNESS * (strength - this.#strongest)) : 1;
    const relevance = importance * decay * recency * match;
    const hit = { id, sessionId, place, timestampMs, relevance, importance, decay, recency, match };
    if (this.#reader === undefined || this.#request.explain !== true) return hit;
    return { ...hit, matchParts: this.#reader.parts(partNumber, document) };
  }
}
