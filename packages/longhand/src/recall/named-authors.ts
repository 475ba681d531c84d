/**
 * Who is named in a query, and which words are left of it.
 *
 * A word that names somebody who spoke says who is meant, not what was said: it leaves the words and picks out that author's
 * memories instead; where it may be a word as well, it stays (`query-names.ts`).
 */

import type { Part } from './part.ts';
import { type AskedDates, datedPostings } from './query-dates.ts';
import { QueryNames } from './query-names.ts';
import type { QueryText } from './query-text.ts';
import { authorTerm } from './term-names.ts';
import type { TimeMention } from './time-expression.ts';
import { forEachWholeWord, termOf } from './words.ts';

export interface NamedAuthors {
  /** The words of the query that name authors, each with the names that it may be. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** Names that are looked for as words, and only then as names. */
  readonly asWords: ReadonlySet<string>;
  /** All other words, in their order. */
  readonly others: readonly string[];
}

/**
 * @param words of the text that count
 * @param raw the text as it was typed, with the times that it speaks of
 * @param dates that it names
 */
export function namedAuthors(
  parts: readonly Part[],
  text: QueryText,
  words: readonly string[],
  raw: string,
  mentions: readonly TimeMention[],
  dates: AskedDates,
): NamedAuthors {
  const named = new Map<string, readonly string[]>();
  const asWords = new Set<string>();
  const others: string[] = [];
  const known = new Map<string, readonly string[]>();
  const queryNames = new QueryNames(text, raw, mentions);
  for (const word of words) {
    const name = word.endsWith("'s") ? word.slice(0, -2) : word.endsWith("'") ? word.slice(0, -1) : word;
    let found = known.get(word);
    if (found === undefined) {
      const spellings = queryNames.mayBeName(word) ? [name, ...(text.spellings.get(word) ?? [])] : [];
      found = spellings.filter((each) => parts.some((part) => isAuthor(part, each)));
      known.set(word, found);
    }
    if (found.length === 0) {
      others.push(word);
      continue;
    }
    // A name that no text holds must not be taken for a mistyped word.
    const isHeld = parts.some((part) => datedPostings(termOf(name), dates, part).count > 0);
    const isAlone = isHeld && queryNames.isAlone(word);
    if (isAlone || (isHeld && queryNames.mayBeWord(word))) others.push(name);
    if (!isAlone) named.set(word, found);
    else for (const each of found) asWords.add(each);
  }
  return { named, asWords, others };
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
