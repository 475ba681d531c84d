import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore, type NewMemory } from '../../index.ts';

/** Memories with ids of their own, and deletions, that are asked for at the same time. */
const SESSION = 's';
const LOG = { kind: 'session', id: SESSION } as const;

async function open(maxSizeMb = 10) {
  const store = new MemoryStore();
  const manager = new MemoryManager({ store, config: { storage: { max_session_size_mb: maxSizeMb } } });
  await manager.createSession('ada', { session_id: SESSION });
  let transactions = 0;
  let gate: Promise<void> = Promise.resolve();
  const { append } = store;
  store.append = async (log, records, options) => {
    if (typeof records !== 'function') return append.call(store, log, records, options);
    transactions++;
    await gate;
    return append.call(store, log, records, options);
  };
  /** Runs calls so that each waits behind the one before it, and all behind a first one that takes long. */
  const inOrder = async (calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> => {
    let release: () => void = () => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    const running: Promise<unknown>[] = [];
    for (const call of calls) {
      const answer = call();
      // Some are refused before the last one is asked for.
      answer.catch(() => undefined);
      running.push(answer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    release();
    return outcomes(running);
  };
  const deletions = async (): Promise<string[]> =>
    ((await store.readDocument(LOG, 'tombstones.jsonl')) ?? '').split('\n').slice(0, -1);
  return { manager, store, deletions, inOrder, transactions: () => transactions };
}

const memory = (id: string, text = id): NewMemory => ({
  type: 'finding',
  id,
  content: { text },
  tags: ['t'],
});

async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) => {
    if (each.status === 'fulfilled') return each.value;
    return (each.reason as { code?: string }).code ?? each.reason;
  });
}

test('those that wait go together', async () => {
  const { manager, transactions } = await open();
  const ids = Array.from({ length: 200 }, (_, i) => `mem_${i}`);
  const added = await Promise.all(ids.map((id) => manager.addMemory(SESSION, memory(id))));
  expect(added).toEqual(ids);
  expect(transactions()).toBeLessThanOrEqual(2);
  const deleted = await Promise.all(ids.slice(0, 100).map((id) => manager.deleteMemory(SESSION, id)));
  expect(new Set(deleted)).toEqual(new Set([true]));
  expect(transactions()).toBeLessThanOrEqual(4);
  const stats = await manager.getSessionStats(SESSION);
  expect(stats).toMatchObject({ total_entries: 100, deleted: 100, pending_writes: 0 });
  const exported = (await manager.exportSession(SESSION, 'jsonl')).match(/"id":"mem_\d+"/g);
  expect(exported).toEqual(ids.slice(100).map((id) => `"id":"${id}"`));
});

test('large ones go in several writes', async () => {
  const { manager, transactions } = await open();
  const text = 'x'.repeat(400_000);
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => manager.addMemory(SESSION, memory(id, text))));
  expect(transactions()).toBe(3);
  expect((await manager.getSessionStats(SESSION)).total_entries).toBe(4);
});

test('each sees what those before it have decided, and is refused alone', async () => {
  const { manager, deletions, inOrder, transactions } = await open();
  await manager.addMemory(SESSION, memory('old'));
  const before = transactions();
  const found = await inOrder([
    () => manager.addMemory(SESSION, memory('first')),
    () => manager.addMemory(SESSION, memory('twin')),
    () => manager.addMemory(SESSION, memory('twin')),
    () => manager.addMemory(SESSION, memory('twin', 'another text')),
    () => manager.deleteMemory(SESSION, 'old'),
    () => manager.deleteMemory(SESSION, 'old'),
    () => manager.setImportance(SESSION, 'old', 0.9),
    () => manager.setImportance(SESSION, 'twin', 0.9),
    () => manager.addMemory(SESSION, memory('last')),
  ]);
  expect(transactions() - before).toBe(2);
  expect(found).toEqual([
    'first',
    'twin',
    'twin',
    'ID_TAKEN',
    true,
    false,
    'MEMORY_NOT_FOUND',
    undefined,
    'last',
  ]);
  expect((await manager.getMemory(SESSION, 'twin'))!.importance).toBe(0.9);
  expect((await manager.getSessionStats(SESSION)).total_entries).toBe(3);
  expect(await deletions()).toHaveLength(1);
});

test('in a session that fills up, only those that do not fit are refused', async () => {
  const { manager } = await open(0.01);
  await manager.addMemory(SESSION, memory('small'));
  const large = 'x'.repeat(4_000);
  const calls = [
    manager.addMemory(SESSION, memory('one', large)),
    manager.addMemory(SESSION, memory('two', large)),
    manager.addMemory(SESSION, { ...memory('three', large), type: 'preference' }),
    manager.deleteMemory(SESSION, 'small'),
  ];
  expect(await outcomes(calls)).toEqual(['one', 'two', 'SESSION_FULL', true]);
  expect((await manager.getSessionStats(SESSION)).total_entries).toBe(2);
});

test('a deletion names what is still there, and no list names a memory twice', async () => {
  const { manager, store, deletions } = await open();
  const other = new MemoryManager({ store });
  for (const id of ['a', 'b', 'c']) await manager.addMemory(SESSION, memory(id));
  await other.loadSession(SESSION);
  const counts = await Promise.all([
    manager.deleteMemoriesByTopic(SESSION, 't'),
    other.deleteMemory(SESSION, 'b'),
    other.deleteMemoriesByTopic(SESSION, 't'),
  ]);
  expect(counts.map(Number).reduce((sum, count) => sum + count)).toBe(3);
  expect((await deletions()).map((line) => (JSON.parse(line) as { id: string }).id).sort()).toEqual([
    'a',
    'b',
    'c',
  ]);
  await manager.compactSession(SESSION);
  await other.rebuildIndex(SESSION);
  expect(await deletions()).toHaveLength(3);
});

test('wait up to a bound, in characters too', async () => {
  const { manager, inOrder } = await open(1_000);
  const large = 'x'.repeat(900_000);
  const many = Array.from({ length: 90 }, (_, i) => () => manager.addMemory(SESSION, memory(`m${i}`, large)));
  const answers = await inOrder(many);
  const refused = answers.filter((answer) => answer === 'WRITE_BUFFER_FULL');
  expect(refused.length).toBeGreaterThan(10);
  expect(refused.length).toBeLessThan(40);
  expect((await manager.getSessionStats(SESSION)).total_entries).toBe(90 - refused.length);
  expect(await manager.addMemory(SESSION, memory('later'))).toBe('later');
});
