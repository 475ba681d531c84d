/**
 * How else a word of a query may be written in a memory.
 *
 * All ways count as the one word that was asked for: whoever holds "database" has what "data base" asks for, both words of it,
 * and no more than whoever holds "data" and "base".
 */

import { oftenApart } from './compounds.ts';
import { clockPlaces, clockTerms, groupsOf } from './digit-groups.ts';
import type { QueryText } from './query-text.ts';
import { placesOf, termOf } from './words.ts';

export interface OtherWays {
  /** Terms that are as good as its own. */
  readonly terms: readonly string[];
  /** Terms that follow one another. */
  readonly phrases: readonly (readonly string[])[];
}

/** @param word of the query, and its term */
export function otherWays(
  word: string,
  term: string,
  { compounds, spellings }: Pick<QueryText, 'compounds' | 'spellings'>,
): OtherWays {
  const others = [...(compounds.get(word) ?? []), ...(spellings.get(word) ?? [])];
  const terms = [...others.map(termOf), ...clockTerms(term)];
  const phrases: (readonly string[])[] = [];
  const [first, ...rest] = placesOf(term);
  if (rest.length > 0) phrases.push([first!, ...rest]);
  const clock = clockPlaces(first!);
  if (clock !== undefined) phrases.push([...clock, ...rest]);
  const apart = oftenApart(word, term);
  if (apart !== undefined) phrases.push(apart);
  for (const groups of [term, ...others].flatMap(groupsOf)) {
    phrases.push(groups.map(termOf));
    terms.push(groups.join('.'));
  }
  return { terms, phrases };
}
