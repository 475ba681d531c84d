import { type Calendar, dayNumber, mondayOf, type TimeRange } from './calendar.ts';
import { digitsAt, type Found, isGlued, type Scan, skip, wordAt, yearAt } from './scan.ts';
import { DATE_SOFTNESS } from './spans.ts';
import { inYear } from './years.ts';

/** Weeks by their numbers in ISO 8601: "2026-W46", "2026-W46-3", "week 46 of 2026", "in week 46", "KW 46". */

/** `undefined` when the year has no such week: the first is that of 4 January, and few years have 53. */
function weekOfYear(calendar: Calendar, year: number, week: number): TimeRange | undefined {
  const first = mondayOf(dayNumber(year, 0, 4)!);
  const monday = first + (week - 1) * 7;
  const nextFirst = mondayOf(dayNumber(Math.min(year + 1, 2999), 0, 4)!);
  return Number.isInteger(week) && week >= 1 && monday < nextFirst ? calendar.days(monday, 7) : undefined;
}

const NAMES = new Set(['week', 'w', 'kw', 'cw']);

/** "2026-W46", "2026W46", "2026-W46-3". */
export function matchWeekOfYear(scan: Scan, at: number): Found | undefined {
  const year = yearAt(scan, at);
  const letterAt = skip(scan, at + 1, '-');
  const isWeek = wordAt(scan, letterAt) === 'w' && isGlued(scan, letterAt) && isGlued(scan, letterAt + 1);
  if (year === undefined || !isWeek) return undefined;
  const week = weekOfYear(scan.calendar, year, digitsAt(scan, letterAt + 1));
  if (!week) return undefined;
  const next = letterAt + 2;
  const day = wordAt(scan, next) === '-' && isGlued(scan, next + 1) ? digitsAt(scan, next + 1) : Number.NaN;
  if (!(day >= 1 && day <= 7)) return { ...week, softnessMs: DATE_SOFTNESS, next };
  const range = scan.calendar.days(scan.calendar.dayOf(week.startMs) + day - 1, 1);
  return { ...range, softnessMs: DATE_SOFTNESS, next: next + 2 };
}

/** "Week 46 of 2026", "in week 46": "week 3 of the trip" is none of a year. */
export function matchNumberedWeek(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const word = wordAt(scan, at);
  if (!NAMES.has(word)) return undefined;
  // In "2025-W53", a week that this year does not have, "W53" is none of another.
  if (word === 'w' && (!isGlued(scan, at + 1) || isGlued(scan, at))) return undefined;
  const number = digitsAt(scan, at + 1);
  // "W3C" is none.
  const isPartOfName = word === 'w' && isGlued(scan, at + 2) && /^[a-z]/.test(wordAt(scan, at + 2));
  if (Number.isNaN(number) || isPartOfName) return undefined;
  const found = inYear(scan, at + 2, (year) => weekOfYear(scan.calendar, year, number));
  const isOfYear = found && !found.recurrence;
  return isOfYear || (isPlaced && wordAt(scan, at + 2) !== 'of') ? found : undefined;
}
