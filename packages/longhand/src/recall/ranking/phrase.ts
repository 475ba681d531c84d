import { isUnspacedTerm } from '../analysis/index.ts';
import { documentsOf, type Part } from '../index/index.ts';
import { holds, intersectLists } from './rising-lists.ts';

/** Each phrase of a query with the live documents of each part in which its pieces follow one another. */
export type FoundPhrases = readonly {
  readonly terms: readonly string[];
  readonly documents: readonly Int32Array[];
}[];

export function findPhrases(parts: readonly Part[], phrases: readonly (readonly string[])[]): FoundPhrases {
  return phrases.map((terms) => ({ terms, documents: parts.map((part) => phraseDocuments(part, terms)) }));
}

function phraseDocuments(part: Part, terms: readonly string[]): Int32Array {
  const distinct = [...new Set(terms)];
  // The rarest first: a short list makes all that follow short.
  const postings = distinct
    .map((term) => part.postings(term))
    .sort((left, right) => left.count - right.count);
  const holders = postings.map(documentsOf).reduce(intersectLists);
  if (terms.length === 1 || holders.length === 0 || terms.some(isUnspacedTerm)) return holders;
  const positions = distinct.map((term) => part.positions(term, holders));
  const stepOf = terms.map((term) => distinct.indexOf(term));
  return holders.filter((_, at) => {
    const places = stepOf.map((step) => positions[step]![at]!);
    return places[0]!.some((start) => places.every((list, step) => holds(list, start + step)));
  });
}
