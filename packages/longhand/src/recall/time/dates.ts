import { lazily } from '../../core/lazily.ts';
import { isStopword } from '../stopwords.ts';
import { DAY, dayNumber, HOUR, MINUTE, mondayOf, SECOND } from './calendar.ts';
import { matchNumericDate } from './numeric-dates.ts';
import { monthly, nearest, stepped, weekly } from './recurrence.ts';
import { digitsAt, type Found, isGlued, isMark, isNumber, type Scan, skip, wordAt } from './scan.ts';
import { DATE_SOFTNESS, matchOrdinal } from './spans.ts';
import {
  BETWEEN_ENDS,
  DAY_PARTS,
  MONTHS,
  NAMED_DAYS,
  NUMBERS,
  PLAIN_NAMES,
  SPAN_ENDS,
  STEPS,
  UNITS,
  WEEKDAYS,
} from './vocabulary.ts';
import { inYear } from './years.ts';

/** Days by their names: "yesterday", "2026-01-31", "the 5th of May", "the 3rd", "Tuesday". */

/** "Today", "yesterday", "the day before yesterday", "tonight". */
export function matchNamedDay(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  // Up to its end in the morning, the night that is meant is the one under way.
  if (word === 'tonight') {
    const { calendar, nowMs } = scan;
    const today = calendar.dayOf(nowMs);
    const [before, night] = [today - 1, today].map((day) => calendar.hours(day, ...DAY_PARTS.get('night')!));
    const range = nowMs <= before!.endMs ? before! : night!;
    return { ...range, softnessMs: DATE_SOFTNESS, next: at + 1 };
  }
  const offset = NAMED_DAYS.get(word);
  if (offset !== undefined) return namedDay(scan, offset, at + 1);
  const sides = `${wordAt(scan, at + 1)} ${wordAt(scan, at + 2)}`;
  if (word === 'day' && sides === 'before yesterday') return namedDay(scan, -2, at + 3);
  if (word === 'day' && sides === 'after tomorrow') return namedDay(scan, 2, at + 3);
  return undefined;
}

function namedDay(scan: Scan, offset: number, next: number): Found {
  const range = scan.calendar.days(scan.calendar.dayOf(scan.nowMs) + offset, 1);
  return { ...range, softnessMs: DATE_SOFTNESS, next };
}

/** "2026-01-31", "2026/01/31", "2026-01", "2026-01-31T10:00Z", "2026-01-31 10:00". */
export function matchIsoDate(scan: Scan, at: number): Found | undefined {
  const mark = wordAt(scan, at + 1);
  if (wordAt(scan, at).length !== 4 || (mark !== '-' && mark !== '/')) return undefined;
  if (!isGlued(scan, at + 1) || !isGlued(scan, at + 2)) return undefined;
  const year = digitsAt(scan, at);
  const month = digitsAt(scan, at + 2) - 1;
  if (!(year >= 1000 && year < 3000 && month >= 0 && month < 12)) return undefined;
  if (wordAt(scan, at + 3) !== mark || !isGlued(scan, at + 3) || !isGlued(scan, at + 4)) {
    return { ...scan.calendar.months(year * 12 + month, 1), softnessMs: DATE_SOFTNESS, next: at + 3 };
  }
  const day = dayNumber(year, month, digitsAt(scan, at + 4));
  if (day === undefined) return undefined;
  if (wordAt(scan, at + 5) === 't' && isGlued(scan, at + 5)) return matchIsoTime(scan, day, at + 6);
  if (isNumber(scan, at + 5) && wordAt(scan, at + 6) === ':') return matchIsoTime(scan, day, at + 5);
  return { ...scan.calendar.days(day, 1), softnessMs: DATE_SOFTNESS, next: at + 5 };
}

