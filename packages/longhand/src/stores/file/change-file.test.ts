import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFaultFileSystem, systemError } from '../../testing/index.ts';
import { ChangeFile } from './change-file.ts';
import { ChangeNotes } from './change-notes.ts';
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
/** Fills the file up to where the next note replaces it. */
const fill = (): void => {
  mkdirSync(join(root, 'users/u'), { recursive: true });
  writeFileSync(path, 'old_a\nold_b\n'.repeat(22_000));
};

it('notes a session when another one was last', () => {
  const [mine, theirs] = [open(), open()];
  expect(mine.sessionIds()).toEqual([]);
  for (const id of ['b', 'b', 'a']) mine.note(id);
  theirs.note('a');
  theirs.note('c');
  mine.note('a');
  expect(text()).toBe('b\na\nc\na\n');
  expect(theirs.sessionIds()).toEqual(['a', 'b', 'c']);
  for (const file of [mine, theirs]) file.close();
  mine.close();
  mine.note('d');
  expect(text()).toBe('b\na\nc\na\nd\n');
  mine.close();
});

it('notices at once that the file is gone or another one, and after a while that a person moved it', () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const file = new ChangeFile(real, root, 'u', clock);
  file.note('a');
  file.note('a');
  rmSync(path);
  file.note('a');
  expect(text()).toBe('a\n');
  writeFileSync(join(root, 'replacement'), 'b\n');
  real.rename(join(root, 'replacement'), path);
  file.note('a');
  expect(text()).toBe('b\na\n');
  real.rename(path, `${path}.aside`);
  file.note('a');
  expect(existsSync(path)).toBe(false);
  nowMs = 1_000;
  file.note('a');
  expect(text()).toBe('a\n');
  file.close();
});

it('closes a line that somebody left torn', () => {
  const file = open();
  file.note('a');
  writeFileSync(path, 'a\nb', { flag: 'w' });
  file.note('c');
  expect(text()).toBe('a\nb\nc\n');
  file.close();
});

it('tells of a short write, and looks again', () => {
  const file = open(createFaultFileSystem(real, [{ at: 2, kind: 'write', shorten: true }]));
  file.note('session_a');
  expect(() => file.note('session_b')).toThrow('of 10 bytes');
  file.note('session_b');
  expect(file.sessionIds()).toEqual(['session_a', 'session_b', 'sessi'].sort());
  file.close();
});

it('names each session once when it has grown large', () => {
  fill();
  const file = open();
  file.note('new');
  expect(text()).toBe('old_a\nold_b\nnew\n');
  file.note('newer');
  expect(text()).toBe('old_a\nold_b\nnew\nnewer\n');
  expect(readdirSync(join(root, 'users/u'))).toEqual(['changes']);
  file.close();
});

it('notes again when the file was replaced behind its back', () => {
  const other = open();
  other.note('x');
  let isDone = false;
  const replacing: FileSystem = {
    ...real,
    write: (fd, data, position) => {
      const written = real.write(fd, data, position);
      if (!isDone) {
        isDone = true;
        writeFileSync(join(root, 'replacement'), 'x\n');
        real.rename(join(root, 'replacement'), path);
      }
      return written;
    },
  };
  const file = open(replacing);
  file.note('late');
  expect(file.sessionIds()).toEqual(['late', 'x']);
  for (const each of [file, other]) each.close();
});

it('carries over what others noted while it was being replaced', () => {
  fill();
  const other = open();
  const renaming: FileSystem = {
    ...real,
    rename: (from, to) => {
      // After the replacer has read, before its file is in place: the writer sees nothing of it.
      other.note('in_between');
      real.rename(from, to);
    },
  };
  const file = open(renaming);
  file.note('new');
  expect(file.sessionIds()).toEqual(['in_between', 'new', 'old_a', 'old_b']);
  for (const each of [file, other]) each.close();
});

