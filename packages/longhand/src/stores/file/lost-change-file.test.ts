import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemError } from '../../testing/index.ts';
import { ChangeFile } from './change-file.ts';
import { NeverInPlace } from './failures.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';

const real = createNodeFileSystem(loadKernelLocks().locks);
let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
  mkdirSync(join(root, 'users'));
  path = join(root, 'users/u/changes');
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (fileSystem: FileSystem = real): ChangeFile => new ChangeFile(fileSystem, root, 'u');
const text = (): string => readFileSync(path, 'utf8');

/** Sessions that stay. */
const thereAre = (ids: readonly string[]) => ({ ofUser: () => ids, has: () => true });

it.each(['', 'a\n\0\0\0\n../../b\n', 'a\nb\n\xff'])('is made again when it holds %j', (spoilt) => {
  mkdirSync(join(root, 'users/u'), { recursive: true });
  const openSpoilt = (): ChangeFile => {
    writeFileSync(path, spoilt, 'latin1');
    return new ChangeFile(real, root, 'u', undefined, thereAre(['a', 'b', 'c']));
  };
  const file = openSpoilt();
  expect(file.sessionIds()).toEqual(['a', 'b', 'c']);
  expect(text().split('\n').sort()).toEqual(['', 'a', 'b', 'c']);
  const other = openSpoilt();
  const { sessionIds, mark } = other.changesSince(undefined);
  expect(sessionIds).toEqual(['a', 'b', 'c']);
  other.note('d');
  expect(other.changesSince(mark).sessionIds).toEqual([mark.lastId, 'd']);
  for (const each of [file, other]) each.close();
});

it('stays as it is when it names no session any more', () => {
  const nothingLost = (): never => {
    throw new Error('Nothing is lost.');
  };
  const file = new ChangeFile(real, root, 'u', undefined, { ofUser: nothingLost, has: () => false });
  file.note('a');
  expect(file.tryDrop(() => false)).toBe(true);
  expect({ ids: file.sessionIds(), text: text() }).toEqual({ ids: [], text: '\n' });
  file.note('b');
  expect(file.sessionIds()).toEqual(['b']);
  file.close();
});

it('is made again when it was lost', () => {
  let there: readonly string[] = [];
  const openLost = (): ChangeFile =>
    new ChangeFile(real, root, 'u', undefined, { ofUser: () => there, has: (id) => there.includes(id) });
  const first = openLost();
  expect(first.sessionIds()).toEqual([]);
  first.note('a');
  rmSync(path);
  expect(first.sessionIds()).toEqual([]);
  expect(first.changesSince(undefined).sessionIds).toEqual([]);
  expect(existsSync(path)).toBe(false);
  first.note('a');
  there = ['a', 'b'];
  rmSync(path);
  first.note('c');
  expect(text()).toBe('a\nb\nc\n');
  rmSync(path);
  const reader = openLost();
  expect(reader.changesSince(undefined).sessionIds).toEqual(['a', 'b']);
  rmSync(path);
  expect(reader.sessionIds()).toEqual(['a', 'b']);
  for (const file of [first, reader]) file.close();
});

it.each(['users', 'users/u'])('names the others too when a session is written to and %s is gone', (lost) => {
  const there = new Set<string>();
  const openThere = (): ChangeFile =>
    new ChangeFile(real, root, 'u', undefined, { ofUser: () => [...there], has: (id) => there.has(id) });
  const maker = openThere();
  for (const id of ['a', 'b', 'c']) {
    maker.note(id);
    there.add(id);
  }
  rmSync(join(root, lost), { recursive: true });
  const writer = openThere();
  writer.note('b');
  expect(text()).toBe('a\nb\nc\nb\n');
  rmSync(join(root, lost), { recursive: true });
  expect(maker.changesSince(undefined).sessionIds).toEqual(['a', 'b', 'c']);
  rmSync(join(root, lost), { recursive: true });
  expect(writer.sessionIds()).toEqual(['a', 'b', 'c']);
  if (lost === 'users') expect(statSync(join(root, lost)).mode & 0o777).toBe(0o700);
  for (const file of [maker, writer]) file.close();
});

it('looks at no log for a user whose sessions went with the folder', () => {
  const nothingLost = (): never => {
    throw new Error('Nothing is lost.');
  };
  const file = new ChangeFile(real, root, 'u', undefined, { ofUser: nothingLost, has: () => false });
  file.note('a');
  rmSync(join(root, 'users/u'), { recursive: true });
  expect(file.sessionIds()).toEqual([]);
  expect(file.changesSince(undefined).sessionIds).toEqual([]);
  expect(existsSync(join(root, 'users/u'))).toBe(false);
  file.close();
});

