import { readSync } from 'node:fs';
import type { LogAddress } from '../../src/core/store.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { readTask, report } from './report.ts';

/** Holds the lock of a log in the middle of a rewrite or of an append until it is told to go on, and then finishes it. */
export interface LockHolderTask {
  readonly root: string;
  readonly log: LogAddress;
  /** Default `rewrite`. */
  readonly operation?: 'rewrite' | 'append';
}

const RECORD = '{"schema_version":1,"id":"mem_holder"}';
const { root, log, operation = 'rewrite' } = readTask<LockHolderTask>();
const store = new FileStore({ root });
const hold = (): void => {
  report('holding');
  // It blocks, as a rewrite does that takes its time.
  readSync(0, Buffer.alloc(1));
};
if (operation === 'rewrite') {
  await store.rewrite(log, ({ lines }) => {
    hold();
    return { keep: lines.map((line) => ({ line })), append: [RECORD] };
  });
} else {
  await store.append(log, () => {
    hold();
    return [RECORD];
  });
}
await store.close();
report('done');
