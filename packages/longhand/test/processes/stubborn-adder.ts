import { LonghandError, MemoryManager } from '../../src/index.ts';
import { PATIENT_LOCKS } from './patient-locks.ts';
import { readTask, report } from './report.ts';

/**
 * Adds on and on, whatever becomes of the session, and says when each acknowledged add had begun. Told to `rest`, it
 * keeps what it knows of the session until it is told to `go`.
 */
export interface StubbornTask {
  readonly root: string;
  readonly session: string;
  readonly name: string;
  /** Whom it adds for; as the owner of the store when left out. */
  readonly user?: string;
}

const { root, session, name, user } = readTask<StubbornTask>();
const manager = new MemoryManager({ storageRoot: root, config: { concurrency: PATIENT_LOCKS } });
const memory = user === undefined ? manager : manager.as({ account_id: 'local', user_id: user });
let isStopped = false;
let resting = Promise.resolve();
let goOn = (): void => undefined;
process.stdin.on('data', (said) => {
  isStopped ||= said.includes('stop');
  if (said.includes('rest')) {
    resting = new Promise<void>((resolve) => {
      goOn = resolve;
    }).then(() => report('going'));
    report('resting');
  }
  if (said.includes('go')) goOn();
});
for (let i = 0; !isStopped; i++) {
  const label = `${name}_${i}`;
  const startedAt = process.hrtime.bigint();
  try {
    // With an id of its own, it is decided from what the session holds.
    const id = i % 3 === 0 ? { id: `mem_${label}` } : {};
    await memory.addMemory(session, { type: 'finding', content: { label }, ...id });
    report('added', label, startedAt);
  } catch (error) {
    if (!LonghandError.isInstance(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
    report('gone', label);
    // Half of the time it is another user's.
    if (user !== undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await resting;
  if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
}
await manager.close();
process.exit(0);
