import { MemoryManager } from 'longhand';
import { LONGHAND } from '../contenders/longhand.ts';
import { openSqlite, SQLITE } from '../contenders/sqlite.ts';
import { interleave, type Turn } from '../interleave.ts';
import { type Goal, goal, type Measurement } from '../result.ts';
import { median, percentile, type Ratio, ratioOverRounds, summarise } from '../statistics.ts';
import { makeQueries, makeRange, tagOf } from './corpus.ts';
import { goalsWith, limits, semanticOption, suffix } from './meaning.ts';
import { openMiniSearch, openOrama } from './peers.ts';
import { addAll, createSessions, SESSION_ENTRIES, type SearchStore, searchTexts } from './store.ts';

export interface Measured {
  readonly measurements: readonly Measurement[];
  readonly goals: readonly Goal[];
}

const QUERIES = 1_000;
/** What takes microseconds has as many in a turn as an add: of fewer, half would be coming back from the others' turns. */
const SHORT_OPERATIONS = 200;
const GET = 'Longhand, get by id';
const BY_TAG = 'Longhand, the ten best with a tag that one in a hundred has';
const MAX_P99 = 6;

type Times = ReadonlyMap<string, readonly (readonly number[])[]>;

/** 5,000 entries: Longhand, FTS5 and the libraries that keep all in memory. */
export async function measureSmall(folder: string, storageRoot: string, isQuick: boolean): Promise<Measured> {
  const entries = 5_000;
  const all = makeRange(0, entries);
  const manager = new MemoryManager({ storageRoot, ...semanticOption() });
  const sessionIds = await createSessions(manager, entries);
  await addAll(manager, sessionIds);
  const sqlite = openSqlite(folder);
  sqlite.addMany(all);
  const peers = [openMiniSearch(), openOrama()];
  for (const peer of peers) await peer.addAll(all);
  const ids = (await manager.queryMemories(sessionIds[3]!, { limit: SESSION_ENTRIES })).map(({ id }) => id);

  const queries = makeQueries(QUERIES);
  const queryAt = (index: number): string => queries[index % QUERIES]!;
  const turn = (name: string, search: (text: string) => unknown): Turn => ({
    name,
    operations: 50,
    operation: (index) => search(queryAt(index)),
  });
  const times = await interleave(
    [
      turn(LONGHAND, (text) => searchTexts(manager, sessionIds[0]!, text)),
      turn(SQLITE, sqlite.search),
      ...peers.map((peer) => turn(peer.name, peer.search)),
      {
        name: GET,
        operations: SHORT_OPERATIONS,
        operation: (index) => manager.getMemory(sessionIds[3]!, ids[(index * 17) % ids.length]!),
      },
      {
        name: BY_TAG,
        operations: SHORT_OPERATIONS,
        operation: (index) =>
          manager.queryMemories(sessionIds[0]!, {
            tags: { include: [tagOf(index)] },
            scope: 'user',
            limit: 10,
          }),
      },
    ],
    { rounds: isQuick ? 6 : 40, warmUpRounds: isQuick ? 2 : 20 },
  );
  await manager.close();
  sqlite.close();

  const others = [SQLITE, ...peers.map(({ name }) => name)];
  const p50 = (name: string): number => median(times.get(name)!.flat());
  const fastest = others.reduce((best, name) => (p50(name) < p50(best) ? name : best));
  return {
    measurements: [LONGHAND, ...others, GET, BY_TAG].map((name) => named(times, name, entries)),
    goals: [
      goal({
        what: `text query, ten best of ${entries}, p50, against the fastest other (${fastest})${suffix()}`,
        bound: 'at most',
        limit: limits().small,
        unit: '×',
        measured: ratioOverRounds(times.get(LONGHAND)!, times.get(fastest)!),
      }),
      tailGoal(times, entries),
      ...[GET, BY_TAG].map((name) =>
        goal({
          what: `${name.slice(LONGHAND.length + 2)}, of ${entries}, p50${suffix()}`,
          bound: 'at most',
          limit: 0.05,
          unit: 'ms',
          measured: p50(name),
        }),
      ),
    ],
  };
}

/** 100,000 entries: Longhand and FTS5. */
export async function measureLarge(
  folder: string,
  store: SearchStore,
  entries: number,
  isQuick: boolean,
): Promise<Measured> {
  const manager = new MemoryManager({ storageRoot: store.storageRoot, ...semanticOption() });
  const sqlite = openSqlite(folder);
  const queries = makeQueries(QUERIES);
  const times = await interleave(
    [
      {
        name: LONGHAND,
        operations: 50,
        operation: (index) => searchTexts(manager, store.sessionIds[0]!, queries[index % QUERIES]!),
      },
      { name: SQLITE, operations: 10, operation: (index) => sqlite.search(queries[index % QUERIES]!) },
    ],
    { rounds: isQuick ? 4 : 30, warmUpRounds: isQuick ? 1 : 5 },
  );
  await manager.close();
  sqlite.close();
  return {
    measurements: [named(times, LONGHAND, entries), named(times, SQLITE, entries)],
    goals: [
      goal({
        what: `text query, ten best of ${entries}, p50, against ${SQLITE}${suffix()}`,
        bound: 'at most',
        limit: limits().large,
        unit: '×',
        measured: ratioOverRounds(times.get(LONGHAND)!, times.get(SQLITE)!),
      }),
      tailGoal(times, entries),
    ],
  };
}

/** A million entries: Longhand alone, against the clock. */
export async function measureHuge(store: SearchStore, entries: number): Promise<Measured> {
  const manager = new MemoryManager({ storageRoot: store.storageRoot, ...semanticOption() });
  const queries = makeQueries(QUERIES);
  const times = await interleave(
    [
      {
        name: LONGHAND,
        operations: 50,
        operation: (index) => searchTexts(manager, store.sessionIds[0]!, queries[index % QUERIES]!),
      },
    ],
    { rounds: 10, warmUpRounds: 2 },
  );
  await manager.close();
  return {
    measurements: [named(times, LONGHAND, entries)],
    goals: [
      ...goalsWith(limits().hugeMs, (limit) => ({
        what: `text query, ten best of ${entries}, p50`,
        bound: 'at most',
        limit,
        unit: 'ms',
        measured: median(times.get(LONGHAND)!.flat()),
      })),
      tailGoal(times, entries),
    ],
  };
}

function named(times: Times, name: string, entries: number): Measurement {
  return { name: `${name}, of ${entries}`, unit: 'ms', value: summarise(times.get(name)!.flat()) };
}

function tailGoal(times: Times, entries: number): Goal {
  const rounds = times.get(LONGHAND)!;
  const samples = rounds.flat();
  return goal({
    what: `text query, ten best of ${entries}, p99, against its p50${suffix()}`,
    bound: 'at most',
    limit: MAX_P99,
    unit: '×',
    measured: percentile(samples, 0.99) / median(samples),
  });
}

/** Time for time: another's time above ours is our rate above the other's. */
export function rateRatio(times: Times, ours: string, others: string): Ratio {
  return ratioOverRounds(times.get(others)!, times.get(ours)!);
}
