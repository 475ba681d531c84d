import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { LIMIT_RAISED } from '../contenders/longhand.ts';
import { openSqlite } from '../contenders/sqlite.ts';
import { createRandom, shuffle } from '../random.ts';
import { goal, type Part } from '../result.ts';
import { median } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import type { AdderReport, AdderTask } from '../workers/adder-task.ts';

const PROCESSES = 10;
const IN_FLIGHT = 64;
/** The pace of busy agents rather than of a benchmark: ten adds a second in each process. */
const CALM_PAUSE_MS = 100;
/** A calm run makes a hundred adds a second: in this many rounds' time enough for a share of one in a hundred. */
const CALM_TIMES_LONGER = 8;

interface Crowd {
  readonly addsPerSecond: number;
  readonly longestAddMs: number;
  readonly longestLockWaitMs: number;
  /** Waits for the lock for each add, in percent. */
  readonly lockWaitShare: number;
  /** Adds of the slowest process over those of the fastest. */
  readonly fairness: number;
  readonly acknowledged: number;
  readonly missing: number;
}

type Settings = Omit<AdderTask, 'folder' | 'sessionId' | 'durationMs'>;

const CROWDS: Readonly<Record<string, Settings>> = {
  Longhand: { store: 'longhand', inFlight: IN_FLIGHT, pauseMs: 0, entriesPerTransaction: 1 },
  'SQLite + FTS5': { store: 'sqlite', inFlight: 1, pauseMs: 0, entriesPerTransaction: 1 },
  [`SQLite + FTS5, ${IN_FLIGHT} entries a transaction`]: {
    store: 'sqlite',
    inFlight: 1,
    pauseMs: 0,
    entriesPerTransaction: IN_FLIGHT,
  },
};
const CALM: Settings = {
  store: 'longhand',
  inFlight: 1,
  pauseMs: CALM_PAUSE_MS,
  entriesPerTransaction: 1,
};

/** Ten processes that add to one session. */
export const processes: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const durationMs = isQuick ? 1_000 : 5_000;
    const random = createRandom(3);
    const runs = new Map<string, Crowd[]>(Object.keys(CROWDS).map((name) => [name, []]));
    for (let round = 0; round < (isQuick ? 1 : 5); round++) {
      for (const [name, settings] of shuffle(Object.entries(CROWDS), random)) {
        runs.get(name)!.push(await runCrowd(mkdtempSync(join(folder, 'run-')), settings, durationMs));
      }
    }
    const calm = await runCrowd(mkdtempSync(join(folder, 'run-')), CALM, durationMs * CALM_TIMES_LONGER);
    const longhand = runs.get('Longhand')!;
    const worst = (pick: (crowd: Crowd) => number): number => Math.max(...longhand.map(pick));
    const middle = (name: string, pick: (crowd: Crowd) => number): number =>
      median(runs.get(name)!.map(pick));
    return {
      title: `${PROCESSES} processes on one session`,
      method: `${PROCESSES} processes add entries of 1 KB to one session, ${IN_FLIGHT} callers in each awaiting their adds, ${durationMs / 1000} s a round, ${longhand.length} rounds in turn with SQLite. Afterwards the log is searched for every acknowledged id. The longest wait is that of any single add in any process and round. The calm run, of ${(durationMs * CALM_TIMES_LONGER) / 1000} s, has one add every ${CALM_PAUSE_MS} ms in each process.`,
      measurements: [
        ...Object.keys(CROWDS).map((name) => ({
          name,
          unit: 'adds/s' as const,
          value: middle(name, ({ addsPerSecond }) => addsPerSecond),
        })),
        ...Object.keys(CROWDS).map((name) => ({
          name: `${name}: longest add`,
          unit: 'ms' as const,
          value: Math.max(...runs.get(name)!.map(({ longestAddMs }) => longestAddMs)),
        })),
        { name: 'Longhand: longest wait for the lock', unit: 'ms', value: worst((c) => c.longestLockWaitMs) },
        {
          name: 'Longhand: waits for the lock per add',
          unit: '%',
          value: middle('Longhand', ({ lockWaitShare }) => lockWaitShare),
        },
        { name: 'Longhand, calm run: waits for the lock per add', unit: '%', value: calm.lockWaitShare },
        {
          name: 'Longhand: adds of the slowest process, of those of the fastest',
          unit: '%',
          value: 100 * Math.min(...longhand.map(({ fairness }) => fairness)),
        },
        {
          name: 'SQLite + FTS5: adds of the slowest process, of those of the fastest',
          unit: '%',
          value: 100 * Math.min(...runs.get('SQLite + FTS5')!.map(({ fairness }) => fairness)),
        },
        {
          name: 'Longhand: acknowledged, all rounds',
          unit: 'entries',
          value: longhand.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
        },
      ],
      goals: [
        goal({
          what: `adds of ${PROCESSES} processes together`,
          bound: 'at least',
          limit: 30_000,
          unit: 'adds/s',
          measured: middle('Longhand', ({ addsPerSecond }) => addsPerSecond),
        }),
        goal({
          what: `longest wait of any of ${PROCESSES} processes`,
          bound: 'at most',
          limit: 500,
          unit: 'ms',
          measured: worst(({ longestAddMs }) => longestAddMs),
        }),
        goal({
          what: 'acknowledged entries that are missing, doubled or damaged',
          bound: 'at most',
          limit: 0,
          unit: 'entries',
          measured: longhand.reduce((sum, { missing }) => sum + missing, calm.missing),
        }),
        goal({
          what: `waits for the lock per add, ${PROCESSES} processes at a calm pace`,
          bound: 'at most',
          limit: 1,
          unit: '%',
          measured: calm.lockWaitShare,
          isFloor: true,
        }),
      ],
    };
  });

