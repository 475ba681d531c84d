import { describe, expect, test, vi } from 'vitest';
import {
  type LonghandEvent,
  MemoryManager,
  type MemoryManagerOptions,
  MemoryStore,
  type NewMemory,
  type SessionSettings,
  SizeLimitError,
} from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const SESSION = 'full';
const DAY_MS = 86_400_000;
/** 0.05 MB. */
const LIMIT = 52_428;

interface Opened {
  readonly manager: MemoryManager;
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly events: LonghandEvent[];
  readonly kinds: () => string[];
}

async function open(
  storage: NonNullable<MemoryManagerOptions['config']>['storage'] = {},
  settings: SessionSettings = {},
): Promise<Opened> {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const events: LonghandEvent[] = [];
  const config = { storage: { max_session_size_mb: 0.05, ...storage } };
  const manager = new MemoryManager({ store, clock, config, onEvent: (event) => events.push(event) });
  await manager.createSession('ada', { session_id: SESSION, ...settings });
  return { manager, clock, store, events, kinds: () => events.map(({ kind }) => kind) };
}

const kilobyte = (more: Partial<NewMemory> = {}): NewMemory => ({
  type: 'finding',
  content: { text: 'x'.repeat(1_000) },
  ...more,
});
const sizeOf = async (manager: MemoryManager): Promise<number> =>
  (await manager.getSessionStats(SESSION)).total_size_bytes;
/** On a busy machine. */
const PATIENCE = { timeout: 120_000 };
/** Turns of the event loop for what works in the background, or should not. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Adds until the session says that it is filling up, and waits for the compaction that follows in the background. */
async function fillUntilCompacted({ manager, kinds }: Opened): Promise<void> {
  while (!kinds().includes('size-warning')) await manager.addMemory(SESSION, kilobyte());
  await vi.waitFor(() => expect(kinds()).toContain('compaction-finished'), PATIENCE);
}

async function fillTo(manager: MemoryManager, share: number, more: Partial<NewMemory> = {}): Promise<void> {
  while ((await sizeOf(manager)) < LIMIT * share) await manager.addMemory(SESSION, kilobyte(more));
}

describe('automatic compaction', () => {
  test('starts at 90 % when something can be freed, and frees it', async () => {
    const opened = await open();
    const { manager, kinds } = opened;
    await fillTo(manager, 0.5);
    const ids = (await manager.exportSession(SESSION, 'jsonl'))
      .split('\n')
      .slice(0, 10)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    for (const id of ids) await manager.deleteMemory(SESSION, id);
    expect(kinds()).not.toContain('compaction-started');
    await fillUntilCompacted(opened);
    expect(await sizeOf(manager)).toBeLessThan(LIMIT * 0.85);
    expect(kinds().filter((kind) => kind === 'compaction-finished')).toHaveLength(1);
    expect((await manager.getSessionStats(SESSION)).last_compaction).toBeDefined();
  });

  test('keeps no write out for which another process makes room in the same moment', async () => {
    const { manager, store } = await open();
    const config = { storage: { max_session_size_mb: 0.05 } };
    const other = new MemoryManager({ store, config });
    await manager.addMemories(
      SESSION,
      Array.from({ length: 26 }, () => kilobyte({ tags: ['old'] })),
    );
    await manager.addMemories(
      SESSION,
      Array.from({ length: 8 }, () => kilobyte()),
    );
    await manager.deleteMemoriesByTopic(SESSION, 'old');
    const batch = Array.from({ length: 9 }, () => kilobyte());
    // Each of them meets the limit; one compacts, and finds nothing left for the others to free.
    await Promise.all([manager, other, manager].map((each) => each.addMemories(SESSION, batch)));
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(8 + 27);
    await other.close();
  });

  test('drops faded memories under that pressure', async () => {
    const opened = await open();
    const { manager, clock } = opened;
    await fillTo(manager, 0.6, { type: 'conversation', importance: 0.1 });
    clock.advance(365 * DAY_MS);
    await fillUntilCompacted(opened);
    expect(await sizeOf(manager)).toBeLessThan(LIMIT * 0.5);
  });

  test('does not start again before the session has grown by 2 %, and changes nothing when nothing can go', async () => {
    const { manager, kinds } = await open();
    await fillTo(manager, 0.91);
    await settled();
    expect(kinds().filter((kind) => kind === 'size-warning')).toHaveLength(1);
    expect(kinds()).not.toContain('compaction-started');
    for (let i = 0; i < 2; i++) await manager.addMemory(SESSION, { type: 'finding', content: { a: 1 } });
    expect(kinds().filter((kind) => kind === 'size-warning')).toHaveLength(1);
    await manager.addMemory(SESSION, kilobyte());
    await settled();
    expect(kinds().filter((kind) => kind === 'size-warning')).toHaveLength(2);
  });

  test('follows the threshold of the session, and stays off where it is told to', async () => {
    const early = await open({}, { compaction_config: { threshold: 0.3 } });
    await fillTo(early.manager, 0.31);
    expect(early.kinds()).toContain('size-warning');

    for (const [storage, settings] of [
      [{ auto_compact: false }, {}],
      [{}, { compaction_config: { auto_compact: false } }],
    ] as const) {
      const { manager, kinds } = await open(storage, settings);
      await fillTo(manager, 0.5);
      await manager.deleteMemoriesByTimeRange(SESSION, '2000-01-01', '2100-01-01');
      await fillTo(manager, 0.95);
      await settled();
      expect(kinds()).toContain('size-warning');
      expect(kinds()).not.toContain('compaction-started');
    }
    const overridden = await open({ auto_compact: false }, { compaction_config: { auto_compact: true } });
    await fillTo(overridden.manager, 0.5);
    await overridden.manager.deleteMemoriesByTimeRange(SESSION, '2000-01-01', '2100-01-01');
    await fillTo(overridden.manager, 0.9);
    await vi.waitFor(() => expect(overridden.kinds()).toContain('compaction-finished'), PATIENCE);
  });
});

