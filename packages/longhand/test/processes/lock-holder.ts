import type { LogAddress } from '../../src/core/store.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { readTask, report } from './report.ts';

/** Holds the lock of a log for a while, in the middle of a rewrite, and then finishes it. */
export interface LockHolderTask {
  readonly root: string;
  readonly log: LogAddress;
  readonly holdMs: number;
}

const { root, log, holdMs } = readTask<LockHolderTask>();
const store = new FileStore({ root });
await store.rewrite(log, ({ lines }) => {
  report('holding');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMs);
  return { keep: lines.map((line) => ({ line })), append: ['{"schema_version":1,"id":"mem_holder"}'] };
});
await store.close();
report('done');
