import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../core/events.ts';
import { readLog } from '../../core/read-log.ts';
import type { Durability, LogAddress, LogSlice } from '../../core/store.ts';
import { createFaultFileSystem, SimulatedDisk, systemError } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { type FileSystem, O_APPEND, O_WRONLY } from './file-system.ts';

/**
 * Syncs fail as Linux lets them fail: what was written is gone, every opening hears of it once, and the next sync
 * of the same opening is called a success.
 */

const LOG: LogAddress = { kind: 'session', id: 's' };
const PATH = '/store/sessions/s/memory.jsonl';
const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;
const keepAll = ({ lines }: LogSlice) => ({ keep: lines.map((line) => ({ line })), append: [] });

/** A process whose syncs of the log wait for the test, and fail when it says so. */
function startProcess(disk: SimulatedDisk, durability: Durability = 'group') {
  const running = disk.startProcess();
  const faulty = createFaultFileSystem(running);
  const openLogs = new Set<number>();
  const failing = new Set<number>();
  const failed = new Set<number>();
  const triedAgain: number[] = [];
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const fileSystem: FileSystem = {
    ...faulty,
    open: (path, flags, mode) => {
      const fd = faulty.open(path, flags, mode);
      if (path === PATH) openLogs.add(fd);
      return fd;
    },
    close: (fd) => {
      openLogs.delete(fd);
      faulty.close(fd);
    },
    sync: async (fd) => {
      if (isHeld && openLogs.has(fd)) await new Promise<void>((resolve) => waiting.push(resolve));
      if (failed.has(fd)) triedAgain.push(fd);
      if (!failing.delete(fd)) return faulty.sync(fd);
      failed.add(fd);
      running.dropUnsynced(fd);
      throw systemError('EIO', 'fdatasync');
    },
  };
  const events: EventFacts[] = [];
  const store = new FileStore({
    root: '/store',
    fileSystem,
    durability,
    syncIntervalMs: 5,
    lockTimes: { lockTimeoutMs: 60_000, maxRetries: 0, retryBackoffMs: 1 },
    emit: (event) => void events.push(event),
  });
  return {
    store,
    events,
    faulty,
    triedAgain,
    /** The next sync of the log, in every opening that there is now, fails. */
    fail: () => {
      for (const fd of openLogs) failing.add(fd);
    },
    /** Syncs of the log wait from here on, until `letGo`. */
    hold: () => {
      isHeld = true;
    },
    isSyncing: () => waiting.length > 0,
    letGo: () => {
      isHeld = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    append: (id: string) =>
      store.append(LOG, [bodyOf(id)]).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function idsOn(disk: SimulatedDisk): Promise<(string | undefined)[]> {
  const store = new FileStore({ root: '/store', fileSystem: disk.startProcess() });
  const { lines, damage } = await readLog(store, LOG);
  expect(damage).toEqual([]);
  await store.close();
  return lines.map((line) => line.memoryId);
}

describe.each(['group', 'buffered'] as const)('a failed sync, %s', (durability) => {
  it('is not tried again on the same file, also when the first rescue fails', async () => {
    const disk = new SimulatedDisk();
    const mine = startProcess(disk, durability);
    await mine.store.append(LOG, [bodyOf('first')], { create: 'new' });
    await mine.append('warm');
    mine.hold();
    const one = mine.append('one');
    await until(mine.isSyncing);
    const two = mine.append('two');
    mine.fail();
    // The first to be opened is what people see of the lock.
    mine.faulty.strike([{ at: 2, kind: 'open', fail: 'ENOSPC' }]);
    mine.letGo();
    const answers = await Promise.all([one, two]);
    expect(answers).toEqual(durability === 'group' ? ['READ_ONLY', 'done'] : ['done', 'done']);
    await mine.store.close();
    expect(mine.triedAgain).toEqual([]);
    expect(await idsOn(disk)).toEqual(['first', 'warm', 'one', 'two']);
  });

  it('is not tried again when the store is closed', async () => {
    const disk = new SimulatedDisk();
    const mine = startProcess(disk, durability);
    await mine.store.append(LOG, [bodyOf('first')], { create: 'new' });
    await mine.store.size(LOG);
    mine.fail();
    // The first to be opened is what people see of the lock.
    mine.faulty.strike([{ at: 2, kind: 'open', fail: 'ENOSPC' }]);
    await mine.append('one');
    await until(() => mine.events.some(({ kind }) => kind === 'log-read-only'));
    await mine.store.close();
    expect(mine.triedAgain).toEqual([]);
    expect(await idsOn(disk)).toEqual(['first', 'one']);
  });

  it('that two processes get takes nothing from either', async () => {
    const disk = new SimulatedDisk();
    const [mine, theirs] = [startProcess(disk, durability), startProcess(disk, durability)];
    await mine.store.append(LOG, [bodyOf('first')], { create: 'new' });
    for (const each of [mine, theirs]) {
      await each.store.size(LOG);
      each.hold();
    }
    const asked = [mine.append('a1'), theirs.append('b1'), mine.append('a2')];
    await until(() => mine.isSyncing() && theirs.isSyncing());
    mine.fail();
    theirs.fail();
    mine.letGo();
    await until(() => mine.events.some(({ kind }) => kind === 'log-rescued'));
    theirs.letGo();
    expect(await Promise.all(asked)).toEqual(['done', 'done', 'done']);
    for (const each of [mine, theirs]) await each.store.close();
    expect((await idsOn(disk)).sort()).toEqual(['a1', 'a2', 'b1', 'first']);
  });
});

describe('what a failed sync took from one process', () => {
  /** Mine has lost `mine`, and theirs has rewritten the log without it. */
  async function makeLoss(durability: Durability = 'group') {
    const disk = new SimulatedDisk();
    const [mine, theirs] = [startProcess(disk, durability), startProcess(disk)];
    await theirs.store.append(LOG, [bodyOf('first')], { create: 'new' });
    for (const each of [mine, theirs]) await each.store.size(LOG);
    mine.hold();
    const asked = mine.append('mine');
    await until(mine.isSyncing);
    for (const each of [mine, theirs]) each.fail();
    expect(await theirs.append('theirs')).toBe('done');
    expect(await idsOn(disk)).toEqual(['first', 'theirs']);
    return { disk, mine, theirs, asked };
  }

  it('is put back before anything else that this process writes', async () => {
    const { disk, mine, asked } = await makeLoss();
    const next = mine.append('next');
    mine.letGo();
    expect([await asked, await next]).toEqual(['done', 'done']);
    await mine.store.close();
    expect(await idsOn(disk)).toEqual(['first', 'theirs', 'mine', 'next']);
  });

  it('is put back soon when a reader finds the new file', async () => {
    const { disk, mine, asked } = await makeLoss('buffered');
    await asked;
    expect((await readLog(mine.store, LOG)).lines.map((line) => line.memoryId)).toEqual(['first', 'theirs']);
    mine.letGo();
    await until(() => mine.events.some(({ kind }) => kind === 'log-rescued'));
    expect(await idsOn(disk)).toEqual(['first', 'theirs', 'mine']);
    await mine.store.close();
  });

  it('is put back behind a torn line, once, also when that fails half way', async () => {
    const { disk, mine, asked } = await makeLoss();
    const other = disk.startProcess();
    const fd = other.open(PATH, O_WRONLY | O_APPEND);
    other.write(fd, Buffer.from('torn'));
    mine.faulty.strike([
      { at: 1, kind: 'write', shorten: true },
      { at: 1, kind: 'truncate', fail: 'EIO' },
    ]);
    mine.letGo();
    expect(await asked).toBe('READ_ONLY');
    expect(await mine.append('next')).toBe('done');
    const { lines, damage } = await readLog(mine.store, LOG);
    expect(lines.map((line) => line.memoryId)).toEqual(['first', 'theirs', 'mine', 'next']);
    expect(damage.map(({ kind }) => kind)).toEqual(['torn', 'torn']);
    await mine.store.close();
  });

  it('is not written into a later incarnation of the log', async () => {
    const { disk, mine, theirs, asked } = await makeLoss();
    await theirs.store.remove(LOG);
    await theirs.store.append(LOG, [bodyOf('another')], { create: 'new' });
    mine.letGo();
    await asked;
    await mine.append('next');
    await mine.store.close();
    expect(await idsOn(disk)).toEqual(['another', 'next']);
  });

  it('waits while the lost lines cannot be determined', async () => {
    const { disk, mine, asked } = await makeLoss('buffered');
    await asked;
    // The first reading after the new file was found is that of the old one.
    mine.faulty.strike([{ at: 1, kind: 'read', fail: 'EIO' }]);
    await expect(readLog(mine.store, LOG)).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect((await readLog(mine.store, LOG)).lines.length).toBe(2);
    mine.letGo();
    await mine.store.close();
    expect(await idsOn(disk)).toEqual(['first', 'theirs', 'mine']);
  });

  it('is there although the new file cannot be synced either', async () => {
    const { disk, mine, asked } = await makeLoss();
    mine.faulty.strike([{ at: 1, kind: 'sync', fail: 'EIO' }]);
    mine.letGo();
    expect(await asked).toBe('done');
    await mine.store.close();
    expect(await idsOn(disk)).toEqual(['first', 'theirs', 'mine']);
  });

  it('stays dropped when a rewrite has seen it and dropped it', async () => {
    const disk = new SimulatedDisk();
    const [mine, theirs] = [startProcess(disk), startProcess(disk)];
    await theirs.store.append(LOG, [bodyOf('first')], { create: 'new' });
    await readLog(mine.store, LOG);
    mine.hold();
    const asked = mine.append('dropped');
    await until(mine.isSyncing);
    await theirs.store.rewrite(LOG, ({ lines }) => ({ keep: [{ line: lines[0]! }], append: [] }));
    mine.letGo();
    expect(await asked).toBe('done');
    expect(await idsOn(disk)).toEqual(['first']);
    await theirs.store.rewrite(LOG, keepAll);
    await mine.store.close();
  });
});
