import { join } from 'node:path';
import { describe, it } from 'vitest';
import { FileStore } from '../src/index.ts';
import { memoryConformance } from '../src/testing/index.ts';
import { temporaryFolder } from './campaign.ts';

/** What all layers do on the store in memory, which the fast tests try, they do on files. */
memoryConformance({ describe, it }, 'the file store', {
  supports: { reopening: true, indexFiles: true },
  make: () => {
    const root = join(temporaryFolder(), 'store');
    const open = (): FileStore => new FileStore({ root });
    return { store: open(), reopen: open, dispose: () => undefined };
  },
});
