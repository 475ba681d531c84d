import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newStoreConfig } from '../src/core/config.ts';
import { MemoryManager } from '../src/index.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { createNodeFileSystem } from '../src/stores/file/file-system.ts';
import { loadKernelLocks } from '../src/stores/file/kernel-locks.ts';
import { createFaultFileSystem, type Fault } from '../src/testing/fault-file-system.ts';
import { startProcess, temporaryFolder } from './campaign.ts';

const { locks } = loadKernelLocks();

const MOMENTS = ['before', 'half-way', 'after'] as const;

test('a process that dies while it makes a store leaves none, or one that opens', async () => {
  const openWith = (root: string, faults: readonly Fault[]): number => {
    const fileSystem = createFaultFileSystem(createNodeFileSystem(locks), faults);
    try {
      void new FileStore({ root, fileSystem }).close();
    } catch (error) {
      if (faults.length === 0) throw error;
    }
    return fileSystem.total;
  };
  const calls = openWith(join(temporaryFolder(), 'store'), []);
  const die = (): never => {
    throw new Error('killed');
  };
  for (let at = 1; at <= calls; at++) {
    for (const when of MOMENTS) {
      const root = join(temporaryFolder(), 'store');
      // Nothing is done any more, not even to clean up, once the process is dead.
      const dead = { fail: 'EIO', at: at + 1, isPersistent: true } as const;
      openWith(root, [{ at, when, run: die }, dead]);
      const config = join(root, 'config.json');
      const text = existsSync(config) ? readFileSync(config, 'utf8') : newStoreConfig();
      expect(text, `call ${at}, ${when}`).toBe(newStoreConfig());
      await using manager = new MemoryManager({ storageRoot: root });
      await manager.createSession('ada', { session_id: 's' });
      expect(await manager.listSessions('ada')).toHaveLength(1);
    }
  }
});

test('a disk without room for config.json leaves a store without one', async () => {
  for (const fault of [{ fail: 'ENOSPC' }, { shorten: true }] as const) {
    const root = join(temporaryFolder(), 'store');
    const faults = [{ at: 1, kind: 'write', ...fault }] as const;
    const store = new FileStore({
      root,
      fileSystem: createFaultFileSystem(createNodeFileSystem(locks), faults),
    });
    await store.append({ kind: 'session', id: 's' }, ['{"schema_version":1}'], { create: 'new' });
    await store.close();
    expect(readdirSync(root).sort()).toEqual(['agents', 'sessions', 'users']);
  }
});

test('processes that make the same store at once make one config.json, and leave one that is there', async () => {
  for (const isThere of [false, true]) {
    const root = temporaryFolder();
    const own = '{"storage":{"max_session_size_mb":3}}';
    if (isThere) writeFileSync(join(root, 'config.json'), own);
    const makers = Array.from({ length: 6 }, () => startProcess('open-store.ts', { root }));
    for (const { ended, lines } of makers) {
      expect((await ended).code).toBe(0);
      expect(lines).toEqual(['opened']);
    }
    expect(readFileSync(join(root, 'config.json'), 'utf8')).toBe(isThere ? own : newStoreConfig());
    expect(readdirSync(join(root, 'sessions'))).toHaveLength(6);
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }
});
