/**
 * The words of a query as terms with their postings.
 *
 * A word is found in every way in which it may be written, and counts as one (`other-ways.ts`). One that is in no memory is
 * looked for as two words where there are few others, and else taken for those that are nearest to it, which count less.
 */

import { cutsOf } from './compounds.ts';
import { dateHolding } from './entry-text.ts';
import { isHeldIn } from './holders.ts';
import type { MatchTerm } from './match.ts';
import { type MeantWord, meantWords } from './meant-words.ts';
import { ofEach } from './of-each.ts';
import { NO_OTHER_WAYS, type OtherWays, otherWays } from './other-ways.ts';
import type { Part } from './part.ts';
import { findPhrases } from './phrase.ts';
import { listedOnce, type Postings, unionPostings } from './postings.ts';
import { type AskedDates, datedPostings, postingsIn } from './query-dates.ts';
import { type QueryText, termsOf } from './query-text.ts';
import { IDEAL_TERMS, MAX_MISTYPED, MAX_OTHER_WAYS, MEANT_WEIGHT } from './weights.ts';
import { termOf, withoutElision } from './words.ts';

export interface WordTerms {
  readonly terms: readonly MatchTerm[];
  /** Words that are in no memory, with those that they are taken for. */
  readonly takenFor: ReadonlyMap<string, readonly MeantWord[]>;
}

export function wordTerms(
  parts: readonly Part[],
  text: QueryText,
  words: readonly string[],
  dates: AskedDates,
): WordTerms {
  const terms: MatchTerm[] = [];
  const takenFor = new Map<string, readonly MeantWord[]>();
  let room = MAX_OTHER_WAYS;
  let unknownCount = 0;
  const all = termsOf(words);
  for (const [name, typed] of all) {
    const ways = room > 0 ? otherWays(typed, name, text) : NO_OTHER_WAYS;
    room -= ways.terms.length + ways.phrases.length;
    const own = ofEach(parts, (part) => datedPostings(name, dates, part));
    const postings = inAllWays(parts, own, ways, dates);
    // Nobody mistypes a Tuesday for a Thursday.
    const isUnknown = !isHeld(postings) && dateHolding(name) === undefined && ++unknownCount <= MAX_MISTYPED;
    const meantAs = isUnknown ? firstUnquoted(words, text.quoted, name) : undefined;
    if (meantAs === undefined) {
      terms.push({ name, typed, postings });
      continue;
    }
    // In a longer query the other words find what is meant.
    const cuts = all.size > IDEAL_TERMS ? [] : cutsOf(meantAs, (term) => isHeldIn(parts, term));
    const cut = inAllWays(parts, own, { terms: [], phrases: cuts }, dates);
    const meant = isHeld(cut) ? [] : meantWords(parts, meantAs, dates.calendar);
    if (meant.length > 0) takenFor.set(meantAs, meant);
    terms.push(
      meant.length > 0 ? meantTerm(parts, name, meantAs, meant, dates) : { name, typed, postings: cut },
    );
  }
  return { terms, takenFor };
}

/** The first word that has a term, as it was typed. In a phrase a word is meant as it is. */
function firstUnquoted(
  words: readonly string[],
  quoted: ReadonlySet<string>,
  term: string,
): string | undefined {
  const word = words.find((each) => !quoted.has(each) && termOf(withoutElision(each)) === term);
  return word && withoutElision(word);
}

/** Whether there is a memory in any of some postings. */
export function isHeld(postings: readonly Postings[]): boolean {
  return postings.some(({ count }) => count > 0);
}

/** What holds a word, or it in another way. */
function inAllWays(
  parts: readonly Part[],
  own: readonly Postings[],
  { terms, phrases }: OtherWays,
  { calendar }: AskedDates,
): readonly Postings[] {
  if (terms.length === 0 && phrases.length === 0) return own;
  const found = findPhrases(parts, phrases, calendar);
  return ofEach(parts, (part, at) => {
    const all = [own[at]!];
    for (const term of terms) all.push(postingsIn(calendar, term, part));
    for (const { documents } of found) all.push(listedOnce(documents[at]!));
    // Most words are written in one way.
    const isHeldOtherwise = all.some(({ count }, way) => way > 0 && count > 0);
    return isHeldOtherwise ? unionPostings(all, part.count) : own[at]!;
  });
}

/** One term for all that a word is taken for. */
function meantTerm(
  parts: readonly Part[],
  name: string,
  typed: string,
  meant: readonly MeantWord[],
  { calendar }: AskedDates,
): MatchTerm {
  const postings = ofEach(parts, (part) =>
    unionPostings(
      meant.map(({ term }) => postingsIn(calendar, term, part)),
      part.count,
    ),
  );
  return { name, typed, postings, share: MEANT_WEIGHT, idealShare: 1 };
}
