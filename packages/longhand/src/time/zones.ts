/**
 * The clocks of a time zone, from what the runtime knows of it.
 *
 * The offset of a zone from UTC is asked once for each day and kept: it changes on two days a year. UTC needs none of this, and a
 * query in UTC loads nothing.
 */

import { SYSTEM_TIME_ZONE, UTC } from '../core/time-zone.ts';
import { Calendar, clampMs, DAY, SECOND, UTC_CALENDAR, type WallClock } from './calendar.ts';

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
