/**
 * From the words of a query to the terms that are scored.
 *
 * A word that names somebody who spoke says who is meant, not what was said: it leaves the words and picks out
 * that author's memories instead. When nothing else is left, the name is looked for like a word.
 */

import { WRITTEN_MARK } from './lexicon.ts';
import type { MatchTerm } from './match.ts';
import type { Part } from './part.ts';
import type { FoundPhrases } from './phrase.ts';
import { type Postings, unionPostings } from './postings.ts';
import { type QueryText, termsOf } from './query-text.ts';
import type { RecallIndex } from './recall-index.ts';
import { isStopword } from './stopwords.ts';
import { authorTerm } from './term-names.ts';
import { compileWildcard, matchesWildcard } from './wildcard.ts';

export interface QueryTerms {
  readonly terms: readonly MatchTerm[];
  /** Words of the query that are names of authors. */
  readonly names: ReadonlySet<string>;
}

/** @param phrases of the text, found */
export function queryTerms(index: RecallIndex, text: QueryText, phrases: FoundPhrases): QueryTerms {
  const parts = index.parts();
  const names = new Set<string>();
  const others: string[] = [];
  const known = new Map<string, boolean>();
  const isOnlyStopwords = text.words.every(isStopword);
  for (const word of text.words) {
    const name = word.endsWith("'s") ? word.slice(0, -2) : word.endsWith("'") ? word.slice(0, -1) : word;
    let isName = known.get(name);
    if (isName === undefined) {
      // Will is a name where it has its capital letter, or where nothing else is said.
      const mayBeName = isOnlyStopwords || !isStopword(word) || text.capitalised.has(word);
      isName = mayBeName && parts.some((part) => isAuthor(part, name));
      known.set(name, isName);
    }
    if (isName) names.add(name);
    else others.push(word);
  }
  const terms: MatchTerm[] = termsOf(others).map((name) => ({
    name,
    postings: parts.map((part) => part.postings(name)),
  }));
  const hasWords = terms.some((term) => term.postings.some(({ count }) => count > 0));
  if (!hasWords || others.every(isStopword)) {
    for (const name of names) terms.push(nameAsWord(index, name));
  }
  for (const { terms: phrase, documents } of phrases) {
    if (phrase.length > 1) terms.push(phraseTerm(phrase, documents));
  }
  for (const pattern of text.wildcards) terms.push(wildcardTerm(index, pattern));
  return { terms, names };
}

/** A part in which nobody is named needs no lookup: its one author has no name. */
function isAuthor(part: Part, name: string): boolean {
  const hasNames = part.authors.length > 1 || (part.authors[0] ?? '') !== '';
  return hasNames && part.postings(authorTerm(name)).count > 0;
}

function nameAsWord(index: RecallIndex, name: string): MatchTerm {
  const [term = name] = termsOf([name]);
  const postings = index
    .parts()
    .map((part) => unionPostings([part.postings(term), part.postings(authorTerm(name))], part.count));
  return { name: authorTerm(name), postings };
}

/** A phrase is a word of its own, and a rare one as a rule. */
function phraseTerm(phrase: readonly string[], documentsOfPart: readonly Int32Array[]): MatchTerm {
  const postings = documentsOfPart.map((documents): Postings => {
    const frequencies = new Uint8Array(documents.length).fill(1);
    return { kind: 'listed', count: documents.length, documents, frequencies };
  });
  return { name: phrase.join(' '), postings };
}

/** One term for all that a pattern matches: words as they were written, and their stems. */
function wildcardTerm(index: RecallIndex, text: string): MatchTerm {
  const pattern = compileWildcard(text);
  const postings = index.parts().map((part) => {
    const matched: Postings[] = [];
    for (const mark of ['', WRITTEN_MARK]) {
      for (const term of part.termsFrom(mark + pattern.prefix)) {
        const word = term.slice(mark.length);
        if (isWordStart(word) && matchesWildcard(pattern, word)) matched.push(part.postings(term));
      }
    }
    return unionPostings(matched, part.count);
  });
  return { name: text, postings };
}

/** Terms that are no words begin with a mark; all marks are ASCII signs. */
function isWordStart(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 97 && code <= 122);
}
