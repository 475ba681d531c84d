import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore, type LogStore, MemoryStore } from '../src/index.ts';

export interface OpenedStore {
  readonly store: LogStore;
  dispose(): void;
}

/** Every store that exists, by name, for tests of what lies above them. */
export const openStores: readonly (readonly [string, () => OpenedStore])[] = [
  ['memory', () => ({ store: new MemoryStore(), dispose: () => undefined })],
  [
    'file',
    () => {
      const root = mkdtempSync(join(tmpdir(), 'longhand-'));
      return {
        store: new FileStore({ root }),
        dispose: () => rmSync(root, { recursive: true, force: true }),
      };
    },
  ],
];
