import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SimulatedDisk, systemError } from '../../testing/index.ts';
import { toIOError } from './failures.ts';
import { FileStore } from './file-store.ts';
import type { FileSystem } from './file-system.ts';
import { descriptorLimit, withSpareDescriptors } from './spare-descriptors.ts';

const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;
const addressOf = (i: number) => ({ kind: 'session', id: `s${i}` }) as const;

/** A process that may have so many files open. */
function limited(fileSystem: FileSystem, most: number): FileSystem {
  const open = new Set<number>();
  const refuse = (call: string): void => {
    if (open.size >= most) throw systemError('EMFILE', call);
  };
  return {
    ...fileSystem,
    open: (path, flags, mode) => {
      refuse('open');
      const fd = fileSystem.open(path, flags, mode);
      open.add(fd);
      return fd;
    },
    close: (fd) => {
      open.delete(fd);
      fileSystem.close(fd);
    },
    list: (path) => {
      refuse('list');
      return fileSystem.list(path);
    },
    syncDirectory: async (path) => {
      refuse('syncDirectory');
      await fileSystem.syncDirectory(path);
    },
  };
}

it('works with more logs than files can be open', async () => {
  const fileSystem = limited(new SimulatedDisk().startProcess(), 30);
  // What is not on the disk yet keeps its log open.
  const store = new FileStore({ root: '/store', fileSystem, durability: 'group' });
  for (let i = 0; i < 40; i++) {
    await store.create(addressOf(i), [bodyOf('first')]);
    await store.read(addressOf(i));
  }
  for (let i = 0; i < 40; i++) await store.append(addressOf(i), [bodyOf('second')]);
  expect(await store.list('session')).toHaveLength(40);
  for (let i = 0; i < 40; i++) expect((await store.read(addressOf(i))).lines).toHaveLength(2);
  await store.close();
});

it('tries once more when room was made, and only then', async () => {
  const counts = { calls: 0, rooms: 0 };
  const fail = (): never => {
    counts.calls++;
    throw systemError('EMFILE', 'open');
  };
  const system: FileSystem = {
    ...new SimulatedDisk().startProcess(),
    open: fail,
    list: fail,
    syncDirectory: async () => fail(),
  };
  for (const hasRoom of [true, false]) {
    Object.assign(counts, { calls: 0, rooms: 0 });
    const spare = withSpareDescriptors(system, () => {
      counts.rooms++;
      return hasRoom;
    });
    expect(() => spare.open('/file', 0)).toThrow('EMFILE');
    expect(() => spare.list('/')).toThrow('EMFILE');
    await expect(spare.syncDirectory('/')).rejects.toThrow('EMFILE');
    expect(counts).toEqual({ calls: hasRoom ? 6 : 3, rooms: 3 });
  }
});

it('says what helps', () => {
  const { message } = toIOError(systemError('EMFILE', 'open'), 'session s', 'open');
  expect(message).toContain('ulimit -n');
});

it('knows the limit where the system tells it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-limits-'));
  const path = join(folder, 'limits');
  writeFileSync(
    path,
    'Limit  Soft Limit  Hard Limit  Units\nMax open files            64        128       files\n',
  );
  expect(descriptorLimit(path)).toBe(64);
  writeFileSync(path, 'nothing of the kind');
  expect(descriptorLimit(path)).toBe(Number.POSITIVE_INFINITY);
  expect(descriptorLimit(join(folder, 'missing'))).toBe(Number.POSITIVE_INFINITY);
  rmSync(folder, { recursive: true });
});
