/**
 * What a word is, read slowly.
 *
 * This follows "What a word is" in docs/scoring.md sentence by sentence, with one expression for each, and shares nothing with
 * `src/recall/words.ts` but the list of stopwords and the stemmer, which have tests of their own.
 */

import { stem } from '../../src/recall/stem.ts';
import { isStopword } from '../../src/recall/stopwords.ts';

export interface NaiveWord {
  /** As it is looked for. */
  readonly word: string;
  /** As it stands in the text. */
  readonly raw: string;
}

/** A place in a text: the word that stands there, and those beside it. */
export type Place = [own: NaiveWord, ...beside: NaiveWord[]];

const LONGEST_WORD = 64;
const UNSPACED = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}';
export const SPACED_LETTER = `[[\\p{L}\\p{N}]--[${UNSPACED}]]`;
const UNSPACED_LETTER = `[[\\p{L}\\p{N}]&&[${UNSPACED}]]`;
export const PICTURE = '[[\\p{Extended_Pictographic}&&[\\u2600-\\u{10ffff}]]\\p{Emoji_Presentation}]';
const JOINED = [
  `['\\u2019](?=[${SPACED_LETTER}\\p{M}])`,
  '(?<=[0-9])\\.(?=[0-9])',
  '(?<=[0-9]),(?=[0-9]{3}(?![0-9]))',
].join('|');
const STRETCH = new RegExp(
  `(?<unspaced>${UNSPACED_LETTER}[${UNSPACED_LETTER}\\p{M}]*)` +
    `|(?<spaced>[${SPACED_LETTER}\\p{M}](?:[${SPACED_LETTER}\\p{M}]|${JOINED})*)` +
    `|(?<picture>${PICTURE})`,
  'gv',
);

/** Without soft hyphens and what says how a picture is drawn, and with one form for compatible letters. */
function readable(text: string): string {
  return text.normalize('NFKC').replace(/\u00ad|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu, '');
}

const TYPED_AS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  ё: 'е',
};

/** Small letters without accents and points. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]/g, '')
    .replace(/[آأإٱ]/g, 'ا')
    .replace(/[ßæœøđłıё]/g, (letter) => TYPED_AS[letter]!)
    .normalize('NFD')
    .replace(/(?<=[\u0041-\u024f\u0370-\u03ff])\p{M}+/gu, '')
    .normalize('NFC');
}

/** A stretch of letters as the word that it is looked for by. */
export function wordOf(raw: string): string {
  const word = folded(raw).replaceAll(',', '').replaceAll('\u2019', "'");
  // No half of a letter that takes two.
  return word.slice(0, LONGEST_WORD).replace(/[\ud800-\udbff]$/, '');
}

const SPELT_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** A word with its umlauts spelt out; `undefined` when it has none. */
export function withUmlautsSpelt(raw: string): string | undefined {
  const lower = raw.toLowerCase();
  const spelt = [...lower].map((letter) => SPELT_OUT[letter] ?? letter).join('');
  return spelt === lower ? undefined : wordOf(spelt);
}

