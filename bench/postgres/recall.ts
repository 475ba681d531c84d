import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { LONGHAND } from '../contenders/longhand.ts';
import { textOf } from '../entries.ts';
import { interleave } from '../interleave.ts';
import { type Goal, goal, type Measurement } from '../result.ts';
import { makeQueries, makeRange } from '../search/corpus.ts';
import { ratioOverRounds, summarise } from '../statistics.ts';
import type { ColdUsersReport } from '../workers/cold-users.ts';
import { countedStore, type Database } from './database.ts';

const ENTRIES = 5_000;
const SESSION_ENTRIES = 500;
const USER = 'me';
const TEN = { limit: 10 };
const GIN = 'GIN tsvector, OR query';
const FROM_SEGMENTS = 'cold, from segments';
const REBUILT = 'cold, rebuilt';
const ENTRIES_OF_EACH = 50;
const AT_ONCE = 8;

interface Measured {
  readonly measurements: readonly Measurement[];
  readonly goals: readonly Goal[];
}

/** One user with 5,000 memories: asked again and again, and for the first time by a process. */
export async function measureRecall(database: Database, isQuick: boolean): Promise<Measured> {
  const pool = database.app();
  const all = makeRange(0, ENTRIES);
  const open = (): { manager: MemoryManager; trips: () => number } => {
    const { store, trips } = countedStore(pool);
    return { manager: new MemoryManager({ store, semantic: false }), trips };
  };
  const { manager } = open();
  for (let from = 0; from < ENTRIES; from += SESSION_ENTRIES) {
    const { id } = await manager.createSession(USER);
    await manager.addMemories(id, all.slice(from, from + SESSION_ENTRIES));
  }
  const owner = database.owner();
  await owner.query('CREATE TABLE gin_entries (user_id text, id int, body text, words tsvector)');
  await owner.query(
    "INSERT INTO gin_entries SELECT $1, o, b, to_tsvector('simple', b) FROM unnest($2::text[]) WITH ORDINALITY AS x (b, o)",
    [USER, all.map(textOf)],
  );
  await owner.query('CREATE INDEX ON gin_entries USING gin (words)');
  await owner.query('ANALYZE gin_entries');
  const queries = makeQueries(200);
  const queryAt = (index: number): string => queries[index % queries.length]!;
  const warm = await interleave(
    [
      { name: LONGHAND, operations: 20, operation: (index) => manager.recall(USER, queryAt(index), TEN) },
      {
        name: GIN,
        operations: 20,
        operation: (index) =>
          owner.query(
            `SELECT id, body FROM gin_entries, to_tsquery('simple', $2) AS q WHERE user_id = $1 AND words @@ q
             ORDER BY ts_rank(words, q) DESC LIMIT 10`,
            [USER, queryAt(index).split(' ').join(' | ')],
          ),
      },
    ],
    { rounds: isQuick ? 8 : 30, warmUpRounds: 10 },
  );
  await manager.close();

  const trips = new Map<string, number>();
  const superuser = database.superuser();
  /** A manager that has served another user, and not this one. */
  const cold = (name: string) => {
    let fresh: ReturnType<typeof open>;
    return {
      name,
      operations: 1,
      prepare: async () => {
        if (name === REBUILT) await superuser.query('TRUNCATE recall_segments, recall_manifests');
        fresh = open();
        await fresh.manager.recall('another', 'boats', TEN);
      },
      operation: async (index: number) => {
        const before = fresh.trips();
        const found = await fresh.manager.recall(USER, queryAt(index), TEN);
        if (found.length !== TEN.limit) throw new Error(`${found.length} memories were found.`);
        trips.set(name, Math.max(trips.get(name) ?? 0, fresh.trips() - before));
      },
      // Publishes what was rebuilt.
      settle: () => fresh.manager.close(),
    };
  };
  // In this order: the first needs what the second leaves behind.
  const rounds = { rounds: isQuick ? 5 : 15, warmUpRounds: 1 };
  const fromSegments = await interleave([cold(FROM_SEGMENTS)], rounds);
  const rebuilt = await interleave([cold(REBUILT)], rounds);
  await superuser.end();
  const of = (times: typeof warm, name: string) => summarise(times.get(name)!.flat());
  const named = `recall of ${ENTRIES} entries`;
  const most = Math.max(...trips.values());
  return {
    measurements: [
      { name: `${named}: ${LONGHAND}, warm`, unit: 'ms', value: of(warm, LONGHAND) },
      { name: `${named}: ${GIN}`, unit: 'ms', value: of(warm, GIN) },
      { name: `${named}: ${FROM_SEGMENTS}`, unit: 'ms', value: of(fromSegments, FROM_SEGMENTS) },
      { name: `${named}: ${REBUILT}`, unit: 'ms', value: of(rebuilt, REBUILT) },
    ],
    goals: [
      goal({
        what: `on Postgres, ${named}, warm, p50, against ${GIN}`,
        bound: 'at most',
        limit: 1,
        unit: '×',
        measured: ratioOverRounds(warm.get(LONGHAND)!, warm.get(GIN)!),
      }),
      goal({
        what: `on Postgres, ${named}, ${FROM_SEGMENTS}, p50`,
        bound: 'at most',
        limit: 100,
        unit: 'ms',
        measured: of(fromSegments, FROM_SEGMENTS).p50,
      }),
      goal({
        what: `on Postgres, ${named}, ${REBUILT}, p50`,
        bound: 'at most',
        limit: 250,
        unit: 'ms',
        measured: of(rebuilt, REBUILT).p50,
      }),
      goal({
        what: `on Postgres, ${named}, cold, trips to the database`,
        bound: 'at most',
        limit: 3,
        unit: 'trips',
        measured: most,
      }),
    ],
  };
}

/** Many users of whom the process knows nothing. */
export async function measureColdUsers(database: Database, users: number): Promise<Measured> {
  const { store } = countedStore(database.app());
  const manager = new MemoryManager({ store, semantic: false });
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < users) {
      const user = next++;
      const { id } = await manager.createSession(`user-${user}`);
      await manager.addMemories(id, makeRange(user * ENTRIES_OF_EACH, (user + 1) * ENTRIES_OF_EACH));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  await manager.close();
  const child = fork(join(import.meta.dirname, '../workers/cold-users.ts'), [
    JSON.stringify(database.appConfig),
    String(users),
    JSON.stringify(makeQueries(200)),
  ]);
  const exited = once(child, 'exit');
  const [report] = (await Promise.race([once(child, 'message'), exited])) as [ColdUsersReport];
  await exited;
  if (typeof report !== 'object') throw new Error('The process that asks for cold users failed.');
  const times = summarise(report.timesMs);
  const named = `${users} users with ${ENTRIES_OF_EACH} entries each`;
  return {
    measurements: [
      { name: `${named}: recall of a random cold one`, unit: 'ms', value: times },
      { name: `${named}: memory of the process`, unit: 'MB', value: report.peakMegabytes },
    ],
    goals: [
      goal({
        what: `on Postgres, ${named}, recall of a random cold one, p95`,
        bound: 'at most',
        limit: 20,
        unit: 'ms',
        measured: times.p95,
      }),
      goal({
        what: `on Postgres, ${named}, memory of the process`,
        bound: 'at most',
        limit: 400,
        unit: 'MB',
        measured: report.peakMegabytes,
      }),
    ],
  };
}
