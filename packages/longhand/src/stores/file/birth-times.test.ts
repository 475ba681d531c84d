import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem, tellsBirthTimes } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';

/** Runtimes that do not know when a file was made, and file systems that do not keep it. */
const LOG = { kind: 'session', id: 's' } as const;
const BODY = '{"schema_version":1,"record":"note"}';
const { locks } = loadKernelLocks();
const unknowing = createNodeFileSystem(locks, false);
let root: string;
let stores: FileStore[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(root, { recursive: true });
});

function open(fileSystem: FileSystem): FileStore {
  const store = new FileStore({ root, fileSystem });
  stores.push(store);
  return store;
}

/** The clock of a file system may stand still for some milliseconds. */
async function whenTheClockHasMoved(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a runtime is believed about birth times when they differ from those of the last change anywhere', () => {
  expect(tellsBirthTimes()).toBe(true);
  expect(tellsBirthTimes([join(root, 'nothing'), process.execPath])).toBe(true);
  expect(tellsBirthTimes([join(root, 'nothing')])).toBe(false);
  expect(unknowing.stat(root)).toMatchObject({ birthtimeMs: undefined, changeTimeMs: expect.any(Number) });
});

test('without birth times, a log stays in its life through whatever is done to its folder', async () => {
  const store = open(unknowing);
  await store.create(LOG, [BODY]);
  const { life } = await store.read(LOG);
  await whenTheClockHasMoved();
  await store.rewrite(LOG, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [BODY] }));
  const another = open(unknowing);
  expect((await another.read(LOG)).life).toBe(life);
  expect((await another.append(LOG, [BODY], { life })).lastSeq).toBe(3);
  await another.create({ kind: 'transcript', id: LOG.id }, [], { life });
  expect(await another.remove(LOG, { life })).toBe(true);
});

test('without birth times, a position of an earlier opening is void, and nothing is missed', async () => {
  const store = open(unknowing);
  await store.create(LOG, [BODY]);
  const { position } = await store.read(LOG);
  await store.append(LOG, [BODY]);
  expect(await store.read(LOG, position)).toMatchObject({ reset: false, lines: { length: 1 } });
  await whenTheClockHasMoved();
  await store.append(LOG, [BODY]);
  const another = open(unknowing);
  expect(await another.isCurrent(LOG, position)).toBe(false);
  expect(await another.read(LOG, position)).toMatchObject({ reset: true, lines: { length: 3 } });
});

test('a draft that was just made is left alone by a process that starts, where no birth times are kept', async () => {
  const draft = join(root, 'sessions/.new-draft');
  const keepingNone: FileSystem = {
    ...unknowing,
    stat: (path) => {
      const status = unknowing.stat(path);
      return status === undefined ? undefined : { ...status, birthtimeMs: 0 };
    },
  };
  await open(keepingNone).create(LOG, [BODY]);
  mkdirSync(draft);
  await open(keepingNone).read(LOG);
  expect(readdirSync(join(root, 'sessions'))).toContain('.new-draft');
});
