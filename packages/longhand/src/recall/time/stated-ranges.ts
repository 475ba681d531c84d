import { lazily } from '../../core/lazily.ts';
import { dayNumber } from './calendar.ts';
import type { DayOfYear } from './numeric-dates.ts';
import type { Place } from './places.ts';
import {
  CENTURY,
  ENGLISH_MONTHS,
  isBehindDayWord,
  isMonth,
  LEAP_YEAR,
  monthNumbers,
  monthOf,
  YEAR_BEHIND,
} from './stated-dates.ts';

/**
 * The ranges of days that a text states: "16-20 November", "between 16 and 20 November", "Nov 28 – Dec 3", "vom 28.11. bis 3.12.", "2026-11-28 to 2026-12-03".
 *
 * Such a text is of every day of the range, though it names two. They are read in memories alone: in a query a range is a time,
 * which the grammar of times reads. A number is an end only beside a date of its own notation: most pairs of numbers are pages,
 * scores and amounts.
 */

export interface StatedRange extends Place {
  /** Days as a calendar counts them, both included. Without a year they are of one that has every day. */
  readonly firstDay: number;
  readonly lastDay: number;
  readonly hasYear: boolean;
}

/** Of a longer time nobody means each day. */
const MAX_RANGE_DAYS = 31;

const SPACE = '[ \\u00a0]';
const DASH = '[-\\u2010\\u2011\\u2013\\u2014]';
const JOIN = `(?<join>${SPACE}?${DASH}${SPACE}?|${SPACE}(?:to|until|till|through|bis|au|and|und|et)${SPACE}(?:the |zum |den |dem |le )?)`;
/** These join the ends of a range behind "between" alone. */
const JOINED_BY_AND = /^[ \u00a0](?:and|und|et)/i;
const between = lazily(() => /(?<![\p{L}\p{N}])(?:between|zwischen|entre) (?:the |den |dem |le )?$/iu);
const BETWEEN_LENGTH = 16;
/** What was "moved from 12 to 25 November" is on neither of the days between them. */
const moved = lazily(
  () =>
    /(?<!\p{L})(?:move|moved|moves|moving|shifted|changed|changes|rescheduled|postponed|delayed|pushed|verschoben|verlegt|(?:report|d\u00e9plac|d\u00e9cal|avanc)\u00e9e?s?)(?!\p{L})[^.!?;\n]* (?:from|vom|du) (?:the )?$/iu,
);
const MOVED_LENGTH = 80;
const TO_ANOTHER = /^ (?:to|au) /;
const ORDINAL = '(?:st|nd|rd|th|er)';

const dayFirst = lazily(() => {
  const names = [...monthNumbers().keys()].join('|');
  const beforeMonth = `(?:${ORDINAL}?${SPACE}(?:of |de )?|\\.${SPACE}?)`;
  const first = `(?<first>\\d{1,2})(?:${beforeMonth}(?<firstMonth>${names})\\.?(?:,?${SPACE}(?<firstYear>\\d{4}))?|${ORDINAL}|\\.)?`;
  const last = `(?<last>\\d{1,2})${beforeMonth}(?<month>${names})(?![\\p{L}\\p{N}])\\.?`;
  return new RegExp(`(?<![\\p{L}\\d.,:/-])${first}${JOIN}${last}${withYear()}`, 'giu');
});
/** Not the month of a day before it: "14 May 20-22". */
const monthFirst = lazily(() => {
  const name = ENGLISH_MONTHS.join('|');
  const first = `(?<firstMonth>${name})\\.?${SPACE}(?:the )?(?<first>\\d{1,2})${ORDINAL}?(?:,?${SPACE}(?<firstYear>\\d{4}))?`;
  const last = `(?:(?<month>${name})\\.?${SPACE}(?:the )?)?(?<last>\\d{1,2})(?<ordinal>${ORDINAL})?(?![\\p{L}\\p{N}:%]|[.,/-]\\d)`;
  const start = `(?<![\\p{L}\\p{N}])(?<!\\d${ORDINAL}?\\.?${SPACE}?(?:of |de )?)`;
  return new RegExp(`${start}${first}${JOIN}${last}${withYear()}`, 'giu');
});
const pointed = lazily(() => {
  const year = (name: string): string => `(?<${name}>\\d{4}|\\d\\d)?`;
  const first = `(?<first>\\d{1,2})(?:(?<point>\\.)(?:(?<firstMonth>\\d{1,2})\\.${year('firstYear')})?)?`;
  const last = `(?<last>\\d{1,2})\\.(?<month>\\d{1,2})\\.${year('year')}`;
  return new RegExp(`(?<![\\p{L}\\d.:/-])${first}${JOIN}${last}(?!\\d|\\.\\d)`, 'giu');
});
/** ISO 8601 joins them with a stroke. */
const iso = lazily(() => {
  const first = '(?<firstYear>\\d{4})-(?<firstMonth>\\d{1,2})-(?<first>\\d{1,2})';
  const last = '(?<year>\\d{4})-(?<month>\\d{1,2})-(?<last>\\d{1,2})';
  return new RegExp(`(?<!\\d)(?<!\\d[-/])${first}(?:${JOIN}|/|\\.\\.)${last}(?!\\d)`, 'gi');
});

