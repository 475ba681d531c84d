import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileStore, MemoryManager } from './index.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
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
  const sizes = await Promise.all(
    ['a', 'b'].map(async (id) => (await manager.getSessionStats(id)).total_size_bytes),
  );
  expect(gauges).toEqual({
    'memory.sessions.active': 2,
    'memory.entries.total': 4,
    'memory.size.bytes': sizes[0]! + sizes[1]!,
  });
  expect(counters).toMatchObject({ 'memory.compaction.count': 1, 'memory.errors.corruption.count': 0 });
  expect(timings['memory.operations.write.duration_ms'].count).toBe(2);
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
  await store.create({ kind: 'session', id: 's' }, ['{"a":1}']);
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
