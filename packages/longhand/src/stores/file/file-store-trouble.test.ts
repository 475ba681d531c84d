import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import type { EventFacts } from '../../core/events.ts';
import { encodeLine } from '../../core/line.ts';
import { readLog } from '../../core/read-log.ts';
import type { LogAddress } from '../../core/store.ts';
import { newsSince } from '../../testing/conformance-records.ts';
import {
  createFaultFileSystem,
  FakeClock,
  type Fault,
  SimulatedDisk,
  systemError,
} from '../../testing/index.ts';
import { ChangeFile } from './change-file.ts';
import { mayPass, reasonOf, toLonghandError } from './failures.ts';
import { FileStore } from './file-store.ts';
import type { FileStoreOptions } from './file-store-options.ts';
import { type FileSystem, O_APPEND, O_CREAT, O_RDWR, O_WRONLY } from './file-system.ts';
import { createProcessLocks } from './kernel-locks.ts';
import { FileLog } from './log.ts';
import { LogWriter } from './log-writer.ts';
import { OpenLogs } from './open-logs.ts';
import { claimForOneProcess } from './single-process.ts';

const LOG: LogAddress = { kind: 'session', id: 's' };
const FOLDER = '/store/sessions/s';
const TIMES = { lockTimeoutMs: 60_000, maxRetries: 1, retryBackoffMs: 1 };
const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;

/** A store with one log on a disk of its own; faults strike from the next call on. */
async function makeStore(options: Partial<FileStoreOptions> = {}) {
  const disk = new SimulatedDisk();
  const fileSystem = disk.startProcess();
  const events: EventFacts[] = [];
  const common = {
    root: '/store',
    lockTimes: TIMES,
    emit: (event: EventFacts) => void events.push(event),
  };
  const first = new FileStore({ ...common, fileSystem });
  await first.append(LOG, [bodyOf('first')], { create: 'new' });
  await first.close();
  const open = (faults: readonly Fault[] = [], more: Partial<FileStoreOptions> = {}) => {
    const faulty = createFaultFileSystem(more.fileSystem ?? fileSystem);
    const store = new FileStore({ ...common, ...options, ...more, fileSystem: faulty });
    faulty.strike(faults);
    return { store, faulty };
  };
  const write = (path: string, text: string, flags = O_WRONLY): void => {
    const fd = fileSystem.open(path, flags | O_CREAT, 0o600);
    fileSystem.write(fd, Buffer.from(text));
    fileSystem.close(fd);
  };
  return { disk, fileSystem, events, open, write };
}

async function idsOf(store: FileStore): Promise<(string | undefined)[]> {
  return (await readLog(store, LOG)).lines.map((line) => line.memoryId);
}

