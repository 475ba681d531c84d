/**
 * What a word is.
 *
 * A word is a run of letters and digits in lower case, without the accents that people leave out when they
 * type ("café" is "cafe"), and without the vowel signs of Arabic and Hebrew, which hardly anybody types. An apostrophe between letters belongs to it, and so do the point and the thousands
 * comma of a number: "3.5", "v1.2", "10,000" (which becomes "10000"). A picture ("🎉") is a word by itself. What is
 * longer than `MAX_WORD_LENGTH` is data rather than language and goes by its beginning.
 *
 * Scripts that write no spaces are cut by `Intl.Segmenter`, which takes 清华大学 for one word, and Korean joins its
 * particles to the noun. So the pairs of a longer run of Han or Hangul stand beside it as words of their own: 清华
 * and 大学 are found in it. Kana and the other scripts spell sounds, whose pairs would find too much. Where a word
 * changes from one script to another (東京タワー, 登った) each run of Han or katakana is a word too; hiragana are
 * endings and particles there.
 *
 * Such words stand *beside* the word that they are taken from, at its place, so that what follows it in a phrase still
 * does. A number and its unit, or a name and its number, are two words that some write as one: "5km" is "5" and "km" with
 * "5km" beside the first, and "1990s" has "1990" beside it. A name of code has its words beside it (`humps.ts`): "user" is
 * found in `getUserName`, and in `user_id` as in any text. Words that hyphens join have the one beside them that others write:
 * "email" is found in "e-mail". A name with signs (`signs.ts`) stands beside the letters before them, and a word whose umlauts
 * are spelt out beside that without (`umlauts.ts`).
 *
 * A word has a *term*, under which it is found: its English stem, or its plain number (`numbers.ts`).
 * The lexicon holds a faster reading of the ASCII part of this file; a test keeps the two equal.
 */

import { lazily } from '../core/lazily.ts';
import { humpsOf } from './humps.ts';
import { isOrdinal, numberTerm, versionTerm } from './numbers.ts';
import { PERCENT_SIGN, signBehind, withoutSigns } from './signs.ts';
import { stem } from './stem.ts';
import { isStopword } from './stopwords.ts';
import { speltOut } from './umlauts.ts';

export const MAX_WORD_LENGTH = 64;

