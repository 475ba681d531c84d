import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogStore } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { MemoryStore } from '../src/stores/memory/memory-store.ts';
import { temporaryFolder } from './campaign.ts';

/** Opens the same store again, as another process would. The memory store is there once only. */
export type StoreOpener = () => LogStore;

let runs = 0;

/** A fresh store each time the second of a pair is called. */
export const STORES: readonly (readonly [string, () => StoreOpener])[] = [
  [
    'memory',
    () => {
      const store = new MemoryStore();
      return () => store;
    },
  ],
  [
    'file',
    () => {
      const root = join(temporaryFolder(false), String(++runs));
      return () => {
        const store = new FileStore({ root });
        onTestFinished(() => store.close());
        return store;
      };
    },
  ],
];
