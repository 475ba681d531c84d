import { type Calendar, clampMs, type TimeRange } from './calendar.ts';
import type { Recurrence } from './recurrence.ts';

/** A text cut into words, numbers and single marks, folded, with their places; and the moment it is read at. */
export interface Scan {
  readonly words: readonly string[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Whether all is in small letters. */
  readonly isSmall: readonly boolean[];
  readonly nowMs: number;
  /** Of the place where it is read. */
  readonly calendar: Calendar;
  /** Which number of a date comes first, where another date of the same text says it. */
  readonly firstOfDate?: 'day' | 'month';
}

/** What a rule understood, and the word after it. */
export interface Found extends TimeRange {
  readonly softnessMs: number;
  readonly next: number;
  /** What it may mean as well, where nobody can tell: 5/6 is a day of May and one of June. */
  readonly other?: TimeRange;
  /** Of a range from one time to another, whether the other comes first. */
  readonly isReversed?: true;
  /** Whether it says little of a time: "recently". */
  readonly isLoose?: true;
  /** Whether it is a time to those alone who ask for plans: "in two days". */
  readonly isOfPlans?: true;
  /** For what comes back and was named without its year, month or week. */
  readonly recurrence?: Recurrence;
  /** Whether it is the time up to that. */
  readonly isUntil?: boolean;
}

/** Longer words are no time words and need not be folded. The longest one is "approximately". */
const MAX_WORD_LENGTH = 13;

const CURLY_APOSTROPHE = 0x2019;
const EN_DASH = 0x2013;

/** Years that a number of four digits may mean. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;

/** Cuts a text into words, once for all rules. Time beyond the calendar's bounds counts as the nearest inside. */
export function scanWords(text: string, nowMs: number, calendar: Calendar): Scan {
  const words: string[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const isSmall: boolean[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const kind = kindOf(text.charCodeAt(at++));
    if (kind === 'space') continue;
    while (kind !== 'mark' && at < text.length && continues(kind, text, at)) at++;
    const word = at - start > MAX_WORD_LENGTH ? '' : text.slice(start, at);
    words.push(word.toLowerCase());
    isSmall.push(word === word.toLowerCase());
    from.push(start);
    to.push(at);
  }
  return { words, from, to, isSmall, nowMs: clampMs(nowMs), calendar };
}

type Kind = 'space' | 'letter' | 'digit' | 'mark';

function kindOf(code: number): Kind {
  if (code <= 0x20 || code === 0xa0) return 'space';
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return 'letter';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  // Beyond ASCII all else is a letter: it keeps "márch" from being read as "rch".
  return code > 0xa0 && code !== CURLY_APOSTROPHE && code !== EN_DASH ? 'letter' : 'mark';
}

function continues(kind: Kind, text: string, at: number): boolean {
  if (kindOf(text.charCodeAt(at)) === kind) return true;
  // A decimal point belongs to its number, so that "1.5 years ago" is not "5 years ago".
  return kind === 'digit' && text[at] === '.' && kindOf(text.charCodeAt(at + 1)) === 'digit';
}

export const wordAt = (scan: Scan, at: number): string => scan.words[at] ?? '';

/** Whether it is a single mark rather than a word or a number. */
export const isMark = (scan: Scan, at: number): boolean => kindOf(wordAt(scan, at).charCodeAt(0)) === 'mark';

/** Whether a word follows the one before it without a space. */
export const isGlued = (scan: Scan, at: number): boolean =>
  at < scan.words.length && scan.from[at] === scan.to[at - 1];

/** The word after an optional one. */
export const skip = (scan: Scan, at: number, ...optional: readonly string[]): number =>
  optional.includes(wordAt(scan, at)) ? at + 1 : at;

/** The word after "'s", or after a plural's "'". */
export function skipPossessive(scan: Scan, at: number): number {
  const next = skip(scan, at, "'", '\u2019');
  return next > at && isGlued(scan, next) ? skip(scan, next, 's') : next;
}

export const isNumber = (scan: Scan, at: number): boolean =>
  kindOf(wordAt(scan, at).charCodeAt(0)) === 'digit';

/** The value of a number in digits, else NaN. */
export function digitsAt(scan: Scan, at: number): number {
  return isNumber(scan, at) ? Number(wordAt(scan, at)) : Number.NaN;
}

export function yearAt(scan: Scan, at: number): number | undefined {
  const year = digitsAt(scan, at);
  return wordAt(scan, at).length === 4 && year >= FIRST_YEAR && year <= LAST_YEAR ? year : undefined;
}
