import {
  DAY,
  dateRange,
  daysFrom,
  HOUR,
  MINUTE,
  monthsFrom,
  SECOND,
  startOfDay,
  type TimeRange,
  WEEK,
  weekdayOf,
} from './calendar.ts';
import { nearest, stepped, weekly, yearly } from './recurrence.ts';
import { digitsAt, type Found, isGlued, type Scan, skip, wordAt, yearAt } from './scan.ts';
import { DATE_SOFTNESS, SEASON_SOFTNESS } from './spans.ts';
import { MONTHS, PLAIN_NAMES, SEASONS, STEPS, UNITS, WEEKDAYS } from './vocabulary.ts';

/** Days, months and years by their names: "yesterday", "2026-01-31", "the 5th of May", "Tuesday", "summer 2022". */

/** "Today", "yesterday", "the day before yesterday", "tonight". */
export function matchNamedDay(scan: Scan, at: number): Found | undefined {
  const todayMs = startOfDay(scan.nowMs);
  const word = wordAt(scan, at);
  const day = (offset: number, words: number): Found => ({
    ...daysFrom(todayMs + offset * DAY, 1),
    softnessMs: DATE_SOFTNESS,
    next: at + words,
  });
  if (word === 'today' || word === 'tonight') return day(0, 1);
  if (word === 'yesterday') return day(-1, 1);
  if (word === 'tomorrow') return day(1, 1);
  const side = wordAt(scan, at + 1);
  if (word === 'day' && side === 'before' && wordAt(scan, at + 2) === 'yesterday') return day(-2, 3);
  if (word === 'day' && side === 'after' && wordAt(scan, at + 2) === 'tomorrow') return day(2, 3);
  return undefined;
}

/** "2026-01-31", "2026/01/31", "2026-01", "2026-01-31T10:00Z". */
export function matchIsoDate(scan: Scan, at: number): Found | undefined {
  const mark = wordAt(scan, at + 1);
  if (wordAt(scan, at).length !== 4 || (mark !== '-' && mark !== '/')) return undefined;
  if (!isGlued(scan, at + 1) || !isGlued(scan, at + 2)) return undefined;
  const year = digitsAt(scan, at);
  const month = digitsAt(scan, at + 2) - 1;
  if (!(year >= 1000 && year < 3000 && month >= 0 && month < 12)) return undefined;
  if (wordAt(scan, at + 3) !== mark || !isGlued(scan, at + 3) || !isGlued(scan, at + 4)) {
    return { ...monthsFrom(year * 12 + month, 1), softnessMs: DATE_SOFTNESS, next: at + 3 };
  }
  const date = dateRange(year, month, digitsAt(scan, at + 4));
  if (!date) return undefined;
  const found = { ...date, softnessMs: DATE_SOFTNESS, next: at + 5 };
  return wordAt(scan, at + 5) === 't' && isGlued(scan, at + 5) ? matchIsoTime(scan, found) : found;
}

/** The time after the "T" of a date: hours and minutes, seconds if any, "Z" or an offset if any. */
function matchIsoTime(scan: Scan, date: Found): Found | undefined {
  let at = date.next + 1;
  const clock: number[] = [digitsAt(scan, at++)];
  while (clock.length < 3 && wordAt(scan, at) === ':') {
    clock.push(digitsAt(scan, at + 1));
    at += 2;
  }
  const [hours = Number.NaN, minutes = Number.NaN, seconds = 0] = clock;
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  let ms = date.startMs + hours * HOUR + minutes * MINUTE + Math.floor(seconds * SECOND);
  const zone = wordAt(scan, at);
  if (zone === 'z') at++;
  if (zone === '+' || zone === '-') {
    const offsetMs = digitsAt(scan, at + 1) * HOUR + digitsAt(scan, at + 3) * MINUTE;
    if (wordAt(scan, at + 2) !== ':' || !(offsetMs <= DAY)) return undefined;
    ms += zone === '+' ? -offsetMs : offsetMs;
    at += 4;
  }
  return { startMs: ms, endMs: ms, softnessMs: DATE_SOFTNESS, next: at };
}

