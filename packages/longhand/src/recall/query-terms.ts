/**
 * From the words of a query to the terms that are scored.
 *
 * A word that names somebody who spoke says who is meant, not what was said: it leaves the words and picks out
 * that author's memories instead; where it may be a word as well, it stays (`query-names.ts`). When nothing else is left, the name is looked for like a word. A number with a unit
 * ("5km") is found as one word and as two, and counts as one, and so does all that is written in several ways
 * (`other-ways.ts`). A word that is in no memory is taken for those that are nearest to it, and counts less.
 */

import { cutsOf } from './compounds.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import type { MatchTerm } from './match.ts';
import { type MeantWord, meantWords } from './meant-words.ts';
import { otherWays } from './other-ways.ts';
import type { Part } from './part.ts';
import { type FoundPhrases, findPhrases } from './phrase.ts';
import { type Postings, unionPostings } from './postings.ts';
import { namedDates, withoutModal, withoutUnnamedDates } from './query-dates.ts';
import { QueryNames } from './query-names.ts';
import { MAX_PHRASES, type QueryText, sayNothing, termsOf } from './query-text.ts';
import type { RecallIndex } from './recall-index.ts';
import { isStopword } from './stopwords.ts';
import { authorTerm, isWord } from './term-names.ts';
import type { TimeMention } from './time-expression.ts';
import { MAX_MISTYPED, MEANT_WEIGHT } from './weights.ts';
import { compileWildcard, matchesWildcard } from './wildcard.ts';
import { forEachWholeWord, isLettersPiece, termOf, withoutElision } from './words.ts';

export interface QueryTerms {
  readonly terms: readonly MatchTerm[];
  /** Words of the query that are names of authors. */
  readonly names: ReadonlySet<string>;
  /** Words of the query that are in no memory, with those that they are taken for. */
  readonly takenFor: ReadonlyMap<string, readonly MeantWord[]>;
}

/**
 * @param phrases of the text, found
 * @param raw the text as it was typed, with the times that it speaks of
 */
export function queryTerms(
  index: RecallIndex,
  text: QueryText,
  phrases: FoundPhrases,
  raw: string,
  mentions: readonly TimeMention[],
): QueryTerms {
  const parts = index.parts();
  const dates = namedDates(raw, mentions);
  const names = new Set<string>();
  /** Names that are looked for as words first. */
  const asWords = new Set<string>();
  const others: string[] = [];
  const known = new Map<string, readonly string[]>();
  const queryNames = new QueryNames(text, raw);
  for (const word of withoutModal(text.words, dates)) {
    const name = word.endsWith("'s") ? word.slice(0, -2) : word.endsWith("'") ? word.slice(0, -1) : word;
    let found = known.get(name);
    if (found === undefined) {
      const spellings = queryNames.mayBeName(word) ? [name, ...(text.spellings.get(word) ?? [])] : [];
      found = spellings.filter((each) => parts.some((part) => isAuthor(part, each)));
      known.set(name, found);
    }
    const isHeldAsWord = found.length > 0 && parts.some((part) => part.postings(termOf(name)).count > 0);
    if (isHeldAsWord && queryNames.isAlone(word) && !isStopword(name)) {
      others.push(name);
      for (const each of found) asWords.add(each);
      continue;
    }
    for (const each of found) names.add(each);
    // A name that no text holds must not be taken for a mistyped word.
    if (found.length === 0) others.push(word);
    else if (isHeldAsWord && queryNames.mayBeWord(word)) others.push(name);
  }
  const terms: MatchTerm[] = [];
  const takenFor = new Map<string, readonly MeantWord[]>();
  const unquoted = others.filter((word) => !text.quoted.has(word));
  let apartCount = 0;
  let unknown = 0;
  for (const name of termsOf(others)) {
    const typed = typedAs(name, others)!;
    const ways = otherWays(typed, name, text);
    if (ways.phrases.length > 0) apartCount++;
    const apart = findPhrases(parts, apartCount > MAX_PHRASES ? [] : ways.phrases);
    const own = parts.map((part) => withoutUnnamedDates(name, dates, part.postings(name), part.time));
    const postings = inAllWays(parts, own, ways.terms, apart);
    const isKnown = isHeld(postings);
    // In a phrase it is meant as it is.
    const meantAs = isKnown || ++unknown > MAX_MISTYPED ? undefined : typedAs(name, unquoted);
    const cut = meantAs === undefined ? own : inAllWays(parts, own, [], findPhrases(parts, cutsOf(meantAs)));
    const meant = meantAs === undefined || isHeld(cut) ? [] : meantWords(parts, meantAs);
    if (meant.length > 0) {
      takenFor.set(meantAs!, meant);
      terms.push({ ...meantTerm(parts, name, meant), typed: meantAs! });
    } else terms.push({ name, typed, postings: isKnown ? postings : cut });
  }
  const hasWords = terms.some((term) => isHeld(term.postings));
  if (!hasWords || sayNothing(others)) {
    for (const name of names) terms.push(nameAsWord(index, name));
  }
  for (const name of asWords) terms.push({ ...nameAsWord(index, name), share: MEANT_WEIGHT });
  for (const { terms: phrase, documents } of phrases) {
    // Letters may be cut into words that no text was cut into: only as a whole they are surely found.
    if (phrase.length > 1 || isLettersPiece(phrase[0]!)) terms.push(phraseTerm(phrase, documents));
  }
  for (const pattern of text.wildcards) terms.push(wildcardTerm(index, pattern));
  return { terms, names, takenFor };
}

