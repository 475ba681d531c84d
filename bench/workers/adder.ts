import { join } from 'node:path';
import { LIMIT_RAISED } from '../contenders/longhand.ts';
import { openSqlite } from '../contenders/sqlite.ts';
import { makeEntries } from '../entries.ts';
import type { AdderReport, AdderTask } from './adder-task.ts';

/** One of several processes that write to the same store at the same time. */

type Add = (index: number) => Promise<readonly string[]>;

interface Adder {
  readonly add: Add;
  readonly warmUp: () => Promise<void>;
  readonly lockWaitsMs: readonly number[];
  readonly close: () => Promise<void>;
}

/** Until the code is compiled: a process that serves an agent runs for hours. */
const WARM_UP_ADDS = 8_000;
const entries = makeEntries(500, process.pid);
const task = JSON.parse(process.argv[2]!) as AdderTask;
const adder = task.store === 'longhand' ? await openAdder(task) : openSqliteAdder(task);

process.once('message', () => {
  void run(adder.add).then(async (report) => {
    await adder.close();
    process.send!(report, () => process.disconnect!());
  });
});
await adder.warmUp();
process.send!('ready');

async function openAdder({ folder, sessionId, library = 'longhand' }: AdderTask): Promise<Adder> {
  const { MemoryManager } = (await import(library)) as typeof import('longhand');
  const manager = new MemoryManager({ storageRoot: join(folder, 'longhand'), config: LIMIT_RAISED });
  const lockWaitsMs: number[] = [];
  const addTo = async (id: string, index: number): Promise<readonly string[]> => [
    await manager.addMemory(id, entries[index % entries.length]!),
  ];
  return {
    add: (index) => addTo(sessionId, index),
    lockWaitsMs,
    warmUp: async () => {
      const own = await manager.createSession('me');
      let left = WARM_UP_ADDS;
      const call = async (): Promise<void> => {
        while (left-- > 0) await addTo(own.id, left);
      };
      await Promise.all(Array.from({ length: task.inFlight }, call));
      await manager.loadSession(sessionId);
      manager.subscribe((event) => {
        if (event.kind === 'lock-waited') lockWaitsMs.push(event.waited_ms);
      });
    },
    close: () => manager.close(),
  };
}

function openSqliteAdder({ folder, entriesPerTransaction }: AdderTask): Adder {
  const database = openSqlite(folder);
  return {
    add: async (index) => {
      const batch = Array.from(
        { length: entriesPerTransaction },
        (_, i) => entries[(index + i) % entries.length]!,
      );
      database.addMany(batch);
      return batch.map(() => '');
    },
    lockWaitsMs: [],
    warmUp: async () => undefined,
    close: async () => {
      database.close();
    },
  };
}

/** As many callers as are wanted, each awaiting its add before the next, until the time is over. */
async function run(add: Add): Promise<AdderReport> {
  const ids: string[] = [];
  let longestAddMs = 0;
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + task.durationMs;
  const call = async (): Promise<void> => {
    if (task.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, task.pauseMs * Math.random()));
    for (let before = performance.now(); before < endsAt; ) {
      const added = await add(next++);
      const after = performance.now();
      ids.push(...added);
      longestAddMs = Math.max(longestAddMs, after - before);
      before = after;
      // SQLite itself never yields; a server would.
      if (task.inFlight === 1) await new Promise(setImmediate);
      // Not all processes at the same moments.
      const pauseMs = task.pauseMs * (0.5 + Math.random());
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: task.inFlight }, call));
  return {
    ids,
    startedAt: performance.timeOrigin + startedAt,
    endedAt: performance.timeOrigin + performance.now(),
    longestAddMs,
    lockWaitsMs: adder.lockWaitsMs,
  };
}
