import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../index.ts';

let root: string;
let manager: MemoryManager;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-copy-'));
  manager = new MemoryManager({ storageRoot: root });
});
afterEach(async () => {
  await manager.close();
  rmSync(root, { recursive: true });
});

function logOf(session: string): string {
  return join(root, 'sessions', session, 'memory.jsonl');
}

test('keeps the owner and the settings that only metadata.json tells', async () => {
  mkdirSync(join(root, 'sessions/old'), { recursive: true });
  const line = { id: 'mem_tea', session_id: 'old', timestamp: '2026-01-01T00:00:00.000Z', type: 'finding' };
  writeFileSync(
    logOf('old'),
    `${JSON.stringify({ ...line, content: { text: 'Ada likes tea.' } })}\n{"type":"finding","content":{"text":"By hand."}}\n`,
  );
  const created_at = '2025-12-31T00:00:00.000Z';
  const metadata = { session_id: 'old', user_id: 'ada', created_at, preferences: { language: 'de' } };
  writeFileSync(join(root, 'sessions/old/metadata.json'), JSON.stringify(metadata));
  const store = new MemoryStore();
  await (await manager.layers()).copyTo(store);
  const copy = new MemoryManager({ store });
  expect(await copy.loadSession('old')).toMatchObject({
    user_id: 'ada',
    created_at,
    preferences: { language: 'de' },
  });
  expect((await copy.recall('ada', 'tea')).map(({ id }) => id)).toEqual(['mem_tea']);
  // A line without an id is known by one that is made from it, and keeps that.
  const ids = async (from: MemoryManager) => (await from.queryMemories('old', {})).map(({ id }) => id).sort();
  expect(await ids(copy)).toEqual(await ids(manager));
  expect((await copy.verify()).damage).toEqual([]);
  await copy.close();
});

test('leaves damaged lines behind, counts them, and names logs that were written to meanwhile', async () => {
  for (const session_id of ['one', 'two']) await manager.createSession('ada', { session_id });
  appendFileSync(
    logOf('one'),
    `{"id":"mem_x","session_id":"one","seq":9,"checksum":"sha256:${'0'.repeat(64)}"}\nno json\n`,
  );
  const layers = await manager.layers();
  let isLater = false;
  const store = new MemoryStore();
  const report = await layers.copyTo(store, (done, total) => {
    isLater ||= done === total;
    if (isLater) appendFileSync(logOf('two'), `${readFileSync(logOf('two'), 'utf8').split('\n')[0]}\n`);
  });
  expect(report).toMatchObject({
    sessions: 2,
    records: 2,
    damaged_lines: 2,
    changed: ['sessions/two/memory.jsonl'],
  });
});

test('writes nothing when the new store has something else of one name', async () => {
  for (const session_id of ['one', 'two']) await manager.createSession('ada', { session_id });
  const store = new MemoryStore();
  const there = new MemoryManager({ store });
  await there.createSession('ben', { session_id: 'two' });
  const copying = (await manager.layers()).copyTo(store);
  await expect(copying).rejects.toMatchObject({
    code: 'SESSION_EXISTS',
    message: expect.stringContaining('session two'),
  });
  expect(await store.list('session')).toEqual(['two']);
  expect(await store.readDocument(undefined, 'config.json')).toBeUndefined();
  await there.close();
});

test('leaves the settings of a store alone that has served others', async () => {
  await manager.createSession('ada', { session_id: 'one' });
  const store = new MemoryStore();
  const there = new MemoryManager({ store });
  await there.createSession('ben', { session_id: 'two' });
  await store.writeDocument(undefined, 'config.json', '{"semantic":false}');
  expect(await (await manager.layers()).copyTo(store)).toMatchObject({ sessions: 1, already_there: 0 });
  expect(await store.readDocument(undefined, 'config.json')).toBe('{"semantic":false}');
  expect(await store.list('session')).toEqual(['one', 'two']);
  await there.close();
});
