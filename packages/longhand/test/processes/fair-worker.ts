import { MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Adds one memory after the other until it is told to stop; says how many, and its longest wait in ms. */
export interface FairTask {
  readonly root: string;
  readonly session: string;
}

const { root, session } = readTask<FairTask>();
const manager = new MemoryManager({ storageRoot: root });
await manager.loadSession(session);
report('ready');

let isStopped = false;
const begin = new Promise<void>((resolve) => {
  process.stdin.on('data', (chunk) => {
    if (chunk.toString().includes('stop')) isStopped = true;
    else resolve();
  });
});
await begin;
let adds = 0;
let longestMs = 0;
for (; !isStopped; adds++) {
  const startedAt = performance.now();
  await manager.addMemory(session, { type: 'conversation', content: { message: `number ${adds}` } });
  longestMs = Math.max(longestMs, performance.now() - startedAt);
  // Whoever is told to stop must hear it.
  if (adds % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await manager.close();
report('total', adds, longestMs);
process.exit(0);
