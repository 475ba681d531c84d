import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { interrupted } from '../../../test/interrupted-store.ts';
import { STORES } from '../../../test/open-stores.ts';
import type { LogStore } from '../../core/store.ts';
import { FileStore, type LonghandEvent, MemoryManager, MemoryStore, type NewMemory } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';
import { GLOBAL_INDEX_DOCUMENT, TOPIC_INDEX_DOCUMENT } from './snapshots.ts';

const START = Date.parse('2026-01-10T14:00:00.000Z');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  folders.push(folder);
  return join(folder, 'store');
}

interface Opened {
  readonly manager: MemoryManager;
  readonly clock: FakeClock;
  readonly events: LonghandEvent[];
}

function open(store: LogStore, clock = new FakeClock(START)): Opened {
  const events: LonghandEvent[] = [];
  const manager = new MemoryManager({ store, clock, onEvent: (event) => events.push(event) });
  return { manager, clock, events };
}

interface Snapshot {
  readonly version: number;
  readonly last_updated: string;
  readonly sessions: Record<string, Record<string, unknown>>;
  readonly topics: Record<string, Record<string, number>>;
}

async function read(store: LogStore, name: string): Promise<Snapshot> {
  return JSON.parse((await store.readDocument(undefined, name))!) as Snapshot;
}
const sessionsOf = async (store: LogStore): Promise<Snapshot['sessions']> =>
  (await read(store, GLOBAL_INDEX_DOCUMENT)).sessions;
const topicsOf = async (store: LogStore): Promise<Snapshot['topics']> =>
  (await read(store, TOPIC_INDEX_DOCUMENT)).topics;

const tagged = (...tags: string[]): NewMemory => ({ type: 'finding', content: { text: 'x' }, tags });

