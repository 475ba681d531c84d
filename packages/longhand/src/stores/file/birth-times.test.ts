import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isCurrent, readAfter, readLog } from '../../core/read-log.ts';
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

test('without birth times, a log stays in its incarnation through whatever is done to its folder', async () => {
  const store = open(unknowing);
  await store.append(LOG, [BODY], { create: 'new' });
  const { incarnation } = await readLog(store, LOG);
  await whenTheClockHasMoved();
  await store.rewrite(LOG, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [BODY] }));
  const another = open(unknowing);
  expect((await readLog(another, LOG)).incarnation).toBe(incarnation);
  expect((await another.append({ ...LOG, incarnation }, [BODY])).lastSeq).toBe(3);
  await another.append({ kind: 'transcript', id: LOG.id, incarnation }, [], { create: 'new' });
  expect(await another.remove({ ...LOG, incarnation })).toBe(true);
});

test('without birth times, a position of an earlier opening is void, and nothing is missed', async () => {
  const store = open(unknowing);
  await store.append(LOG, [BODY], { create: 'new' });
  const { position } = await readLog(store, LOG);
  await store.append(LOG, [BODY]);
  expect(await readAfter(store, LOG, position)).toMatchObject({ reset: false, lines: { length: 1 } });
  await whenTheClockHasMoved();
  await store.append(LOG, [BODY]);
  const another = open(unknowing);
  expect(await isCurrent(another, LOG, position)).toBe(false);
  expect(await readAfter(another, LOG, position)).toMatchObject({ reset: true, lines: { length: 3 } });
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
  await open(keepingNone).append(LOG, [BODY], { create: 'new' });
  mkdirSync(draft);
  await readLog(open(keepingNone), LOG);
  expect(readdirSync(join(root, 'sessions'))).toContain('.new-draft');
});
