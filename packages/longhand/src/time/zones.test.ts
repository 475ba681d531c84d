import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { showRange } from '../../test/show-range.ts';
import { calendarOf, EARLIEST_MS, LATEST_MS } from './calendar.ts';
import { timesIn } from './mentions.ts';
import { parseWithin } from './within.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** With clocks that change at night, at midnight and by half an hour, a day that was left out, and offsets of all kinds. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
];
const anyZone = fc.constantFrom(...ZONES);
const anyMoment = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2037, 0, 1) });

/** A date as the runtime writes it: what the calendar is compared with. */
function dateIn(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms);
}

function within(expression: string, timeZone: string, now: string): string {
  const result = parseWithin(expression, Date.parse(now), calendarOf(timeZone));
  return result.ok ? showRange(result.range) : result.problem;
}

describe('the calendar of a time zone', () => {
  it('begins and ends its days when the runtime does, on every day and in every zone', () => {
    fc.assert(
      fc.property(anyZone, anyMoment, (zone, ms) => {
        const calendar = calendarOf(zone);
        const { startMs, endMs } = calendar.days(calendar.dayOf(ms), 1);
        expect(startMs).toBeLessThanOrEqual(ms);
        expect(endMs).toBeGreaterThanOrEqual(ms);
        const date = dateIn(zone, ms);
        expect([dateIn(zone, startMs), dateIn(zone, endMs)]).toEqual([date, date]);
        expect(dateIn(zone, startMs - 1)).not.toBe(date);
        expect(dateIn(zone, endMs + 1)).not.toBe(date);
        expect(new Date(calendar.dayOf(ms) * DAY).toISOString().slice(0, 10)).toBe(date);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes every moment within the bounds', () => {
    for (const zone of ZONES) {
      const calendar = calendarOf(zone);
      for (const ms of [EARLIEST_MS, LATEST_MS])
        expect(Math.abs(calendar.startOfDay(calendar.dayOf(ms)) - ms)).toBeLessThanOrEqual(2 * DAY);
      expect(within('999999999 weeks', zone, '2026-05-20T15:30Z')).toMatch(/^1000-01-01/);
    }
  });

  it('knows days of 23, 24.5 and 25 hours', () => {
    const hoursOf = (zone: string, now: string): number => {
      const result = parseWithin('today', Date.parse(now), calendarOf(zone));
      return result.ok ? (result.range.endMs + 1 - result.range.startMs) / HOUR : Number.NaN;
    };
    expect(hoursOf('Europe/Berlin', '2026-03-29T12:00Z')).toBe(23);
    expect(hoursOf('Europe/Berlin', '2026-10-25T12:00Z')).toBe(25);
    expect(hoursOf('Australia/Lord_Howe', '2026-04-05T12:00Z')).toBe(24.5);
    // Midnight was skipped: the day began at one.
    expect(within('today', 'Asia/Beirut', '2022-03-27T12:00Z')).toBe('2022-03-26T22:00/2022-03-27T20:59');
  });

  it('says when today, last Monday, an evening and a month are', () => {
    const now = '2026-05-20T01:30Z';
    expect(within('today', 'America/New_York', now)).toBe('2026-05-19T04:00/2026-05-20T03:59');
    expect(within('yesterday', 'Asia/Tokyo', now)).toBe('2026-05-18T15:00/2026-05-19T14:59');
    expect(within('Tuesday', 'America/New_York', now)).toBe('2026-05-12T04:00/2026-05-13T03:59');
    expect(within('yesterday evening', 'Europe/Berlin', now)).toBe('2026-05-19T15:00/2026-05-19T21:59');
    expect(within('March', 'Europe/Berlin', now)).toBe('2026-02-28T23:00/2026-03-31T21:59');
    expect(within('2026-05-14', 'Asia/Kathmandu', now)).toBe('2026-05-13T18:15/2026-05-14T18:14');
  });

  it('keeps the time of day over days and months, and the length of hours', () => {
    const now = '2026-03-29T10:00Z';
    expect(within('last day', 'Europe/Berlin', now)).toBe('2026-03-28T11:00/2026-03-29T10:00');
    expect(within('24h', 'Europe/Berlin', now)).toBe('2026-03-28T10:00/2026-03-29T10:00');
    expect(within('last month', 'Europe/Berlin', now)).toBe('2026-02-28T11:00/2026-03-29T10:00');
    // Six hours of the clock are five on that morning, and the night is over.
    expect(within('tonight', 'Europe/Berlin', '2026-03-29T03:59Z')).toBe('2026-03-28T17:00/2026-03-29T03:59');
    expect(within('tonight', 'Europe/Berlin', '2026-03-29T04:30Z')).toBe('2026-03-29T16:00/2026-03-30T03:59');
    // At the second half past two of that night.
    const twice = '2026-10-25T01:30Z';
    expect(within('last hour', 'Europe/Berlin', twice)).toBe('2026-10-25T00:30/2026-10-25T01:30');
    expect(within('30 minutes ago', 'Europe/Berlin', twice)).toBe('2026-10-25T00:59/2026-10-25T01:00');
  });

  it('is that of a question too', () => {
    const nowMs = Date.parse('2026-05-20T01:30Z');
    const found = timesIn('What was on Monday?', nowMs, calendarOf('America/New_York'));
    expect(found.map(showRange)).toEqual(['2026-05-18T04:00/2026-05-19T03:59']);
  });

  it('asks the runtime for nothing in UTC', () => {
    const asked = vi.spyOn(Intl, 'DateTimeFormat');
    try {
      expect(within('yesterday evening', 'UTC', '2026-05-20T15:30Z')).toBe(
        '2026-05-19T17:00/2026-05-19T23:59',
      );
      expect(calendarOf()).toBe(calendarOf('UTC'));
      expect(asked).not.toHaveBeenCalled();
    } finally {
      asked.mockRestore();
    }
  });
});
