/**
 * A query as people type it: words, "phrases in double quotes", and wild*cards. Any of the words may match. A phrase is required
 * when the query is nothing but phrases; in a question it is usually a title, and counts as one more word.
 *
 * People also paste JSON, logs, Markdown and code. A quote opens a phrase only where prose has one, and words between **stars**
 * are emphasised words. A pasted text with too many phrases or wildcards is searched by its words.
 */

import { LIMITS } from '../../core/limits.ts';
import { isCapital } from './characters.ts';
import { isAsking, isStopword, isTalking } from './stopwords.ts';
import { hasWildcard } from './wildcard.ts';
import { forEachWholeWord, patternsOf, phrasePieces, speltWord, termOf } from './words.ts';

/** The query cannot be answered. The message says why and what to do. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code = 'QUERY_INVALID';
  /** The part of the request that is at fault. */
  readonly field: string;

  constructor(message: string, field: 'text' | 'cursor' | 'limit') {
    super(message);
    this.field = field;
  }
}

/** Each wildcard is a walk through the dictionary. */
const MAX_WILDCARDS = 32;
/** Each phrase is a walk through the positions of its words. */
export const MAX_PHRASES = 32;

/**
 * A phrase in its quotes. None opens after a letter, or after what precedes strings in data (`{"a":["b"]}`, `a="b"`). None closes
 * before a letter, or before `:` and `=`, which follow a key. Letters from \u0e00 on are of scripts without spaces.
 */
const PHRASE =
  /(?<![\w\u00c0-\u0dff{[,:=\\])["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d](?![\w\u00c0-\u0dff:=])/;
/** **Bold** in Markdown. With one star on each side it is a wildcard. */
const BOLD = /(?<![\w*])\*{2,}(?=[^\s*])([^*]*[^\s*])\*{2,}(?![\w*])/g;

export interface QueryText {
  /** Whether the text is empty. A text without words is not: it asks for something that does not exist. */
  readonly isBlank: boolean;
  /** In order, those of phrases included. */
  readonly words: readonly string[];
  /** Words of phrases, which are not corrected. */
  readonly quoted: ReadonlySet<string>;
  /** Capitalised words after the first, which are usually names. */
  readonly capitalised: ReadonlySet<string>;
  /** Word → the same with its umlauts spelt out. */
  readonly spellings: ReadonlyMap<string, string>;
  /** The terms of each phrase (`phrasePieces`). */
  readonly phrases: readonly (readonly string[])[];
  /** Then the phrases are required. */
  readonly isOnlyPhrases: boolean;
  /** Patterns, folded like words. */
  readonly wildcards: readonly string[];
}

/** @throws QueryError for a text that is too long, is mostly more than 32 wildcards, or only more than 32 phrases */
export function readQueryText(text: string): QueryText {
  if (text.length > LIMITS.queryCharacters) {
    throw new QueryError(
      `The text of the query has ${text.length} characters; ${LIMITS.queryCharacters} are allowed. Ask with fewer words.`,
      'text',
    );
  }
  const words: string[] = [];
  const quoted = new Set<string>();
  const capitalised = new Set<string>();
  const phrases = new Map<string, string[]>();
  const wildcards = new Set<string>();
  const spellings = new Map<string, string>();
  let isOnlyPhrases = true;
  for (const [number, piece] of text.replace(BOLD, ' $1 ').split(PHRASE).entries()) {
    // Odd pieces stand in quotes. With a star they are no phrase, and their words count one by one.
    const isQuoted = number % 2 === 1 && !piece.includes('*');
    let before = '';
    forEachWholeWord(withoutWildcards(piece, wildcards), (word, raw, isBeside) => {
      if (isBeside && word === speltWord(raw)) {
        spellings.set(before, word);
        return;
      }
      if (words.length > 0 && isCapital(raw, 0)) capitalised.add(word);
      words.push(word);
      if (isQuoted) quoted.add(word);
      else isOnlyPhrases = false;
      if (!isBeside) before = word;
    });
    const phrase = isQuoted ? phrasePieces(piece) : [];
    if (phrase.length > 0) phrases.set(phrase.join(' '), phrase);
  }
  if (wildcards.size > MAX_WILDCARDS && wildcards.size < words.length) {
    return readQueryText(text.replaceAll('*', ' '));
  }
  checkCount(wildcards.size, MAX_WILDCARDS, 'wildcards');
  if (isOnlyPhrases) checkCount(phrases.size, MAX_PHRASES, 'phrases');
  return {
    isBlank: text.trim() === '',
    words,
    quoted,
    capitalised,
    spellings,
    // Phrases that are dropped among other words still count by their words.
    phrases: [...phrases.values()].slice(0, MAX_PHRASES),
    isOnlyPhrases: isOnlyPhrases && wildcards.size === 0,
    wildcards: [...wildcards],
  };
}

function checkCount(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new QueryError(`The query has ${count} ${what}; ${most} are allowed. Ask with fewer.`, 'text');
}

/** Moves the patterns of a text to `wildcards`: of `user_i*`, `i*` is moved and `user` stays. */
function withoutWildcards(piece: string, wildcards: Set<string>): string {
  if (!piece.includes('*')) return piece;
  const rest: string[] = [];
  for (const chunk of piece.split(/\s+/)) {
    for (const word of chunk.includes('*') ? patternsOf(chunk) : [chunk]) {
      if (hasWildcard(word)) wildcards.add(word);
      else if (!word.includes('*')) rest.push(word);
    }
  }
  return rest.join(' ');
}

const REQUEST_STARTS = new Set(['can', 'could', 'would', 'will']);

/** The position of the verb of a polite request ("can you *suggest*"), or −1. */
export function requestVerb(words: readonly string[]): number {
  if (words[1] !== 'you' || !REQUEST_STARTS.has(words[0]!)) return -1;
  return words[2] === 'please' ? 3 : 2;
}

/**
 * The distinct terms to look for, each with the first word that has it. Stopwords, the verb of a request, and words that only say
 * that people talked or something happened are looked for only when there is nothing else.
 */
export function termsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const verb = requestVerb(words);
  const isTelling = (word: string, at: number): boolean =>
    at !== verb && !isStopword(word) && !isTalking(words, at);
  const subjects = words.filter((word, at) => isTelling(word, at) && !isAsking(words, at));
  const telling = subjects.length > 0 ? subjects : words.filter(isTelling);
  const terms = new Map<string, string>();
  for (const word of telling.length > 0 ? telling : words) {
    const term = termOf(word);
    if (!terms.has(term)) terms.set(term, word);
  }
  return terms;
}
