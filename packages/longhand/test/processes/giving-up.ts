import type { LogAddress } from '../../src/core/store.ts';
import { FileStore, LonghandError } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Tries once to write to a log that another process holds, gives up, closes the store, and ends by itself. */
export interface GivingUpTask {
  readonly root: string;
  readonly log: LogAddress;
}

const { root, log } = readTask<GivingUpTask>();
const store = new FileStore({ root, lockTimes: { lockTimeoutMs: 50, maxRetries: 0, retryBackoffMs: 1 } });
try {
  await store.append(log, ['{"schema_version":1,"id":"mem_refused"}']);
} catch (error) {
  if (!LonghandError.isInstance(error)) throw error;
  report(error.code);
}
await store.close();
