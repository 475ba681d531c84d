import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newRoot } from '../../../../test/open-stores.ts';
import { FileStore, MemoryManager, type MemoryManagerOptions, MemoryStore } from '../../../index.ts';
import { SynonymEmbedder } from '../../../testing/synonym-embedder.ts';

const SYNONYMS = [
  ['car', 'automobile'],
  ['cat', 'feline'],
  ['dog', 'hound'],
];
const TEXTS = { mem_car: 'bought a red car in spring', mem_cat: 'the cat sleeps on the sofa' };
const OF_A_DOG = { content: { text: 'found a dog in spring' } };
const PATIENCE = 60_000;

/** Makes vectors only as long as it is let. */
function openEmbedder() {
  const state = { mayMake: true, whileMaking: NOTHING };
  const embedder = new SynonymEmbedder({
    synonyms: SYNONYMS,
    before: async (_, { kind }) => {
      if (kind !== 'document') return;
      await state.whileMaking();
      if (!state.mayMake) throw new Error('not now');
    },
  });
  return { embedder, state };
}

async function filled(options: MemoryManagerOptions): Promise<MemoryManager> {
  const manager = new MemoryManager({ embedderWaitMs: PATIENCE, ...options });
  await manager.createSession('ada', { session_id: 's1' });
  for (const [id, text] of Object.entries(TEXTS))
    await manager.addMemory('s1', { id, type: 'finding', content: { text } });
  return manager;
}

/** Which memories are found in other words than their own. */
async function meant(manager: MemoryManager): Promise<string[]> {
  const found: string[] = [];
  for (const [text, meantId] of [
    ['automobile', 'mem_car'],
    ['hound', 'mem_car'],
    ['feline', 'mem_cat'],
  ]) {
    const ids = (await manager.queryMemories('s1', { text: text! })).map(({ id }) => id);
    if (ids.includes(meantId!)) found.push(text!);
  }
  return found;
}

const WITHOUT_OLD_MEANING = ['feline'];
const WITH_NEW_MEANING = ['hound', 'feline'];
const NOTHING = async (): Promise<void> => undefined;

describe('a memory that was corrected', () => {
  test.each(['file', 'memory'])('leaves the others their vectors in the %s store', async (kind) => {
    const { embedder, state } = openEmbedder();
    const place = kind === 'file' ? { storageRoot: newRoot() } : { store: new MemoryStore() };
    await using manager = await filled({ ...place, embedder });
    await manager.embedMemories('ada');
    state.mayMake = false;
    await manager.updateMemory('s1', 'mem_car', OF_A_DOG);
    expect(await meant(manager)).toEqual(WITHOUT_OLD_MEANING);
  });

  test.each(['its index', 'no index'])('does so in a process that starts with %s', async (left) => {
    const storageRoot = newRoot();
    const { embedder, state } = openEmbedder();
    const indexLimits = { sealAtDocuments: 1 };
    const first = await filled({ storageRoot, embedder, indexLimits });
    await first.embedMemories('ada');
    state.mayMake = false;
    await first.updateMemory('s1', 'mem_car', OF_A_DOG);
    await meant(first);
    await first.close();
    if (left === 'no index') rmSync(join(storageRoot, 'users/ada/index'), { recursive: true });
    {
      await using next = new MemoryManager({ storageRoot, embedder, embedderWaitMs: PATIENCE });
      expect(await meant(next)).toEqual(WITHOUT_OLD_MEANING);
    }
    const again = openEmbedder().embedder;
    await using last = new MemoryManager({ storageRoot, embedder: again, embedderWaitMs: PATIENCE });
    expect(await last.embedMemories('ada')).toMatchObject({ embedded: 1 });
    expect(await meant(last)).toEqual(WITH_NEW_MEANING);
  });

  test('gets the vector of what it says when it was corrected while one was made', async () => {
    const { embedder, state } = openEmbedder();
    await using manager = await filled({ storageRoot: newRoot(), embedder });
    state.whileMaking = async () => {
      state.whileMaking = NOTHING;
      await manager.updateMemory('s1', 'mem_car', OF_A_DOG);
    };
    // Of the other one and of its own two texts, and nothing twice.
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 2 });
    expect(embedder.counts.document).toBe(3);
    expect(await meant(manager)).toEqual(WITH_NEW_MEANING);
  });

  test('is not found by what it said when that was being published, by any process', async () => {
    const root = newRoot();
    const store = new FileStore({ root });
    await using other = new MemoryManager({
      storageRoot: root,
      embedder: openEmbedder().embedder,
      embedderWaitMs: PATIENCE,
    });
    let beforePublishing = NOTHING;
    const publish = store.publishIndex.bind(store);
    // Something that happens after rows were chosen and before any process sees them.
    store.publishIndex = (userId, family, expected, work) =>
      publish(userId, family, expected, async (writer) => {
        const next = await work(writer);
        if (family === 'vectors') await beforePublishing();
        return next;
      });
    const { embedder, state } = openEmbedder();
    await using manager = await filled({ store, embedder });
    await manager.embedMemories('ada');
    await manager.addMemory('s1', { id: 'mem_new', type: 'finding', content: { text: 'washed the car' } });
    beforePublishing = async () => {
      beforePublishing = NOTHING;
      await other.updateMemory('s1', 'mem_new', { content: { text: 'walked the dog' } });
      await meant(other);
    };
    await manager.embedMemories('ada');
    state.mayMake = false;
    for (const each of [manager, other]) {
      const found = await each.queryMemories('s1', { text: 'automobile' });
      expect(found.map(({ id }) => id)).toEqual(['mem_car']);
    }
  });
});
