import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem, O_RDWR, openPrivate } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { RootDocuments } from './root-documents.ts';

const NAME = 'indices/list.json';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const fileSystem = (): FileSystem => createNodeFileSystem(loadKernelLocks().locks);

test('a document may lie in a folder, which is made with it', async () => {
  const documents = new RootDocuments(fileSystem(), root);
  expect(documents.read(NAME)).toBeUndefined();
  await documents.write(NAME, 'one', {});
  await documents.write(NAME, 'two', {});
  expect(documents.read(NAME)).toBe('two');
  expect(documents.read('indices/other.json')).toBeUndefined();
});

test('what a killed writer left goes with the next writing', async () => {
  const documents = new RootDocuments(fileSystem(), root);
  await documents.write(NAME, 'one', {});
  writeFileSync(join(root, 'indices', 'list.json.99-abcdef01.tmp'), 'half');
  await documents.write(NAME, 'two', {});
  expect(readdirSync(join(root, 'indices')).sort()).toEqual(['.lock.k', 'list.json']);
  expect(documents.read(NAME)).toBe('two');
});

test('writers in a folder wait for each other, and in the end give up on one that was stopped', async () => {
  const plain = fileSystem();
  const documents = new RootDocuments(plain, root);
  await documents.write(NAME, 'one', {});
  const holder = openPrivate(plain, join(root, 'indices', '.lock.k'), O_RDWR).fd;
  expect(plain.tryLock(holder, 0)).toBe(true);
  await expect(documents.write(NAME, 'two', {})).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  expect(documents.read(NAME)).toBe('one');
  const waiting = documents.write(NAME, 'three', {});
  plain.close(holder);
  await waiting;
  expect(documents.read(NAME)).toBe('three');
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
