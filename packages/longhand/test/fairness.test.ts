import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { sized, startProcess, temporaryFolder } from './campaign.ts';
import type { FairTask } from './processes/fair-worker.ts';
import { PATIENT_LOCKS } from './processes/patient-locks.ts';

/**
 * Ten processes add to one session, one memory at a time, as fast as they can, and go on until the slowest has got its
 * share through: none of them is starved by the others. How evenly they share depends on the system's scheduler too, and
 * is measured in `bench/`.
 */
const PROCESSES = 10;
const ADDS = sized(500, 20_000);

test(`each of ${PROCESSES} processes gets ${ADDS} adds through while the others go on`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'shared';
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: session });
  }
  const config = { storage: { max_session_size_mb: 2_000 }, concurrency: PATIENT_LOCKS };
  writeFileSync(join(root, 'config.json'), JSON.stringify(config));

  const task: FairTask = { root, session, adds: ADDS };
  const workers = Array.from({ length: PROCESSES }, () => {
    const { promise: isThrough, resolve } = Promise.withResolvers<void>();
    const running = startProcess('fair-worker.ts', task, (line) => {
      if (line === 'through') resolve();
    });
    return { ...running, isThrough };
  });
  const failures = workers.map(({ failure }) => failure);
  await Promise.race([Promise.all(workers.map(({ isThrough }) => isThrough)), ...failures]);
  for (const worker of workers) worker.say('stop');
  for (const { ended } of workers) expect((await ended).code).toBe(0);

  const adds = workers.map(({ lines }) => Number(lines.at(-1)!.split(' ')[1]));
  await using manager = new MemoryManager({ storageRoot: root });
  expect((await manager.getSessionStats(session)).total_entries).toBe(adds.reduce((a, b) => a + b));
});
