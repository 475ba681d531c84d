import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { makeEntries } from '../entries.ts';
import { goal, type Part } from '../result.ts';
import { summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import type { BigUserReport } from '../workers/big-user.ts';

const SESSIONS = 100_000;
const MEMORIES = 2;
const AT_ONCE = 50;

/** One user whose sessions are many: whether they cost what a few do. */
export const bigUser: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const sessions = isQuick ? SESSIONS / 10 : SESSIONS;
    const storageRoot = join(folder, 'longhand');
    await build(storageRoot, sessions);
    const { timesMs, peakMegabytes } = await measure(storageRoot);
    const first = (name: string): number => timesMs[name]![0]!;
    const middle = (name: string): number => summarise(timesMs[name]!).p50;
    return {
      title: `One user with ${sessions} sessions`,
      method: `${sessions} sessions of one user with ${MEMORIES} memories of 1 KB each, whose index is on the disk. A new process asks for the first time, then adds a memory and asks for it, makes a session, adds to it and asks, and lists a page of 50 sessions, 20 times each; then it previews the forgetting of the user. The memory is the most that the process held.`,
      measurements: [
        { name: 'first search of a new process', unit: 'ms', value: first('firstSearch') },
        { name: 'first page of sessions', unit: 'ms', value: first('firstPage') },
        { name: 'search behind a write', unit: 'ms', value: summarise(timesMs.behindWrite!) },
        { name: 'search behind a new session', unit: 'ms', value: summarise(timesMs.behindNewSession!) },
        { name: 'add to a session', unit: 'ms', value: summarise(timesMs.add!) },
        { name: 'page of 50 sessions', unit: 'ms', value: summarise(timesMs.page!) },
        { name: 'preview of forgetting the user', unit: 'ms', value: first('preview') },
        { name: 'memory of the process', unit: 'MB', value: peakMegabytes },
      ],
      goals: [
        ...[
          ['first search', 3_000, first('firstSearch')] as const,
          ['search behind a write, p50', 10, middle('behindWrite')] as const,
          ['search behind a new session, p50', 10, middle('behindNewSession')] as const,
          ['a page of sessions, p50', 50, middle('page')] as const,
          ['preview of forgetting the user', 10_000, first('preview')] as const,
        ].map(([what, limit, measured]) =>
          goal({
            what: `one user with ${sessions} sessions: ${what}`,
            bound: 'at most',
            limit,
            unit: 'ms',
            measured,
          }),
        ),
        goal({
          what: `one user with ${sessions} sessions: memory`,
          bound: 'at most',
          limit: 500,
          unit: 'MB',
          measured: peakMegabytes,
        }),
      ],
    };
  });

async function build(storageRoot: string, sessions: number): Promise<void> {
  const manager = new MemoryManager({ storageRoot, semantic: false });
  const entries = makeEntries(10_000);
  for (let at = 0; at < sessions; at += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, async (_, i) => {
      const { id } = await manager.createSession('me');
      const from = ((at + i) * MEMORIES) % entries.length;
      await manager.addMemories(id, entries.slice(from, from + MEMORIES));
    });
    await Promise.all(some);
  }
  await manager.recall('me', 'apples', { limit: 1 });
  await manager.close();
}

async function measure(storageRoot: string): Promise<BigUserReport> {
  const child = fork(join(import.meta.dirname, '../workers/big-user.ts'), [storageRoot]);
  const exited = once(child, 'exit');
  const report = await Promise.race([once(child, 'message'), exited]);
  await exited;
  if (typeof report[0] !== 'object') throw new Error('The process of the user with many sessions failed.');
  return report[0] as BigUserReport;
}
