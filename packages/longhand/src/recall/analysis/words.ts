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

import { lazily } from '../../core/lazily.ts';
import {
  classOf,
  fold,
  isAscii,
  isDigit,
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
import {
  compoundAt,
  humpsOf,
  MAX_WORD_LENGTH,
  numberParts,
  numberTerm,
  signsBehind,
} from './written-forms.ts';

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
