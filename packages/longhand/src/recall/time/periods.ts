import {
  DAY,
  daysFrom,
  goBack,
  HOUR,
  lengthOf,
  modulo,
  monthOf,
  monthsFrom,
  startOfDay,
  type TimeRange,
  WEEK,
  weekdayOf,
} from './calendar.ts';
import {
  matchDate,
  matchIsoDate,
  matchMonth,
  matchNamedDay,
  matchSeason,
  matchWeekday,
  matchYear,
} from './dates.ts';
import { nearest, partly, stepped, weekly, yearly } from './recurrence.ts';
import { digitsAt, type Found, type Scan, skip, wordAt } from './scan.ts';
import {
  DATE_SOFTNESS,
  distanceSoftness,
  matchSpan,
  periodSoftness,
  rolling,
  type Span,
  WEEKDAY_SOFTNESS,
} from './spans.ts';
import {
  DAY_PARTS,
  FIRST_WORDS,
  MONTHS,
  ROLLING_AFTER_LAST,
  ROLLING_AFTER_PAST,
  SEASONS,
  STEPS,
  THIRDS,
  UNITS,
  WEEKDAYS,
} from './vocabulary.ts';

/**
 * Stretches of time, by a name or by their distance: "ten days ago", "the past few months", "the week before 3 August",
 * "early March". `matchPeriod` tries the rules in an order in which the one that takes in most words comes first.
 */

/** The longest sum of spans: "a year, two months and three days ago". */
const MAX_SPAN_PARTS = 4;

/** Any one period of time. `isPlaced`: a word before it says that a time follows, so "May" is the month. */
export function matchPeriod(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const start = skip(scan, at, 'the');
  if (!FIRST_WORDS.has(wordAt(scan, start)) && Number.isNaN(digitsAt(scan, start))) return undefined;
  return matchThird(scan, start) ?? matchWholePeriod(scan, start, isPlaced);
}

function matchWholePeriod(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  return (
    matchDistance(scan, at) ??
    matchNamedDay(scan, at) ??
    matchBeside(scan, at) ??
    matchRelative(scan, at) ??
    matchFromLast(scan, at) ??
    matchIsoDate(scan, at) ??
    matchDate(scan, at) ??
    matchWeekday(scan, at) ??
    matchMonth(scan, at, isPlaced) ??
    matchSeason(scan, at, isPlaced) ??
    matchYear(scan, at, isPlaced)
  );
}

/** "Early March", "mid-2022", "the end of last year". */
function matchThird(scan: Scan, at: number): Found | undefined {
  const third = THIRDS.get(wordAt(scan, at));
  if (third === undefined) return undefined;
  const periodAt = skip(scan, skip(scan, at + 1, '-', 'of'), 'the');
  const period = matchWholePeriod(scan, periodAt, true);
  if (!period) return undefined;
  const thirdOf = ({ startMs, endMs }: TimeRange): TimeRange => {
    const lengthMs = (endMs + 1 - startMs) / 3;
    return { startMs: startMs + third * lengthMs, endMs: startMs + (third + 1) * lengthMs - 1 };
  };
  return narrow(scan, period, thirdOf);
}

/** A part of what was found; of what comes back, the latest part that has begun. */
function narrow(
  scan: Scan,
  found: Found,
  part: (whole: TimeRange) => TimeRange | undefined,
): Found | undefined {
  const recurrence = found.recurrence && partly(found.recurrence, part);
  let range = part(found);
  if (range && recurrence && range.startMs > scan.nowMs) range = nearest(recurrence, scan.nowMs, -1);
  if (!range) return undefined;
  const narrowed = { ...range, softnessMs: periodSoftness(range), next: found.next };
  return recurrence ? { ...narrowed, recurrence } : narrowed;
}

/** "Two weeks ago", "a year and three months ago", "ten days from now", "two weeks before 11 August". */
function matchDistance(scan: Scan, at: number): Found | undefined {
  const spans: Span[] = [];
  let next = at;
  while (spans.length < MAX_SPAN_PARTS) {
    const span = matchSpan(scan, spans.length === 0 ? next : skip(scan, next, 'and', ','));
    if (!span) break;
    spans.push(span);
    next = span.next;
  }
  if (spans.length === 0) return undefined;
  const word = wordAt(scan, next);
  if (word === 'ago' || word === 'back') return distanceFrom(scan.nowMs, spans, -1, next + 1);
  if (word === 'from' && wordAt(scan, next + 1) === 'now')
    return distanceFrom(scan.nowMs, spans, 1, next + 2);
  const anchor = matchAnchor(scan, next);
  return anchor && distanceFrom(anchor.startMs, spans, anchor.step, anchor.next);
}

/** A time some spans away, as exact as the smallest of them. */
function distanceFrom(ms: number, spans: readonly Span[], step: 1 | -1, next: number): Found {
  const middleMs = spans.reduce((at, { value, unit }) => goBack(at, -step * value, unit), ms);
  const { unit, value } = spans[spans.length - 1]!;
  // Who counts halves is twice as exact.
  const unitMs = Number.isInteger(value) ? lengthOf(unit) : lengthOf(unit) / 2;
  const isVague = spans.some((span) => span.isVague);
  const leastMs = unitMs < DAY ? unitMs / 2 : Math.max(DATE_SOFTNESS, unitMs / 2);
  const softnessMs = distanceSoftness(ms - middleMs, leastMs, isVague);
  const range = unitMs < DAY ? around(middleMs, unitMs / 2) : wholeDaysAround(middleMs, unitMs);
  return { ...range, softnessMs, next };
}

