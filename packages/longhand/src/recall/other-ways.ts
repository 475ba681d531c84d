/**
 * How else a word of a query may be written in a memory.
 *
 * All ways count as the one word that was asked for: whoever holds "database" has what "data base" asks for, both words of it,
 * and no more than whoever holds "data" and "base".
 */

import { oftenApart } from './compounds.ts';
import { clockPlaces, clockTerms, groupsOf, thousandsOf } from './digit-groups.ts';
import type { QueryText } from './query-text.ts';
import { isDigit, placesOf, termOf } from './words.ts';

export interface OtherWays {
  /** Terms that are as good as its own. */
  readonly terms: readonly string[];
  /** Terms that follow one another. */
  readonly phrases: readonly (readonly string[])[];
}

export const NO_OTHER_WAYS: OtherWays = { terms: [], phrases: [] };

/** @param word of the query, and its term */
export function otherWays(
  word: string,
  term: string,
  { compounds, spellings }: Pick<QueryText, 'compounds' | 'spellings'>,
): OtherWays {
  const terms = [...(compounds.get(word) ?? [])];
  for (const spelt of spellings.get(word) ?? []) terms.push(termOf(spelt));
  const phrases: (readonly string[])[] = [];
  const apart = oftenApart(word, term);
  if (apart !== undefined) phrases.push(apart);
  const ways = { terms, phrases };
  if (isDigit(term.charCodeAt(0)) || isDigit(term.charCodeAt(term.length - 1))) addNumberWays(term, ways);
  return ways;
}

/** Of a number, or of letters with one before or behind them. */
function addNumberWays(
  term: string,
  { terms, phrases }: { readonly terms: string[]; readonly phrases: (readonly string[])[] },
): void {
  const wholes = [term, ...terms];
  terms.push(...clockTerms(term));
  const [first, ...rest] = placesOf(term);
  if (rest.length > 0) phrases.push([first!, ...rest]);
  for (const whole of wholes) {
    const thousands = thousandsOf(whole);
    if (thousands.length === 0) continue;
    terms.push(...['', '.'].map((mark) => thousands.join(mark)).filter((each) => each !== term));
    phrases.push(thousands);
  }
  const inThousands = rest.length > 0 ? thousandsOf(first!) : [];
  if (inThousands.length > 0) {
    for (const mark of ['', '.']) phrases.push([inThousands.join(mark), ...rest]);
    phrases.push([...inThousands, ...rest]);
  }
  const clock = clockPlaces(first!);
  if (clock !== undefined) phrases.push([...clock, ...rest]);
  for (const groups of wholes.flatMap(groupsOf)) {
    phrases.push(groups.map(termOf));
    terms.push(groups.join('.'));
  }
}
