/** Characters: which of them make up words, and how they are normalised. */

import { lazily } from '../../core/lazily.ts';

/** Scripts without spaces between words. Hangul is written with spaces and needs no segmenter. */
export const unspacedScript = lazily(
  () =>
    /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}]/u,
);
const wordCharacter = lazily(() => /[\p{L}\p{N}]/u);
const mark = lazily(() => /\p{M}/u);
/** Without ©, ™ and arrows, which are ordinary text. */
const picture = lazily(() => /(?=[\u2600-\u{10ffff}])\p{Extended_Pictographic}|\p{Emoji_Presentation}/u);

/** The classes of characters. */
export const OTHER = 1;
export const LETTER = 2;
export const UNSPACED_LETTER = 3;
/** Belongs to the character before it. */
export const MARK = 4;
/** A word of its own: an emoji. */
export const SINGLE = 5;

/** The classes of characters seen so far, by code; 0 for all others. */
const classes = new Uint8Array(0x1_0000);

export function classOf(code: number): number {
  // Without the expressions, which take too long to compile for the first answer of a new process.
  if (code < 128) return isAsciiLetter(code) || isAsciiDigit(code) ? LETTER : OTHER;
  const known = classes[code] ?? 0;
  if (known !== 0) return known;
  const character = String.fromCodePoint(code);
  let found = OTHER;
  if (mark().test(character)) found = MARK;
  else if (wordCharacter().test(character))
    found = unspacedScript().test(character) ? UNSPACED_LETTER : LETTER;
  else if (picture().test(character)) found = SINGLE;
  if (code < classes.length) classes[code] = found;
  return found;
}

function isAsciiDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 128) return false;
  return true;
}

export function isDigit(text: string, at: number): boolean {
  return isAsciiDigit(text.charCodeAt(at));
}

export function isCapital(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? code >= 65 && code <= 90 : text.charAt(at).toLowerCase() !== text.charAt(at);
}

export function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? code >= 97 && code <= 122 : text.charAt(at).toUpperCase() !== text.charAt(at);
}

/** Soft hyphens, and modifiers of how an emoji is drawn. */
const INVISIBLE = /\u00ad|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu;

/** One form for compatible characters, such as half-width kana. Needed before a text is split, as it changes lengths. */
export function unified(text: string): string {
  return isAscii(text) ? text : text.normalize('NFKC').replaceAll(INVISIBLE, '');
}

const ACCENTED = /[\u00c0-\u024f\u0370-\u03ff\u0451\u1e00-\u1fff]|[\u0300-\u036f]/;
const accents = lazily(() => /(?<=[\u0041-\u024f\u0370-\u03ff])\p{M}+/gu);
/** Letters that no Unicode normal form decomposes. */
const LETTERS: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', ё: 'е' };
const SPECIAL_LETTER = /[ßæœøđłıё]/g;
const ARABIC_OR_HEBREW = /[\u0591-\u06ff]/;
/** Vowel signs of Arabic and Hebrew, and the Arabic stroke that stretches a word. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]/g;
const ALEF = /[\u0622\u0623\u0625\u0671]/g;

/** Lower case, without what people leave out when they type: accents of Latin and Greek, vowel signs of Arabic and Hebrew. */
export function fold(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  let lower = word.normalize('NFKC').toLowerCase();
  if (ARABIC_OR_HEBREW.test(lower)) lower = lower.replace(POINTS, '').replace(ALEF, '\u0627');
  if (!ACCENTED.test(lower)) return lower;
  return lower
    .replace(SPECIAL_LETTER, (letter) => LETTERS[letter]!)
    .normalize('NFD')
    .replace(accents(), '')
    .normalize('NFC');
}

const SPELT_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Lower case, with umlauts spelt out: "mueller" for "Müller". Empty when the word has none. */
export function spellOut(raw: string): string {
  const lower = raw.toLowerCase();
  const spelt = lower.replace(/[äöüøå]/g, (letter) => SPELT_OUT[letter]!);
  return spelt === lower ? '' : spelt;
}
