import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { createNodeFileSystem, OpenFileLook } from './file-system.ts';
import { createProcessLocks } from './kernel-locks.ts';

const fileSystem = createNodeFileSystem(createProcessLocks());
const AFTER_A_WHILE_MS = 101;

let folder: string;
let path: string;
let fd: number;
let clock: FakeClock;
let size: () => number | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-look-'));
  path = join(folder, 'file');
  writeFileSync(path, 'four');
  fd = openSync(path, 'r');
  clock = new FakeClock();
  const look = new OpenFileLook(fileSystem, path, clock);
  const { inode } = fileSystem.fstat(fd);
  size = () => look.statusOf(fd, inode)?.size;
});

afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

describe('a look at an open file', () => {
  test('tells how long it is, at once and after a while', () => {
    expect(size()).toBe(4);
    appendFileSync(path, 'five!');
    expect(size()).toBe(9);
    clock.advance(AFTER_A_WHILE_MS);
    expect(size()).toBe(9);
  });

  test.each([
    ['removed', () => rmSync(path)],
    [
      'replaced',
      () => {
        writeFileSync(join(folder, 'other'), 'four');
        renameSync(join(folder, 'other'), path);
      },
    ],
  ])('tells at once that it was %s', (_, change) => {
    expect(size()).toBe(4);
    change();
    expect(size()).toBeUndefined();
    clock.advance(AFTER_A_WHILE_MS);
    expect(size()).toBeUndefined();
  });

  test('tells so also of a file that a backup has given another name', () => {
    linkSync(path, join(folder, 'backup'));
    expect(size()).toBe(4);
    linkSync(path, join(folder, 'second backup'));
    expect(size()).toBe(4);
    rmSync(path);
    expect(size()).toBeUndefined();
    writeFileSync(path, 'four');
    expect(size()).toBeUndefined();
  });

  test('tells after a while that it was moved aside', () => {
    expect(size()).toBe(4);
    renameSync(path, join(folder, 'aside'));
    writeFileSync(path, 'four');
    clock.advance(AFTER_A_WHILE_MS);
    expect(size()).toBeUndefined();
    // And does not believe the open file until the path leads to it again.
    expect(size()).toBeUndefined();
    renameSync(join(folder, 'aside'), path);
    expect(size()).toBe(4);
  });
});
