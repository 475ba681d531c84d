import { afterEach, expect, test, vi } from 'vitest';
import { MemoryManager } from '../memory-manager.ts';
import { MemoryStore } from '../stores/memory/memory-store.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['20.20.2', '22.12.9', '18.0.0'])('a manager under Node %s is refused', (node) => {
  vi.stubGlobal('process', { ...process, version: `v${node}`, versions: { ...process.versions, node } });
  expect(() => new MemoryManager({ store: new MemoryStore() })).toThrow(
    expect.objectContaining({
      code: 'NODE_TOO_OLD',
      message: `Longhand needs Node 22.13 or newer, this is v${node}.`,
    }),
  );
});

test.each(['22.13.0', '23.0.0', '24.1.0'])('Node %s will do', async (node) => {
  vi.stubGlobal('process', { ...process, versions: { ...process.versions, node } });
  await new MemoryManager({ store: new MemoryStore() }).close();
});
