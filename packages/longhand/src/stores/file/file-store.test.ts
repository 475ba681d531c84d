import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type StoreHarness, storeConformance } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';

/**
 * As it is opened by default; `test/durability.test.ts` has the other levels, and `test/memory-on-files.test.ts` what all
 * layers do on it.
 */
const HARNESS: StoreHarness = {
  supports: { reopening: true, indexFiles: true },
  make: () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    return {
      store: new FileStore({ root }),
      reopen: () => new FileStore({ root }),
      dispose: () => rmSync(root, { recursive: true }),
    };
  },
};

storeConformance({ describe, it }, 'the file store', HARNESS);
