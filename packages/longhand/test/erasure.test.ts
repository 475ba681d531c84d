import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager, type NewMemory } from '../src/index.ts';
import { temporaryFolder } from './campaign.ts';

/** After a compaction, what was deleted stands in no byte of any file of the store. */
const CANARY = 'xylophonecanary';
/** What is left of it when words are brought to their stems. */
const CANARY_STEM = 'xylophonecanar';
const SESSION = 'private';
const secret = (id: string): NewMemory => ({
  type: 'finding',
  id,
  content: { text: `${CANARY} ${id}`, metadata: { [CANARY]: CANARY } },
  tags: ['secret.stuff'],
  timestamp: '2026-02-02T00:00:00Z',
});

function filesWithCanary(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(CANARY_STEM));
}

async function open(): Promise<{ manager: MemoryManager; root: string; folder: string }> {
  const root = join(temporaryFolder(false), 'store');
  const manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: SESSION });
  await manager.addMemory(SESSION, { type: 'decision', content: { text: 'harmless' } });
  return { manager, root, folder: join(root, 'sessions', SESSION) };
}

test.each([
  ['one by one', async (manager: MemoryManager) => manager.deleteMemory(SESSION, 'mem_1')],
  ['by topic', async (manager: MemoryManager) => manager.deleteMemoriesByTopic(SESSION, 'secret')],
  [
    'by time',
    async (manager: MemoryManager) => manager.deleteMemoriesByTimeRange(SESSION, '2026-02-01', '2026-02-03'),
  ],
])('a memory deleted %s is in no file after compaction', async (_, remove) => {
  const { manager, root, folder } = await open();
  await manager.addMemory(SESSION, secret('mem_1'));
  await manager.rebuildIndex(SESSION);
  expect(filesWithCanary(root)).not.toEqual([]);
  await remove(manager);
  await manager.compactSession(SESSION);
  expect(filesWithCanary(root)).toEqual([]);
  expect(await manager.exportSession(SESSION)).not.toContain(CANARY);
  // The list of deletions still says which and when, for the person who answers for the data.
  expect(readFileSync(join(folder, 'tombstones.jsonl'), 'utf8')).toContain('"id":"mem_1"');
  await expect(manager.addMemory(SESSION, secret('mem_1'))).rejects.toMatchObject({ code: 'ID_DELETED' });
  await manager.close();
});

test('nor in what an interrupted compaction, a damaged line or a torn write left behind', async () => {
  const { manager, root, folder } = await open();
  await manager.addMemories(SESSION, [secret('mem_1'), secret('mem_2'), secret('mem_3')]);
  await manager.compactSession(SESSION);
  const path = join(folder, 'memory.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n');
  const lineOf = (id: string): string => lines.find((line) => line.includes(`"id":"${id}"`))!;
  // The newline between the second and the third is hit, the first is damaged, and a torn copy stands at the end.
  const damaged = lines
    .join('\n')
    .replace(`${lineOf('mem_2')}\n`, `${lineOf('mem_2')}\u000b`)
    .replace(`${CANARY} mem_1`, `${CANARY} MEM_1`);
  writeFileSync(path, damaged + lineOf('mem_3').slice(0, 200));
  for (const name of ['memory.jsonl.99-abcdef01.tmp', 'index.json.99-abcdef02.tmp', 'lock.tmp']) {
    writeFileSync(join(folder, name), damaged);
  }
  expect(filesWithCanary(root).length).toBeGreaterThan(3);

  // This manager has had the session open all the time: no fresh start cleans up for it.
  for (const id of ['mem_1', 'mem_2', 'mem_3']) expect(await manager.deleteMemory(SESSION, id)).toBe(true);
  await manager.compactSession(SESSION);
  expect(filesWithCanary(root)).toEqual([]);
  expect((await manager.getSessionStats(SESSION)).total_entries).toBe(1);
  await manager.close();
});