/** The time after the "T" of a date: hours and minutes, seconds if any, "Z" or an offset if any; else by the clock of the place. */
function matchIsoTime(scan: Scan, day: number, first: number): Found | undefined {
  let at = first;
  const clock: number[] = [digitsAt(scan, at++)];
  while (clock.length < 3 && wordAt(scan, at) === ':') {
    clock.push(digitsAt(scan, at + 1));
    at += 2;
  }
  const [hours = Number.NaN, minutes = Number.NaN, seconds = 0] = clock;
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  const timeMs = hours * HOUR + minutes * MINUTE + Math.floor(seconds * SECOND);
  let ms = day * DAY + timeMs;
  const zone = wordAt(scan, at);
  if (zone === 'z') at++;
  else if (zone === '+' || zone === '-') {
    const offsetMs = digitsAt(scan, at + 1) * HOUR + digitsAt(scan, at + 3) * MINUTE;
    if (wordAt(scan, at + 2) !== ':' || !(offsetMs <= DAY)) return undefined;
    ms += zone === '+' ? -offsetMs : offsetMs;
    at += 4;
  } else ms = scan.calendar.timeOfDay(day, timeMs);
  return { startMs: ms, endMs: ms, softnessMs: DATE_SOFTNESS, next: at };
}

/** A day by its month, or by its place in any month. Without a year or month it is the latest that has begun. */
export function matchDate(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  return matchMonthAndDay(scan, at, isPlaced) ?? matchDayAndMonth(scan, at, isPlaced);
}

/** "May 5", "May 5th, 2023", "on May the first", "May 5-7". */
function matchMonthAndDay(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const month = MONTHS.get(wordAt(scan, at));
  if (month === undefined) return undefined;
  const dayAt = skip(scan, skip(scan, at + 1, '.'), 'the');
  const days = matchDays(scan, dayAt, at);
  // "May 5 to 7 June" ends in June.
  const isOfNext = days && MONTHS.has(wordAt(scan, skip(scan, days.next, 'of')));
  const day = isOfNext ? matchDay(scan, dayAt) : (days ?? matchDay(scan, dayAt));
  // "You may first look" speaks of no May, and neither does "may 5 people come".
  if (!day || (!isPlaced && (day.isWord || isVerb(scan, at, day.next)))) return undefined;
  return daysOfYears(scan, month, day, day.next);
}

const plural = lazily(() => /^\p{L}{2,}[^s]s$/u);
const PEOPLE = new Set('people men women children'.split(' '));

/** Whether a "may" before a number is none of May: in small letters, with so many of something behind it, or a verb. */
function isVerb(scan: Scan, at: number, next: number): boolean {
  if (wordAt(scan, at) !== 'may' || !scan.isSmall[at]) return false;
  const noun = wordAt(scan, next);
  if (noun === 'be' || noun === 'have' || PEOPLE.has(noun)) return true;
  return plural().test(noun) && !isStopword(noun);
}

/** "5 May", "the fifth of May 2023", "5-7 May", "the 3rd of last month", "on the 3rd". */
function matchDayAndMonth(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const days = matchDays(scan, at, wordAt(scan, at - 1) === 'the' ? at - 1 : at);
  const hasMonth = days && MONTHS.has(wordAt(scan, skip(scan, days.next, 'of')));
  const day = hasMonth ? days : matchDay(scan, at);
  if (!day) return undefined;
  const monthAt = skip(scan, day.next, 'of');
  const hasOf = monthAt > day.next;
  const month = MONTHS.get(wordAt(scan, monthAt));
  if (month === undefined) {
    if (hasOf) return ofMonth(scan, day.value, monthAt);
    return isPlaced ? matchBareDay(scan, at, day) : undefined;
  }
  // "The first May that I was there", and "a third of May".
  if (day.isWord && (!hasOf || NUMBERS.has(wordAt(scan, at - 1)))) return undefined;
  return daysOfYears(scan, month, day, monthAt + 1);
}

function daysOfYears(scan: Scan, month: number, { value, last }: Day, next: number): Found | undefined {
  // "In May 3 weeks ago" is no third of May.
  if (UNITS.has(wordAt(scan, next))) return undefined;
  return inYear(scan, next, (year) => {
    const first = dayNumber(year, month, value);
    const end = dayNumber(year, month, last);
    return first === undefined || end === undefined ? undefined : scan.calendar.days(first, end + 1 - first);
  });
}

