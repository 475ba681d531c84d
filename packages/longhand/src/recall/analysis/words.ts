import { lazily } from '../../core/lazily.ts';
import {
  classOf,
  fold,
  isAscii,
  isCapital,
  isDigit,
  isSmall,
  LETTER,
  MARK,
  OTHER,
  SINGLE,
  spellOut,
  UNSPACED_LETTER,
  unified,
  unspacedScript,
} from './characters.ts';
import { stem } from './stem.ts';
import { isStopword } from './stopwords.ts';

/**
 * From a text to its words, and from a word to its term.
 *
 * A word is a run of letters and digits, folded (`characters.ts`), at most `MAX_WORD_LENGTH` long. An apostrophe between letters
 * belongs to it, and so do the point and the thousands comma of a number: "3.5", "v1.2", "10,000" (which becomes "10000"), and the
 * signs behind a single letter: "C++", "F#". An emoji is a word. Scripts without spaces are split by `Intl.Segmenter`.
 *
 * Other forms of a word stand *beside* it, at the same position, so that phrases still match: "5km" beside "5" and "km", "1990"
 * beside "1990s", "user" beside `getUserName`, "email" beside "e-mail" (`written-forms.ts`), "mueller" beside "Müller". The
 * segmenter takes 清华大学 for one word, and Korean joins particles to the noun, so the pairs of letters of a run of Han or Hangul
 * stand beside it, but not those of kana and other scripts that spell sounds. Where a word mixes scripts (東京タワー), its runs of
 * Han and katakana stand beside it; hiragana are endings and particles there.
 *
 * The term of a word, under which its postings are kept, is its English stem, or its number.
 * `index/lexicon.ts` has a faster reading of ASCII; a test keeps the two equal.
 */

/** Runs whose pairs of letters are words too. */
const paired = lazily(() => /[\p{Script=Han}]{3,}|[\p{Script=Hangul}]{3,}/gu);
const scriptRun = lazily(() => /\p{Script=Han}+|[\p{Script=Katakana}ー]{2,}/gu);
const hangul = lazily(() => /^\p{Script=Hangul}+$/u);
const singleHan = lazily(() => /^\p{Script=Han}$/u);
const segmenter = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }));

/**
 * @param word folded
 * @param raw the stretch of text that the word was taken from
 * @param isBeside whether it shares the position of the word before it
 */
type VisitWord = (word: string, raw: string, isBeside: boolean) => void;

/** Visits all words of a text, in order. */
export function forEachWord(text: string, visit: VisitWord): void {
  forEachWholeWord(text, (word, raw, isBeside) => {
    if (isBeside) visit(word, raw, true);
    else forEachPart(word, raw, visit);
  });
}

/** Visits a word with its parts: number and unit, the words of a name of code. */
export function forEachPart(word: string, raw: string, visit: VisitWord): void {
  const [first, second] = numberParts(word);
  if (first !== undefined && second !== undefined) {
    visit(first, raw, false);
    visit(word, raw, true);
    visit(second, raw, false);
  } else {
    visit(word, raw, false);
    if (first !== undefined) visit(first, raw, true);
  }
  for (const hump of humpsOf(raw)) visitHump(wordOf(hump), raw, visit);
}

/** A stopword says nothing here either (`isPublic`). `userName2` is found by "name2" and "name". */
function visitHump(word: string, raw: string, visit: VisitWord): void {
  if (isStopword(word)) return;
  visit(word, raw, true);
  const [letters, number] = numberParts(word);
  if (letters !== undefined && number !== undefined) visit(letters, raw, true);
}

/** Visits the words of a text without `forEachPart`: for names and queries. */
export function forEachWholeWord(text: string, visit: VisitWord): void {
  const plain = unified(text);
  for (let start = 0, at = 0; at < plain.length; start = at) {
    const kind = classOf(plain.codePointAt(at)!);
    at = endOfRun(plain, at, kind);
    if (kind === OTHER) continue;
    at += signsBehind(plain, start, at);
    const raw = plain.slice(start, at);
    if (kind === UNSPACED_LETTER) visitSegments(raw, visit);
    else visitWord(raw, visit);
    const compound = compoundAt(plain, start, at);
    if (compound !== '') visit(wordOf(compound), compound, true);
  }
}

/** Where the run of characters ends that begins at `start` with this class; one character for `OTHER` and `SINGLE`. */
function endOfRun(text: string, start: number, first: number): number {
  let at = next(text, start);
  if (first === OTHER || first === SINGLE) return at;
  const letter = first === UNSPACED_LETTER ? UNSPACED_LETTER : LETTER;
  for (; at < text.length; at = next(text, at)) {
    const kind = classOf(text.codePointAt(at)!);
    if (kind === letter || kind === MARK) continue;
    if (kind !== OTHER || letter !== LETTER || !joinsWord(text, at)) break;
  }
  return at;
}