/** The word of a stretch, with its spelling and the parts of what Han, Hangul and kana write without spaces. */
function placeOf(raw: string, isUnspaced: boolean): Place {
  const word = wordOf(raw);
  const beside: string[] = [];
  const spelt = withUmlautsSpelt(raw);
  if (spelt !== undefined && spelt !== word) beside.push(spelt);
  if (isUnspaced) {
    const runs = word.match(/\p{Script=Han}+|[\p{Script=Katakana}ー]{2,}/gu) ?? [];
    beside.push(...runs.filter((run) => run !== word));
  }
  for (const run of word.match(/\p{Script=Han}{3,}|\p{Script=Hangul}{3,}/gu) ?? []) {
    const letters = [...run];
    for (const [at, letter] of letters.slice(1).entries()) beside.push(letters[at]! + letter);
  }
  return [{ word, raw }, ...beside.map((each) => ({ word: each, raw }))];
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a stretch without spaces. Two letters of Han that are words by themselves may be one. */
function unspacedPlaces(stretch: string): Place[] {
  const segments = [...segmenter.segment(stretch)].filter(({ isWordLike }) => isWordLike);
  return segments.map(({ segment }, at) => {
    const place = placeOf(segment, true);
    const pair = (segments[at - 1]?.segment ?? '') + segment;
    if (/^\p{Script=Han}{2}$/u.test(pair) && [...segment].length === 1)
      place.push({ word: pair, raw: stretch });
    return place;
  });
}

/** "++" or "#" behind a name of at most 16 letters, or "%" behind a number, with no letter, digit or other such sign behind. */
function signOf(stretch: string, behind: string): string {
  const [sign = ''] = /^(?:\+\+|#|%)(?![\p{L}\p{N}+#])/u.exec(behind) ?? [];
  if (sign === '%') return /[0-9]$/.test(stretch) ? sign : '';
  return /^[A-Za-z]{1,16}$/.test(stretch) ? sign : '';
}

/** What two or three words of letters are as one, from the first of them on. */
function compoundFrom(before: string, from: string, first: string): string | undefined {
  if (before.endsWith('-') || from[first.length] !== '-') return undefined;
  const [whole = ''] = /^[\p{L}\p{M}\p{N}-]+(?:['\u2019][\p{L}\p{N}])?/u.exec(from) ?? [];
  const joined = whole.replaceAll('-', '');
  return /^[A-Za-z]+(?:-[A-Za-z]+){1,2}$/.test(whole) && joined.length <= LONGEST_WORD ? joined : undefined;
}

/** The places of a text, with numbers and their letters in one: as names and queries are read. */
export function wholePlaces(text: string): Place[] {
  const plain = readable(text);
  const places: Place[] = [];
  for (const { 0: stretch, index, groups } of plain.matchAll(STRETCH)) {
    const end = index + stretch.length;
    if (groups!.unspaced !== undefined) {
      places.push(...unspacedPlaces(stretch));
      continue;
    }
    const sign = signOf(stretch, plain.slice(end));
    const place = placeOf(sign === '%' ? stretch : stretch + sign, false);
    if (place[0].word === '') continue;
    const compound = compoundFrom(plain.slice(0, index), plain.slice(index), stretch);
    if (compound !== undefined) place.push({ word: wordOf(compound), raw: compound });
    places.push(place);
    if (sign === '%') places.push([{ word: 'percent', raw: '%' }]);
  }
  return places.filter(([own]) => own.word !== '');
}

/** Names that only their capital letters tell from other words. */
const NAMES_IN_CAPITALS = ['CAN', 'IT', 'NET', 'US', 'WHO'];

/** The name that capital letters make of a word, or of several acronyms the one. */
export function nameInCapitals(word: string, raw: string): string {
  if (NAMES_IN_CAPITALS.includes(raw)) return raw;
  return /^[A-Z]{2,}s$/.test(raw) && termOf(word) === word ? word.slice(0, -1) : word;
}

const isOrdinal = (word: string): boolean => /^[0-9]+(?:st|nd|rd|th)$/.test(word);

/** "5" and "km", "iphone" and "15", "1990" of "1990s". */
export function numberAndLetters(word: string): readonly string[] {
  const numberFirst = /^([0-9]+(?:\.[0-9]+)*)'?(\p{L}+)$/u.exec(word);
  if (numberFirst !== null && !isOrdinal(word)) {
    const [, number, letters] = numberFirst;
    return letters!.length === 1 ? [number!] : [number!, letters!];
  }
  const [, letters, number] = /^(\p{L}{2,})([0-9]+(?:\.[0-9]+)*)$/u.exec(word) ?? [];
  return letters === undefined ? [] : [letters, number!];
}

/** The words of a name of code. */
function wordsOfName(raw: string): string[] {
  if (raw.length > LONGEST_WORD || /^[0-9]/.test(raw)) return [];
  const words = raw.split(/(?<=[\p{Ll}0-9])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u);
  if (words.length === 1 || words[0] === 'Mc') return [];
  const counted = words[0]!.length === 1 ? words.slice(1) : words;
  return counted.every(({ length }) => length >= 2) ? counted.map(wordOf) : [];
}

const CONTRACTIONS = ['s', 't', 're', 've', 'll', 'd', 'm', 'em'];

const ELISIONS =
  'l d j m t s c n qu jusqu lorsqu puisqu quelqu un all dell nell sull dall coll quell bell sant gl'.split(
    ' ',
  );

/** What stands behind what French and Italian write before an apostrophe, however short. */
export function behindArticle(word: string): string {
  const [article, ...rest] = word.split("'");
  return rest.length > 0 && ELISIONS.includes(article!) ? rest.join("'") : word;
}

/** The same as a word that is found by itself. */
export function withoutArticle(word: string): string {
  const noun = behindArticle(word);
  return noun.length >= 3 ? noun : word;
}

/** What apostrophes join, where they are no contraction, and what stands behind an article. */
function joinedByApostrophes(word: string): string[] {
  const parts = word.split("'");
  if (parts.length === 1 || /^[0-9]/.test(word)) return [];
  const joined = CONTRACTIONS.includes(parts.at(-1)!) ? [] : parts.filter(({ length }) => length >= 3);
  const noun = withoutArticle(word);
  return noun === word || joined.includes(noun) ? joined : [...joined, noun];
}

/** A word with what stands in it: one place, or two where it is a number and its letters. */
function partsOf({ word, raw }: NaiveWord): Place[] {
  const withoutSigns = word.replace(/[+#]+$/, '');
  if (withoutSigns !== word) {
    const places = partsOf({ word: withoutSigns, raw: raw.replace(/[+#]+$/, '') });
    places.at(-1)!.push({ word, raw });
    return places;
  }
  const [first, second] = numberAndLetters(word);
  const places: Place[] = [[{ word: second === undefined ? word : first!, raw }]];
  if (second !== undefined) {
    places[0]!.push({ word, raw });
    places.push([{ word: second, raw }]);
  } else if (first !== undefined) places[0]!.push({ word: first, raw });
  const beside: string[] = [];
  if (first === undefined) {
    if (nameInCapitals(word, raw) !== word) beside.push(nameInCapitals(word, raw));
    beside.push(...joinedByApostrophes(word));
  }
  for (const part of wordsOfName(raw).filter((each) => !isStopword(each))) {
    beside.push(part);
    const [letters, number] = numberAndLetters(part);
    if (number !== undefined) beside.push(letters!);
  }
  places.at(-1)!.push(...beside.map((each) => ({ word: each, raw })));
  return places;
}

/** The places of a text: as memories are read. */
export function placesOf(text: string): Place[] {
  return wholePlaces(text).flatMap(([own, ...beside]) => {
    const places = partsOf(own);
    places.at(-1)!.push(...beside);
    return places;
  });
}

/** The term under which a word is found: one for a number in all its notations, a version, or the stem. */
export function termOf(word: string): string {
  if (/^v[0-9]+(?:\.[0-9]+)+$/.test(word)) return word.slice(1);
  if (!/^[0-9]/.test(word)) return stem(word);
  const isInThousands = /^[0-9]{1,3}(?:'[0-9]{3})+(?:\.[0-9]+)?$/.test(word);
  const number = (isInThousands ? word.replaceAll("'", '') : word)
    .replace(/^([0-9]+)(?:st|nd|rd|th|\.00)$/, '$1')
    .replace(/^0([0-9])$/, '$1');
  const [, whole, decimals = ''] = /^([0-9]{1,6})(?:\.([0-9]{1,3}))?k$/.exec(number) ?? [];
  return whole === undefined ? number : String(BigInt(whole + decimals.padEnd(3, '0')));
}

/** Stands before letters of a phrase that may be cut in any way. */
export const ANY_CUT = '"';
const LETTERS_OF_PHRASE = 64;

/** What a phrase asks for, one behind the other: terms, and letters that may be cut into words in any way. */
export function piecesOfPhrase(text: string): string[] {
  const plain = readable(text);
  const pieces: string[] = [];
  let room = LETTERS_OF_PHRASE;
  for (const { 0: stretch, index, groups } of plain.matchAll(STRETCH)) {
    const isUnspaced = groups!.unspaced !== undefined;
    const letters = isUnspaced ? folded(stretch) : wordOf(stretch);
    if ((isUnspaced || /^\p{Script=Hangul}+$/u.test(letters)) && letters.length <= room) {
      pieces.push(ANY_CUT + letters);
      room -= letters.length;
      continue;
    }
    const sign = isUnspaced ? '' : signOf(stretch, plain.slice(index + stretch.length));
    for (const [{ word }] of wholePlaces(stretch + sign)) pieces.push(...termsAtPlaces(word));
  }
  return pieces;
}

/** The terms of a word of a phrase: two where it is a number and its letters. */
export function termsAtPlaces(word: string): string[] {
  const parts = numberAndLetters(word);
  return (parts.length === 2 ? parts : [word]).map(termOf);
}
