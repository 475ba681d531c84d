import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import type { Durability } from '../../core/store.ts';
import {
  memoryConformance,
  type StoreFixture,
  type StoreHarness,
  storeConformance,
} from '../../testing/index.ts';
import { FileStore } from './file-store.ts';

function makeFixture(durability: Durability): StoreFixture {
  const root = mkdtempSync(join(tmpdir(), 'longhand-'));
  return {
    store: new FileStore({ root, durability }),
    reopen: () => new FileStore({ root, durability }),
    dispose: () => rmSync(root, { recursive: true }),
  };
}

const harnessOf = (durability: Durability): StoreHarness => ({
  supports: { reopening: true, indexFiles: true },
  make: () => makeFixture(durability),
});

for (const durability of ['buffered', 'group', 'strict'] as const) {
  storeConformance({ describe, it }, `the file store, ${durability}`, harnessOf(durability));
}
memoryConformance({ describe, it }, 'the file store', harnessOf('buffered'));
