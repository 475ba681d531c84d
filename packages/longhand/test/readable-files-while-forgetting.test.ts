import { describe, expect, it, onTestFinished } from 'vitest';
import type { LogStore } from '../src/core/store.ts';
import { MemoryManager, type NewMemory } from '../src/index.ts';
import { interrupted } from './interrupted-store.ts';
import { STORES, type StoreOpener } from './open-stores.ts';

/**
 * One process writes the files that people read, and in the middle of it another forgets. Whichever ends last, nothing
 * of what was forgotten stands in any file once both are done.
 */
const SESSION = 'chat';
const SECRET = 'secrettopic';
const tagged = (tag: string): NewMemory => ({ type: 'finding', content: { text: 'it' }, tags: [tag] });

type Method = keyof LogStore;

async function open(openStore: StoreOpener, methods: readonly Method[]) {
  const { store, next } = interrupted(openStore(), methods);
  const [interruptedOne, other] = [new MemoryManager({ store }), new MemoryManager({ store: openStore() })];
  onTestFinished(async () => {
    await interruptedOne.close();
    await other.close();
  });
  await other.createSession('ada', { session_id: SESSION });
  await other.createSession('ada', { session_id: 'rest' });
  await other.addMemory(SESSION, tagged('kept'));
  await other.addMemory(SESSION, tagged(SECRET));
  await interruptedOne.rebuildIndex(SESSION);
  return { interruptedOne, other, next };
}

async function placesOf(manager: MemoryManager): Promise<readonly string[]> {
  const { found } = await (await manager.layers()).privacy.verifyErased([SECRET]);
  return found.map(({ place }) => place);
}

/** Everything that making readable files asks of a store: whatever comes between two of them may be a forgetting. */
const MAKING: readonly Method[] = ['read', 'append', 'size', 'rewrite', 'readDocument', 'writeDocument'];

const MAKERS: Readonly<Record<string, (manager: MemoryManager) => Promise<unknown>>> = {
  'rebuilt its index': (manager) => manager.rebuildIndex(SESSION),
  'compacted it': (manager) => manager.compactSession(SESSION),
  'caught up with it': (manager) => manager.compactSession(SESSION, { onlyIfNeeded: true }),
};

for (const [name, make] of STORES) {
  describe(`readable files on the store ${name}`, () => {
    for (const [what, call] of Object.entries(MAKERS)) {
      it(`show nothing of a topic that was forgotten while another ${what}`, async () => {
        for (let after = 0; ; after++) {
          const { interruptedOne, other, next } = await open(make(), MAKING);
          const { privacy } = await other.layers();
          next.after = after;
          next.happen = async () => void (await privacy.forget({ session: SESSION, topic: SECRET }));
          await call(interruptedOne);
          if (next.happen !== undefined) break;
          expect(await placesOf(other), `before call ${after}`).toEqual([]);
          expect(await other.exportSession(SESSION)).toContain('kept');
        }
      });

      it(`show nothing of a session that was forgotten while another ${what}`, async () => {
        for (let after = 0; ; after++) {
          const { interruptedOne, other, next } = await open(make(), MAKING);
          const { privacy } = await other.layers();
          next.after = after;
          next.happen = async () => void (await privacy.forget({ session: SESSION }));
          await call(interruptedOne).catch((error: unknown) =>
            expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' }),
          );
          if (next.happen !== undefined) break;
          expect(await placesOf(other), `before call ${after}`).toEqual([]);
        }
      });
    }

    it('show nothing of a session that another listed while it was forgotten', async () => {
      for (let after = 0; ; after++) {
        const { interruptedOne, other, next } = await open(make(), ['writeDocument', 'remove']);
        const { privacy } = await interruptedOne.layers();
        next.after = after;
        next.happen = async () => void (await other.rebuildIndex(SESSION));
        await privacy.forget({ session: SESSION });
        if (next.happen !== undefined) break;
        expect(await placesOf(other), `before call ${after}`).toEqual([]);
      }
    });

    it('show nothing that could not be listed at once and was forgotten since', async () => {
      const openStore = make();
      const { interruptedOne, other, next } = await open(openStore, ['writeDocument']);
      next.only = (owner) => owner === undefined;
      next.happen = () => Promise.reject(new Error('not now'));
      await interruptedOne.rebuildIndex(SESSION);
      await (await other.layers()).privacy.forget({ session: SESSION, topic: SECRET });
      await interruptedOne.rebuildIndex('rest');
      expect(await placesOf(other)).toEqual([]);
    });
  });
}
