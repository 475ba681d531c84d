import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WantedLog } from '../src/core/store.ts';
import { FileStore, type LogStore, MemoryStore } from '../src/index.ts';
import { lasting } from '../src/testing/lasting-store.ts';

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Where a file store can be made, from within a test. */
export function newRoot(): string {
  return join(temporaryFolder(), 'store');
}

export function openFiles(root = newRoot()): FileStore {
  const store = new FileStore({ root });
  onTestFinished(() => store.close());
  return store;
}

/** Opens the same store again, as another process would. The memory store is there once only, and outlives closing. */
export type StoreOpener = () => LogStore;

/** Every store that exists, by name, for tests of what lies above them: each call of the second is a fresh one. */
export const STORES: readonly (readonly [string, () => StoreOpener])[] = [
  [
    'memory',
    () => {
      const store = lasting(new MemoryStore());
      return () => store;
    },
  ],
  [
    'file',
    () => {
      const root = newRoot();
      return () => openFiles(root);
    },
  ],
];

/** A store that notes what it is asked for: the logs of each call of `read`, and which page each call of `list` wants. */
export function notingCalls(target: LogStore) {
  const reads: string[][] = [];
  const lists: unknown[] = [];
  const noted = {
    read: (wanted: readonly WantedLog[]) => {
      reads.push(wanted.map(({ log }) => `${log.kind} ${log.id}`));
      return target.read(wanted);
    },
    list: (...asked: Parameters<LogStore['list']>) => {
      lists.push((asked as readonly unknown[])[2]);
      return target.list(...asked);
    },
  };
  const get = (store: LogStore, name: string | symbol): unknown => {
    const member: unknown = Reflect.get(name in noted ? noted : store, name);
    return typeof member === 'function' ? member.bind(store) : member;
  };
  return { store: new Proxy(target, { get }), reads, lists };
}
