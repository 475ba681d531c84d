import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { LIMIT_RAISED } from '../contenders/longhand.ts';
import { makeFullSession } from '../full-session.ts';
import type { Part } from '../result.ts';
import { summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

/** A quarter of the entries: there are 20 topics. */
const DELETED_TOPICS = ['topic.0', 'topic.1', 'topic.2', 'topic.3', 'topic.4'];
const ADDS_UNDER_LOAD = 100_000;

/** What has no goal but must be known: compaction and memory. */
export const upkeep: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const compactions: number[] = [];
    for (let round = 0; round < (isQuick ? 2 : 8); round++) {
      compactions.push(await timeCompaction(mkdtempSync(join(folder, 'compaction-'))));
    }
    const load = join(import.meta.dirname, '../workers/load.ts');
    const adds = isQuick ? ADDS_UNDER_LOAD / 10 : ADDS_UNDER_LOAD;
    const output = execFileSync(process.execPath, [load, folder, String(adds)], { encoding: 'utf8' });
    const { before, after, peak } = JSON.parse(output) as Record<'before' | 'after' | 'peak', number>;
    return {
      title: 'Compaction and memory',
      method: `Compaction of a full session of 10 MB in which a quarter of the entries was deleted, projections included. Memory (resident set) of a process that adds ${adds} entries of 1 KB to one session, 64 at a time.`,
      measurements: [
        { name: 'compaction of a full session', unit: 'ms', value: summarise(compactions) },
        { name: 'memory before the adds', unit: 'MB', value: before },
        { name: 'memory, highest during the adds', unit: 'MB', value: peak },
        { name: 'memory after the adds', unit: 'MB', value: after },
      ],
      goals: [],
    };
  });

async function timeCompaction(folder: string): Promise<number> {
  const { storageRoot, sessionId, ids } = await makeFullSession(folder);
  const manager = new MemoryManager({ storageRoot, config: LIMIT_RAISED });
  let deleted = 0;
  for (const topic of DELETED_TOPICS) deleted += await manager.deleteMemoriesByTopic(sessionId, topic);
  const startedAt = performance.now();
  const { dropped } = await manager.compactSession(sessionId);
  const durationMs = performance.now() - startedAt;
  await manager.close();
  if (dropped.length !== deleted || deleted < ids.length / 5)
    throw new Error('The compaction did not drop what was deleted.');
  return durationMs;
}
