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
    expect(await locks.holderOf(other, 0)).toBeUndefined();
    expect(locks.tryLock(mine, 0, 2)).toBe(true);
    expect(locks.showsHolder(mine)).toBe(true);
    locks.unlock(mine, 1);
    expect(await locks.holderOf(other, 0)).toBe(process.pid);
    expect(await locks.holderOf(other, 1)).toBeUndefined();
    expect(await locks.holderOf(elsewhere, 0)).toBeUndefined();
    locks.unlock(mine, 0);
    expect(await locks.holderOf(other, 0)).toBeUndefined();
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

test('a lock counts when it is exclusive, of an opening, on the byte, and of the very file', async () => {
  const fd = open('anchor');
  open('another');
  const held = 'OFDLCK ADVISORY  WRITE';
  const holder = (info: string, file?: string, pid = '71') =>
    findHoldersIn(tableWith(pid, info, file)).holderOf(fd, 1);
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
  expect(await findHoldersIn(table).holderOf(fd, 0)).toBeUndefined();
  symlinkSync(join(folder, 'anchor'), join(table, '71/fd/3'));
  expect(await findHoldersIn(table).holderOf(fd, 0)).toBe(71);
});

test('a system without such a table, or with one that lists no locks, shows no holder', async () => {
  const fd = open('anchor');
  const nowhere = findHoldersIn(join(folder, 'nowhere'));
  expect([nowhere.showsHolder(fd), await nowhere.holderOf(fd, 0)]).toEqual([false, undefined]);
  const table = tableWith('self', '', 'anchor');
  writeFileSync(join(table, `self/fdinfo/${fd}`), 'pos:\t0\nflags:\t02100002\n');
  const silent = findHoldersIn(table);
  expect([silent.showsHolder(fd), silent.showsHolder(fd)]).toEqual([false, false]);
  expect([UNKNOWN_HOLDERS.showsHolder(fd), await UNKNOWN_HOLDERS.holderOf(fd, 0)]).toEqual([
    false,
    undefined,
  ]);
});
