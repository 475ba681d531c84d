import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessLocks, loadForeignFunctionLocks, loadNativeLocks } from './kernel-locks.ts';
import { findHoldersIn, UNKNOWN_HOLDERS } from './lock-holders.ts';

let folder: string;
let openings: number[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  openings = [];
});
afterEach(() => {
  for (const fd of openings) closeSync(fd);
  rmSync(folder, { recursive: true });
});

function open(name: string): number {
  const fd = openSync(join(folder, name), constants.O_RDWR | constants.O_CREAT);
  openings.push(fd);
  return fd;
}

for (const [name, load] of [
  ['native', loadNativeLocks],
  ['koffi', loadForeignFunctionLocks],
  ['one process', createProcessLocks],
] as const) {
  test(`the holder of a byte is known, and of no other byte or file, with the locks of ${name}`, async () => {
    const locks = load();
    const [mine, other, elsewhere] = [open('anchor'), open('anchor'), open('another')];
    const holderOf = async (fd: number, byte: number) => (await locks.holdersOf([{ fd, byte }]))[0];
    expect(await holderOf(other, 0)).toBeUndefined();
    expect(locks.tryLock(mine, 0, 2)).toBe(true);
    expect(locks.showsHolder(mine)).toBe(true);
    locks.unlock(mine, 1);
    expect(await holderOf(other, 0)).toBe(process.pid);
    expect(await holderOf(other, 1)).toBeUndefined();
    expect(await holderOf(elsewhere, 0)).toBeUndefined();
    locks.unlock(mine, 0);
    expect(await holderOf(other, 0)).toBeUndefined();
  });
}

const lockLine = (kind: string, first: number, last: string): string =>
  `pos:\t0\nflags:\t02100002\nlock:\t1: ${kind} -1 fe:00:2146718 ${first} ${last}\n`;

/** A table as the kernel shows it, made by hand: what it says of one opening of one process, and the file it is of. */
function tableWith(pid: string, info: string, file: string | undefined): string {
  const table = join(folder, 'table');
  rmSync(table, { recursive: true, force: true });
  for (const part of ['fd', 'fdinfo']) mkdirSync(join(table, pid, part), { recursive: true });
  writeFileSync(join(table, pid, 'fdinfo/3'), info);
  if (file !== undefined) symlinkSync(join(folder, file), join(table, pid, 'fd/3'));
  return table;
}

async function holderIn(table: string, fd: number, byte: number): Promise<number | undefined> {
  return (await findHoldersIn(table).holdersOf([{ fd, byte }]))[0];
}

test('a lock counts when it is exclusive, of an opening, on the byte, and of the very file', async () => {
  const fd = open('anchor');
  open('another');
  const held = 'OFDLCK ADVISORY  WRITE';
  const holder = (info: string, file?: string, pid = '71') => holderIn(tableWith(pid, info, file), fd, 1);
  expect(await holder(lockLine(held, 0, '1'), 'anchor')).toBe(71);
  expect(await holder(lockLine(held, 1, 'EOF'), 'anchor')).toBe(71);
  expect(await holder(lockLine(held, 0, '0') + lockLine(held, 1, '1'), 'anchor')).toBe(71);
  expect(await holder(lockLine(held, 0, '0'), 'anchor')).toBeUndefined();
  expect(await holder(lockLine(held, 2, 'EOF'), 'anchor')).toBeUndefined();
  expect(await holder(lockLine('OFDLCK ADVISORY  READ ', 0, '1'), 'anchor')).toBeUndefined();
  expect(await holder(lockLine('POSIX  ADVISORY  WRITE', 0, '1'), 'anchor')).toBeUndefined();
  expect(await holder(lockLine(held, 0, '1'), 'another')).toBeUndefined();
  expect(await holder(lockLine(held, 0, '1'), 'anchor', 'self')).toBeUndefined();
});

test('what ends meanwhile, or is not to be looked at, is passed over', async () => {
  const fd = open('anchor');
  const table = tableWith('71', lockLine('OFDLCK ADVISORY  WRITE', 0, '0'), undefined);
  mkdirSync(join(table, '8/fdinfo/3'), { recursive: true });
  mkdirSync(join(table, '9'));
  expect(await holderIn(table, fd, 0)).toBeUndefined();
  symlinkSync(join(folder, 'anchor'), join(table, '71/fd/3'));
  expect(await holderIn(table, fd, 0)).toBe(71);
});

test('a system without such a table, or with one that lists no locks, shows no holder', async () => {
  const fd = open('anchor');
  const nowhere = findHoldersIn(join(folder, 'nowhere'));
  expect([nowhere.showsHolder(fd), await nowhere.holdersOf([{ fd, byte: 0 }])]).toEqual([false, [undefined]]);
  const table = tableWith('self', '', 'anchor');
  writeFileSync(join(table, `self/fdinfo/${fd}`), 'pos:\t0\nflags:\t02100002\n');
  const silent = findHoldersIn(table);
  expect([silent.showsHolder(fd), silent.showsHolder(fd)]).toEqual([false, false]);
  expect([UNKNOWN_HOLDERS.showsHolder(fd), await UNKNOWN_HOLDERS.holdersOf([{ fd, byte: 0 }])]).toEqual([
    false,
    [undefined],
  ]);
});

/** A process with many files open, one of which is locked. */
function tableWithMany(count: number): string {
  const table = tableWith('71', lockLine('OFDLCK ADVISORY  WRITE', 0, '0'), 'anchor');
  for (let opening = 100; opening < 100 + count; opening++) {
    writeFileSync(join(table, `71/fdinfo/${opening}`), 'pos:\t0\nflags:\t02100002\n');
  }
  return table;
}

test('one process with many files open is looked at in pieces, with room for other work between them', async () => {
  const fd = open('anchor');
  const holders = findHoldersIn(tableWithMany(400));
  expect(await holders.holdersOf([{ fd, byte: 0 }])).toEqual([71]);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await holders.holdersOf([{ fd, byte: 1 }])).toEqual([undefined]);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(6);
});

test('several places are looked for in one walk, which ends with the holder of the first', async () => {
  const [fd, another] = [open('anchor'), open('another')];
  const holders = findHoldersIn(tableWith('71', lockLine('OFDLCK ADVISORY  WRITE', 1, '1'), 'anchor'));
  const places = [0, 1].map((byte) => ({ fd, byte }));
  expect(await holders.holdersOf(places)).toEqual([undefined, 71]);
  expect(await holders.holdersOf([{ fd: another, byte: 1 }, ...places])).toEqual([undefined, undefined, 71]);
  expect((await holders.holdersOf(places.toReversed()))[0]).toBe(71);
});

test('a search through too many open files ends, and names no holder', async () => {
  const fd = open('anchor');
  const table = tableWithMany(400);
  for (const [mostLooks, holder] of [
    [1, undefined],
    [402, 71],
  ] as const)
    expect(await findHoldersIn(table, mostLooks).holdersOf([{ fd, byte: 0 }])).toEqual([holder]);
});