it('drops the sessions that are gone, and keeps one that is made in the same moment', () => {
  const there = new Set(['a', 'c']);
  const maker = open();
  for (const id of ['a', 'gone', 'c', 'gone']) maker.note(id);
  const renaming: FileSystem = {
    ...real,
    rename: (from, to) => {
      // Noted, seen by everybody, and noted again, all behind the look of the one who drops.
      maker.note('made');
      there.add('made');
      maker.note('made');
      real.rename(from, to);
    },
  };
  const file = open(renaming);
  expect(file.tryDrop((id) => there.has(id))).toBe(true);
  expect(text()).toBe('a\nc\nmade\n');
  const { ino } = statSync(path);
  expect(file.tryDrop((id) => there.has(id))).toBe(true);
  expect(statSync(path).ino).toBe(ino);
  there.delete('made');
  maker.note('again');
  expect(open({ ...real, tryLock: () => false }).tryDrop((id) => there.has(id))).toBe(false);
  // Made after the look and before the file is in place: the maker's second note finds another file.
  expect(open().tryDrop((id) => there.has(id))).toBe(true);
  there.add('again');
  maker.note('again');
  expect(text()).toBe('a\nc\nagain\n');
  rmSync(path);
  expect(open().tryDrop(() => false)).toBe(true);
  for (const each of [file, maker]) each.close();
});

it('takes away what is left of a replacement also when it was read before', () => {
  const left = `${path}.1-dead.tmp`;
  const file = open();
  file.note('a');
  writeFileSync(left, 'gone\n');
  const other = open();
  const { mark } = other.changesSince(undefined);
  expect(other.changesSince(mark).sessionIds).toEqual(['a']);
  other.note('a');
  expect(() => readFileSync(left)).toThrow('ENOENT');
  for (const each of [file, other]) each.close();
});

it('leaves the replacing to whoever is at it, or was', () => {
  fill();
  const refused = open({ ...real, tryLock: () => false });
  refused.note('new');
  expect(text().length).toBeGreaterThan(256 * 1024);
  let locked = 0;
  const replacedAlready = open({
    ...real,
    tryLock: (fd, byte) => {
      // The first one looks for leftovers, the second one replaces.
      if (++locked === 2) {
        writeFileSync(join(root, 'replacement'), 'by_another\n');
        real.rename(join(root, 'replacement'), path);
      }
      return real.tryLock(fd, byte);
    },
  });
  replacedAlready.note('newer');
  expect(text()).toBe('by_another\n');
  for (const each of [refused, replacedAlready]) each.close();
});

it('leaves no temporary file when the replacing fails', () => {
  fill();
  const file = open(createFaultFileSystem(real, [{ at: 1, kind: 'rename', fail: 'EIO' }]));
  expect(() => file.note('new')).toThrow('EIO');
  expect(readdirSync(join(root, 'users/u'))).toEqual(['changes']);
  file.note('newer');
  expect(text()).toBe('old_a\nold_b\nnew\nnewer\n');
  file.close();
});

it('owes a note until it stands, unless it never can', async () => {
  const failures: string[] = [];
  const answers = [systemError('EIO', 'open'), systemError('ENOSPC', 'write'), undefined];
  const noted: string[] = [];
  const note = (userId: string): void => {
    const answer = answers.shift();
    if (answer !== undefined) throw answer;
    noted.push(userId);
  };
  const notes = new ChangeNotes(note, (reason) => failures.push(reason), 1);
  expect(notes.isIdle).toBe(true);
  notes.note('u');
  notes.note('u');
  expect([failures, notes.isIdle]).toEqual([['EIO', 'ENOSPC'], false]);
  while (!notes.isIdle) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(noted).toEqual(['u']);
  answers.push(systemError('ELOOP', 'open'));
  notes.note('v');
  expect([notes.isIdle, failures.at(-1)]).toEqual([true, 'ELOOP']);
  notes.close();
  expect(existsSync(path)).toBe(false);
});

