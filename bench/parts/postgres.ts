import { LONGHAND } from '../contenders/longhand.ts';
import {
  LANGGRAPH,
  MASTRA_PG,
  openLangChain,
  openLangGraph,
  openLonghandOnPostgres,
  openMastraOnPostgres,
  type PostgresContender,
  type UserOfContender,
} from '../contenders/on-postgres.ts';
import { makeEntries } from '../entries.ts';
import { interleave, type Turn } from '../interleave.ts';
import { type Database, withDatabase } from '../postgres/database.ts';
import { measureColdUsers, measureRecall } from '../postgres/recall.ts';
import { type Goal, goal, type Measurement, type Part } from '../result.ts';
import { median, ratioOverRounds, summarise } from '../statistics.ts';

const BULK = 500;
const CALLERS = 16;
const ADDS_OF_CALLER = 15;
const USERS = 20_000;
const QUICK_USERS = 300;

/** One server, and one process that writes and asks. */
export const postgres: Part = ({ isQuick }) =>
  withDatabase(async (database) => {
    const parts = [
      await measureWrites(database, isQuick),
      await measureRecall(database, isQuick),
      await measureColdUsers(database, isQuick ? QUICK_USERS : USERS),
    ];
    return {
      title: 'On Postgres, with row-level security',
      method: `One Postgres 15 with its own defaults (a commit waits for the disk), asked over TCP on this machine, each contender with up to 10 connections; entries of 1 KB. Longhand through \`MemoryManager\` with words alone, under the role \`longhand_app\` with row-level security in force; the peers as the owner of their tables, without it. Adding many is \`addMemories\`, \`batch\`, \`addMessages\` and \`saveMessages\`. Of the ${CALLERS} callers of one process each writes for a user of its own. All write in turns on the same server. A cold user is one whom the process has not served before; the process has made its first connection.`,
      measurements: parts.flatMap(({ measurements }) => measurements),
      goals: parts.flatMap(({ goals }) => goals),
    };
  });

async function measureWrites(
  database: Database,
  isQuick: boolean,
): Promise<{ measurements: Measurement[]; goals: Goal[] }> {
  const entries = makeEntries(1_000);
  const contenders = [
    await openLonghandOnPostgres(database),
    await openLangGraph(database),
    await openLangChain(database),
    await openMastraOnPostgres(database),
  ];
  const users = new Map<string, readonly UserOfContender[]>();
  for (const contender of contenders) users.set(contender.name, await openUsers(contender));
  const entryAt = (index: number) => entries[index % entries.length]!;
  const single = contenders.map(({ name }): Turn => {
    const [user] = users.get(name)!;
    return { name, operations: 40, operation: (index) => user!.add(entryAt(index)) };
  });
  const bulk = contenders.map(({ name }): Turn => {
    const [user] = users.get(name)!;
    return { name, operations: 1, operation: () => user!.addMany(entries.slice(0, BULK)) };
  });
  const many = contenders.map(
    ({ name }): Turn => ({
      name,
      operations: 1,
      operation: (index) =>
        Promise.all(
          users.get(name)!.map(async (user) => {
            for (let i = 0; i < ADDS_OF_CALLER; i++) await user.add(entryAt(index + i));
          }),
        ),
    }),
  );
  const rounds = isQuick ? 8 : 30;
  const singles = await interleave(single, { rounds, warmUpRounds: isQuick ? 10 : 30 });
  const bulks = await interleave(bulk, { rounds, warmUpRounds: 4 });
  const bursts = await interleave(many, { rounds, warmUpRounds: isQuick ? 4 : 15 });
  for (const contender of contenders) await contender.close();
  const measurements: Measurement[] = contenders.flatMap(({ name }): Measurement[] => [
    { name: `add one: ${name}`, unit: 'ms', value: summarise(singles.get(name)!.flat()) },
    {
      name: `add ${BULK} at once: ${name}`,
      unit: 'adds/s',
      value: (BULK * 1000) / median(bulks.get(name)!.flat()),
    },
    {
      name: `${CALLERS} callers: ${name}`,
      unit: 'adds/s',
      value: (CALLERS * ADDS_OF_CALLER * 1000) / median(bursts.get(name)!.flat()),
    },
  ]);
  return {
    measurements,
    goals: [
      goal({
        what: `on Postgres, add one, p50, against ${LANGGRAPH}`,
        bound: 'at most',
        limit: 1.5,
        unit: '×',
        measured: ratioOverRounds(singles.get(LONGHAND)!, singles.get(LANGGRAPH)!),
      }),
      goal({
        what: `on Postgres, bulk add, rate, against ${LANGGRAPH}`,
        bound: 'at least',
        limit: 7,
        unit: '×',
        measured: ratioOverRounds(bulks.get(LANGGRAPH)!, bulks.get(LONGHAND)!),
      }),
      goal({
        what: `on Postgres, bulk add, rate, against ${MASTRA_PG}`,
        bound: 'at least',
        limit: 1.5,
        unit: '×',
        measured: ratioOverRounds(bulks.get(MASTRA_PG)!, bulks.get(LONGHAND)!),
      }),
      goal({
        what: `on Postgres, ${CALLERS} callers, rate, against ${LANGGRAPH}`,
        bound: 'at least',
        limit: 2,
        unit: '×',
        measured: ratioOverRounds(bursts.get(LANGGRAPH)!, bursts.get(LONGHAND)!),
      }),
    ],
  };
}

/** One after the other: peers make their tables with the first. */
async function openUsers(contender: PostgresContender): Promise<readonly UserOfContender[]> {
  const users: UserOfContender[] = [];
  for (let i = 0; i < CALLERS; i++) users.push(await contender.openUser(`user-${i}`));
  return users;
}
