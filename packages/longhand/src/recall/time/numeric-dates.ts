import { dayNumber, type TimeRange } from './calendar.ts';
import { nearest, yearly } from './recurrence.ts';
import { digitsAt, type Found, isGlued, type Scan, wordAt, yearAt } from './scan.ts';
import { DATE_SOFTNESS } from './spans.ts';
import { UNITS } from './vocabulary.ts';
import { inYear } from './years.ts';

/**
 * Days in numbers: "14.05.2026", "14/5/2026", "5/14/2026", "14-05-2026", "5/14".
 *
 * Points stand between day, month and year. Between slashes and hyphens either of the first two may be the day, and people
 * disagree; where both can be, there are two readings. A year that comes first is that of ISO 8601, and not read here.
 */

export interface DayOfYear {
  readonly day: number;
  /** 0 for January. */
  readonly month: number;
}

/** A number of one or two digits, not a decimal one. */
const isShort = (word: string): boolean => word.length <= 2;

/** What the first two numbers of a date can mean; the reading with the month first comes first. */
export function readingsOf(first: number, mark: string, second: number): readonly DayOfYear[] {
  const monthFirst = { day: second, month: first - 1 };
  const dayFirst = { day: first, month: second - 1 };
  const all = mark === '.' || first === second ? [dayFirst] : [monthFirst, dayFirst];
  // A year with a 29 February has every day that any year has.
  return all.filter(({ day, month }) => month < 12 && dayNumber(2000, month, day) !== undefined);
}

/** A day in numbers as it stands in a text. */
export interface WrittenDate {
  /** Where it stands: `text.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly mark: string;
  readonly first: number;
  readonly second: number;
  readonly year: number;
  readonly readings: readonly DayOfYear[];
}

const WRITTEN_DATE = /(?<!\d)(?<!\d[./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<=\/)\d\d)(?!\d)(?![./-]\d)/g;

/** Those with their years, in the order of the text. Most texts hold none: whoever looks in all of them asks first whether one may. */
export function writtenDates(text: string): readonly WrittenDate[] {
  return Array.from(text.matchAll(WRITTEN_DATE), ({ 0: date, 1: one, 2: mark, 3: two, 4: digits, index }) => {
    const [first, second] = [Number(one), Number(two)];
    const year = digits!.length === 2 ? 2000 + Number(digits) : Number(digits);
    const readings = readingsOf(first, mark!, second).filter(
      ({ month, day }) => dayNumber(year, month, day) !== undefined,
    );
    return { from: index, to: index + date.length, mark: mark!, first, second, year, readings };
  }).filter(({ readings }) => readings.length > 0);
}

/** "14.05.2026" is one word: as three, it is found by what "14 May 2026" is found by. */
export function withCutDates(text: string): string {
  if (!/\d\.\d/.test(text)) return text;
  return text.replace(WRITTEN_DATE, (date: string, _first, mark: string) =>
    mark === '.' && writtenDates(date).length > 0 ? date.replaceAll('.', ' ') : date,
  );
}

interface NumericDate {
  readonly readings: readonly DayOfYear[];
  /** `undefined` when it is left out. */
  readonly year: number | undefined;
  readonly next: number;
}

const DOTTED = /^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d\d))?$/;
const FULL_DOTTED = /^\d\d\.\d\d\.\d\d$/;

const fullYear = (digits: string): number => (digits.length === 2 ? 2000 + Number(digits) : Number(digits));

/** A year of two digits behind points is one where a time is spoken of: 1.2.34 is a version. */
function numericDateAt(scan: Scan, at: number, isPlaced: boolean): NumericDate | undefined {
  const [, day, month, year] = DOTTED.exec(wordAt(scan, at)) ?? [];
  if (day !== undefined) {
    const readings = readingsOf(Number(day), '.', Number(month));
    const isYear = year?.length === 4 || isPlaced || FULL_DOTTED.test(wordAt(scan, at));
    if (year !== undefined) return isYear ? { readings, year: fullYear(year), next: at + 1 } : undefined;
    // "14.05." has a point behind it, and 14.05 is a number.
    return wordAt(scan, at + 1) === '.' && isGlued(scan, at + 1)
      ? { readings, year: undefined, next: at + 2 }
      : undefined;
  }
  const mark = wordAt(scan, at + 1);
  const isMarked = (mark === '/' || mark === '-') && isGlued(scan, at + 1) && isGlued(scan, at + 2);
  if (!isMarked || !isShort(wordAt(scan, at)) || !isShort(wordAt(scan, at + 2))) return undefined;
  const [first, second] = [digitsAt(scan, at), digitsAt(scan, at + 2)];
  const both = readingsOf(first, mark, second);
  const dayFirst = scan.firstOfDate === 'day' ? first : second;
  const readings =
    both.length === 2 && scan.firstOfDate !== undefined ? both.filter(({ day }) => day === dayFirst) : both;
  const hasThird = wordAt(scan, at + 3) === mark && isGlued(scan, at + 3) && isGlued(scan, at + 4);
  if (!hasThird) return mark === '/' ? { readings, year: undefined, next: at + 3 } : undefined;
  const third = wordAt(scan, at + 4);
  if (!/^\d+$/.test(third) || (third.length !== 4 && !(third.length === 2 && mark === '/'))) return undefined;
  return { readings, year: fullYear(third), next: at + 5 };
}