/** "5 May", "the 5th of May 2023", "May 5", "May 5th, 2023". Without a year the latest that has begun. */
export function matchDate(scan: Scan, at: number): Found | undefined {
  const isMonthFirst = MONTHS.has(wordAt(scan, at));
  const dayAt = isMonthFirst ? skip(scan, skip(scan, at + 1, '.'), 'the') : at;
  const day = wordAt(scan, dayAt).length <= 2 ? digitsAt(scan, dayAt) : Number.NaN;
  if (!(day >= 1 && day <= 31)) return undefined;
  let next = isGlued(scan, dayAt + 1) ? skip(scan, dayAt + 1, 'st', 'nd', 'rd', 'th') : dayAt + 1;
  let month = MONTHS.get(wordAt(scan, at));
  if (!isMonthFirst) {
    next = skip(scan, next, 'of');
    month = MONTHS.get(wordAt(scan, next++));
  }
  // "In May 3 weeks ago" is no third of May.
  if (month === undefined || UNITS.has(wordAt(scan, next))) return undefined;
  return inYear(scan, next, (year) => dateRange(year, month, day));
}

/** Completes what comes back every year by the year after it, or takes the latest that has begun. */
function inYear(scan: Scan, at: number, annual: (year: number) => TimeRange | undefined): Found | undefined {
  const yearPlace = skip(scan, at, ',', 'of');
  const year = yearAt(scan, yearPlace);
  if (year !== undefined) {
    const range = annual(year);
    return range && { ...range, softnessMs: DATE_SOFTNESS, next: yearPlace + 1 };
  }
  const recurrence = yearly(annual);
  const range = nearest(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next: at, recurrence };
}

/** "Tuesday": the latest before today. "Tuesday of last week". "Tuesday, 5 May": the date says it. */
export function matchWeekday(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  const weekday = WEEKDAYS.get(word);
  if (weekday === undefined || !PLAIN_NAMES.has(word)) return undefined;
  const restAt = skip(scan, skip(scan, at + 1, ','), 'the', 'of');
  const date = matchDate(scan, restAt);
  if (date) return date;
  const step = STEPS.get(wordAt(scan, restAt));
  if (step !== undefined && wordAt(scan, restAt + 1) === 'week') {
    const mondayMs = startOfDay(scan.nowMs) - weekdayOf(scan.nowMs) * DAY;
    const range = daysFrom(mondayMs + step * WEEK + weekday * DAY, 1);
    return { ...range, softnessMs: DATE_SOFTNESS, next: restAt + 2 };
  }
  const recurrence = weekly(weekday);
  const range = stepped(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next: at + 1, recurrence };
}

/** "March 2023", "in March". */
export function matchMonth(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const word = wordAt(scan, at);
  const month = MONTHS.get(word);
  if (month === undefined) return undefined;
  const found = inYear(scan, at + 1, (year) => monthsFrom(year * 12 + month, 1));
  return !found?.recurrence || isPlaced || PLAIN_NAMES.has(word) ? found : undefined;
}

/** "Summer 2022", "in the summer": soft by half a month. */
export function matchSeason(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const place = SEASONS.get(wordAt(scan, at));
  if (place === undefined) return undefined;
  const found = inYear(scan, at + 1, (year) => monthsFrom(year * 12 + place, 3));
  return found && (!found.recurrence || isPlaced) ? { ...found, softnessMs: SEASON_SOFTNESS } : undefined;
}

/** "In 2022", "in the 1990s". */
export function matchYear(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const year = isPlaced ? yearAt(scan, at) : undefined;
  if (year === undefined) return undefined;
  const isDecade = year % 10 === 0 && wordAt(scan, at + 1) === 's' && isGlued(scan, at + 1);
  const range = monthsFrom(year * 12, isDecade ? 120 : 12);
  return { ...range, softnessMs: DATE_SOFTNESS, next: at + (isDecade ? 2 : 1) };
}
