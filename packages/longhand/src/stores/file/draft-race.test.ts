import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

describe('a session that is created while another process starts', () => {
  it('is created all the same when its draft is swept before it could be locked', async () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    const { locks } = loadKernelLocks();
    const system = createNodeFileSystem(locks);
    let sweeps = 0;
    const store = new FileStore({
      root,
      fileSystem: {
        ...system,
        // The moment between making the draft's anchor and locking it: a starting process finds it unlocked.
        tryLock: (fd, byte, count) => {
          if (sweeps++ < 2) new FileStore({ root });
          return system.tryLock(fd, byte, count);
        },
      },
    });
    await store.append({ kind: 'session', id: 'raced' }, ['{"schema_version":1,"record":"session"}'], {
      create: 'new',
    });
    expect(await store.list('session')).toEqual(['raced']);
    expect(sweeps).toBeGreaterThan(2);
    await store.close();
  });

  it('is refused, and leaves nothing behind, when every draft is swept', async () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    const { locks } = loadKernelLocks();
    const system = createNodeFileSystem(locks);
    const store = new FileStore({ root, fileSystem: { ...system, tryLock: () => false } });
    await expect(store.append({ kind: 'session', id: 'raced' }, ['{}'], { create: 'new' })).rejects.toThrow(
      /draft/,
    );
    expect(readdirSync(join(root, 'sessions'))).toEqual([]);
    await store.close();
  });
});

describe('a session that is created while another process deletes one of its name', () => {
  const session = { kind: 'session', id: 'raced' } as const;
  const body = '{"schema_version":1,"record":"session"}';

  /**
   * Two processes on one folder, and a session that one of them makes in the instant before the other's draft takes its
   * name, and removes in the instant after: `lives` times.
   */
  async function race(lives: number): Promise<{ readonly store: FileStore; readonly root: string }> {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    const system = createNodeFileSystem(loadKernelLocks().locks);
    const folder = join(root, 'sessions/raced');
    const [aside, other] = [join(root, 'aside'), new FileStore({ root })];
    await other.append(session, [body], { create: 'new' });
    await other.close();
    renameSync(folder, aside);
    const store = new FileStore({
      root,
      fileSystem: {
        ...system,
        rename: (from, to) => {
          if (to !== folder || lives-- <= 0) return system.rename(from, to);
          renameSync(aside, folder);
          try {
            system.rename(from, to);
          } finally {
            renameSync(folder, aside);
          }
        },
      },
    });
    return { store, root };
  }

  it('is created when the other one is gone', async () => {
    const { store } = await race(3);
    await store.append(session, [body, body], { create: 'new' });
    expect((await readLog(store, session)).lines).toHaveLength(2);
    await store.close();
  });

  it('is refused, and leaves nothing behind, when there is another one at every try', async () => {
    const { store, root } = await race(Number.POSITIVE_INFINITY);
    await expect(store.append(session, [body], { create: 'new' })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    expect(readdirSync(join(root, 'sessions'))).toEqual([]);
    await store.close();
  });
});