export async function runCrowd(folder: string, settings: Settings, durationMs: number): Promise<Crowd> {
  const sessionId = await prepare(folder, settings.store);
  const task: AdderTask = { ...settings, folder, sessionId, durationMs };
  const children = Array.from({ length: PROCESSES }, () =>
    fork(join(import.meta.dirname, '../workers/adder.ts'), [JSON.stringify(task)], {
      serialization: 'advanced',
    }),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const reports = await Promise.all(
    children.map(async (child) => {
      // The end of a process may be heard of before its last message.
      const exited = once(child, 'exit');
      child.send('go');
      const [report] = (await once(child, 'message')) as [AdderReport];
      await exited;
      return report;
    }),
  );
  const ids = reports.flatMap((report) => report.ids);
  const waits = reports.flatMap(({ lockWaitsMs }) => lockWaitsMs);
  const counts = reports.map((report) => report.ids.length);
  const seconds =
    (Math.max(...reports.map(({ endedAt }) => endedAt)) -
      Math.min(...reports.map(({ startedAt }) => startedAt))) /
    1000;
  return {
    addsPerSecond: ids.length / seconds,
    longestAddMs: Math.max(...reports.map(({ longestAddMs }) => longestAddMs)),
    longestLockWaitMs: waits.reduce((longest, wait) => Math.max(longest, wait), 0),
    lockWaitShare: (100 * waits.length) / ids.length,
    fairness: Math.min(...counts) / Math.max(...counts),
    acknowledged: ids.length,
    missing: await countMissing(folder, settings.store, sessionId, ids),
  };
}

async function prepare(folder: string, store: AdderTask['store']): Promise<string> {
  if (store === 'sqlite') {
    openSqlite(folder).close();
    return '';
  }
  const manager = new MemoryManager({ storageRoot: join(folder, 'longhand') });
  const { id } = await manager.createSession('me');
  await manager.close();
  return id;
}

/** Looks into the file itself for every id, and asks Longhand to verify every checksum. */
async function countMissing(
  folder: string,
  store: AdderTask['store'],
  sessionId: string,
  ids: readonly string[],
): Promise<number> {
  if (store === 'sqlite') {
    const database = openSqlite(folder);
    const missing = Math.abs(ids.length - database.count());
    database.close();
    return missing;
  }
  const storageRoot = join(folder, 'longhand');
  const stored = countIds(readFileSync(join(storageRoot, 'sessions', sessionId, 'memory.jsonl')));
  const wrong = ids.filter((id) => stored.get(id) !== 1).length;
  const manager = new MemoryManager({ storageRoot, config: LIMIT_RAISED });
  const { corruption } = await manager.getSessionStats(sessionId);
  await manager.close();
  return wrong + Object.values(corruption).reduce((sum, count) => sum + count, 0);
}

function countIds(log: Buffer): ReadonlyMap<string, number> {
  const opening = '{"schema_version":1,"id":"';
  const counts = new Map<string, number>();
  for (let at = 0; at < log.length; at = log.indexOf('\n', at) + 1) {
    if (log.toString('latin1', at, at + opening.length) !== opening) continue;
    const from = at + opening.length;
    const id = log.toString('latin1', from, log.indexOf('"', from));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
