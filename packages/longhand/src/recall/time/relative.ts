import {
  type Calendar,
  DAY,
  lengthOf,
  MAX_MONTHS,
  MEAN_MONTH,
  modulo,
  mondayOf,
  SATURDAY,
  type TimeRange,
  type Unit,
  weekdayOf,
} from './calendar.ts';
import { matchDate, matchIsoDate, matchNamedDay } from './dates.ts';
import { matchNumericDate } from './numeric-dates.ts';
import { nearest, stepped, weekly, yearly } from './recurrence.ts';
import { type Found, type Scan, skip, skipPossessive, wordAt } from './scan.ts';
import {
  DATE_SOFTNESS,
  distanceSoftness,
  goSpans,
  matchLesser,
  matchQuantity,
  matchSpans,
  periodSoftness,
  RECENT_DAYS,
  rolling,
  type Span,
  VAGUE_SOFTNESS_FACTOR,
  WEEKDAY_SOFTNESS,
} from './spans.ts';
import {
  DAY_PARTS,
  HOLIDAY_WORDS,
  LENGTHS,
  PLACED_UNITS,
  PLAIN_NAMES,
  ROLLING_AFTER_LAST,
  ROLLING_AFTER_PAST,
  STEPS,
  UNITS,
  WEEKDAYS,
} from './vocabulary.ts';
import { matchYearly, yearlyName } from './years.ts';

/** Times by their distance from now or from a date: "ten days ago", "last week", "the week before 3 August". */

/** "Two weeks ago", "a year and three months ago", "ten days from now", "two weeks before 11 August". */
export function matchDistance(scan: Scan, at: number): Found | undefined {
  const spans = matchSpans(scan, at, LENGTHS);
  const next = spans[spans.length - 1]?.next;
  if (next === undefined) return undefined;
  const word = wordAt(scan, next);
  if (word === 'ago' || word === 'back') {
    const far = distanceFrom(scan.calendar, scan.nowMs, spans, -1, next + 1);
    const lesser = spans.length === 1 ? matchLesser(scan, at) : undefined;
    if (!lesser) return far;
    // "Two or three days ago" is all that lies between.
    const { endMs } = distanceFrom(
      scan.calendar,
      scan.nowMs,
      [{ ...spans[0]!, value: lesser.value }],
      -1,
      next,
    );
    return { ...far, endMs };
  }
  if (word === 'from' && wordAt(scan, next + 1) === 'now')
    return distanceFrom(scan.calendar, scan.nowMs, spans, 1, next + 2);
  const anchor = matchAnchor(scan, next);
  return anchor && distanceFrom(scan.calendar, anchor.startMs, spans, anchor.step, anchor.next);
}

/** A time some spans away, as exact as the smallest of them. */
export function distanceFrom(
  calendar: Calendar,
  ms: number,
  spans: readonly Span[],
  step: 1 | -1,
  next: number,
): Found {
  const middleMs = goSpans(calendar, ms, spans, step);
  const { unit, value } = spans[spans.length - 1]!;
  const unitMs = exactness(unit, value);
  const isVague = spans.some((span) => span.isVague);
  const leastMs = unitMs < DAY ? unitMs / 2 : Math.max(DATE_SOFTNESS, unitMs / 2);
  const softnessMs = distanceSoftness(ms - middleMs, leastMs, isVague);
  const range = unitMs < DAY ? around(middleMs, unitMs / 2) : wholeDaysAround(calendar, middleMs, unitMs);
  return { ...range, softnessMs, next };
}

/** Who counts halves is twice as exact, and half a year is six months. */
function exactness(unit: Unit, value: number): number {
  if (unit.months === 12 && value === 0.5) return MEAN_MONTH;
  return Number.isInteger(value) ? lengthOf(unit) : lengthOf(unit) / 2;
}

const around = (ms: number, halfMs: number): TimeRange => ({ startMs: ms - halfMs, endMs: ms + halfMs });

/** The days that lie within half a unit: for "days" the day itself, for "weeks" the seven around it. */
function wholeDaysAround(calendar: Calendar, ms: number, unitMs: number): TimeRange {
  const daysBeside = Math.floor(unitMs / DAY / 2);
  return calendar.days(calendar.dayOf(ms) - daysBeside, 2 * daysBeside + 1);
}

