import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryManager, type NewMemory } from 'longhand';
import { LONGHAND } from '../contenders/longhand.ts';
import { openSqlite, SQLITE } from '../contenders/sqlite.ts';
import { textOf } from '../entries.ts';
import { interleave } from '../interleave.ts';
import { goal } from '../result.ts';
import { median } from '../statistics.ts';
import { makeRange } from './corpus.ts';
import { goalsWith, limits, semanticOption, suffix } from './meaning.ts';
import { MINISEARCH, openMiniSearch } from './peers.ts';
import { addAll, createSessions, makeStore, removeIndex, SESSION_ENTRIES, searchTexts } from './store.ts';
import { type Measured, rateRatio } from './text-queries.ts';

const ENTRIES = 10_000;
/** Stands in the last entry alone. */
const NEEDLE = 'xylophonist';

/** From memories in their logs to an index on the disk, against texts in memory to an index in memory. */
export async function measureIndexing(folder: string, isQuick: boolean): Promise<Measured> {
  const store = await makeStore(folder, ENTRIES);
  const entries = makeRange(0, ENTRIES);
  let manager = new MemoryManager({ storageRoot: store.storageRoot, ...semanticOption() });
  const times = await interleave(
    [
      {
        name: LONGHAND,
        operations: 1,
        prepare: async () => {
          await manager.close();
          removeIndex(store);
          manager = new MemoryManager({ storageRoot: store.storageRoot, ...semanticOption() });
        },
        operation: () => searchTexts(manager, store.sessionIds[0]!, NEEDLE),
      },
      { name: MINISEARCH, operations: 1, operation: () => openMiniSearch().addAll(entries) },
    ],
    { rounds: isQuick ? 2 : 8, warmUpRounds: isQuick ? 1 : 2 },
  );
  await manager.close();
  const rateOf = (name: string): number => (ENTRIES * 1_000) / median(times.get(name)!.flat());
  return {
    measurements: [LONGHAND, MINISEARCH].map((name) => ({
      name: `${name}, indexing`,
      unit: 'entries/s',
      value: rateOf(name),
    })),
    goals: [
      goal({
        what: `indexing, rate, against ${MINISEARCH}${suffix()}`,
        bound: 'at least',
        limit: limits().indexing,
        unit: '×',
        measured: rateRatio(times, LONGHAND, MINISEARCH),
      }),
    ],
  };
}

/** Adding, and then finding what was added last. */
export async function measureUntilFound(folder: string, isQuick: boolean): Promise<Measured> {
  const entries = makeRange(0, ENTRIES);
  const last = entries.at(-1)!;
  entries[ENTRIES - 1] = {
    ...last,
    content: { role: 'user', message: `${textOf(last)} ${NEEDLE}` },
  };
  const batch = (from: number, to: number): readonly NewMemory[] => entries.slice(from, to);
  const open: { close(): unknown; readonly folder: string }[] = [];
  const closeAll = async (): Promise<void> => {
    for (const each of open.splice(0)) {
      await each.close();
      rmSync(each.folder, { recursive: true });
    }
  };
  const newFolder = async (): Promise<string> => {
    await closeAll();
    return mkdtempSync(join(folder, 'found-'));
  };
  const check = (found: readonly string[]): void => {
    if (found.length !== 1) throw new Error('The last entry was not found.');
  };
  let addAndFind: () => Promise<void> | void;
  const times = await interleave(
    [
      {
        name: LONGHAND,
        operations: 1,
        prepare: async () => {
          const own = await newFolder();
          const manager = new MemoryManager({ storageRoot: own, ...semanticOption() });
          open.push({ close: () => manager.close(), folder: own });
          const sessionIds = await createSessions(manager, ENTRIES);
          addAndFind = async () => {
            await addAll(manager, sessionIds, batch);
            check(await searchTexts(manager, sessionIds[0]!, NEEDLE));
          };
        },
        operation: () => addAndFind(),
      },
      {
        name: SQLITE,
        operations: 1,
        prepare: async () => {
          const own = await newFolder();
          const sqlite = openSqlite(own);
          open.push({ close: () => sqlite.close(), folder: own });
          addAndFind = () => {
            for (let from = 0; from < ENTRIES; from += SESSION_ENTRIES) {
              sqlite.addMany(batch(from, from + SESSION_ENTRIES));
            }
            check(sqlite.search(NEEDLE));
          };
        },
        operation: () => addAndFind(),
      },
    ],
    // Until the code is compiled: a process that serves an agent runs for hours.
    { rounds: isQuick ? 2 : 10, warmUpRounds: isQuick ? 1 : 6 },
  );
  await closeAll();
  const rateOf = (name: string): number => (ENTRIES * 1_000) / median(times.get(name)!.flat());
  return {
    measurements: [LONGHAND, SQLITE].map((name) => ({
      name: `${name}, bulk add until the last entry is found`,
      unit: 'entries/s',
      value: rateOf(name),
    })),
    goals: goalsWith(limits().untilFound, (limit) => ({
      what: `bulk add until the last entry is found, rate, against ${SQLITE}`,
      bound: 'at least',
      limit,
      unit: '×',
      measured: rateRatio(times, LONGHAND, SQLITE),
    })),
  };
}
