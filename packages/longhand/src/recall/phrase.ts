import { intersectLists } from './filter.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';

/** The live documents of a part in which the terms follow one another. */
export function phraseDocuments(part: Part, terms: readonly string[]): Int32Array {
  const distinct = [...new Set(terms)];
  const holders = distinct.map((term) => documentsOf(part.postings(term))).reduce(intersectLists);
  if (terms.length === 1 || holders.length === 0) return holders;
  const positions = new Map(distinct.map((term) => [term, part.positions(term, holders)]));
  return holders.filter((_, at) => {
    const each = terms.map((term) => positions.get(term)![at]!);
    return each[0]!.some((start) => each.every((list, step) => holds(list, start + step)));
  });
}

function holds(rising: Int32Array, wanted: number): boolean {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return rising[low] === wanted;
}
