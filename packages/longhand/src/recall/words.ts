/**
 * What a word is.
 *
 * A word is a run of letters and digits in lower case, without the accents that people leave out when they
 * type ("café" is "cafe"). An apostrophe between letters belongs to it, and so do the point and the thousands
 * comma of a number: "3.5", "v1.2", "10,000" (which becomes "10000"). Scripts that write no spaces are cut by
 * `Intl.Segmenter`. Words longer than `MAX_WORD_LENGTH` are data rather than language and are skipped.
 *
 * A word has a *term*, under which it is found: its English stem, or its plain number for "8th" and "08".
 * The lexicon holds a faster reading of the ASCII part of this file; a test keeps the two equal.
 */

import { stem } from './stem.ts';

export const MAX_WORD_LENGTH = 64;

/** Scripts without spaces between words. Hangul is written with spaces and needs no segmenter. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const ACCENTED = /[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]/;
/** Letters that no normal form takes apart, though people type them so. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
};
const SPECIAL_LETTER = /[ßæœøđłı]/g;

let segmenter: Intl.Segmenter | undefined;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) >= 128) return false;
  return true;
}

/** Lower case, compatible forms unified, accents of Latin and Greek letters taken off. */
function fold(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  const lower = word.normalize('NFKC').toLowerCase();
  if (!ACCENTED.test(lower)) return lower;
  return lower
    .replace(SPECIAL_LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/(?<=[\u0041-\u024f\u0370-\u03ff])\p{M}+/gu, '')
    .normalize('NFC');
}

/** True when a comma at `at` separates thousands: exactly three digits follow. */
function isThousandsComma(text: string, at: number): boolean {
  return (
    isDigit(text.charCodeAt(at + 1)) &&
    isDigit(text.charCodeAt(at + 2)) &&
    isDigit(text.charCodeAt(at + 3)) &&
    !isDigit(text.charCodeAt(at + 4))
  );
}

/** True when the sign at `at`, which is no letter or digit, stands inside a word. */
function joinsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 39 || code === 0x2019) {
    const next = text.codePointAt(at + 1);
    return next !== undefined && classOf(next) !== OTHER;
  }
  if (code === 46) return isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
  return code === 44 && isDigit(text.charCodeAt(at - 1)) && isThousandsComma(text, at);
}

/** What a character can be. */
const OTHER = 1;
const LETTER = 2;
const UNSPACED_LETTER = 3;
/** Goes with the letter before it, whatever that is. */
const MARK = 4;

/** The classes of characters that were met, by code; 0 until then. */
const classes = new Uint8Array(0x1_0000);

function classOf(code: number): number {
  const known = classes[code] ?? 0;
  if (known !== 0) return known;
  const character = String.fromCodePoint(code);
  let found = OTHER;
  if (/\p{M}/u.test(character)) found = MARK;
  else if (UNSPACED.test(character)) found = UNSPACED_LETTER;
  else if (WORD_CHARACTER.test(character)) found = LETTER;
  if (code < classes.length) classes[code] = found;
  return found;
}

/** Gives each word of a text in order, as it is looked up by `termOf`. */
export function forEachWord(text: string, visit: (word: string) => void): void {
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    const first = classOf(code);
    const start = at;
    at += code > 0xffff ? 2 : 1;
    if (first === OTHER) continue;
    while (at < text.length) {
      const next = text.codePointAt(at)!;
      const kind = classOf(next);
      if (kind === OTHER) {
        if (first === UNSPACED_LETTER || !joinsWord(text, at)) break;
      } else if (kind !== MARK && (kind === UNSPACED_LETTER) !== (first === UNSPACED_LETTER)) break;
      at += next > 0xffff ? 2 : 1;
    }
    if (first === UNSPACED_LETTER) visitSegments(text.slice(start, at), visit);
    else if (at - start <= MAX_WORD_LENGTH) visitWord(text.slice(start, at), visit);
  }
}

function visitWord(raw: string, visit: (word: string) => void): void {
  let word = fold(raw);
  if (word.includes(',')) word = word.replaceAll(',', '');
  if (word.includes('\u2019')) word = word.replaceAll('\u2019', "'");
  if (word.length > 0 && word.length <= MAX_WORD_LENGTH) visit(word);
}

function visitSegments(run: string, visit: (word: string) => void): void {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  for (const part of segmenter.segment(run)) if (part.isWordLike) visitWord(part.segment, visit);
}

/** The term under which a word is found. */
export function termOf(word: string): string {
  const first = word.charCodeAt(0);
  if (!isDigit(first)) return stem(word);
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/.exec(word);
  const number = ordinal?.[1] ?? word;
  return number.length === 2 && number.startsWith('0') ? number.slice(1) : number;
}