describe('the limit', () => {
  test('refuses with the statistics, keeps what is there, and lets deletions through', async () => {
    const { manager } = await open();
    const ids: string[] = [];
    const refused: unknown = await (async () => {
      for (;;) ids.push(await manager.addMemory(SESSION, kilobyte()));
    })().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SizeLimitError);
    const size = await sizeOf(manager);
    expect(refused).toMatchObject({
      code: 'SESSION_FULL',
      details: { size_bytes: size, limit_bytes: LIMIT, log_bytes: size, index_bytes: 0, tombstone_bytes: 0 },
    });
    expect((refused as SizeLimitError).details.wanted_bytes).toBeGreaterThan(LIMIT - size);
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(ids.length);

    for (const id of ids.slice(0, 3)) expect(await manager.deleteMemory(SESSION, id)).toBe(true);
    expect(await manager.updateSession(SESSION, { agents: ['ann'] })).toMatchObject({ agents: ['ann'] });
    // Now there is something to free, and the same add frees it.
    await manager.addMemory(SESSION, kilobyte());
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(ids.length - 2);
  });

  test('is never passed, whatever the sizes', async () => {
    const { manager } = await open();
    let refusals = 0;
    for (let i = 0; i < 400; i++) {
      const content = { text: 'x'.repeat(1 + ((i * 7_919) % 2_500)) };
      await manager.addMemory(SESSION, { type: 'finding', content }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SizeLimitError);
        refusals++;
      });
      expect(await sizeOf(manager)).toBeLessThanOrEqual(LIMIT);
    }
    expect(refusals).toBeGreaterThan(100);
    // The index of a full session is left out rather than take it over the limit.
    await manager.rebuildIndex(SESSION);
    expect(await sizeOf(manager)).toBeLessThanOrEqual(LIMIT + 200);
  });

  test('an index gives way to a memory, also where compaction is off', async () => {
    for (const auto_compact of [true, false]) {
      const { manager } = await open({ auto_compact });
      await fillTo(manager, 0.6);
      await manager.rebuildIndex(SESSION);
      const { size } = await manager.getSessionStats(SESSION);
      expect(size.index).toBeGreaterThan(5_000);
      // More than is left beside the index, less than is left without it.
      const text = 'x'.repeat(LIMIT - size.total);
      await manager.addMemory(SESSION, { type: 'finding', content: { text } });
      const after = (await manager.getSessionStats(SESSION)).size;
      expect(after.index).toBeLessThan(200);
      expect(after.total).toBeLessThanOrEqual(LIMIT);
    }
  });

  test('counts what a memory said before it was corrected as room', async () => {
    const { manager } = await open();
    const id = await manager.addMemory(SESSION, kilobyte());
    for (let i = 0; i < 100; i++) {
      await manager.updateMemory(SESSION, id, { content: { text: `${i} ${'x'.repeat(1_000)}` } });
    }
    expect((await manager.getMemory(SESSION, id))!.content.text).toMatch(/^99 /);
  });

  test('is looked at again when a memory of a full session is corrected', async () => {
    const { manager } = await open();
    const large = await manager.addMemory(SESSION, { type: 'finding', content: { text: 'x'.repeat(5_000) } });
    const full = async () => {
      for (;;) await manager.addMemory(SESSION, kilobyte());
    };
    await expect(full()).rejects.toBeInstanceOf(SizeLimitError);
    await manager.updateMemory(SESSION, large, { content: { text: 'short' } });
    await manager.addMemory(SESSION, kilobyte());
  });

  test('is the end of a batch as a whole', async () => {
    const { manager } = await open();
    await fillTo(manager, 0.85);
    const before = await manager.getSessionStats(SESSION);
    await expect(
      manager.addMemories(
        SESSION,
        Array.from({ length: 20 }, () => kilobyte()),
      ),
    ).rejects.toBeInstanceOf(SizeLimitError);
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(before.total_entries);
  });
});