function isHeld(postings: readonly Postings[]): boolean {
  return postings.some(({ count }) => count > 0);
}

/** What holds a word, or it in another way. */
function inAllWays(
  parts: readonly Part[],
  own: readonly Postings[],
  terms: readonly string[],
  phrases: FoundPhrases,
): readonly Postings[] {
  return parts.map((part, at) => {
    const others = [
      ...terms.map((term) => part.postings(term)),
      ...phrases.map(({ documents }) => listedOnce(documents[at]!)),
    ].filter(({ count }) => count > 0);
    return others.length === 0 ? own[at]! : unionPostings([own[at]!, ...others], part.count);
  });
}

/** The first of some words that has a term, as it was typed. */
function typedAs(term: string, words: readonly string[]): string | undefined {
  return words.map(withoutElision).find((word) => termOf(word) === term);
}

/** One term for all that a word is taken for. */
function meantTerm(parts: readonly Part[], name: string, meant: readonly MeantWord[]): MatchTerm {
  const postings = parts.map((part) =>
    unionPostings(
      meant.map(({ term }) => part.postings(term)),
      part.count,
    ),
  );
  return { name, postings, share: MEANT_WEIGHT };
}

/** The words of a list of names, for as many of them as there were. */
interface NameWords {
  readonly words: Set<string>;
  read: number;
}

const wordsOfNames = new WeakMap<readonly string[], NameWords>();

/** Few words are names: the others need no lookup. A name that is one may have no live memories. */
function isAuthor(part: Part, name: string): boolean {
  return nameWords(part.authors).has(name) && part.postings(authorTerm(name)).count > 0;
}

function nameWords(names: readonly string[]): ReadonlySet<string> {
  let known = wordsOfNames.get(names);
  if (known === undefined) {
    known = { words: new Set(), read: 0 };
    wordsOfNames.set(names, known);
  }
  // A tail's list grows.
  const { words } = known;
  for (; known.read < names.length; known.read++)
    forEachWholeWord(names[known.read]!, (word) => words.add(word));
  return words;
}

function nameAsWord(index: RecallIndex, name: string): MatchTerm {
  const [term = name] = termsOf([name]);
  const postings = index
    .parts()
    .map((part) => unionPostings([part.postings(term), part.postings(authorTerm(name))], part.count));
  return { name: authorTerm(name), typed: name, postings };
}

/** A phrase is a word of its own, and a rare one as a rule. */
function phraseTerm(phrase: readonly string[], documentsOfPart: readonly Int32Array[]): MatchTerm {
  return { name: phrase.join(' '), postings: documentsOfPart.map(listedOnce) };
}

function listedOnce(documents: Int32Array): Postings {
  const frequencies = new Uint8Array(documents.length).fill(1);
  return { kind: 'listed', count: documents.length, documents, frequencies };
}

/** One term for all that a pattern matches: words as they were written, and their stems. */
function wildcardTerm(index: RecallIndex, text: string): MatchTerm {
  const pattern = compileWildcard(text);
  const postings = index.parts().map((part) => {
    const matched: Postings[] = [];
    for (const mark of ['', WRITTEN_MARK]) {
      for (const term of part.termsFrom(mark + pattern.prefix)) {
        const word = term.slice(mark.length);
        if (isWord(word) && matchesWildcard(pattern, word)) matched.push(part.postings(term));
      }
    }
    return unionPostings(matched, part.count);
  });
  return { name: text, typed: text, postings };
}
