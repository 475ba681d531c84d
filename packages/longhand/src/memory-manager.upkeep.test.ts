import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LonghandEvent, MemoryManager } from './index.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

/** On a busy machine. */
const PATIENCE = { timeout: 120_000 };
const finding = { type: 'finding', content: { text: 'a word that will be harmed' } } as const;

test('damage inside a memory is counted and reported once', async () => {
  const root = temporaryRoot();
  const events: LonghandEvent[] = [];
  await using manager = new MemoryManager({ storageRoot: root, onEvent: (event) => events.push(event) });
  await manager.createSession('ada', { session_id: 's' });
  const id = await manager.addMemory('s', finding);
  const log = join(root, 'sessions/s/memory.jsonl');
  writeFileSync(log, readFileSync(log, 'utf8').replace('harmed', 'hArmed'));

  await expect(manager.getMemory('s', id)).rejects.toThrow(
    expect.objectContaining({ code: 'CORRUPT_ENTRY' }),
  );
  await manager.getSessionStats('s');
  await manager.rebuildIndex('s');
  expect(events.filter(({ kind }) => kind === 'corruption-found')).toHaveLength(1);
  expect((await manager.metrics()).counters['memory.errors.corruption.count']).toBe(1);
});

test('lines whose numbers do not rise are reported once, and are in use', async () => {
  const root = temporaryRoot();
  const events: LonghandEvent[] = [];
  await using manager = new MemoryManager({ storageRoot: root, onEvent: (event) => events.push(event) });
  await manager.createSession('ada', { session_id: 's' });
  await manager.addMemories('s', [finding, finding]);
  const log = join(root, 'sessions/s/memory.jsonl');
  const [session, first, second] = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, `${session}\n${second}\n${first}\n`);

  for (let times = 0; times < 2; times++)
    expect(await manager.getSessionStats('s')).toMatchObject({ total_entries: 2 });
  const first_offset = `${session}\n${second}\n`.length;
  expect(events.filter(({ kind }) => /corrupt|sequence/.test(kind))).toMatchObject([
    { kind: 'sequence-broken', log: 'session s', lines: 1, first_offset },
  ]);
  expect((await manager.metrics()).counters['memory.errors.corruption.count'] ?? 0).toBe(0);
});

test('a session that another process deleted keeps no other from being refreshed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const root = temporaryRoot();
  const config = { decay: { update_interval_minutes: 1 } };
  await using manager = new MemoryManager({ storageRoot: root, config });
  for (const id of ['a', 'b']) {
    await manager.createSession('ada', { session_id: id });
    await manager.addMemory(id, finding);
  }
  await using other = new MemoryManager({ storageRoot: root });
  await other.deleteSession('a');

  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => {
    expect(readFileSync(join(root, 'sessions/b/index.json'), 'utf8')).toContain('"current_relevance"');
  }, PATIENCE);
  expect((await manager.metrics()).gauges['memory.sessions.active']).toBe(1);
});

test.each([
  [123, 'INVALID_OPTION'],
  ['x'.repeat(257), 'INVALID_OPTION'],
  ['\ud800', 'INVALID_TEXT'],
  ['nul \0', 'INVALID_TEXT'],
])('the reason of a deletion is checked: %j', async (reason, code) => {
  await using manager = new MemoryManager({ storageRoot: temporaryRoot() });
  await manager.createSession('ada', { session_id: 's' });
  const id = await manager.addMemory('s', finding);
  const options = { reason: reason as string };
  await expect(manager.deleteMemory('s', id, options)).rejects.toThrow(expect.objectContaining({ code }));
  expect(await manager.getMemory('s', id)).not.toBeNull();
});
