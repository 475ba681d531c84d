import { documentsWithAll, holds } from './holders.ts';
import { documentsWithLetters, hasLetters } from './letters-phrase.ts';
import type { Part } from './part.ts';

/** Each phrase of a query with the live documents of each part in which its pieces follow one another. */
export type FoundPhrases = readonly {
  readonly terms: readonly string[];
  readonly documents: readonly Int32Array[];
}[];

export function findPhrases(parts: readonly Part[], phrases: readonly (readonly string[])[]): FoundPhrases {
  return phrases.map((terms) => ({ terms, documents: parts.map((part) => phraseDocuments(part, terms)) }));
}

function phraseDocuments(part: Part, terms: readonly string[]): Int32Array {
  if (hasLetters(terms)) return documentsWithLetters(part, terms);
  const distinct = [...new Set(terms)];
  const holders = documentsWithAll(part, distinct);
  if (terms.length === 1 || holders.length === 0) return holders;
  const positions = new Map(distinct.map((term) => [term, part.positions(term, holders)]));
  return holders.filter((_, at) => {
    const each = terms.map((term) => positions.get(term)![at]!);
    return each[0]!.some((start) => each.every((list, step) => holds(list, start + step)));
  });
}
