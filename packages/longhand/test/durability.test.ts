import { join } from 'node:path';
import { describe, it } from 'vitest';
import { FileStore } from '../src/index.ts';
import { storeConformance } from '../src/testing/index.ts';
import { temporaryFolder } from './campaign.ts';

/** What holds for the store as it is opened by default holds for every level of durability. */
for (const durability of ['group', 'strict'] as const) {
  storeConformance({ describe, it }, `the file store, ${durability}`, {
    supports: { reopening: true, indexFiles: true },
    make: () => {
      const root = join(temporaryFolder(), 'store');
      const open = (): FileStore => new FileStore({ root, durability });
      return { store: open(), reopen: open, dispose: () => undefined };
    },
  });
}
