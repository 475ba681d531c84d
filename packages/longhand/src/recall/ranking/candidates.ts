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
import type { Matches } from './match.ts';
import { weightOfMeaning } from './similarity.ts';
import { factorOfLength, type StrengthReader, TURN } from './strength.ts';

/** A bound that is added up in another order than the strength itself may be off by so much. */
const ROUNDING = 1e-9;

/** The best by plain rank among the documents that match and pass the filters. */
export class Candidates {
  readonly #index: RecallIndex;
  readonly #matches: Matches;
  readonly #filters: readonly PartFilter[];
  readonly #reader: StrengthReader;
  readonly #freshness: FreshnessReader | undefined;
  /** The best so far, best first. Plain numbers: an object for each, and a function that compares them, take far longer. */
  readonly #keys = new Float64Array(CANDIDATES);
  readonly #packed = new Float64Array(CANDIDATES);
  #count = 0;
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
    this.#index = index;
    this.#matches = matches;
    this.#filters = filters;
    this.#reader = reader;
    this.#freshness = freshness;
    for (const [partNumber, { matchedCount }] of matches.scores.entries())
      if (matchedCount > 0) this.#takePart(partNumber);
  }

  get documents(): readonly PackedDocument[] {
    return Array.from(this.#packed.subarray(0, this.#count));
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
    const { session, kind, length } = part;
    const extra = reader.extraAtMost + ROUNDING;
    const worth = this.#freshness?.worthBounds(part, reader.hasMentions);
    const sharpness = worth === undefined ? 1 : SHARPNESS;
    const logWorthAtMost = worth?.logWorthAtMost;
    const partAtMost = worth?.ofPart ?? 0;
    const { wholeMarks } = this.#matches;
    const { mean = 0, perStep = 0 } = measured ?? {};
    const steps = measured?.stepsOf(partNumber);
    const nearest = measured?.highest(0) ?? 0;
    let leastStrength = this.#leastStrength(partAtMost);
    let least = this.#leastScore(leastStrength);
    for (let at = 0; at < matchedCount; at++) {
      const document = matched[at]!;
      const own = score[2 * document]!;
      // Few branches, since none of them can be predicted.
      if (own < least) continue;
      const factor = factorOfLength(length[document]!);
      // One session is a small part of all, and its matches rule out few of the others'.
      if (sessions !== undefined && !sessions.has(session[document]!)) continue;
      const isTurn = (kind[document]! & KIND_TYPE_MASK) === TURN;
      let ofSession = isTurn ? sessionParts[session[document]!]! : highestSessionPart;
      if (ofSession === -1) ofSession = reader.sessionPart(session[document]!);
      const words = own * factor * toShare;
      let atMost = words + ofSession + extra;
      if (steps !== undefined) {
        const isWhole = wholeMarks !== 0 && (marks[2 * document + 1]! & wholeMarks) === wholeMarks;
        const deviations = Math.max(0, Math.min(MOST_DEVIATIONS, (steps[document]! - mean) * perStep));
        atMost += factor * (isWhole ? nearest : weightOfMeaning(words) * deviations);
      }
      if (atMost < leastStrength) continue;
      if (atMost <= this.strongest && logWorthAtMost !== undefined)
        if (sharpness * atMost + logWorthAtMost(document) < this.#floor) continue;
      if (!filter.passes(document)) continue;
      this.#offer(partNumber, part, document);
      leastStrength = this.#leastStrength(partAtMost);
      least = this.#leastScore(leastStrength);
    }
  }

  /** What is weaker is neither among the best nor the strongest. */
  #leastStrength(logWorthAtMost: number): number {
    const sharpness = this.#freshness === undefined ? 1 : SHARPNESS;
    return Math.min(this.strongest, (this.#floor - logWorthAtMost) / sharpness);
  }

  /** Words that score less give no such strength, whatever else there is. */
  #leastScore(strength: number): number {
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
    if (key >= this.#floor) this.#insert(key, document * this.#matches.parts.length + partNumber);
  }

  #insert(key: number, packed: PackedDocument): void {
    const [keys, all] = [this.#keys, this.#packed];
    const isFull = this.#count === CANDIDATES;
    let at = isFull ? CANDIDATES - 1 : this.#count++;
    if (isFull && key === keys[at] && this.#comparePacked(packed, all[at]!) > 0) return;
    for (; at > 0; at--) {
      const before = keys[at - 1]!;
      if (before > key || (before === key && this.#comparePacked(packed, all[at - 1]!) > 0)) break;
      keys[at] = before;
      all[at] = all[at - 1]!;
    }
    keys[at] = key;
    all[at] = packed;
    if (this.#count === CANDIDATES) this.#floor = keys[CANDIDATES - 1]!;
  }

  #comparePacked(left: PackedDocument, right: PackedDocument): number {
    return compareIdentity(this.#index, this.#unpacked(left), this.#unpacked(right));
  }

  #unpacked(packed: PackedDocument): DocumentRef {
    const { parts } = this.#matches;
    return { part: parts[packed % parts.length]!, document: Math.floor(packed / parts.length) };
  }
}
