/** Filters by time let through what lies in a time by the calendar of a place, to the millisecond. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryManager, type MemoryQuery, MemoryStore } from '../src/index.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { sized } from './campaign.ts';
import { NaivePlace, type NaiveRange, wording } from './naive/naive-wordings.ts';
import { DAY_MS, type NaiveZone, zoneOf } from './naive/naive-zone.ts';
import { moment, timeZone } from './search-cases.ts';

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
  meaning: (zone, nowMs) => within(new NaivePlace(zone, nowMs)),
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
