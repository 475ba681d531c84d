/**
 * A query as people type it: words, "phrases in double quotes", and wild*cards.
 *
 * Any of the words may match. A phrase is required when the query is nothing but phrases; inside a question it
 * is the title of something, as a rule, which the answer need not repeat, and counts as one more word.
 */

import { isStopword } from './stopwords.ts';
import { hasWildcard } from './wildcard.ts';
import { forEachWord, termOf } from './words.ts';

/** The query cannot be answered as it stands. The message says why and what to do. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code = 'QUERY_INVALID';
}

/** Each wildcard is a walk through the dictionary; more than this is a mistake or an attack. */
export const MAX_WILDCARDS = 32;

export interface QueryText {
  /** Words in order, as written, phrases included. */
  readonly words: readonly string[];
  /** Each phrase as the terms that follow one another. */
  readonly phrases: readonly (readonly string[])[];
  /** Whether there is nothing but phrases: then they are what is asked for, and not a hint. */
  readonly isOnlyPhrases: boolean;
  /** Lower-case patterns. */
  readonly wildcards: readonly string[];
}

/** @throws QueryError for more than 32 wildcards. */
export function readQueryText(text: string): QueryText {
  const words: string[] = [];
  const phrases: string[][] = [];
  const wildcards = new Set<string>();
  let isOnlyPhrases = true;
  const pieces = text.split(/["\u201c\u201d]/);
  for (const [number, piece] of pieces.entries()) {
    // Odd pieces stand between quotes; an opening quote that is never closed quotes nothing.
    const isQuoted = number % 2 === 1 && number < pieces.length - 1;
    const phrase: string[] = [];
    const plain = isQuoted ? piece : withoutWildcards(piece, wildcards);
    forEachWord(plain, (word) => {
      words.push(word);
      if (isQuoted) phrase.push(termOf(word));
      else isOnlyPhrases = false;
    });
    if (isQuoted && phrase.length > 0) phrases.push(phrase);
  }
  if (wildcards.size > MAX_WILDCARDS) {
    throw new QueryError(
      `The query has ${wildcards.size} wildcards; ${MAX_WILDCARDS} are allowed. Ask with fewer.`,
    );
  }
  isOnlyPhrases &&= wildcards.size === 0;
  return { words, phrases, isOnlyPhrases, wildcards: [...wildcards] };
}

function withoutWildcards(piece: string, wildcards: Set<string>): string {
  if (!piece.includes('*')) return piece;
  const rest: string[] = [];
  for (const chunk of piece.split(/\s+/)) {
    const pattern = chunk.replaceAll(/^[^\p{L}\p{N}*]+|[^\p{L}\p{N}*]+$/gu, '').toLowerCase();
    if (hasWildcard(pattern)) wildcards.add(pattern);
    else rest.push(chunk);
  }
  return rest.join(' ');
}

/** "Can you tell me…": how a request begins that says what to do, and only then what about. */
const REQUEST_STARTS = new Set(['can', 'could', 'would', 'will']);

/** The position of the verb of a polite request ("can you *suggest*"), or −1. */
export function requestVerb(words: readonly string[]): number {
  if (words[1] !== 'you' || !REQUEST_STARTS.has(words[0]!)) return -1;
  return words[2] === 'please' ? 3 : 2;
}

/** The distinct terms to look for: stopwords, and the verb of a request, only when there is nothing else. */
export function termsOf(words: readonly string[]): string[] {
  const verb = requestVerb(words);
  const telling = words.filter((word, at) => at !== verb && !isStopword(word));
  return [...new Set((telling.length > 0 ? telling : words).map(termOf))];
}
