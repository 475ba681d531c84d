/**
 * A query as people type it: words, "phrases in double quotes", and wild*cards.
 *
 * Any of the words may match. A phrase is required when the query is nothing but phrases; inside a question it
 * is the title of something, as a rule, which the answer need not repeat, and counts as one more word.
 *
 * People paste as well as type: JSON, logs, Markdown, code. A quote is taken for one only where somebody who writes puts it,
 * and a word between **stars** is stressed. A text that still has more phrases or wildcards than a query may have, among
 * enough other words, is looked for by its words.
 */

import { lazily } from '../core/lazily.ts';
import { LIMITS } from '../core/limits.ts';
import { isAsking, isSaying } from './asking-words.ts';
import { mayBeCompound } from './compounds.ts';
import { fullHours, groupedNumbers, withWholeTimes } from './digit-groups.ts';
import { functionWordsOf } from './function-words.ts';
import { isStopword } from './stopwords.ts';
import { withCutDates } from './time/numeric-dates.ts';
import { hasWildcard } from './wildcard.ts';
import {
  forEachPattern,
  forEachWholeWord,
  isCapitalised,
  phrasePieces,
  speltWord,
  termOf,
  withoutElision,
  wordInCapitals,
} from './words.ts';

/** The query cannot be answered as it stands. The message says why and what to do. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code = 'QUERY_INVALID';
  /** Of the query, that which is to blame. */
  readonly field: string;

  constructor(message: string, field: 'text' | 'cursor' | 'limit') {
    super(message);
    this.field = field;
  }
}

/** Each wildcard is a walk through the dictionary; more than this is a mistake or an attack. */
export const MAX_WILDCARDS = 32;
/** Each phrase is a walk through the positions of its words. */
const MAX_PHRASES = 32;
/** Each is looked for in dozens of ways: a list of telephone numbers is looked for by its words. */
const MAX_GROUPED_NUMBERS = 16;

/**
 * A phrase between its quotes. Behind a letter, or behind what stands before the strings of data (`{"a":["b"]}`, `a="b"`), none
 * begins; before a letter, or before the sign that makes a string the name of another, none ends. The scripts that write no
 * spaces have their letters from \u0e00 on.
 */
