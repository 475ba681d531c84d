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

it('closes a line that a killed process left torn', () => {
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

it('is not replaced while it would hardly shrink: a user may have many sessions', () => {
  const names = Array.from({ length: 20_000 }, (_, number) => `session_${String(number).padStart(8, '0')}`);
  mkdirSync(join(root, 'users/u'), { recursive: true });
  writeFileSync(join(root, 'users/u/changes'), `${names.join('\n')}\n`);
  const file = open();
  const { mark } = file.changesSince(undefined);
  for (const name of ['new', names[0]!, 'new']) file.note(name);
  // The same file goes on, so a reader that follows it looks at the sessions that were noted, and at no others.
  expect(file.changesSince(mark).sessionIds).toEqual([mark.lastId, names[0], 'new'].sort());
  expect(file.sessionIds()).toHaveLength(20_001);
  for (let round = 0; round < 22_000; round++) file.note(names[1 + (round % 2)]!);
  expect(file.changesSince(mark).mark.generation).not.toBe(mark.generation);
  expect(file.sessionIds()).toHaveLength(20_001);
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
      // Noted, visible, and noted again, all after the dropping process has looked.
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

it('leaves the replacing to another process that is doing it, or has done it', () => {
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

it('removes what a killed process left of a replacement, but no draft of a live one', () => {
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
