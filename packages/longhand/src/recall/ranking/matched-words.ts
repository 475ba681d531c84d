import { frequencyIn, type Part } from '../index/index.ts';
import type { Matches } from './match.ts';
import type { QueryTerms } from './query-terms.ts';

/** Which words of a query a memory holds, for a caller who asks why it was found. */
export interface MatchedWords {
  /** In small letters, not stemmed, in the order of the query. */
  readonly matchedWords: readonly string[];
  /** Those of them that only the date of the memory answers: it does not stand in its text. */
  readonly matchedByDate: readonly string[];
  /** Words that are in no memory, with what they were taken for, as far as this one holds it. */
  readonly takenFor?: Readonly<Record<string, readonly string[]>>;
}

/** @param partNumber of the part among those that were searched */
export function matchedWordsIn(
  { terms, takenFor }: Pick<QueryTerms, 'terms' | 'takenFor'>,
  { parts, scores, markOf }: Matches,
  partNumber: number,
  document: number,
): MatchedWords {
  const marks = scores[partNumber]!.marks[2 * document + 1]!;
  const held = terms.filter((term) => term.typed !== undefined && (marks & (markOf.get(term) ?? 0)) !== 0);
  const byDate = held.filter(({ isByDate }) => isByDate?.(partNumber, document));
  const taken = Array.from(takenFor, ([typed, meant]) => {
    const words = meant.filter(({ term }) => isHeld(parts[partNumber]!, term, document));
    return [typed, words.map(({ word }) => word)] as const;
  }).filter(([, words]) => words.length > 0);
  return {
    matchedWords: [...new Set(held.map(({ typed }) => typed!))],
    matchedByDate: [...new Set(byDate.map(({ typed }) => typed!))],
    ...(taken.length === 0 ? {} : { takenFor: Object.fromEntries(taken) }),
  };
}

function isHeld(part: Part, term: string, document: number): boolean {
  return frequencyIn(part.postings(term), document) > 0;
}
