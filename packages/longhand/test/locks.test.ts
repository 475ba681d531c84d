import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EventFacts } from '../src/core/events.ts';
import { readLog } from '../src/core/read-log.ts';
import type { LogAddress } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { createNodeFileSystem } from '../src/stores/file/file-system.ts';
import { loadNativeLocks } from '../src/stores/file/kernel-locks.ts';
import { findHoldersIn } from '../src/stores/file/lock-holders.ts';
import { type Running, startProcess, temporaryFolder } from './campaign.ts';
import type { LockHolderTask } from './processes/lock-holder.ts';

/** Locks between real processes: a dead holder is gone at once, a living one is never robbed. */

const LOG: LogAddress = { kind: 'session', id: 's' };
const QUICK = { lockTimeoutMs: 150, maxRetries: 1, retryBackoffMs: 10 };
const PATIENT = { lockTimeoutMs: 600_000, maxRetries: 0, retryBackoffMs: 1 };

async function makeStore(): Promise<string> {
  const root = join(temporaryFolder(), 'store');
  const store = new FileStore({ root });
  await store.append(LOG, ['{"schema_version":1,"id":"mem_first"}'], { create: 'new' });
  await store.close();
  return root;
}

/** A process that has the lock until it is told to go on. */
async function startHolder(root: string, operation: 'rewrite' | 'append' = 'rewrite'): Promise<Running> {
  const task: LockHolderTask = { root, log: LOG, operation };
  let isHolding = (): void => undefined;
  const holding = new Promise<void>((resolve) => {
    isHolding = resolve;
  });
  const running = startProcess('lock-holder.ts', task, () => isHolding());
  await Promise.race([holding, running.failure]);
  return running;
}

/** Through another opening than the one that gave up, on a busy machine too. */
async function appendPatiently(root: string, id: string): Promise<void> {
  const store = new FileStore({ root, lockTimes: PATIENT });
  await store.append(LOG, [`{"schema_version":1,"id":"${id}"}`]);
  await store.close();
}

async function readIds(store: FileStore): Promise<string[]> {
  return (await readLog(store, LOG)).lines.map((line) => (JSON.parse(line.text) as { id: string }).id);
}

test('a long hold shows who holds the lock, for what and since when', async () => {
  const root = await makeStore();
  const { child, ended } = await startHolder(root);
  const path = join(root, 'sessions/s/lock');
  const view = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  expect(view).toMatchObject({ pid: child.pid, operation: 'rewrite', host: expect.any(String) });
  const times = [view.timestamp, view.expires_at].map((time) => Date.parse(String(time)));
  expect(times[1]! - times[0]!).toBe(5_000);
  expect(view).toMatchObject({ boot_id: expect.any(String), start_ticks: expect.any(Number) });
  expect(statSync(path).mode & 0o777).toBe(0o644);
  child.kill('SIGKILL');
  await ended;
});

test('a killed holder releases at once, and the next holder clears up after it', async () => {
  const root = await makeStore();
  const { child, ended } = await startHolder(root);
  const events: EventFacts[] = [];
  const store = new FileStore({ root, lockTimes: PATIENT, emit: (event) => events.push(event) });
  const appended = store.append(LOG, ['{"schema_version":1,"id":"mem_next"}']);
  // Readers take no lock.
  expect(await readIds(store)).toEqual(['mem_first']);
  child.kill('SIGKILL');
  await ended;
  await appended;
  expect(await readIds(store)).toEqual(['mem_first', 'mem_next']);
  expect(events).toContainEqual({ kind: 'lock-taken-over', log: 'session s', from_pid: child.pid });
  expect(events.map(({ kind }) => kind)).toContain('lock-waited');
  expect(existsSync(join(root, 'sessions/s/lock'))).toBe(false);
  await store.close();
});

test('a stopped holder keeps its lock, and the waiter is told its name', async () => {
  const root = await makeStore();
  const { child, ended, say } = await startHolder(root);
  child.kill('SIGSTOP');
  const store = new FileStore({ root, lockTimes: QUICK });
  const waiting = store.append(LOG, ['{"schema_version":1,"id":"mem_refused"}']);
  await expect(waiting).rejects.toMatchObject({
    name: 'ConcurrencyError',
    code: 'LOCK_TIMEOUT',
    message: expect.stringContaining(`process ${child.pid} `),
  });
  await expect(
    store.rewrite(LOG, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] })),
  ).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  child.kill('SIGCONT');
  say('go on');
  await ended;
  await appendPatiently(root, 'mem_later');
  expect(await readIds(store)).toEqual(['mem_first', 'mem_holder', 'mem_later']);
  await store.close();
});

test('a process that is stopped inside an append is named exactly, and left no name anywhere', async () => {
  const root = await makeStore();
  const store = new FileStore({ root, lockTimes: QUICK });
  await store.append(LOG, ['{"schema_version":1,"id":"mem_a"}']);
  const { child, ended, say } = await startHolder(root, 'append');
  child.kill('SIGSTOP');
  await expect(store.append(LOG, ['{"schema_version":1,"id":"mem_refused"}'])).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    message: expect.stringContaining(`: process ${child.pid} on ${hostname()} holds it. Try again`),
    details: { holder: `process ${child.pid} on ${hostname()} holds it` },
  });
  expect(readdirSync(join(root, 'sessions/s'))).not.toContain('lock');
  child.kill('SIGCONT');
  say('go on');
  await ended;
  await appendPatiently(root, 'mem_b');
  expect(await readIds(store)).toEqual(['mem_first', 'mem_a', 'mem_holder', 'mem_b']);
  expect(statSync(join(root, 'sessions/s/.lock.k')).size).toBe(0);
  await store.close();
});

test('a holder in a container of its own cannot be seen, and the message says so', async () => {
  const root = await makeStore();
  const store = new FileStore({
    root,
    lockTimes: QUICK,
    fileSystem: {
      ...createNodeFileSystem(loadNativeLocks()),
      holdersOf: findHoldersIn('/nowhere').holdersOf,
    },
  });
  const { child, ended } = await startHolder(root, 'append');
  await expect(store.append(LOG, ['{"schema_version":1,"id":"mem_refused"}'])).rejects.toThrow(
    'its holder cannot be seen from here',
  );
  child.kill('SIGKILL');
  await ended;
  await store.close();
});
