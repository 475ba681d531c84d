import { expect, test } from 'vitest';
import { type LonghandEvent, MemoryManager, MemoryStore } from '../index.ts';
import { FakeClock } from '../testing/index.ts';

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

test('lists are sorted, and those of a user hold nobody else’s', async () => {
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
  await expect(manager.listSessions('')).rejects.toMatchObject({ code: 'INVALID_NAME' });
});

test('a session that was removed elsewhere and made again is the new one', async () => {
  const one = open();
  const two = open(one.store);
  await one.manager.createSession('ada', { session_id: 's' });
  await one.manager.addMemory('s', { type: 'finding', id: 'old', content: {} });
  await two.manager.deleteSession('s');
  await expect(one.manager.getMemory('s', 'old')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect(one.manager.addMemory('s', { type: 'finding', content: {} })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
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
  expect(await manager.deleteSession('s')).toBe(true);
  expect(await manager.deleteSession('s')).toBe(false);
  expect(events).toEqual([
    { kind: 'session-created', session_id: 's', user_id: 'ada' },
    { kind: 'session-loaded', session_id: 's' },
    { kind: 'session-updated', session_id: 's' },
    { kind: 'session-closed', session_id: 's' },
    { kind: 'session-deleted', session_id: 's', user_id: 'ada' },
  ]);
});
