import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
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

/** A store that notes what it is asked for: the ids of the logs of each call of `read`. */
export function notingReads(target: LogStore): { readonly store: LogStore; readonly reads: string[][] } {
  const reads: string[][] = [];
  const read: LogStore['read'] = (wanted) => {
    reads.push(wanted.map(({ log }) => `${log.kind} ${log.id}`));
    return target.read(wanted);
  };
  const get = (store: LogStore, name: string | symbol): unknown => {
    const member: unknown = name === 'read' ? read : Reflect.get(store, name, store);
    return typeof member === 'function' ? member.bind(store) : member;
  };
  return { store: new Proxy(target, { get }), reads };
}
