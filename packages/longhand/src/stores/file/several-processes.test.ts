import { describe, expect, it } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import type { LogAddress, LogSlice } from '../../core/store.ts';
import { SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import type { FileSystem } from './file-system.ts';

const LOG: LogAddress = { kind: 'session', id: 's' };
const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;
const keepAll = ({ lines }: LogSlice) => ({ keep: lines.map((line) => ({ line })), append: [] });
const open = (fileSystem: FileSystem): FileStore =>
  new FileStore({ root: '/store', fileSystem, durability: 'group' });

async function idsOf(store: FileStore): Promise<(string | undefined)[]> {
  return (await readLog(store, LOG)).lines.map((line) => line.memoryId);
}

/** A process whose syncs of files wait until the test lets them go on. */
function gated(fileSystem: FileSystem): {
  fileSystem: FileSystem;
  letGo: () => void;
  isWaiting: () => boolean;
} {
  const waiting: (() => void)[] = [];
  let isOpen = true;
  return {
    fileSystem: {
      ...fileSystem,
      sync: async (fd) => {
        if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
        await fileSystem.sync(fd);
      },
    },
    isWaiting: () => {
      isOpen = false;
      return waiting.length > 0;
    },
    letGo: () => {
      isOpen = true;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a log whose folder is exchanged while it is opened', () => {
  const FOLDER = '/store/sessions/s';
  const FILE = `${FOLDER}/memory.jsonl`;

  async function exchanged(when: 'before' | 'after', exchange: (system: FileSystem) => void) {
    const disk = new SimulatedDisk();
    const person = disk.startProcess();
    const theirs = open(person);
    await theirs.append(LOG, [bodyOf('old')], { create: 'new' });
    await theirs.append({ kind: 'session', id: 'other' }, [bodyOf('new')], { create: 'new' });
    const { incarnation } = await readLog(theirs, LOG);
    await theirs.close();
    const real = disk.startProcess();
    let isDue = false;
    const openings = { opened: 0, closed: 0 };
    const watched: FileSystem = {
      ...real,
      open: (path, flags, mode) => {
        const isNow = path === FILE && isDue;
        isDue &&= !isNow;
        if (isNow && when === 'before') exchange(person);
        const fd = real.open(path, flags, mode);
        if (isNow && when === 'after') exchange(person);
        openings.opened++;
        return fd;
      },
      close: (fd) => {
        openings.closed++;
        real.close(fd);
      },
    };
    const mine = open(watched);
    isDue = true;
    return { incarnation, openings, mine };
  }

  const exchange = (system: FileSystem): void => {
    system.rename(FOLDER, '/store/sessions/gone');
    system.rename('/store/sessions/other', FOLDER);
  };

  it.each(['before', 'after'] as const)('is in the incarnation of what it holds (%s)', async (when) => {
    const { mine, incarnation } = await exchanged(when, exchange);
    const slice = await readLog(mine, LOG);
    expect(slice.lines.map((line) => line.memoryId)).toEqual(['new']);
    expect(slice.incarnation).not.toBe(incarnation);
    await expect(mine.append({ ...LOG, incarnation }, [bodyOf('stale')])).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await mine.append({ ...LOG, incarnation: slice.incarnation }, [bodyOf('next')]);
    expect(await idsOf(mine)).toEqual(['new', 'next']);
    await mine.close();
  });

  it('is not found, and not left open, when nothing takes its place', async () => {
    const { mine, openings } = await exchanged('after', (system) => system.rename(FOLDER, '/store/gone'));
    const before = { ...openings };
    await expect(readLog(mine, LOG)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(openings.opened - before.opened).toBe(1);
    expect(openings.closed - before.closed).toBe(1);
    await mine.close();
  });
});

describe('a log that another process', () => {
  it('has rewritten goes on in the new file', async () => {
    const disk = new SimulatedDisk();
    const [mine, theirs] = [open(disk.startProcess()), open(disk.startProcess())];
    await mine.append(LOG, [bodyOf('first')], { create: 'new' });
    await mine.append(LOG, [bodyOf('a')]);
    await theirs.rewrite(LOG, keepAll);
    await mine.append(LOG, [bodyOf('b')]);
    expect(await idsOf(theirs)).toEqual(['first', 'a', 'b']);
    await theirs.rewrite(LOG, keepAll);
    expect(await idsOf(mine)).toEqual(['first', 'a', 'b']);
    for (const store of [mine, theirs]) await store.close();
  });

  it('has removed and made again is locked by its new lock, not by the old one', async () => {
    const disk = new SimulatedDisk();
    const gate = gated(disk.startProcess());
    const [mine, theirs] = [open(disk.startProcess()), open(gate.fileSystem)];
    await mine.append(LOG, [bodyOf('old')], { create: 'new' });
    await mine.append(LOG, [bodyOf('older')]);
    await theirs.remove(LOG);
    await theirs.append(LOG, [bodyOf('new')], { create: 'new' });
    gate.isWaiting();
    const rewritten = theirs.rewrite(LOG, keepAll);
    while (!gate.isWaiting()) await ticks(1);
    let isAppended = false;
    const appended = mine.append(LOG, [bodyOf('a')]).then(() => {
      isAppended = true;
    });
    await ticks(50);
    expect(isAppended).toBe(false);
    gate.letGo();
    await Promise.all([rewritten, appended]);
    expect(await idsOf(theirs)).toEqual(['new', 'a']);
    for (const store of [mine, theirs]) await store.close();
  });

  it('has rewritten, and was killed before the folder was on the disk, keeps what is acknowledged next', async () => {
    const disk = new SimulatedDisk();
    const killed = disk.startProcess();
    let isRewriting = false;
    const dying: FileSystem = {
      ...killed,
      rename: (from, to) => {
        killed.rename(from, to);
        if (isRewriting && to.endsWith('memory.jsonl')) killed.kill();
      },
    };
    const theirs = open(dying);
    await theirs.append(LOG, [bodyOf('first')], { create: 'new' });
    await theirs.append(LOG, [bodyOf('a')]);
    isRewriting = true;
    void theirs.rewrite(LOG, keepAll).catch(() => undefined);
    await ticks(20);
    const mine = open(disk.startProcess());
    await mine.append(LOG, [bodyOf('b')]);
    // The cut takes every entry of a folder that was not synced.
    const after = open(disk.powerCut(() => 0.9).startProcess());
    expect(await idsOf(after)).toEqual(['first', 'a', 'b']);
    await after.close();
  });

  it('has made it, and was killed before its folder was on the disk, keeps what is rewritten next', async () => {
    const disk = new SimulatedDisk();
    const killed = disk.startProcess();
    const dying: FileSystem = {
      ...killed,
      rename: (from, to) => {
        killed.rename(from, to);
        if (to.endsWith('/s')) killed.kill();
      },
    };
    void open(dying)
      .append(LOG, [bodyOf('first')], { create: 'new' })
      .catch(() => undefined);
    await ticks(20);
    const mine = open(disk.startProcess());
    await mine.rewrite(LOG, keepAll);
    const after = open(disk.powerCut(() => 0.9).startProcess());
    expect(await idsOf(after)).toEqual(['first']);
    await after.close();
  });
});
