import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import type { EventFacts } from '../../core/events.ts';
import { createFaultFileSystem, type Fault, systemError } from '../../testing/index.ts';
import { createNodeFileSystem, type FileSystem, O_RDWR } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { FileLock, LOCK_BYTE } from './lock.ts';
import { UNKNOWN_HOLDERS } from './lock-holders.ts';
import { ownIdentity } from './process-identity.ts';

const real = createNodeFileSystem(loadKernelLocks().locks);
/** A system whose kernel does not tell who holds a lock. */
const untold: FileSystem = { ...real, ...UNKNOWN_HOLDERS };
const TIMES = { lockTimeoutMs: 40, maxRetries: 0, retryBackoffMs: 1 };
let folder: string;
let events: EventFacts[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function makeLock(options: { fileSystem?: FileSystem; times?: typeof TIMES; name?: string } = {}): FileLock {
  const path = join(folder, options.name ?? 'log');
  mkdirSync(path, { recursive: true });
  return new FileLock(path, {
    fileSystem: options.fileSystem ?? real,
    clock: systemClock,
    emit: (event) => events.push(event),
    times: options.times ?? TIMES,
    logName: 'session s',
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('two openings exclude each other, also in one process', () => {
  const [one, two] = [makeLock(), makeLock()];
  expect(one.tryAcquire()).toBe(true);
  expect(two.tryAcquire()).toBe(false);
  one.release();
  expect(two.tryAcquire()).toBe(true);
  two.release();
  for (const lock of [one, two]) lock.close();
  one.close();
});

test('a waiter is served before those who come later', async () => {
  const [holder, waiter, late] = [
    makeLock(),
    makeLock({ times: { ...TIMES, lockTimeoutMs: 60_000 } }),
    makeLock(),
  ];
  await holder.acquire();
  const waited = waiter.acquire();
  expect(late.tryAcquire()).toBe(false);
  holder.release();
  // The waiter stands in the turnstile: no other overtakes it, not even before its thread wakes up.
  expect(late.tryAcquire()).toBe(false);
  expect(holder.tryAcquire()).toBe(false);
  await waited;
  expect(late.tryAcquire()).toBe(false);
  waiter.release();
  for (const lock of [holder, waiter, late]) lock.close();
});

test('a process that was in line a moment ago may overtake those who wait, but not for long', () => {
  const [writer, waiter] = [makeLock(), makeLock()];
  const turnstile = real.open(join(folder, 'log/.lock.k'), O_RDWR);
  expect(writer.tryAcquire(1_000)).toBe(true);
  writer.release();
  expect(real.tryLock(turnstile, 1)).toBe(true);
  expect(writer.tryAcquire(1_000.05)).toBe(true);
  expect(waiter.tryAcquire(1_000.05)).toBe(false);
  writer.release();
  // Overtaking is not standing in line: it makes no further overtaking possible.
  expect(writer.tryAcquire(1_000.12)).toBe(false);
  // And never for a hold of whatever length.
  expect(writer.tryAcquire()).toBe(false);
  expect(waiter.tryAcquire(1_000.2)).toBe(false);
  real.close(turnstile);
  expect(waiter.tryAcquire(1_000.2)).toBe(true);
  expect(writer.tryAcquire(1_000.05)).toBe(false);
  waiter.release();
  for (const lock of [writer, waiter]) lock.close();
});

test('a wait that all callers gave up is given back when it is granted', async () => {
  const [holder, waiter, other] = [makeLock(), makeLock(), makeLock()];
  holder.tryAcquire();
  await expect(waiter.acquire()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  expect(waiter.tryAcquire()).toBe(false);
  holder.release();
  await until(() => other.tryAcquire());
  other.release();
  await until(() => waiter.tryAcquire());
  waiter.release();
  for (const lock of [holder, waiter, other]) lock.close();
});

test('the next caller takes over a wait that is still outstanding', async () => {
  const times = { ...TIMES };
  const [holder, waiter] = [makeLock(), makeLock({ times })];
  holder.tryAcquire();
  await expect(waiter.acquire()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  times.lockTimeoutMs = 60_000;
  const second = waiter.acquire();
  setTimeout(() => holder.release(), 10);
  await second;
  expect(holder.tryAcquire()).toBe(false);
  waiter.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('a lock that is closed while waits are outstanding releases the anchor with the last of them', async () => {
  const grants = new Map<number, () => void>();
  const calls: string[] = [];
  let isTurnstileFree = true;
  let isLockFree = true;
  const fileSystem: FileSystem = {
    ...real,
    tryLock: (_, byte) => (byte === LOCK_BYTE ? isLockFree : isTurnstileFree),
    waitForLock: (_, byte) => new Promise((resolve) => grants.set(byte, resolve)),
    unlock: (_, byte) => void calls.push(`unlock ${byte}`),
    close: (fd) => {
      calls.push('close');
      real.close(fd);
    },
  };
  const lock = makeLock({ fileSystem, times: { ...TIMES, lockTimeoutMs: 1 } });
  isLockFree = false;
  await expect(lock.acquire()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  isTurnstileFree = false;
  await expect(lock.acquire()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  calls.length = 0;
  lock.close();
  grants.get(0)!();
  await until(() => calls.length > 0);
  expect(calls).toEqual(['unlock 0']);
  grants.get(1)!();
  await until(() => calls.length > 1);
  expect(calls).toEqual(['unlock 0', 'unlock 1', 'close']);
});

test('at most two waits block a thread, the others poll', async () => {
  let blocked = 0;
  let most = 0;
  const fileSystem: FileSystem = {
    ...real,
    waitForLock: async (fd, byte) => {
      most = Math.max(most, ++blocked);
      await real.waitForLock(fd, byte);
      blocked--;
    },
  };
  const names = ['a', 'b', 'c', 'd'];
  const holders = names.map((name) => makeLock({ name }));
  const times = { ...TIMES, lockTimeoutMs: 60_000 };
  const waiters = names.map((name) => makeLock({ name, fileSystem, times }));
  for (const holder of holders) holder.tryAcquire();
  const waits = waiters.map((waiter) => waiter.acquire());
  await until(() => blocked === 2);
  const impatient = makeLock({ name: 'd', fileSystem });
  await expect(impatient.acquire()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  for (const holder of holders) holder.release();
  await Promise.all(waits);
  expect(most).toBe(2);
  for (const lock of [...holders, ...waiters, impatient]) lock.close();
});

test('a wait that the system refuses is an error, and the lock can be closed', async () => {
  const fileSystem: FileSystem = {
    ...real,
    waitForLock: () => Promise.reject(systemError('ENOLCK', 'fcntl')),
  };
  const [holder, waiter] = [makeLock(), makeLock({ fileSystem })];
  holder.tryAcquire();
  await expect(waiter.acquire()).rejects.toMatchObject({ code: 'ENOLCK' });
  waiter.close();
  holder.release();
  expect(holder.tryAcquire()).toBe(true);
  holder.close();
});

test('several tries wait for their pauses, and the error names the holder', async () => {
  const [holder, waiter] = [
    makeLock(),
    makeLock({ times: { lockTimeoutMs: 5, maxRetries: 2, retryBackoffMs: 1 } }),
  ];
  const here = `process ${process.pid} on ${hostname()}`;
  holder.tryAcquire();
  holder.noteHolder('append');
  await expect(waiter.acquire()).rejects.toThrow(
    `3 tries of 5 ms: ${here} holds it. Try again, or stop that process.`,
  );
  expect(readFileSync(join(folder, 'log/.lock.k'))).toHaveLength(0);
  holder.showView('rewrite');
  await expect(waiter.acquire()).rejects.toThrow(
    /^Lock timeout: could not lock .* holds it for rewrite since 2/,
  );
  expect(events.filter(({ kind }) => kind === 'lock-timeout')).toHaveLength(2);
  holder.hideView();
  holder.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('a holder leaves its name where the kernel does not tell it', async () => {
  const times = { ...TIMES, lockTimeoutMs: 1 };
  const [holder, waiter] = [makeLock({ fileSystem: untold }), makeLock({ fileSystem: untold, times })];
  const here = `process ${process.pid} on ${hostname()}`;
  holder.tryAcquire();
  await expect(waiter.acquire()).rejects.toThrow('its holder cannot be seen from here');
  holder.noteHolder('append');
  await expect(waiter.acquire()).rejects.toThrow(`${here} held it last, for append`);
  holder.showView('rewrite');
  await expect(waiter.acquire()).rejects.toThrow(`${here} holds it for rewrite`);
  holder.hideView();
  holder.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('a process that was stopped as the first in line is named when no process holds the lock', async () => {
  let searches = 0;
  const holdersOf: FileSystem['holdersOf'] = (places) => {
    searches++;
    return real.holdersOf(places);
  };
  const waiter = makeLock({ fileSystem: { ...real, holdersOf } });
  const stopped = real.open(join(folder, 'log/.lock.k'), O_RDWR);
  expect(real.tryLock(stopped, 1)).toBe(true);
  await expect(waiter.acquire()).rejects.toThrow(
    `process ${process.pid} on ${hostname()} is first in line, and no holder can be seen from here. Try again.`,
  );
  expect(searches).toBe(1);
  real.close(stopped);
  waiter.close();
});

test('a view of another process than the holder does not speak for it', async () => {
  const [holder, waiter] = [makeLock(), makeLock({ times: { ...TIMES, lockTimeoutMs: 1 } })];
  holder.tryAcquire();
  const view = { pid: 7, host: 'another machine', operation: 'rewrite', timestamp: '' };
  for (const other of [view, { ...view, pid: process.pid }, { ...view, host: hostname() }]) {
    writeFileSync(join(folder, 'log/lock'), JSON.stringify(other));
    await expect(waiter.acquire()).rejects.toThrow(`process ${process.pid} on ${hostname()} holds it.`);
  }
  holder.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('a view of a dead process, or of nothing, names no holder', async () => {
  const times = { ...TIMES, lockTimeoutMs: 1 };
  const [holder, waiter] = [makeLock({ fileSystem: untold }), makeLock({ fileSystem: untold, times })];
  holder.tryAcquire();
  holder.noteHolder('remove');
  const { host, bootId } = ownIdentity();
  const dead = {
    pid: process.pid,
    host,
    boot_id: bootId,
    start_ticks: 1,
    operation: 'rewrite',
    timestamp: '',
  };
  for (const text of [JSON.stringify(dead), '{"pid":', '7', 'null', '{}']) {
    writeFileSync(join(folder, 'log/lock'), text);
    await expect(waiter.acquire()).rejects.toThrow(/held it last, for remove/);
  }
  expect(holder.findAbandonedView()).toEqual({ pid: undefined });
  writeFileSync(join(folder, 'log/lock'), JSON.stringify(dead));
  expect(holder.findAbandonedView()).toEqual({ pid: process.pid });
  holder.hideView();
  holder.hideView();
  expect(holder.findAbandonedView()).toBeUndefined();
  holder.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('a name that a dead process left in the anchor blames no process', async () => {
  // As after a change of the system or of the version: this one leaves no name, and sees no holder in the table.
  const fileSystem: FileSystem = { ...real, holdersOf: UNKNOWN_HOLDERS.holdersOf };
  const [holder, waiter] = [makeLock(), makeLock({ fileSystem, times: { ...TIMES, lockTimeoutMs: 1 } })];
  const { pid, host, bootId, startTicks } = ownIdentity();
  const living = { pid, start_ticks: startTicks, boot_id: bootId, host, operation: 'append' };
  const dead = [
    { ...living, start_ticks: startTicks + 1 },
    { ...living, boot_id: 'an earlier start' },
    { ...living, boot_id: '', start_ticks: 0 },
    { ...living, pid: undefined },
    { pid },
  ];
  holder.tryAcquire();
  for (const note of dead) {
    writeFileSync(join(folder, 'log/.lock.k'), `  ${JSON.stringify(note).padEnd(255)}\n`);
    await expect(waiter.acquire()).rejects.toThrow(/its holder cannot be seen from here .*\. Try again\.$/);
  }
  // One that lives held it last, which is no reason to stop it.
  writeFileSync(join(folder, 'log/.lock.k'), `  ${JSON.stringify(living).padEnd(255)}\n`);
  await expect(waiter.acquire()).rejects.toThrow(/held it last, for append\. Try again\.$/);
  holder.release();
  for (const lock of [holder, waiter]) lock.close();
});

test('what people see is never worth a failure', () => {
  const faults: Fault[] = [{ at: 1, kind: 'write', fail: 'EIO', isPersistent: true }];
  const lock = makeLock({ fileSystem: createFaultFileSystem(untold, faults) });
  expect(lock.tryAcquire()).toBe(true);
  lock.noteHolder('append');
  lock.showView('rewrite');
  expect(events.flatMap((event) => (event.kind === 'io-failed' ? event.operation : []))).toEqual([
    'note the lock holder',
    'show the lock',
  ]);
  lock.close();
});

test('a failure of the system while taking the lock leaves the turnstile free', async () => {
  const other = makeLock();
  const fileSystem: FileSystem = {
    ...real,
    tryLock: (fd, byte) => {
      if (byte === LOCK_BYTE) throw systemError('ENOLCK', 'fcntl');
      return real.tryLock(fd, byte);
    },
  };
  const lock = makeLock({ fileSystem });
  await expect(lock.acquire()).rejects.toThrow('ENOLCK');
  expect(other.tryAcquire()).toBe(true);
  for (const each of [lock, other]) each.close();
});

test('a lock that the system does not release goes with its anchor, and can be taken again', () => {
  const faulty = createFaultFileSystem(real);
  const [lock, other] = [makeLock({ fileSystem: faulty }), makeLock()];
  expect(lock.tryAcquire()).toBe(true);
  faulty.strike([{ at: 1, kind: 'unlock', fail: 'ENOLCK' }]);
  lock.release();
  expect(events).toContainEqual(expect.objectContaining({ kind: 'io-failed', operation: 'unlock' }));
  expect(other.tryAcquire()).toBe(true);
  expect(lock.tryAcquire()).toBe(false);
  other.release();
  expect(lock.tryAcquire()).toBe(true);
  faulty.strike([{ at: 1, kind: 'unlock', fail: 'ENOLCK' }]);
  lock.release();
  for (const each of [lock, other]) each.close();
});

test('a lock that can neither be released nor closed is reported, and keeps no caller from its answer', () => {
  const fileSystem: FileSystem = {
    ...real,
    unlock: (fd, byte) => {
      real.unlock(fd, byte);
      if (byte === LOCK_BYTE) throw systemError('EIO', 'fcntl');
    },
    close: (fd) => {
      real.close(fd);
      throw systemError('EIO', 'close');
    },
  };
  const lock = makeLock({ fileSystem });
  expect(lock.tryAcquire()).toBe(true);
  lock.release();
  expect(events.filter((event) => event.kind === 'io-failed')).toHaveLength(2);
});

test('an anchor that a copy of the folder lacks is made', () => {
  const lock = makeLock();
  expect(readFileSync(join(folder, 'log/.lock.k'))).toHaveLength(0);
  lock.close();
});

test('a bug is not taken for a view that is not there', () => {
  const lock = makeLock();
  const fileSystem: FileSystem = {
    ...real,
    open: (path, flags, mode) => {
      if (path.endsWith('/lock')) throw new TypeError('a bug');
      return real.open(path, flags, mode);
    },
  };
  const broken = makeLock({ fileSystem });
  writeFileSync(join(folder, 'log/lock'), '{}');
  expect(() => broken.findAbandonedView()).toThrow('a bug');
  for (const each of [lock, broken]) each.close();
});

test('a turnstile that another one stands in is not passed, where bytes are locked one by one', () => {
  const bytewise: FileSystem = { ...real, lockUnit: () => 'byte' };
  const [one, two] = [makeLock({ fileSystem: bytewise }), makeLock({ fileSystem: bytewise })];
  const turnstile = real.open(join(folder, 'log/.lock.k'), O_RDWR);
  expect(real.tryLock(turnstile, 1)).toBe(true);
  expect(one.tryAcquire()).toBe(false);
  real.close(turnstile);
  expect(one.tryAcquire()).toBe(true);
  expect(two.tryAcquire()).toBe(false);
  for (const lock of [one, two]) lock.close();
});