const withYear = (): string => YEAR_BEHIND.replace('(\\d', '(?<year>\\d');

/** Most texts with a date have no range: behind what joins its ends stands a number, or a month that has one before. */
const MAY_BE_JOINED =
  /(?:[-\u2010\u2011\u2013\u2014][ \u00a0]?|[ \u00a0](?:to|until|till|through|bis|au|and|und|et)[ \u00a0](?:the |zum |den |dem |le )?|\.\.|\/)\d|\d(?:st|nd|rd|th|er)?(?:[ \u00a0]?[-\u2010\u2011\u2013\u2014][ \u00a0]?|[ \u00a0](?:to|until|till|through|bis|au|and)[ \u00a0])[a-z]/i;

/** In the order of their notations, and each in that of the text. For texts that may state a day (`mayStateDay`). */
export function statedRanges(text: string): readonly StatedRange[] {
  if (!MAY_BE_JOINED.test(text)) return NO_RANGES;
  return [
    ...found(text, pointed(), pointedEnds),
    ...found(text, iso(), isoEnds),
    ...found(text, dayFirst(), dayFirstEnds),
    ...found(text, monthFirst(), monthFirstEnds),
  ];
}

const NO_RANGES: readonly StatedRange[] = [];

interface End extends DayOfYear {
  /** `undefined` when it is left out. */
  readonly year: number | undefined;
}
type Ends = readonly [first: End, last: End];
type Groups = Readonly<Record<string, string | undefined>>;
/** `undefined` where it is no range of days. */
type ReadEnds = (groups: Groups, text: string, from: number, to: number) => Ends | undefined;

function found(text: string, expression: RegExp, readEnds: ReadEnds): readonly StatedRange[] {
  const ranges: StatedRange[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const from = match.index;
    const to = from + match[0].length;
    const groups = match.groups as Groups;
    const ends = isJoined(groups, text, from) ? readEnds(groups, text, from, to) : undefined;
    const days = ends && daysBetween(ends);
    if (days) ranges.push({ from, to, ...days });
    // What is none may hold the beginning of one.
    else expression.lastIndex = from + 1;
  }
  return ranges;
}

/** "On 5 and 7 May" is no range, and "moved from 5 to 7 May" is none. */
function isJoined({ join = '' }: Groups, text: string, from: number): boolean {
  if (JOINED_BY_AND.test(join)) return between().test(text.slice(Math.max(0, from - BETWEEN_LENGTH), from));
  return !isBehindMove(text, from);
}

function isBehindMove(text: string, from: number): boolean {
  return moved().test(text.slice(Math.max(0, from - MOVED_LENGTH), from));
}

/** Whether something was moved from this day to another: it is not on it any more. */
export function isMovedAway(text: string, { from, to }: Place): boolean {
  return TO_ANOTHER.test(text.slice(to, to + 4)) && isBehindMove(text, from);
}

/** Around New Year, the year that is left out is that beside the other. */
function daysBetween([first, last]: Ends): Omit<StatedRange, 'from' | 'to'> | undefined {
  const isAcrossYears = first.month > last.month || (first.month === last.month && first.day > last.day);
  const step = isAcrossYears ? 1 : 0;
  const hasYear = first.year !== undefined || last.year !== undefined;
  const lastYear = last.year ?? (first.year === undefined ? LEAP_YEAR : first.year + step);
  const firstDay = dayNumber(first.year ?? lastYear - step, first.month, first.day);
  const lastDay = dayNumber(lastYear, last.month, last.day);
  if (firstDay === undefined || lastDay === undefined) return undefined;
  const count = lastDay - firstDay + 1;
  return count >= 1 && count <= MAX_RANGE_DAYS ? { firstDay, lastDay, hasYear } : undefined;
}

const numberOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits);

