/**
 * The memories that are compared in full, with the turns around them.
 *
 * The *plain* strength of a memory is all of its match but what neighbouring turns lend. The best `CANDIDATES` by plain strength
 * and, for relevance, worth are compared in full; all others keep their plain strength. What is lent is never negative, so the
 * order is the same however many results are asked for. The choice depends on the memories alone, not on how they are spread
 * over parts. A bound without an exponential rules most memories out.
 */

import { CANDIDATES, KIND_TYPE_MASK, SHARPNESS } from '../analysis/index.ts';
import type { DocumentRef, Part, RecallIndex } from '../index/index.ts';
import { BoundedBest } from './bounded-best.ts';
import type { PartFilter } from './filter.ts';
import type { FreshnessReader } from './freshness.ts';
import type { Matches } from './match.ts';
import { lengthFactor, type StrengthReader, TURN } from './strength.ts';

/** A bound that is added up in another order than the strength itself may be off by so much. */
const ROUNDING = 1e-9;

/** Documents of all parts as plain numbers: document × number of parts + number of the part. */
export type PackedDocument = number;

export interface Candidates {
  readonly documents: readonly PackedDocument[];
  /** The highest plain strength of all memories that match and pass. */
  readonly strongest: number;
}

/**
 * The best by plain rank among the documents that match and pass the filters.
 *
 * Matches come with those of the rarest word first: their keys rule out nearly all others by their words alone.
 *
 * @param freshness `undefined` when only the match counts
 */
export function bestMatches(
  index: RecallIndex,
  matches: Matches,
  filters: readonly PartFilter[] | undefined,
  reader: StrengthReader,
  freshness: FreshnessReader | undefined,
): Candidates {
  const choice = new Choice(matches, filters, reader, freshness);
  choice.take();
  const { documents, documentKeys, floor, strongest } = choice;
  return { documents: firstOf(index, matches.parts, documents, documentKeys, floor), strongest };
}

class Choice {
  readonly #matches: Matches;
  readonly #filters: readonly PartFilter[] | undefined;
  readonly #reader: StrengthReader;
  readonly #freshness: FreshnessReader | undefined;
  readonly #keys = new BoundedBest<number>(CANDIDATES, (left, right) => right - left);
  /** The key of the last of the best so far; −Infinity until there are enough. */
  floor = Number.NEGATIVE_INFINITY;
  readonly documents: PackedDocument[] = [];
  readonly documentKeys: number[] = [];
  /** The highest strength so far. */
  strongest = 0;

  constructor(
    matches: Matches,
    filters: readonly PartFilter[] | undefined,
    reader: StrengthReader,
    freshness: FreshnessReader | undefined,
  ) {
    this.#matches = matches;
    this.#filters = filters;
    this.#reader = reader;
    this.#freshness = freshness;
  }

  /** Takes all that may be among the best. */
  take(): void {
    for (let partNumber = 0; partNumber < this.#matches.parts.length; partNumber++) {
      if (this.#matches.scores[partNumber]!.matchedCount > 0) this.#takePart(partNumber);
    }
  }

  /** This is where a common word takes its time. */
  #takePart(partNumber: number): void {
    const reader = this.#reader;
    const part = this.#matches.parts[partNumber]!;
    const { score, matched, matchedCount, matchedWith } = this.#matches.scores[partNumber]!;
    const { scoreAtMost } = this.#matches;
    const filter = this.#filters?.[partNumber];
    const sessions = filter?.sessions;
    const toShare = 1 / this.#matches.ideal;
    const { sessionParts, highestSessionPart } = reader;
    const { session, kind } = part;
    let extra = reader.extraAtMost + ROUNDING;
    const { measured } = reader;
    const worth = this.#freshness?.worthBounds(part, reader.hasMentions);
    const sharpness = worth === undefined ? 1 : SHARPNESS;
    const logWorthAtMost = worth?.logWorthAtMost;
    const partAtMost = worth?.ofPart ?? 0;
    let { strongest } = this;
    let { floor } = this;
    let least = this.#leastScore(partAtMost);
    // Behind those that hold a term are those that are found without a word.
    for (let at = 0, term = 0; term <= matchedWith.length; term++) {
      const end = matchedWith[term] ?? matchedCount;
      // What holds none of the rarer terms: after a few of those with them, all that a common word finds.
      if ((scoreAtMost[term] ?? 0) < least) at = end;
      if (term === matchedWith.length) {
        extra = reader.wordlessExtraAtMost + ROUNDING;
        const wordless = highestSessionPart + reader.similarityAtMost + extra;
        if (wordless < this.#leastStrength(partAtMost)) at = end;
      }
      for (; at < end; at++) {
        const document = matched[at]!;
        const own = score[2 * document]!;
        // The words alone rule out most, and of the others most are ruled out by two numbers more that are at hand.
        if (own < least) continue;
        const words = own * lengthFactor(part, document);
        if (words < least) continue;
        // One session is a small part of all, and its matches rule out few of the others'.
        if (sessions !== undefined && !sessions.has(session[document]!)) continue;
        const isTurn = (kind[document]! & KIND_TYPE_MASK) === TURN;
        let ofSession = isTurn ? sessionParts[session[document]!]! : highestSessionPart;
        if (ofSession === -1) ofSession = reader.sessionPart(session[document]!);
        let atMost = words * toShare + ofSession + extra;
        if (measured !== undefined) atMost += measured.part(partNumber, document, words * toShare);
        if (atMost <= strongest) {
          if (sharpness * atMost + partAtMost < floor) continue;
          if (logWorthAtMost !== undefined && sharpness * atMost + logWorthAtMost(document) < floor) continue;
        }
        if (filter !== undefined && !filter.passes(document)) continue;
        this.#offer(partNumber, part, document);
        strongest = this.strongest;
        floor = this.floor;
        least = this.#leastScore(partAtMost);
      }
    }
  }

  /** Words that score less are neither among the best nor the strongest, whatever else there is. */
  #leastScore(logWorthAtMost: number): number {
    const strength = this.#leastStrength(logWorthAtMost);
    const { highestSessionPart, extraAtMost, similarityAtMost } = this.#reader;
    const words = strength - highestSessionPart - extraAtMost - similarityAtMost - ROUNDING;
    return words * this.#matches.ideal;
  }

