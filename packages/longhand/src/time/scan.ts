import { type Meaning, WORDS } from './words.ts';

/** A text cut into words and phrases of time, which are folded, numbers and single marks, once for all rules. */
export interface Scan {
  readonly text: string;
  readonly words: readonly string[];
  readonly meanings: readonly (Meaning | undefined)[];
  readonly from: readonly number[];
  readonly to: readonly number[];
}

const FIELDS_OF_TIMES = [
  ...(['day', 'weekday', 'weekly', 'month', 'season', 'holiday', 'isWeekend'] as const),
  ...(['part', 'unit', 'step', 'isRecent'] as const),
];
const isOfTime = (meaning: Meaning): boolean => FIELDS_OF_TIMES.some((field) => meaning[field] !== undefined);
const timeWords = [...WORDS].filter(([, meaning]) => isOfTime(meaning)).map(([word]) => word);
const phrases = [...WORDS.keys()]
  .filter((name) => /.[^a-z]./.test(name))
  .sort((left, right) => right.length - left.length)
  .map((name) => name.replaceAll(' ', '\\s+'));

/** Letters with accents are looked at more closely. */
const MAY_HOLD_TIME = new RegExp(`[\\d\\u00c0-\\u017f]|\\b(?:${timeWords.join('|')})\\b`, 'i');
const PIECE = new RegExp(
  `(?<![\\p{L}\\d])(?:${phrases.join('|')})(?![\\p{L}\\d])|[\\p{L}\\p{M}]+|\\d+|[^\\s\\p{L}\\p{M}\\d]`,
  'giu',
);

/** Whether a text has anything to look at. Every memory is read when it is indexed, and most have nothing. */
export function mayHoldTime(text: string): boolean {
  return MAY_HOLD_TIME.test(text);
}

export function scanWords(text: string): Scan {
  // Letter by letter, so that all places stay.
  const plain = text
    .replaceAll(/[\u00c0-\u017f]/g, (letter) => letter.normalize('NFD')[0]!)
    .replaceAll(/[\u2010-\u2014]/g, '-')
    .replaceAll('\u2019', "'");
  const pieces = [...plain.matchAll(PIECE)];
  const words = pieces.map(([piece]) => piece.toLowerCase().replaceAll(/\s+/g, ' '));
  return {
    text,
    words,
    meanings: words.map((word) => WORDS.get(word)),
    from: pieces.map(({ index }) => index),
    to: pieces.map(({ 0: piece, index }) => index + piece.length),
  };
}
