import {
  isUnspacedTerm,
  MAX_MISTYPED,
  MAX_PHRASES,
  MEANT_WEIGHT,
  placesOf,
  type QueryText,
  termOf,
  termsOf,
} from '../analysis/index.ts';
import {
  documentsOf,
  listedOnce,
  type Part,
  type Postings,
  type RecallIndex,
  unionPostings,
} from '../index/index.ts';
import { holds, intersectLists, ofEach } from './lists.ts';
import type { MatchTerm } from './match.ts';
import { type MeantWord, meantWords } from './meant-words.ts';

/**
 * The words of a query as terms with their postings.
 *
 * A word counts once in whatever way it is written. One that neither a memory nor the table of words has is a typo: it is
 * taken for the nearest that memories have, which count less.
 */

export interface WordTerms {
  readonly terms: readonly MatchTerm[];
  /** Words that are in no memory, with those that they are taken for. */
  readonly takenFor: ReadonlyMap<string, readonly MeantWord[]>;
}

export function wordTerms(index: RecallIndex, text: QueryText, words: readonly string[]): WordTerms {
  const parts = index.parts();
  const terms: MatchTerm[] = [];
  const takenFor = new Map<string, readonly MeantWord[]>();
  let unknownCount = 0;
  let inTwoCount = 0;
  for (const [name, typed] of termsOf(words)) {
    const own = ofEach(parts, (part) => part.postings(name));
    const places = placesOf(typed);
    const isInTwo = places.length > 1 && ++inTwoCount <= MAX_PHRASES;
    const postings = inOtherWays(parts, own, text.spellings.get(typed), isInTwo ? places : undefined);
    const isUnknown = !isHeld(postings) && ++unknownCount <= MAX_MISTYPED;
    const meantAs = isUnknown ? firstUnquoted(words, text.quoted, name) : undefined;
    const isWord = meantAs === undefined || index.words?.knows(meantAs) === true;
    const meant = isWord ? [] : meantWords(parts, meantAs);
    if (meant.length > 0) takenFor.set(meantAs!, meant);
    terms.push(meant.length > 0 ? meantTerm(parts, name, meantAs!, meant) : { name, typed, postings });
  }
  return { terms, takenFor };
}

/** The first word that has a term, as it was typed. In a phrase a word is meant as it is. */
function firstUnquoted(
  words: readonly string[],
  quoted: ReadonlySet<string>,
  term: string,
): string | undefined {
  return words.find((each) => !quoted.has(each) && termOf(each) === term);
}

/** Whether there is a memory in any of some postings. */
export function isHeld(postings: readonly Postings[]): boolean {
  return postings.some(({ count }) => count > 0);
}

/** What holds a word, or it with its umlauts spelt out, or its number and its unit as two words. */
function inOtherWays(
  parts: readonly Part[],
  own: readonly Postings[],
  spelt: string | undefined,
  places: readonly string[] | undefined,
): readonly Postings[] {
  if (spelt === undefined && places === undefined) return own;
  const [inTwo] = places === undefined ? [] : findPhrases(parts, [places]);
  return ofEach(parts, (part, at) => {
    const all = [own[at]!];
    if (spelt !== undefined) all.push(part.postings(termOf(spelt)));
    if (inTwo !== undefined) all.push(listedOnce(inTwo.documents[at]!));
    return all.some(({ count }, way) => way > 0 && count > 0) ? unionPostings(all, part.count) : own[at]!;
  });
}

/** One term for all that a word is taken for. */
function meantTerm(
  parts: readonly Part[],
  name: string,
  typed: string,
  meant: readonly MeantWord[],
): MatchTerm {
  const postings = ofEach(parts, (part) =>
    unionPostings(
      meant.map(({ term }) => part.postings(term)),
      part.count,
    ),
  );
  return { name, typed, postings, share: MEANT_WEIGHT };
}

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
