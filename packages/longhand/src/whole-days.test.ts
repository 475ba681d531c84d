import { afterEach, describe, expect, it } from 'vitest';
import { STORES } from '../test/open-stores.ts';
import type { TimeRange } from './core/day-range.ts';
import { MemoryManager } from './memory-manager.ts';

const ADA = { account_id: 'local', user_id: 'ada' } as const;
const HOUR_MS = 3_600_000;
const DAY = '2026-05-14';

/**
 * A memory right before, at the first and at the last moment of a day, and right behind it. Auckland is twelve hours
 * ahead of UTC then, Los Angeles seven behind it.
 */
const ZONES = { UTC: 0, 'Pacific/Auckland': 12, 'America/Los_Angeles': -7 } as const;
const BORDERS = Object.entries(ZONES).flatMap(([zone, ahead]) => {
  const startMs = Date.parse(`${DAY}T00:00:00Z`) - ahead * HOUR_MS;
  const endMs = startMs + 24 * HOUR_MS - 1;
  return [startMs - 1, startMs, endMs, endMs + 1].map((ms) => ({ zone, ms }));
});

const RANGES: Readonly<Record<string, TimeRange>> = {
  'a day': { start: DAY, end: DAY },
  'days to days': { start: '2026-05-13', end: DAY },
  'a day to a moment': { start: DAY, end: '2026-05-14T22:00:00Z' },
  'a moment to a day': { start: '2026-05-14T03:00:00Z', end: DAY },
  moments: { start: '2026-05-14T00:00:00Z', end: '2026-05-14T23:59:59.999Z' },
  'a Date to a day': { start: new Date('2026-05-14T03:00:00Z'), end: DAY },
};

