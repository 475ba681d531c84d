import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { EventFacts } from '../src/core/events.ts';
import { linesSetAside, readLog } from '../src/core/read-log.ts';
import type { LogAddress } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { temporaryFolder } from './campaign.ts';
import type { MakeStoreTask, Modes } from './processes/make-store.ts';

/** Only the owner gets in, whatever the umask; nothing is followed out of the store. */

const PROGRAM = fileURLToPath(new URL('processes/make-store.ts', import.meta.url));
const LOG: LogAddress = { kind: 'session', id: 's' };
/** The system's user who owns nothing, for the tests that a privileged user cannot do as itself. */
const NOBODY = 65_534;
const isPrivileged = process.getuid?.() === 0;

function makeStore(task: MakeStoreTask, asNobody = false): string {
  const who = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, JSON.stringify(task)], {
    encoding: 'utf8',
    cwd: '/',
    env: {},
    ...who,
  });
  expect(stdout, stderr).not.toBe('');
  return stdout;
}

/** Whether another user can read these sources at all; a checkout may be its owner's alone. */
const canBeNobody =
  isPrivileged &&
  spawnSync(process.execPath, ['--check', PROGRAM], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0;

test.each(['000', '777', '022'])(
  'folders are 0700, files 0600 and the lock 0644 under umask %s',
  (digits) => {
    const umask = Number.parseInt(digits, 8);
    const parent = temporaryFolder();
    chmodSync(parent, 0o755);
    if (canBeNobody) chownSync(parent, NOBODY, NOBODY);
    const answer = makeStore({ root: join(parent, 'store'), umask }, canBeNobody);
    const modes = JSON.parse(answer) as Modes;
    const folders = [
      '.',
      'sessions',
      'agents',
      'indices',
      'users',
      'users/u',
      'sessions/s',
      'sessions/s/corrupt',
      'agents/a',
    ];
    const files = ['.lock.k', 'memory.jsonl', 'index.json', 'tombstones.jsonl', 'corrupt/memory.line'];
    const beside = [
      'config.json',
      'indices/.lock.k',
      'indices/global_index.json',
      'users/u/changes',
      'agents/a/.lock.k',
      'agents/a/memory.jsonl',
    ];
    const expected = Object.fromEntries([
      ...folders.map((name) => [name, '700']),
      ...files.map((name) => [`sessions/s/${name}`, '600']),
      ...beside.map((name) => [name, '600']),
      ['sessions/s/lock', '644'],
    ]);
    expect(modes).toEqual(expected);
  },
);

function modesBelow(folder: string): Record<string, string> {
  const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}

test('what others can read of a store that was copied is closed to them by its first use', async () => {
  const root = join(temporaryFolder(), 'store');
  const events: EventFacts[] = [];
  const emit = (event: EventFacts): void => void events.push(event);
  const first = new FileStore({ root });
  await first.append({ ...LOG, userId: 'u' }, ['{}'], { create: 'new' });
  await first.rewrite(LOG, ({ lines }) => ({
    keep: [],
    append: ['{}'],
    quarantine: lines,
    tombstones: ['{}'],
  }));
  await first.writeDocument(LOG, 'index.json', '{}');
  await first.writeDocument(undefined, 'indices/global_index.json', '{}');
  await first.writeDocument(undefined, 'config.json', '{}');
  await first.close();
  const expected = modesBelow(root);
  expect(new Set(Object.values(expected))).toEqual(new Set(['700', '600']));
  const lock = join(root, 'sessions/s/lock');
  for (const [name, mode] of Object.entries(expected)) {
    chmodSync(join(root, name), mode === '700' ? 0o755 : 0o644);
  }
  const second = new FileStore({ root, emit });
  await second.append({ ...LOG, userId: 'u' }, ['{}']);
  const {
    'indices/global_index.json': inClosedFolder,
    'indices/.lock.k': anchor,
    ...others
  } = modesBelow(root);
  expect([inClosedFolder, anchor]).toEqual(['644', '644']);
  for (const [name, mode] of Object.entries(others)) expect([name, mode]).toEqual([name, expected[name]]);
  await second.rewrite(LOG, ({ lines }) => {
    expect((statSync(lock).mode & 0o777).toString(8)).toBe('644');
    return { keep: lines.map((line) => ({ line })), append: [] };
  });
  await second.close();
  expect(events.filter(({ kind }) => !kind.startsWith('lock-'))).toEqual([]);
});

test('a root that others can write to, or that belongs to another, is refused', () => {
  const root = join(temporaryFolder(), 'store');
  mkdirSync(root);
  for (const mode of [0o770, 0o702]) {
    chmodSync(root, mode);
    expect(() => new FileStore({ root })).toThrow(/others can write/);
  }
  expect(readdirSync(root)).toEqual([]);
  if (!canBeNobody) return;
  chmodSync(join(root, '..'), 0o755);
  chmodSync(root, 0o755);
  expect(makeStore({ root, umask: 0 }, true)).toMatch(/^STORAGE_ROOT_UNUSABLE .*belongs to another user/);
});

test('a root that is a file, a link or in a file is refused', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(folder, join(folder, 'link'));
  expect(() => new FileStore({ root: join(folder, 'file') })).toThrow(/not a folder/);
  expect(() => new FileStore({ root: join(folder, 'link') })).toThrow(/symbolic link/);
  expect(() => new FileStore({ root: join(folder, 'file/below') })).toThrow(/ENOTDIR/);
  mkdirSync(join(folder, 'root'), 0o700);
  symlinkSync(folder, join(folder, 'root/sessions'));
  expect(() => new FileStore({ root: join(folder, 'root') })).toThrow(/sessions in it is not a folder/);
});

