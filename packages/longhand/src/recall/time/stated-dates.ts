import { lazily } from '../../core/lazily.ts';
import { dayNumber } from './calendar.ts';
import { GLOSSARY } from './glossary.ts';
import { type DayOfYear, readingsOf, writtenDates } from './numeric-dates.ts';
import { MONTHS } from './vocabulary.ts';

/**
 * The days that a text states, in whatever notation: "2026-05-14", "5/14/2026", "on 20/11", "14.05.", "14 May 2026", "May 14th", "14. Mai",
 * "le 12 juin 2026".
 *
 * They are read in every memory and in every query, so that a day is one thing to both. A text is not asked what it means
 * otherwise: weekdays, weeks and relative days are left to the grammar of times, which reads queries alone.
 */

export interface StatedDate {
  /** Where it stands: `text.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  /** `undefined` when it is left out. */
  readonly year: number | undefined;
  /** Two where the day may be the month. */
  readonly readings: readonly DayOfYear[];
  /** `false` for what may as well be none: "the top 5 may change". */
  readonly isSure: boolean;
}

export const ENGLISH_MONTHS: readonly string[] = [...MONTHS.keys()];
/** In every language, 0 for January. */
export const monthNumbers = lazily(
  (): ReadonlyMap<string, number> =>
    new Map([
      ...MONTHS,
      ...[...GLOSSARY].flatMap(([word, english]) => {
        const month = MONTHS.get(english);
        return month === undefined ? [] : [[word, month] as const];
      }),
    ]),
);
/** In small letters these are verbs and walks as well. */
const DOUBTFUL = new Set(['may', 'march', 'mar']);

/** In an expression: the year of a date that ends with something else. */
export const YEAR_BEHIND = '(?:,?[ \\u00a0](\\d{4})(?!\\d))?';
const dayFirst = lazily(
  () =>
    new RegExp(
      `(?<![\\d.,:/-])(\\d{1,2})(?:(st|nd|rd|th|er)?[ \\u00a0](of |de )?|\\.[ \\u00a0]?)(${[...monthNumbers().keys()].join('|')})(?![\\p{L}\\p{N}])\\.?${YEAR_BEHIND}`,
      'giu',
    ),
);
const monthFirst = lazily(
  () =>
    new RegExp(
      `(?<![\\p{L}\\p{N}])(${ENGLISH_MONTHS.join('|')})\\.?[ \\u00a0](the )?(\\d{1,2})(st|nd|rd|th)?(?![\\p{L}\\p{N}:%]|[.,]\\d)${YEAR_BEHIND}`,
      'giu',
    ),
);
const ISO_DATE = /(?<!\d)(?<!\d[-/])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?!\d)/g;

/** "5.12.", "24.12.26". Numbers and versions look so, too. */
const POINTED = /(?<![\d.:/-]|v)(\d{1,2})\.(\d{1,2})\.(\d\d)?(?!\d|\.\d)/gi;
const SLASHED = /(?<![\d.:/-])(\d{1,2})\/(\d{1,2})(?!\d|[.:-]\d|\/)/g;
/** All day, and a format. */
const NO_DAYS = new Set(['24/7', '16/9', '9/16']);
const beforeDay = lazily(
  () =>
    /(?<![\p{L}\p{N}])(?:am|vom|bis|zum|ab|seit|den|dem|nach|on|by|until|since|from|le|du|au|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)[,.]? $/iu,
);
const BEFORE_DAY_LENGTH = 12;
const TWO_DIGITS = 2;

/** Most texts have no number, most of those no date: these look at little else. */
const DIGIT = /\d/;
const MAY_BE_IN_NUMBERS = /\d(?:[./-]\d\d?[./-]|\/\d)/;
const mayBeNamed = lazily(
  () =>
    new RegExp(
      `\\d(?:(?:st|nd|rd|th|er)?[ \\u00a0](?:of |de )?|\\.[ \\u00a0]?)(?:${[...monthNumbers().keys()].join('|')})|(?<=(?:${ENGLISH_MONTHS.join('|')})\\.?[ \\u00a0](?:the )?)\\d`,
      'iu',
    ),
);

/** Has every day that any year has. */
export const LEAP_YEAR = 2000;
export const CENTURY = 2000;

/** Whether it is worth a closer look. */
export function mayStateDay(text: string): boolean {
  return DIGIT.test(text) && (MAY_BE_IN_NUMBERS.test(text) || mayBeNamed().test(text));
}

