/**
 * Who is named in a query, and which words are left of it.
 *
 * A word that names a speaker says who is meant, not what was said: it leaves the words and picks out that speaker's memories
 * instead. A stopword is a name where it has a capital letter or stands alone (Will).
 */

import { authorTerm, isStopword, type QueryText } from '../analysis/index.ts';
import type { Part } from '../index/index.ts';

interface NamedAuthors {
  /** The words of the query that name authors, each with the names that it may be. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** All other words, in their order. */
  readonly others: readonly string[];
}

export function namedAuthors(parts: readonly Part[], text: QueryText): NamedAuthors {
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
