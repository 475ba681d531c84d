import type { Calendar, TimeRange } from './calendar.ts';
import { nearest, yearly } from './recurrence.ts';
import { digitsAt, type Found, isGlued, type Scan, skip, skipPossessive, wordAt, yearAt } from './scan.ts';
import { DATE_SOFTNESS, SEASON_SOFTNESS } from './spans.ts';
import {
  HOLIDAY_WORDS,
  HOLIDAYS,
  MAX_HOLIDAY_WORDS,
  MONTHS,
  PLAIN_NAMES,
  SEASONS,
  STEPS,
  YEAR_PARTS,
} from './vocabulary.ts';

/** Years, and what comes back in each: "in 2022", "March 2023", "last summer", "Q3", "Christmas". */

type Annual = (year: number) => TimeRange | undefined;

const monthsOf = (calendar: Calendar, first: number, count: number): Annual => {
  return (year) => calendar.months(year * 12 + first, count);
};

export interface YearlyName {
  /** What it is in a year. */
  readonly annual: Annual;
  readonly next: number;
  readonly softnessMs: number;
  /** Whether it means nothing else: "December" does not, "May" and "fall" do without a word that places them in time. */
  readonly isPlain: boolean;
}

/** A month, a season, a quarter, a half or a holiday, by its name. */
export function yearlyName(scan: Scan, at: number, word = wordAt(scan, at)): YearlyName | undefined {
  const month = MONTHS.get(word);
  if (month !== undefined) {
    const isPlain = PLAIN_NAMES.has(word);
    return { annual: monthsOf(scan.calendar, month, 1), next: at + 1, softnessMs: DATE_SOFTNESS, isPlain };
  }
  const season = SEASONS.get(word);
  if (season !== undefined)
    return {
      annual: monthsOf(scan.calendar, season, 3),
      next: at + 1,
      softnessMs: SEASON_SOFTNESS,
      isPlain: false,
    };
  return HOLIDAY_WORDS.has(word) ? holiday(scan, at) : yearPart(scan, at);
}

/** "Q1", "H2". A heading may be an "H1" as well. */
function yearPart(scan: Scan, at: number): YearlyName | undefined {
  const length = YEAR_PARTS.get(wordAt(scan, at));
  const place = isGlued(scan, at + 1) ? digitsAt(scan, at + 1) : Number.NaN;
  if (!length || !Number.isInteger(place) || place < 1 || place > 12 / length) return undefined;
  const annual = monthsOf(scan.calendar, (place - 1) * length, length);
  return { annual, next: at + 2, softnessMs: DATE_SOFTNESS, isPlain: wordAt(scan, at) === 'q' };
}

/** The longest name that begins here. */
function holiday(scan: Scan, at: number): YearlyName | undefined {
  let found: YearlyName | undefined;
  let name = '';
  let next = at;
  for (let count = 0; count < MAX_HOLIDAY_WORDS; count++) {
    name += (count > 0 ? '_' : '') + wordAt(scan, next);
    const date = HOLIDAYS.get(name);
    const annual: Annual | undefined = date && ((year) => scan.calendar.date(year, ...date));
    if (annual) found = { annual, next: next + 1, softnessMs: DATE_SOFTNESS, isPlain: true };
    next = skipPossessive(scan, next + 1);
  }
  return found;
}

/** "March 2023", "in March", "summer 2022", "Q3 last year", "2026 Q1", "Christmas". */
export function matchYearly(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const yearBefore = yearAt(scan, at);
  if (yearBefore !== undefined) {
    const part = yearPart(scan, skip(scan, at + 1, '-'));
    const range = part?.annual(yearBefore);
    return range && { ...range, softnessMs: DATE_SOFTNESS, next: part!.next };
  }
  const name = yearlyName(scan, at);
  const found = name && inYear(scan, name.next, name.annual);
  if (!found) return undefined;
  // "They march this year" names no month; "March of this year" and "March 2026" do.
  const isOfYear =
    !found.recurrence && (wordAt(scan, name.next) === 'of' || yearAt(scan, found.next - 1) !== undefined);
  // "In the fall of Rome" names no season.
  const isSure = name.isPlain || isOfYear || (isPlaced && wordAt(scan, found.next) !== 'of');
  return isSure ? { ...found, softnessMs: name.softnessMs } : undefined;
}

/** Completes what comes back every year by the year after it, or takes the latest that has begun. */
export function inYear(scan: Scan, at: number, annual: Annual): Found | undefined {
  const year = yearAfter(scan, at);
  if (year) {
    const range = annual(year.value);
    return range && { ...range, softnessMs: DATE_SOFTNESS, next: year.next };
  }
  const recurrence = yearly(scan.calendar, annual);
  const range = nearest(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next: at, recurrence };
}

/** ", 2023", "of 2023", "last year", "of the year". */
function yearAfter(scan: Scan, at: number): { readonly value: number; readonly next: number } | undefined {
  const place = skip(scan, at, ',', 'of');
  const value = yearAt(scan, place);
  if (value !== undefined) return { value, next: place + 1 };
  const isOfThe = wordAt(scan, at) === 'of' && wordAt(scan, place) === 'the';
  const step = isOfThe ? 0 : STEPS.get(wordAt(scan, place));
  if (step === undefined || wordAt(scan, place + 1) !== 'year') return undefined;
  return { value: scan.calendar.yearOf(scan.nowMs) + step, next: place + 2 };
}

/** "In 2022", "the year 2022", "in the 1990s". */
export function matchYear(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const place = skip(scan, at, 'year');
  const year = isPlaced || place > at ? yearAt(scan, place) : undefined;
  if (year === undefined) return undefined;
  const isDecade = year % 10 === 0 && wordAt(scan, place + 1) === 's' && isGlued(scan, place + 1);
  const range = scan.calendar.months(year * 12, isDecade ? 120 : 12);
  return { ...range, softnessMs: DATE_SOFTNESS, next: place + (isDecade ? 2 : 1) };
}