describe('a log in trouble', () => {
  it('says how much waits, refuses when too much does, and stores it when the trouble is over', async () => {
    const { open, events } = await makeStore();
    const { store, faulty } = open([{ at: 1, kind: 'write', fail: 'EIO', isPersistent: true }]);
    const waiting = [store.append(LOG, [bodyOf('a')]), store.append(LOG, [bodyOf('b'), bodyOf('c')])];
    while (!events.some(({ kind }) => kind === 'write-pending'))
      await new Promise((done) => setTimeout(done, 2));
    expect(store.folder.pendingWrites(LOG)).toBe(3);
    waiting.push(store.append(LOG, [`{"text":"${'x'.repeat(16_000_001)}"}`]));
    await expect(store.append(LOG, [bodyOf('d')])).rejects.toMatchObject({ code: 'WRITE_BUFFER_FULL' });
    faulty.heal();
    await Promise.all(waiting);
    expect(events.map(({ kind }) => kind)).toContain('write-recovered');
    expect(store.folder.pendingWrites(LOG)).toBe(0);
    await store.close();
  });

  it('tells a full disk from a broken one', async () => {
    const { open, fileSystem } = await makeStore();
    const { store, faulty } = open([{ at: 1, kind: 'write', shorten: true, isPersistent: true }]);
    await expect(store.append(LOG, [bodyOf('a')])).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    const isTorn = { at: 1, kind: 'write', shorten: true } as const;
    faulty.strike([isTorn, { at: 1, kind: 'truncate', fail: 'EIO' }]);
    await expect(store.append(LOG, [bodyOf('b')])).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining('try again with the same ids'),
    });
    faulty.strike([
      { at: 1, kind: 'write', fail: 'EIO' },
      { at: 1, kind: 'truncate', fail: 'EIO' },
    ]);
    await store.append(LOG, [bodyOf('c')]);
    expect(await idsOf(store)).toEqual(['first', 'c']);
    faulty.strike([{ at: 1, kind: 'makeDirectory', fail: 'EIO' }]);
    await expect(store.append({ kind: 'session', id: 'new' }, [], { create: 'new' })).rejects.toMatchObject({
      code: 'IO_FAILED',
    });
    expect(fileSystem.list('/store/sessions')).toEqual(['s']);
    await store.close();
  });

  it('stores once what was written before the trouble came, in the same hold', async () => {
    const { open } = await makeStore();
    const { store } = open([{ at: 2, kind: 'write', fail: 'EIO' }]);
    const appended = store.append(LOG, [bodyOf('a')]);
    const decided: (string | undefined)[][] = [];
    const transacted = store.append(LOG, ({ lines }) => {
      decided.push(lines.map(({ memoryId }) => memoryId));
      return [bodyOf('b')];
    });
    const refused = store.append(LOG, () => {
      throw new Error('not wanted');
    });
    await expect(refused).rejects.toThrow('not wanted');
    expect(await appended).toMatchObject({ firstSeq: 2 });
    expect(await transacted).toMatchObject({ firstSeq: 3 });
    // Asked again when the first try could not be written, and each time with what had been stored.
    expect(decided).toEqual([
      ['first', 'a'],
      ['first', 'a'],
    ]);
    expect(await idsOf(store)).toEqual(['first', 'a', 'b']);
    await store.close();
  });

  it('rejects what it could not store until it was closed', async () => {
    const { open } = await makeStore();
    const { store } = open([{ at: 1, kind: 'write', fail: 'EIO', isPersistent: true }]);
    const waiting = store.append(LOG, [bodyOf('a')]);
    const closing = store.close();
    await expect(waiting).rejects.toMatchObject({ code: 'IO_FAILED' });
    await closing;
  });

  it('is read-only while it can be neither synced nor rewritten, and recovers automatically', async () => {
    const { open, events } = await makeStore();
    const { store, faulty } = open([{ at: 1, kind: 'sync', fail: 'EIO', isPersistent: true }], {
      durability: 'group',
    });
    await expect(store.append(LOG, [bodyOf('a')])).rejects.toMatchObject({ code: 'READ_ONLY' });
    await expect(store.append(LOG, [bodyOf('b')])).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(await idsOf(store)).toEqual(['first', 'a']);
    faulty.heal();
    await store.append(LOG, [bodyOf('c')]);
    expect(await idsOf(store)).toEqual(['first', 'a', 'c']);
    expect(events.map(({ kind }) => kind)).toContain('log-rescued');
    await store.close();
  });

  it('does not keep a line that was cut off again', async () => {
    const { open, fileSystem } = await makeStore();
    const { store } = open();
    const line = encodeLine(bodyOf('phantom'), 2, true);
    const fd = fileSystem.open(`${FOLDER}/memory.jsonl`, O_RDWR | O_APPEND);
    const { size } = fileSystem.fstat(fd);
    // Another process’s write that fails later: a reader in between sees it.
    fileSystem.write(fd, Buffer.from(line));
    const { position, lines } = await readLog(store, LOG);
    expect(lines.length).toBe(2);
    fileSystem.truncate(fd, size);
    expect((await newsSince(store, LOG, position)).reset).toBe(true);
    await store.append(LOG, [bodyOf('another')]);
    await store.append(LOG, [bodyOf('more')]);
    const slice = await newsSince(store, LOG, position);
    expect([slice.reset, slice.lines.map(({ memoryId }) => memoryId)]).toEqual([
      true,
      ['first', 'another', 'more'],
    ]);
    const { token: _token, ...unmarked } = slice.position;
    expect(await newsSince(store, LOG, unmarked, { aside: true })).toMatchObject({ reset: false });
    await store.close();
  });

  it('closes a line that a killed writer left, with checksums and without', async () => {
    for (const checksums of [true, false]) {
      const { open, write, events } = await makeStore();
      write(`${FOLDER}/memory.jsonl`, '{"schema_version":1,"id":"to', O_WRONLY | O_APPEND);
      const { store } = open([], { checksums });
      const [a, b] = await Promise.all([store.append(LOG, [bodyOf('a')]), store.append(LOG, [bodyOf('b')])]);
      expect([a.firstSeq, b.firstSeq]).toEqual([2, 3]);
      const slice = await readLog(store, LOG);
      expect([slice.lines.length, slice.damage.map(({ kind }) => kind)]).toEqual([3, ['torn']]);
      expect(events).toContainEqual({ kind: 'tail-healed', log: 'session s', torn_bytes: 28 });
      await store.close();
    }
  });

  it('counts the newline that closes a torn line against the limit', async () => {
    const { open, write } = await makeStore();
    write(`${FOLDER}/memory.jsonl`, 'torn', O_WRONLY | O_APPEND);
    const { store } = open();
    const { total } = await store.size(LOG);
    const bytes = Buffer.byteLength(encodeLine(bodyOf('a'), 2, true));
    const refused = store.append(LOG, [bodyOf('a')], { maxBytes: total + bytes });
    await expect(refused).rejects.toMatchObject({ code: 'SESSION_FULL' });
    await store.append(LOG, [bodyOf('a')], { maxBytes: total + bytes + 1 });
    await store.close();
  });

  it('does not store what it has refused, whatever happens to the rest of the batch', async () => {
    const { open } = await makeStore();
    const { store } = open([{ at: 2, kind: 'write', fail: 'EIO' }]);
    const refused = store.append(LOG, [bodyOf('refused')], { maxBytes: 1 });
    let decisions = 0;
    const thrown = store.append(LOG, () => {
      if (++decisions === 1) throw new RangeError('mine');
      return [bodyOf('refused')];
    });
    const stored = store.append(LOG, [bodyOf('a')]);
    await expect(refused).rejects.toMatchObject({ code: 'SESSION_FULL' });
    await expect(thrown).rejects.toThrow('mine');
    await stored;
    expect([decisions, await idsOf(store)]).toEqual([1, ['first', 'a']]);
    await store.close();
  });

  it('keeps a transaction waiting when the log cannot be read for a while', async () => {
    const { open, fileSystem } = await makeStore();
    let failures = 2;
    const unreadable: FileSystem = {
      ...fileSystem,
      read: (fd, into, position) => {
        if (failures-- > 0) throw systemError('EIO', 'read');
        return fileSystem.read(fd, into, position);
      },
    };
    const { store } = open([], { fileSystem: unreadable });
    expect(await store.append(LOG, ({ lines }) => [bodyOf(`a${lines.length}`)])).toMatchObject({
      firstSeq: 2,
    });
    await store.close();
  });

  it('lists a deletion later when it could not at once', async () => {
    const { open, events } = await makeStore();
    const { store, faulty } = open([{ at: 1, kind: 'write', fail: 'EIO' }]);
    faulty.strike([]);
    await store.append(LOG, [bodyOf('a')]);
    faulty.strike([{ at: 2, kind: 'write', fail: 'EIO' }]);
    await store.append(LOG, [bodyOf('b')], { tombstones: ['{"id":"x"}'] });
    expect(await store.readDocument(LOG, 'tombstones.jsonl')).toBe('');
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'io-failed', operation: 'list deletions' }),
    );
    await store.rewrite(LOG, ({ lines }) => ({
      keep: lines.map((line) => ({ line })),
      append: [],
      tombstones: ['{"id":"x"}'],
    }));
    expect(await store.readDocument(LOG, 'tombstones.jsonl')).toBe('{"id":"x"}\n');
    await store.close();
  });

  it('closes a torn line of the list of deletions', async () => {
    const { open, write } = await makeStore();
    write(`${FOLDER}/tombstones.jsonl`, '{"id":"to');
    const { store } = open();
    await store.append(LOG, [bodyOf('a')], { tombstones: ['{"id":"x"}'] });
    expect(await store.readDocument(LOG, 'tombstones.jsonl')).toBe('{"id":"to\n{"id":"x"}\n');
    await store.close();
  });

  it('goes on when what a dead process left cannot be cleared away', async () => {
    const { open, write, events } = await makeStore();
    write(`${FOLDER}/memory.jsonl.1-2.tmp`, 'left');
    const { store } = open([{ at: 1, kind: 'unlink', fail: 'EIO' }]);
    await store.append(LOG, [bodyOf('a')]);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'io-failed', operation: 'recover' }));
    await store.append(LOG, [bodyOf('b')]);
    expect(await idsOf(store)).toEqual(['first', 'a', 'b']);
    await store.close();
  });

  it('follows a log that was removed and made again by another process, with its new lock', async () => {
    const { open, disk } = await makeStore();
    const { store } = open();
    await store.append(LOG, [bodyOf('a')]);
    const { store: other } = open([], { fileSystem: disk.startProcess() });
    await other.remove(LOG);
    await expect(store.append(LOG, [bodyOf('b')])).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await store.remove(LOG)).toBe(false);
    await other.append(LOG, [bodyOf('short-lived')], { create: 'new' });
    const removals = await Promise.all([store.remove(LOG), other.remove(LOG)]);
    expect(removals.sort()).toEqual([false, true]);
    await other.append(LOG, [bodyOf('new')], { create: 'new' });
    let isInside = false;
    const held = other.rewrite(LOG, ({ lines }) => {
      isInside = true;
      return { keep: lines.map((line) => ({ line })), append: [] };
    });
    const appended = store.append(LOG, [bodyOf('c')]);
    await Promise.all([held, appended]);
    expect([isInside, await idsOf(store)]).toEqual([true, ['new', 'c']]);
    for (const each of [store, other]) await each.close();
  });

  it('rewrites a person’s lines with numbers and checksums, and large logs in pieces', async () => {
    const { open, write } = await makeStore();
    write(`${FOLDER}/memory.jsonl`, '{"note":"mine"}\n{"note":"old","seq":1}\n', O_WRONLY | O_APPEND);
    const { store } = open();
    const keepAll = () =>
      store.rewrite(LOG, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }));
    await keepAll();
    const { lines, damage } = await readLog(store, LOG);
    expect([lines.map(({ seq }) => seq), damage]).toEqual([[1, 2, 3], []]);
    expect(lines.every((line) => line.check() === 'verified')).toBe(true);
    for (const id of ['a', 'b', 'c']) {
      await store.append(LOG, [`{"schema_version":1,"id":"${id}","content":"${'x'.repeat(700_000)}"}`]);
    }
    await keepAll();
    expect((await readLog(store, LOG)).lines.length).toBe(6);
    const { store: plain } = open([], { checksums: false });
    await plain.rewrite(LOG, (slice) => ({
      keep: slice.lines.map((line) => ({ line })),
      append: ['{"a":1}'],
    }));
    await plain.rewrite(LOG, (slice) => ({ keep: slice.lines.map((line) => ({ line })), append: [] }));
    expect((await readLog(plain, LOG)).lines.at(-1)!.text).toBe('{"a":1,"seq":7}');
    for (const each of [store, plain]) await each.close();
  });

  it('brings a large backlog to the disk without waiting for the interval', async () => {
    const { open } = await makeStore({ syncIntervalMs: 60_000 });
    const { store, faulty } = open();
    const large = `{"text":"${'x'.repeat(900_000)}"}`;
    for (let i = 0; i < 11; i++) await store.append(LOG, [large]);
    expect(faulty.counts.sync).toBe(1);
    await store.close();
  });

  it('looks past a copy in quarantine that vanishes while it looks', async () => {
    const { open, fileSystem } = await makeStore();
    const { store, faulty } = open();
    const rewrite = (isFirst: boolean) =>
      store.rewrite(LOG, ({ lines }, aside) => ({
        keep: lines.map((line) => ({ line })),
        append: [],
        ...(isFirst ? { quarantine: lines } : { forget: aside.map(({ name }) => name) }),
      }));
    await rewrite(true);
    const [name] = fileSystem.list(`${FOLDER}/corrupt`);
    const path = `${FOLDER}/corrupt/${name}`;
    const vanish = (target: string | number): void => {
      if (target === path) fileSystem.unlink(path);
    };
    faulty.strike([1, 2, 3, 4].map((at) => ({ at, kind: 'open', when: 'before', run: vanish })));
    await rewrite(false);
    expect(fileSystem.list(`${FOLDER}/corrupt`)).toEqual([]);
    await store.close();
  });
});

