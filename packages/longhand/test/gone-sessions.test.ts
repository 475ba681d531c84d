import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LogStore, MemoryManager, type ScopedMemory } from '../src/index.ts';
import { newRoot, STORES } from './open-stores.ts';

const talk = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, role: 'user' as const, content: `said in ${id}` }));
const as = (manager: MemoryManager, user_id: string): ScopedMemory =>
  manager.as({ account_id: 'local', user_id });

async function everythingIn(store: LogStore): Promise<string> {
  const pieces: string[] = [];
  for await (const { place, bytes } of store.scan())
    pieces.push(place, Buffer.from(bytes).toString('latin1'));
  return pieces.join('\n');
}

describe.each(STORES)('archiving on the %s store', (_name, makeStore) => {
  test('into an id that there has never been makes the session for the caller', async () => {
    const open = makeStore();
    const manager = new MemoryManager({ store: open() });
    const ada = as(manager, 'ada');
    expect(await ada.archiveMessages('fresh', talk('m1', 'm2'))).toMatchObject({ archived: 2 });
    expect(await ada.loadSession('fresh')).toMatchObject({ user_id: 'ada', account_id: 'local' });
    expect(await ada.archiveMessages('fresh', talk('m1', 'm3'))).toMatchObject({
      archived: 1,
      duplicates: 1,
    });
    // What is another user's answers as if it were not there, and is left alone.
    await expect(as(manager, 'bob').archiveMessages('fresh', talk('b1'))).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    expect((await ada.messages('fresh')).map(({ id }) => id)).toEqual(['m1', 'm2', 'm3']);
    await manager.close();
  });

  test('makes no session for a batch that is refused', async () => {
    const manager = new MemoryManager({ store: makeStore()() });
    const ada = as(manager, 'ada');
    const wrong = [{ id: 'm1', role: 'user', content: 'NUL \0' }] as const;
    await expect(ada.archiveMessages('fresh', wrong)).rejects.toMatchObject({ code: 'INVALID_TEXT' });
    await expect(ada.archiveMessages('fresh', talk('m1'), { batchId: '' })).rejects.toThrow();
    await expect(ada.archiveMessages('no/id', talk('m1'))).rejects.toMatchObject({ code: 'INVALID_ID' });
    expect(await manager.listSessions()).toEqual([]);
    await manager.close();
  });

  test('many at once into a new id archive each message once', async () => {
    const open = makeStore();
    const managers = [0, 1, 2].map(() => new MemoryManager({ store: open() }));
    const batches = managers.flatMap((manager) =>
      [talk('m1', 'm2'), talk('m2', 'm3')].map((batch) => ({ manager, batch })),
    );
    const results = await Promise.all(
      batches.map(({ manager, batch }) => as(manager, 'ada').archiveMessages('busy', batch)),
    );
    expect(results.reduce((sum, { archived }) => sum + archived, 0)).toBe(3);
    for (const manager of managers) await manager.close();
  });

  const GONE: Readonly<Record<string, (manager: MemoryManager) => Promise<unknown>>> = {
    'deleted by its user': (manager) => as(manager, 'ada').deleteSession('chat'),
    'deleted by the owner of the store': (manager) => manager.deleteSession('chat'),
    'forgotten alone': async (manager) => (await manager.layers()).privacy.forget({ session: 'chat' }),
    'forgotten with its user': async (manager) => (await manager.layers()).privacy.forget({ user: 'ada' }),
  };
  for (const [how, remove] of Object.entries(GONE)) {
    test(`a session that was ${how} stays gone, in every process, and leaves no name`, async () => {
      const open = makeStore();
      const store = open();
      const manager = new MemoryManager({ store });
      await as(manager, 'ada').archiveMessages('chat', talk('m1'));
      await remove(manager);
      const others = new MemoryManager({ store: open() });
      for (const each of [manager, others]) {
        await expect(as(each, 'ada').archiveMessages('chat', talk('m1', 'm2'))).rejects.toMatchObject({
          code: 'SESSION_DELETED',
          details: { session: 'chat' },
        });
      }
      expect(await manager.listSessions()).toEqual([]);
      const bytes = await everythingIn(store);
      expect(bytes).not.toContain('said in');
      expect(bytes).not.toMatch(/\bchat\b/);
      if (how.includes('with its user')) expect(bytes).not.toMatch(/\bada\b/);
      // The mark is of the one who had the session: another user learns nothing from it.
      expect(await as(others, 'bob').archiveMessages('chat', talk('b1'))).toMatchObject({ archived: 1 });
      await manager.close();
      await others.close();
    });
  }

  test('a session that a person makes again under the id takes messages again', async () => {
    const manager = new MemoryManager({ store: makeStore()() });
    const ada = as(manager, 'ada');
    await ada.createSession({ session_id: 'chat' });
    await ada.deleteSession('chat');
    await ada.createSession({ session_id: 'chat' });
    expect(await ada.archiveMessages('chat', talk('m1'))).toMatchObject({ archived: 1 });
    await ada.deleteSession('chat');
    await expect(ada.archiveMessages('chat', talk('m1'))).rejects.toMatchObject({ code: 'SESSION_DELETED' });
    await manager.close();
  });

  test('the mark is there before the log goes', async () => {
    const store = makeStore()();
    const manager = new MemoryManager({ store });
    const ada = as(manager, 'ada');
    await ada.archiveMessages('chat', talk('m1'));
    // As if the process were killed at that moment.
    let marked = '';
    const remove = store.remove.bind(store);
    Object.assign(store, {
      remove: async () => {
        marked = await everythingIn(store);
        throw new Error('killed');
      },
    });
    await expect(manager.deleteSession('chat')).rejects.toThrow('killed');
    expect(marked).toContain('"record":"session-gone"');
    Object.assign(store, { remove });
    // Still there: it takes messages, until it is deleted at last.
    expect(await ada.archiveMessages('chat', talk('m2'))).toMatchObject({ archived: 1 });
    await manager.deleteSession('chat');
    await expect(ada.archiveMessages('chat', talk('m2'))).rejects.toMatchObject({ code: 'SESSION_DELETED' });
    await manager.close();
  });
});

test('a session whose owner cannot be read leaves a mark for those who had it', async () => {
  const root = newRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  const ada = as(manager, 'ada');
  await ada.archiveMessages('chat', talk('m1'));
  const log = join(root, 'sessions/chat/memory.jsonl');
  writeFileSync(log, readFileSync(log, 'utf8').replace('"record"', '"recOrd"'));
  await using others = new MemoryManager({ storageRoot: root });
  expect(await others.deleteSession('chat')).toBe(true);
  await expect(as(others, 'ada').archiveMessages('chat', talk('m1'))).rejects.toMatchObject({
    code: 'SESSION_DELETED',
  });
});
