/** Filters by time let through what lies in a time by the calendar of a place, to the millisecond. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryManager, type MemoryQuery, MemoryStore } from '../src/index.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { sized } from './campaign.ts';
import { DAY_MS, moment, timeZone } from './search-cases.ts';

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
/** No clock was ever further ahead of UTC. */
const FURTHEST_MS = 16 * HOUR_MS;
const EARLIEST_MS = Date.UTC(1000, 0, 1);

interface NaiveRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** A wall time is the moment at which the clocks of UTC show the same: so days and hours are counted as if there were no zones. */
class NaiveZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #known = new Map<number, number>();

  constructor(timeZone: string) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
    this.#format = new Intl.DateTimeFormat('en', { timeZone, ...parts, ...clock });
  }

  /** What the clocks show at a moment. */
  wallOf(ms: number): number {
    const shown = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second } = shown;
    const ofSecond = Date.parse(`${year!.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return ofSecond + (ms - Math.floor(ms / 1000) * 1000);
  }

  /** The first moment at which they show a time, or more: clocks that are set forward skip some. */
  momentOf(wallMs: number): number {
    const known = this.#known.get(wallMs);
    if (known !== undefined) return known;
    let late = Math.floor(wallMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS - FURTHEST_MS;
    while (this.wallOf(late) < wallMs) late += QUARTER_HOUR_MS;
    // Clocks are set at full quarters of an hour, so within one they only go on.
    let early = late - QUARTER_HOUR_MS;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.wallOf(middle) < wallMs) early = middle;
      else late = middle;
    }
    this.#known.set(wallMs, late);
    return late;
  }

  /** The day that a moment lies in, as the beginning of that day in UTC. */
  dayOf(ms: number): number {
    return Math.floor(this.wallOf(ms) / DAY_MS) * DAY_MS;
  }

  /** From the beginning of a day to the end of another, both as `dayOf` gives them. */
  days(first: number, last = first): NaiveRange {
    return { startMs: this.momentOf(first), endMs: this.momentOf(last + DAY_MS) - 1 };
  }
}

const zones = new Map<string, NaiveZone>();

function zoneOf(timeZone = 'UTC'): NaiveZone {
  const zone = zones.get(timeZone) ?? new NaiveZone(timeZone);
  zones.set(timeZone, zone);
  return zone;
}

const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;
const mondayOf = (day: number): number => day - weekdayOf(day) * DAY_MS;

/** A time as a filter says it, and what it means somewhere at a moment. */
interface NaiveWording {
  readonly filter: string;
  readonly within: (zone: NaiveZone, nowMs: number) => NaiveRange;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const ofToday = (meaning: (zone: NaiveZone, today: number, nowMs: number) => NaiveRange) => {
  return (zone: NaiveZone, nowMs: number): NaiveRange => meaning(zone, zone.dayOf(nowMs), nowMs);
};
const monthOf = (zone: NaiveZone, day: number, away: number): NaiveRange => {
  const date = new Date(day);
  const startOf = (month: number): number => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + month, 1);
  return zone.days(startOf(away), startOf(away + 1) - DAY_MS);
};

const wording: fc.Arbitrary<NaiveWording> = fc.oneof(
  fc.constantFrom<NaiveWording>(
    { filter: 'today', within: ofToday((zone, today) => zone.days(today)) },
    { filter: 'yesterday', within: ofToday((zone, today) => zone.days(today - DAY_MS)) },
    {
      filter: 'yesterday evening',
      within: ofToday((zone, today) => ({
        startMs: zone.momentOf(today - 7 * HOUR_MS),
        endMs: zone.momentOf(today) - 1,
      })),
    },
    {
      filter: 'this week',
      within: ofToday((zone, today) => zone.days(mondayOf(today), mondayOf(today) + 6 * DAY_MS)),
    },
    { filter: 'this month', within: ofToday((zone, today) => monthOf(zone, today, 0)) },
    { filter: 'until yesterday', within: ofToday((zone, today) => untilDay(zone, today - DAY_MS)) },
  ),
  fc.integer({ min: 1, max: 400 }).map((hours) => ({
    filter: `${hours}h`,
    within: (_: NaiveZone, nowMs: number) => ({ startMs: nowMs - hours * HOUR_MS, endMs: nowMs }),
  })),
  fc.integer({ min: 1, max: 60 }).map((days) => ({
    filter: `last ${days} days`,
    within: (zone: NaiveZone, nowMs: number) => ({
      startMs: zone.momentOf(zone.wallOf(nowMs) - days * DAY_MS),
      endMs: nowMs,
    }),
  })),
  fc.integer({ min: 1, max: 60 }).map((days) => ({
    filter: `${days} days ago`,
    within: ofToday((zone, today) => zone.days(today - days * DAY_MS)),
  })),
  fc.nat(6).map((weekday) => ({
    filter: `since ${WEEKDAYS[weekday]}`,
    within: ofToday((zone, today, nowMs) => {
      let day = today - DAY_MS;
      while (weekdayOf(day) !== weekday) day -= DAY_MS;
      return { startMs: zone.momentOf(day), endMs: nowMs };
    }),
  })),
  fc.nat(500).map((away) => {
    const day = Date.UTC(2025, 5, 1) + away * DAY_MS;
    const filter = new Date(day).toISOString().slice(0, 10);
    return { filter, within: (zone: NaiveZone) => zone.days(day) };
  }),
);

function untilDay(zone: NaiveZone, day: number): NaiveRange {
  return { startMs: EARLIEST_MS, endMs: zone.momentOf(day) - 1 };
}

type Filter = Pick<MemoryQuery, 'within' | 'timeRange'>;
interface Asked {
  readonly filter: Filter;
  readonly meaning: (zone: NaiveZone, nowMs: number) => NaiveRange;
}

/** From one day to another, most of them around changes of clocks, each end a whole day or left out. */
const wholeDays: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom('2026-03-06', '2026-03-27', '2026-04-03', '2026-05-30', '2025-10-24', '2025-12-31'),
    fc.nat(4),
    fc.nat(2),
    fc.constantFrom('both' as const, 'start' as const, 'end' as const),
  )
  .map(([day, later, count, ends]) => {
    const first = Date.parse(day) + later * DAY_MS;
    const last = first + count * DAY_MS;
    const written = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const timeRange = {
      ...(ends === 'end' ? {} : { start: written(first) }),
      ...(ends === 'start' ? {} : { end: written(last) }),
    };
    return {
      filter: { timeRange },
      meaning: (zone) => {
        const { startMs, endMs } = zone.days(first, last);
        return {
          startMs: ends === 'end' ? Number.NEGATIVE_INFINITY : startMs,
          endMs: ends === 'start' ? Number.POSITIVE_INFINITY : endMs,
        };
      },
    };
  });
const inWords: fc.Arbitrary<Asked> = wording.map(({ filter, within }) => ({
  filter: { within: filter },
  meaning: within,
}));

it('lets through what lies between the edges of a time, and nothing beside them', async () => {
  const property = fc.asyncProperty(
    fc.oneof(wholeDays, inWords),
    timeZone,
    timeZone,
    moment,
    fc.constantFrom('now' as const, 'asOf' as const),
    async ({ filter, meaning }, home, asked, nowMs, kind) => {
      const { startMs, endMs } = meaning(zoneOf(asked ?? home), nowMs);
      const config = home === undefined ? {} : { time_zone: home };
      await using memory = new MemoryManager({
        store: new MemoryStore(),
        clock: new FakeClock(nowMs),
        config,
      });
      const { id: session } = await memory.createSession('ada');
      const edges = [startMs - 1, startMs, endMs, endMs + 1].filter(
        (ms) => Number.isFinite(ms) && ms > Date.UTC(1000, 0, 2),
      );
      const times = [...new Set(edges)].sort((left, right) => left - right);
      await memory.addMemories(
        session,
        times.map((ms) => {
          return { type: 'finding', content: { text: 'roses' }, timestamp: new Date(ms).toISOString() };
        }),
      );
      const query: MemoryQuery = {
        ...filter,
        [kind]: new Date(nowMs),
        ...(asked === undefined ? {} : { timeZone: asked }),
        sortBy: 'time',
      };
      const isKnown = (ms: number): boolean => kind === 'now' || ms <= nowMs;
      const expected = times.filter((ms) => ms >= startMs && ms <= endMs && isKnown(ms));
      if (startMs > endMs) {
        await expect(memory.queryMemories(session, query)).rejects.toMatchObject({ code: 'INVALID_QUERY' });
        return;
      }
      const found = await memory.queryMemories(session, query);
      expect(found.map(({ timestamp }) => Date.parse(timestamp)).reverse()).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: sized(400, 20_000) });
});