interface Day {
  readonly value: number;
  /** Of several days the last; else the same. */
  readonly last: number;
  readonly next: number;
  readonly isWord: boolean;
  readonly isOrdinal: boolean;
}

/** "5", "5th", "fifth". */
function matchDay(scan: Scan, at: number): Day | undefined {
  const ordinal = matchOrdinal(scan, at);
  const value = ordinal?.value ?? (wordAt(scan, at).length <= 2 ? digitsAt(scan, at) : Number.NaN);
  if (!(value >= 1 && value <= 31 && Number.isInteger(value))) return undefined;
  return { value, last: value, isWord: false, next: at + 1, ...ordinal, isOrdinal: ordinal !== undefined };
}

/** "5-7", "5 to 7", "the 5th until the 7th"; behind "between" also "5 and 7". @param start where the time begins */
function matchDays(scan: Scan, at: number, start: number): Day | undefined {
  const first = matchDay(scan, at);
  const ends = wordAt(scan, start - 1) === 'between' ? BETWEEN_ENDS : SPAN_ENDS;
  if (!first || !ends.has(wordAt(scan, first.next))) return undefined;
  const end = matchDay(scan, skip(scan, first.next + 1, 'the'));
  // "May 5 - 10:30" is a time of that day.
  if (!end || end.value <= first.value || wordAt(scan, end.next) === ':') return undefined;
  return { ...end, value: first.value, isWord: first.isWord || end.isWord };
}

/** "Of last month", "of the month": of the latter the latest that has begun. */
function ofMonth(scan: Scan, day: number, at: number): Found | undefined {
  if (wordAt(scan, at + 1) !== 'month') return undefined;
  if (wordAt(scan, at) === 'the') return dayOfMonths(scan, day, at + 2);
  const step = STEPS.get(wordAt(scan, at));
  if (step === undefined) return undefined;
  const range = monthly(scan.calendar, day).inTurn(scan.calendar.monthOf(scan.nowMs) + step);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next: at + 2 };
}

/** "The 3rd", where the phrase ends: not "the 3rd attempt", nor "what about the 3rd?", which may be of anything. */
function matchBareDay(scan: Scan, at: number, { value, next, isWord, isOrdinal }: Day): Found | undefined {
  const place = wordAt(scan, wordAt(scan, at - 1) === 'the' ? at - 2 : at - 1);
  const isEnd = next >= scan.words.length || isMark(scan, next) || isStopword(wordAt(scan, next));
  const isDay = isOrdinal && !isWord && isEnd && place !== 'about' && place !== 'in';
  return isDay ? dayOfMonths(scan, value, next) : undefined;
}

function dayOfMonths(scan: Scan, day: number, next: number): Found | undefined {
  const recurrence = monthly(scan.calendar, day);
  const range = nearest(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next, recurrence };
}

/** "Tuesday": the latest before today. "Tuesday of last week". "Tuesday, 5 May": the date says it. */
export function matchWeekday(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const word = wordAt(scan, at);
  const weekday = WEEKDAYS.get(word);
  // "On Sat" is a day, and "in the sun" is none.
  const isSure = PLAIN_NAMES.has(word) || (isPlaced && wordAt(scan, at - 1) !== 'the');
  if (weekday === undefined || !isSure) return undefined;
  const restAt = skip(scan, skip(scan, at + 1, ','), 'the', 'of');
  const date = matchDate(scan, restAt, true) ?? matchNumericDate(scan, restAt, true);
  if (date) return date;
  const step = STEPS.get(wordAt(scan, restAt));
  if (step !== undefined && wordAt(scan, restAt + 1) === 'week') {
    const monday = mondayOf(scan.calendar.dayOf(scan.nowMs)) + step * 7;
    const range = scan.calendar.days(monday + weekday, 1);
    return { ...range, softnessMs: DATE_SOFTNESS, next: restAt + 2 };
  }
  const recurrence = weekly(scan.calendar, weekday);
  const range = stepped(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: DATE_SOFTNESS, next: at + 1, recurrence };
}
