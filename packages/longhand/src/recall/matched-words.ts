/**
 * Which words of a query a memory holds, for those who ask why it was found.
 *
 * The day on which a memory was written is among its words, and nobody sees it in the text: what only that day answers is told
 * apart. Nothing of this is counted, so it is asked for the few memories that are given, and not while they are looked for.
 */

import { dateTerms } from './entry-text.ts';
import type { MatchTerm } from './match.ts';
import type { Part } from './part.ts';
import { frequencyIn } from './postings.ts';

export interface MatchedWords {
  /** As they were typed, in the order of the query. */
  readonly matchedWords: readonly string[];
  /** Those of them that stand in nothing but the date of the memory. */
  readonly matchedByDate: readonly string[];
}

/** @param partNumber of the part among those that the terms were looked for in */
export function matchedWordsIn(
  terms: readonly MatchTerm[],
  part: Part,
  partNumber: number,
  document: number,
): MatchedWords {
  const date = dateTerms(part.time[document]!);
  const matchedWords = new Set<string>();
  const matchedByDate = new Set<string>();
  for (const { name, typed, postings } of terms) {
    if (typed === undefined || frequencyIn(postings[partNumber]!, document) === 0) continue;
    matchedWords.add(typed);
    // A date holds its words once: whoever has one more often has written it.
    if (date.has(name) && frequencyIn(part.postings(name), document) === 1) matchedByDate.add(typed);
  }
  return { matchedWords: [...matchedWords], matchedByDate: [...matchedByDate] };
}