describe('a sync that fails while a rewrite puts another file in place', () => {
  /** Syncs that end one by one, when the test says so. */
  async function makeGatedStore() {
    const { open, events, fileSystem } = await makeStore();
    const ends: ((error?: Error) => void)[] = [];
    const gated: FileSystem = {
      ...fileSystem,
      sync: (fd) =>
        new Promise((resolve, reject) => {
          ends.push((error) => (error === undefined ? resolve(fileSystem.sync(fd)) : reject(error)));
        }),
    };
    const { store } = open([], { fileSystem: gated, durability: 'group' });
    const nextSync = async (count: number): Promise<void> => {
      while (ends.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const appended = store.append(LOG, [bodyOf('dropped')]);
    await nextSync(1);
    const keepFirst = (by: FileStore): Promise<unknown> =>
      by.rewrite(LOG, ({ lines }) => ({ keep: [{ line: lines[0]! }], append: [] }));
    const other = open().store;
    return { store, other, events, ends, nextSync, appended, keepFirst };
  }
  const kindsOf = (events: readonly EventFacts[]) => events.map(({ kind }) => kind);

  it('does not matter when the other file is there', async () => {
    const { store, other, events, ends, nextSync, appended, keepFirst } = await makeGatedStore();
    await keepFirst(other);
    ends[0]!(systemError('EIO', 'fdatasync'));
    await nextSync(2);
    ends[1]!();
    await appended;
    expect(kindsOf(events)).toContain('log-rescued');
    expect(await idsOf(store)).toEqual(['first']);
    for (const each of [store, other]) await each.close();
  });

  it('brings nothing back that the rewrite drops', async () => {
    const { store, other, events, ends, nextSync, appended, keepFirst } = await makeGatedStore();
    ends[0]!(systemError('EIO', 'fdatasync'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(kindsOf(events)).toContain('log-read-only');
    const rewritten = keepFirst(other);
    await nextSync(2);
    ends[1]!();
    await appended;
    await rewritten;
    expect(await idsOf(store)).toEqual(['first']);
    for (const each of [store, other]) await each.close();
  });

  it('is waited for by a rewrite of the same process, which then sees what the rescue brought back', async () => {
    const { store, other, ends, appended } = await makeGatedStore();
    let seen = 0;
    const rewritten = store.rewrite(LOG, ({ lines }) => {
      seen = lines.length;
      return { keep: lines.map((line) => ({ line })), append: [] };
    });
    ends[0]!(systemError('EIO', 'fdatasync'));
    let released = 1;
    const releasing = setInterval(() => {
      while (released < ends.length) ends[released++]!();
    }, 1);
    await Promise.all([appended, rewritten]);
    expect(seen).toBe(2);
    expect(await idsOf(store)).toEqual(['first', 'dropped']);
    for (const each of [store, other]) await each.close();
    clearInterval(releasing);
  });
});

it('a writer that is closed in the same moment stores what it has, and takes no more', async () => {
  const { fileSystem } = await makeStore();
  const context = { fileSystem, clock: systemClock, emit: () => undefined, times: TIMES, checksums: true };
  const log = new FileLog(context, LOG, join(FOLDER, 'memory.jsonl'));
  const changesOf = (userId: string) => new ChangeFile(fileSystem, '/store', userId);
  const writer = new LogWriter({ ...context, durability: 'buffered', syncIntervalMs: 1, changesOf }, log);
  await log.takeTurn();
  const appended = writer.append(LOG, [bodyOf('a')], {});
  const closing = writer.close();
  log.passTurn();
  expect((await appended).firstSeq).toBe(2);
  await closing;
  await writer.close();
  await expect(writer.append(LOG, [bodyOf('b')], {})).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  await new Promise((resolve) => setImmediate(resolve));
  await log.leaveReadOnly();
  log.close();
  await new OpenLogs(() => ({ log, writer })).close(LOG);
});

describe('a store in trouble', () => {
  it('sweeps away what killed processes left, but no draft that is being written', async () => {
    const { disk, fileSystem, open, write } = await makeStore();
    const folder = (name: string, file?: string): void => {
      fileSystem.makeDirectory(`/store/sessions/${name}`, 0o700);
      if (file !== undefined) write(`/store/sessions/${name}/${file}`, '');
    };
    folder('.new-abandoned', '.lock.k');
    folder('.removed-abandoned', '.lock.k');
    folder('.removed-half', 'memory.jsonl');
    folder('.removed-deep');
    folder('.removed-deep/corrupt', 'line');
    folder('.new-young');
    folder('.new-held', '.lock.k');
    folder('.other');
    const holder = disk.startProcess();
    holder.tryLock(holder.open('/store/sessions/.new-held/.lock.k', O_RDWR), 0);
    await open().store.close();
    expect(fileSystem.list('/store/sessions').sort()).toEqual(['.new-held', '.new-young', '.other', 's']);
    const clock = new FakeClock(Date.now() + 4_000_000);
    const vanishing: FileSystem = {
      ...fileSystem,
      stat: (path) => (path.endsWith('.new-young') ? undefined : fileSystem.stat(path)),
    };
    await open([], { clock, fileSystem: vanishing }).store.close();
    expect(fileSystem.list('/store/sessions')).toContain('.new-young');
    await open([], { clock }).store.close();
    expect(fileSystem.list('/store/sessions').sort()).toEqual(['.new-held', '.other', 's']);
  });

  it('leaves what it may not look into, and says so', async () => {
    const { fileSystem, open, write, events } = await makeStore();
    fileSystem.makeDirectory('/store/sessions/.removed-a', 0o700);
    write('/store/sessions/.removed-a/.lock.k', '');
    const forbidding = (method: 'open' | 'removeDirectory'): FileSystem => ({
      ...fileSystem,
      [method]: (path: string, ...rest: [number, number]) => {
        if (path.includes('.removed-a')) throw systemError('EACCES', method);
        return fileSystem[method](path, ...rest);
      },
    });
    await open([], { fileSystem: forbidding('open') }).store.close();
    expect(fileSystem.list('/store/sessions/.removed-a')).toEqual(['.lock.k']);
    await open([], { fileSystem: forbidding('removeDirectory') }).store.close();
    expect(events).toContainEqual(expect.objectContaining({ kind: 'io-failed', operation: 'remove' }));
    const stuck: FileSystem = {
      ...fileSystem,
      list: (path) => {
        if (path === '/store/sessions') throw systemError('EIO', 'list');
        return fileSystem.list(path);
      },
    };
    expect(() => open([], { fileSystem: stuck })).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
  });

  it('lists what is a log, under its own name', async () => {
    const { fileSystem, open } = await makeStore();
    for (const name of ['%zz', 'empty', 'A%20b']) fileSystem.makeDirectory(`/store/agents/${name}`, 0o700);
    const { store } = open();
    expect(await store.list('agent')).toEqual([]);
    await store.append({ kind: 'agent', id: 'Ünal' }, [], { create: 'new' });
    expect(await store.list('agent')).toEqual(['Ünal']);
    const broken: FileSystem = { ...fileSystem, list: () => [undefined as unknown as string] };
    await expect((async () => open([], { fileSystem: broken }))()).rejects.toThrow();
    await store.close();
  });

  it('takes back a log or a removal that the disk does not confirm', async () => {
    const { fileSystem, open } = await makeStore();
    const failing = (path: string): FileSystem => ({
      ...fileSystem,
      syncDirectory: (folder) =>
        folder === path ? Promise.reject(systemError('EIO', 'fsync')) : fileSystem.syncDirectory(folder),
    });
    const { store } = open([], { fileSystem: failing('/store/sessions') });
    await expect(store.append({ kind: 'session', id: 'new' }, [], { create: 'new' })).rejects.toMatchObject({
      code: 'IO_FAILED',
    });
    await expect(store.remove(LOG)).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect(await store.list('session')).toEqual(['s']);
    expect(await idsOf(store)).toEqual(['first']);
    await store.close();
    const { store: rootless } = open([], { fileSystem: failing('/') });
    const create = () => rootless.append({ kind: 'session', id: 'new' }, [], { create: 'new' });
    await expect(create()).rejects.toMatchObject({ code: 'IO_FAILED' });
    await expect(create()).rejects.toMatchObject({ code: 'IO_FAILED' });
    await rootless.close();
    const forbidden: FileSystem = {
      ...fileSystem,
      syncDirectory: (folder) =>
        folder === '/' ? Promise.reject(systemError('EACCES', 'open')) : fileSystem.syncDirectory(folder),
    };
    const { store: guest } = open([], { fileSystem: forbidden });
    await guest.append({ kind: 'session', id: 'new' }, [], { create: 'new' });
    await guest.close();
  });

  it('names the sessions of all when the folder of users goes while it opens', async () => {
    const { disk, fileSystem, open } = await makeStore();
    const { store: before } = open();
    const owned = '{"schema_version":1,"record":"session","user_id":"u"}';
    await before.append({ kind: 'session', id: 'mine', userId: 'u' }, [owned], { create: 'new' });
    await before.close();
    const person = disk.startProcess();
    const taken: FileSystem = {
      ...fileSystem,
      unlink: (path) => {
        fileSystem.unlink(path);
        // The last that is done to find the root fit.
        if (path.includes('.probe-')) person.rename('/store/users', '/store/aside');
      },
    };
    const { store } = open([], { fileSystem: taken });
    expect(await store.list('session', 'u')).toEqual(['mine']);
    await store.close();
  });

  it('makes no session whose name does not stay on the disk, and says why', async () => {
    const { fileSystem, open } = await makeStore();
    let inode = 0;
    const unsteady: FileSystem = {
      ...fileSystem,
      stat: (path) => {
        const status = fileSystem.stat(path);
        return path.endsWith('/changes') && status !== undefined ? { ...status, inode: --inode } : status;
      },
    };
    const { store } = open([], { fileSystem: unsteady });
    const created = store.append({ kind: 'session', id: 'new', userId: 'u' }, [], { create: 'new' });
    await expect(created).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringMatching(/create session new.*another one, after each of \d+ tries/) as string,
    });
    expect(await store.list('session')).toEqual(['s']);
    await store.close();
  });

  it('does not call a session missing that it could not make', async () => {
    const { fileSystem, open } = await makeStore();
    const { store } = open();
    fileSystem.rename('/store/sessions', '/store/aside');
    await expect(store.append({ kind: 'session', id: 'new' }, [], { create: 'new' })).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining('ENOENT') as string,
    });
    fileSystem.rename('/store/aside', '/store/sessions');
    await store.append({ kind: 'session', id: 'new' }, [], { create: 'new' });
    await store.close();
  });

  it('refuses a root on a network, unless it is told that only one machine uses it', async () => {
    const { fileSystem, open } = await makeStore();
    const network: FileSystem = { ...fileSystem, volumeType: () => 0x6969 };
    expect(() => open([], { fileSystem: network })).toThrow(/it is on NFS/);
    const { store } = open([], { fileSystem: network, allowNetworkFileSystem: true });
    await store.close();
  });

  it('closes the logs and change files that were used longest ago', async () => {
    const { open } = await makeStore({ durability: 'group' });
    const { store } = open();
    for (let i = 0; i < 140; i++) {
      const log: LogAddress = { kind: 'session', id: `s${i}` };
      await store.append({ ...log, userId: `u${i}` }, [], { create: 'new' });
      await store.append({ ...log, userId: `u${i}` }, [bodyOf('a')]);
    }
    expect(await store.list('session', 'u0')).toEqual(['s0']);
    expect((await readLog(store, { kind: 'session', id: 's0' })).lines.length).toBe(1);
    await store.close();
  });

  it('tells errors apart', () => {
    expect(reasonOf('thrown')).toBe('thrown');
    expect(reasonOf(new TypeError('x'))).toBe('TypeError');
    expect(mayPass(new TypeError('x'))).toBe(false);
    expect(mayPass({ code: 7 })).toBe(false);
    const gone = toLonghandError(systemError('ENOENT', 'open'), LOG, 'read');
    expect(gone.code).toBe('SESSION_NOT_FOUND');
    expect(toLonghandError(new TypeError('x'), LOG, 'read')).toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining('TypeError'),
    });
  });
});

