import { SYSTEM_TIME_ZONE, UTC } from '../core/time-zone.ts';

/** Moments, days and months by the clocks of a place, and how to go from one to another. */

/** Both ends included, in milliseconds since 1970, UTC. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** No range reaches beyond these years: wide enough for any memory, narrow enough for exact arithmetic. */
export const EARLIEST_MS = Date.UTC(1000, 0, 1);
export const LATEST_MS = Date.UTC(3000, 0, 1) - 1;

/** As many lie between those bounds; more would leave what a Date can hold. */
const MAX_MONTHS = 24_000;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;
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

export const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

export const SATURDAY = 5;
/** 0 for Monday. The first day of 1970 was a Thursday. */
export const weekdayOf = (day: number): number => modulo(day + 3, 7);
/** The first day of the week that a day lies in. */
export const mondayOf = (day: number): number => day - weekdayOf(day);

export const lengthOf = (unit: Unit): number => unit.ms + unit.months * MEAN_MONTH;

/** What the clocks on the wall show: the milliseconds that UTC would be at when its clocks show the same. */
interface WallClock {
  toWall(ms: number): number;
  /** The first moment at which they show it, or more where they skip it. */
  fromWall(wallMs: number): number;
}

/**
 * The calendar by the clocks of a place. Days are numbers, 0 for the first of 1970, and months are counted since the year 0:
 * to go from one to another is to add. Only what comes out are moments, because days are not all equally long.
 */
export class Calendar {
  readonly #clock: WallClock;

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  dayOf(ms: number): number {
    return Math.floor(this.#clock.toWall(ms) / DAY);
  }

  /** The day that a moment lies in, as `2026-05-14`. */
  isoDate(ms: number): string {
    return new Date(this.dayOf(ms) * DAY).toISOString().slice(0, 10);
  }

  monthOf(ms: number): number {
    const date = new Date(this.#clock.toWall(ms));
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }

  yearOf(ms: number): number {
    return new Date(this.#clock.toWall(ms)).getUTCFullYear();
  }

  startOfDay(day: number): number {
    return this.#clock.fromWall(day * DAY);
  }

  days(first: number, count: number): TimeRange {
    return { startMs: this.startOfDay(first), endMs: this.startOfDay(first + count) - 1 };
  }

  /** Some hours of a day, which may end in the next one. */
  hours(day: number, from: number, to: number): TimeRange {
    return {
      startMs: this.#clock.fromWall(day * DAY + from * HOUR),
      endMs: this.#clock.fromWall(day * DAY + to * HOUR) - 1,
    };
  }

  months(first: number, count: number): TimeRange {
    const startMs = this.#clock.fromWall(startOfMonth(first));
    return { startMs, endMs: this.#clock.fromWall(startOfMonth(first + count)) - 1 };
  }

  /** `undefined` when there is no such day. */
  date(year: number, month: number, day: number): TimeRange | undefined {
    const number = dayNumber(year, month, day);
    return number === undefined ? undefined : this.days(number, 1);
  }

  /**
   * Goes some units back (forward when negative). Months keep the day of the month, or take the last one; months and days keep
   * the time of the day. Hours and less are as long as they are.
   */
  goBack(ms: number, count: number, unit: Unit): number {
    const months = Math.max(-MAX_MONTHS, Math.min(MAX_MONTHS, Math.trunc(count * unit.months)));
    const days = unit.ms % DAY === 0 ? Math.trunc((count * unit.ms) / DAY) : 0;
    const restMs = (count * unit.months - months) * MEAN_MONTH + (count * unit.ms - days * DAY);
    // By way of the clock only when it must be: it shows the last hour of summer twice.
    if (months === 0 && days === 0) return clampMs(ms - restMs);
    const wallMs = monthsBefore(this.#clock.toWall(ms), months) - days * DAY;
    return clampMs(this.#clock.fromWall(clampMs(wallMs)) - restMs);
  }
}

/** The number of a day; `undefined` when there is none, or it lies beyond the bounds. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  const startMs = Date.UTC(year, month, day);
  const isReal = new Date(startMs).getUTCMonth() === month && new Date(startMs).getUTCDate() === day;
  return isReal && year >= 1000 && year < 3000 ? startMs / DAY : undefined;
}

const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), modulo(month, 12), 1);

function monthsBefore(wallMs: number, months: number): number {
  if (months === 0) return wallMs;
  const date = new Date(wallMs);
  const target = date.getUTCFullYear() * 12 + date.getUTCMonth() - months;
  const lastOffset = (startOfMonth(target + 1) - startOfMonth(target)) / DAY - 1;
  return startOfMonth(target) + Math.min(date.getUTCDate() - 1, lastOffset) * DAY + modulo(wallMs, DAY);
}

const sameMs = (ms: number): number => ms;

export const UTC_CALENDAR = new Calendar({ toWall: sameMs, fromWall: sameMs });

/**
 * The clocks of a time zone, from what the runtime knows of it.
 *
 * The offset of a zone from UTC is asked once for each day and kept: it changes on two days a year. UTC needs none of this, and a
 * query in UTC loads nothing.
 */

const calendars = new Map<string, Calendar>();
const MAX_CALENDARS = 64;
const MAX_KEPT_DAYS = 16_384;

/** The calendar of a zone, which must be one; that of UTC when left out. */
export function calendarOf(timeZone: string = UTC): Calendar {
  if (timeZone === UTC) return UTC_CALENDAR;
  let calendar = calendars.get(timeZone);
  if (calendar === undefined) {
    if (calendars.size === MAX_CALENDARS) calendars.clear();
    calendar = new Calendar(new ZoneClock(timeZone));
    calendars.set(timeZone, calendar);
  }
  return calendar;
}

class ZoneClock implements WallClock {
  readonly #timeZone: string;
  #format: Intl.DateTimeFormat | undefined;
  /** Day of UTC → how far the clocks are ahead when it begins. */
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  toWall(ms: number): number {
    return ms + this.#offsetAt(ms);
  }

  fromWall(wallMs: number): number {
    const before = this.#offsetAt(wallMs - DAY);
    const after = this.#offsetAt(wallMs + DAY);
    if (before === after) return wallMs - before;
    // On a day of change: set back, the clocks show it twice, and the first time is by the offset from before.
    if (this.toWall(wallMs - before) === wallMs) return wallMs - before;
    if (this.toWall(wallMs - after) === wallMs) return wallMs - after;
    return this.#firstAfter(wallMs, wallMs - after, wallMs - before);
  }

  /** Set forward, the clocks skip it: the first moment from which on they show more. */
  #firstAfter(wallMs: number, fromMs: number, toMs: number): number {
    let [early, late] = [fromMs, toMs];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.toWall(middle) > wallMs) late = middle;
      else early = middle;
    }
    return late;
  }

  #offsetAt(ms: number): number {
    const day = Math.floor(clampMs(ms) / DAY);
    const offset = this.#offsetAtStart(day);
    return offset === this.#offsetAtStart(day + 1) ? offset : this.#ask(ms);
  }

  #offsetAtStart(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset === undefined) {
      if (this.#offsets.size === MAX_KEPT_DAYS) this.#offsets.clear();
      offset = this.#ask(day * DAY);
      this.#offsets.set(day, offset);
    }
    return offset;
  }

  #ask(ms: number): number {
    this.#format ??= new Intl.DateTimeFormat('en-US', {
      // Left out, it is that of the system.
      ...(this.#timeZone === SYSTEM_TIME_ZONE ? {} : { timeZone: this.#timeZone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const shown: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(ms)) shown[type] = Number(value);
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / SECOND) * SECOND;
  }
}
