import { expect, test } from 'vitest';
import { linesHolding, readLog } from '../../core/read-log.ts';
import { SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import type { FileSystem } from './file-system.ts';

const LOG = { kind: 'session', id: 's' } as const;

test('a search ends where the log ends by then, when it is cut back while it is searched', async () => {
  const disk = new SimulatedDisk();
  const real = disk.startProcess();
  let cutTo: number | undefined;
  const cutting: FileSystem = {
    ...real,
    fstat: (fd) => {
      const status = real.fstat(fd);
      if (cutTo !== undefined) real.truncate(fd, cutTo);
      return status;
    },
  };
  const store = new FileStore({ root: '/store', fileSystem: cutting });
  await store.append(LOG, ['{"a":"word"}', '{"b":"word"}'], { create: 'new' });
  const { lines } = await readLog(store, LOG);
  expect(await linesHolding(store, LOG, 'word')).toHaveLength(2);
  cutTo = lines[1]!.offset;
  expect((await linesHolding(store, LOG, 'word')).map(({ text }) => text)).toEqual([lines[0]!.text]);
  cutTo = undefined;
  await store.close();
});