test.each([false, true])(
  'nor in the torn first try under another id (set aside before: %s)',
  async (isAside) => {
    const { manager, root, folder } = await open();
    await manager.addMemory(SESSION, secret('mem_second_try'));
    const path = join(folder, 'memory.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    const torn = lines.at(-2)!.replace('mem_second_try', 'mem_first_try').slice(0, 220);
    expect(torn).toContain(CANARY);
    writeFileSync(path, lines.toSpliced(-2, 0, torn).join('\n'));
    if (isAside) await manager.compactSession(SESSION);
    expect(filesWithCanary(root).some((file) => file.includes('corrupt'))).toBe(isAside);
    await manager.deleteMemory(SESSION, 'mem_second_try');
    expect(await manager.compactSession(SESSION)).toMatchObject({ quarantined: 0, discarded: 1 });
    expect(filesWithCanary(root)).toEqual([]);
    await manager.close();
  },
);

test.each([
  ['topic', false],
  ['topic', true],
  ['time', false],
  ['time', true],
])(
  'a damaged memory goes with a deletion by %s, for it cannot be judged (set aside before: %s)',
  async (by, isAside) => {
    const { manager, root, folder } = await open();
    await manager.addMemories(SESSION, [secret('mem_1'), { ...secret('mem_2'), tags: [] }]);
    const path = join(folder, 'memory.jsonl');
    // The tag and the time are hit: as the lines stand, they do not match.
    const text = readFileSync(path, 'utf8')
      .replace('"secret.stuff"', '"sebret.stuff"')
      .replace('2026-02-02', '2036-02-02')
      .replace(/(mem_2.*)2026-02-02/, '$12036-02-02')
      .replace('{"schema_version":1,"id":"mem_2"', '{"schema_version":1,"iD":"mem_2"');
    writeFileSync(path, text);
    if (isAside) await manager.compactSession(SESSION);
    const remove = (options: { dryRun?: boolean }): Promise<number> =>
      by === 'topic'
        ? manager.deleteMemoriesByTopic(SESSION, 'secret', options)
        : manager.deleteMemoriesByTimeRange(SESSION, '2026-02-01', '2026-02-03', options);
    // The other one has lost its name, and counts for nothing.
    expect([await remove({ dryRun: true }), await remove({})]).toEqual([1, 1]);
    expect(await manager.getMemory(SESSION, 'mem_1')).toBeNull();
    expect(await manager.compactSession(SESSION)).toMatchObject({ quarantined: 0, discarded: 2 });
    expect(filesWithCanary(root)).toEqual([]);
    expect(readFileSync(join(folder, 'tombstones.jsonl'), 'utf8')).toContain('"id":"mem_1"');
    expect((await manager.getSessionStats(SESSION)).total_entries).toBe(1);
    await manager.close();
  },
);

test('faded memories and trimmed metadata leave no trace either', async () => {
  const root = join(temporaryFolder(false), 'store');
  const config = { storage: { trim_metadata_after_days: 10 } };
  await using manager = new MemoryManager({ storageRoot: root, config });
  await manager.createSession('ada', { session_id: SESSION });
  const old = { timestamp: '2020-01-01T00:00:00Z' };
  await manager.addMemories(SESSION, [
    { ...secret('mem_1'), ...old, importance: 0.1 },
    { type: 'preference', content: { text: 'tea', metadata: { why: CANARY } }, ...old },
  ]);
  await manager.rebuildIndex(SESSION);
  const report = await manager.compactSession(SESSION, { dropFaded: true });
  expect([report.dropped, report.trimmed.length]).toEqual([[{ id: 'mem_1', reason: 'faded' }], 1]);
  expect(filesWithCanary(root)).toEqual([]);
});

test('a deleted session leaves nothing at all', async () => {
  const { manager, root, folder } = await open();
  await manager.addMemory(SESSION, secret('mem_1'));
  await manager.closeSession(SESSION);
  expect(await manager.deleteSession(SESSION)).toBe(true);
  expect(filesWithCanary(root)).toEqual([]);
  expect(readdirSync(join(folder, '..'))).toEqual([]);
  await manager.close();
});

test.each([
  ['a compaction', async (manager: MemoryManager) => manager.compactSession(SESSION)],
  ['its session', async (manager: MemoryManager) => manager.deleteSession(SESSION)],
])('nor in the search index on the disk, once %s has taken it away', async (_, takeAway) => {
  const { manager, root } = await open();
  const others = Array.from({ length: 400 }, (__, i) => ({
    type: 'finding' as const,
    content: { text: `note number ${i} about the harbour` },
  }));
  await manager.addMemories(SESSION, [...others, secret('mem_1')]);
  expect(await manager.queryMemories(SESSION, { text: CANARY })).toHaveLength(1);
  await manager.close();
  expect(filesWithCanary(root).some((path) => path.endsWith('.segment'))).toBe(true);

  const again = new MemoryManager({ storageRoot: root });
  await again.deleteMemory(SESSION, 'mem_1');
  await takeAway(again);
  expect(filesWithCanary(root)).toEqual([]);
  await again.close();
  expect(filesWithCanary(root)).toEqual([]);
});
