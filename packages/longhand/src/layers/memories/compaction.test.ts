import { describe, expect, test } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import { MemoryManager, type MemoryManagerOptions, MemoryStore, type NewMemory } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const DAY_MS = 86_400_000;
const SESSION = 'kept';

async function open(
  options: MemoryManagerOptions = {},
): Promise<{ manager: MemoryManager; clock: FakeClock; store: MemoryStore }> {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const manager = new MemoryManager({ store, clock, ...options });
  await manager.createSession('ada', { session_id: SESSION });
  return { manager, clock, store };
}

const memory = (id: string, more: Partial<NewMemory> = {}): NewMemory => ({
  type: 'conversation',
  id,
  content: { text: id },
  importance: 0.2,
  ...more,
});

async function idsOf(manager: MemoryManager): Promise<string[]> {
  const lines = (await manager.exportSession(SESSION, 'jsonl')).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { id: string }).id);
}

describe('what a compaction drops', () => {
  test('deleted memories, always, and nothing else unless it is asked to', async () => {
    const { manager, clock } = await open();
    await manager.addMemories(
      SESSION,
      ['a', 'b', 'c'].map((id) => memory(id)),
    );
    await manager.deleteMemory(SESSION, 'b');
    clock.advance(3_650 * DAY_MS);
    const report = await manager.compactSession(SESSION);
    expect(report).toMatchObject({
      entries_before: 3,
      entries_after: 2,
      dropped: [{ id: 'b', reason: 'deleted' }],
      trimmed: [],
      quarantined: 0,
    });
    expect(report.bytes_after).toBeLessThan(report.bytes_before + 2_000);
    expect(String(report.duration_ms)).toMatch(/^\d+(\.\d{1,3})?$/);
    expect(await idsOf(manager)).toEqual(['a', 'c']);
    expect((await manager.compactSession(SESSION)).dropped).toEqual([]);
  });

  test('nothing, and leaves a log alone that has nothing to take out, when it is asked to', async () => {
    const { manager, store } = await open();
    const log = async (): Promise<string> =>
      (await readLog(store, { kind: 'session', id: SESSION })).lines.map(({ text }) => text).join('\n');
    const compact = (dryRun = false) => manager.compactSession(SESSION, { onlyIfNeeded: true, dryRun });
    await manager.addMemories(
      SESSION,
      ['a', 'b', 'c'].map((id) => memory(id)),
    );
    const before = await log();
    const { bytes_before, bytes_after } = await compact();
    expect([bytes_after, await log()]).toEqual([bytes_before, before]);
    // A record that is no longer needed, and shorter than the one that would close the new log.
    await manager.setImportance(SESSION, 'a', 0.9);
    const changed = await log();
    expect((await compact()).bytes_after).toBe((await manager.getSessionStats(SESSION)).total_size_bytes);
    expect(await log()).toBe(changed);
    await manager.deleteMemory(SESSION, 'b');
    const rehearsed = await compact(true);
    expect(rehearsed.dropped).toEqual([{ id: 'b', reason: 'deleted' }]);
    expect(await compact()).toMatchObject({ dropped: rehearsed.dropped });
    expect(await log()).not.toContain('"id":"b","session_id"');
    const done = await log();
    await compact();
    expect(await log()).toBe(done);
  });

  test('not what a fresher relative keeps young, where related memories decay together', async () => {
    const related = { config: { decay: { related: { enabled: true, share: 0.5 } } } };
    for (const [options, dropped] of [
      [{}, ['old']],
      [related, []],
    ] as const) {
      const { manager, clock } = await open(options);
      await manager.addMemory(SESSION, memory('old', { importance: 0.4, references: ['new'] }));
      clock.advance(28 * DAY_MS);
      await manager.addMemory(SESSION, memory('new'));
      const [found] = await manager.queryMemories(SESSION, { text: 'old' });
      const report = await manager.compactSession(SESSION, { dropFaded: true });
      expect(report.dropped.map(({ id }) => id)).toEqual(dropped);
      expect(found!.relevance < 0.05).toBe(dropped.length === 1);
    }
  });

  test('faded memories when asked: relevance below 0.05, and not a moment earlier', async () => {
    const { manager, clock } = await open();
    // 0.4 fades to 0.05 when its decay is 1/8: three half lives of a week.
    await manager.addMemories(SESSION, [
      memory('fades', { importance: 0.4 }),
      memory('stays', { importance: 0.5 }),
    ]);
    clock.advance(21 * DAY_MS - 1);
    expect((await manager.compactSession(SESSION, { dropFaded: true })).dropped).toEqual([]);
    clock.advance(DAY_MS);
    expect((await manager.compactSession(SESSION, { dropFaded: true })).dropped).toEqual([
      { id: 'fades', reason: 'faded' },
    ]);
    clock.advance(3_650 * DAY_MS);
    // The floor of 0.1 keeps an importance of 0.5 at the threshold for ever.
    expect((await manager.compactSession(SESSION, { dropFaded: true })).dropped).toEqual([]);
    expect(await idsOf(manager)).toEqual(['stays']);
  });

  test('never a preference, however old and unimportant', async () => {
    const { manager, clock } = await open({
      config: { decay: { type_specific: { preference: { half_life_hours: 1 } } } },
    });
    await manager.addMemory(SESSION, memory('tea', { type: 'preference', importance: 0 }));
    clock.advance(3_650 * DAY_MS);
    expect((await manager.compactSession(SESSION, { dropFaded: true })).dropped).toEqual([]);
  });

  test('never what a kept memory refers to, however many steps away', async () => {
    const { manager, clock } = await open();
    await manager.addMemories(SESSION, [
      memory('root'),
      memory('middle', { references: ['root', 'nowhere'] }),
      memory('top', { references: ['middle'] }),
      memory('alone'),
      memory('pair_1', { references: ['pair_2'] }),
      memory('pair_2', { references: ['pair_1'] }),
    ]);
    clock.advance(365 * DAY_MS);
    await manager.addMemory(SESSION, memory('new', { importance: 1, references: ['top'] }));
    const { dropped } = await manager.compactSession(SESSION, { dropFaded: true });
    expect(dropped.map(({ id }) => id)).toEqual(['alone', 'pair_1', 'pair_2']);
    expect(await idsOf(manager)).toEqual(['root', 'middle', 'top', 'new']);
  });

  test('what a deleted memory refers to is not kept for its sake', async () => {
    const { manager, clock } = await open();
    await manager.addMemories(SESSION, [
      memory('old'),
      memory('keeper', { importance: 1, type: 'preference', references: ['old'] }),
    ]);
    clock.advance(365 * DAY_MS);
    expect((await manager.compactSession(SESSION, { dropFaded: true, dryRun: true })).dropped).toEqual([]);
    await manager.deleteMemory(SESSION, 'keeper');
    const { dropped } = await manager.compactSession(SESSION, { dropFaded: true });
    expect(dropped).toEqual([
      { id: 'old', reason: 'faded' },
      { id: 'keeper', reason: 'deleted' },
    ]);
  });

  test('a session’s own decay settings count', async () => {
    const { manager, clock } = await open();
    await manager.addMemory(SESSION, memory('a'));
    clock.advance(365 * DAY_MS);
    await manager.updateSession(SESSION, { decay_config: { enabled: false } });
    expect((await manager.compactSession(SESSION, { dropFaded: true, dryRun: true })).dropped).toEqual([]);
    await manager.updateSession(SESSION, { decay_config: { enabled: true, min_decay_factor: 0.5 } });
    expect((await manager.compactSession(SESSION, { dropFaded: true, dryRun: true })).dropped).toEqual([]);
    await manager.updateSession(SESSION, { decay_config: { min_decay_factor: 0 } });
    expect((await manager.compactSession(SESSION, { dropFaded: true, dryRun: true })).dropped).toHaveLength(
      1,
    );
  });
});

