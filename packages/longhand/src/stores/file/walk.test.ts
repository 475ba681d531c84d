import { expect, test } from 'vitest';
import { SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import type { FileSystem } from './file-system.ts';
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
});
