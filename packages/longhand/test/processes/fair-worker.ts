import { MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Adds one memory after the other until it is told to stop. Says when it has made its adds, and how many it made in all. */
export interface FairTask {
  readonly root: string;
  readonly session: string;
  readonly adds: number;
}

const { root, session, adds: wanted } = readTask<FairTask>();
const manager = new MemoryManager({ storageRoot: root });
await manager.loadSession(session);

let isStopped = false;
process.stdin.on('data', () => {
  isStopped = true;
});
let adds = 0;
while (!isStopped) {
  await manager.addMemory(session, { type: 'conversation', content: { message: `number ${adds}` } });
  if (++adds === wanted) report('through');
  // The order to stop must be heard.
  if (adds % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await manager.close();
report('total', adds);
process.exit(0);
