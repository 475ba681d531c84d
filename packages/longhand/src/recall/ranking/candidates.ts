/**
 * The memories that are compared in full, with the turns around them.
 *
 * The *plain* strength of a memory is all of its match but what neighbouring turns lend. The best `CANDIDATES` by plain strength
 * and, for relevance, worth are compared in full; all others keep their plain strength. What is lent is never negative, so the
 * order is the same however many results are asked for. The choice depends on the memories alone, not on how they are spread
 * over parts. A bound without an exponential rules most memories out.
 */

import { CANDIDATES, KIND_TYPE_MASK, MOST_DEVIATIONS, SHARPNESS } from '../analysis/index.ts';
import type { DocumentRef, Part, RecallIndex } from '../index/index.ts';
import { compareIdentity, type PackedDocument } from './document-order.ts';
import type { PartFilter } from './filter.ts';
import type { FreshnessReader } from './freshness.ts';
import { BoundedBest } from './lists.ts';
import type { Matches } from './match.ts';
import { weightOfMeaning } from './similarity.ts';
import { lengthFactor, type StrengthReader, TURN } from './strength.ts';

/** A bound that is added up in another order than the strength itself may be off by so much. */
const ROUNDING = 1e-9;

interface Candidate extends DocumentRef {
  readonly packed: PackedDocument;
  readonly key: number;
}

/** The best by plain rank among the documents that match and pass the filters. */
export class Candidates {
  readonly #matches: Matches;
  readonly #filters: readonly PartFilter[];
  readonly #reader: StrengthReader;
  readonly #freshness: FreshnessReader | undefined;
  readonly #best: BoundedBest<Candidate>;
  /** The key of the last of the best so far; −Infinity until there are enough. */
  #floor = Number.NEGATIVE_INFINITY;
  /** The highest plain strength of all memories that match and pass. */
  strongest = 0;

  /** @param freshness `undefined` when only the match counts */
  constructor(
    index: RecallIndex,
    matches: Matches,
    filters: readonly PartFilter[],
    reader: StrengthReader,
    freshness: FreshnessReader | undefined,
  ) {
    this.#matches = matches;
    this.#filters = filters;
    this.#reader = reader;
    this.#freshness = freshness;
    this.#best = new BoundedBest(CANDIDATES, (left, right) =>
      left.key === right.key ? compareIdentity(index, left, right) : right.key - left.key,
    );
    for (const [partNumber, { matchedCount }] of matches.scores.entries())
      if (matchedCount > 0) this.#takePart(partNumber);
  }

  get documents(): readonly PackedDocument[] {
    return this.#best.sorted().map(({ packed }) => packed);
  }

  /** This is where a common word takes its time. */
  #takePart(partNumber: number): void {
    const reader = this.#reader;
    const part = this.#matches.parts[partNumber]!;
    const { score, marks, matched, matchedCount } = this.#matches.scores[partNumber]!;
    const filter = this.#filters[partNumber]!;
    const { sessions } = filter;
    const toShare = 1 / this.#matches.ideal;
    const { sessionParts, highestSessionPart, measured } = reader;
    const { session, kind } = part;
    const extra = reader.extraAtMost + ROUNDING;
    const worth = this.#freshness?.worthBounds(part, reader.hasMentions);
    const sharpness = worth === undefined ? 1 : SHARPNESS;
    const logWorthAtMost = worth?.logWorthAtMost;
    const partAtMost = worth?.ofPart ?? 0;
    const { wholeMarks } = this.#matches;
    const steps = measured?.stepsOf(partNumber);
    const { mean = 0, perStep = 0 } = measured ?? {};
    const nearest = measured?.highest(0) ?? 0;
    let least = this.#leastScore(partAtMost);
    for (let at = 0; at < matchedCount; at++) {
      const document = matched[at]!;
      const own = score[2 * document]!;
      // The words alone rule out most, and of the others most are ruled out by two numbers more that are at hand.
      if (own < least) continue;
      const factor = lengthFactor(part, document);
      const words = own * factor;
      if (words < least) continue;
      // One session is a small part of all, and its matches rule out few of the others'.
      if (sessions !== undefined && !sessions.has(session[document]!)) continue;
      const isTurn = (kind[document]! & KIND_TYPE_MASK) === TURN;
      let ofSession = isTurn ? sessionParts[session[document]!]! : highestSessionPart;
      if (ofSession === -1) ofSession = reader.sessionPart(session[document]!);
      let atMost = words * toShare + ofSession + extra;
      // As `reader.similarity` has it, or a little more, without a call.
      if (steps !== undefined) {
        const isWhole = wholeMarks !== 0 && (marks[2 * document + 1]! & wholeMarks) === wholeMarks;
        const deviations = Math.max(0, Math.min(MOST_DEVIATIONS, (steps[document]! - mean) * perStep));
        atMost += factor * (isWhole ? nearest : weightOfMeaning(words * toShare) * deviations);
      }
      if (atMost <= this.strongest) {
        if (sharpness * atMost + partAtMost < this.#floor) continue;
        if (logWorthAtMost !== undefined && sharpness * atMost + logWorthAtMost(document) < this.#floor)
          continue;
      }
      if (!filter.passes(document)) continue;
      this.#offer(partNumber, part, document);
      least = this.#leastScore(partAtMost);
    }
  }

  /** Words that score less are neither among the best nor the strongest, whatever else there is. */
  #leastScore(logWorthAtMost: number): number {
    const sharpness = this.#freshness === undefined ? 1 : SHARPNESS;
    const strength = Math.min(this.strongest, (this.#floor - logWorthAtMost) / sharpness);
    const { highestSessionPart, extraAtMost, measured } = this.#reader;
    const words = strength - highestSessionPart - extraAtMost - (measured?.highest(0) ?? 0) - ROUNDING;
    return words * this.#matches.ideal;
  }

  #offer(partNumber: number, part: Part, document: number): void {
    const closeness = this.#reader.closeness(part, document);
    const strength = this.#reader.plain(partNumber, document, closeness);
    if (strength > this.strongest) this.strongest = strength;
    let key = strength;
    if (this.#freshness !== undefined)
      key = this.#freshness.logWorth(part, document, closeness) + SHARPNESS * strength;
    if (key < this.#floor) return;
    this.#best.offer({ part, document, key, packed: document * this.#matches.parts.length + partNumber });
    this.#floor = this.#best.worst?.key ?? this.#floor;
  }
}
