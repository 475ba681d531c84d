import { readFileSync } from 'node:fs';
import { MemoryManager } from 'longhand';
import pg from 'pg';
import { countedStore } from '../postgres/database.ts';
import { createRandom } from '../random.ts';

/** Recalls for users that this process has not served, in a process of its own, so that its memory is all that counts. */
export interface ColdUsersReport {
  readonly timesMs: readonly number[];
  readonly peakMegabytes: number;
}

const RECALLS = 2_000;
const WARM_UP = 100;
const [config = '', count = '', asked = ''] = process.argv.slice(2);
const pool = new pg.Pool(JSON.parse(config) as pg.PoolConfig);
const manager = new MemoryManager({ store: countedStore(pool).store, semantic: false });
// Made by the parent: the words that they are made from take more memory than what is measured here.
const queries = JSON.parse(asked) as string[];
const random = createRandom(5);
const users = Array.from({ length: Number(count) }, (_, user) => ({ user, place: random() }))
  .sort((left, right) => left.place - right.place)
  .slice(0, RECALLS + WARM_UP);
const timesMs: number[] = [];
for (const [i, { user }] of users.entries()) {
  const startedAt = performance.now();
  await manager.recall(`user-${user}`, queries[i % queries.length]!, { limit: 10 });
  if (i >= WARM_UP) timesMs.push(performance.now() - startedAt);
}
const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
const report: ColdUsersReport = { timesMs, peakMegabytes: Number(peak![1]) / 1024 };
process.send!(report);
await manager.close();
await pool.end();
process.disconnect?.();
