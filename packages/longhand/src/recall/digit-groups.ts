/**
 * Numbers that are written in groups: "555 0199", "555-0199", "555.0199" and "5550199" are one telephone number, "3.200", "3 200"
 * and "3200" one amount, and "10:30" and "10.30" one time of the day.
 *
 * A text holds each group as a word, unless a point joins them. So a number is looked for as a whole and as groups that follow
 * one another, cut in every way in which people cut them.
 */

import { lazily } from '../core/lazily.ts';
import { termOf } from './words.ts';

/** What is shorter is a quantity or a year, what is longer hardly a number to be called. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 12;
const MIN_GROUP = 2;
const MAX_GROUP = 5;
const MAX_GROUPS = 5;

const LONG_NUMBER = new RegExp(`^\\d{${MIN_DIGITS},${MAX_DIGITS}}$`);
const GROUP = `\\(?\\d{${MIN_GROUP},${MAX_GROUP}}\\)?`;
/** What has letters behind it is a quantity: "1024.256MB". */
const groupsIn = lazily(
  () =>
    new RegExp(
      `(?<![\\d.:/-])${GROUP}(?:[ .-]{1,2}${GROUP}){1,${MAX_GROUPS - 1}}(?![.:/-]?\\d|\\p{L})`,
      'gu',
    ),
);
/** What a number of thousands has between its groups: a space, which may be narrow or hold the line together. */
const THIN = ' \u00a0\u2009\u202f';
const thousandsIn = lazily(
  () =>
    new RegExp(
      `(?<![\\d.,:/-]|\\d[${THIN}])[1-9]\\d{0,2}(?:[${THIN}]\\d{3}){1,3}(?![.:/${THIN}-]?\\d|\\p{L})`,
      'gu',
    ),
);
const FROM_A_THOUSAND = new RegExp(`^[1-9]\\d{3,${MAX_DIGITS - 1}}$`);
const POINTED_THOUSANDS = /^[1-9]\d{0,2}(?:\.\d{3}){1,3}$/;
const DATE = /^\d{4}[.-]\d\d?[.-]\d\d?$|^\d\d?[.-]\d\d?[.-]\d{4}$/;
const HOURS = '[01]?\\d|2[0-4]';
/** Other letters beside it make a code of it: "14:30Z", "b9:12". */
const OF_WORD = '\\p{L}\\p{M}\\p{N}\u00ad';
const BEFORE_CLOCK = `(?<![${OF_WORD}.:]|[${OF_WORD}]['\u2019])`;
const BEHIND_CLOCK = `(?=[ap]m(?![${OF_WORD}])|(?!['\u2019]?[${OF_WORD}:]|\\.\\d))`;
const clock = lazily(() => new RegExp(`${BEFORE_CLOCK}(${HOURS}):(?!00)([0-5]\\d)${BEHIND_CLOCK}`, 'giu'));
const fullHour = lazily(() => new RegExp(`${BEFORE_CLOCK}(?:${HOURS}):00(?![\\d:])`, 'gu'));
const CLOCK_TERM = new RegExp(`^(${HOURS})\\.([0-5]\\d)$`);

/** Groups are a word each, unless a point joins them. */
const WORD = /\d+(?:\.\d+)*/g;

export interface GroupedNumber {
  readonly whole: string;
  /** As the words that they are. */
  readonly groups: readonly string[];
}

/** The numbers whose groups follow one another in a text. */
export function groupedNumbers(text: string): readonly GroupedNumber[] {
  if (!/\d/.test(text)) return [];
  const called = (text.match(groupsIn()) ?? [])
    .filter((groups) => !DATE.test(groups))
    .map(groupedNumber)
    .filter(({ whole }) => LONG_NUMBER.test(whole));
  const counted = (text.match(thousandsIn()) ?? []).map(groupedNumber);
  return [...called, ...counted.filter(({ whole }) => !called.some((each) => each.whole === whole))];
}

function groupedNumber(groups: string): GroupedNumber {
  return { whole: groups.replace(/\D/g, ''), groups: groups.match(WORD) ?? [] };
}

/**
 * A text in which each time of the day is one word. Full hours are left as they are: "10.00" is the same number as 10, and who
 * asks for ten o'clock asks for no ten people.
 */
export function withWholeTimes(text: string): string {
  return text.includes(':') ? text.replace(clock(), '$1.$2') : text;
}

/** The full hours in a text, as they were typed: their numbers follow one another in a memory. */
export function fullHours(text: string): readonly string[] {
  return text.includes(':00') ? (text.match(fullHour()) ?? []) : [];
}

/** The words of a query without the minutes of its full hours, which every other full hour has. */
export function withoutFullMinutes(
  words: readonly string[],
  text: string,
  quoted: ReadonlySet<string>,
): readonly string[] {
  if (!words.includes('00') || quoted.has('00') || fullHours(text).length === 0) return words;
  return words.filter((word) => word !== '00');
}

/** Hours and minutes of a time of the day, as the terms that follow one another; `undefined` for any other number. */
export function clockPlaces(term: string): readonly string[] | undefined {
  return CLOCK_TERM.exec(term)?.slice(1).map(termOf);
}

/** The same time with and without a zero before it, and as the French write it: 14h30. */
export function clockTerms(term: string): readonly string[] {
  const [, hours, minutes] = CLOCK_TERM.exec(term) ?? [];
  if (hours === undefined) return [];
  const both = [...new Set([String(Number(hours)), hours.padStart(2, '0')])];
  return ['.', 'h']
    .flatMap((mark) => both.map((each) => `${each}${mark}${minutes}`))
    .filter((each) => each !== term);
}

/**
 * The groups of three that a number from a thousand on is written in, with points or without; none for any other. "3.200" may be
 * a little more than three as well: it is still found by itself, and 3.2 is no 32.
 */
export function thousandsOf(term: string): readonly string[] {
  if (POINTED_THOUSANDS.test(term)) return term.split('.');
  if (!FROM_A_THOUSAND.test(term)) return [];
  const groups: string[] = [];
  for (let end = term.length; end > 0; end -= 3) groups.unshift(term.slice(Math.max(0, end - 3), end));
  return groups;
}

/** The groups that a long number may be written in. */
export function groupsOf(digits: string): readonly (readonly string[])[] {
  return LONG_NUMBER.test(digits) ? cutsOf(digits, MAX_GROUPS).filter(({ length }) => length > 1) : [];
}

function cutsOf(digits: string, most: number): string[][] {
  const cuts: string[][] = digits.length <= MAX_GROUP ? [[digits]] : [];
  if (most === 1) return cuts;
  for (let size = MIN_GROUP; size <= Math.min(MAX_GROUP, digits.length - MIN_GROUP); size++) {
    for (const rest of cutsOf(digits.slice(size), most - 1)) cuts.push([digits.slice(0, size), ...rest]);
  }
  return cuts;
}