describe('what a compaction changes', () => {
  test('nothing in a dry run, which reports what the real run then does', async () => {
    const { manager, clock, store } = await open({ config: { storage: { trim_metadata_after_days: 30 } } });
    const content = { text: 'x', metadata: { long: 'y'.repeat(200) } };
    await manager.addMemories(SESSION, [memory('a'), memory('b', { importance: 0.9, content }), memory('c')]);
    await manager.deleteMemory(SESSION, 'c');
    clock.advance(365 * DAY_MS);
    const log = async () =>
      (await readLog(store, { kind: 'session', id: SESSION })).lines.map(({ text }) => text);
    const before = await log();
    const rehearsed = await manager.compactSession(SESSION, { dropFaded: true, dryRun: true });
    expect(await log()).toEqual(before);
    expect(rehearsed.bytes_after).toBeLessThan(rehearsed.bytes_before);
    const real = await manager.compactSession(SESSION, { dropFaded: true });
    const essence = ({
      dropped,
      trimmed,
      quarantined,
      entries_before,
      entries_after,
      bytes_before,
    }: typeof real) => ({ dropped, trimmed, quarantined, entries_before, entries_after, bytes_before });
    expect(essence(rehearsed)).toEqual(essence(real));
    expect(real).toMatchObject({ trimmed: ['b'], entries_before: 3, entries_after: 1 });
  });

  test('metadata of entries older than trim_metadata_after_days, and only that', async () => {
    const { manager, clock } = await open({ config: { storage: { trim_metadata_after_days: 30 } } });
    const content = { role: 'user', message: 'x', metadata: { long: 'y' } };
    await manager.addMemories(SESSION, [memory('old', { content }), memory('plain')]);
    clock.advance(20 * DAY_MS);
    await manager.addMemory(SESSION, memory('newer', { content }));
    clock.advance(10 * DAY_MS);
    expect((await manager.compactSession(SESSION)).trimmed).toEqual(['old']);
    expect((await manager.getMemory(SESSION, 'old'))!.content).toEqual({ role: 'user', message: 'x' });
    expect((await manager.getMemory(SESSION, 'newer'))!.content).toEqual(content);
    expect((await manager.compactSession(SESSION)).trimmed).toEqual([]);
  });

  test('by default no metadata is ever trimmed', async () => {
    const { manager, clock } = await open();
    await manager.addMemory(SESSION, memory('old', { content: { metadata: { a: 1 } }, importance: 1 }));
    clock.advance(3_650 * DAY_MS);
    expect((await manager.compactSession(SESSION, { dropFaded: true })).trimmed).toEqual([]);
  });

  test('sequence numbers go on rising, whatever was dropped, and deleted ids stay gone', async () => {
    const { manager, store } = await open();
    const lastSeq = async () => (await readLog(store, { kind: 'session', id: SESSION })).position.lastSeq;
    await manager.addMemories(
      SESSION,
      ['a', 'b', 'c'].map((id) => memory(id)),
    );
    await manager.deleteMemory(SESSION, 'c');
    const before = await lastSeq();
    await manager.compactSession(SESSION);
    const after = await lastSeq();
    expect(after).toBeGreaterThan(before);
    await manager.addMemory(SESSION, memory('d'));
    expect(await lastSeq()).toBe(after + 1);
    for (let i = 0; i < 3; i++) await manager.compactSession(SESSION);
    await expect(manager.addMemory(SESSION, memory('c'))).rejects.toMatchObject({ code: 'ID_DELETED' });
    const { lines } = await readLog(store, { kind: 'session', id: SESSION });
    // One record closes the log; those of earlier compactions are gone.
    expect(lines.filter(({ text }) => text.includes('"record":"compaction"'))).toHaveLength(1);
    expect((await manager.getSessionStats(SESSION)).corruption.sequence).toBe(0);
  });

  test('the settings of the session survive, each change of them', async () => {
    const { manager } = await open();
    await manager.updateSession(SESSION, { agents: ['ann'], preferences: { language: 'de' } });
    await manager.updateSession(SESSION, { preferences: { verbosity: 'low', custom: { a: 1 } } });
    const before = await manager.loadSession(SESSION);
    await manager.compactSession(SESSION);
    expect(await manager.loadSession(SESSION)).toEqual(before);
    expect(before).toMatchObject({
      agents: ['ann'],
      preferences: { language: 'de', verbosity: 'low', custom: { a: 1 } },
    });
  });
});
