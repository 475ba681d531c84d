import { expect, it } from 'vitest';
import { createChance } from '../../../test/processes/chance.ts';
import { readLog } from '../../core/read-log.ts';
import { createFaultFileSystem, SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { O_CREAT, O_RDWR } from './file-system.ts';

const SESSION = { kind: 'session', id: 's' } as const;
const FOLDER = '/store/sessions/s/details';

async function makeStore(disk: SimulatedDisk): Promise<FileStore> {
  const store = new FileStore({ root: '/store', fileSystem: disk.startProcess() });
  if ((await store.list('session')).length === 0)
    await store.append(SESSION, ['{"schema_version":1}'], { create: 'new' });
  return store;
}

it('removes the drafts of processes that died, and no others', async () => {
  const disk = new SimulatedDisk();
  const store = await makeStore(disk);
  let letGo = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = store.writeBlob({ kind: 'session', id: 's' }, 'slow', slowly(isHeld));
  const other = disk.startProcess();
  other.close(other.open(`${FOLDER}/.left.tmp`, O_RDWR | O_CREAT, 0o600));
  const second = new FileStore({ root: '/store', fileSystem: other });
  await second.writeBlob({ kind: 'session', id: 's' }, 'quick', [Uint8Array.of(1)]);
  expect(other.list(FOLDER).filter((name) => name.startsWith('.left'))).toEqual([]);
  expect(other.list(FOLDER).some((name) => name.startsWith('.slow'))).toBe(true);
  letGo();
  expect(await slow).toBe(2);
  expect(await store.list('blob', 's')).toEqual(['quick', 'slow']);
  await second.close();
  await store.close();
});

it('keeps a value that was acknowledged, and all or nothing of it, when the power goes', async () => {
  const disk = new SimulatedDisk();
  const store = await makeStore(disk);
  await store.writeBlob({ kind: 'session', id: 's' }, 'kept', [new Uint8Array(10_000).fill(7)]);
  for (let seed = 1; seed <= 30; seed++) {
    const survivor = disk.powerCut(createChance(seed).next);
    const after = new FileStore({ root: '/store', fileSystem: survivor.startProcess() });
    const blob = await after.openBlob({ kind: 'session', id: 's' }, 'kept');
    expect(blob?.size, `seed ${seed}`).toBe(10_000);
    expect((await blob!.read(0, 10_000)).every((byte) => byte === 7)).toBe(true);
    blob!.close();
    await after.close();
  }
  await store.close();
});

it('says that the session is gone when it goes while a value comes in', async () => {
  const disk = new SimulatedDisk();
  const store = await makeStore(disk);
  let letGo = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = store.writeBlob({ kind: 'session', id: 's' }, 'slow', slowly(isHeld));
  await store.remove(SESSION);
  letGo();
  await expect(slow).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await store.close();
});

it('makes another draft when another process took its own for a leftover', async () => {
  const disk = new SimulatedDisk();
  await (await makeStore(disk)).close();
  const real = disk.startProcess();
  let taken = 0;
  const take = (target: string | number): void => {
    if (!String(target).endsWith('.tmp') || taken++ > 0) return;
    real.unlink(String(target));
  };
  const faulty = createFaultFileSystem(real);
  const store = new FileStore({ root: '/store', fileSystem: faulty });
  faulty.strike([1, 2, 3, 4].map((at) => ({ at, kind: 'open', when: 'after', run: take })));
  expect(await store.writeBlob({ kind: 'session', id: 's' }, 'value', [Uint8Array.of(1)])).toBe(1);
  expect(taken).toBeGreaterThan(1);
  expect(real.list(FOLDER)).toEqual(['value']);
  await store.close();
});

it('passes over a draft that goes while it looks, and reports one that it cannot open', async () => {
  const disk = new SimulatedDisk();
  const real = disk.startProcess();
  await (await makeStore(disk)).writeBlob({ kind: 'session', id: 's' }, 'value', [Uint8Array.of(1)]);
  const leave = (): void => real.close(real.open(`${FOLDER}/.left.tmp`, O_RDWR | O_CREAT, 0o600));
  const faulty = createFaultFileSystem(real);
  const store = new FileStore({ root: '/store', fileSystem: faulty });
  leave();
  const vanish = (): void => real.unlink(`${FOLDER}/.left.tmp`);
  faulty.strike([{ at: 1, kind: 'open', when: 'before', run: vanish }]);
  expect(await store.list('blob', 's')).toEqual(['value']);
  leave();
  faulty.strike([{ at: 1, kind: 'open', fail: 'EIO' }]);
  await expect(store.list('blob', 's')).rejects.toMatchObject({ code: 'IO_FAILED' });
  expect(await store.list('blob', 's')).toEqual(['value']);
  await store.close();
});

it('can be closed twice', async () => {
  const store = await makeStore(new SimulatedDisk());
  await store.writeBlob({ kind: 'session', id: 's' }, 'value', [Uint8Array.of(1)]);
  const blob = (await store.openBlob({ kind: 'session', id: 's' }, 'value'))!;
  blob.close();
  blob.close();
  await store.close();
});

it('waits for the lock of a folder that was made again, not of the one that is gone', async () => {
  const disk = new SimulatedDisk();
  const real = disk.startProcess();
  await (await makeStore(disk)).close();
  let struck = 0;
  const replace = (target: string | number): void => {
    if (!String(target).endsWith('.lock.k') || struck++ > 0) return;
    real.unlink(String(target));
  };
  const faulty = createFaultFileSystem(real);
  const store = new FileStore({ root: '/store', fileSystem: faulty });
  faulty.strike([1, 2, 3, 4].map((at) => ({ at, kind: 'open', when: 'after', run: replace })));
  await store.append({ kind: 'transcript', id: 's' }, ['{}'], { create: 'new' });
  expect(struck).toBeGreaterThan(1);
  expect((await readLog(store, { kind: 'transcript', id: 's' })).lines).toHaveLength(1);
  await store.close();
});

async function* slowly(isHeld: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Uint8Array.of(1);
  await isHeld;
  yield Uint8Array.of(2);
}
