/**
 * From a query to the terms that are scored: its words (`word-terms.ts`), phrases and wildcards, and the names of authors among
 * its words (`named-authors.ts`). When nothing else is left, or only that something was said, a name is looked for like a word.
 */

import {
  authorTerm,
  compileWildcard,
  isStopword,
  isWord,
  matchesWildcard,
  type QueryText,
  sayOnlyThatItWasSaid,
  termOf,
  termsOf,
} from '../analysis/index.ts';
import {
  documentsOf,
  listedOnce,
  type Part,
  type RecallIndex,
  unionPostings,
  WRITTEN_MARK,
} from '../index/index.ts';
import { type AskedOfNames, namesAsked } from './asked-of-names.ts';
import type { AskedTimes } from './asked-times.ts';
import type { MatchTerm } from './match.ts';
import { namedAuthors } from './named-authors.ts';
import { ofEach } from './of-each.ts';
import type { FoundPhrases } from './phrase.ts';
import { isTurn } from './strength.ts';
import { isHeld, type WordTerms, wordTerms } from './word-terms.ts';

export interface QueryTerms extends WordTerms {
  /** Names of authors, of those whom the query asks about. */
  readonly names: ReadonlySet<string>;
  /** What is asked of them, where nothing else is looked for. */
  readonly askedOfNames: AskedOfNames | undefined;
}

/**
 * @param text without the words of its times
 * @param phrases of the text, found
 */
export function queryTerms(
  index: RecallIndex,
  text: QueryText,
  phrases: FoundPhrases,
  times: AskedTimes,
): QueryTerms {
  const parts = index.parts();
  const { named, others } = namedAuthors(parts, text);
  const saysNoMore = named.size > 0 && sayOnlyThatItWasSaid(others);
  const { terms: words, takenFor } = wordTerms(parts, text, saysNoMore ? [] : others);
  const terms = [...words];
  const beside = times.terms(parts);
  for (const { terms: phrase, documents } of phrases)
    if (phrase.length > 1) beside.push(phraseTerm(phrase, documents));
  for (const pattern of text.wildcards) beside.push(wildcardTerm(index, pattern));
  const isHeldBeside = words.some(({ postings }) => isHeld(postings));
  const areAsked = named.size > 0 && !isHeldBeside;
  const areAlone = areAsked && beside.length === 0 && (saysNoMore || areNoted(parts, named));
  const namesAlone = areAlone ? namesAsked(text.words, named, saysNoMore) : undefined;
  const names = namesOf(named, namesAlone?.words ?? named.keys());
  if (areAsked) {
    for (const name of namesOf(named, named.keys())) terms.push(nameAsWord(index, name));
  }
  terms.push(...beside);
  return { terms, names, askedOfNames: namesAlone?.asked, takenFor };
}

function namesOf(
  named: ReadonlyMap<string, readonly string[]>,
  words: Iterable<string>,
): ReadonlySet<string> {
  return new Set(Array.from(words, (word) => named.get(word)!).flat());
}

/** Whether anything is noted about any of those who are named. */
function areNoted(parts: readonly Part[], named: ReadonlyMap<string, readonly string[]>): boolean {
  const terms = [...namesOf(named, named.keys())].filter((name) => !isStopword(name)).map(termOf);
  return parts.some((part) =>
    terms.some((term) => documentsOf(part.postings(term)).some((document) => !isTurn(part, document))),
  );
}

function nameAsWord(index: RecallIndex, name: string): MatchTerm {
  const term = termOfName(name);
  const postings = ofEach(index.parts(), (part) =>
    unionPostings([part.postings(term), part.postings(authorTerm(name))], part.count),
  );
  return { name: authorTerm(name), typed: name, postings };
}

function termOfName(name: string): string {
  const [term = name] = termsOf([name]).keys();
  return term;
}

/** A phrase is a word of its own, and a rare one as a rule. */
function phraseTerm(phrase: readonly string[], documentsOfPart: readonly Int32Array[]): MatchTerm {
  return { name: phrase.join(' '), postings: ofEach(documentsOfPart, listedOnce) };
}

/** One term for all that a pattern matches: words as they were written, and their stems. */
function wildcardTerm(index: RecallIndex, text: string): MatchTerm {
  const pattern = compileWildcard(text);
  const postings = ofEach(index.parts(), (part) => {
    const wanted = new Set<string>();
    const noteMatching = (term: string): void => {
      const word = term.startsWith(WRITTEN_MARK) ? term.slice(WRITTEN_MARK.length) : term;
      if (isWord(word) && matchesWildcard(pattern, word)) wanted.add(term);
    };
    for (const mark of ['', WRITTEN_MARK])
      for (const term of part.termsFrom(mark + pattern.prefix)) noteMatching(term);
    const matched = Array.from(wanted, (term) => part.postings(term));
    return unionPostings(matched, part.count);
  });
  return { name: text, typed: text, postings };
}
