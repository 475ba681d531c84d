/** Words that people write in several forms, and words that contain others: numbers, versions, names of code, e-mail, C++. */

import { lazily } from '../../core/lazily.ts';
import { isCapital, isDigit, isSmall } from './characters.ts';

/** A longer word is data, such as a key or a token. */
export const MAX_WORD_LENGTH = 64;

const NONE: readonly string[] = [];

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
const ZERO_FIRST = /^0\d$/;
const THOUSANDS = /^\d{1,3}(?:'\d{3})+(?:\.\d+)?$/;
const KILO = /^(\d{1,6}(?:\.\d{1,3})?)k$/;
const WITHOUT_CENTS = /^(\d+)\.00$/;
const VERSION = /^v\d+(?:\.\d+)+$/;

/**
 * The term of a number or version, `undefined` for other words: 8 for 8th and 08; 1200 for 1'200, 1.2k and 1200.00; 1.2 for
 * v1.2. Ambiguous ones stay as they are: 1.200 is a decimal in half of the world, 2m may be metres or millions.
 */
export function numberTerm(word: string): string | undefined {
  if (VERSION.test(word)) return word.slice(1);
  if (!isDigit(word, 0)) return undefined;
  const [, number = word] = ORDINAL.exec(word) ?? WITHOUT_CENTS.exec(word) ?? [];
  if (ZERO_FIRST.test(number)) return number.slice(1);
  if (THOUSANDS.test(number)) return numberTerm(number.replaceAll("'", ''));
  const [, thousands] = KILO.exec(number) ?? [];
  return thousands === undefined ? number : String(Math.round(Number(thousands) * 1000));
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

/** French and Italian words that are shortened to an apostrophe. */
const ELIDED = new Set('l d j m t s c n qu jusqu lorsqu puisqu un all dell nell sull dall'.split(' '));

/** "école" for "l'école"; any other word as it is. */
export function withoutElision(word: string): string {
  const at = word.indexOf("'");
  return at > 0 && word.length - at > 3 && ELIDED.has(word.slice(0, at)) ? word.slice(at + 1) : word;
}

const HYPHEN = 45;
/** Two or three words of letters, and not the beginning of something longer. */
const compounds = lazily(() => /[A-Za-z]+(?:-[A-Za-z]+){1,2}(?![\p{L}\p{M}\p{N}-]|['\u2019][\p{L}\p{N}])/uy);

/** "email" when "e-mail" begins at `start` and its first word ends at `end`; empty when there is no such compound. */
export function compoundAt(text: string, start: number, end: number): string {
  if (text.charCodeAt(end) !== HYPHEN || text.charCodeAt(start - 1) === HYPHEN) return '';
  const compound = matchAt(compounds(), text, start).replaceAll('-', '');
  return compound.length > MAX_WORD_LENGTH ? '' : compound;
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}

export const PERCENT_SIGN = '%';
export const PERCENT = 'percent';
/** Not in the middle of something else ("a#anchor", "%20"). */
const signs = lazily(() => /(?:\+\+|[#%])(?![\p{L}\p{N}+#])/uy);

/** The signs that belong to the word before `end`: those of C++, C# and 50%. Empty when there are none. */
export function signBehind(text: string, start: number, end: number): string {
  const first = text[end];
  // Most words have none and need not compile the expression.
  if (first !== '+' && first !== '#' && first !== '%') return '';
  const sign = matchAt(signs(), text, end);
  if (sign === PERCENT_SIGN) return isDigit(text, end - 1) ? sign : '';
  return /^[A-Za-z]{1,16}$/.test(text.slice(start, end)) ? sign : '';
}

/** "c" for "c++"; any other word as it is. */
export function withoutSigns(word: string): string {
  return word.replace(/[+#]+$/, '');
}
