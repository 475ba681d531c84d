import { expect, test } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import { type LonghandEvent, MemoryManager, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const START = '2026-01-01T00:00:00.000Z';

function open(store = new MemoryStore()): {
  manager: MemoryManager;
  store: MemoryStore;
  events: LonghandEvent[];
} {
  const events: LonghandEvent[] = [];
  const clock = new FakeClock(Date.parse(START));
  return {
    manager: new MemoryManager({ store, clock, onEvent: (event) => events.push(event) }),
    store,
    events,
  };
}

test('a session has what it was given, and defaults for the rest', async () => {
  const { manager } = open();
  const plain = await manager.createSession('ada');
  expect(plain).toEqual({
    id: expect.stringMatching(/^sess_[0-9A-Z]{26}$/),
    user_id: 'ada',
    account_id: 'local',
    created_at: START,
    agents: [],
    preferences: {},
    decay_config: {},
    compaction_config: {},
  });
  const settings = {
    agents: ['ann', 'bea'],
    preferences: { language: 'de', verbosity: 'high', custom: { tone: 'dry' } },
    decay_config: { enabled: true, half_life_hours: 336, min_decay_factor: 0.2 },
    compaction_config: { auto_compact: false, threshold: 0.95 },
  };
  const full = await manager.createSession('bob', { session_id: 'mine', account_id: 'acme', ...settings });
  expect(full).toEqual({ id: 'mine', user_id: 'bob', account_id: 'acme', created_at: START, ...settings });
  expect(await manager.loadSession('mine')).toEqual(full);
});

test('a session that comes from elsewhere began when it did', async () => {
  const { manager, store } = open();
  const created_at = '2025-03-01T08:00:00.000Z';
  const made = await manager.createSession('ada', {
    session_id: 's',
    created_at: '2025-03-01T09:00:00+01:00',
  });
  expect(made.created_at).toBe(created_at);
  await manager.updateSession('s', { agents: ['ann'] });
  expect((await open(store).manager.loadSession('s')).created_at).toBe(created_at);
  await manager.compactSession('s');
  expect((await open(store).manager.loadSession('s')).created_at).toBe(created_at);
  expect((await manager.createSession('ada', { created_at: new Date('2030-01-01') })).created_at).toBe(START);
  for (const wrong of ['yesterday', 7, null])
    await expect(manager.createSession('ada', { created_at: wrong as string })).rejects.toMatchObject({
      code: 'INVALID_TIMESTAMP',
    });
});

test('every setting can be changed later: objects field by field, lists as a whole', async () => {
  const { manager, store } = open();
  await manager.createSession('ada', {
    session_id: 's',
    agents: ['a', 'b'],
    preferences: { language: 'en', custom: { a: 1 } },
    decay_config: { enabled: false },
  });
  await manager.updateSession('s', {
    preferences: { verbosity: 'low' },
    decay_config: { half_life_hours: 5 },
  });
  await manager.updateSession('s', {
    agents: ['c'],
    preferences: { custom: { b: 2 } },
    compaction_config: { threshold: 0.5 },
  });
  const expected = {
    agents: ['c'],
    preferences: { language: 'en', verbosity: 'low', custom: { b: 2 } },
    decay_config: { enabled: false, half_life_hours: 5 },
    compaction_config: { threshold: 0.5 },
    user_id: 'ada',
  };
  expect(await manager.loadSession('s')).toMatchObject(expected);
  expect(await open(store).manager.loadSession('s')).toMatchObject(expected);
  await expect(
    manager.updateSession('s', { preferences: { colour: 'red' } } as object),
  ).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(manager.updateSession('none', {})).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('a setting given as null is back at its default, everywhere', async () => {
  const { manager, store } = open();
  const settings = {
    agents: ['a'],
    preferences: { language: 'de', custom: { a: 1 } },
    decay_config: { enabled: false, half_life_hours: 5 },
    compaction_config: { threshold: 0.5 },
  };
  await manager.createSession('ada', { session_id: 's', ...settings });
  await manager.queryMemories('s');
  const changed = await manager.updateSession('s', {
    agents: null,
    preferences: { language: null },
    decay_config: { half_life_hours: null },
    compaction_config: null,
  });
  const expected = {
    agents: [],
    preferences: { custom: { a: 1 } },
    decay_config: { enabled: false },
    compaction_config: {},
  };
  const { id, user_id, account_id, created_at, ...rest } = changed;
  expect(rest).toEqual(expected);
  expect(await open(store).manager.loadSession('s')).toEqual(changed);
  await manager.compactSession('s');
  expect(await open(store).manager.loadSession('s')).toEqual(changed);
  expect(await manager.loadSession('s')).toEqual(changed);
});

test('compaction writes all settings into one record, and what was set before is in no line', async () => {
  const { manager, store } = open();
  await manager.createSession('ada', { session_id: 's', preferences: { custom: { tone: 'oldvalue' } } });
  await manager.addMemory('s', { type: 'finding', id: 'm', content: { text: 'x' } });
  for (const tone of ['middlevalue', 'newvalue']) {
    await manager.updateSession('s', { agents: ['ann'], preferences: { custom: { tone } } });
  }
  const before = await manager.loadSession('s');
  const textOf = async (): Promise<string> =>
    (await readLog(store, { kind: 'session', id: 's' })).lines.map(({ text }) => text).join('\n');
  await manager.compactSession('s');
  const compacted = await textOf();
  expect(compacted).not.toMatch(/oldvalue|middlevalue/);
  expect(compacted.match(/"record":"session"/g)).toHaveLength(1);
  expect(compacted.startsWith('{"schema_version":1,"record":"session"')).toBe(true);
  expect(await open(store).manager.loadSession('s')).toEqual(before);
  expect((await open(store).manager.getSessionStats('s')).corruption.sequence).toBe(0);
  const [first] = compacted.split('\n');
  await manager.compactSession('s');
  expect((await textOf()).split('\n')[0]).toBe(first);
});

test('changes of settings and importance keep to the size limit, and old ones make room', async () => {
  const store = new MemoryStore();
  const manager = new MemoryManager({ store, config: { storage: { max_session_size_mb: 0.1 } } });
  await manager.createSession('ada', { session_id: 's' });
  await manager.addMemory('s', { type: 'finding', id: 'm', content: { text: 'x' } });
  const custom = { text: 'x'.repeat(9_000) };
  for (let i = 0; i < 30; i++) {
    await manager.updateSession('s', { preferences: { custom: { ...custom, i } } });
    await manager.setImportance('s', 'm', i / 100);
    expect((await manager.getSessionStats('s')).total_size_bytes).toBeLessThanOrEqual(100_000 * 1.05);
  }
  expect((await manager.loadSession('s')).preferences.custom).toMatchObject({ i: 29 });
  expect((await manager.getMemory('s', 'm'))!.importance).toBe(0.29);
  const filler = { type: 'preference' as const, content: { text: 'y'.repeat(5_000) } };
  for (let isFull = false; !isFull; ) {
    await manager.addMemory('s', filler).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'SESSION_FULL' });
      isFull = true;
    });
  }
  await expect(manager.updateSession('s', { preferences: { custom } })).rejects.toMatchObject({
    code: 'SESSION_FULL',
  });
  await manager.close();
});

