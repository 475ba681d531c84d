import { type Calendar, SATURDAY, type TimeRange, WEEK, YEAR } from './calendar.ts';
import { matchDate, matchIsoDate, matchNamedDay, matchWeekday } from './dates.ts';
import { matchForeign } from './languages.ts';
import { matchNumericDate } from './numeric-dates.ts';
import { nearest, partly, weekly } from './recurrence.ts';
import {
  matchBeside,
  matchCounted,
  matchDistance,
  matchFromLast,
  matchRecently,
  matchRelative,
  matchStepped,
  matchTheWeekend,
} from './relative.ts';
import { type Found, isNumber, type Scan, skip, wordAt } from './scan.ts';
import { matchOrdinal, matchQuantity, periodSoftness, WEEK_PLACE_SOFTNESS } from './spans.ts';
import {
  CALENDAR_PERIODS,
  DAY_PARTS,
  FIRST_WORDS,
  STEPS,
  THIRDS,
  TO_DATE,
  UNITS,
  WEEKDAYS,
} from './vocabulary.ts';
import { matchNumberedWeek, matchWeekOfYear } from './weeks.ts';
import { matchYear, matchYearly } from './years.ts';

/**
 * One period of time: whole ("last month", "5 May"), or a part of one ("the end of last month", "5 May in the evening").
 * Rules that take in more words come first. A part is taken of a whole only, so that no rule repeats.
 */

/** Any one period of time. `isPlaced`: a word before it says that a time follows, so "May" is the month. */
export function matchPeriod(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const start = skip(scan, at, 'the');
  if (!FIRST_WORDS.has(wordAt(scan, start)) && !isNumber(scan, start)) return undefined;
  return (
    matchThird(scan, start) ??
    matchPartOf(scan, start) ??
    matchAroundDay(scan, start) ??
    matchSoFar(scan, start) ??
    matchWithHours(scan, start, isPlaced) ??
    matchForeign(scan, start)
  );
}

function matchWhole(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  return (
    matchCounted(scan, at) ??
    matchDistance(scan, at) ??
    matchNamedDay(scan, at) ??
    matchBeside(scan, at) ??
    matchRelative(scan, at) ??
    matchRecently(scan, at) ??
    matchFromLast(scan, at) ??
    matchInNumbers(scan, at, isPlaced) ??
    matchNumberedWeek(scan, at, isPlaced) ??
    matchDate(scan, at, isPlaced) ??
    matchWeekday(scan, at, isPlaced) ??
    matchYearly(scan, at, isPlaced) ??
    matchYear(scan, at, isPlaced) ??
    matchTheWeekend(scan, at, isPlaced)
  );
}

/** "2026-01-31", "31.01.2026", "2026-W05". */
function matchInNumbers(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  if (!isNumber(scan, at)) return undefined;
  return matchIsoDate(scan, at) ?? matchNumericDate(scan, at, isPlaced) ?? matchWeekOfYear(scan, at);
}

/** What a part is taken of: here "the month" is this one. */
function matchContainer(scan: Scan, at: number): Found | undefined {
  const start = skip(scan, at, 'the');
  const isNamedByThe = start > at && CALENDAR_PERIODS.has(wordAt(scan, start));
  return matchWhole(scan, start, true) ?? (isNamedByThe ? matchStepped(scan, start, 0) : undefined);
}

type Part = (whole: TimeRange) => TimeRange | undefined;

/** A part of what was found; of what comes back, the latest part that has begun. */
function narrow(scan: Scan, whole: Found, part: Part): Found | undefined {
  const recurrence = whole.recurrence && partly(whole.recurrence, part);
  let range = part(whole);
  if (range && recurrence && range.startMs > scan.nowMs) range = nearest(recurrence, scan.nowMs, -1);
  if (!range) return undefined;
  const narrowed = { ...range, softnessMs: periodSoftness(range), next: whole.next };
  return recurrence ? { ...narrowed, recurrence } : narrowed;
}

/** "Early March", "mid-2022", "the end of last year". */
function matchThird(scan: Scan, at: number): Found | undefined {
  const third = THIRDS.get(wordAt(scan, at));
  if (third === undefined) return undefined;
  const whole = matchContainer(scan, skip(scan, at + 1, '-', 'of', 'in'));
  return whole && narrow(scan, whole, (range) => scan.calendar.cut(range, third, 3));
}

