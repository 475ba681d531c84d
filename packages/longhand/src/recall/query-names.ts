/**
 * Which words of a query may name an author.
 *
 * Speakers are called Bill or Rose, or after what they do ("Product Manager"). Whoever writes with capital letters gives
 * names one: there, a word without it is looked for as a word too. A query all in small letters does not tell, unless it is
 * that one word: "product" asks for the product before it asks for what the product manager said. "In April" is a month, whoever
 * is called so.
 */

import type { QueryText } from './query-text.ts';
import { isStopword } from './stopwords.ts';
import type { TimeMention } from './time-expression.ts';
import { forEachWholeWord } from './words.ts';

/** The signs of an e-mail address, a URL or a path, which name a place. */
const IN_ADDRESS = /[@/\\]/;

export class QueryNames {
  readonly #text: QueryText;
  readonly #hasCapitals: boolean;
  readonly #isOnlyStopwords: boolean;
  readonly #inAddresses = new Set<string>();
  readonly #inTimes: ReadonlySet<string>;

  /** @param raw the text as it was typed, with the times that it speaks of */
  constructor(text: QueryText, raw: string, mentions: readonly TimeMention[]) {
    this.#inTimes = wordsOfTimesAlone(raw, mentions);
    this.#text = text;
    this.#hasCapitals = raw !== raw.toLowerCase();
    this.#isOnlyStopwords = text.words.every(isStopword);
    for (const piece of IN_ADDRESS.test(raw) ? raw.split(/\s+/) : []) {
      if (IN_ADDRESS.test(piece)) forEachWholeWord(piece, (word) => this.#inAddresses.add(word));
    }
  }

  /** Will is a name where it has its capital letter, or where nothing else is said. */
  mayBeName(word: string): boolean {
    if (this.#inAddresses.has(word) || this.#inTimes.has(word)) return false;
    return this.#isOnlyStopwords || !isStopword(word) || this.#text.capitalised.has(word);
  }

  /** Of a word that may be a name: whether it is all that is asked for, and has no capital letter. */
  isAlone(word: string): boolean {
    return (
      !this.#hasCapitals &&
      !isStopword(word) &&
      this.#text.words.every((each) => each === word || isStopword(each))
    );
  }

  /** Of a word that may be a name: whether it may be meant as a word as well. The first has a capital letter anyway. */
  mayBeWord(word: string): boolean {
    return this.#hasCapitals && word !== this.#text.words[0] && !this.#text.capitalised.has(word);
  }
}

/** The words that stand in times, and nowhere else. */
function wordsOfTimesAlone(raw: string, mentions: readonly TimeMention[]): ReadonlySet<string> {
  const words = new Set<string>();
  let rest = '';
  let end = 0;
  for (const { from, to } of mentions) {
    forEachWholeWord(raw.slice(from, to), (word) => words.add(word));
    rest += `${raw.slice(end, Math.max(end, from))} `;
    end = Math.max(end, to);
  }
  if (words.size > 0) forEachWholeWord(rest + raw.slice(end), (word) => words.delete(word));
  return words;
}
