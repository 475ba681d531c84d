import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  createProcessLocks,
  type KernelLocks,
  loadForeignFunctionLocks,
  loadKernelLocks,
  loadNativeLocks,
} from './kernel-locks.ts';

async function withOpenings(work: (one: number, two: number) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  const open = (): number => openSync(join(folder, 'anchor'), constants.O_RDWR | constants.O_CREAT);
  const [one, two] = [open(), open()];
  try {
    await work(one, two);
  } finally {
    for (const fd of [one, two]) closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

const bindings: [string, KernelLocks, KernelLocks][] = [
  ['fs-native-extensions', loadNativeLocks(), loadNativeLocks()],
  ['its binary, which the package found', loadNativeLocks('elsewhere'), loadNativeLocks()],
  ['koffi', loadForeignFunctionLocks(), loadForeignFunctionLocks()],
  ['one of each', loadNativeLocks(), loadForeignFunctionLocks()],
  ['one of each, turned round', loadForeignFunctionLocks(), loadNativeLocks()],
];

describe.each(bindings)('the kernel’s locks through %s', (_, mine, theirs) => {
  it('exclude another opening byte by byte', () =>
    withOpenings(async (one, two) => {
      expect(mine.tryLock(one, 0)).toBe(true);
      expect(theirs.tryLock(two, 0)).toBe(false);
      expect(theirs.tryLock(two, 1)).toBe(true);
      expect(mine.tryLock(one, 0, 2)).toBe(false);
      theirs.unlock(two, 1);
      expect(mine.tryLock(one, 0, 2)).toBe(true);
      mine.unlock(one, 0, 2);
      expect(theirs.tryLock(two, 0, 2)).toBe(true);
    }));

  it('are waited for in a thread', () =>
    withOpenings(async (one, two) => {
      mine.tryLock(one, 0);
      let isGranted = false;
      const wait = theirs.waitForLock(two, 0).then(() => {
        isGranted = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isGranted).toBe(false);
      mine.unlock(one, 0);
      await wait;
      expect(mine.tryLock(one, 0)).toBe(false);
    }));

  it('are refused for what is not open', async () => {
    expect(() => mine.tryLock(9_999, 0)).toThrow();
    expect(() => mine.unlock(9_999, 0)).toThrow();
    await expect(mine.waitForLock(9_999, 0)).rejects.toThrow();
  });
});

it('locks through koffi are for Linux', () => {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  expect(() => loadForeignFunctionLocks()).toThrow('for Linux');
  platform.mockRestore();
});

describe('locks of one process alone', () => {
  it('exclude other openings, are waited for, and go with what is closed', () =>
    withOpenings(async (one, two) => {
      const locks = createProcessLocks();
      expect(locks.tryLock(one, 0)).toBe(true);
      expect(locks.tryLock(one, 0)).toBe(true);
      expect(locks.tryLock(two, 0, 2)).toBe(false);
      const wait = locks.waitForLock(two, 0);
      locks.unlock(one, 0);
      await wait;
      expect(locks.tryLock(one, 0)).toBe(false);
      locks.closing!(two);
      expect(locks.tryLock(one, 0)).toBe(true);
      const givenUp = locks.waitForLock(two, 0);
      locks.closing!(two);
      locks.unlock(one, 0);
      await locks.waitForLock(one, 0);
      await Promise.race([givenUp.then(() => expect.unreachable()), Promise.resolve()]);
    }));
});

describe('loadKernelLocks', () => {
  const failing = (): KernelLocks => {
    throw new Error('no binary');
  };

  it('takes the first binding that loads', () => {
    const { singleProcess } = loadKernelLocks({ loaders: [failing, loadForeignFunctionLocks] });
    expect(singleProcess).toBe(false);
    expect(loadKernelLocks().singleProcess).toBe(false);
  });

  it('falls back on one process, or refuses', () => {
    expect(loadKernelLocks({ loaders: [failing] }).singleProcess).toBe(true);
    expect(() => loadKernelLocks({ loaders: [failing], allowSingleProcess: false })).toThrow(
      expect.objectContaining({ code: 'LOCKS_UNAVAILABLE' }),
    );
  });

  it('believes a binding only when its locks exclude another opening', () => {
    const probeIn = mkdtempSync(join(tmpdir(), 'longhand-'));
    const load = (loader: () => KernelLocks) => loadKernelLocks({ loaders: [loader], probeIn });
    expect(load(loadNativeLocks).singleProcess).toBe(false);
    const fake = (tryLock: KernelLocks['tryLock']) => (): KernelLocks => ({ ...loadNativeLocks(), tryLock });
    let asked = 0;
    expect(load(fake(() => true)).singleProcess).toBe(true);
    expect(load(fake(() => false)).singleProcess).toBe(true);
    expect(load(fake(() => asked++ === 0)).singleProcess).toBe(true);
    const refuse = fake(() => {
      throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
    });
    expect(load(refuse).singleProcess).toBe(true);
    expect(readdirSync(probeIn)).toEqual([]);
    rmSync(probeIn, { recursive: true });
  });
});
