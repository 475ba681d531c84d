/**
 * The memories that are compared in full: those whose own words match best, and the turns around them.
 *
 * When more memories match equally well than can be taken, the more important and the younger ones are: by a
 * rough, cheap form of importance × decay, then by time, session and order. The choice depends on the memories
 * alone, so it is the same however they are spread over parts.
 */

import { BoundedBest, NumberThreshold } from './bounded-best.ts';
import type { DecayPolicy } from './decay.ts';
import { KIND_TYPE_MASK } from './entry-text.ts';
import type { PartFilter } from './filter.ts';
import type { Matches } from './match.ts';
import type { Part } from './part.ts';
import type { DocumentRef, RecallIndex } from './recall-index.ts';

/** Documents of all parts as plain numbers: document × number of parts + number of the part. */
export type PackedDocument = number;

export interface CandidateOptions {
  readonly most: number;
  /** When so many are better than the ties at the end, the ties are not looked into. */
  readonly enough: number;
  readonly nowMs: number;
  readonly policy: DecayPolicy;
}

/** The documents with the best own scores among those that pass the filters, packed. */
export function bestMatches(
  index: RecallIndex,
  matches: Matches,
  filters: readonly PartFilter[] | undefined,
  options: CandidateOptions,
): PackedDocument[] {
  const { most } = options;
  const floor = scoreFloor(matches, filters, most);
  const best: PackedDocument[] = [];
  const ties: PackedDocument[] = [];
  const partCount = matches.parts.length;
  for (let partNumber = 0; partNumber < partCount; partNumber++) {
    const { score, matched, matchedCount } = matches.scores[partNumber]!;
    const filter = filters?.[partNumber];
    for (let at = 0; at < matchedCount; at++) {
      const document = matched[at]!;
      const own = score[2 * document]!;
      if (own < floor) continue;
      if (filter !== undefined && !filter.passes(document)) continue;
      if (own > floor) best.push(document * partCount + partNumber);
      else ties.push(document * partCount + partNumber);
    }
  }
  const room = most - best.length;
  if (ties.length <= room) return best.concat(ties);
  if (best.length >= options.enough) return best;
  return best.concat(worthiest(index, matches.parts, ties, { ...options, most: room }));
}

/** The score of the `most`-th best document; −Infinity when there are fewer. */
function scoreFloor(matches: Matches, filters: readonly PartFilter[] | undefined, most: number): number {
  const threshold = new NumberThreshold(most);
  for (const [partNumber, { score, matched, matchedCount }] of matches.scores.entries()) {
    const filter = filters?.[partNumber];
    let { floor } = threshold;
    for (let at = 0; at < matchedCount; at++) {
      const own = score[2 * matched[at]!]!;
      if (own <= floor) continue;
      if (filter !== undefined && !filter.passes(matched[at]!)) continue;
      threshold.offer(own);
      floor = threshold.floor;
    }
  }
  return threshold.floor;
}

function worthiest(
  index: RecallIndex,
  parts: readonly Part[],
  ties: readonly PackedDocument[],
  { most, nowMs, policy }: CandidateOptions,
): PackedDocument[] {
  if (most === 0) return [];
  const worths = new Float64Array(ties.length);
  const threshold = new NumberThreshold(most);
  // Ties come part by part, so that the columns are looked up once for each part.
  for (let first = 0; first < ties.length; ) {
    const partNumber = ties[first]! % parts.length;
    const { kind, time, importance } = parts[partNumber]!;
    let tie = first;
    for (; tie < ties.length && ties[tie]! % parts.length === partNumber; tie++) {
      const document = (ties[tie]! - partNumber) / parts.length;
      const rate = policy.ratePerMsByTypeIndex[kind[document]! & KIND_TYPE_MASK]!;
      const age = nowMs - time[document]!;
      // Falls with age like decay does, without an exponential: this runs for every tie.
      const worth = importance[document]! / (1 + (age > 0 ? rate * age : 0));
      worths[tie] = worth;
      if (worth > threshold.floor) threshold.offer(worth);
    }
    first = tie;
  }
  const best: PackedDocument[] = [];
  const atFloor: PackedDocument[] = [];
  for (let tie = 0; tie < ties.length; tie++) {
    if (worths[tie]! > threshold.floor) best.push(ties[tie]!);
    else if (worths[tie] === threshold.floor) atFloor.push(ties[tie]!);
  }
  const room = most - best.length;
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