interface Anchor extends TimeRange {
  readonly step: 1 | -1;
  readonly next: number;
}

/** "Before 11 August", "after yesterday": a date to count from. Dates only, so that anchors do not chain. */
function matchAnchor(scan: Scan, at: number): Anchor | undefined {
  const side = wordAt(scan, at);
  if (side !== 'before' && side !== 'after') return undefined;
  const dateAt = skip(scan, at + 1, 'the');
  const date =
    matchNamedDay(scan, dateAt) ??
    matchIsoDate(scan, dateAt) ??
    matchNumericDate(scan, dateAt, true) ??
    matchDate(scan, dateAt, true) ??
    (HOLIDAY_WORDS.has(wordAt(scan, dateAt)) ? matchYearly(scan, dateAt, true) : undefined);
  return date && { ...date, step: side === 'before' ? -1 : 1 };
}

/** "The week before 3 August", "the first Sunday after 2026-01-31". */
export function matchBeside(scan: Scan, at: number): Found | undefined {
  const nounAt = skip(scan, at, 'last', 'first');
  const noun = wordAt(scan, nounAt);
  const anchor = matchAnchor(scan, nounAt + 1);
  if (!anchor) return undefined;
  const { startMs, endMs, step, next } = anchor;
  const unit = ROLLING_AFTER_PAST.has(noun) && UNITS.get(noun);
  if (unit) {
    const stretch =
      step < 0
        ? { startMs: scan.calendar.goBack(startMs, 1, unit), endMs: startMs - 1 }
        : { startMs: endMs + 1, endMs: scan.calendar.goBack(endMs + 1, -1, unit) - 1 };
    return { ...stretch, softnessMs: periodSoftness(stretch), next };
  }
  // Up to Friday, the weekend after a date is that of its own week.
  const isSameWeek = noun === 'weekend' && step > 0 && weekdayOf(scan.calendar.dayOf(startMs)) < SATURDAY;
  const found = matchStepped({ ...scan, nowMs: startMs }, nounAt, isSameWeek ? 0 : step);
  return found && { ...found, next };
}

/** "Last week", "this May", "next Tuesday", "the past few months". */
export function matchRelative(scan: Scan, at: number): Found | undefined {
  const step = STEPS.get(wordAt(scan, at));
  if (step === undefined) return undefined;
  const spans = step === 0 ? [] : matchSpans(scan, at + 1);
  if (spans.length > 0) return rolling(scan, spans, step);
  const rollingUnits = wordAt(scan, at) === 'past' ? ROLLING_AFTER_PAST : ROLLING_AFTER_LAST;
  const unit = step !== 0 && rollingUnits.has(wordAt(scan, at + 1)) && UNITS.get(wordAt(scan, at + 1));
  const found = unit
    ? rolling(scan, [{ value: 1, isVague: false, unit, next: at + 2 }], step)
    : (matchDayOfWeek(scan, at + 1, step) ?? matchStepped(scan, at + 1, step));
  // "The last week of March" is about March.
  if (!found || wordAt(scan, found.next) === 'of') return undefined;
  const isNextWeekday = wordAt(scan, at) === 'next' && WEEKDAYS.has(wordAt(scan, at + 1));
  return isNextWeekday ? withWeekAfter(scan, found) : found;
}

/** "Next Friday", asked on a Monday, is that of the week after to most, and that of this week to others. */
function withWeekAfter({ calendar, nowMs }: Scan, found: Found): Found {
  const day = calendar.dayOf(found.startMs);
  const isThisWeek = mondayOf(day) === mondayOf(calendar.dayOf(nowMs));
  return isThisWeek ? { ...found, other: calendar.days(day + 7, 1) } : found;
}

/** "Recently", "lately": vaguely the last two weeks. */
export function matchRecently(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  if (word !== 'recently' && word !== 'lately') return undefined;
  const unit = { months: 0, ms: DAY };
  return { ...rolling(scan, [{ value: RECENT_DAYS, isVague: true, unit, next: at + 1 }], -1), isLoose: true };
}

