import { expect, test } from 'vitest';
import { openLayerContext } from '../../../../test/open-layer-context.ts';
import { MemoryManager, MemoryStore } from '../../../index.ts';
import { SynonymEmbedder } from '../../../testing/synonym-embedder.ts';
import { Memories } from '../../memories/memories.ts';
import { Sessions } from '../../memories/sessions.ts';
import { UserIndex } from '../user-index.ts';
import { EmbedderGate } from './embedder-gate.ts';
import { UserVectors } from './user-vectors.ts';

test('an update that is asked for in the moment when one ends runs beside no other', async () => {
  const store = new MemoryStore();
  const manager = new MemoryManager({ store });
  await manager.createSession('ada', { session_id: 's1' });
  const add = () => manager.addMemory('s1', { type: 'finding', content: { text: 'the cat sleeps' } });
  let making = 0;
  let most = 0;
  const updates: Promise<unknown>[] = [];
  const embedder = new SynonymEmbedder({
    before: async () => {
      most = Math.max(most, ++making);
      if (updates.length === 1) {
        await add();
        updates.push(vectors.update());
        updates.push(updates[0]!.then(() => vectors.update()));
      }
      await new Promise((resolve) => setImmediate(resolve));
      making--;
    },
  });
  const { context } = openLayerContext(store);
  const index = new UserIndex(context, 'ada', { onDamage: () => undefined, onGone: () => undefined });
  const vectors = new UserVectors({
    ...{ context, userId: 'ada', index },
    memories: new Memories(context, new Sessions(context), async () => undefined),
    gate: new EmbedderGate(embedder, 0, context),
  });
  await add();
  updates.push(vectors.update());
  for (const update of updates) await update;
  expect({ most, documents: embedder.counts.document }).toEqual({ most: 1, documents: 2 });
});
