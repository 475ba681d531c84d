import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventFacts } from '../../core/events.ts';
import { createFaultFileSystem, SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import type { FileStoreOptions } from './file-store-options.ts';
import { createNodeFileSystem, O_RDWR } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { readText } from './sidecar-files.ts';

/** One process removes a log while another one has bytes in it that are not on the disk yet. */
const log = { kind: 'session', id: 's' } as const;
const body = '{"schema_version":1,"record":"note"}';
const notFound = { name: 'NotFoundError', code: 'SESSION_NOT_FOUND' };

async function open(
  options: Partial<FileStoreOptions> = {},
): Promise<{ writer: FileStore; remover: FileStore; events: EventFacts[] }> {
  const root = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const events: EventFacts[] = [];
  const writer = new FileStore({ root, emit: (event) => events.push(event), ...options });
  const remover = new FileStore({ root });
  onTestFinished(async () => {
    await writer.close();
    await remover.close();
  });
  await remover.append(log, [body], { create: 'new' });
  return { writer, remover, events };
}

test('a sync that finds the log gone is no failure, and the next life of the log is followed', async () => {
  const { writer, remover, events } = await open({ syncIntervalMs: 1 });
  for (let life = 0; life < 5; life++) {
    await writer.append(log, [body]);
    await remover.remove(log);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(writer.append(log, [body])).rejects.toMatchObject(notFound);
    await remover.append(log, [body], { create: 'new' });
    expect((await writer.append(log, [body])).lastSeq).toBe(2);
  }
  expect(events.filter(({ kind }) => kind === 'log-read-only')).toEqual([]);
});

test('after a failed sync too, callers hear that the log is gone, and can write to its next life', async () => {
  const real = createNodeFileSystem(loadKernelLocks().locks);
  const fileSystem = createFaultFileSystem(real, [{ at: 1, kind: 'sync', fail: 'EIO', isPersistent: true }]);
  const { writer, remover } = await open({ fileSystem, durability: 'group' });
  await expect(writer.append(log, [body])).rejects.toMatchObject({ code: 'READ_ONLY' });
  await remover.remove(log);
  await expect(writer.append(log, [body])).rejects.toMatchObject(notFound);
  fileSystem.heal();
  await remover.append(log, [body], { create: 'new' });
  expect((await writer.append(log, [body])).lastSeq).toBe(2);
});

test('a removal waits while another process replaces the list of changes, and says so when that never ends', async () => {
  const { remover } = await open();
  const root = remover.root;
  const system = createNodeFileSystem(loadKernelLocks().locks);
  const makeNoted = (id: string) =>
    remover.append({ kind: 'session', id, userId: 'u' }, [body], { create: 'new' });
  await makeNoted('one');
  await makeNoted('two');
  const changes = system.open(join(root, 'users/u/changes'), O_RDWR);
  expect(system.tryLock(changes, 0)).toBe(true);
  setTimeout(() => system.unlock(changes, 0), 30);
  expect(await remover.remove({ kind: 'session', id: 'one', userId: 'u' })).toBe(true);
  expect(await remover.list('session', 'u')).toEqual(['two']);

  const other = system.open(join(root, 'users/u/changes'), O_RDWR);
  expect(system.tryLock(other, 0)).toBe(true);
  await expect(remover.remove({ kind: 'session', id: 'two', userId: 'u' })).rejects.toMatchObject({
    code: 'IO_FAILED',
    message: expect.stringContaining('change file'),
  });
  for (const fd of [changes, other]) system.close(fd);
});

test('a power cut does not bring back the name of what was removed', async () => {
  const disk = new SimulatedDisk();
  const store = new FileStore({ root: '/store', fileSystem: disk.startProcess() });
  for (const id of ['kept', 'secret'])
    await store.append({ kind: 'session', id, userId: 'u' }, ['{}'], { create: 'new' });
  await store.remove({ kind: 'session', id: 'secret', userId: 'u' });
  // No name that was not synced arrives.
  const found = disk.powerCut(() => 0.6).startProcess();
  expect(readText(found, '/store/users/u/changes')).toBe('kept\n');
});