/** "Last week on Monday", "last week's Monday". */
function matchDayOfWeek(scan: Scan, at: number, step: number): Found | undefined {
  const dayAt = skip(scan, skipPossessive(scan, at + 1), 'on');
  const weekday = PLAIN_NAMES.has(wordAt(scan, dayAt)) ? WEEKDAYS.get(wordAt(scan, dayAt)) : undefined;
  if (wordAt(scan, at) !== 'week' || weekday === undefined) return undefined;
  const monday = mondayOf(scan.calendar.dayOf(scan.nowMs)) + step * 7;
  return { ...scan.calendar.days(monday + weekday, 1), softnessMs: DATE_SOFTNESS, next: dayAt + 1 };
}

/** "Two Mondays ago", "three quarters ago", "two nights ago": what has a place in the calendar is counted by its places. */
export function matchCounted(scan: Scan, at: number): Found | undefined {
  const quantity = matchQuantity(scan, at);
  if (!quantity || !Number.isInteger(quantity.value) || quantity.value > MAX_MONTHS) return undefined;
  const { value, isVague, next } = quantity;
  const noun = wordAt(scan, next).replace(/s$/, '');
  const isAgo = wordAt(scan, next + 1) === 'ago' || wordAt(scan, next + 1) === 'back';
  if (!isAgo || (UNITS.has(noun) && !PLACED_UNITS.has(noun))) return undefined;
  const found = matchStepped(scan, next, -value, noun);
  if (!found) return undefined;
  return { ...found, softnessMs: found.softnessMs * (isVague ? VAGUE_SOFTNESS_FACTOR : 1), next: next + 2 };
}

/** "The weekend before last", "the week after next". */
export function matchFromLast(scan: Scan, at: number): Found | undefined {
  const side = wordAt(scan, at + 1);
  const end = wordAt(scan, at + 2);
  const step = side === 'before' && end === 'last' ? -2 : side === 'after' && end === 'next' ? 2 : undefined;
  // "The night before last Tuesday" is a time before Tuesday.
  const found = step && !matchRelative(scan, at + 2) && matchStepped(scan, at, step);
  return found ? { ...found, next: at + 3 } : undefined;
}

/** "The weekend": the latest that has begun. "The weekend after the party" is another one. */
export function matchTheWeekend(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  if (wordAt(scan, at) !== 'weekend' || !(isPlaced || wordAt(scan, at - 1) === 'the')) return undefined;
  const next = wordAt(scan, at + 1);
  if (next === 'after' || next === 'before' || next === 'of') return undefined;
  const recurrence = weekly(scan.calendar, SATURDAY, 2);
  const range = nearest(recurrence, scan.nowMs, -1);
  return range && { ...range, softnessMs: periodSoftness(range), next: at + 1, recurrence };
}

/** A period some steps from the present one: 0 this, −1 the last, −2 the one before. */
export function matchStepped(
  scan: Scan,
  at: number,
  step: number,
  word = wordAt(scan, at),
): Found | undefined {
  const next = at + 1;
  const soft = (range: TimeRange): Found => ({ ...range, softnessMs: periodSoftness(range), next });
  const { calendar, nowMs } = scan;
  const day = calendar.dayOf(nowMs);
  const month = calendar.monthOf(nowMs);
  if (word === 'week') return soft(calendar.days(mondayOf(day) + step * 7, 7));
  if (word === 'weekend') return soft(calendar.days(mondayOf(day) + step * 7 + SATURDAY, 2));
  if (word === 'month') return soft(calendar.months(month + step, 1));
  if (word === 'quarter') return soft(calendar.months(month - modulo(month, 3) + step * 3, 3));
  if (word === 'year') return soft(calendar.months(month - modulo(month, 12) + step * 12, 12));
  const dayPart = DAY_PARTS.get(word);
  if (dayPart) return soft(calendar.hours(day + step, ...dayPart));
  const weekday = WEEKDAYS.get(word);
  if (weekday !== undefined) {
    const range = stepped(weekly(calendar, weekday), nowMs, step);
    // "Last Tuesday" may also be the one of last week: the length of the doubt is a week, not a day.
    return range && { ...range, softnessMs: WEEKDAY_SOFTNESS, next };
  }
  const name = yearlyName(scan, at, word);
  const range = name && stepped(yearly(calendar, name.annual), nowMs, step);
  return range ? { ...soft(range), next: name.next } : undefined;
}