const PHRASE =
  /(?<![\w\u00c0-\u0dff{[,:=\\])["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d](?![\w\u00c0-\u0dff:=])/;
/** **Words** that Markdown makes bold. One star on each side is a wildcard on each side. */
const STRESSED = /(?<![\w*])\*{2,}(?=[^\s*])([^*]*[^\s*])\*{2,}(?![\w*])/g;

export interface QueryText {
  /** Whether there is any text at all; a text of which no word is left asks for nothing that exists. */
  readonly isBlank: boolean;
  /** Words in order, phrases included. */
  readonly words: readonly string[];
  /** Words that stand in phrases, where they are meant as they are. */
  readonly quoted: ReadonlySet<string>;
  /** Words that stand with a capital letter behind the first word, where only a name has one. */
  readonly capitalised: ReadonlySet<string>;
  /** Word → the terms of what it may be as one word, or number, with those beside it. */
  readonly compounds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Word → the same with its umlauts spelt out. Not its term: names are looked for by it, too. */
  readonly spellings: ReadonlyMap<string, ReadonlySet<string>>;
  /** Each phrase as the pieces that follow one another (`phrasePieces`). */
  readonly phrases: readonly (readonly string[])[];
  /** Whether there is nothing but phrases: then they are what is asked for, and not a hint. */
  readonly isOnlyPhrases: boolean;
  /** Patterns, folded like words. */
  readonly wildcards: readonly string[];
}

/** @throws QueryError for a text that is too long, or is mostly more than 32 wildcards, or nothing but more than 32 phrases. */
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
  const compounds = new Map<string, Set<string>>();
  const spellings = new Map<string, Set<string>>();
  let isOnlyPhrases = true;
  let roomForNumbers = MAX_GROUPED_NUMBERS;
  let roomForNames = MAX_NAMES_WITH_SIGNS;
  // Where all is in capital letters, they say nothing; two words may well be acronyms.
  const isShouted = !/[a-z]/.test(text) && /\S\s+\S+\s+\S/.test(text);
  const pieces = text.replace(STRESSED, ' $1 ').split(PHRASE);
  for (const [number, piece] of pieces.entries()) {
    // Odd pieces stand between quotes. A star has no place in a phrase: with one, the words count by themselves.
    const isQuoted = number % 2 === 1 && !piece.includes('*');
    let before = '';
    const plain = withWholeTimes(withoutWildcards(piece, wildcards));
    forEachWholeWord(isQuoted ? plain : withCutDates(plain), (word, raw, isBeside) => {
      if (isBeside && word === speltWord(raw)) {
        note(spellings, before, word);
        return;
      }
      if (words.length > 0 && isCapitalised(raw)) capitalised.add(word);
      const found = isShouted ? word : wordInCapitals(word, raw);
      words.push(found);
      if (isQuoted) quoted.add(word);
      else isOnlyPhrases = false;
      if (isBeside) return;
      if (!isQuoted && mayBeCompound(before, found)) {
        const whole = termOf(before + found);
        note(compounds, before, whole);
        note(compounds, found, whole);
      }
      before = found;
    });
    const numbers = isQuoted ? [] : groupedNumbers(piece).slice(0, roomForNumbers);
    roomForNumbers -= numbers.length;
    for (const { whole, groups } of numbers) {
      words.push(whole);
      for (const group of groups) note(compounds, group, termOf(whole));
    }
    const names = isQuoted ? [] : [...namesWithSigns(piece), ...fullHours(piece)].slice(0, roomForNames);
    roomForNames -= names.length;
    for (const phrase of isQuoted ? [piece] : names) {
      const pieces = phrasePieces(phrase);
      if (pieces.length > 0) phrases.set(pieces.join(' '), pieces);
    }
  }
  if (wildcards.size > MAX_WILDCARDS && wildcards.size < words.length) {
    return readQueryText(text.replaceAll('*', ' '));
  }
  atMost(wildcards.size, MAX_WILDCARDS, 'wildcards');
  if (isOnlyPhrases) atMost(phrases.size, MAX_PHRASES, 'phrases');
  isOnlyPhrases &&= wildcards.size === 0;
  return {
    isBlank: text.trim() === '',
    words,
    quoted,
    capitalised,
    compounds,
    spellings,
    // Among other words a phrase is no more than a hint, and those that are left out are still there by their words.
    phrases: [...phrases.values()].slice(0, MAX_PHRASES),
    isOnlyPhrases,
    wildcards: [...wildcards],
  };
}

function note(ways: Map<string, Set<string>>, word: string, other: string): void {
  const known = ways.get(word);
  if (known === undefined) ways.set(word, new Set([other]));
  else known.add(other);
}

/**
 * "node.js", "@scope/name": what a sign joins is a name, and says more than its words do in any order. Only where letters begin:
 * tried at each of them, a hundred thousand letters in a row would take half a minute.
 */
const nameWithSigns = lazily(() => /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[./][\p{L}\p{N}]+)+/gu);
/** Each is one more phrase; pasted code is full of them. */
const MAX_NAMES_WITH_SIGNS = 4;

function namesWithSigns(text: string): readonly string[] {
  if (!/[./]./.test(text)) return [];
  return (text.match(nameWithSigns()) ?? []).filter(
    (name) => !name.split(/[./]/).every((part) => isStopword(part.toLowerCase())),
  );
}

function atMost(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new QueryError(`The query has ${count} ${what}; ${most} are allowed. Ask with fewer.`, 'text');
}

/** Takes the patterns out of a text: in `user_i*` that is `i*`, and `user` is a word like any other. */
function withoutWildcards(piece: string, wildcards: Set<string>): string {
  if (!piece.includes('*')) return piece;
  const rest: string[] = [];
  for (const chunk of piece.split(/\s+/)) {
    if (!chunk.includes('*')) rest.push(chunk);
    else
      forEachPattern(chunk, (word) => {
        if (hasWildcard(word)) wildcards.add(word);
        else if (!word.includes('*')) rest.push(word);
      });
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

/** What those who talk with each other do: "where did we *talk* about it?" asks for what was talked about. */
const TALKING_TOGETHER = new Set(
  'ask asked chat chatted discuss discussed mention mentioned say said speak spoken talk talked tell told'.split(
    ' ',
  ),
);
const TALKERS = new Set(['i', 'we', 'you']);

function isTalking(words: readonly string[], at: number): boolean {
  return at > 0 && TALKING_TOGETHER.has(words[at]!) && TALKERS.has(words[at - 1]!);
}

/** Whether they say no more than that somebody said something, or something happened. */
export function sayOnlyThatItWasSaid(words: readonly string[]): boolean {
  const foreign = functionWordsOf(words);
  return words.every(
    (word, at) => isStopword(word) || foreign.has(word) || isSaying(words, at) || isAsking(words, at),
  );
}

/**
 * The distinct terms to look for, each with the first word that has it: stopwords, also of another language that the words are
 * evidently of, the verb of a request, that the two have talked, and that something happened, only when there is nothing else.
 */
export function termsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const verb = requestVerb(words);
  const foreign = functionWordsOf(words);
  const isTelling = (word: string, at: number): boolean =>
    at !== verb && !isStopword(word) && !foreign.has(word) && !isTalking(words, at);
  const subjects = words.filter((word, at) => isTelling(word, at) && !isAsking(words, at));
  const telling = subjects.length > 0 ? subjects : words.filter(isTelling);
  const terms = new Map<string, string>();
  for (const word of telling.length > 0 ? telling : words) {
    const typed = withoutElision(word);
    const term = termOf(typed);
    if (!terms.has(term)) terms.set(term, typed);
  }
  return terms;
}
