import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { temporaryFolder } from './campaign.ts';

/** The words that programs written for the requirement look for. */
it('says that a session is full', async () => {
  const manager = new MemoryManager({
    storageRoot: temporaryFolder(),
    config: { storage: { max_session_size_mb: 0.01, auto_compact: false } },
  });
  const { id } = await manager.createSession('ada');
  const memory = { type: 'finding', content: { text: 'x'.repeat(9_000) } } as const;
  await manager.addMemory(id, memory);
  await expect(manager.addMemory(id, memory)).rejects.toThrow(/^Session size limit exceeded/);
  await manager.close();
});

it('says whose checksum is wrong', async () => {
  const root = temporaryFolder();
  const manager = new MemoryManager({ storageRoot: root });
  const { id: session } = await manager.createSession('ada');
  const id = await manager.addMemory(session, { type: 'finding', content: { text: 'otter' } });
  await manager.close();
  const file = join(root, 'sessions', session, 'memory.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('otter', 'adder'));
  const later = new MemoryManager({ storageRoot: root });
  await expect(later.getMemory(session, id)).rejects.toThrow(`Checksum mismatch for ${id}`);
  await later.close();
});
