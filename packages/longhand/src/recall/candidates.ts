/**
 * The memories that are compared in full: the best by all that can be read off a memory alone.
 *
 * A memory's *plain* strength is all of its match but what the turns around it lend; its plain rank is by that, and
 * by importance, decay and recency when relevance is asked for. The best `CANDIDATES` by plain rank are compared in
 * full, with the turns around them. All the others keep their plain strength. What is lent is never negative, so
 * none of the others can come before a candidate: the first `CANDIDATES` results need no look at the others, and
 * the order is one and the same however many are asked for.
 *
 * Most memories are ruled out by a bound that costs no exponential. The choice depends on the memories alone, so
 * it is the same however they are spread over parts.
 */

import { BoundedBest, NumberThreshold } from './bounded-best.ts';
import type { PartFilter } from './filter.ts';
import { type FreshnessReader, MAX_LOG_WORTH } from './freshness.ts';
import type { Matches } from './match.ts';
import type { Part } from './part.ts';
import type { DocumentRef, RecallIndex } from './recall-index.ts';
import type { StrengthReader } from './strength.ts';
import { CANDIDATES, SHARPNESS } from './weights.ts';

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
 * @param freshness `undefined` when only the match counts
 */
export function bestMatches(
  index: RecallIndex,
  matches: Matches,
  filters: readonly PartFilter[] | undefined,
  reader: StrengthReader,
  freshness: FreshnessReader | undefined,
): Candidates {
  const partCount = matches.parts.length;
  const threshold = new NumberThreshold(CANDIDATES);
  const documents: PackedDocument[] = [];
  const keys: number[] = [];
  let strongest = 0;
  let { floor } = threshold;
  for (let partNumber = 0; partNumber < partCount; partNumber++) {
    const part = matches.parts[partNumber]!;
    const { score, matched, matchedCount } = matches.scores[partNumber]!;
    if (matchedCount === 0) continue;
    const filter = filters?.[partNumber];
    const toShare = 1 / matches.ideal;
    const { sessionParts } = reader;
    const { session } = part;
    const extra = reader.extraAtMost + ROUNDING;
    const logWorthAtMost = freshness?.logWorthAtMost(part, reader.hasMentions);
    for (let at = 0; at < matchedCount; at++) {
      const document = matched[at]!;
      let ofSession = sessionParts[session[document]!]!;
      if (ofSession === -1) ofSession = reader.sessionPart(session[document]!);
      // Two numbers that are at hand rule out most: this loop is where a common word takes its time.
      const atMost = score[2 * document]! * toShare + ofSession + extra;
      if (atMost <= strongest) {
        if (logWorthAtMost === undefined) {
          if (atMost < floor) continue;
        } else if (SHARPNESS * atMost + MAX_LOG_WORTH < floor) continue;
        else if (SHARPNESS * atMost + logWorthAtMost(document) < floor) continue;
      }
      if (filter !== undefined && !filter.passes(document)) continue;
      const closeness = reader.closeness(part, document);
      const strength = reader.plain(partNumber, document, closeness);
      if (strength > strongest) strongest = strength;
      let key = strength;
      if (freshness !== undefined) {
        key = freshness.logWorth(part, document, closeness) + SHARPNESS * strength;
      }
      if (key < floor) continue;
      threshold.offer(key);
      floor = threshold.floor;
      documents.push(document * partCount + partNumber);
      keys.push(key);
    }
  }
  return { documents: firstOf(index, matches.parts, documents, keys, floor), strongest };
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
