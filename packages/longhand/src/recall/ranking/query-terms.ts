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
import { ofEach } from './lists.ts';
import type { MatchTerm } from './match.ts';
import { isTurn } from './strength.ts';
import { type FoundPhrases, isHeld, type WordTerms, wordTerms } from './word-terms.ts';

/**
 * From a query to the terms that are scored: its words (`word-terms.ts`), phrases and wildcards, and the names of authors among
 * its words (`namedAuthors`). When nothing else is left, or only that something was said, a name is looked for like a word.
 */

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
  const { terms: words, takenFor } = wordTerms(index, text, saysNoMore ? [] : others);
  const terms = [...words];
  const beside = times.terms(parts);
  for (const { terms: phrase, documents } of phrases)
    if (phrase.length > 1) beside.push(phraseTerm(phrase, documents));
  if (text.wildcards.length > 0) beside.push(...wildcardTerms(index, text.wildcards));
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

/**
 * One term for all that a pattern matches: words as they were written, and their stems. Most of the time goes into reading the
 * dictionary, so each part of it is read once for all patterns that begin alike.
 */
function wildcardTerms(index: RecallIndex, texts: readonly string[]): MatchTerm[] {
  const patterns = texts.map(compileWildcard);
  const byPrefix = Map.groupBy(patterns.keys(), (number) => patterns[number]!.prefix);
  const ofParts = ofEach(index.parts(), (part) => {
    const wanted = patterns.map(() => new Set<string>());
    for (const [prefix, numbers] of byPrefix) {
      // Without a prefix, the first walk is through all.
      for (const mark of prefix === '' ? [''] : ['', WRITTEN_MARK]) {
        for (const term of part.termsFrom(mark + prefix)) {
          const word = term.startsWith(WRITTEN_MARK) ? term.slice(WRITTEN_MARK.length) : term;
          if (!isWord(word)) continue;
          for (const number of numbers)
            if (matchesWildcard(patterns[number]!, word)) wanted[number]!.add(term);
        }
      }
    }
    return wanted.map((terms) =>
      unionPostings(
        Array.from(terms, (term) => part.postings(term)),
        part.count,
      ),
    );
  });
  return texts.map((text, number) => ({
    name: text,
    typed: text,
    postings: ofEach(ofParts, (ofPart) => ofPart[number]!),
  }));
}

/**
 * Who is named in a query, and which words are left of it.
 *
 * A word that names a speaker says who is meant, not what was said: it leaves the words and picks out that speaker's memories
 * instead. A stopword is a name where it has a capital letter or stands alone (Will).
 */

interface NamedAuthors {
  /** The words of the query that name authors, each with the names that it may be. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** All other words, in their order. */
  readonly others: readonly string[];
}

function namedAuthors(parts: readonly Part[], text: QueryText): NamedAuthors {
  const { words, capitalised, spellings } = text;
  const named = new Map<string, readonly string[]>();
  const others: string[] = [];
  const isOnlyStopwords = words.every(isStopword);
  for (const word of words) {
    const mayBeName = !isStopword(word) || capitalised.has(word) || isOnlyStopwords;
    const names = !mayBeName ? [] : [word.replace(/'s?$/, ''), spellings.get(word) ?? ''];
    const found = names.filter((name) => name !== '' && parts.some((part) => isAuthor(part, name)));
    if (found.length > 0) named.set(word, found);
    else others.push(word);
  }
  return { named, others };
}

/** Without named authors no word needs a lookup. */
function isAuthor(part: Part, name: string): boolean {
  return part.authors.some((author) => author !== '') && part.postings(authorTerm(name)).count > 0;
}
