import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LonghandError } from '../../src/core/errors.ts';
import { readLog } from '../../src/core/read-log.ts';
import type { LogAddress } from '../../src/core/store.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { readTask, report } from './report.ts';

/**
 * Writes until the disk is full, looks at what is there, makes room, and goes on. Says what it found as one
 * line of JSON.
 */
export interface FillDiskTask {
  /** A folder on the disk that is to be filled. */
  readonly folder: string;
}

export interface FillDiskReport {
  readonly acknowledged: number;
  readonly code: string;
  readonly found: number;
  readonly damaged: number;
  readonly foundAfterwards: number;
}

const BALLAST_BYTES = 200_000;
const LOG: LogAddress = { kind: 'session', id: 'full' };

// A process that exceeds its file size limit is killed by default; a store turns that into an error.
process.on('SIGXFSZ', () => undefined);

const { folder } = readTask<FillDiskTask>();
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
const store = new FileStore({
  root: join(folder, 'store'),
  lockTimes: { lockTimeoutMs: 1_000, maxRetries: 1, retryBackoffMs: 5 },
});
const body = (i: number): string =>
  JSON.stringify({ schema_version: 1, id: `mem_${i}`, content: 'x'.repeat(9_000 + (i % 7) * 1_000) });

await store.append(LOG, [body(0)], { create: 'new' });
let acknowledged = 1;
let code = '';
while (code === '' && acknowledged < 10_000) {
  try {
    await store.append(LOG, [body(acknowledged)]);
    acknowledged++;
  } catch (error) {
    code = LonghandError.isInstance(error) ? error.code : String(error);
  }
}
const { lines, damage } = await readLog(store, LOG);
const found = new Set(lines.filter((line) => line.check() === 'verified').map((line) => line.memoryId)).size;
unlinkSync(ballast);
// Where one file's size is the limit, room is made in the log itself.
await store.rewrite(LOG, (slice) => ({
  keep: slice.lines.slice(0, 3).map((line) => ({ line })),
  append: [],
}));
await store.append(LOG, [body(acknowledged)]);
const foundAfterwards = (await readLog(store, LOG)).lines.length;
await store.close();
const answer: FillDiskReport = { acknowledged, code, found, damaged: damage.length, foundAfterwards };
report(JSON.stringify(answer));