describe('the readable files', () => {
  test('an index without room says so, and comes back when there is some', async () => {
    const { manager, store } = await open();
    const index = async () =>
      JSON.parse((await store.readDocument({ kind: 'session', id: SESSION }, 'index.json'))!) as {
        omitted?: string;
        entries: object;
      };
    await fillTo(manager, 0.98);
    await manager.rebuildIndex(SESSION);
    expect(await index()).toEqual({
      version: 1,
      last_updated: expect.any(String),
      omitted: 'no room',
      entries: {},
      tags: {},
      types: {},
    });
    await manager.deleteMemoriesByTimeRange(SESSION, '2000-01-01', '2100-01-01');
    await manager.addMemory(SESSION, kilobyte({ id: 'only' }));
    await manager.compactSession(SESSION);
    expect(Object.keys((await index()).entries)).toEqual(['only']);
  });

  test('are written by rebuildIndex, by closeSession and at compaction, not by a write', async () => {
    const { manager, store } = await open();
    const metadata = () => store.readDocument({ kind: 'session', id: SESSION }, 'metadata.json');
    await manager.addMemory(SESSION, kilobyte());
    expect(await metadata()).toBeUndefined();
    await manager.closeSession(SESSION);
    expect(JSON.parse((await metadata())!)).toMatchObject({ total_entries: 1 });
    await manager.addMemory(SESSION, kilobyte());
    expect(JSON.parse((await metadata())!)).toMatchObject({ total_entries: 1 });
    await manager.rebuildIndex(SESSION);
    expect(JSON.parse((await metadata())!)).toMatchObject({ total_entries: 2 });
    await manager.addMemory(SESSION, kilobyte());
    await manager.compactSession(SESSION);
    expect(JSON.parse((await metadata())!)).toMatchObject({ total_entries: 3 });
  });
});

describe('a session in which nothing can be freed', () => {
  /** A full session of preferences, and how often its log was read through to rewrite it. */
  async function openFull() {
    const opened = await open();
    const { manager, store } = opened;
    let readings = 0;
    const { rewrite } = store;
    store.rewrite = (log, decide) =>
      rewrite.call(store, log, (...given) => {
        readings++;
        return decide(...given);
      });
    const add = (more: Partial<NewMemory> = {}): Promise<unknown> =>
      manager.addMemory(SESSION, kilobyte({ type: 'preference', ...more }));
    for (let isFull = false; !isFull; ) await add().catch(() => (isFull = true));
    await settled();
    const since = readings;
    return { ...opened, add, readings: () => readings - since };
  }

  test('refuses without reading all of it each time', async () => {
    const { add, readings } = await openFull();
    for (let i = 0; i < 20; i++) await expect(add()).rejects.toBeInstanceOf(SizeLimitError);
    expect(readings()).toBe(0);
  });

  test('takes more as soon as something was deleted', async () => {
    const { manager, add, readings } = await openFull();
    const oldest = await manager.queryMemories(SESSION, { sortBy: 'time', limit: 3 });
    await expect(add()).rejects.toBeInstanceOf(SizeLimitError);
    for (const { id } of oldest) await manager.deleteMemory(SESSION, id);
    await add();
    expect(readings()).toBe(1);
  });

  test('tries again after a while, because memories fade', async () => {
    const { clock, add, readings } = await openFull();
    clock.advance(61_000);
    await expect(add()).rejects.toBeInstanceOf(SizeLimitError);
    expect(readings()).toBe(1);
  });

  test('tries again when another process has compacted', async () => {
    const { store, add, readings } = await openFull();
    const other = new MemoryManager({ store });
    await other.compactSession(SESSION);
    await expect(add()).rejects.toBeInstanceOf(SizeLimitError);
    expect(readings()).toBe(2);
  });
});
