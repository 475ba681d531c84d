import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../../index.ts';
import { FileStore } from '../../stores/file/file-store.ts';
import { copyStore } from '../copy-store.ts';

/** A memory that was put right, and of which the line that says so is damaged. */
let root: string;
let manager: MemoryManager;
let log: string;

const damaged = { code: 'CORRUPT_ENTRY' };

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhand-lost-'));
  log = join(root, 'sessions', 'chat', 'memory.jsonl');
  manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 'chat' });
  for (const id of ['m1', 'm2'])
    await manager.addMemory('chat', { id, type: 'finding', content: { text: `The limit of ${id} is 10` } });
  await manager.updateMemory('chat', 'm1', { content: { text: 'The limit is 99' } });
  await reopen(() => flip('limit is 99'));
});
afterEach(async () => {
  await manager.close();
  rmSync(root, { recursive: true, force: true });
});

async function reopen(between: () => void): Promise<void> {
  await manager.close();
  between();
  manager = new MemoryManager({ storageRoot: root });
}

function flip(text: string): void {
  const bytes = readFileSync(log);
  bytes[bytes.indexOf(text) + 1]! ^= 1;
  writeFileSync(log, bytes);
}

async function shown() {
  const { memories, damaged_lines } = JSON.parse(await manager.exportSession('chat'));
  const found = await manager.queryMemories('chat', { text: 'limit' });
  const ids = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);
  return { exported: ids(memories), damaged_lines, found: ids(found) };
}

test('is damaged, and not what it said before', async () => {
  for (let again = 0; again < 2; again++)
    await expect(manager.getMemory('chat', 'm1')).rejects.toMatchObject(damaged);
  expect(await shown()).toEqual({ exported: ['m2'], damaged_lines: 1, found: ['m2'] });
  expect((await manager.getSessionStats('chat')).total_entries).toBe(1);
  await expect(manager.updateMemory('chat', 'm1', { tags: ['x'] })).rejects.toMatchObject(damaged);
  await manager.rebuildIndex('chat');
  expect((await shown()).found).toEqual(['m2']);
});

test('stays so through a compaction, which keeps both lines aside', async () => {
  const [, first, , correction] = readFileSync(log, 'latin1').split('\n');
  await manager.compactSession('chat');
  expect(readFileSync(log, 'latin1')).not.toContain('"id":"m1"');
  await reopen(() => undefined);
  await expect(manager.getMemory('chat', 'm1')).rejects.toMatchObject(damaged);
  await expect(manager.updateMemory('chat', 'm1', { tags: ['x'] })).rejects.toMatchObject(damaged);
  const store = new FileStore({ root });
  const aside = await store.quarantined({ kind: 'session', id: 'chat' });
  await store.close();
  expect(aside.map(({ line }) => line.bytes.toString('latin1')).sort()).toEqual([first, correction].sort());
});

test('is settled when it is written again, or deleted', async () => {
  const again = { id: 'm1', type: 'finding', content: { text: 'The limit is 98' } } as const;
  await manager.addMemory('chat', again);
  expect((await manager.getMemory('chat', 'm1'))?.content).toEqual(again.content);
  expect((await shown()).exported).toEqual(['m1', 'm2']);
  await manager.updateMemory('chat', 'm1', { content: { text: 'The limit is 97' } });
  await reopen(() => flip('limit is 97'));
  await expect(manager.getMemory('chat', 'm1')).rejects.toMatchObject(damaged);
  expect(await manager.deleteMemory('chat', 'm1')).toBe(true);
  expect(await manager.getMemory('chat', 'm1')).toBeNull();
  await manager.compactSession('chat');
  expect(readFileSync(log, 'latin1')).not.toContain('The limit of m1');
});

test('is not copied as what it said before', async () => {
  const from = new FileStore({ root });
  const to = new MemoryStore();
  expect((await copyStore(from, to)).damaged_lines).toBe(1);
  await from.close();
  const copied = new MemoryManager({ store: to });
  expect((await copied.queryMemories('chat')).map(({ id }) => id)).toEqual(['m2']);
  await copied.close();
});

test('was never acknowledged when its line was cut off: the memory is what it was', async () => {
  await manager.addMemory('chat', { id: 'm3', type: 'finding', content: { text: 'The limit of m3' } });
  await reopen(() => {
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((one) => one.includes('"id":"m3"'))!;
    appendFileSync(log, line.slice(0, -20));
  });
  expect((await manager.getMemory('chat', 'm3'))?.content).toEqual({ text: 'The limit of m3' });
  await manager.addMemory('chat', { id: 'm4', type: 'finding', content: { text: 'The limit of m4' } });
  await reopen(() => undefined);
  expect((await manager.getMemory('chat', 'm3'))?.content).toEqual({ text: 'The limit of m3' });
  expect((await shown()).exported).toEqual(['m2', 'm3', 'm4']);
});