/** "Sprint 12 - 20 November": what these stand before has a number, and no day. */
const numbered = lazily(
  () =>
    /(?<![\p{L}\p{N}])(?:pages?|seiten?|chapters?|kapitel|chapitres?|parts?|teile?|sections?|lines?|slides?|questions?|items?|sprints?|rooms?|gates?|steps?|phases?|levels?|rounds?|episodes?|seasons?|lessons?|units?|versions?|numbers?|no\.|nr\.)[ \u00a0]$/iu,
);
const NUMBERED_LENGTH = 12;
/** What else says that it is a day, of "5-7 may". */
const PROOF = /\d(?:st|nd|rd|th|er)(?![a-z])|[ \u00a0](?:of|de|the) |\d{4}/i;

function dayFirstEnds(groups: Groups, text: string, from: number, to: number): Ends | undefined {
  const { first, firstMonth, firstYear, last, month, year } = groups;
  const before = text.slice(Math.max(0, from - NUMBERED_LENGTH), from);
  if (firstMonth === undefined && numbered().test(before)) return undefined;
  if (!areMonths([firstMonth ?? month!, month!], text.slice(from, to))) return undefined;
  return [
    { year: numberOf(firstYear), month: monthOf(firstMonth ?? month!), day: Number(first) },
    { year: numberOf(year), month: monthOf(month!), day: Number(last) },
  ];
}

function monthFirstEnds(groups: Groups, text: string, from: number, to: number): Ends | undefined {
  const { firstMonth, first, firstYear, join, month, last, ordinal, year } = groups;
  const isBare = month === undefined && ordinal === undefined && year === undefined;
  if (isBare && isAmount(text.slice(to, to + BEHIND_LENGTH), join!)) return undefined;
  if (!areMonths([firstMonth!, month ?? firstMonth!], text.slice(from, to))) return undefined;
  return [
    { year: numberOf(firstYear), month: monthOf(firstMonth!), day: Number(first) },
    { year: numberOf(year), month: monthOf(month ?? firstMonth!), day: Number(last) },
  ];
}

const areMonths = (names: readonly string[], range: string): boolean =>
  PROOF.test(range) || names.some((name) => isMonth(name, undefined));

/** "March 3 – 10 km run": behind a dash between spaces a number counts what follows, unless that is no noun. */
const word = lazily(
  () =>
    /^[ \u00a0](?!(?:in|at|on|for|with|and|or|we|i|is|are|was|were|will|im|mit|und|wir|ich|\u00e0|avec|et|nous|je)(?!\p{L}))\p{L}/iu,
);
const amount = lazily(
  () =>
    /^[ \u00a0](?:[ap]\.?m|o'clock|uhr|h|hours?|minutes?|min|days?|people|persons?|guests|times|percent|km|kg|euros?|dollars?)(?!\p{L})/iu,
);
const SPACED_DASH = /^[ \u00a0].[ \u00a0]$/;
const BEHIND_LENGTH = 16;

const isAmount = (behind: string, join: string): boolean =>
  amount().test(behind) || (SPACED_DASH.test(join) && word().test(behind));

const FOUR_DIGITS = 4;
const TWO_DIGITS = 2;
/** A word between them that stands before days as well, or behind "between". */
const JOINED_BY_DAY_WORD = /(?:until|bis|au|and|und|et)/i;

/** Like a day in points: only with a year, or where a word says that it is one. */
function pointedEnds(groups: Groups, text: string, from: number): Ends | undefined {
  const { first, point, firstMonth, firstYear, join, last, month, year } = groups;
  const hasFullYear = year?.length === FOUR_DIGITS;
  const isFull = year !== undefined && last!.length === TWO_DIGITS && month!.length === TWO_DIGITS;
  const isSaid = JOINED_BY_DAY_WORD.test(join!) || isBehindDayWord(text, from);
  if (!hasFullYear && (point === undefined || !(isFull || isSaid))) return undefined;
  return [
    { year: pointedYear(firstYear), month: Number(firstMonth ?? month) - 1, day: Number(first) },
    { year: pointedYear(year), month: Number(month) - 1, day: Number(last) },
  ];
}

const pointedYear = (digits: string | undefined): number | undefined =>
  digits?.length === TWO_DIGITS ? CENTURY + Number(digits) : numberOf(digits);

function isoEnds({ firstYear, firstMonth, first, year, month, last }: Groups): Ends {
  return [
    { year: Number(firstYear), month: Number(firstMonth) - 1, day: Number(first) },
    { year: Number(year), month: Number(month) - 1, day: Number(last) },
  ];
}
