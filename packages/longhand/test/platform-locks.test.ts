import { fstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLog } from '../src/core/read-log.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { createNodeFileSystem, type FileSystem, O_CREAT, O_RDWR } from '../src/stores/file/file-system.ts';
import {
  adaptNativeLocks,
  createProcessLocks,
  type KernelLocks,
  type NativeLocks,
} from '../src/stores/file/kernel-locks.ts';
import { asOnWindows } from '../src/stores/file/windows.ts';
import {
  createFaultFileSystem,
  SimulatedDisk,
  type StoreHarness,
  storeConformance,
  systemError,
} from '../src/testing/index.ts';

/**
 * The store on locks that behave like those of systems which this suite does not run on. What the package answers
 * there is read from its sources (`apple.c`, `win32.c`); no real macOS or Windows was tried.
 */

interface ModelLocks extends NativeLocks {
  closing(fd: number): void;
}

/** One lock for each file, held by an opening; any offset or length but 0 is refused. */
function modelOfDarwin(): ModelLocks {
  const owners = new Map<number, number>();
  const whole = (fd: number, offset: number, length: number): number => {
    if (offset !== 0 || length !== 0) throw systemError('EINVAL', 'flock');
    return fstatSync(fd).ino;
  };
  return {
    tryLock: (fd, offset, length) => {
      const file = whole(fd, offset, length);
      if ((owners.get(file) ?? fd) !== fd) return false;
      owners.set(file, fd);
      return true;
    },
    waitForLock: () => Promise.reject(new Error('No thread may block here.')),
    unlock: (fd, offset, length) => {
      const file = whole(fd, offset, length);
      if (owners.get(file) === fd) owners.delete(file);
    },
    closing: (fd) => {
      for (const [file, owner] of owners) if (owner === fd) owners.delete(file);
    },
  };
}

/** Ranges exclude even their own opening, and only a range that was locked as such can be unlocked. */
function modelOfWindows(): ModelLocks {
  let held: { fd: number; file: number; offset: number; length: number }[] = [];
  return {
    tryLock: (fd, offset, length) => {
      const file = fstatSync(fd).ino;
      const isTaken = held.some(
        (range) =>
          range.file === file && range.offset < offset + length && offset < range.offset + range.length,
      );
      if (isTaken) throw systemError('EBUSY', 'LockFileEx');
      held.push({ fd, file, offset, length });
      return true;
    },
    waitForLock: () => Promise.reject(new Error('No thread may block here.')),
    unlock: (fd, offset, length) => {
      const at = held.findIndex(
        (range) => range.fd === fd && range.offset === offset && range.length === length,
      );
      if (at < 0) throw systemError('EPERM', 'UnlockFileEx');
      held.splice(at, 1);
    },
    closing: (fd) => {
      held = held.filter((range) => range.fd !== fd);
    },
  };
}

function locksOf(model: ModelLocks, platform: NodeJS.Platform): KernelLocks {
  return { ...adaptNativeLocks(model, platform), closing: model.closing };
}

const harnessOf = (makeSystem: () => FileSystem): StoreHarness => ({
  supports: { reopening: true, indexFiles: true },
  make: () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    const open = (fileSystem: FileSystem) => new FileStore({ root, fileSystem });
    const fileSystem = makeSystem();
    return {
      store: open(fileSystem),
      reopen: () => open(fileSystem),
      dispose: () => rmSync(root, { recursive: true }),
    };
  },
});

/** Folders that cannot be synced, and every file that is replaced is in use for a moment. */
function modelOfWindowsFiles(locks: KernelLocks): FileSystem {
  const real = createNodeFileSystem(locks);
  let renames = 0;
  return asOnWindows(
    {
      ...real,
      rename: (from, to) => {
        if (renames++ % 3 < 2) throw systemError('EPERM', 'rename');
        real.rename(from, to);
      },
      syncDirectory: () => Promise.reject(systemError('EPERM', 'fsync')),
    },
    () => undefined,
  );
}

const systems: [string, () => FileSystem][] = [
  ['locks of one process', () => createNodeFileSystem(createProcessLocks())],
  ['locks as on macOS', () => createNodeFileSystem(locksOf(modelOfDarwin(), 'darwin'))],
  ['locks and files as on Windows', () => modelOfWindowsFiles(locksOf(modelOfWindows(), 'win32'))],
];

for (const [name, makeSystem] of systems) {
  storeConformance({ describe, it }, `the file store with ${name}`, harnessOf(makeSystem));

  it(`two openings wait for each other with ${name}`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    const fileSystem = makeSystem();
    const [one, two] = [new FileStore({ root, fileSystem }), new FileStore({ root, fileSystem })];
    const log = { kind: 'session', id: 's' } as const;
    await one.append(log, ['{"n":0}'], { create: 'new' });
    let isInside = false;
    const adds: Promise<unknown>[] = [];
    await one.rewrite(log, ({ lines }) => {
      isInside = true;
      adds.push(
        two.append(log, ['{"n":1}']),
        two.append({ kind: 'transcript', id: 's' }, [], { create: 'new' }),
      );
      return { keep: lines.map((line) => ({ line })), append: ['{"n":2}'] };
    });
    await Promise.all(adds);
    const { lines, damage } = await readLog(one, log);
    expect([isInside, damage]).toEqual([true, []]);
    expect(lines.map((line) => line.text.slice(0, 6))).toEqual(['{"n":0', '{"n":2', '{"n":1']);
    await one.append({ kind: 'session', id: 'another' }, [], { create: 'new' });
    expect(readdirSync(join(root, 'sessions')).sort()).toEqual(['another', 's']);
    for (const store of [one, two]) await store.close();
    rmSync(root, { recursive: true });
  });
}