/** Scripts without spaces between words. Hangul is written with spaces and needs no segmenter. */
const unspaced = lazily(
  () =>
    /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}]/u,
);
const wordCharacter = lazily(() => /[\p{L}\p{N}]/u);
const mark = lazily(() => /\p{M}/u);
const accents = lazily(() => /(?<=[\u0041-\u024f\u0370-\u03ff])\p{M}+/gu);
const capital = lazily(() => /^\p{Lu}/u);
/** Not ©, ™ and arrows, which are signs of text. */
const picture = lazily(() => /(?=[\u2600-\u{10ffff}])\p{Extended_Pictographic}|\p{Emoji_Presentation}/u);
const ACCENTED = /[\u00c0-\u024f\u0370-\u03ff\u0451\u1e00-\u1fff]|[\u0300-\u036f]/;
/** Arabic and Hebrew, whose points go; and of Arabic the stroke that stretches a word, and what an alef carries. */
const POINTED = /[\u0591-\u06ff]/;
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]/g;
const ALEF = /[\u0622\u0623\u0625\u0671]/g;
/** Runs of which pairs are words too. */
const paired = lazily(() => /[\p{Script=Han}]{3,}|[\p{Script=Hangul}]{3,}/gu);
const scriptRun = lazily(() => /\p{Script=Han}+|[\p{Script=Katakana}ー]{2,}/gu);
const singleHan = lazily(() => /^\p{Script=Han}$/u);
/** Soft hyphens, and what says how a picture is drawn: not there when a text is read. */
const UNREAD = /\u00ad|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu;
const STAR = 42;
const LETTER_V = 118;
/** Letters that no normal form takes apart, though people type them so. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  ё: 'е',
};
const SPECIAL_LETTER = /[ßæœøđłıё]/g;

let segmenter: Intl.Segmenter | undefined;

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

export function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) >= 128) return false;
  return true;
}

/** Lower case, compatible forms unified, accents of Latin and Greek letters taken off, and points of Arabic and Hebrew. */
function fold(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  let lower = word.normalize('NFKC').toLowerCase();
  if (POINTED.test(lower)) lower = lower.replace(POINTS, '').replace(ALEF, '\u0627');
  if (!ACCENTED.test(lower)) return lower;
  return lower
    .replace(SPECIAL_LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(accents(), '')
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
    // A picture, or a word without spaces, begins behind it: "a'🎉" ends with the letter.
    const next = classOf(text.codePointAt(at + 1) ?? 0);
    return next === LETTER || next === MARK;
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
/** A word by itself. */
const SINGLE = 5;

/** The classes of characters that were met, by code; 0 until then. */
const classes = new Uint8Array(0x1_0000);

function classOf(code: number): number {
  // To compile the expressions below takes longer than a process that starts has for its first answer.
  if (code < 128) return isDigit(code) || isAsciiLetter(code) ? LETTER : OTHER;
  const known = classes[code] ?? 0;
  if (known !== 0) return known;
  const character = String.fromCodePoint(code);
  let found = OTHER;
  if (mark().test(character)) found = MARK;
  else if (wordCharacter().test(character)) found = unspaced().test(character) ? UNSPACED_LETTER : LETTER;
  else if (picture().test(character)) found = SINGLE;
  if (code < classes.length) classes[code] = found;
  return found;
}

/**
 * Receives a word as it is looked up by `termOf`, and as it stands in the text (which for the parts of a longer word
 * is the word). One that stands beside the word before it has no place of its own.
 */
export type VisitWord = (word: string, raw: string, isBeside: boolean) => void;

/** Gives each word of a text in order. */
export function forEachWord(text: string, visit: VisitWord): void {
  forEachWholeWord(text, (word, raw, isBeside) => {
    if (isBeside) visit(word, raw, true);
    else forEachPart(word, raw, visit);
  });
}

/**
 * Gives a word, and the number in it and its letters where that is what it is made of, or what apostrophes join, or the
 * words of which it is a name.
 */
export function forEachPart(word: string, raw: string, visit: VisitWord): void {
  const letters = withoutSigns(word);
  if (letters !== word) {
    forEachPart(letters, withoutSigns(raw), visit);
    visit(word, raw, true);
    return;
  }
  const [first, second] = numberParts(word);
  if (first === undefined) {
    visit(word, raw, false);
    const inCapitals = wordInCapitals(word, raw);
    if (inCapitals !== word) visit(inCapitals, raw, true);
    if (word.includes("'") && !isDigit(word.charCodeAt(0)))
      for (const part of joinedParts(word)) visit(part, raw, true);
  } else if (second === undefined) {
    visit(word, raw, false);
    visit(first, raw, true);
  } else {
    visit(first, raw, false);
    visit(word, raw, true);
    visit(second, raw, false);
  }
  for (const hump of humpsOf(raw)) visitHump(wordOf(hump), raw, visit);
}

/**
 * Names that only their capital letters tell from words that say nothing, or, of .NET, something else. Beside those they stand
 * as they are written: no other word has a capital letter. What is left out is stressed as a rule ("NOT"), or joins words
 * ("OR").
 */
const CAPITAL_NAMES: ReadonlySet<string> = new Set(['CAN', 'IT', 'NET', 'US', 'WHO']);
const ACRONYMS = /^[A-Z]{2,}s$/;

/**
 * The word that capital letters make of a word: such a name, or of several acronyms ("MRIs") the one, where the stemmer does
 * not know it. Every other word is itself.
 */
export function wordInCapitals(word: string, raw: string): string {
  if (CAPITAL_NAMES.has(raw)) return raw;
  return ACRONYMS.test(raw) && termOf(word) === word ? word.slice(0, -1) : word;
}

/** A number at its end is left out as well: "name" is found in `userName2`. */
function visitHump(word: string, raw: string, visit: VisitWord): void {
  // Beside a name it would say no more than anywhere else: `isPublic`, `LinkedIn`.
  if (isStopword(word)) return;
  visit(word, raw, true);
  const [letters, number] = numberParts(word);
  if (letters !== undefined && number !== undefined) visit(letters, raw, true);
}

/** What English writes behind an apostrophe: such a word is one. */
const CONTRACTED = new Set(['s', 't', 're', 've', 'll', 'd', 'm', 'em']);
const MIN_JOINED_LETTERS = 3;

/**
 * The words that apostrophes join, where they are no contraction: "école" of "l'école", "rock" and "roll". A query asks for what
 * follows an elision, whatever else is joined to that: "aujourd'hui" of "d'aujourd'hui", "Oréal's" of "L'Oréal's".
 */
function joinedParts(word: string): readonly string[] {
  const parts = word.split("'");
  const isContracted = CONTRACTED.has(parts.at(-1)!);
  const joined = isContracted ? [] : parts.filter((part) => part.length >= MIN_JOINED_LETTERS);
  const noun = withoutElision(word);
  return noun === word || joined.includes(noun) ? joined : [...joined, noun];
}

/** What French and Italian write before an apostrophe: it says nothing of its own. */
const ELIDED = new Set(
  'l d j m t s c n qu jusqu lorsqu puisqu quelqu un all dell nell sull dall coll quell bell sant gl'.split(
    ' ',
  ),
);

/** A word of a query as it is found: what follows an elision is a word by itself, in whatever text. */
export function withoutElision(word: string): string {
  const rest = behindElision(word);
  return rest.length >= MIN_JOINED_LETTERS ? rest : word;
}

/** What follows an elision, however short: "ai" of "j'ai". */
export function behindElision(word: string): string {
  const at = word.indexOf("'");
  return at === -1 || !ELIDED.has(word.slice(0, at)) ? word : word.slice(at + 1);
}

const numberFirst = lazily(() => /^(\d+(?:\.\d+)*)'?(\p{L}+)$/u);
const numberLast = lazily(() => /^(\p{L}{2,})(\d+(?:\.\d+)*)$/u);
const NO_PARTS: readonly string[] = [];

/**
 * The number in a word and the letters before or behind it: none for another word, and the number alone when it has a
 * single letter behind it. A single letter before it is none of a name ("v2"), and what changes more than once between
 * letters and digits is a code.
 */
export function numberParts(word: string): readonly string[] {
  if (isDigit(word.charCodeAt(0))) {
    const [, number, letters = ''] = numberFirst().exec(word) ?? [];
    if (number === undefined || isOrdinal(word)) return NO_PARTS;
    return letters.length === 1 ? [number] : [number, letters];
  }
  if (!isDigit(word.charCodeAt(word.length - 1))) return NO_PARTS;
  return numberLast().exec(word)?.slice(1) ?? NO_PARTS;
}

/** The same, and numbers stay together with their letters: for names, and for queries. */
export function forEachWholeWord(text: string, visit: VisitWord): void {
  const plain = unified(text);
  forEachStretch(plain, (stretch, isUnspaced, start) => {
    if (isUnspaced) visitSegments(stretch, visit);
    else visitWord(stretch, visit);
    const compound = compoundAt(plain, start, start + stretch.length);
    if (compound !== '') visit(wordOf(compound), compound, true);
  });
}

/** These words, in their order. */
export function wholeWordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWholeWord(text, (word) => words.push(word));
  return words;
}

const HYPHEN = 45;
/** Two or three words of letters, and not the beginning of something longer. */
const compounds = lazily(() => /[A-Za-z]+(?:-[A-Za-z]+){1,2}(?![\p{L}\p{M}\p{N}-]|['\u2019][\p{L}\p{N}])/uy);

/**
 * What the word at a place and those that hyphens join to it are as one word: "email" of "e-mail". Empty when there is none.
 * Some write it in one way, some in the other.
 */
export function compoundAt(text: string, start: number, end: number): string {
  if (text.charCodeAt(end) !== HYPHEN || text.charCodeAt(start - 1) === HYPHEN) return '';
  const expression = compounds();
  expression.lastIndex = start;
  const compound = expression.exec(text)?.[0].replaceAll('-', '') ?? '';
  return compound.length > MAX_WORD_LENGTH ? '' : compound;
}

/** Gives each stretch of letters, whether it has no spaces between its words, and where it begins. */
function forEachStretch(
  plain: string,
  visit: (stretch: string, isUnspaced: boolean, start: number) => void,
): void {
  let at = 0;
  while (at < plain.length) {
    const code = plain.codePointAt(at)!;
    const first = classOf(code);
    const start = at;
    at += code > 0xffff ? 2 : 1;
    if (first === OTHER) continue;
    while (first !== SINGLE && at < plain.length) {
      const next = plain.codePointAt(at)!;
      const kind = classOf(next);
      if (kind === SINGLE) break;
      if (kind === OTHER) {
        if (first === UNSPACED_LETTER || !joinsWord(plain, at)) break;
      } else if (kind !== MARK && (kind === UNSPACED_LETTER) !== (first === UNSPACED_LETTER)) break;
      at += next > 0xffff ? 2 : 1;
    }
    const sign = signBehind(plain, start, at);
    if (sign !== PERCENT_SIGN) at += sign.length;
    visit(plain.slice(start, at), first === UNSPACED_LETTER, start);
    if (sign === PERCENT_SIGN) visit(sign, false, at++);
  }
}

/** How the letters of a phrase begin that may be cut into words in several ways. No word begins with it. */
const LETTERS_MARK = '"';
/** What is longer is cut as it is in the text, but for its ends; and each letter more makes more ways to cut. */
const MAX_PHRASE_LETTERS = 64;
const hangul = lazily(() => /^\p{Script=Hangul}+$/u);

/**
 * The pieces of a phrase, each of which follows the one before it: the terms of words, and stretches of letters that are
 * cut into words by what stands around them (`letters-phrase.ts`).
 */
export function phrasePieces(text: string): string[] {
  const pieces: string[] = [];
  let room = MAX_PHRASE_LETTERS;
  const addWord: VisitWord = (word, _, isBeside) => {
    if (!isBeside) pieces.push(...placesOf(word));
  };
  forEachStretch(unified(text), (stretch, isUnspaced) => {
    const letters = isUnspaced ? fold(stretch) : wordOf(stretch);
    if (letters.length <= room && (isUnspaced || hangul().test(letters))) {
      pieces.push(LETTERS_MARK + letters);
      room -= letters.length;
    } else if (isUnspaced) visitSegments(stretch, addWord);
    else visitWord(stretch, addWord);
  });
  return pieces;
}

export function isLettersPiece(piece: string): boolean {
  return piece.startsWith(LETTERS_MARK);
}

export function lettersOf(piece: string): string {
  return piece.slice(LETTERS_MARK.length);
}

/** The terms of a word, one for each place that it takes in a text. */
export function placesOf(word: string): readonly string[] {
  const parts = numberParts(word);
  return (parts.length > 1 ? parts : [word]).map(termOf);
}

/**
 * Gives the words of a text in which `*` is a letter like any other: patterns that fit what `forEachWord` gives,
 * and the words between them. Nothing is segmented, because a pattern says itself where it is cut.
 */
export function forEachPattern(text: string, visit: (word: string) => void): void {
  const plain = unified(text);
  let start = -1;
  for (let at = 0; at <= plain.length; ) {
    const code = plain.codePointAt(at) ?? 0;
    const isInside =
      at < plain.length &&
      (code === STAR || classOf(code) !== OTHER || (start !== -1 && joinsPattern(plain, at)));
    if (isInside && start === -1) start = at;
    if (!isInside && start !== -1) {
      const word = wordOf(plain.slice(start, at));
      if (word !== '') visit(word);
      start = -1;
    }
    at += code > 0xffff ? 2 : 1;
  }
}

/**
 * A star may stand for letters behind an apostrophe (`o'*`), and for digits on one side of a point or comma (`1.*`, `*.5`). One
 * on each side is a name of files.
 */
function joinsPattern(text: string, at: number): boolean {
  if (joinsWord(text, at)) return true;
  const code = text.charCodeAt(at);
  const [before, next] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)];
  if (code === 39 || code === 0x2019) return next === STAR;
  if (code !== 44 && code !== 46) return false;
  return (isDigit(before) && (next === STAR || isDigit(next))) || (before === STAR && isDigit(next));
}

/** Compatible forms become one before anything is cut: half-width kana are two signs for one letter. */
function unified(text: string): string {
  if (isAscii(text)) return text;
  return text.normalize('NFKC').replaceAll(UNREAD, '');
}

export const PERCENT = 'percent';

/** The word that a stretch of text is, at most `MAX_WORD_LENGTH` long; empty when nothing is left of it. */
function wordOf(raw: string): string {
  if (raw === PERCENT_SIGN) return PERCENT;
  // Of a long stretch a bit more than is kept, because commas go.
  let word = fold(raw.length > MAX_WORD_LENGTH ? raw.slice(0, 2 * MAX_WORD_LENGTH) : raw);
  if (word.includes(',')) word = word.replaceAll(',', '');
  if (word.includes('\u2019')) word = word.replaceAll('\u2019', "'");
  if (word.length <= MAX_WORD_LENGTH) return word;
  // Half of a pair of surrogates would be no text.
  const isCut = (word.charCodeAt(MAX_WORD_LENGTH - 1) & 0xfc00) === 0xd800;
  return word.slice(0, isCut ? MAX_WORD_LENGTH - 1 : MAX_WORD_LENGTH);
}

/** The word that a stretch of text is with its umlauts spelt out; empty when it has none. */
export function speltWord(raw: string): string {
  // A letter that has lost its accent was none of ASCII.
  return isAscii(raw) ? '' : wordOf(speltOut(raw));
}

function visitWord(raw: string, visit: VisitWord, isUnspaced = false): void {
  const word = wordOf(raw);
  if (word === '') return;
  visit(word, raw, false);
  const spelt = speltWord(raw);
  if (spelt !== '' && spelt !== word) visit(spelt, raw, true);
  if (word.length < 2 || isAscii(word)) return;
  if (isUnspaced) for (const [run] of word.matchAll(scriptRun())) if (run !== word) visit(run, raw, true);
  for (const [run] of word.matchAll(paired())) {
    const letters = [...run];
    for (let at = 1; at < letters.length; at++) visit(letters[at - 1]! + letters[at]!, raw, true);
  }
}

function visitSegments(run: string, visit: VisitWord): void {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  let before = '';
  for (const part of segmenter.segment(run)) {
    if (!part.isWordLike) continue;
    visitWord(part.segment, visit, true);
    // Two single letters are a word that the segmenter does not know, as often as not.
    const letter = singleHan().test(part.segment) ? part.segment : '';
    if (before !== '' && letter !== '') visit(before + letter, run, true);
    before = letter;
  }
}

/** Whether a stretch of text begins with a capital letter. */
export function isCapitalised(raw: string): boolean {
  const code = raw.charCodeAt(0);
  return code < 128 ? code >= 65 && code <= 90 : capital().test(raw);
}

/** The term under which a word is found. */
export function termOf(word: string): string {
  const first = word.charCodeAt(0);
  if (isDigit(first)) return numberTerm(word);
  return (first === LETTER_V ? versionTerm(word) : undefined) ?? stem(word);
}
