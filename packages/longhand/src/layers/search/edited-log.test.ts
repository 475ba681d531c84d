import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/campaign.ts';
import { MemoryManager } from '../../memory-manager.ts';

/** As many editors do it: the file stays the same one. */
function editInPlace(root: string, change: (log: string) => string): void {
  const path = join(root, 'sessions/one/memory.jsonl');
  const { ino } = statSync(path);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  expect(statSync(path).ino).toBe(ino);
}

async function filled(root: string): Promise<MemoryManager> {
  const manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 'one' });
  for (const [i, text] of ['a red car', 'a blue boat', 'a green tram'].entries())
    await manager.addMemory('one', { id: `mem_${i}`, type: 'finding', content: { text } });
  return manager;
}

async function seen(manager: MemoryManager, text: string): Promise<unknown[]> {
  const found = await manager.queryMemories('one', { text });
  return found.map(({ id, content }) => [id, content.text]);
}

describe('a line that a person changes in place', () => {
  test('is found and shown as it is now, by whoever has just shown it as it was', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    expect(await seen(manager, 'a red')).toEqual([['mem_0', 'a red car']]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red car');
    editInPlace(root, (log) =>
      log.replace('a red car', 'a red bicycle').replace(/("id":"mem_0".*),"checksum":"[^"]*"/, '$1'),
    );
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red bicycle']]);
    expect(await seen(manager, 'car')).toEqual([]);
    expect(await seen(manager, 'boat')).toEqual([['mem_1', 'a blue boat']]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red bicycle');
  });

  test('and leaves the file as long as it was, is so once the index is built anew', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red car']]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red car');
    editInPlace(root, (log) => {
      const changed = log.replace('a red car', 'a red bus');
      return changed.replace(/("id":"mem_0".*),"checksum":"[^"]*"\}/, (whole, kept: string) =>
        `${kept}}`.padEnd(whole.length),
      );
    });
    await manager.rebuildIndex('one');
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red bus']]);
    expect(await seen(manager, 'car')).toEqual([]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red bus');
  });
});
