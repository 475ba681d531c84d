import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newRoot } from '../../../test/open-stores.ts';
import { systemError } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';

async function placesIn(store: FileStore): Promise<string[]> {
  const places: string[] = [];
  for await (const { place } of store.scan()) places.push(place);
  return places;
}

test('what another process removes while everything is read is passed over', async () => {
  const root = newRoot();
  const real = createNodeFileSystem(loadKernelLocks({}).locks);
  let doomed: string | undefined;
  // Between the look at a folder and the look into it.
  const stat: FileSystem['stat'] = (path) => {
    const status = real.stat(path);
    if (path === doomed) rmSync(path, { recursive: true });
    return status;
  };
  const store = new FileStore({ root, fileSystem: { ...real, stat } });
  for (const id of ['one', 'two']) await store.append({ kind: 'session', id }, [], { create: 'new' });
  doomed = join(root, 'sessions', 'one');
  const places = await placesIn(store);
  expect(places.filter((place) => place.includes('one'))).toEqual([]);
  expect(places).toContain('sessions/two/memory.jsonl');
  await store.close();
});

test.each(['list', 'stat'] as const)(
  'a file that goes after %s has shown it is passed over',
  async (look) => {
    const root = newRoot();
    const real = createNodeFileSystem(loadKernelLocks({}).locks);
    const doomed = join(root, 'sessions', 'one', 'memory.jsonl');
    let isDoomed = false;
    const goesAfter = <Shown>(shown: Shown, isShown: boolean): Shown => {
      if (isDoomed && isShown) rmSync(doomed);
      return shown;
    };
    const looking: FileSystem =
      look === 'list'
        ? { ...real, list: (path) => goesAfter(real.list(path), path === dirname(doomed)) }
        : { ...real, stat: (path) => goesAfter(real.stat(path), path === doomed) };
    const store = new FileStore({ root, fileSystem: looking });
    for (const id of ['one', 'two']) await store.append({ kind: 'session', id }, [], { create: 'new' });
    isDoomed = true;
    const places = await placesIn(store);
    expect(places).not.toContain('sessions/one/memory.jsonl');
    expect(places).toContain('sessions/two/memory.jsonl');
    await store.close();
  },
);

test('a file that may not be read is not passed over: what is in it is not known to be gone', async () => {
  const root = newRoot();
  const real = createNodeFileSystem(loadKernelLocks({}).locks);
  const open: FileSystem['open'] = (path, flags, mode) => {
    if (path.endsWith('closed')) throw systemError('EACCES', 'open');
    return real.open(path, flags, mode);
  };
  const store = new FileStore({ root, fileSystem: { ...real, open } });
  writeFileSync(join(root, 'closed'), 'something');
  await expect(placesIn(store)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  await store.close();
});

test('notes and sessions that another process removes while they are listed are passed over', async () => {
  const root = newRoot();
  const real = createNodeFileSystem(loadKernelLocks({}).locks);
  let doomed: string | undefined;
  const list: FileSystem['list'] = (path) => {
    if (path === doomed) rmSync(path, { recursive: true });
    return real.list(path);
  };
  const store = new FileStore({ root, fileSystem: { ...real, list } });
  await store.append({ kind: 'notes', userId: 'ada', id: 'agent' }, [], { create: 'new' });
  doomed = join(root, 'users', 'ada', 'notes');
  expect(await store.list('notes', 'ada')).toEqual([]);
  doomed = join(root, 'sessions', 'lost');
  mkdirSync(doomed);
  writeFileSync(join(doomed, 'metadata.json'), '{}');
  expect(await store.folder.listWithoutLog('session')).toEqual([]);
  await store.close();
});

test('what the system refuses while everything is read is told in the family’s terms', async () => {
  const root = newRoot();
  const real = createNodeFileSystem(loadKernelLocks({}).locks);
  const list: FileSystem['list'] = (path) => {
    if (path.endsWith('strange')) throw Object.assign(new Error('I/O error'), { code: 'EIO' });
    return real.list(path);
  };
  const store = new FileStore({ root, fileSystem: { ...real, list } });
  mkdirSync(join(root, 'strange'));
  await expect(placesIn(store)).rejects.toMatchObject({ name: 'IOError', code: 'IO_FAILED' });
  rmSync(join(root, 'strange'), { recursive: true });
  writeFileSync(join(root, 'note'), '');
  symlinkSync('nowhere', join(root, 'link'));
  expect(await placesIn(store)).toEqual(expect.arrayContaining(['note', 'link']));
  await store.close();
});
