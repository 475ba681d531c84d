import { join } from 'node:path';
import pg from 'pg';
import { startServer, type TestServer } from '../../packages/longhand/test/postgres/server.ts';
import { TestRedis } from '../../packages/longhand/test/redis/redis-server.ts';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { runServer } from '../../packages/server/src/run-server.ts';
import { goal, type Measurement, type Part } from '../result.ts';
import { summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const TURNS = 200;
const WARM_UP = 20;
const STALL_MS = 4_000;

interface Counted {
  readonly trips: number;
  readonly writes: number;
}

/** What chat turns cost a database, with Redis and without it, and what a turn waits for when Redis is stopped. */
export const postgresTurns: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const turns = isQuick ? 40 : TURNS;
    const [postgres, redis] = [await startServer(), await TestRedis.start()];
    await query(postgres, 'postgres', 'CREATE ROLE keeper LOGIN CREATEROLE');
    const without = await perTurn(postgres, folder, turns);
    const withRedis = await perTurn(postgres, folder, turns, redis);
    const waits = await turnsWhileStopped(postgres, folder, redis);
    await redis.kill();
    await postgres.stop();
    const measurements: Measurement[] = [
      { name: 'turn while Redis runs', unit: 'ms', value: summarise(waits.before) },
      { name: 'turn while Redis is stopped', unit: 'ms', value: summarise(waits.stopped) },
    ];
    const usual = summarise(waits.before).p95;
    const late = waits.stopped.filter((ms) => ms > usual + 50);
    const count = { unit: '×', bound: 'at most' } as const;
    return {
      title: 'Chat turns on Postgres and Redis',
      method: `A server on Postgres 15 answers ${turns} turns of one conversation with the demo model, which save no memory and call no tool, after ${WARM_UP} to warm up. Trips are the transactions that Postgres has counted for the database (each call of the store is one), write transactions the transaction numbers that it has given out; a run of the warm-up alone is taken off. Then Redis is stopped with SIGSTOP for ${STALL_MS / 1_000} s while one caller asks turn after turn; a turn counts as waiting when it takes 50 ms more than the p95 before.`,
      measurements,
      goals: [
        goal({ ...count, what: 'write transactions of a turn', limit: 0.1, measured: withRedis.writes }),
        goal({ ...count, what: 'trips of a turn, with Redis', limit: 1.5, measured: withRedis.trips }),
        goal({ ...count, what: 'trips of a turn, without Redis', limit: 2.5, measured: without.trips }),
        goal({
          ...count,
          what: 'turns that wait while Redis is stopped, per second',
          limit: 1,
          measured: (late.length * 1_000) / STALL_MS,
        }),
        goal({
          what: 'what the longest of them waits beyond the median',
          unit: 'ms',
          bound: 'at most',
          limit: 150,
          measured: Math.max(...waits.stopped) - summarise(waits.before).p50,
        }),
      ],
    };
  });

let databases = 0;

async function perTurn(
  postgres: TestServer,
  folder: string,
  turns: number,
  redis?: TestRedis,
): Promise<Counted> {
  const [few, many] = [
    await countTurns(postgres, folder, WARM_UP, redis),
    await countTurns(postgres, folder, WARM_UP + turns, redis),
  ];
  return { trips: (many.trips - few.trips) / turns, writes: (many.writes - few.writes) / turns };
}

async function countTurns(
  postgres: TestServer,
  folder: string,
  turns: number,
  redis?: TestRedis,
): Promise<Counted> {
  const { name, server, say } = await open(postgres, folder, redis);
  const writesBefore = await transactionNumber(postgres);
  for (let i = 0; i < turns; i++) await say(i);
  const writes = (await transactionNumber(postgres)) - writesBefore;
  // What a connection has done is counted when it ends, at the latest.
  await server.close();
  const sql = `SELECT xact_commit AS count FROM pg_stat_database WHERE datname = '${name}'`;
  return { trips: Number((await query(postgres, 'postgres', sql)).rows[0].count), writes };
}

async function turnsWhileStopped(postgres: TestServer, folder: string, redis: TestRedis) {
  const { server, say } = await open(postgres, folder, redis);
  const timed = async (i: number): Promise<number> => {
    const beganMs = performance.now();
    await say(i);
    return performance.now() - beganMs;
  };
  let i = 0;
  const before: number[] = [];
  while (i < 100) before.push(await timed(i++));
  const stopped: number[] = [];
  await redis.stopped(async () => {
    const endMs = performance.now() + STALL_MS;
    while (performance.now() < endMs) stopped.push(await timed(i++));
  });
  await server.close();
  return { before: before.slice(WARM_UP), stopped };
}

async function open(postgres: TestServer, folder: string, redis: TestRedis | undefined) {
  const name = `d${++databases}`;
  await query(postgres, 'postgres', `CREATE DATABASE ${name} OWNER keeper`);
  const { host, port } = postgres.connection();
  const url = `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=keeper`;
  const flags = {
    ...{ 'database-url': url, 'state-folder': join(folder, name), port: 0, 'log-level': 'silent' },
    ...(redis === undefined ? {} : { 'redis-url': redis.url }),
  };
  const server = await runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags }));
  const say = async (i: number): Promise<void> => {
    const message = { role: 'user', content: `Let us go on with part ${i}.` };
    const response = await fetch(`${server.url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'talk', new_messages: [message] }),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  return { name, server, say };
}

/** Only a transaction that writes is given a number. */
async function transactionNumber(postgres: TestServer): Promise<number> {
  const { rows } = await query(
    postgres,
    'postgres',
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS at',
  );
  return Number(rows[0].at);
}

async function query(postgres: TestServer, database: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(postgres.connection(database));
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