  /** What is weaker is neither among the best nor the strongest. */
  #leastStrength(logWorthAtMost: number): number {
    const sharpness = this.#freshness === undefined ? 1 : SHARPNESS;
    return Math.min(this.strongest, (this.floor - logWorthAtMost) / sharpness);
  }

  #offer(partNumber: number, part: Part, document: number): void {
    const reader = this.#reader;
    const closeness = reader.closeness(part, document);
    const strength = reader.plain(partNumber, document, closeness);
    if (strength > this.strongest) this.strongest = strength;
    let key = strength;
    if (this.#freshness !== undefined) {
      key = this.#freshness.logWorth(part, document, closeness) + SHARPNESS * strength;
    }
    if (key < this.floor) return;
    this.#keys.offer(key);
    this.floor = this.#keys.worst ?? this.floor;
    this.documents.push(document * this.#matches.parts.length + partNumber);
    this.documentKeys.push(key);
  }
}

/** Those above the floor, and of those at it the foremost, as far as there is room. */
function firstOf(
  index: RecallIndex,
  parts: readonly Part[],
  documents: readonly PackedDocument[],
  keys: readonly number[],
  floor: number,
): readonly PackedDocument[] {
  if (documents.length <= CANDIDATES) return documents;
  const best: PackedDocument[] = [];
  const atFloor: PackedDocument[] = [];
  for (let at = 0; at < documents.length; at++) {
    if (keys[at]! > floor) best.push(documents[at]!);
    else if (keys[at] === floor) atFloor.push(documents[at]!);
  }
  const room = CANDIDATES - best.length;
  return best.concat(atFloor.length <= room ? atFloor : foremost(index, parts, atFloor, room));
}

function foremost(
  index: RecallIndex,
  parts: readonly Part[],
  equals: readonly PackedDocument[],
  most: number,
): PackedDocument[] {
  const best = new BoundedBest<DocumentRef & { readonly packed: PackedDocument }>(most, (left, right) =>
    compareIdentity(index, left, right),
  );
  for (const packed of equals) {
    best.offer({
      packed,
      part: parts[packed % parts.length]!,
      document: Math.floor(packed / parts.length),
    });
  }
  return best.sorted().map(({ packed }) => packed);
}

/** Newest first; then by session id; then the later one in the session. Never 0 for two memories. */
export function compareIdentity(index: RecallIndex, left: DocumentRef, right: DocumentRef): number {
  const byTime = right.part.time[right.document]! - left.part.time[left.document]!;
  if (byTime !== 0) return byTime;
  const leftSession = left.part.session[left.document]!;
  const rightSession = right.part.session[right.document]!;
  if (leftSession !== rightSession) {
    return index.registry.ids[leftSession]! < index.registry.ids[rightSession]! ? -1 : 1;
  }
  return right.part.orderOf(right.document) - left.part.orderOf(left.document);
}