it('a store that has no kernel locks keeps other processes from writing', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-'));
  const loadLocks = () => ({ locks: createProcessLocks(), singleProcess: true });
  const refusal = {
    code: 'SINGLE_PROCESS_STORE',
    message: expect.stringContaining(`process ${process.pid} does`),
  };
  const store = new FileStore({ root, loadLocks });
  await store.append(LOG, [bodyOf('a')], { create: 'new' });
  await store.append(LOG, [bodyOf('b')]);
  const second = new FileStore({ root, loadLocks });
  await expect(second.append(LOG, [bodyOf('c')])).rejects.toMatchObject(refusal);
  await expect(second.append({ kind: 'session', id: 'new' }, [], { create: 'new' })).rejects.toMatchObject(
    refusal,
  );
  expect(await idsOf(second)).toEqual(['a', 'b']);
  await store.close();
  await second.append(LOG, [bodyOf('c')]);
  await second.close();
  rmSync(root, { recursive: true });
});

it('a claim that cannot be made leaves nothing behind', () => {
  const fileSystem = new SimulatedDisk().startProcess();
  const failing = (kind: 'write' | 'open') =>
    createFaultFileSystem(fileSystem, [{ at: 1, kind, fail: 'EIO' }]);
  for (const kind of ['write', 'open'] as const) {
    expect(() => claimForOneProcess(failing(kind), '/')).toThrow('EIO');
    expect(fileSystem.list('/')).toEqual([]);
  }
  const giveUp = claimForOneProcess(fileSystem, '/');
  giveUp();
  giveUp();
});

it('passes over a file that a person put among the folders of sessions, and no other trouble', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  const store = new FileStore({ root: join(parent, 'store') });
  await store.append(LOG, [bodyOf('a')], { create: 'new' });
  writeFileSync(join(parent, 'store/sessions/README'), 'Do not delete.');
  expect(await store.list('session')).toEqual(['s']);
  expect(await store.folder.listWithoutLog('session')).toEqual([]);
  await store.close();
  rmSync(parent, { recursive: true });
  const { open } = await makeStore();
  const { store: faulty } = open([{ at: 1, kind: 'stat', fail: 'EIO' }]);
  await expect(faulty.list('session')).rejects.toThrow('EIO');
});
