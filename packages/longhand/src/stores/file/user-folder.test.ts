import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { IndexFamily, NextIndex } from '../../core/store.ts';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';

const SESSION = { kind: 'session', id: 'one' } as const;
const BODY = '{"schema_version":1,"record":"session"}';

interface Opened {
  readonly root: string;
  readonly store: FileStore;
  /** Runs before a file is opened, and once before a lock is tried. */
  readonly before: { open?: (path: string) => void; tryLock?: () => void };
}

const BROKEN = () => {
  throw new Error('a mistake');
};

function open(system: FileSystem = createNodeFileSystem(loadKernelLocks().locks)): Opened {
  const root = join(mkdtempSync(join(tmpdir(), 'longhand-')), 'store');
  onTestFinished(() => rmSync(join(root, '..'), { recursive: true, force: true }));
  const before: Opened['before'] = {};
  const store = new FileStore({
    root,
    fileSystem: {
      ...system,
      open: (path, flags, mode) => {
        before.open?.(path);
        return system.open(path, flags, mode);
      },
      tryLock: (fd, byte, count) => {
        const { tryLock } = before;
        delete before.tryLock;
        tryLock?.();
        return system.tryLock(fd, byte, count);
      },
    },
  });
  onTestFinished(() => store.close());
  return { root, store, before };
}

const NOTHING: NextIndex = { manifest: '{}', names: [] };

/** Publishes an index, of one file when it has a name. */
function publish(store: FileStore, name?: string, family: IndexFamily = 'index'): Promise<string> {
  return store.publishIndex('ada', family, undefined, async (writer) => {
    if (name === undefined) return NOTHING;
    (await writer.write(name, Uint8Array.of(1))).close();
    return { manifest: '{}', names: [name] };
  });
}

const removeOnce = (opened: Opened, ending: string): void => {
  opened.before.open = (path) => {
    if (!path.endsWith(ending)) return;
    delete opened.before.open;
    rmSync(join(opened.root, 'users/ada'), { recursive: true });
  };
};

