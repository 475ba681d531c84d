import { describe, expect, test } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import {
  type LogStore,
  type LonghandEvent,
  MemoryManager,
  type MemoryManagerOptions,
  MemoryStore,
  type NewMemory,
} from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const SESSION = 'kept';
const address = { kind: 'session', id: SESSION } as const;
const START = '2026-01-01T00:00:00.000Z';

interface Opened {
  readonly manager: MemoryManager;
  readonly store: MemoryStore;
  readonly clock: FakeClock;
  readonly events: LonghandEvent[];
}

async function open(options: MemoryManagerOptions = {}): Promise<Opened> {
  const clock = new FakeClock(Date.parse(START));
  const store = new MemoryStore();
  const events: LonghandEvent[] = [];
  const manager = new MemoryManager({ store, clock, onEvent: (event) => events.push(event), ...options });
  await manager.createSession('ada', { session_id: SESSION });
  return { manager, store, clock, events };
}

const own = (id: string, more: Partial<NewMemory> = {}): NewMemory => ({
  type: 'finding',
  id,
  content: { text: id },
  ...more,
});
const countLines = async (store: LogStore): Promise<number> => (await readLog(store, address)).lines.length;

describe('adding with an id of one’s own', () => {
  test('is done once, however often it is tried, also with another time and importance', async () => {
    const { manager, store, clock } = await open();
    for (let i = 0; i < 3; i++) {
      expect(await manager.addMemory(SESSION, own('a', { importance: i / 10 }))).toBe('a');
      clock.advance(1_000);
    }
    expect(await countLines(store)).toBe(2);
    expect(await manager.getMemory(SESSION, 'a')).toMatchObject({ importance: 0, timestamp: START });
  });

  test('is done once within one batch, and across batches that overlap', async () => {
    const { manager, store } = await open();
    expect(await manager.addMemories(SESSION, [own('a'), own('b'), own('a')])).toEqual(['a', 'b', 'a']);
    expect(
      await manager.addMemories(SESSION, [own('b'), own('c'), { type: 'finding', content: { text: 'x' } }]),
    ).toHaveLength(3);
    expect(await countLines(store)).toBe(5);
  });

  test('is done once by callers at the same time, of one manager and of two', async () => {
    const { manager, store, clock } = await open();
    const other = new MemoryManager({ store, clock });
    await other.loadSession(SESSION);
    const tries = Array.from({ length: 10 }, (_, i) =>
      (i % 2 === 0 ? manager : other).addMemory(SESSION, own('a')),
    );
    expect(await Promise.all(tries)).toEqual(tries.map(() => 'a'));
    expect(await countLines(store)).toBe(2);
  });

  test('is done once when another writes it while this one is still looking', async () => {
    const { manager, store, clock } = await open();
    await manager.addMemories(SESSION, [own('known')]);
    const other = new MemoryManager({ store, clock });
    // Between the look at `known` and the write, another manager adds `late`, and a reader makes this one's view
    // know of it: it must not be taken for something that stood there from the start.
    let isFirst = true;
    const meddled = new MemoryManager({
      clock,
      store: new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          if (name !== 'read') return member.bind(target);
          return async (wanted: Parameters<LogStore['read']>[0]) => {
            if (isFirst && wanted.some(({ places }) => places !== undefined)) {
              isFirst = false;
              await other.addMemory(SESSION, own('late'));
              await meddled.loadSession(SESSION);
            }
            return target.read(wanted);
          };
        },
      }),
    });
    expect(await meddled.addMemories(SESSION, [own('late'), own('known')])).toEqual(['late', 'known']);
    expect(isFirst).toBe(false);
    const lines = (await readLog(store, address)).lines.filter(({ memoryId }) => memoryId === 'late');
    expect(lines).toHaveLength(1);
  });

  test.each([
    ['type', { type: 'decision' }],
    ['content', { content: { text: 'other' } }],
    ['tags', { tags: ['x'] }],
    ['references', { references: ['x'] }],
  ] as const)('is refused when the %s differs from what is there', async (_, more) => {
    const { manager, store } = await open();
    await manager.addMemory(SESSION, own('a'));
    await expect(manager.addMemory(SESSION, own('a', more))).rejects.toMatchObject({
      name: 'ValidationError',
      code: 'ID_TAKEN',
    });
    await expect(manager.addMemories(SESSION, [own('b'), own('a', more)])).rejects.toMatchObject({
      code: 'ID_TAKEN',
    });
    await expect(manager.addMemories(SESSION, [own('c'), own('c', more)])).rejects.toMatchObject({
      code: 'ID_TAKEN',
    });
    expect(await countLines(store)).toBe(2);
  });

  test('is refused for ever once it was deleted', async () => {
    const { manager, store, clock } = await open();
    await manager.addMemory(SESSION, own('a'));
    const stale = new MemoryManager({ store, clock });
    await stale.loadSession(SESSION);
    await manager.deleteMemory(SESSION, 'a');
    for (const each of [manager, stale])
      await expect(each.addMemory(SESSION, own('a'))).rejects.toMatchObject({ code: 'ID_DELETED' });
    await manager.compactSession(SESSION);
    for (const each of [manager, stale])
      await expect(each.addMemory(SESSION, own('a'))).rejects.toMatchObject({ code: 'ID_DELETED' });
    expect(await manager.getMemory(SESSION, 'a')).toBeNull();
  });
});

