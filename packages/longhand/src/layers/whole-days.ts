import { type DayRange, isReversed, parseDayRange, type TimeRange } from '../core/day-range.ts';
import { ValidationError } from '../core/errors.ts';
import { clampTimestamp } from '../core/timestamps.ts';
import { calendarOf } from '../time/index.ts';

const DAY_MS = 86_400_000;

/**
 * The moments that a range begins and ends with where it is asked: its days are whole there. One that begins with a day
 * and ends with a moment, or the other way round, may turn out to end before it begins.
 */
export function wholeDays(
  { startMs, endMs, isStartDay, isEndDay }: DayRange,
  timeZone: string,
): { readonly startMs: number | undefined; readonly endMs: number | undefined } {
  if (!isStartDay && !isEndDay) return { startMs, endMs };
  const calendar = calendarOf(timeZone);
  // The last day that can be written ends, west of Greenwich, at a moment that cannot.
  return {
    startMs: isStartDay ? clampTimestamp(calendar.startOfDay(startMs! / DAY_MS)) : startMs,
    endMs: isEndDay ? clampTimestamp(calendar.startOfDay(endMs! / DAY_MS + 1) - 1) : endMs,
  };
}

/**
 * The moments of a range that has both ends: a deletion understands it as a query does.
 * @param name of the range, for errors; '' when its ends stand alone
 * @throws ValidationError INVALID_TIMESTAMP, INVALID_OPTION
 */
export function momentsOf(
  { start, end }: TimeRange,
  timeZone: string,
  name: string,
): { readonly startMs: number; readonly endMs: number } {
  // None of them may be open: nothing never means everything.
  const range = parseDayRange(start ?? null, end ?? null, name);
  const { startMs, endMs } = wholeDays(range, timeZone) as { startMs: number; endMs: number };
  if (!isReversed(range) && startMs <= endMs) return { startMs, endMs };
  throw new ValidationError(
    'INVALID_OPTION',
    name === '' ? 'The start of the time range lies after its end.' : `${name} starts after its end.`,
    { details: { field: name === '' ? 'start' : name } },
  );
}
