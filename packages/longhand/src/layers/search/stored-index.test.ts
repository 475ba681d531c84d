import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryManager } from '../../index.ts';

it('says what a stored index covers, what it lacks, and that it cannot be used', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-index-state-'));
  const open = (): MemoryManager =>
    new MemoryManager({ storageRoot: root, indexLimits: { sealAtDocuments: 8 } });
  const stateOf = (manager: MemoryManager) =>
    manager.as({ account_id: 'local', user_id: 'ada' }).searchIndex();
  const add = async (manager: MemoryManager, session: string, count: number): Promise<void> => {
    const content = { text: 'The harbour is closed' };
    await manager.addMemories(
      session,
      Array.from({ length: count }, () => ({ type: 'finding', content })),
    );
  };
  let manager = open();
  await manager.createSession('ada', { session_id: 'one' });
  await add(manager, 'one', 20);
  expect(await stateOf(manager)).toEqual({ state: 'none', sessions_behind: 0 });
  await manager.recall('ada', 'harbour');
  await manager.close();

  manager = open();
  expect(await stateOf(manager)).toEqual({ state: 'sealed', sessions_behind: 0 });
  await add(manager, 'one', 1);
  await manager.createSession('ada', { session_id: 'two' });
  expect(await stateOf(manager)).toEqual({ state: 'behind', sessions_behind: 2 });
  await manager.close();

  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const manifest = files.find((name) => name.startsWith('users') && /manifest/.test(name));
  expect(manifest, files.join()).toBeDefined();
  writeFileSync(join(root, manifest!), '{"version":"18"}\n');
  manager = open();
  expect(await stateOf(manager)).toEqual({ state: 'damaged', sessions_behind: 0 });
  await manager.close();
  rmSync(root, { recursive: true });
});