/** What is planted where, and the calls that must refuse it. */
const PLANTED: readonly { readonly at: string; readonly calls: readonly Call[] }[] = [
  { at: 'sessions/s', calls: ['append', 'read', 'create', 'rewrite'] },
  { at: 'sessions/s/memory.jsonl', calls: ['append', 'read', 'rewrite'] },
  // Readers take no lock, so they do not come near it.
  { at: 'sessions/s/.lock.k', calls: ['append', 'rewrite'] },
  { at: 'sessions/s/index.json', calls: ['append', 'index', 'readIndex', 'size'] },
  { at: 'sessions/s/tombstones.jsonl', calls: ['append', 'rewrite', 'size'] },
  { at: 'users/u/changes', calls: ['listOfUser'] },
  { at: 'users/u', calls: ['createOther'] },
  { at: 'users/u/notes', calls: ['createNotes'] },
  { at: 'sessions/s/corrupt', calls: ['rewrite', 'quarantined'] },
];

type Call = keyof typeof CALLS;
const CALLS = {
  append: (store: FileStore) => store.append(LOG, ['{}'], { tombstones: ['{}'] }),
  create: (store: FileStore) => store.append(LOG, ['{}'], { create: 'new' }),
  createOther: (store: FileStore) =>
    store.append({ kind: 'session', id: 'o', userId: 'u' }, [], { create: 'new' }),
  read: (store: FileStore) => readLog(store, LOG),
  rewrite: (store: FileStore) =>
    store.rewrite(LOG, ({ lines }) => ({
      keep: lines.map((line) => ({ line })),
      append: [],
      tombstones: ['{}'],
    })),
  createNotes: (store: FileStore) =>
    store.append({ kind: 'notes', userId: 'u', id: 'a' }, [], { create: 'new' }),
  quarantined: (store: FileStore) => linesSetAside(store, LOG),
  size: (store: FileStore) => store.size(LOG),
  index: (store: FileStore) => store.writeDocument(LOG, 'index.json', '{}'),
  readIndex: (store: FileStore) => store.readDocument(LOG, 'index.json'),
  listOfUser: (store: FileStore) => store.list('session', 'u'),
};

test.each(PLANTED)('a link planted at $at is refused, not followed', async ({ at, calls }) => {
  for (const isOpenBefore of [true, false]) {
    const folder = temporaryFolder();
    const root = join(folder, 'store');
    const outside = join(folder, 'outside');
    let store = new FileStore({ root });
    await store.append({ ...LOG, userId: 'u' }, ['{}'], { create: 'new' });
    await store.append(LOG, ['{}'], { tombstones: ['{}'] });
    if (!isOpenBefore || at.endsWith('.lock.k')) {
      await store.close();
      store = new FileStore({ root });
    }
    const isFolder = !at.includes('.') && !at.endsWith('changes');
    if (isFolder) mkdirSync(outside);
    else writeFileSync(outside, '');
    rmSync(join(root, at), { recursive: true, force: true });
    symlinkSync(outside, join(root, at));
    for (const call of calls) {
      const code = call === 'create' ? /UNSAFE_PATH|SESSION_EXISTS/ : /UNSAFE_PATH|SESSION_NOT_FOUND/;
      await expect(CALLS[call](store), call).rejects.toMatchObject({ code: expect.stringMatching(code) });
    }
    expect(isFolder ? readdirSync(outside) : [], 'nothing was written outside').toEqual([]);
    await store.close();
  }
});

test('a link planted where a lock or a temporary file is written is replaced, not followed', async () => {
  const folder = temporaryFolder();
  const root = join(folder, 'store');
  const store = new FileStore({ root });
  await store.append(LOG, ['{}'], { create: 'new' });
  for (const name of ['lock', 'lock.tmp'])
    symlinkSync(join(folder, 'outside'), join(root, 'sessions/s', name));
  await CALLS.rewrite(store);
  await store.append(LOG, ['{}']);
  expect(existsSync(join(folder, 'outside'))).toBe(false);
  expect(readdirSync(join(root, 'sessions/s')).sort()).toEqual([
    '.lock.k',
    'memory.jsonl',
    'tombstones.jsonl',
  ]);
  await store.close();
});
