import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { sized, startProcess, temporaryFolder } from './campaign.ts';
import type { FairTask } from './processes/fair-worker.ts';

/**
 * Ten processes add to one session, one memory at a time, as fast as they can. Nobody is starved: the slowest
 * gets at least half as many through as the fastest, and nobody waits as long as a lock may take.
 *
 * Ten processes on two processors take turns of milliseconds anyway, and within a second or two the system may give
 * one of them twice what it gives another. Only over many of its turns is the share that of the lock.
 */
const PROCESSES = 10;
const SECONDS = sized(15, 120);
/** The default of `lock_timeout_ms`: whoever waits longer has used up its first try. */
const LOCK_BUDGET_MS = 5_000;

test(`${PROCESSES} processes that add for ${SECONDS} seconds share fairly`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'shared';
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: session });
  }
  writeFileSync(join(root, 'config.json'), JSON.stringify({ storage: { max_session_size_mb: 2_000 } }));

  const task: FairTask = { root, session };
  let ready = 0;
  const whenAllReady = Promise.withResolvers<void>();
  const onLine = (line: string): void => {
    if (line === 'ready' && ++ready === PROCESSES) whenAllReady.resolve();
  };
  const workers = Array.from({ length: PROCESSES }, () => startProcess('fair-worker.ts', task, onLine));
  const failures = workers.map(({ failure }) => failure);
  await Promise.race([whenAllReady.promise, ...failures]);
  for (const worker of workers) worker.say('begin');
  await Promise.race([setTimeout(SECONDS * 1_000), ...failures]);
  for (const worker of workers) worker.say('stop');
  for (const { ended } of workers) expect((await ended).code).toBe(0);

  const totals = workers.map(({ lines }) => lines.at(-1)!.split(' ').map(Number));
  const adds = totals.map(([, count]) => count!);
  const longestMs = Math.max(...totals.map(([, , wait]) => wait!));
  const share = Math.min(...adds) / Math.max(...adds);
  console.log(
    `fairness: ${adds.join(' ')}, share ${share.toFixed(2)}, longest wait ${longestMs.toFixed(0)} ms`,
  );
  expect(share).toBeGreaterThanOrEqual(0.5);
  expect(longestMs).toBeLessThan(LOCK_BUDGET_MS);
  await using manager = new MemoryManager({ storageRoot: root });
  expect((await manager.getSessionStats(session)).total_entries).toBe(adds.reduce((a, b) => a + b));
});
