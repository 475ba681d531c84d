import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryManager } from '../../index.ts';

/** A session whose first record, which names its owner, is damaged. */
const SESSION = 's';

interface Damaged {
  readonly manager: MemoryManager;
  readonly reopen: () => MemoryManager;
  readonly metadataPath: string;
}

async function openDamaged(prepare: (manager: MemoryManager) => Promise<unknown>): Promise<Damaged> {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  const root = join(parent, 'store');
  const folder = join(root, 'sessions', SESSION);
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: SESSION, account_id: 'acme', agents: ['ann'] });
    await manager.addMemory(SESSION, { type: 'finding', id: 'mem_1', content: { text: 'one harbour' } });
    await manager.addMemory(SESSION, { type: 'finding', id: 'mem_2', content: { text: 'two harbours' } });
    await prepare(manager);
  }
  const path = join(folder, 'memory.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"user_id":"ada"', '"user_id":"adx"'));
  const managers: MemoryManager[] = [];
  const reopen = (): MemoryManager => {
    managers.push(new MemoryManager({ storageRoot: root }));
    return managers.at(-1)!;
  };
  onTestFinished(async () => {
    for (const manager of managers) await manager.close();
    rmSync(parent, { recursive: true });
  });
  return { manager: reopen(), reopen, metadataPath: join(folder, 'metadata.json') };
}

test.each([
  ['a record of settings', (manager: MemoryManager) => manager.updateSession(SESSION, { agents: ['ann'] })],
  ['the closing record of a compaction', (manager: MemoryManager) => manager.compactSession(SESSION)],
  ['metadata.json', (manager: MemoryManager) => manager.closeSession(SESSION)],
])('%s still tells whose it is, and everything works', async (_, prepare) => {
  const { manager, reopen } = await openDamaged(prepare);
  expect(await manager.loadSession(SESSION)).toMatchObject({ user_id: 'ada', account_id: 'acme' });
  expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual([SESSION]);
  await manager.addMemory(SESSION, { type: 'finding', id: 'mem_3', content: { text: 'three harbours' } });
  expect(await manager.deleteMemory(SESSION, 'mem_1')).toBe(true);
  const found = await manager.queryMemories(SESSION, { text: 'harbours' });
  expect(found.map(({ id }) => id).sort()).toEqual(['mem_2', 'mem_3']);
  const asOf = await manager.queryMemories(SESSION, { asOf: new Date() });
  expect(asOf.map(({ id }) => id).sort()).toEqual(['mem_2', 'mem_3']);

  expect(await manager.compactSession(SESSION)).toMatchObject({ quarantined: 1, entries_after: 2 });
  const again = reopen();
  const mended = await again.loadSession(SESSION);
  expect(mended).toEqual(await manager.loadSession(SESSION));
  expect(mended).toMatchObject({ id: SESSION, user_id: 'ada', account_id: 'acme' });
  expect((await again.getSessionStats(SESSION)).corruption).toMatchObject({ checksum: 0, sequence: 0 });
  expect((await again.queryMemories(SESSION, { text: 'harbours' })).length).toBe(2);
});

test('a view that was opened before another process compacted the session keeps its owner', async () => {
  const { manager, reopen } = await openDamaged((each) => each.closeSession(SESSION));
  await manager.loadSession(SESSION);
  await reopen().compactSession(SESSION);
  expect(await manager.deleteMemory(SESSION, 'mem_1')).toBe(true);
  expect(await manager.loadSession(SESSION)).toMatchObject({ user_id: 'ada' });
});

test.each([
  ['is missing', undefined],
  ['is no JSON', 'x'],
  [
    'is of another session',
    '{"session_id":"t","user_id":"ada","account_id":"acme","created_at":"2026-01-01"}',
  ],
  ['names no user', '{"session_id":"s","account_id":"acme","created_at":"2026-01-01"}'],
])('a clear error says what to do when metadata.json %s', async (_, text) => {
  const { manager, metadataPath } = await openDamaged(async () => undefined);
  if (text !== undefined) writeFileSync(metadataPath, text);
  const refused = { code: 'CORRUPT_SESSION', message: expect.stringContaining('Restore the first line') };
  await expect(manager.compactSession(SESSION)).rejects.toMatchObject(refused);
  await expect(manager.deleteMemory(SESSION, 'mem_1')).rejects.toMatchObject(refused);
  expect((await manager.getMemory(SESSION, 'mem_1'))!.content).toEqual({ text: 'one harbour' });
  expect(await manager.exportSession(SESSION, 'jsonl')).toContain('two harbours');
});
