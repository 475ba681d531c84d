import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LonghandEvent } from '../../core/events.ts';
import { MemoryManager } from '../../memory-manager.ts';

let root: string;
let path: string;
let ids: readonly string[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
  path = join(root, 'sessions/s/memory.jsonl');
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('u', { session_id: 's' });
  ids = await manager.addMemories('s', ['a', 'b', 'c'].map(noteOf));
});
afterEach(() => rmSync(root, { recursive: true }));

const noteOf = (text: string) => ({ type: 'finding' as const, content: { text } });

/** In a manager that has read nothing yet. */
async function getFresh(id: string, onEvent: (event: LonghandEvent) => void = () => undefined) {
  await using manager = new MemoryManager({ storageRoot: root, onEvent });
  return await manager.getMemory('s', id);
}

it('finds a memory, also one that others refer to, and the same one again', async () => {
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.addMemory('s', { ...noteOf('about b'), references: [ids[1]!] });
  await using fresh = new MemoryManager({ storageRoot: root });
  const first = await fresh.getMemory('s', ids[1]!);
  expect(first?.content).toEqual({ text: 'b' });
  expect(await fresh.getMemory('s', ids[1]!)).toEqual(first);
  expect(await fresh.getMemory('s', ids[2]!)).toMatchObject({ content: { text: 'c' } });
});

it('knows of deletions and changed importances', async () => {
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.setImportance('s', ids[0]!, 0.9);
  await manager.deleteMemory('s', ids[1]!);
  expect(await getFresh(ids[0]!)).toMatchObject({ importance: 0.9 });
  expect(await getFresh(ids[1]!)).toBe(null);
  expect(await getFresh('mem_unheard_of')).toBe(null);
});

it('checks the line, and reads on when it is damaged', async () => {
  writeFileSync(path, readFileSync(path, 'utf8').replace('{"text":"b"}', '{"text":"x"}'));
  const kinds: string[] = [];
  await expect(getFresh(ids[1]!, ({ kind }) => kinds.push(kind))).rejects.toMatchObject({
    code: 'CORRUPT_ENTRY',
  });
  expect(kinds).toContain('corruption-found');
  expect(await getFresh(ids[2]!)).toMatchObject({ content: { text: 'c' } });
});

it('finds a memory behind a damaged newline, and one that was written twice', async () => {
  const log = readFileSync(path, 'utf8');
  const [first, second, third, fourth] = log.trimEnd().split('\n');
  writeFileSync(path, `${first}\n${second}\n${third}x${fourth}\n`);
  expect(await getFresh(ids[2]!)).toMatchObject({ content: { text: 'c' } });
  writeFileSync(path, `${log}${second}\n`);
  expect(await getFresh(ids[0]!)).toMatchObject({ content: { text: 'a' } });
});

it('takes what a person wrote', async () => {
  appendFileSync(path, '{"type":"finding","id":"mem_mine","content":{"text":"by hand"}}\n');
  expect(await getFresh('mem_mine')).toMatchObject({ content: { text: 'by hand' } });
});

it('refuses ids that are none before it opens anything', async () => {
  await using manager = new MemoryManager({ storageRoot: root });
  await expect(manager.getMemory('../s', ids[0]!)).rejects.toMatchObject({ code: 'INVALID_ID' });
  await expect(manager.getMemory('unknown', ids[0]!)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});