describe.each([
  ['files', () => new FileStore({ root: newRoot() })],
  ['memory', () => new MemoryStore()],
])('on %s', (_, newStore) => {
  test('the lists say which session holds what', async () => {
    const store = newStore();
    const { manager, clock } = open(store);
    for (const id of ['one', 'two']) await manager.createSession('ada', { session_id: id });
    await manager.addMemories('one', [tagged('security.oauth2', 'plan'), tagged('plan'), tagged()]);
    await manager.addMemory('two', tagged('plan'));
    expect(await store.readDocument(undefined, GLOBAL_INDEX_DOCUMENT)).toBeUndefined();

    await manager.closeSession('one');
    clock.advance(60_000);
    await manager.rebuildIndex('two');

    const { total_size_bytes: size } = await manager.getSessionStats('one');
    const { total_size_bytes: otherSize } = await manager.getSessionStats('two');
    expect(await read(store, GLOBAL_INDEX_DOCUMENT)).toEqual({
      version: 1,
      last_updated: '2026-01-10T14:01:00.000Z',
      sessions: {
        one: { user_id: 'ada', entries: 3, last_updated: '2026-01-10T14:00:00.000Z', size_bytes: size },
        two: { user_id: 'ada', entries: 1, last_updated: '2026-01-10T14:01:00.000Z', size_bytes: otherSize },
      },
    });
    expect(await read(store, TOPIC_INDEX_DOCUMENT)).toEqual({
      version: 1,
      last_updated: '2026-01-10T14:01:00.000Z',
      topics: { plan: { one: 2, two: 1 }, 'security.oauth2': { one: 1 } },
    });
    await manager.close();
  });

  test('a compaction takes deleted memories out, and a removed session goes', async () => {
    const store = newStore();
    const { manager } = open(store);
    for (const id of ['one', 'two']) {
      await manager.createSession('ada', { session_id: id });
      await manager.addMemories(id, [tagged('shared'), tagged(`only-${id}`)]);
      await manager.rebuildIndex(id);
    }
    await manager.deleteMemoriesByTopic('one', 'only-one');
    await manager.compactSession('one');
    expect(await topicsOf(store)).toEqual({ 'only-two': { two: 1 }, shared: { one: 1, two: 1 } });

    expect(await manager.deleteSession('two')).toBe(true);
    expect(Object.keys(await sessionsOf(store))).toEqual(['one']);
    expect(await topicsOf(store)).toEqual({ shared: { one: 1 } });
    expect(await manager.deleteSession('two')).toBe(false);
    await manager.deleteSession('one');
    expect(await sessionsOf(store)).toEqual({});
    expect(await topicsOf(store)).toEqual({});
    await manager.close();
  });

  test('a file that cannot be understood is begun again', async () => {
    const store = newStore();
    const { manager } = open(store);
    await manager.createSession('ada', { session_id: 'one' });
    await manager.addMemory('one', tagged('plan'));
    const wrong = [
      '{',
      'null',
      '[]',
      '{}',
      '{"version":2,"topics":{"plan":{"x":1}}}',
      '{"version":1,"topics":4}',
    ];
    for (const text of [...wrong, '{"version":1,"topics":{"plan":7,"other":null}}']) {
      await store.writeDocument(undefined, TOPIC_INDEX_DOCUMENT, text);
      await manager.rebuildIndex('one');
      expect(await topicsOf(store)).toEqual({ plan: { one: 1 } });
    }
    await manager.close();
  });

  test('names that mean something to JavaScript are names like any other', async () => {
    const store = newStore();
    const { manager } = open(store);
    await manager.createSession('ada', { session_id: '__proto__' });
    await manager.addMemory('__proto__', tagged('__proto__', 'constructor'));
    await manager.rebuildIndex('__proto__');
    const text = await store.readDocument(undefined, TOPIC_INDEX_DOCUMENT);
    expect(text).toContain('"__proto__": {"__proto__":1},\n    "constructor": {"__proto__":1}');
    await manager.deleteSession('__proto__');
    expect(await topicsOf(store)).toEqual({});
    await manager.close();
  });

  test('sessions that are written up at once are all there', async () => {
    const store = newStore();
    const { manager } = open(store);
    const ids = Array.from({ length: 8 }, (_none, i) => `s${i}`);
    await Promise.all(ids.map((id) => manager.createSession('ada', { session_id: id })));
    await Promise.all(ids.map((id) => manager.rebuildIndex(id)));
    expect(Object.keys(await sessionsOf(store))).toEqual(ids);
    await manager.close();
  });

  test('the first writing of a process leaves out sessions that are gone', async () => {
    const store = newStore();
    const { manager } = open(store);
    await manager.createSession('ada', { session_id: 'one' });
    const left = { user_id: 'ada', entries: 1, last_updated: '2026-01-01T00:00:00.000Z', size_bytes: 9 };
    const stale = JSON.stringify({ version: 1, last_updated: '', sessions: { gone: left } });
    await store.writeDocument(undefined, GLOBAL_INDEX_DOCUMENT, stale);
    const topics = JSON.stringify({ version: 1, last_updated: '', topics: { plan: { gone: 1 } } });
    await store.writeDocument(undefined, TOPIC_INDEX_DOCUMENT, topics);
    await manager.rebuildIndex('one');
    expect(Object.keys(await sessionsOf(store))).toEqual(['one']);
    expect(await topicsOf(store)).toEqual({});
    await manager.close();
  });
});

test('adding, reading and deleting memories leaves the lists alone', async () => {
  const store = new MemoryStore();
  const { manager } = open(store);
  await manager.createSession('ada', { session_id: 'one' });
  const id = await manager.addMemory('one', tagged('plan'));
  await manager.getMemory('one', id);
  await manager.deleteMemory('one', id);
  expect(await store.readDocument(undefined, GLOBAL_INDEX_DOCUMENT)).toBeUndefined();
  await manager.deleteSession('one');
  expect(await store.readDocument(undefined, GLOBAL_INDEX_DOCUMENT)).toBeUndefined();
  await manager.close();
});

