import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LONGHAND } from '../contenders/longhand.ts';
import { databaseFile, SQLITE } from '../contenders/sqlite.ts';
import { interleave } from '../interleave.ts';
import { goal } from '../result.ts';
import { median, ratioOverRounds, summarise } from '../statistics.ts';
import { makeQueries } from './corpus.ts';
import { limits, semanticOption, suffix } from './meaning.ts';
import { indexFolder, type SearchStore } from './store.ts';
import type { Measured } from './text-queries.ts';

const PROCESSES = 10;
const WARM_QUERIES = 200;
const BARE = 'Node alone';

/** From the start of a process to the ten texts that it prints. */
export async function measureCold(
  folder: string,
  store: SearchStore,
  entries: number,
  isQuick: boolean,
): Promise<Measured> {
  const queries = makeQueries(100);
  // The answer is what is timed. The end of the process, with what it still writes down, is waited for before
  // the next one starts.
  let ended: Promise<unknown> = Promise.resolve();
  const ask = async (worker: string, ...args: string[]): Promise<void> => {
    const child = start(worker, ...args);
    ended = once(child, 'exit');
    const [answer] = (await once(child.stdout!, 'data')) as [Buffer];
    if (!answer.toString().startsWith('found ')) throw new Error(`${worker} found nothing.`);
  };
  const queryAt = (index: number): string => queries[index % queries.length]!;
  const times = await interleave(
    [
      {
        name: LONGHAND,
        operations: 1,
        prepare: () => ended,
        operation: (index) =>
          ask('cold-searcher.js', store.storageRoot, store.sessionIds[0]!, queryAt(index)),
      },
      {
        name: SQLITE,
        operations: 1,
        prepare: () => ended,
        operation: (index) => ask('cold-sqlite-searcher.js', databaseFile(folder), queryAt(index)),
      },
      {
        name: BARE,
        operations: 1,
        prepare: () => ended,
        operation: () => once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit'),
      },
    ],
    { rounds: isQuick ? 5 : 30, warmUpRounds: 2 },
  );
  await ended;
  return {
    measurements: [LONGHAND, SQLITE, BARE].map((name) => ({
      name: `${name}, from the start of a process to ${name === BARE ? 'its end' : `the first answer, of ${entries}`}`,
      unit: 'ms',
      value: summarise(times.get(name)!.flat()),
    })),
    goals: [
      goal({
        what: `cold process to the first answer, of ${entries}, against ${SQLITE}${suffix()}`,
        bound: 'at most',
        limit: limits().cold,
        unit: '×',
        measured: ratioOverRounds(times.get(LONGHAND)!, times.get(SQLITE)!),
      }),
    ],
  };
}

/** Resident memory of processes that have answered many queries, one alone and ten at once on one store. */
export async function measureMemory(
  { storageRoot, sessionIds }: SearchStore,
  entries: number,
): Promise<Measured> {
  const queries = JSON.stringify(makeQueries(WARM_QUERIES));
  const open = async (asked: string): Promise<ChildProcess> => {
    const child = start('warm-searcher.js', storageRoot, sessionIds[0]!, asked);
    await once(child.stdout!, 'data');
    return child;
  };
  const openSearcher = (): Promise<ChildProcess> => open(queries);
  // Pages of Node's own file are there or not, as it comes: 5 MB of difference from one process to the next.
  const opened: number[] = [];
  for (let process = 0; process < PROCESSES; process++) {
    const child = await open('[]');
    opened.push(residentMegabytes(child));
    await end(child);
  }
  const openedMegabytes = median(opened);
  const alone = await openSearcher();
  const aloneMegabytes = residentMegabytes(alone);
  await end(alone);
  const crowd = await Promise.all(Array.from({ length: PROCESSES }, openSearcher));
  const each = crowd.map(residentMegabytes);
  await Promise.all(crowd.map(end));
  const index = indexFolder(storageRoot);
  const indexMegabytes =
    readdirSync(index).reduce((sum, name) => sum + statSync(join(index, name)).size, 0) / 1e6;
  return {
    measurements: [
      {
        name: `Longhand, memory of a process after ${WARM_QUERIES} queries, of ${entries}`,
        unit: 'MB',
        value: aloneMegabytes,
      },
      {
        name: `Longhand, the same, each of ${PROCESSES} processes on one store`,
        unit: 'MB',
        value: median(each),
      },
      {
        name: `Longhand, memory of a process that has opened a session, median of ${PROCESSES}`,
        unit: 'MB',
        value: openedMegabytes,
      },
      { name: `Longhand, the index of ${entries} on the disk`, unit: 'MB', value: indexMegabytes },
    ],
    goals: [
      goal({
        what: `memory of a process that searches ${entries}${suffix()}`,
        bound: 'at most',
        limit: limits().memoryMegabytes,
        unit: 'MB',
        measured: aloneMegabytes,
      }),
      goal({
        what: `what searching adds to each of ${PROCESSES} processes, against the index on the disk${suffix()}`,
        bound: 'at most',
        limit: 1,
        unit: '×',
        measured: (Math.max(...each) - openedMegabytes) / indexMegabytes,
      }),
    ],
  };
}

function start(worker: string, ...args: string[]): ChildProcess {
  const file = join(import.meta.dirname, '../workers', worker);
  return spawn(process.execPath, [file, ...args, String(semanticOption().semantic)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Workers that stay open end when their input does. */
async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.stdin!.end();
  await exited;
}

function residentMegabytes({ pid }: ChildProcess): number {
  const [kilobytes] = /(?<=VmRSS:\s*)\d+/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return (Number(kilobytes) * 1024) / 1e6;
}
