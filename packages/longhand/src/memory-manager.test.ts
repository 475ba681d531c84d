import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileStore, MemoryManager, MemoryStore } from './index.ts';
import { FakeClock } from './testing/fake-clock.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const finding = { type: 'finding', content: { text: 'x' } } as const;

test('metrics count what this process did, and the size of the whole store', async () => {
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  for (const session of ['a', 'b']) {
    await manager.createSession('ada', { session_id: session });
    await manager.addMemories(session, [finding, finding]);
  }
  await manager.compactSession('a');
  const { gauges, counters, timings } = await manager.metrics();
  expect(gauges).toEqual({
    'memory.sessions.active': 2,
    'memory.entries.total': 4,
    'memory.size.bytes': bytesBelow(root),
  });
  expect(counters).toMatchObject({ 'memory.compaction.count': 1, 'memory.errors.corruption.count': 0 });
  expect(timings['memory.operations.write.duration_ms'].count).toBe(2);
});

test('the size covers every layer, and is right after something was forgotten', async () => {
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  const sizeNow = async (): Promise<number> => (await manager.metrics()).gauges['memory.size.bytes'];
  const { id } = await manager.createSession('ada');
  await manager.addMemory(id, finding);
  const layers = await manager.layers();
  const filled = async (fill: () => Promise<unknown>, atLeast: number): Promise<void> => {
    const before = await sizeNow();
    await fill();
    expect((await sizeNow()) - before).toBeGreaterThan(atLeast);
    expect(await sizeNow()).toBe(bytesBelow(root));
  };
  const long = 'word '.repeat(2_000);
  await filled(() => layers.details.store(id, { content: long }), 10_000);
  await filled(() => layers.notes.apply('ada', 'default', { operation: 'append', content: long }), 10_000);
  const message = { id: 'm1', role: 'user', content: long } as const;
  await filled(() => layers.transcripts.archive(id, [message]), 10_000);
  await layers.agents.create({ name: 'default' });
  await filled(() => layers.journal.save('default', 'core', long.slice(0, 9_900)), 9_900);
  writeFileSync(join(root, 'of-another-program.txt'), long);
  expect(await sizeNow()).toBe(bytesBelow(root) - long.length);
  await layers.privacy.forget({ user: 'ada' });
  expect(await sizeNow()).toBe(bytesBelow(root) - long.length);
  expect(await sizeNow()).toBeLessThan(15_000);
});

test('a store of many files is measured again after a while, or when this process removes something', async () => {
  const root = temporaryRoot();
  const clock = new FakeClock();
  await using manager = new MemoryManager({ storageRoot: root, clock });
  const sizeNow = async (): Promise<number> => (await manager.metrics()).gauges['memory.size.bytes'];
  await manager.createSession('ada', { session_id: 's' });
  mkdirSync(join(root, 'indices'));
  for (let n = 0; n <= 2_000; n++) writeFileSync(join(root, 'indices', `${n}`), '');
  const before = await sizeNow();
  await manager.addMemory('s', finding);
  expect(await sizeNow()).toBe(before);
  clock.advance(30_000);
  expect(await sizeNow()).toBe(bytesBelow(root));
  await manager.compactSession('s');
  expect(await sizeNow()).toBe(bytesBelow(root));
});

test('locks and caches tell what they do, at DEBUG, when a listener asks for it', async () => {
  await using manager = new MemoryManager({ storageRoot: temporaryRoot() });
  const heard: string[] = [];
  await manager.createSession('ada', { session_id: 's' });
  manager.subscribe(({ kind, level }) => heard.push(`${level} ${kind}`), { frequent: true });
  const id = await manager.addMemory('s', finding);
  expect(heard).toEqual(['DEBUG lock-acquired', 'DEBUG lock-released', 'DEBUG memories-added']);
  heard.length = 0;
  for (const _ of [1, 2, 3]) await manager.getMemory('s', id);
  expect(heard).toEqual(['DEBUG cache-miss', 'DEBUG cache-hit', 'DEBUG cache-hit']);
  heard.length = 0;
  for (const _ of [1, 2]) await manager.queryMemories('s', { text: 'x' });
  expect(heard.filter((each) => each.includes('cache'))).toEqual(['DEBUG cache-miss', 'DEBUG cache-hit']);
});

test('files have the modes they promise, whatever the umask', async () => {
  const umask = process.umask(0o000);
  onTestFinished(() => void process.umask(umask));
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  const { id } = await manager.createSession('ada');
  await manager.addMemory(id, { ...finding, id: 'a' });
  await manager.deleteMemory(id, 'a');
  await manager.closeSession(id);
  await manager.compactSession(id);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    expect([entry.name, mode.toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
  }
});

test('a list of sessions that was lost is mended session by session', async () => {
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 's' });
  await manager.close();
  rmSync(join(root, 'users', 'ada'), { recursive: true });
  await using again = new MemoryManager({ storageRoot: root });
  await again.rebuildIndex('s');
  expect((await again.listSessions('ada')).map(({ id }) => id)).toEqual(['s']);
});

test('a second close waits for the first', async () => {
  const root = temporaryRoot();
  const store = new FileStore({ root: join(root, '..', 'other') });
  const manager = new MemoryManager({ storageRoot: root, durability: 'group' });
  const { id } = await manager.createSession('ada');
  await store.append({ kind: 'session', id: 's' }, ['{"a":1}'], { create: 'new' });
  for (const closable of [manager, store]) {
    if (closable === manager) void manager.addMemory(id, finding);
    else void store.append({ kind: 'session', id: 's' }, ['{"a":2}']);
    const ended: string[] = [];
    const first = closable.close().then(() => ended.push('first'));
    const second = closable.close().then(() => ended.push('second'));
    await second;
    expect(ended).toEqual(['first', 'second']);
    await first;
  }
});

test('a manager that is closed refuses everything, and closing twice is fine', async () => {
  const manager = new MemoryManager({ storageRoot: temporaryRoot() });
  const { id } = await manager.createSession('ada');
  await manager.close();
  await manager.close();
  await expect(manager.addMemory(id, finding)).rejects.toMatchObject({
    name: 'IOError',
    code: 'STORE_CLOSED',
  });
  await expect(manager.getMemory(id, 'a')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  const unopened = new MemoryManager({ storageRoot: temporaryRoot() });
  await unopened.close();
  await expect(unopened.listSessions()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});

test('remember takes any word for a type, as the tool store_memory does', async () => {
  await using manager = new MemoryManager({ storageRoot: temporaryRoot() });
  await manager.remember('ada', { type: 'Goal', content: 'Run a marathon', tags: ['sport'] });
  await manager.remember('ada', 'Short answers', { type: 'user_preference' });
  await manager.as({ account_id: 'local', user_id: 'ada' }).remember('Ship on Friday', { type: 'decision' });
  await expect(manager.remember('ada', 'x', { type: 'core' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
  const memories = await manager.recall('ada', '*');
  expect(memories.map(({ type, tags }) => [type, ...tags].join(' ')).sort()).toEqual([
    ...['decision', 'finding sport kind.goal', 'preference'],
  ]);
});

test('a forgetting can be tried first', async () => {
  await using manager = new MemoryManager({ store: new MemoryStore(), semantic: false });
  const { id } = await manager.remember('ada', 'Ada likes tea');
  const going = await manager.forget('ada', { text: 'tea' }, { dryRun: true });
  expect(going).toMatchObject({ memories: 1, items: [{ id, text: 'Ada likes tea', reason: 'asked for' }] });
  expect(await manager.recall('ada', 'tea')).toHaveLength(1);
});
