import { describe, it } from 'vitest';
import { memoryConformance, type StoreHarness, storeConformance } from '../../testing/index.ts';
import { MemoryStore } from './memory-store.ts';

const harness: StoreHarness = {
  supports: { reopening: false, indexFiles: false },
  make: () => ({ store: new MemoryStore() }),
};
storeConformance({ describe, it }, 'the memory store', harness);
memoryConformance({ describe, it }, 'the memory store', harness);
