import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFaultFileSystem, SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { createProcessLocks } from './kernel-locks.ts';
import { walk } from './walk.ts';

test('what goes while it looks is left out', async () => {
  const real = new SimulatedDisk().startProcess();
  const store = new FileStore({ root: '/store', fileSystem: real });
  await store.create({ kind: 'session', id: 's' }, ['{}']);
  await store.close();
  const withoutLock: FileSystem = {
    ...real,
    stat: (path) => (path.endsWith('.lock.k') ? undefined : real.stat(path)),
  };
  const places: string[] = [];
  for await (const { place } of walk(withoutLock, '/store')) places.push(place);
  expect(places).toEqual(['sessions/s/memory.jsonl']);

  const faulty = createFaultFileSystem(real, [{ at: 1, kind: 'open', fail: 'EIO' }]);
  await expect(walk(faulty, '/store').next()).rejects.toMatchObject({ code: 'EIO' });
  const vanish = (path: string | number): void => real.unlink(String(path));
  faulty.strike([1, 2].map((at) => ({ at, kind: 'open', when: 'before', run: vanish })));
  expect((await walk(faulty, '/store').next()).done).toBe(true);
});

test('links are named, and nothing behind them is read', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  mkdirSync(join(parent, 'inside'));
  writeFileSync(join(parent, 'outside'), 'text');
  symlinkSync(join(parent, 'outside'), join(parent, 'inside/link'));
  const found: [string, number][] = [];
  const fileSystem = createNodeFileSystem(createProcessLocks());
  for await (const { place, bytes } of walk(fileSystem, join(parent, 'inside')))
    found.push([place, bytes.length]);
  expect(found).toEqual([['link', 0]]);
});