describe('an index of a user of whom there is nothing else', () => {
  test('goes with its lock and its folders when it is of nothing', async () => {
    const { root, store } = open();
    for (const family of ['index', 'vectors'] as const)
      expect(await publish(store, undefined, family)).toBe('done');
    expect(readdirSync(join(root, 'users'))).toEqual([]);
  });

  test('goes without the vectors, when there are any', async () => {
    const { root, store } = open();
    await publish(store, 'a.vectors', 'vectors');
    await publish(store);
    expect(readdirSync(join(root, 'users/ada'))).toEqual(['vectors']);
  });

  test('goes also when the work failed', async () => {
    const { root, store } = open();
    const failing = store.publishIndex('ada', 'index', undefined, () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(readdirSync(join(root, 'users'))).toEqual([]);
  });

  test('goes also when it was decided from another manifest', async () => {
    const { root, store } = open();
    expect(await store.publishIndex('ada', 'index', 'gone', async () => NOTHING)).toBe('stale');
    expect(readdirSync(join(root, 'users'))).toEqual([]);
  });

  test('stays when it holds something', async () => {
    const { root, store } = open();
    await publish(store, 'a.segment');
    expect(readdirSync(join(root, 'users/ada/index')).sort()).toEqual([
      '.lock.k',
      'a.segment',
      'manifest.json',
    ]);
  });

  test('stays when it cannot be looked at, and spoils nothing', async () => {
    const { root, store } = open();
    const own = new RangeError('mine');
    const failing = store.publishIndex('ada', 'index', undefined, async () => {
      rmSync(join(root, 'users/ada'), { recursive: true });
      throw own;
    });
    await expect(failing).rejects.toBe(own);
  });
});

test.each(['list', 'removeDirectory'] as const)('a mistake of ours in %s is not hidden', async (name) => {
  const system = createNodeFileSystem(loadKernelLocks().locks);
  let isBroken = false;
  const { store } = open({
    ...system,
    [name]: (path: string) => (isBroken ? BROKEN() : system[name](path)),
  });
  const changing = store.publishIndex('ada', 'index', undefined, async () => {
    isBroken = true;
    return NOTHING;
  });
  await expect(changing).rejects.toThrow('a mistake');
  isBroken = false;
});

test('an index of nothing stays with a user of whom there is something', async () => {
  const { root, store } = open();
  await store.append({ ...SESSION, userId: 'ada' }, [BODY], { create: 'new' });
  await publish(store);
  expect(readdirSync(join(root, 'users/ada/index')).sort()).toEqual(['.lock.k', 'manifest.json']);
});

test('a lock that was removed before it was taken does not count', async () => {
  const opened = open();
  const { root, store, before } = opened;
  let other: unknown;
  before.tryLock = () => {
    rmSync(join(root, 'users/ada'), { recursive: true });
    // The process that makes it again has a lock of its own.
    other = publish(store, 'b.segment');
  };
  expect(await publish(store)).toBe('busy');
  expect(await other).toBe('done');
  expect(await store.publishIndex('ada', 'index', '{}', async () => NOTHING)).toBe('done');
});

test.each([
  ['an index', '.lock.k', (store: FileStore) => publish(store)],
  [
    'a session',
    'changes',
    async (store: FileStore) =>
      (await store.append({ ...SESSION, userId: 'ada' }, [BODY], { create: 'new' })).firstSeq,
  ],
])('%s is made though the folder is removed in the same moment', async (_, ending, work) => {
  const opened = open();
  await publish(opened.store, 'a');
  removeOnce(opened, ending);
  expect(await work(opened.store)).toBeDefined();
  expect(opened.before.open).toBeUndefined();
});

test('a folder that goes whenever a file in it is opened is reported', async () => {
  const { root, store, before } = open();
  before.open = (path) => {
    if (path.includes('ada')) rmSync(join(root, 'users/ada'), { recursive: true, force: true });
  };
  await expect(store.claim('vectors', 'ada')).rejects.toMatchObject({ name: 'IOError' });
});

describe('removing a user', () => {
  test('waits for the writer of the index', async () => {
    const { root, store } = open();
    await store.append({ ...SESSION, userId: 'ada' }, [BODY], { create: 'new' });
    let removing: Promise<boolean> | undefined;
    await store.publishIndex('ada', 'index', undefined, async (writer) => {
      removing = store.remove({ kind: 'user', id: 'ada' });
      await new Promise((resolve) => setTimeout(resolve, 30));
      (await writer.write('late.segment', Uint8Array.of(1))).close();
      return { manifest: '{}', names: ['late.segment'] };
    });
    expect(await removing).toBe(true);
    expect(existsSync(join(root, 'users/ada'))).toBe(false);
  });

  test('removes what stands in the place of its folders, and accepts that they are gone already', async () => {
    const opened = open();
    const { root, store } = opened;
    await store.append({ ...SESSION, userId: 'ada' }, [BODY], { create: 'new' });
    writeFileSync(join(root, 'users/ada/vectors'), '');
    await publish(store);
    removeOnce(opened, '.lock.k');
    expect(await store.remove({ kind: 'user', id: 'ada' })).toBe(true);
    expect(existsSync(join(root, 'users/ada'))).toBe(false);
  });

  test('does not end what fails for another reason', async () => {
    const { store, before } = open();
    await store.append({ ...SESSION, userId: 'ada' }, [BODY], { create: 'new' });
    await publish(store);
    before.open = () => {
      throw Object.assign(new Error('broken'), { code: 'EIO' });
    };
    await expect(store.remove({ kind: 'user', id: 'ada' })).rejects.toMatchObject({ name: 'IOError' });
    delete before.open;
  });
});

test('the next ledger that is made sweeps the draft of a process that was killed while it made one', async () => {
  const { root, store } = open();
  await store.append({ kind: 'ledger', id: 'other' }, [], { create: 'new' });
  writeFileSync(join(root, 'privacy', 'local.jsonl.1-abcdef01.tmp'), 'half of a ledger');
  await store.append({ kind: 'ledger', id: 'local' }, [], { create: 'new' });
  expect(readdirSync(join(root, 'privacy')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
