import { describe, it } from 'vitest';
import { storeConformance } from '../../testing/index.ts';
import { MemoryStore } from './memory-store.ts';

storeConformance({ describe, it }, 'the memory store', {
  supports: { reopening: false, indexFiles: false },
  make: () => ({ store: new MemoryStore() }),
});
