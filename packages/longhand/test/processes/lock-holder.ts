import type { LogAddress } from '../../src/core/store.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { readTask, report } from './report.ts';

/** Holds the lock of a log for a while, in the middle of a rewrite or of an append, and then finishes it. */
export interface LockHolderTask {
  readonly root: string;
  readonly log: LogAddress;
  readonly holdMs: number;
  /** Default `rewrite`. */
  readonly operation?: 'rewrite' | 'append';
}

const RECORD = '{"schema_version":1,"id":"mem_holder"}';
const { root, log, holdMs, operation = 'rewrite' } = readTask<LockHolderTask>();
const store = new FileStore({ root });
const hold = (): void => {
  report('holding');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMs);
};
if (operation === 'rewrite') {
  await store.rewrite(log, ({ lines }) => {
    hold();
    return { keep: lines.map((line) => ({ line })), append: [RECORD] };
  });
} else {
  await store.transact(log, undefined, () => {
    hold();
    return [RECORD];
  });
}
await store.close();
report('done');
