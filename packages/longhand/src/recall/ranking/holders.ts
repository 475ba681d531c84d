/** Which documents hold terms, and at which places: what phrases are made of. */

import { documentsOf, type Part, placeOf } from '../index/index.ts';
import { intersectLists } from './filter.ts';

/** The live documents of a part, rising, that hold every one of some different terms (one or more). */
export function documentsWithAll(part: Part, terms: readonly string[]): Int32Array {
  // The rarest first: a list that is empty ends the search, and a short one makes all that follow short.
  const [rarest, ...others] = terms
    .map((term) => part.postings(term))
    .sort((left, right) => left.count - right.count);
  let holders = documentsOf(rarest!);
  for (const postings of others) {
    if (holders.length === 0) break;
    holders = intersectLists(holders, documentsOf(postings));
  }
  return holders;
}

/** Whether a number is among rising ones. */
export function holds(rising: Int32Array, wanted: number): boolean {
  return rising[placeOf(rising, wanted)] === wanted;
}
