import { MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Prunes a store whose messages are a day old by its clock. With `stopAfter`, it stops for good within the run. */
export interface PruneTask {
  readonly root: string;
  readonly stopAfter?: number;
}

const { root, stopAfter = Number.POSITIVE_INFINITY } = readTask<PruneTask>();
const clock = { now: () => Date.now() + 86_400_000, monotonic: () => performance.now() };
const manager = new MemoryManager({
  storageRoot: root,
  clock,
  config: { transcript: { retain_days: 0.5 }, retention: { interval_minutes: 0 } },
});
const { is_claimed, messages } = await manager.prune({
  onProgress: (done) => {
    if (done < stopAfter) return;
    report('halted', done);
    // Until it is killed, in the middle of the run and with the claim.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
report('pruned', String(is_claimed), messages);
await manager.close();
