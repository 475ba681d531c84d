import { parseTimestamp } from './timestamps.ts';

/**
 * From one time to another, both included. A day without a time (`2026-05-14`) is meant as a whole: as the start from its
 * beginning, as the end to its end, in the caller's time zone.
 */
export interface TimeRange {
  readonly start: Date | string;
  readonly end: Date | string;
}

/** A range that has been checked, but has no time zone yet. */
export interface DayRange {
  readonly startMs?: number;
  readonly endMs?: number;
  /** Whether that is the midnight, in UTC, of a day that is meant as a whole, wherever it is asked. */
  readonly isStartDay?: true;
  readonly isEndDay?: true;
}

const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const isDay = (value: unknown): boolean => typeof value === 'string' && DAY_ALONE.test(value);

/**
 * Ends that are `undefined` are open.
 * @param name of the range, for errors; '' when its ends stand alone
 * @throws ValidationError INVALID_TIMESTAMP
 */
export function parseDayRange(start: unknown, end: unknown, name: string): DayRange {
  const prefix = name === '' ? '' : `${name}.`;
  return {
    ...(start === undefined ? {} : { startMs: parseTimestamp(start, `${prefix}start`) }),
    ...(end === undefined ? {} : { endMs: parseTimestamp(end, `${prefix}end`) }),
    ...(isDay(start) ? { isStartDay: true } : {}),
    ...(isDay(end) ? { isEndDay: true } : {}),
  };
}

/** Whether it ends before it begins, as far as that can be told here: a day is compared with a moment where it is known when it begins. */
export function isReversed({ startMs, endMs, isStartDay, isEndDay }: DayRange): boolean {
  return startMs !== undefined && endMs !== undefined && isStartDay === isEndDay && startMs > endMs;
}
