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
import { BLOCK_SHIFT, type Matches } from './match.ts';
import type { Part } from './part.ts';
import type { RecallIndex } from './recall-index.ts';

/** A document by the number of its part. */
export interface Candidate {
  readonly partNumber: number;
  readonly document: number;
}

export interface CandidateOptions {
  readonly most: number;
  readonly nowMs: number;
  readonly policy: DecayPolicy;
}

/** The documents with the best own scores among those that pass the filters. */
export function bestMatches(
  index: RecallIndex,
  matches: Matches,
  filters: readonly PartFilter[] | undefined,
  options: CandidateOptions,
): Candidate[] {
  const { most } = options;
  const floor = scoreFloor(matches, filters, most);
  const best: Candidate[] = [];
  const ties: Candidate[] = [];
  for (const [partNumber, { score, touched }] of matches.scores.entries()) {
    const { count } = matches.parts[partNumber]!;
    const filter = filters?.[partNumber];
    for (let block = 0; block << BLOCK_SHIFT < count; block++) {
      if (touched[block] === 0) continue;
      const end = Math.min(count, (block + 1) << BLOCK_SHIFT);
      for (let document = block << BLOCK_SHIFT; document < end; document++) {
        const own = score[document]!;
        if (own === 0 || own < floor) continue;
        if (filter !== undefined && !filter.passes(document)) continue;
        (own > floor ? best : ties).push({ partNumber, document });
      }
    }
  }
  const room = most - best.length;
  return best.concat(
    ties.length <= room ? ties : worthiest(index, matches.parts, ties, { ...options, most: room }),
  );
}

/** The score of the `most`-th best document; −Infinity when there are fewer. */
function scoreFloor(matches: Matches, filters: readonly PartFilter[] | undefined, most: number): number {
  const threshold = new NumberThreshold(most);
  for (const [partNumber, { score, touched }] of matches.scores.entries()) {
    const { count } = matches.parts[partNumber]!;
    const filter = filters?.[partNumber];
    for (let block = 0; block << BLOCK_SHIFT < count; block++) {
      if (touched[block] === 0) continue;
      const end = Math.min(count, (block + 1) << BLOCK_SHIFT);
      let { floor } = threshold;
      for (let document = block << BLOCK_SHIFT; document < end; document++) {
        const own = score[document]!;
        if (own === 0 || own <= floor) continue;
        if (filter !== undefined && !filter.passes(document)) continue;
        threshold.offer(own);
        floor = threshold.floor;
      }
    }
  }
  return threshold.floor;
}

function worthiest(
  index: RecallIndex,
  parts: readonly Part[],
  ties: readonly Candidate[],
  { most, nowMs, policy }: CandidateOptions,
): Candidate[] {
  if (most === 0) return [];
  const worths = new Float64Array(ties.length);
  const threshold = new NumberThreshold(most);
  for (let tie = 0; tie < ties.length; tie++) {
    const { partNumber, document } = ties[tie]!;
    const worth = roughWorth(parts[partNumber]!, document, nowMs, policy);
    worths[tie] = worth;
    if (worth > threshold.floor) threshold.offer(worth);
  }
  const best = new BoundedBest<Candidate & { readonly part: Part; readonly worth: number }>(
    most,
    (left, right) => right.worth - left.worth || compareIdentity(index, left, right),
  );
  for (let tie = 0; tie < ties.length; tie++) {
    if (worths[tie]! < threshold.floor) continue;
    const { partNumber, document } = ties[tie]!;
    best.offer({ partNumber, document, part: parts[partNumber]!, worth: worths[tie]! });
  }
  return best.sorted();
}

/** Falls with age like decay does, without an exponential: this runs for every tie. */
function roughWorth(part: Part, document: number, nowMs: number, policy: DecayPolicy): number {
  const rate = policy.ratePerMsByTypeIndex[part.kind[document]! & KIND_TYPE_MASK]!;
  const age = nowMs - part.time[document]!;
  return part.importance[document]! / (1 + (age > 0 ? rate * age : 0));
}

/** Newest first; then by session id; then the later one in the session. Never 0 for two memories. */
export function compareIdentity(
  index: RecallIndex,
  left: { readonly part: Part; readonly document: number },
  right: { readonly part: Part; readonly document: number },
): number {
  const byTime = right.part.time[right.document]! - left.part.time[left.document]!;
  if (byTime !== 0) return byTime;
  const leftSession = left.part.session[left.document]!;
  const rightSession = right.part.session[right.document]!;
  if (leftSession !== rightSession) {
    return index.registry.ids[leftSession]! < index.registry.ids[rightSession]! ? -1 : 1;
  }
  return right.part.orderOf(right.document) - left.part.orderOf(left.document);
}
