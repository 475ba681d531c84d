import { LonghandError, MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Adds on and on, whatever becomes of the session, and says when each acknowledged add had begun. */
export interface StubbornTask {
  readonly root: string;
  readonly session: string;
  readonly name: string;
}

const { root, session, name } = readTask<StubbornTask>();
const manager = new MemoryManager({ storageRoot: root });
let isStopped = false;
process.stdin.on('data', () => {
  isStopped = true;
});
for (let i = 0; !isStopped; i++) {
  const label = `${name}_${i}`;
  const startedAt = process.hrtime.bigint();
  try {
    await manager.addMemory(session, { type: 'finding', content: { label } });
    report('added', label, startedAt);
  } catch (error) {
    if (!LonghandError.isInstance(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
    report('gone', label);
  }
  if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await manager.close();
process.exit(0);