/** "The last two weeks of June", "the first Monday of last month", "the second half of May", "the first quarter 2026". */
function matchPartOf(scan: Scan, at: number): Found | undefined {
  const isLast = wordAt(scan, at) === 'last';
  const ordinal = isLast ? { value: 1, next: at + 1 } : matchOrdinal(scan, at);
  if (!ordinal) return undefined;
  const quantity = ordinal.value === 1 ? matchQuantity(scan, ordinal.next) : undefined;
  const nounAt = quantity?.next ?? ordinal.next;
  const noun = wordAt(scan, nounAt);
  const ofAt = skip(scan, nounAt + 1, 'of', 'in');
  const hasOf = ofAt > nounAt + 1;
  if (!hasOf && noun !== 'quarter' && noun !== 'half') return undefined;
  // "The first days of May" leaves open how many.
  if (!quantity && noun.endsWith('s')) return undefined;
  const whole = matchContainer(scan, ofAt);
  // "Ahead in the first half yesterday" is about a game.
  if (!whole || (!hasOf && whole.endMs - whole.startMs < YEAR - 1)) return undefined;
  const part = countedPart(scan.calendar, noun, ordinal.value, quantity?.value ?? 1, isLast);
  const found = part && narrow(scan, whole, part);
  const isByWeeks = UNITS.get(noun)?.ms === WEEK;
  return found && isByWeeks
    ? { ...found, softnessMs: Math.max(found.softnessMs, WEEK_PLACE_SOFTNESS) }
    : found;
}

const WEEKS = { months: 0, ms: WEEK };

/** The part that has a place among those of its name, counted from the beginning, or from the end when it is the last. */
function countedPart(
  calendar: Calendar,
  noun: string,
  place: number,
  count: number,
  isLast: boolean,
): Part | undefined {
  if (!Number.isInteger(count)) return undefined;
  if (noun === 'half' && place <= 2 && count === 1)
    return (whole) => calendar.cut(whole, isLast ? 1 : place - 1, 2);
  const weekday = noun === 'weekend' ? SATURDAY : WEEKDAYS.get(noun);
  if (weekday !== undefined && count === 1) {
    const days = weekly(calendar, weekday, noun === 'weekend' ? 2 : 1);
    return ({ startMs, endMs }) => {
      const range = isLast
        ? nearest(days, endMs, -1)
        : nearest(days, calendar.goBack(startMs, 1 - place, WEEKS), 1);
      return range && range.startMs >= startMs && range.startMs <= endMs ? range : undefined;
    };
  }
  const unit = UNITS.get(noun);
  if (!unit || weekday !== undefined) return undefined;
  return ({ startMs, endMs }) => {
    const fromMs = isLast
      ? calendar.goBack(endMs + 1, count, unit)
      : calendar.goBack(startMs, 1 - place, unit);
    const range = { startMs: fromMs, endMs: isLast ? endMs : calendar.goBack(fromMs, -count, unit) - 1 };
    return range.startMs >= startMs && range.endMs <= endMs ? range : undefined;
  };
}

/** "The week of May 4", "the morning of 4 May". */
function matchAroundDay(scan: Scan, at: number): Found | undefined {
  const noun = wordAt(scan, at);
  if (!(noun === 'week' || noun === 'weekend' || DAY_PARTS.has(noun)) || wordAt(scan, at + 1) !== 'of')
    return undefined;
  const day = matchWhole(scan, skip(scan, at + 2, 'the'), true);
  return isOneDay(scan, day)
    ? narrow(scan, day, ({ startMs }) => matchStepped({ ...scan, nowMs: startMs }, at, 0))
    : undefined;
}

/** "Earlier today", "so far this week", "this week so far", "year to date", "YTD": what has been of it. */
function matchSoFar(scan: Scan, at: number): Found | undefined {
  const whole = matchUnderWay(scan, at);
  const isUnderWay = whole && whole.startMs <= scan.nowMs && whole.endMs >= scan.nowMs;
  return isUnderWay ? { ...whole, endMs: scan.nowMs } : undefined;
}

function matchUnderWay(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  if (word === 'earlier') return matchWhole(scan, at + 1, false);
  if (isSoFar(scan, at)) return matchWhole(scan, at + 2, false);
  const short = TO_DATE.get(word);
  if (short !== undefined) return matchStepped(scan, at, 0, short);
  if (CALENDAR_PERIODS.has(word) && wordAt(scan, at + 1) === 'to' && wordAt(scan, at + 2) === 'date') {
    const found = matchStepped(scan, at, 0);
    return found && { ...found, next: at + 3 };
  }
  const whole = STEPS.has(word) ? matchRelative(scan, at) : undefined;
  return whole && isSoFar(scan, whole.next) ? { ...whole, next: whole.next + 2 } : undefined;
}

function isSoFar(scan: Scan, at: number): boolean {
  return wordAt(scan, at) === 'so' && wordAt(scan, at + 1) === 'far';
}

/** A whole period, and what it is of the day: "yesterday evening", "5 May in the morning". */
function matchWithHours(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const whole = matchWhole(scan, at, isPlaced);
  if (!isOneDay(scan, whole)) return whole;
  const partAt = skip(scan, skip(scan, whole.next, 'in', 'at'), 'the');
  const hours = DAY_PARTS.get(wordAt(scan, partAt));
  if (!hours) return whole;
  return narrow(scan, { ...whole, next: partAt + 1 }, ({ startMs }) =>
    scan.calendar.hours(scan.calendar.dayOf(startMs), ...hours),
  );
}

function isOneDay({ calendar }: Scan, found: Found | undefined): found is Found {
  if (found === undefined) return false;
  const { startMs, endMs } = calendar.days(calendar.dayOf(found.startMs), 1);
  return found.startMs === startMs && found.endMs === endMs;
}