it('pays what it owes with the next note of another user, and when it is closed', () => {
  const noted: string[] = [];
  let isFailing = true;
  const note = (userId: string): void => {
    if (isFailing) throw systemError('EIO', 'open');
    noted.push(userId);
  };
  const notes = new ChangeNotes(note, () => undefined, 60_000);
  notes.note('u');
  notes.note('v');
  isFailing = false;
  notes.note('w');
  expect([noted, notes.isIdle]).toEqual([['u', 'v', 'w'], true]);
  isFailing = true;
  notes.note('u');
  isFailing = false;
  notes.close();
  expect([noted.at(-1), notes.isIdle]).toEqual(['u', true]);
});

it('takes away what a killed process left of a replacement, but no draft of one that is at it', () => {
  const left = `${path}.1-dead.tmp`;
  const first = open();
  first.note('a');
  writeFileSync(left, 'gone\n');
  const refused = open({ ...real, tryLock: () => false });
  refused.note('b');
  expect(readFileSync(left, 'utf8')).toBe('gone\n');
  const replacing = open({
    ...real,
    tryLock: (fd, byte) => {
      writeFileSync(join(root, 'replacement'), 'by_another\n');
      real.rename(join(root, 'replacement'), path);
      return real.tryLock(fd, byte);
    },
  });
  replacing.sessionIds();
  expect(readFileSync(left, 'utf8')).toBe('gone\n');
  const searching = open({
    ...real,
    tryLock: () => {
      throw new Error('A search needs no lock.');
    },
  });
  expect(searching.changesSince(undefined).sessionIds).toEqual(['by_another']);
  const next = open();
  expect(next.sessionIds()).toEqual(['by_another']);
  expect(() => readFileSync(left)).toThrow('ENOENT');
  for (const each of [first, refused, replacing, searching, next]) each.close();
});

it('gives a follower who has seen all of it nothing to read, also in a process that has not', () => {
  const [theirs, mine] = [open(), open()];
  for (const id of ['a', 'b']) theirs.note(id);
  const { mark } = theirs.changesSince(undefined);
  expect(mine.changesSince(mark)).toEqual({ sessionIds: ['b'], mark });
  for (const file of [mine, theirs]) file.close();
});

it('reads all again when a power cut has taken lines that a follower had seen, and others came in their place', () => {
  const file = open();
  for (const id of ['a', 'b', 'c']) file.note(id);
  const { mark } = file.changesSince(undefined);
  file.close();
  writeFileSync(path, 'a\nb\nd\n');
  const next = open();
  expect(next.changesSince(mark)).toMatchObject({ sessionIds: ['a', 'b', 'd'], mark: { lastId: 'd' } });
  next.close();
});

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

it('stays as it is when it names nobody any more', () => {
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

it('looks at no log for somebody whose sessions went with the folder', () => {
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
])('goes with a user who was forgotten while somebody %s a spoilt one', (_, ask) => {
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

it('has a new name on the disk, also when the file is replaced or taken away at that moment', async () => {
  let syncs = 0;
  const disturbed: FileSystem = {
    ...real,
    sync: async (fd) => {
      await real.sync(fd);
      syncs++;
      if (syncs === 1) rmSync(path);
      if (syncs === 2) {
        writeFileSync(join(root, 'replacement'), 'x\n');
        real.rename(join(root, 'replacement'), path);
      }
    },
  };
  const file = open(disturbed);
  await file.noteOnDisk('a');
  expect({ syncs, text: text() }).toEqual({ syncs: 3, text: 'x\na\n' });
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

it('has a new name on the disk at once when a person has moved the folder', async () => {
  const standing = { now: () => 0, monotonic: () => 0 };
  const file = new ChangeFile(real, root, 'u', standing);
  await file.noteOnDisk('a');
  real.rename(join(root, 'users/u'), join(root, 'aside'));
  await file.noteOnDisk('a');
  expect(text()).toBe('a\n');
  real.rename(join(root, 'users/u'), join(root, 'aside too'));
  await file.noteOnDisk('b');
  expect(text()).toContain('b\n');
  file.close();
});
