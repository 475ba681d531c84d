import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogStore } from '../src/core/store.ts';
import { MemoryManager } from '../src/memory-manager.ts';
import type { ScopedMemory } from '../src/scoped-memory.ts';
import { interrupted, WRITING } from './interrupted-store.ts';
import { STORES, type StoreOpener } from './open-stores.ts';

/**
 * Ada writes to her session, and in the moment between the look that it is hers and the write itself, another process
 * deletes it and makes one of the same name. When that one is Bob's, nothing of hers lands in it and nothing in it is
 * changed; when it is hers, it takes what she wrote.
 */
const SESSION = 'chat';
const ALL_TIMES = { start: '2000-01-01', end: '2100-01-01' };
const TEXT = 'planted';
const finding = (id?: string) => ({ type: 'finding', content: { text: TEXT }, ...(id && { id }) }) as const;

const WRITES: Readonly<Record<string, (memory: ScopedMemory) => Promise<unknown>>> = {
  addMemory: (memory) => memory.addMemory(SESSION, finding()),
  'addMemory with an id': (memory) => memory.addMemory(SESSION, finding('mem_own')),
  addMemories: (memory) => memory.addMemories(SESSION, [finding(), finding()]),
  updateSession: (memory) => memory.updateSession(SESSION, { agents: [TEXT] }),
  setImportance: (memory) => memory.setImportance(SESSION, 'mem_shared', 1),
  updateMemory: (memory) => memory.updateMemory(SESSION, 'mem_shared', { content: TEXT }),
  deleteMemory: (memory) => memory.deleteMemory(SESSION, 'mem_shared'),
  deleteMemoriesByTopic: (memory) => memory.deleteMemoriesByTopic(SESSION, 'shared'),
  deleteMemoriesByTimeRange: (memory) =>
    memory.deleteMemoriesByTimeRange(SESSION, ALL_TIMES.start, ALL_TIMES.end),
  compactSession: (memory) => memory.compactSession(SESSION),
  rebuildIndex: (memory) => memory.rebuildIndex(SESSION),
  'redact a memory': (memory) => memory.redact({ session: SESSION, memory: 'mem_shared', text: 'kept' }),
  'redact a message': (memory) => memory.redact({ session: SESSION, message: 'm1', text: 'kept' }),
  archiveMessages: (memory) => memory.archiveMessages(SESSION, [{ role: 'user', content: TEXT }]),
  storeDetail: (memory) => memory.storeDetail(SESSION, { content: TEXT }),
  captureToolOutput: (memory) =>
    memory.captureToolOutput(SESSION, { output: `${TEXT} `.repeat(5_000), toolName: 'shell' }),
};

async function bytesOf(store: LogStore): Promise<string> {
  let all = '';
  for await (const { place, bytes } of store.scan()) {
    if (!place.includes('changes')) all += `${place}\n${Buffer.from(bytes).toString('latin1')}\n\0`;
  }
  return all;
}

/** Without what is made from it, and can be made again, and without the receipts, which are written whatever happens. */
function truthIn(bytes: string): readonly string[] {
  const isMade = /^\S*(index\.json|metadata\.json)\n|^(indices|privacy|ledger|users)/;
  return bytes.split('\n\0').filter((file) => !isMade.test(file));
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
    const { transcripts, details } = await other.layers();
    await transcripts.archive(SESSION, [{ id: 'm1', role: 'user', content: 'kept' }], { batchId: 'b1' });
    await details.store(SESSION, { content: 'kept', key: 'shared-key' });
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
  describe(`a session that is created again on the store ${name} while it is written to`, () => {
    for (const [write, call] of Object.entries(WRITES)) {
      it(`takes nothing of ${write} when it is another user’s`, async () => {
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

    const FORGETTING: Readonly<Record<string, (memory: ScopedMemory) => Promise<unknown>>> = {
      'a memory, by its id': (memory) => memory.forget({ session: SESSION, ids: ['mem_shared'] }),
      'a message, by its id': (memory) => memory.forget({ session: SESSION, ids: ['m1'] }),
      'a detail, by its key': (memory) => memory.forget({ session: SESSION, ids: ['shared-key'] }),
      'a topic': (memory) => memory.forget({ session: SESSION, topic: 'shared' }),
      'a time': (memory) => memory.forget({ session: SESSION, timeRange: ALL_TIMES }),
      'a topic of the user': (memory) => memory.forget({ user: 'ada', topic: 'shared' }),
      'all of the user': (memory) => memory.forget({ user: 'ada' }),
      'a detail, removed': async (memory) => (await memory.details()).remove('shared-key'),
      'a text in a detail': (memory) => memory.redact({ user: 'ada', detail: 'shared-key', text: 'kept' }),
    };
    for (const [what, call] of Object.entries(FORGETTING)) {
      it(`loses nothing with ${what} when it is another user’s`, async () => {
        // Each of the writes in turn: what was decided before the exchange must not be carried out after it.
        for (let after = 0; ; after++) {
          const { ada, bytes, before, next } = await open(make(), 'bob');
          next.after = after;
          await call(ada).catch((error: unknown) => expect(error).toMatchObject({ code: /NOT_FOUND$/ }));
          if (next.happen !== undefined) break;
          expect(before()).toContain('"bob"');
          expect(truthIn(await bytes())).toEqual(truthIn(before()));
        }
      });
    }

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
