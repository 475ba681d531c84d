/** Words that people write in several forms, and words that contain others: numbers, versions, names of code, e-mail. */

import { lazily } from '../../core/lazily.ts';
import { isCapital, isDigit, isSmall } from './characters.ts';

/** A longer word is data, such as a key or a token. */
export const MAX_WORD_LENGTH = 64;

const NONE: readonly string[] = [];

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
const ZERO_FIRST = /^0\d$/;
const VERSION = /^v\d+(?:\.\d+)+$/;

/** The term of a number or version, `undefined` for other words: 8 for 8th and 08, 1.2 for v1.2. */
export function numberTerm(word: string): string | undefined {
  if (VERSION.test(word)) return word.slice(1);
  if (!isDigit(word, 0)) return undefined;
  const [, number = word] = ORDINAL.exec(word) ?? [];
  return ZERO_FIRST.test(number) ? number.slice(1) : number;
}

const numberFirst = lazily(() => /^(\d+(?:\.\d+)*)'?(\p{L}+)$/u);
const numberLast = lazily(() => /^(\p{L}{2,})(\d+(?:\.\d+)*)$/u);

/**
 * The number in a word and its letters, in their order: "5km", "iphone15". Only the number when a single letter follows
 * ("1990s"). None for other words, such as "v2" and codes that mix letters and digits.
 */
export function numberParts(word: string): readonly string[] {
  if (isDigit(word, 0)) {
    const [, number, letters = ''] = numberFirst().exec(word) ?? [];
    if (number === undefined || ORDINAL.test(word)) return NONE;
    return letters.length === 1 ? [number] : [number, letters];
  }
  if (!isDigit(word, word.length - 1)) return NONE;
  return numberLast().exec(word)?.slice(1) ?? NONE;
}

/**
 * The words of a name of code: `get`, `User`, `Name` of `getUserName`; `HTTP`, `Server` of `HTTPServer`. None for other words.
 * A single letter is dropped at the beginning (`iPhone`); elsewhere it marks what must stay whole (`PhD`, `B2B`, tokens).
 */
export function humpsOf(raw: string): readonly string[] {
  if (raw.length > MAX_WORD_LENGTH || isDigit(raw, 0)) return NONE;
  const humps: string[] = [];
  let start = 0;
  for (let at = 1; at < raw.length; at++) {
    if (!beginsHump(raw, at)) continue;
    humps.push(raw.slice(start, at));
    start = at;
  }
  // The parts of `McDonald` are not names.
  if (start === 0 || humps[0] === 'Mc') return NONE;
  humps.push(raw.slice(start));
  if (humps[0]!.length === 1) humps.shift();
  return humps.every(({ length }) => length > 1) ? humps : NONE;
}

function beginsHump(raw: string, at: number): boolean {
  if (!isCapital(raw, at)) return false;
  // Two small letters must follow: `URLs` is a plural.
  if (isCapital(raw, at - 1)) return isSmall(raw, at + 1) && isSmall(raw, at + 2);
  return isSmall(raw, at - 1) || isDigit(raw, at - 1);
}

const HASH = 35;
const PLUS = 43;
const lettersWithSigns = lazily(() => /[A-Za-z](?:\+\+|#|\+(?!\d))(?![\p{L}+#])/uy);

/** The length of the signs behind a single letter that belong to it: "C++", "F#", "A+"; 0 for other words. */
export function signsBehind(text: string, start: number, end: number): number {
  const code = text.charCodeAt(end);
  if (end - start !== 1 || (code !== HASH && code !== PLUS)) return 0;
  const expression = lettersWithSigns();
  expression.lastIndex = start;
  return (expression.exec(text)?.[0].length ?? 1) - 1;
}

const HYPHEN = 45;
/** Two or three words of letters, and not the beginning of something longer. */
const compounds = lazily(() => /[A-Za-z]+(?:-[A-Za-z]+){1,2}(?![\p{L}\p{M}\p{N}-]|['\u2019][\p{L}\p{N}])/uy);

/** "email" when "e-mail" begins at `start` and its first word ends at `end`; empty when there is no such compound. */
export function compoundAt(text: string, start: number, end: number): string {
  if (text.charCodeAt(end) !== HYPHEN || text.charCodeAt(start - 1) === HYPHEN) return '';
  const expression = compounds();
  expression.lastIndex = start;
  const compound = expression.exec(text)?.[0].replaceAll('-', '') ?? '';
  return compound.length > MAX_WORD_LENGTH ? '' : compound;
}