it('keeps what others note while it is made again', () => {
  mkdirSync(join(root, 'users/u'));
  const other = open();
  const there = {
    ofUser: () => {
      other.note('made_meanwhile');
      return ['a'];
    },
    has: () => true,
  };
  const file = new ChangeFile(real, root, 'u', undefined, there);
  expect(file.sessionIds()).toEqual(['a', 'made_meanwhile']);
  expect(other.sessionIds()).toEqual(['a', 'made_meanwhile']);
  for (const each of [file, other]) each.close();
});

it('leaves nothing of a user who was forgotten while it was made again, and the rest of what has gone out', () => {
  mkdirSync(join(root, 'users/u'));
  const forgotten = new ChangeFile(real, root, 'u', undefined, {
    ofUser: () => ['a', 'b'],
    has: () => false,
  });
  expect(forgotten.sessionIds()).toEqual([]);
  expect(existsSync(join(root, 'users/u'))).toBe(false);
  mkdirSync(join(root, 'users/u/notes'), { recursive: true });
  const partly = new ChangeFile(real, root, 'u', undefined, {
    ofUser: () => ['a', 'b'],
    has: (id) => id === 'b',
  });
  expect(partly.sessionIds()).toEqual(['b']);
  expect(text()).toBe('b\n');
  const emptied = new ChangeFile(real, root, 'u', undefined, { ofUser: () => ['a'], has: () => false });
  rmSync(path);
  expect(emptied.sessionIds()).toEqual([]);
  expect(text()).toBe('\n');
  for (const file of [forgotten, partly, emptied]) file.close();
});

it.each<[string, (file: ChangeFile) => readonly string[]]>([
  ['lists', (file) => file.sessionIds()],
  ['follows', (file) => file.changesSince(undefined).sessionIds],
])('goes with a user who was forgotten while a reader %s a spoilt one', (_, ask) => {
  mkdirSync(join(root, 'users/u'));
  writeFileSync(path, 'a\n\0\n');
  const file = new ChangeFile(real, root, 'u', undefined, { ofUser: () => ['a'], has: () => false });
  expect(ask(file)).toEqual([]);
  expect(existsSync(join(root, 'users/u'))).toBe(false);
  file.close();
});

it.each(['', '\0\n'])(
  'names what is there on a disk that takes nothing, when the file holds %j',
  (spoilt) => {
    mkdirSync(join(root, 'users/u'));
    writeFileSync(path, spoilt);
    const full = {
      ...real,
      write: () => {
        throw systemError('ENOSPC', 'write');
      },
    };
    const file = new ChangeFile(full, root, 'u', undefined, thereAre(['a', 'b']));
    expect(file.sessionIds()).toEqual(['a', 'b']);
    expect(file.changesSince(undefined).sessionIds).toEqual(['a', 'b']);
    expect(() => file.note('c')).toThrow('ENOSPC');
    file.close();
    const next = new ChangeFile(real, root, 'u', undefined, thereAre(['a', 'b']));
    expect(next.sessionIds()).toEqual(['a', 'b']);
    expect(
      text()
        .split('\n')
        .filter((line) => line !== ''),
    ).toEqual(['a', 'b']);
    next.close();
  },
);

it('takes no mistake for a disk that takes nothing', () => {
  mkdirSync(join(root, 'users/u'));
  const mistaken = {
    ...real,
    write: () => {
      throw new TypeError('a mistake');
    },
  };
  const file = new ChangeFile(mistaken, root, 'u', undefined, thereAre(['a']));
  expect(() => file.sessionIds()).toThrow('a mistake');
  file.close();
});

it('gives up on a file that others take away after every write', () => {
  let isTaken = true;
  const taken: FileSystem = {
    ...real,
    write: (fd, data, position) => {
      const written = real.write(fd, data, position);
      if (isTaken) rmSync(path);
      return written;
    },
  };
  const file = open(taken);
  expect(() => file.note('a')).toThrow(NeverInPlace);
  isTaken = false;
  file.note('a');
  expect(text()).toBe('a\n');
  file.close();
});

it('gives up on a file that others take away whenever it comes to the disk', async () => {
  let syncs = 0;
  const taken: FileSystem = {
    ...real,
    sync: async () => {
      syncs++;
      rmSync(path);
    },
  };
  const file = open(taken);
  const failure: unknown = await file.noteOnDisk('a').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NeverInPlace);
  expect(String(failure)).toContain(`after each of ${syncs} tries`);
  file.close();
});

it('gives up on a file system that shows another inode at every look, and names what is there', async () => {
  let inode = 0;
  const unsteady: FileSystem = {
    ...real,
    stat: (each) => {
      const status = real.stat(each);
      return status === undefined ? undefined : { ...status, inode: --inode };
    },
  };
  const file = new ChangeFile(unsteady, root, 'u', undefined, thereAre(['a', 'b']));
  await expect(file.noteOnDisk('a')).rejects.toThrow(NeverInPlace);
  writeFileSync(path, '');
  expect(file.sessionIds()).toEqual(['a', 'b']);
  file.close();
});