describe.each(STORES)('a range of days on the %s store', (_name, open) => {
  let manager: MemoryManager;
  afterEach(() => manager.close());

  async function setUp(config = {}): Promise<void> {
    manager = new MemoryManager({ store: open()(), config });
    await manager.createSession('ada', { session_id: 's' });
    const entries = BORDERS.map(({ ms }, i) => ({
      id: `mem_${i}`,
      type: 'finding' as const,
      content: { text: `Number ${i}` },
      timestamp: new Date(ms).toISOString(),
    }));
    await manager.addMemories('s', entries);
  }

  const idsLeft = async (): Promise<string[]> =>
    (await manager.queryMemories('s', {})).map(({ id }) => id).sort();

  const CASES = Object.keys(RANGES).flatMap((name) =>
    Object.keys(ZONES).map((zone) => [name, zone] as const),
  );

  it.each(CASES)(
    'means the same to a query, a deletion and a forgetting: %s in %s',
    async (name, timeZone) => {
      const timeRange = RANGES[name]!;
      const { start, end } = timeRange;
      await setUp();
      const meant = (await manager.queryMemories('s', { timeRange, timeZone })).map(({ id }) => id).sort();
      const stays = (await idsLeft()).filter((id) => !meant.includes(id));
      expect(meant.length * stays.length).toBeGreaterThan(0);

      const moments = await manager.timeRangeOf(timeRange, { timeZone });
      const within = BORDERS.filter(
        ({ ms }) => Date.parse(moments.start) <= ms && ms <= Date.parse(moments.end),
      );
      expect(within.length).toBe(meant.length);

      const { privacy } = await manager.layers();
      for (const scope of [{ user: 'ada' }, { session: 's' }]) {
        const preview = await privacy.preview({ ...scope, timeRange, timeZone });
        expect(preview).toMatchObject({ memories: meant.length, time_range: moments });
      }
      const dryRun = { dryRun: true, timeZone };
      expect(await manager.deleteMemoriesByTimeRange('s', start, end, dryRun)).toBe(meant.length);
      expect(await idsLeft()).toHaveLength(BORDERS.length);

      expect(await manager.deleteMemoriesByTimeRange('s', start, end, { timeZone })).toBe(meant.length);
      expect(await idsLeft()).toEqual(stays);
      await manager.close();

      await setUp();
      const layers = await manager.layers();
      const receipt = await layers.privacy.forget({ user: 'ada', timeRange, timeZone });
      expect(receipt).toMatchObject({ pieces: { memories: meant.length }, time_range: moments });
      expect(await idsLeft()).toEqual(stays);
    },
  );

  it('takes exactly the day, in the zone of the call, of the scope, or of the store', async () => {
    for (const zone of Object.keys(ZONES)) {
      const first = BORDERS.findIndex((border) => border.zone === zone);
      const own = [first, first + 1, first + 2, first + 3].map((i) => `mem_${i}`);
      for (const way of ['call', 'scope', 'store', 'forget']) {
        await setUp(way === 'store' ? { time_zone: zone } : {});
        const memory = manager.as(ADA, way === 'call' || way === 'store' ? {} : { timeZone: zone });
        const options = way === 'call' ? { timeZone: zone } : {};
        if (way === 'forget') await memory.forget({ user: 'ada', timeRange: { start: DAY, end: DAY } });
        else await memory.deleteMemoriesByTimeRange('s', DAY, DAY, options);
        const left = (await idsLeft()).filter((id) => own.includes(id));
        expect(left, `${zone} by ${way}`).toEqual([own[0], own[3]].sort());
        await manager.close();
      }
    }
  });

  it('knows days on which the clocks change', async () => {
    await setUp();
    const timeZone = 'Europe/Berlin';
    const lengthOf = async (day: string): Promise<number> => {
      const { start, end } = await manager.timeRangeOf({ start: day, end: day }, { timeZone });
      return (Date.parse(end) + 1 - Date.parse(start)) / HOUR_MS;
    };
    expect(await lengthOf('2026-03-29')).toBe(23);
    expect(await lengthOf('2026-03-30')).toBe(24);
    expect(await lengthOf('2026-10-25')).toBe(25);
  });

  it('reaches to the ends of time, wherever it is asked', async () => {
    for (const timeZone of ['America/Los_Angeles', 'Pacific/Auckland']) {
      await setUp();
      const ever = { start: '0000-01-01', end: '9999-12-31' };
      const { start, end } = await manager.timeRangeOf(ever, { timeZone });
      expect(start).toMatch(/^0000-01-01T/);
      expect(end).toMatch(/^9999-12-31T/);
      expect(await manager.deleteMemoriesByTimeRange('s', start, end, { dryRun: true })).toBe(BORDERS.length);
      expect(await manager.as(ADA, { timeZone }).deleteMemoriesByTimeRange('s', ever.start, ever.end)).toBe(
        BORDERS.length,
      );
      await manager.close();
    }
  });

  it('refuses what ends before it begins, what is no time and what is no zone, and deletes nothing', async () => {
    await setUp();
    const { privacy } = await manager.layers();
    const wrong: readonly (readonly [string, string, string, string | undefined])[] = [
      ['INVALID_OPTION', '2026-05-15', DAY, undefined],
      // Right in UTC, and the wrong way round where the day begins later.
      ['INVALID_OPTION', DAY, '2026-05-14T03:00:00Z', 'America/Los_Angeles'],
      ['INVALID_TIMESTAMP', 'yesterday', DAY, undefined],
      ['INVALID_TIMESTAMP', DAY, '2026-02-30', undefined],
      ['INVALID_TIMESTAMP', undefined as unknown as string, DAY, undefined],
      ['INVALID_TIMESTAMP', DAY, undefined as unknown as string, undefined],
      ['INVALID_OPTION', DAY, DAY, 'Mars/Olympus'],
    ];
    for (const [code, start, end, timeZone] of wrong) {
      const zone = timeZone === undefined ? {} : { timeZone };
      const request = { user: 'ada', timeRange: { start, end }, ...zone };
      for (const call of [
        () => manager.deleteMemoriesByTimeRange('s', start, end, zone),
        () => privacy.preview(request),
        () => privacy.forget(request),
      ])
        await expect(call(), `${start} to ${end}`).rejects.toMatchObject({ code });
    }
    const noRange = { user: 'ada', timeRange: null as unknown as TimeRange };
    await expect(privacy.forget(noRange)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(manager.timeRangeOf({ start: '2026-05-15', end: DAY })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(await idsLeft()).toHaveLength(BORDERS.length);
  });
});
