/** Which documents hold terms, and at which places: what phrases are made of. */

import { documentsOf, type Part, placeOf } from '../index/index.ts';
import { intersectLists } from './filter.ts';

/** Which documents of a part are looked at, where others need not be. */
export type IsWanted = (part: Part, document: number) => boolean;

/** The live documents of a part, rising, that hold every one of some different terms (one or more). */
export function documentsWithAll(part: Part, terms: readonly string[], isWanted?: IsWanted): Int32Array {
  // The rarest first: a list that is empty ends the search, and a short one makes all that follow short.
  const [rarest, ...others] = terms
    .map((term) => part.postings(term))
    .sort((left, right) => left.count - right.count);
  let holders = documentsOf(rarest!);
  if (isWanted !== undefined) holders = holders.filter((document) => isWanted(part, document));
  for (const postings of others) {
    if (holders.length === 0) break;
    holders = intersectLists(holders, documentsOf(postings));
  }
  return holders;
}

/** Whether any live document holds a term. */
export function isHeldIn(parts: readonly Part[], term: string): boolean {
  return parts.some((part) => part.postings(term).count > 0);
}

/** Whether a number is among rising ones. */
export function holds(rising: Int32Array, wanted: number): boolean {
  return rising[placeOf(rising, wanted)] === wanted;
}
