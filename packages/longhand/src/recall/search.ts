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
import { bestMatches, type Candidate, compareIdentity } from './candidates.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type DecayPolicy, decayFactor, recencyBoost } from './decay.ts';
import type { DocumentPlace } from './document-table.ts';
import { KIND_TYPE_MASK } from './entry-text.ts';
import { type MemoryFilter, type PartFilter, prepareFilters } from './filter.ts';
import { type Matches, MatchMemory, matchTerms } from './match.ts';
import type { Part } from './part.ts';
import { queryTerms } from './query-terms.ts';
import { QueryError, readQueryText } from './query-text.ts';
import type { RecallIndex } from './recall-index.ts';
import { type MatchParts, StrengthReader, strengthOf } from './strength.ts';
import { findTimeMentions } from './time-expression.ts';
import { CANDIDATES, SHARPNESS } from './weights.ts';

export type SortKey = 'relevance' | 'match' | 'time' | 'importance';

export interface SearchRequest extends MemoryFilter {
  /** What to look for; without it all that passes the filter is found. */
  readonly text?: string;
  /** The moment of asking: ages, and times in the text, count from here. */
  readonly nowMs: number;
  readonly policy: DecayPolicy;
  /** Policies of sessions that have one of their own. */
  readonly policyOfSession?: ReadonlyMap<string, DecayPolicy>;
  /** Default `relevance`. */
  readonly sortBy?: SortKey;
  /** Default 10. 0 gives nothing. */
  readonly limit?: number;
  /** From the page before. */
  readonly cursor?: string;
}

/** A found memory with everything that its rank came from. */
export interface SearchHit {
  readonly id: string;
  readonly sessionId: string;
  readonly place: DocumentPlace;
  readonly timestampMs: number;
  readonly relevance: number;
  readonly importance: number;
  readonly decay: number;
  readonly recency: number;
  /** 0 to 1; 1 without a text. */
  readonly match: number;
  /** What the match is made of; without a text there is none. */
  readonly matchParts?: MatchParts;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** There may be more behind this. */
  readonly nextCursor?: string;
}

interface Ranked extends Candidate {
  readonly part: Part;
  /** What the results are sorted by, highest first. */
  readonly key: number;
  readonly strength: number;
  readonly matchParts: MatchParts | undefined;
}

const memory = new MatchMemory();

/**
 * Finds memories.
 *
 * @throws QueryError for a limit that is no whole number from 0 on, a wrong cursor, or too many wildcards
 * @throws SegmentDamage when a segment that is needed was harmed
 */
