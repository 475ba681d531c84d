import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { RootDocuments } from './root-documents.ts';

const NAME = 'indices/list.json';
const HOUR_MS = 3_600_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const fileSystem = (): FileSystem => createNodeFileSystem(loadKernelLocks().locks);

test('a document may lie in a folder, which is made with it', async () => {
  const documents = new RootDocuments(fileSystem(), root, systemClock);
  expect(documents.read(NAME)).toBeUndefined();
  await documents.write(NAME, 'one');
  await documents.write(NAME, 'two');
  expect(documents.read(NAME)).toBe('two');
  expect(documents.read('indices/other.json')).toBeUndefined();
  expect(readdirSync(join(root, 'indices'))).toEqual(['list.json']);
});

test('what a killed writer left goes after an hour, and not before', async () => {
  const clock = new FakeClock(Date.now());
  const documents = new RootDocuments(fileSystem(), root, clock);
  await documents.write(NAME, 'one');
  const leftover = 'list.json.99-abcdef01.tmp';
  writeFileSync(join(root, 'indices', leftover), 'half');
  await documents.write(NAME, 'two');
  expect(readdirSync(join(root, 'indices'))).toContain(leftover);
  clock.advance(HOUR_MS + 60_000);
  await documents.write(NAME, 'three');
  expect(readdirSync(join(root, 'indices'))).toEqual(['list.json']);
});

test('a temporary file that is renamed meanwhile is no leftover', async () => {
  const plain = fileSystem();
  const racing: FileSystem = {
    ...plain,
    stat: (path) => (path.endsWith('.tmp') ? undefined : plain.stat(path)),
  };
  const documents = new RootDocuments(racing, root, systemClock);
  mkdirSync(join(root, 'indices'), { mode: 0o700 });
  writeFileSync(join(root, 'indices', 'list.json.99-abcdef01.tmp'), 'half');
  await documents.write(NAME, 'one');
  expect(documents.read(NAME)).toBe('one');
});

test('nothing is followed out of the store', async () => {
  const outside = join(root, 'outside');
  mkdirSync(outside);
  const store = new FileStore({ root: join(root, 'store') });
  symlinkSync(outside, join(store.root, 'indices'));
  const unsafe = { code: 'UNSAFE_PATH' };
  await expect(store.writeDocument(undefined, NAME, 'text')).rejects.toMatchObject(unsafe);
  await expect(store.readDocument(undefined, NAME)).rejects.toMatchObject(unsafe);
  rmSync(join(store.root, 'indices'));
  mkdirSync(join(store.root, 'indices'));
  symlinkSync(join(outside, 'list.json'), join(store.root, NAME));
  await expect(store.writeDocument(undefined, NAME, 'text')).rejects.toMatchObject(unsafe);
  expect(readdirSync(outside)).toEqual([]);
  await store.close();
});
