import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore, type NewMemory } from '../../index.ts';

const ADA = { account_id: 'local', user_id: 'ada' };
const finding = (id: string, text: string): NewMemory => ({ id, type: 'finding', content: { text } });

/** Two who write at once: while the one writes to the continuation, the other writes to the session itself. */
async function keepWhile(other: (manager: MemoryManager) => Promise<unknown>) {
  const store = new MemoryStore();
  const config = { storage: { max_session_size_mb: 0.02, auto_compact: false } };
  const manager = new MemoryManager({ store, config });
  const memory = manager.as(ADA);
  await memory.createSession({ session_id: 'chat' });
  await memory.keepMemories('chat', [finding('m1', 'x'.repeat(15_000))]);
  expect(await memory.keepMemories('chat', [finding('m2', 'x'.repeat(15_000))])).toBe('chat--2');

  const append = store.append.bind(store);
  store.append = async (log, ...rest) => {
    if (log.id === 'chat--2') {
      store.append = append;
      await other(manager);
    }
    return append(log, ...rest);
  };
  const kept = await memory.keepMemories('chat', [finding('both', 'the same')]);
  const texts = [];
  for (const sessionId of ['chat', 'chat--2'])
    texts.push((await manager.getMemory(sessionId, 'both'))?.content.text);
  await manager.close();
  return { kept, texts };
}

test('leaves a memory in the first session that has it', async () => {
  const { kept, texts } = await keepWhile((manager) =>
    manager.addMemory('chat', finding('both', 'the same')),
  );
  expect([kept, texts]).toEqual(['chat', ['the same', undefined]]);
});

test('leaves another memory of the same id alone', async () => {
  const { kept, texts } = await keepWhile((manager) => manager.addMemory('chat', finding('both', 'another')));
  expect([kept, texts]).toEqual(['chat--2', ['another', 'the same']]);
});