function next(text: string, at: number): number {
  return at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
}

/** Whether the sign at `at` stands inside a word: "don't", "3.5", "10,000". */
function joinsWord(text: string, at: number): boolean {
  switch (text[at]) {
    case "'":
    case '\u2019': {
      const behind = classOf(text.codePointAt(at + 1) ?? 0);
      return behind === LETTER || behind === MARK;
    }
    case '.':
      return isDigit(text, at - 1) && isDigit(text, at + 1);
    case ',':
      return [-1, 1, 2, 3].every((offset) => isDigit(text, at + offset)) && !isDigit(text, at + 4);
    default:
      return false;
  }
}

export function wholeWordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWholeWord(text, (word) => words.push(word));
  return words;
}

/**
 * The terms of a phrase, each following the one before it. Words of scripts without spaces depend on their neighbours, so of
 * those only the pairs of letters count (all words when there are no pairs), in any order.
 */
export function phrasePieces(text: string): string[] {
  const spaced: string[] = [];
  const letters: string[] = [];
  forEachWholeWord(text, (word, _, isBeside) => {
    if (isUnspacedTerm(word)) letters.push(word);
    else if (!isBeside) spaced.push(...placesOf(word));
  });
  const pairs = letters.filter((word) => [...word].length === 2);
  return [...spaced, ...new Set(pairs.length > 0 ? pairs : letters)];
}

/** Whether a term is of a script whose words are found by their letters. */
export function isUnspacedTerm(term: string): boolean {
  return !isAscii(term) && (unspacedScript().test(term) || hangul().test(term));
}

/** The terms of a word, one for each position that it takes in a text. */
export function placesOf(word: string): readonly string[] {
  const parts = numberParts(word);
  return (parts.length > 1 ? parts : [word]).map(termOf);
}

/** A word in which `*` is a letter. It also joins: `o'*`, `1.*`, `*.5`; but not `*.*`, which names files. */
const patterns = lazily(
  () => /[*\p{L}\p{M}\p{N}]+(?:(?:['\u2019]|(?<=\d)[.,](?=[\d*])|(?<=\*)[.,](?=\d))[*\p{L}\p{M}\p{N}]+)*/gu,
);

/** The words of a text that has wildcards, which are not segmented: a pattern says itself where it ends. */
export function patternsOf(text: string): string[] {
  return Array.from(unified(text).matchAll(patterns()), ([raw]) => wordOf(raw)).filter((word) => word !== '');
}

/** Folds a stretch of text into a word; empty when nothing is left of it. */
function wordOf(raw: string): string {
  // A long stretch is cut to more than is kept, because commas go.
  let word = fold(raw.length > MAX_WORD_LENGTH ? raw.slice(0, 2 * MAX_WORD_LENGTH) : raw);
  if (word.includes(',')) word = word.replaceAll(',', '');
  if (word.includes('\u2019')) word = word.replaceAll('\u2019', "'");
  if (word.length <= MAX_WORD_LENGTH) return word;
  const splitsPair = (word.charCodeAt(MAX_WORD_LENGTH - 1) & 0xfc00) === 0xd800;
  return word.slice(0, splitsPair ? MAX_WORD_LENGTH - 1 : MAX_WORD_LENGTH);
}

/** The word with its umlauts spelt out, of as much as is kept of a word; empty when it has none. */
export function speltWord(raw: string): string {
  return isAscii(raw) ? '' : wordOf(spellOut(raw.slice(0, 2 * MAX_WORD_LENGTH)));
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
  let before = '';
  for (const { segment, isWordLike } of segmenter().segment(run)) {
    if (isWordLike !== true) continue;
    visitWord(segment, visit, true);
    // Two single letters are often a word that the segmenter does not know.
    const letter = singleHan().test(segment) ? segment : '';
    if (before !== '' && letter !== '') visit(before + letter, run, true);
    before = letter;
  }
}

/** The term under which a word is found. */
export function termOf(word: string): string {
  return numberTerm(word) ?? stem(word);
}

/** Words that people write in several forms, and words that contain others: numbers, versions, names of code, e-mail. */

/** A longer word is data, such as a key or a token. */
export const MAX_WORD_LENGTH = 64;

const NONE: readonly string[] = [];

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
const ZERO_FIRST = /^0\d$/;
const VERSION = /^v\d+(?:\.\d+)+$/;

/** The term of a number or version, `undefined` for other words: 8 for 8th and 08, 1.2 for v1.2. */
function numberTerm(word: string): string | undefined {
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
function numberParts(word: string): readonly string[] {
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
function humpsOf(raw: string): readonly string[] {
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