test('a batch with a memory that is wrong adds nothing, and says which one it is', async () => {
  const { manager, store } = await open();
  const batch = [own('a'), own('b', { type: 'fact' as 'finding' }), own('c')];
  await expect(manager.addMemories(SESSION, batch)).rejects.toMatchObject({
    code: 'INVALID_ENTRY',
    message: expect.stringMatching(/^Of the 3 memories, number 2: /),
    details: { index: 1 },
  });
  expect(await countLines(store)).toBe(1);
});

describe('getting', () => {
  test('gives every caller an object of its own', async () => {
    const { manager } = await open();
    await manager.addMemory(SESSION, own('a', { tags: ['x'] }));
    const first = (await manager.getMemory(SESSION, 'a'))!;
    (first.content as { text: string }).text = 'changed';
    (first.tags as string[]).push('y');
    expect(await manager.getMemory(SESSION, 'a')).toMatchObject({ content: { text: 'a' }, tags: ['x'] });
  });

  test('reads a line once while it is in the cache, and the cache holds as many as it is told', async () => {
    for (const [cache_size, expectedReads] of [
      [100, 2],
      [1, 4],
      [0, 4],
    ] as const) {
      let reads = 0;
      const store = new MemoryStore();
      const counting = new Proxy(store, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          if (name !== 'read') return member.bind(target);
          return (wanted: Parameters<LogStore['read']>[0]) => {
            reads += wanted.flatMap(({ places = [] }) => places).length;
            return target.read(wanted);
          };
        },
      });
      const { manager } = await open({ store: counting, config: { performance: { cache_size } } });
      await manager.addMemories(SESSION, [own('a'), own('b')]);
      reads = 0;
      for (const id of ['a', 'b', 'a', 'b']) await manager.getMemory(SESSION, id);
      expect([cache_size, reads]).toEqual([cache_size, expectedReads]);
    }
  });

  test('works the same without an index in memory', async () => {
    const { manager, store, clock } = await open({ config: { performance: { index_in_memory: false } } });
    await manager.addMemory(SESSION, own('a'));
    const other = new MemoryManager({ store, clock });
    await other.addMemory(SESSION, own('b'));
    expect((await manager.getMemory(SESSION, 'b'))!.id).toBe('b');
    await manager.deleteMemory(SESSION, 'a');
    expect(await other.getMemory(SESSION, 'a')).toBeNull();
    expect((await manager.metrics()).gauges['memory.sessions.active']).toBe(1);
  });
});

describe('deleting', () => {
  const tombstones = async (store: LogStore): Promise<unknown[]> =>
    ((await store.readDocument(address, 'tombstones.jsonl')) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);

  test('is written down once, with time and reason and without content', async () => {
    const { manager, store, events } = await open();
    await manager.addMemories(SESSION, [
      own('a', { tags: ['work.secret'] }),
      own('b', { tags: ['Work'] }),
      own('c', { timestamp: '2020-01-01' }),
    ]);
    await manager.deleteMemory(SESSION, 'a', { reason: 'asked for' });
    await manager.deleteMemoriesByTopic(SESSION, 'work');
    await manager.deleteMemoriesByTimeRange(SESSION, '2020-01-01', '2020-01-01');
    expect(await tombstones(store)).toEqual([
      { id: 'a', timestamp: START, reason: 'asked for' },
      { id: 'b', timestamp: START, reason: 'topic work' },
      {
        id: 'c',
        timestamp: START,
        reason: 'time range 2020-01-01T00:00:00.000Z to 2020-01-01T23:59:59.999Z',
      },
    ]);
    expect(events.filter(({ kind }) => kind === 'memories-deleted')).toHaveLength(3);
  });

  test('at the same time from two managers counts once', async () => {
    const { manager, store, clock, events } = await open();
    await manager.addMemories(SESSION, [own('a'), own('b')]);
    const other = new MemoryManager({ store, clock });
    await other.loadSession(SESSION);
    const results = await Promise.all([
      manager.deleteMemory(SESSION, 'a'),
      other.deleteMemory(SESSION, 'a'),
      manager.deleteMemory(SESSION, 'a'),
    ]);
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await tombstones(store)).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'memories-deleted').length).toBeLessThanOrEqual(1);
  });

  test('is mended in its list from the log', async () => {
    const { manager, store } = await open();
    await manager.addMemories(SESSION, [own('a'), own('b')]);
    await manager.deleteMemory(SESSION, 'a');
    const lost = { ...(await tombstones(store))[0]! };
    // A deletion of which a crash kept the entry from the list.
    await store.append(address, [
      `{"schema_version":1,"record":"delete","session_id":"${SESSION}","timestamp":"${START}","ids":["b"],"reason":"x"}`,
    ]);
    await manager.rebuildIndex(SESSION);
    expect(await tombstones(store)).toEqual([lost, { id: 'b', timestamp: START, reason: 'x' }]);
    await manager.rebuildIndex(SESSION);
    expect(await tombstones(store)).toHaveLength(2);
    expect(await manager.getMemory(SESSION, 'b')).toBeNull();
  });

  test('in a dry run counts and changes nothing', async () => {
    const { manager, store } = await open();
    await manager.addMemories(SESSION, [own('a', { tags: ['x'] }), own('b', { tags: ['x.y'] })]);
    const before = await countLines(store);
    expect(await manager.deleteMemoriesByTopic(SESSION, 'X', { dryRun: true })).toBe(2);
    expect(await manager.deleteMemoriesByTopic(SESSION, 'X', { dryRun: true, exact: true })).toBe(1);
    expect(await manager.deleteMemoriesByTimeRange(SESSION, START, START, { dryRun: true })).toBe(2);
    expect(await manager.deleteMemory(SESSION, 'a', { dryRun: true })).toBe(true);
    expect(await countLines(store)).toBe(before);
  });
});
