/**
 * Signs that are part of what they stand behind.
 *
 * C++, C# and F# are names: whoever asks for them does not ask for a letter. A percent sign behind a number is the word that
 * others write. Every other sign only stands between words.
 */

import { lazily } from '../core/lazily.ts';

/** A sign in the middle of something ("a#anchor", "%20") is none of these. */
const signs = lazily(() => /(?:\+\+|[#%])(?![\p{L}\p{N}+#])/uy);
const SIGN_PLUS = 43;
const SIGN_HASH = 35;
const SIGN_PERCENT = 37;
/** What is longer is data. */
const MAX_NAME_LETTERS = 16;
const LETTERS = /^[A-Za-z]+$/;
const DIGIT_AT_END = /\d$/;

export const PERCENT_SIGN = '%';

/** The signs at the end of a word that are part of it, or the percent sign behind it; empty for any other. */
export function signBehind(text: string, start: number, end: number): string {
  // Behind most words there is none, and the expression need not be read.
  const first = text.charCodeAt(end);
  if (first !== SIGN_PLUS && first !== SIGN_HASH && first !== SIGN_PERCENT) return '';
  const pattern = signs();
  pattern.lastIndex = end;
  const sign = pattern.exec(text)?.[0] ?? '';
  if (sign === '') return '';
  const word = text.slice(Math.max(start, end - MAX_NAME_LETTERS - 1), end);
  if (sign === PERCENT_SIGN) return DIGIT_AT_END.test(word) ? sign : '';
  return word.length <= MAX_NAME_LETTERS && LETTERS.test(word) ? sign : '';
}

const SIGNS_OF_NAME = /[+#]+$/;

/** A word without the signs of its name. */
export function withoutSigns(word: string): string {
  return word.replace(SIGNS_OF_NAME, '');
}