export function search(index: RecallIndex, request: SearchRequest): SearchPage {
  const limit = request.limit ?? 10;
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
  #seen = 0;
  #reader: StrengthReader | undefined;
  #best: BoundedBest<Ranked>;
  #after: { readonly key: number; readonly isBefore: (ranked: Ranked) => boolean } | undefined;
  #strongest = 0;

  constructor(index: RecallIndex, request: SearchRequest, limit: number) {
    this.#index = index;
    this.#request = request;
    this.#limit = Math.min(limit, Math.max(1, index.count));
    this.#sortBy = request.sortBy ?? 'relevance';
    this.#nowMs = request.nowMs;
    this.#best = new BoundedBest(this.#limit, (left, right) => this.#compare(left, right));
  }

  run(): SearchPage {
    const { text = '', cursor } = this.#request;
    const query = fingerprint(this.#request);
    const after = cursor === undefined ? undefined : readCursor(cursor, query);
    if (after) {
      this.#nowMs = after.nowMs;
      this.#seen = after.seen;
    }
    const words = readQueryText(text);
    const hasFilter = words.phrases.length > 0 || isFiltering(this.#request);
    const filters = hasFilter ? prepareFilters(this.#index, this.#request, words.phrases) : undefined;
    const isAboutWords = words.words.length > 0 || words.wildcards.length > 0;
    if (!isAboutWords) {
      if (after) this.#resume(after, undefined);
      this.#rankAll(filters);
      return this.#page(query);
    }
    const { terms, names } = queryTerms(this.#index, words);
    const matches = matchTerms(this.#index.parts(), this.#index.registry, terms, memory);
    try {
      const mentions = findTimeMentions(text, this.#nowMs);
      this.#reader = new StrengthReader(this.#index, matches, names, mentions);
      if (after) this.#resume(after, matches);
      this.#rankMatches(matches, filters);
      return this.#page(query);
    } finally {
      matches.release();
    }
  }

  /** Sets the place behind which the page begins: that of the cursor's memory, if it is still there. */
  #resume(after: ReturnType<typeof readCursor>, matches: Matches | undefined): void {
    const found = this.#index.find(after.sessionId, after.id);
    const ranked =
      found && this.#rank(this.#index.parts().indexOf(found.part), found.document, matches !== undefined);
    if (ranked) {
      this.#after = { key: ranked.key, isBefore: (other) => this.#compare(other, ranked) <= 0 };
      return;
    }
    this.#after = {
      key: after.key,
      isBefore: (other) => {
        if (other.key !== after.key) return other.key > after.key;
        const time = other.part.time[other.document]!;
        if (time !== after.timestampMs) return time > after.timestampMs;
        const session = this.#index.registry.ids[other.part.session[other.document]!]!;
        if (session !== after.sessionId) return session < after.sessionId;
        return other.part.orderOf(other.document) >= after.order;
      },
    };
  }

  #rankAll(filters: readonly PartFilter[] | undefined): void {
    for (const [partNumber, part] of this.#index.parts().entries()) {
      const filter = filters?.[partNumber];
      if (filter) for (const document of filter.documents()) this.#offer(partNumber, document, false);
      else {
        const { dead, count } = part;
        for (let document = 0; document < count; document++) {
          if (dead?.[document] !== 1) this.#offer(partNumber, document, false);
        }
      }
    }
  }

  #rankMatches(matches: Matches, filters: readonly PartFilter[] | undefined): void {
    if (this.#sortBy === 'time' || this.#sortBy === 'importance') {
      for (const candidate of this.#allMatches(matches, filters)) {
        this.#offer(candidate.partNumber, candidate.document, true);
      }
      return;
    }
    const most = Math.min(this.#index.count, CANDIDATES + 2 * (this.#seen + this.#limit));
    const options = { most, nowMs: this.#nowMs, policy: this.#request.policy };
    const candidates = bestMatches(this.#index, matches, filters, options);
    const taken = new Set<number>();
    const partCount = matches.parts.length;
    const take = (partNumber: number, document: number): void => {
      const name = document * partCount + partNumber;
      if (taken.has(name)) return;
      taken.add(name);
      this.#offer(partNumber, document, true);
    };
    for (const { partNumber, document } of candidates) take(partNumber, document);
    const reader = this.#reader!;
    for (const { partNumber, document } of candidates) {
      if (!reader.isTurn(partNumber, document)) continue;
      for (const step of [1, -1] as const) {
        let [atPart, atDocument] = [partNumber, document];
        for (let distance = 1; distance <= 2 && reader.step(atPart, atDocument, step); distance++) {
          [atPart, atDocument] = [reader.foundPart, reader.foundDocument];
          if (filters && !filters[atPart]!.passes(atDocument)) continue;
          take(atPart, atDocument);
          [reader.foundPart, reader.foundDocument] = [atPart, atDocument];
        }
      }
    }
  }

  #allMatches(matches: Matches, filters: readonly PartFilter[] | undefined): Candidate[] {
    const most = Math.max(1, this.#index.count);
    return bestMatches(this.#index, matches, filters, {
      most,
      nowMs: this.#nowMs,
      policy: this.#request.policy,
    });
  }

  #offer(partNumber: number, document: number, hasText: boolean): void {
    const ranked = this.#rank(partNumber, document, hasText);
    if (!ranked) return;
    this.#strongest = Math.max(this.#strongest, ranked.strength);
    if (!this.#after?.isBefore(ranked)) this.#best.offer(ranked);
  }

  #rank(partNumber: number, document: number, hasText: boolean): Ranked | undefined {
    const part = this.#index.parts()[partNumber]!;
    const matchParts = hasText ? this.#reader?.read(partNumber, document) : undefined;
    if (hasText && !matchParts) return undefined;
    const strength = matchParts ? strengthOf(matchParts) : 0;
    return { partNumber, document, part, strength, matchParts, key: this.#key(part, document, strength) };
  }

  #key(part: Part, document: number, strength: number): number {
    switch (this.#sortBy) {
      case 'relevance': {
        const { importance, decay, recency } = this.#worth(part, document);
        return Math.log(importance * decay * recency) + SHARPNESS * strength;
      }
      case 'match':
        return strength;
      case 'time':
        return part.time[document]!;
      case 'importance':
        return part.importance[document]!;
    }
  }

  #worth(part: Part, document: number): { importance: number; decay: number; recency: number } {
    const use = part.uses.size > 0 ? part.uses.get(document) : undefined;
    const timestampMs = part.time[document]!;
    const { policyOfSession } = this.#request;
    const policy =
      policyOfSession?.get(this.#index.registry.ids[part.session[document]!]!) ?? this.#request.policy;
    const type = MEMORY_TYPES[part.kind[document]! & KIND_TYPE_MASK]!;
    return {
      importance: part.importance[document]!,
      decay: decayFactor({ ...use, type, timestampMs }, policy, this.#nowMs),
      recency: recencyBoost(use?.lastAccessMs ?? timestampMs, this.#nowMs),
    };
  }

  #compare(left: Ranked, right: Ranked): number {
    if (left.key !== right.key) return left.key > right.key ? -1 : 1;
    return compareIdentity(this.#index, left, right);
  }

  #page(query: string): SearchPage {
    const ranked = this.#best.sorted();
    const hits = ranked.map((each) => this.#hit(each));
    const last = ranked.at(-1);
    if (!last || hits.length < this.#limit) return { hits };
    const { id, sessionId, timestampMs } = hits.at(-1)!;
    const nextCursor = writeCursor({
      query,
      nowMs: this.#nowMs,
      seen: this.#seen + hits.length,
      sessionId,
      id,
      key: last.key,
      timestampMs,
      order: last.part.orderOf(last.document),
    });
    return { hits, nextCursor };
  }

  #hit({ part, document, strength, matchParts }: Ranked): SearchHit {
    const { id, sessionId, place, timestampMs } = this.#index.describe({ part, document });
    const worth = this.#worth(part, document);
    const best = Math.min(1, this.#strongest);
    const match = matchParts ? best * Math.exp(SHARPNESS * (strength - this.#strongest)) : 1;
    const relevance = worth.importance * worth.decay * worth.recency * match;
    const base = { id, sessionId, place, timestampMs, relevance, ...worth, match };
    return matchParts ? { ...base, matchParts } : base;
  }
}

function isFiltering(filter: MemoryFilter): boolean {
  return (
    filter.types !== undefined ||
    filter.tags !== undefined ||
    filter.startMs !== undefined ||
    filter.endMs !== undefined ||
    filter.minImportance !== undefined ||
    filter.references !== undefined ||
    filter.sessions !== undefined ||
    filter.authors !== undefined ||
    filter.agents !== undefined
  );
}

/** Tells queries apart, for cursors. */
function fingerprint(request: SearchRequest): string {
  const { text, types, tags, startMs, endMs, minImportance, references, maxDepth, authors, agents, sortBy } =
    request;
  const sessions = request.sessions && [...request.sessions];
  const asked = JSON.stringify([
    sortBy,
    text,
    types,
    tags,
    startMs,
    endMs,
    minImportance,
    references,
    maxDepth,
    sessions,
    authors,
    agents,
  ]);
  let sum = 0;
  for (let at = 0; at < asked.length; at++) sum = (Math.imul(sum, 31) + asked.charCodeAt(at)) | 0;
  return (sum >>> 0).toString(36);
}
