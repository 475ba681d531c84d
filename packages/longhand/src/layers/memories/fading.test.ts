import { describe, expect, test } from 'vitest';
import { MemoryManager, type MemoryManagerOptions, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SESSION = 'one';
const START = Date.parse('2026-03-01T00:00:00Z');

interface Opened {
  readonly manager: MemoryManager;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
}

async function open(config: NonNullable<MemoryManagerOptions['config']> = {}): Promise<Opened> {
  const clock = new FakeClock(START);
  const store = new MemoryStore();
  const manager = new MemoryManager({ store, clock, config });
  await manager.createSession('ada', { session_id: SESSION });
  return { manager, clock, store };
}

async function add(manager: MemoryManager): Promise<void> {
  const content = { text: 'something' };
  await manager.addMemories(SESSION, [
    { id: 'mem_talk', type: 'conversation', content, importance: 0.2 },
    { id: 'mem_find', type: 'finding', content, importance: 0.2 },
    { id: 'mem_firm', type: 'decision', content, importance: 0.9 },
    { id: 'mem_like', type: 'preference', content, importance: 0.06 },
    { id: 'mem_dull', type: 'preference', content, importance: 0.01 },
  ]);
}

const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);

describe('previewFading', () => {
  test('says what falls below the threshold, and when: the moment before it is above, then below', async () => {
    const { manager, clock } = await open();
    await add(manager);
    const preview = await manager.previewFading(SESSION);
    expect(idsOf(preview)).toEqual(['mem_dull', 'mem_talk', 'mem_find']);
    expect(preview[0]).toEqual({
      id: 'mem_dull',
      type: 'preference',
      importance: 0.01,
      relevance: 0.015,
      relevance_next_week: 0.0100390625,
      fades_at: new Date(START).toISOString(),
      uses: 0,
    });
    // 0.2 halves twice to 0.05: two weeks for talk, four for what was found, and a little for recency.
    const daysUntil = (at: number): number => (Date.parse(preview[at]!.fades_at!) - START) / DAY_MS;
    expect(daysUntil(1)).toBeCloseTo(14, 2);
    expect(daysUntil(2)).toBeCloseTo(28, 2);

    const fadesAtMs = Date.parse(preview[1]!.fades_at!);
    const relevanceAt = async (ms: number): Promise<number> => {
      const found = await manager.queryMemories(SESSION, { types: ['conversation'], now: new Date(ms) });
      return found[0]!.relevance;
    };
    expect(await relevanceAt(fadesAtMs - 1)).toBeGreaterThanOrEqual(0.05);
    expect(await relevanceAt(fadesAtMs)).toBeLessThan(0.05);
    clock.advance(fadesAtMs - START);
    const report = await manager.compactSession(SESSION, { dryRun: true, dropFaded: true });
    expect(idsOf(report.dropped)).toEqual(['mem_talk']);
    await manager.close();
  });

  test('takes a threshold, a time, a limit, and what lasts', async () => {
    const { manager } = await open();
    await add(manager);
    const preview = async (options: Parameters<MemoryManager['previewFading']>[1]): Promise<string[]> =>
      idsOf(await manager.previewFading(SESSION, options));
    expect(await preview({ threshold: 0.2 })).toEqual([
      'mem_dull',
      'mem_like',
      'mem_talk',
      'mem_find',
      'mem_firm',
    ]);
    expect(await preview({ threshold: 0 })).toEqual([]);
    expect(await preview({ within: '15 days' })).toEqual(['mem_dull', 'mem_talk']);
    expect(await preview({ within: 'P4W' })).toEqual(['mem_dull', 'mem_talk']);
    expect(await preview({ within: 'next month' })).toEqual(['mem_dull', 'mem_talk', 'mem_find']);
    expect(await preview({ within: 'the next 15 days' })).toEqual(['mem_dull', 'mem_talk']);
    expect(await preview({ within: 'in 15 days' })).toEqual(['mem_dull', 'mem_talk']);
    expect(await preview({ within: 'today' })).toEqual(['mem_dull']);
    expect(await preview({ limit: 1 })).toEqual(['mem_dull']);
    expect(await preview({ limit: 0 })).toEqual([]);
    const all = await manager.previewFading(SESSION, { includeLasting: true });
    expect(all.slice(3).map(({ id, fades_at }) => [id, fades_at])).toEqual([
      ['mem_firm', null],
      ['mem_like', null],
    ]);
    await manager.close();
  });

  test('follows the session’s own curve, changed importances, and deletions', async () => {
    const { manager } = await open();
    await add(manager);
    await manager.updateSession(SESSION, { decay_config: { half_life_hours: 24 } });
    await manager.setImportance(SESSION, 'mem_talk', 0.8);
    await manager.deleteMemory(SESSION, 'mem_find');
    await manager.deleteMemory(SESSION, 'mem_dull');
    const preview = await manager.previewFading(SESSION);
    expect(preview).toEqual([]);
    await manager.updateSession(SESSION, { decay_config: { min_decay_factor: 0 } });
    const [first, second] = await manager.previewFading(SESSION);
    expect(first).toMatchObject({ id: 'mem_talk', importance: 0.8 });
    expect(second).toMatchObject({ id: 'mem_firm', importance: 0.9 });
    // 0.8 halves four times to 0.05.
    expect((Date.parse(first!.fades_at!) - START) / DAY_MS).toBeCloseTo(4, 0);
    await manager.close();
  });

  test('counts uses that the log tells of, and relatives in the session', async () => {
    const decay = { reinforcement: { enabled: true }, related: { enabled: true } };
    const { manager, clock, store } = await open({ decay });
    const content = { text: 'something' };
    await manager.addMemories(SESSION, [
      { id: 'mem_plain', type: 'conversation', content, importance: 0.2 },
      { id: 'mem_old', type: 'conversation', content, importance: 0.2 },
    ]);
    const before = await manager.previewFading(SESSION);
    clock.advance(2 * DAY_MS);
    await manager.addMemory(SESSION, { type: 'decision', content, references: ['mem_old'], importance: 0.9 });
    const related = await manager.previewFading(SESSION);
    expect(idsOf(related)).toEqual(['mem_plain', 'mem_old']);
    expect(related[0]!.fades_at).toBe(before[1]!.fades_at);
    // Half way towards a relative that is two days younger.
    expect(Date.parse(related[1]!.fades_at!) - Date.parse(related[0]!.fades_at!)).toBeCloseTo(DAY_MS, -6);

    const record = {
      schema_version: 1,
      record: 'access',
      session_id: SESSION,
      timestamp: '2026-03-03T00:00:00Z',
    };
    await store.append({ kind: 'session', id: SESSION }, [
      JSON.stringify({ ...record, uses: { mem_plain: 5 } }),
    ]);
    const used = (await manager.previewFading(SESSION)).find(({ id }) => id === 'mem_plain')!;
    // Five uses reach half of what use can do: the half life doubles.
    expect((Date.parse(used.fades_at!) - START) / DAY_MS).toBeCloseTo(28, 1);
    expect(used.relevance).toBeGreaterThan(related[0]!.relevance);
    await manager.close();
  });

  test('refuses what it cannot do', async () => {
    const { manager } = await open();
    const refused = { code: 'INVALID_OPTION' };
    const wrong: unknown[] = [
      { threshold: -1 },
      { threshold: 2 },
      { threshold: Number.NaN },
      { limit: 1.5 },
      { limit: -1 },
      { within: 'soonish' },
      { within: 'yesterday' },
      { within: 'last week' },
      { within: 'past 3 days' },
      { within: 'since Monday' },
      { within: '24h ago' },
      { until: '30 days' },
    ];
    for (const options of wrong) {
      await expect(manager.previewFading(SESSION, options as object)).rejects.toMatchObject(refused);
    }
    await expect(manager.previewFading('other')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await manager.close();
  });
});
