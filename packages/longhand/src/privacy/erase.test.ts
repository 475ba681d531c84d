import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../index.ts';

const SESSIONS = 12;

test('clears what is kept of a user beside the sessions once, however many sessions there are', async () => {
  const store = new MemoryStore();
  const manager = new MemoryManager({ store });
  const other = new MemoryManager({ store });
  for (let i = 0; i < SESSIONS; i++) {
    await manager.createSession('ada', { session_id: `s${i}` });
    await manager.addMemory(`s${i}`, { type: 'finding', content: { text: `canary ${i}` } });
  }
  for (const each of [manager, other])
    expect((await each.pageMemoriesOfUser('ada', { text: 'canary', limit: 100 })).memories).toHaveLength(
      SESSIONS,
    );
  let told = 0;
  const remove = store.remove.bind(store);
  store.remove = (what) => {
    if ('userId' in what && what.userId === 'ada') told++;
    return remove(what);
  };
  const { privacy } = await manager.layers();
  expect((await privacy.forget({ user: 'ada' })).pieces.memories).toBe(SESSIONS);
  expect(told).toBe(1);
  expect(await store.list('user')).toEqual([]);
  for (const each of [manager, other])
    expect((await each.pageMemoriesOfUser('ada', { text: 'canary' })).memories).toEqual([]);
  expect((await privacy.verifyErased(['canary'])).found).toEqual([]);
  await other.close();
  await manager.close();
});