test('changes made elsewhere are seen', async () => {
  const one = open();
  const two = open(one.store);
  await one.manager.createSession('ada', { session_id: 's' });
  await two.manager.loadSession('s');
  await one.manager.updateSession('s', { agents: ['ann'] });
  expect((await two.manager.loadSession('s')).agents).toEqual(['ann']);
  await one.manager.updateSession('s', { agents: ['bea'] });
  expect((await two.manager.listSessions())[0]!.agents).toEqual(['bea']);
});

test('lists are sorted, and those of a user hold no other user’s', async () => {
  const { manager } = open();
  for (const [id, user] of [
    ['b', 'ada'],
    ['a', 'bob'],
    ['c', 'ada'],
  ] as const)
    await manager.createSession(user, { session_id: id });
  expect((await manager.listSessions()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual(['b', 'c']);
  expect(await manager.listSessions('eve')).toEqual([]);
  expect((await manager.listSessions('ada', { limit: 1 })).map(({ id }) => id)).toEqual(['b']);
  expect((await manager.listSessions('ada', { after: 'b', limit: 5 })).map(({ id }) => id)).toEqual(['c']);
  expect((await manager.listSessions(undefined, { after: 'a', limit: 1 })).map(({ id }) => id)).toEqual([
    'b',
  ]);
  await expect(manager.listSessions('')).rejects.toMatchObject({ code: 'INVALID_NAME' });
});

test('a new session that is given what there is not is told all that there is', async () => {
  const { manager } = open();
  await expect(manager.createSession('ada', { foo: 1 } as object)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message:
      'A session has no "foo"; there are: session_id, account_id, created_at, agents, preferences, decay_config, compaction_config.',
  });
  await manager.createSession('ada', { session_id: 's' });
  await expect(manager.updateSession('s', { foo: 1 } as object)).rejects.toThrow(
    'there are: agents, preferences, decay_config, compaction_config.',
  );
});

test('a session that was removed elsewhere and made again is the new one', async () => {
  const one = open();
  const two = open(one.store);
  await one.manager.createSession('ada', { session_id: 's' });
  await one.manager.addMemory('s', { type: 'finding', id: 'old', content: { text: 'x' } });
  await two.manager.deleteSession('s');
  await expect(one.manager.getMemory('s', 'old')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect(one.manager.addMemory('s', { type: 'finding', content: { text: 'x' } })).rejects.toMatchObject(
    {
      code: 'SESSION_NOT_FOUND',
    },
  );
  expect((await one.manager.createSession('bob', { session_id: 's' })).user_id).toBe('bob');
  expect(await one.manager.getMemory('s', 'old')).toBeNull();
  await two.manager.deleteSession('s');
  await two.manager.createSession('eve', { session_id: 's' });
  expect((await one.manager.loadSession('s')).user_id).toBe('eve');
  expect((await one.manager.listSessions('bob')).map(({ id }) => id)).toEqual([]);
});

test('the life of a session is told', async () => {
  const { manager, events } = open();
  await manager.createSession('ada', { session_id: 's' });
  await manager.loadSession('s');
  await manager.updateSession('s', { agents: ['ann'] });
  await manager.closeSession('s');
  await manager.loadSession('s');
  await manager.loadSession('s');
  expect(await manager.deleteSession('s')).toBe(true);
  expect(await manager.deleteSession('s')).toBe(false);
  expect(events.every(({ time }) => time === START)).toBe(true);
  expect(events).toMatchObject([
    { level: 'INFO', kind: 'session-created', session_id: 's', user_id: 'ada' },
    { level: 'INFO', kind: 'session-updated', session_id: 's' },
    { level: 'INFO', kind: 'session-closed', session_id: 's' },
    { level: 'INFO', kind: 'session-loaded', session_id: 's' },
    { level: 'INFO', kind: 'session-deleted', session_id: 's', user_id: 'ada' },
  ]);
});
