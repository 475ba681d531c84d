/** Moments, days and months of UTC, and how to go from one to another. */

/** Both ends included, in milliseconds since 1970, UTC. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** No range reaches beyond these years: wide enough for any memory, narrow enough for exact arithmetic. */
export const EARLIEST_MS = Date.UTC(1000, 0, 1);
export const LATEST_MS = Date.UTC(3000, 0, 1) - 1;

/** As many lie between those bounds; more would leave what a Date can hold. */
export const MAX_MONTHS = 24_000;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;
/** The shortest. */
export const YEAR = 365 * DAY;
export const MEAN_MONTH = (365.2425 / 12) * DAY;

/** A length of time that has a name: some months, or some milliseconds. */
export interface Unit {
  readonly months: number;
  readonly ms: number;
}

export const clampMs = (ms: number): number => Math.min(Math.max(Math.round(ms), EARLIEST_MS), LATEST_MS);

export const bounded = ({ startMs, endMs }: TimeRange): TimeRange => ({
  startMs: clampMs(startMs),
  endMs: clampMs(endMs),
});

export const startOfDay = (ms: number): number => Math.floor(ms / DAY) * DAY;
export const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

export const SATURDAY = 5;

/** 0 for Monday. The first day of 1970 was a Thursday. */
export const weekdayOf = (ms: number): number => modulo(Math.floor(ms / DAY) + 3, 7);

/** Months since the year 0. */
export const monthOf = (ms: number): number =>
  new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth();

const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), modulo(month, 12), 1);

export const monthsFrom = (month: number, count: number): TimeRange => ({
  startMs: startOfMonth(month),
  endMs: startOfMonth(month + count) - 1,
});

export const daysFrom = (startMs: number, count: number): TimeRange => ({
  startMs,
  endMs: startMs + count * DAY - 1,
});

export function dateRange(year: number, month: number, day: number): TimeRange | undefined {
  const startMs = Date.UTC(year, month, day);
  const isReal = new Date(startMs).getUTCMonth() === month && new Date(startMs).getUTCDate() === day;
  return isReal && year >= 1000 && year < 3000 ? daysFrom(startMs, 1) : undefined;
}

export const lengthOf = (unit: Unit): number => unit.ms + unit.months * MEAN_MONTH;

/** Goes some units back (forward when negative). Months keep the day of the month, or take the last one. */
export function goBack(ms: number, count: number, unit: Unit): number {
  const months = Math.max(-MAX_MONTHS, Math.min(MAX_MONTHS, Math.trunc(count * unit.months)));
  const fractionMs = (count * unit.months - months) * MEAN_MONTH;
  let shiftedMs = ms;
  if (months !== 0) {
    const target = monthOf(ms) - months;
    const dayOffset = new Date(ms).getUTCDate() - 1;
    const lastOffset = (startOfMonth(target + 1) - startOfMonth(target)) / DAY - 1;
    shiftedMs = startOfMonth(target) + Math.min(dayOffset, lastOffset) * DAY + (ms - startOfDay(ms));
  }
  return clampMs(shiftedMs - fractionMs - count * unit.ms);
}