const around = (ms: number, halfMs: number): TimeRange => ({ startMs: ms - halfMs, endMs: ms + halfMs });

/** The days that lie within half a unit: for "days" the day itself, for "weeks" the seven around it. */
function wholeDaysAround(ms: number, unitMs: number): TimeRange {
  const daysBeside = Math.floor(unitMs / DAY / 2);
  return daysFrom(startOfDay(ms) - daysBeside * DAY, 2 * daysBeside + 1);
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
  const date = matchNamedDay(scan, dateAt) ?? matchIsoDate(scan, dateAt) ?? matchDate(scan, dateAt);
  return date && { ...date, step: side === 'before' ? -1 : 1 };
}

/** "The week before 3 August", "the first Sunday after 2026-01-31". */
function matchBeside(scan: Scan, at: number): Found | undefined {
  const nounAt = skip(scan, at, 'last', 'first');
  const noun = wordAt(scan, nounAt);
  const anchor = matchAnchor(scan, nounAt + 1);
  if (!anchor) return undefined;
  const { startMs, endMs, step, next } = anchor;
  const unit = ROLLING_AFTER_PAST.has(noun) && UNITS.get(noun);
  if (unit) {
    const stretch =
      step < 0
        ? { startMs: goBack(startMs, 1, unit), endMs: startMs - 1 }
        : { startMs: endMs + 1, endMs: goBack(endMs + 1, -1, unit) - 1 };
    return { ...stretch, softnessMs: periodSoftness(stretch), next };
  }
  // Up to Friday, the weekend after a date is that of its own week.
  const isSameWeek = noun === 'weekend' && step > 0 && weekdayOf(startMs) < 5;
  const found = matchStepped({ ...scan, nowMs: startMs }, nounAt, isSameWeek ? 0 : step);
  return found && { ...found, next };
}

/** "Last week", "this May", "next Tuesday", "the past few months". */
function matchRelative(scan: Scan, at: number): Found | undefined {
  const step = STEPS.get(wordAt(scan, at));
  if (step === undefined) return undefined;
  const span = step === 0 ? undefined : matchSpan(scan, at + 1);
  if (span) return rolling(scan, span, step);
  const rollingUnits = wordAt(scan, at) === 'past' ? ROLLING_AFTER_PAST : ROLLING_AFTER_LAST;
  const unit = step !== 0 && rollingUnits.has(wordAt(scan, at + 1)) && UNITS.get(wordAt(scan, at + 1));
  const found = unit
    ? rolling(scan, { value: 1, isVague: false, unit, next: at + 2 }, step)
    : matchStepped(scan, at + 1, step);
  // "The last week of March" is about March.
  return found && wordAt(scan, found.next) === 'of' ? undefined : found;
}

/** "The weekend before last", "the week after next". */
function matchFromLast(scan: Scan, at: number): Found | undefined {
  const side = wordAt(scan, at + 1);
  const end = wordAt(scan, at + 2);
  const step = side === 'before' && end === 'last' ? -2 : side === 'after' && end === 'next' ? 2 : undefined;
  // "The night before last Tuesday" is a time before Tuesday.
  const found = step && !matchRelative(scan, at + 2) && matchStepped(scan, at, step);
  return found ? { ...found, next: at + 3 } : undefined;
}

/** A period some steps from the present one: 0 this, −1 the last, −2 the one before. */
function matchStepped(scan: Scan, at: number, step: number): Found | undefined {
  const word = wordAt(scan, at);
  const next = at + 1;
  const soft = (range: TimeRange): Found => ({ ...range, softnessMs: periodSoftness(range), next });
  const mondayMs = startOfDay(scan.nowMs) - weekdayOf(scan.nowMs) * DAY + step * WEEK;
  const month = monthOf(scan.nowMs);
  if (word === 'week') return soft(daysFrom(mondayMs, 7));
  if (word === 'weekend') return soft(daysFrom(mondayMs + 5 * DAY, 2));
  if (word === 'month') return soft(monthsFrom(month + step, 1));
  if (word === 'year') return soft(monthsFrom(month - modulo(month, 12) + step * 12, 12));
  const dayPart = DAY_PARTS.get(word);
  if (dayPart) {
    const dayMs = startOfDay(scan.nowMs) + step * DAY;
    return soft({ startMs: dayMs + dayPart[0] * HOUR, endMs: dayMs + dayPart[1] * HOUR - 1 });
  }
  const weekday = WEEKDAYS.get(word);
  if (weekday !== undefined) {
    const range = stepped(weekly(weekday), scan.nowMs, step);
    // "Last Tuesday" may also be the one of last week: the length of the doubt is a week, not a day.
    return range && { ...range, softnessMs: WEEKDAY_SOFTNESS, next };
  }
  const place = MONTHS.get(word) ?? SEASONS.get(word);
  if (place === undefined) return undefined;
  const count = MONTHS.has(word) ? 1 : 3;
  const range = stepped(
    yearly((year) => monthsFrom(year * 12 + place, count)),
    scan.nowMs,
    step,
  );
  return range && soft(range);
}