/** Words that stand before other fractions: "in 1/2 of them", "about 3/4". */
const BEFORE_FRACTIONS = new Set(['in', 'about', 'of', 'around', 'roughly', 'approximately']);

/** A day in numbers; without its year only where a word says that a time follows. */
export function matchNumericDate(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const date = numericDateAt(scan, at, isPlaced);
  if (!date) return isPlaced ? matchNumericMonth(scan, at) : undefined;
  const { calendar } = scan;
  if (date.year !== undefined) {
    const { year } = date;
    const [range, other] = date.readings.flatMap(({ month, day }) => calendar.date(year, month, day) ?? []);
    return range && found(range, other, date.next);
  }
  const isFraction = BEFORE_FRACTIONS.has(wordAt(scan, at - 1)) || wordAt(scan, date.next) === 'of';
  const isAlways = wordAt(scan, at) === '24' && wordAt(scan, at + 2) === '7';
  if (!isPlaced || isFraction || isAlways || UNITS.has(wordAt(scan, date.next))) return undefined;
  const annual = date.readings.map(
    ({ month, day }) =>
      (year: number) =>
        calendar.date(year, month, day),
  );
  const latest = annual[0] && inYear(scan, date.next, annual[0]);
  if (!latest || !annual[1]) return latest;
  // With a year behind it, that of the other reading is the same.
  const other = latest.recurrence
    ? nearest(yearly(calendar, annual[1]), scan.nowMs, -1)
    : annual[1](calendar.yearOf(latest.startMs));
  return other ? { ...latest, other } : latest;
}

/** "05/2026". */
function matchNumericMonth(scan: Scan, at: number): Found | undefined {
  const year = wordAt(scan, at + 1) === '/' && isGlued(scan, at + 2) ? yearAt(scan, at + 2) : undefined;
  const month = digitsAt(scan, at);
  if (year === undefined || !isShort(wordAt(scan, at)) || !(month >= 1 && month <= 12)) return undefined;
  return { ...scan.calendar.months(year * 12 + month - 1, 1), softnessMs: DATE_SOFTNESS, next: at + 3 };
}

function found(range: TimeRange, other: TimeRange | undefined, next: number): Found {
  const one = { ...range, softnessMs: DATE_SOFTNESS, next };
  return other ? { ...one, other } : one;
}

/** A scan that knows which number of a date comes first, where one of its dates leaves no doubt and none says otherwise. */
export function withOrderOfDates(scan: Scan): Scan {
  const orders = new Set<'day' | 'month'>();
  for (let at = 0; at < scan.words.length; at++) {
    const date = numericDateAt(scan, at, true);
    if (!date) continue;
    const first = digitsAt(scan, at);
    const [reading, other] = date.readings;
    // Points always have the day first, and say nothing of strokes.
    const isSure = reading && !other && Number.isInteger(first) && reading.day !== reading.month + 1;
    if (isSure) orders.add(reading.day === first ? 'day' : 'month');
    at = date.next - 1;
  }
  const [firstOfDate] = orders;
  return firstOfDate !== undefined && orders.size === 1 ? { ...scan, firstOfDate } : scan;
}

/** The two days that a date in numbers may be, when there is one that leaves it open. */
export function ambiguousDate(scan: Scan): readonly [TimeRange, TimeRange] | undefined {
  for (let at = 0; at < scan.words.length; at++) {
    const date = matchNumericDate(scan, at, true);
    if (date?.other) return [date, date.other];
    if (date) at = date.next - 1;
  }
  return undefined;
}