/** Those in numbers come first, then those of ISO 8601, then those with names, each in the order of the text. */
export function statedDates(text: string): readonly StatedDate[] {
  if (!DIGIT.test(text)) return NO_DATES;
  const isInNumbers = MAY_BE_IN_NUMBERS.test(text);
  const isNamed = mayBeNamed().test(text);
  if (!isInNumbers && !isNamed) return NO_DATES;
  const dates = [...(isInNumbers ? daysInNumbers(text) : []), ...(isNamed ? namedDays(text) : [])];
  return dates.filter(({ readings }) => readings.length > 0);
}

const NO_DATES: readonly StatedDate[] = [];

function daysInNumbers(text: string): readonly StatedDate[] {
  const dates: StatedDate[] = [];
  for (const { from, to, year, readings } of writtenDates(text))
    dates.push({ from, to, year, readings, isSure: true });
  dates.push(...pointedDates(text), ...slashedDates(text));
  for (const { 0: date, 1: year, 3: month, 4: day, index } of text.matchAll(ISO_DATE)) {
    const readings = readingsIn(Number(year), Number(month) - 1, Number(day));
    dates.push({ from: index, to: index + date.length, year: Number(year), readings, isSure: true });
  }
  return dates;
}

/** "5.12." where a word says that it is a day, and "24.12.26". */
export function pointedDates(text: string): readonly StatedDate[] {
  return Array.from(text.matchAll(POINTED), ({ 0: date, 1: day, 2: month, 3: digits, index }) => {
    const year = digits === undefined ? undefined : CENTURY + Number(digits);
    const isFull = year !== undefined && day!.length === TWO_DIGITS && month!.length === TWO_DIGITS;
    const isDay = isFull || isBehindDayWord(text, index);
    const readings = isDay ? readingsIn(year, Number(month) - 1, Number(day)) : [];
    return { from: index, to: index + date.length, year, readings, isSure: true };
  }).filter(({ readings }) => readings.length > 0);
}

/** "20/11" where a word says that it is a day, and only one of both can be the month. */
function slashedDates(text: string): readonly StatedDate[] {
  return Array.from(text.matchAll(SLASHED), ({ 0: date, 1: first, 2: second, index }) => {
    const isDay = !NO_DAYS.has(date) && isBehindDayWord(text, index);
    const readings = isDay ? readingsOf(Number(first), '/', Number(second)) : [];
    return { from: index, to: index + date.length, year: undefined, readings, isSure: true };
  }).filter(({ readings }) => readings.length === 1);
}

/** Whether the word before a place stands before days, and before no version. */
export function isBehindDayWord(text: string, at: number): boolean {
  return beforeDay().test(text.slice(Math.max(0, at - BEFORE_DAY_LENGTH), at));
}

function namedDays(text: string): readonly StatedDate[] {
  const dates: StatedDate[] = [];
  /** Where the months stand of days that come before them: "14 May 20" is no 20th. */
  const taken = new Set<number>();
  for (const { 0: date, 1: day, 2: ordinal, 3: of, 4: name, 5: digits, index } of text.matchAll(dayFirst())) {
    taken.add(index + date.indexOf(name!));
    const year = yearOf(digits);
    const readings = readingsIn(year, monthOf(name!), Number(day));
    const isSure = isMonth(name!, ordinal ?? of ?? digits);
    dates.push({ from: index, to: index + date.length, year, readings, isSure });
  }
  for (const { 0: date, 1: name, 2: the, 3: day, 4: ordinal, 5: digits, index } of text.matchAll(
    monthFirst(),
  )) {
    if (taken.has(index)) continue;
    const year = yearOf(digits);
    const readings = readingsIn(year, monthOf(name!), Number(day));
    const isSure = isMonth(name!, the ?? ordinal ?? digits);
    dates.push({ from: index, to: index + date.length, year, readings, isSure });
  }
  return dates;
}

const readingsIn = (year: number | undefined, month: number, day: number): readonly DayOfYear[] =>
  dayNumber(year ?? LEAP_YEAR, month, day) === undefined ? [] : [{ month, day }];

const yearOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits);

/** `NaN` for what is like a name in another case alone. */
export const monthOf = (name: string): number => monthNumbers().get(name.toLowerCase()) ?? Number.NaN;

/** @param proof what else says that it is a day */
export const isMonth = (name: string, proof: string | undefined): boolean =>
  proof !== undefined || name !== name.toLowerCase() || !DOUBTFUL.has(name);
