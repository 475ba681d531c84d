import { describe, expect, test } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import { type LogStore, MemoryManager, type MemoryManagerOptions, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';
import { lasting } from '../../testing/lasting-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A store that tells what is added to it, and how many bytes of a log are read from its start, at most. */
function counting(store: LogStore): { store: LogStore; records: string[]; readBytes: number[] } {
  const records: string[] = [];
  const readBytes: number[] = [];
  const read: LogStore['read'] = (wanted) => {
    for (const { after, maxBytes = Number.POSITIVE_INFINITY } of wanted)
      if (after === undefined) readBytes.push(maxBytes);
    return store.read(wanted);
  };
  const append: LogStore['append'] = (log, bodies, options) => {
    if (typeof bodies !== 'function') records.push(...bodies);
    return store.append(log, bodies, options);
  };
  const counted = new Proxy(store, {
    get: (target, name) => {
      if (name === 'append') return append;
      if (name === 'read') return read;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: counted, records, readBytes };
}

async function open(config: MemoryManagerOptions['config'] = {}) {
  const clock = new FakeClock();
  const { store, records, readBytes } = counting(lasting(new MemoryStore()));
  const openManager = (): MemoryManager => new MemoryManager({ store, clock, config, semantic: false });
  const manager = openManager();
  await manager.createSession('ada', { session_id: 'one' });
  await manager.createSession('ada', { session_id: 'two' });
  await manager.addMemories('one', [
    { id: 'a', type: 'conversation', content: { text: 'green tea' } },
    { id: 'b', type: 'finding', content: { text: 'black tea' } },
  ]);
  await manager.addMemory('two', { id: 'c', type: 'finding', content: { text: 'white tea' } });
  clock.advance(30 * DAY_MS);
  records.splice(0);
  return { manager, openManager, clock, records, readBytes, store };
}

const accessesIn = (records: readonly string[]): { session_id: string; uses: unknown }[] =>
  records.map((record) => JSON.parse(record) as { session_id: string; uses: unknown });

describe('uses of memories', () => {
  test('go with their session, and no failure is reported', async () => {
    const { manager, records } = await open();
    const told: string[] = [];
    manager.subscribe(({ kind }) => told.push(kind));
    await manager.queryMemories('one', { text: 'tea', scope: 'user' });
    await manager.deleteSession('one');
    await manager.close();
    expect(accessesIn(records).map(({ session_id }) => session_id)).toEqual(['two']);
    expect(told).not.toContain('io-failed');
  });

  test('are written down when another process has created the session again for the same user', async () => {
    const { manager, openManager, records, store } = await open();
    await manager.close();
    records.splice(0);
    const [one, other] = [openManager(), openManager()];
    const ada = one.as({ account_id: 'local', user_id: 'ada' });
    // Both uses wait to be written down when the session is another one: what is gone is not named in it.
    expect(await ada.queryMemories('one', { text: 'green' })).toHaveLength(1);
    await other.deleteSession('one');
    await other.createSession('ada', { session_id: 'one' });
    await other.addMemory('one', { id: 'again', type: 'finding', content: { text: 'green tea again' } });
    expect((await ada.queryMemories('one', { text: 'green' })).map(({ id }) => id)).toEqual(['again']);
    records.splice(0);
    await one.close();
    expect(
      accessesIn(records)
        .map(({ session_id, uses }) => [session_id, uses])
        .at(-1),
    ).toEqual(['one', { again: 1 }]);
    const { lines } = await readLog(store, { kind: 'session', id: 'one' });
    expect(lines.filter(({ text }) => text.includes('"record":"access"'))).toHaveLength(1);
    await other.close();
  });

  test('are written down after a look at the beginning of a log, however long it is', async () => {
    const { manager, openManager, records, readBytes } = await open();
    await manager.close();
    const other = openManager();
    await other.queryMemories('one', { text: 'tea', scope: 'user' });
    readBytes.splice(0);
    await other.close();
    expect(accessesIn(records).map(({ session_id }) => session_id)).toEqual(['one', 'two']);
    expect(readBytes.length).toBeGreaterThan(0);
    expect(Math.max(...readBytes)).toBeLessThan(100_000);
  });

  test('cost no write when they happen, and one record a session when the manager closes', async () => {
    const { manager, records } = await open();
    for (let i = 0; i < 20; i++) await manager.queryMemories('one', { text: 'tea', scope: 'user' });
    await manager.queryMemories('one', { text: '"green tea"' });
    expect(records).toEqual([]);
    await manager.close();
    expect(accessesIn(records).map(({ session_id, uses }) => [session_id, uses])).toEqual([
      ['one', { a: 21, b: 20 }],
      ['two', { c: 20 }],
    ]);
  });

  test('change the recency of a memory, and no score before they are in the log', async () => {
    const { manager, openManager } = await open();
    const ask = (asked: MemoryManager) => asked.queryMemories('one', { text: '"green tea"', explain: true });
    const [first] = await ask(manager);
    expect(first!.explanation!.recency).toBeCloseTo(1, 6);
    expect(await ask(manager)).toEqual([first]);
    await manager.close();
    const again = openManager();
    const [later] = await ask(again);
    expect(later!.explanation!.recency).toBe(1.5);
    expect(later!.explanation!.decay).toBe(first!.explanation!.decay);
    await again.close();
  });

  test('are not counted for a question about another moment', async () => {
    const { manager, clock, records } = await open();
    await manager.queryMemories('one', { text: 'tea', now: new Date(clock.now()) });
    await manager.queryMemories('one', { text: 'tea', asOf: new Date(clock.now()) });
    await manager.searchSessions('ada', 'tea');
    await manager.close();
    expect(records).toEqual([]);
  });

  test('slow decay when the configuration says so', async () => {
    for (const enabled of [false, true]) {
      const { manager, openManager } = await open({ decay: { reinforcement: { enabled } } });
      const ask = (asked: MemoryManager) =>
        asked.queryMemories('one', { text: '"black tea"', explain: true });
      const [before] = await ask(manager);
      for (let i = 0; i < 9; i++) await ask(manager);
      await manager.close();
      const again = openManager();
      const [after] = await ask(again);
      if (enabled) expect(after!.explanation!.decay).toBeGreaterThan(before!.explanation!.decay);
      else expect(after!.explanation!.decay).toBe(before!.explanation!.decay);
      await again.close();
    }
  });

  test('stay as few as the memories, and mean the same, when the log is compacted', async () => {
    const options = { decay: { reinforcement: { enabled: true } } };
    const { manager, openManager, clock, store } = await open(options);
    await manager.close();
    for (let i = 0; i < 10; i++) {
      const each = openManager();
      await each.queryMemories('one', { text: i === 9 ? '"green tea"' : 'tea' });
      await each.close();
      clock.advance(HOUR_MS);
    }
    const now = new Date(clock.now());
    const last = openManager();
    const before = await last.queryMemories('one', { text: 'tea', explain: true, now });
    await last.compactSession('one');
    expect(await last.queryMemories('one', { text: 'tea', explain: true, now })).toEqual(before);
    const { lines: kept } = await readLog(store, { kind: 'session', id: 'one' });
    expect(kept.filter(({ text }) => text.includes('"record":"access"')).length).toBe(2);
    const fresh = openManager();
    expect(await fresh.queryMemories('one', { text: 'tea', explain: true, now })).toEqual(before);
    await last.deleteMemory('one', 'b');
    await last.compactSession('one');
    const lines = await fresh.exportSession('one', 'jsonl');
    expect(lines).not.toContain('black');
    await last.close();
    await fresh.close();
  });

  test('keep what is used from fading away', async () => {
    const { manager, openManager, clock } = await open();
    await manager.setImportance('one', 'a', 0.4);
    await manager.setImportance('one', 'b', 0.2);
    clock.advance(300 * DAY_MS);
    const dropped = async (asked: MemoryManager): Promise<string[]> =>
      (await asked.compactSession('one', { dropFaded: true, dryRun: true })).dropped.map(({ id }) => id);
    expect(await dropped(manager)).toEqual(['a', 'b']);
    await manager.queryMemories('one', { text: '"green tea"' });
    await manager.close();
    const again = openManager();
    expect(await dropped(again)).toEqual(['b']);
    await again.close();
  });
});

describe('related memories', () => {
  test('decay together when the configuration says so, and alone otherwise', async () => {
    for (const enabled of [false, true]) {
      const { manager, clock } = await open({ decay: { related: { enabled, share: 0.5 } } });
      const decayOf = async (id: string): Promise<number> => {
        const found = await manager.queryMemories('one', { explain: true, scope: 'user' });
        return found.find((each) => each.id === id)!.explanation!.decay;
      };
      const alone = await decayOf('a');
      await manager.addMemory('two', {
        id: 'd',
        type: 'conversation',
        content: { text: 'once more' },
        references: ['a'],
        timestamp: new Date(clock.now()),
      });
      // Half of thirty days, at a half life of a week; its own decay has reached the floor.
      if (enabled) expect(await decayOf('a')).toBeCloseTo(2 ** (-15 / 7), 12);
      else expect(await decayOf('a')).toBe(alone);
      expect(await decayOf('d')).toBe(1);
      await manager.deleteMemory('two', 'd');
      expect(await decayOf('a')).toBe(alone);
      await manager.close();
    }
  });

  test('never cost a memory: a list is no use, and what is full of uses is made small without forgetting', async () => {
    const { manager, openManager, clock } = await open({ storage: { max_session_size_mb: 0.2 } });
    const old = Array.from({ length: 200 }, (_, i) => ({
      id: `old_${i}`,
      type: 'conversation' as const,
      importance: 0.1,
      content: { text: `I once said thing ${i}` },
    }));
    await manager.addMemories('one', old);
    clock.advance(365 * DAY_MS);
    for (let i = 0; i < 50; i++) await manager.searchByType('one', 'conversation');
    const before = await manager.getSessionStats('one');
    for (let i = 0; i < 30; i++) {
      const other = openManager();
      await other.queryMemories('one', { text: 'thing', limit: 1_000 });
      await other.close();
    }
    for (let i = 0; i < 40; i++) {
      await manager.addMemory('one', { type: 'finding', content: { text: 'word '.repeat(300) } });
    }
    const after = await manager.getSessionStats('one');
    expect(after.last_compaction).toBeDefined();
    expect(before.total_entries).toBe(202);
    expect(after.total_entries).toBe(242);
    await manager.close();
  });
});