test('a list that cannot be written fails nothing, and is written with the next', async () => {
  class Failing extends MemoryStore {
    isFailing = true;
    override async writeDocument(...args: Parameters<MemoryStore['writeDocument']>): Promise<boolean> {
      if (this.isFailing && args[0] === undefined) throw new Error('no room');
      return super.writeDocument(...args);
    }
  }
  const store = new Failing();
  const { manager, events } = open(store);
  for (const id of ['one', 'two']) await manager.createSession('ada', { session_id: id });
  await manager.rebuildIndex('one');
  expect(events.at(-1)).toMatchObject({ kind: 'io-failed', log: 'indices', reason: 'Error: no room' });
  store.isFailing = false;
  await manager.rebuildIndex('two');
  expect(Object.keys(await sessionsOf(store))).toEqual(['one', 'two']);
  await manager.close();
});

describe.each(STORES)('two processes on the store %s', (_name, make) => {
  test('that write up their sessions in the same instant lose neither', async () => {
    const openStore = make();
    const inner = openStore();
    const { store, next } = interrupted(openStore(), ['writeDocument']);
    // The store's lists, not the files of a session.
    next.only = (owner) => owner === undefined;
    const [one, two] = [open(store), open(inner)];
    for (const id of ['a', 'b', 'c']) {
      await two.manager.createSession('ada', { session_id: id });
      await two.manager.addMemory(id, tagged('plan', id));
    }
    for (const [after, id] of ['b', 'c'].entries()) {
      next.after = after;
      next.happen = async () => void (await two.manager.rebuildIndex(id));
      await one.manager.rebuildIndex('a');
      expect(next.happen).toBeUndefined();
    }
    expect(Object.keys(await sessionsOf(inner))).toEqual(['a', 'b', 'c']);
    expect(await topicsOf(inner)).toEqual({
      a: { a: 1 },
      b: { b: 1 },
      c: { c: 1 },
      plan: { a: 1, b: 1, c: 1 },
    });
    await one.manager.close();
    await two.manager.close();
  });

  test('that write up many at once have them all listed, also those that go meanwhile', async () => {
    const openStore = make();
    const opened = Array.from({ length: 3 }, () => open(openStore()));
    const ids = Array.from({ length: 12 }, (_none, i) => `s${String(i).padStart(2, '0')}`);
    for (const id of [...ids, 'gone']) await opened[0]!.manager.createSession('ada', { session_id: id });
    await opened[0]!.manager.rebuildIndex('gone');
    await Promise.all([
      ...ids.map((id, i) => opened[i % 3]!.manager.rebuildIndex(id)),
      opened[1]!.manager.deleteSession('gone'),
    ]);
    const reader = openStore();
    expect(Object.keys(await sessionsOf(reader))).toEqual(ids);
    await reader.close();
    for (const { manager, events } of opened) {
      expect(events.filter(({ kind }) => kind === 'io-failed')).toEqual([]);
      await manager.close();
    }
  });
});

test('a list that others keep changing fails nothing', async () => {
  class Busy extends MemoryStore {
    override async writeDocument(...args: Parameters<MemoryStore['writeDocument']>): Promise<boolean> {
      return args[0] !== undefined && super.writeDocument(...args);
    }
  }
  const { manager, events } = open(new Busy());
  await manager.createSession('ada', { session_id: 'one' });
  expect((await manager.rebuildIndex('one')).entries).toBe(0);
  expect(events.at(-1)).toMatchObject({ kind: 'io-failed', log: 'indices', reason: 'LOCK_TIMEOUT' });
  await manager.close();
});

test('the lists are the owner’s alone', async () => {
  const root = newRoot();
  const { manager } = open(new FileStore({ root }));
  await manager.createSession('ada', { session_id: 'one' });
  await manager.closeSession('one');
  expect(statSync(join(root, 'indices')).mode & 0o777).toBe(0o700);
  for (const name of [GLOBAL_INDEX_DOCUMENT, TOPIC_INDEX_DOCUMENT]) {
    expect(statSync(join(root, name)).mode & 0o777).toBe(0o600);
  }
  await manager.close();
});