for (const [name, makeSystem] of systems.slice(1)) {
  it(`the next writer leaves its name for those who wait with ${name}`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    const fileSystem = makeSystem();
    const lockTimes = { lockTimeoutMs: 5, maxRetries: 0, retryBackoffMs: 1 };
    const [one, two] = [0, 1].map(() => new FileStore({ root, fileSystem, lockTimes })) as [
      FileStore,
      FileStore,
    ];
    const log = { kind: 'session', id: 's' } as const;
    const note = (): unknown => JSON.parse(readFileSync(join(root, 'sessions/s/.lock.k'), 'utf8').slice(2));
    await one.append(log, [], { create: 'new' });
    await two.rewrite(log, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: ['{"n":1}'] }));
    expect(note()).toMatchObject({ pid: process.pid, operation: 'rewrite' });
    await one.append(log, ['{"n":2}']);
    expect(note()).toMatchObject({ pid: process.pid, operation: 'append' });
    const anchor = fileSystem.open(join(root, 'sessions/s/.lock.k'), O_RDWR);
    expect(fileSystem.tryLock(anchor, 0)).toBe(true);
    await expect(two.append(log, ['{"n":3}'])).rejects.toThrow(
      `process ${process.pid} on ${hostname()} held it last`,
    );
    fileSystem.close(anchor);
    for (const store of [one, two]) await store.close();
    rmSync(root, { recursive: true });
  });
}

describe('the native locks', () => {
  it('are taken in ranges on Linux, as whole files on macOS, byte by byte far behind the data on Windows', () => {
    const calls: unknown[][] = [];
    const native: NativeLocks = {
      tryLock: (...call) => calls.push(call) > 0,
      waitForLock: async (...call) => void calls.push(call),
      unlock: (...call) => void calls.push(call),
    };
    const use = (locks: KernelLocks): unknown[] => {
      calls.length = 0;
      locks.tryLock(3, 0, 2);
      void locks.waitForLock(3, 1);
      locks.unlock(3, 1);
      return [locks.lockUnit(), ...calls];
    };
    expect(use(adaptNativeLocks(native, 'linux'))).toEqual(['range', [3, 0, 2], [3, 1, 1], [3, 1, 1]]);
    expect(use(adaptNativeLocks(native, 'darwin'))).toEqual(['file', [3, 0, 0], [3, 0, 0], [3, 0, 0]]);
    const far = 2 ** 40;
    expect(use(adaptNativeLocks(native, 'win32'))).toEqual([
      'byte',
      [3, far, 1],
      [3, far + 1, 1],
      [3, far + 1, 1],
    ]);
  });

  it('tell a byte that is taken from trouble on Windows', () => {
    const failing = (code: string): KernelLocks =>
      adaptNativeLocks(
        {
          tryLock: () => {
            throw systemError(code, 'LockFileEx');
          },
          waitForLock: () => Promise.resolve(),
          unlock: () => undefined,
        },
        'win32',
      );
    expect(failing('EBUSY').tryLock(3, 0)).toBe(false);
    expect(() => failing('EIO').tryLock(3, 0)).toThrow('EIO');
  });
});

describe('a file system as on Windows', () => {
  it('renames again for a while, and says what is wrong when it does not help', () => {
    const disk = new SimulatedDisk();
    const real = disk.startProcess();
    real.close(real.open('/a', O_RDWR | O_CREAT));
    const rename = (fault: string, isPersistent: boolean): number[] => {
      const pauses: number[] = [];
      const faulty = createFaultFileSystem(real, [{ at: 1, kind: 'rename', fail: fault, isPersistent }]);
      asOnWindows(faulty, (ms) => pauses.push(ms)).rename('/a', '/b');
      return pauses;
    };
    expect(rename('EBUSY', false)).toEqual([1]);
    expect(() => rename('EACCES', true)).toThrow('EACCES');
    expect(() => rename('EIO', false)).toThrow('EIO');
    const faulty = createFaultFileSystem(real, [{ at: 1, kind: 'rename', fail: 'EPERM' }]);
    asOnWindows(faulty).rename('/b', '/c');
    expect(disk.paths()).toEqual(['/c']);
  });

  it('takes folders for synced that cannot be', async () => {
    const real = new SimulatedDisk().startProcess();
    const failing = (code: string) =>
      asOnWindows(createFaultFileSystem(real, [{ at: 1, kind: 'syncDirectory', fail: code }]));
    await failing('EPERM').syncDirectory('/');
    await expect(failing('EIO').syncDirectory('/')).rejects.toThrow('EIO');
  });
});
