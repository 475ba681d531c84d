import { describe, expect, it, onTestFinished } from 'vitest';
import { interrupted, WRITING } from '../test/interrupted-store.ts';
import { STORES, type StoreOpener } from '../test/open-stores.ts';
import type { LogStore } from './core/store.ts';
import { MemoryManager } from './memory-manager.ts';
import type { ScopedMemory } from './scoped-memory.ts';

/**
 * Ada writes to her session, and in the moment between the look that it is hers and the write itself, another process
 * deletes it and makes one of the same name. When that one is Bob's, nothing of hers lands in it and nothing in it is
 * changed; when it is hers, it takes what she wrote.
 */
const SESSION = 'chat';
const TEXT = 'planted';
const finding = (id?: string) => ({ type: 'finding', content: { text: TEXT }, ...(id && { id }) }) as const;

const WRITES: Readonly<Record<string, (memory: ScopedMemory) => Promise<unknown>>> = {
  addMemory: (memory) => memory.addMemory(SESSION, finding()),
  'addMemory with an id': (memory) => memory.addMemory(SESSION, finding('mem_own')),
  addMemories: (memory) => memory.addMemories(SESSION, [finding(), finding()]),
  updateSession: (memory) => memory.updateSession(SESSION, { agents: [TEXT] }),
  setImportance: (memory) => memory.setImportance(SESSION, 'mem_shared', 1),
  deleteMemory: (memory) => memory.deleteMemory(SESSION, 'mem_shared'),
  deleteMemoriesByTopic: (memory) => memory.deleteMemoriesByTopic(SESSION, 'shared'),
  archiveMessages: (memory) => memory.archiveMessages(SESSION, [{ role: 'user', content: TEXT }]),
  storeDetail: (memory) => memory.storeDetail(SESSION, { content: TEXT }),
  captureToolOutput: (memory) =>
    memory.captureToolOutput(SESSION, { output: `${TEXT} `.repeat(5_000), toolName: 'shell' }),
};

async function bytesOf(store: LogStore): Promise<string> {
  let all = '';
  for await (const { place, bytes } of store.everything()) {
    if (!place.includes('changes')) all += `${place}\n${Buffer.from(bytes).toString('latin1')}\n`;
  }
  return all;
}

async function open(openStore: StoreOpener, nextOwner: string) {
  const inner = openStore();
  const { store, next } = interrupted(openStore(), WRITING);
  const [manager, other] = [new MemoryManager({ store }), new MemoryManager({ store: inner })];
  onTestFinished(async () => {
    await manager.close();
    await other.close();
  });
  const fill = async (owner: string) => {
    await other.createSession(owner, { session_id: SESSION });
    await other.addMemory(SESSION, { ...finding('mem_shared'), content: { text: 'kept' }, tags: ['shared'] });
  };
  await fill('ada');
  const ada = manager.as({ account_id: 'local', user_id: 'ada' });
  await ada.getMemory(SESSION, 'mem_shared');
  let before = '';
  const exchange = async () => {
    await other.deleteSession(SESSION);
    await fill(nextOwner);
    before = await bytesOf(inner);
  };
  next.happen = exchange;
  return { ada, other, bytes: () => bytesOf(inner), before: () => before, next };
}

for (const [name, make] of STORES) {
  describe(`a session that is made anew on the store ${name} while it is written to`, () => {
    for (const [write, call] of Object.entries(WRITES)) {
      it(`takes nothing of ${write} when it is somebody else’s`, async () => {
        const { ada, bytes, before } = await open(make(), 'bob');
        await expect(call(ada)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
        expect(before()).toContain('"bob"');
        expect(await bytes()).toBe(before());
      });
    }

    it('is not deleted for its former owner', async () => {
      const { ada, other } = await open(make(), 'bob');
      expect(await ada.deleteSession(SESSION)).toBe(false);
      expect((await other.loadSession(SESSION)).user_id).toBe('bob');
    });

    it('is not forgotten for its former owner', async () => {
      const { ada, other } = await open(make(), 'bob');
      await ada.forget({ session: SESSION });
      expect((await other.loadSession(SESSION)).user_id).toBe('bob');
      expect(await other.exportSession(SESSION)).toContain('kept');
    });

    for (const write of ['addMemory', 'addMemory with an id', 'updateSession', 'setImportance']) {
      it(`takes ${write} when it is of the same owner`, async () => {
        const { ada, other, bytes, before } = await open(make(), 'ada');
        await WRITES[write]!(ada);
        expect(before()).not.toBe('');
        expect(await bytes()).not.toBe(before());
        expect(await other.exportSession(SESSION)).toContain('kept');
      });
    }

    it('is not there for a write when it is gone for good', async () => {
      const { ada, other, next } = await open(make(), 'ada');
      for (const call of [WRITES.addMemory!, WRITES['addMemory with an id']!]) {
        next.happen = async () => void (await other.deleteSession(SESSION));
        await expect(call(ada)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
        await other.createSession('ada', { session_id: SESSION });
      }
    });
  });
}
