import { applySchema, type PostgresPool, PostgresStore } from 'longhand/postgres';
import pg from 'pg';
import { startServer, type TestServer } from '../../packages/longhand/test/postgres/server.ts';

const DATABASE = 'memory';
/** Of every contender, so that none waits less for a connection. */
const CONNECTIONS = 10;

/** One Postgres server with Longhand's tables; the peers make theirs beside them. */
export interface Database {
  readonly server: TestServer;
  /** Of a login that owns the database, for the peers and for what is done behind Longhand's back. */
  readonly ownerConfig: pg.PoolConfig;
  owner(): pg.Pool;
  /** A pool of a login that owns nothing and is a member of `longhand_app`: row-level security is in force. */
  app(): pg.Pool;
  /** The same, for a pool of another process. */
  readonly appConfig: pg.PoolConfig;
  /** Past row-level security. */
  superuser(): pg.Pool;
}

/** Runs work with a server of its own, which is gone afterwards. */
export async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const server = await startServer(undefined, { asDeployed: true });
  const pools: pg.Pool[] = [];
  const configOf = (user: string): pg.PoolConfig => ({
    ...server.connection(DATABASE),
    user,
    max: CONNECTIONS,
  });
  const poolOf = (user: string): pg.Pool => {
    const pool = new pg.Pool(configOf(user));
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const root = new pg.Client(server.connection());
  await root.connect();
  await root.query('CREATE ROLE keeper LOGIN CREATEROLE');
  await root.query(`CREATE DATABASE ${DATABASE} OWNER keeper`);
  await root.end();
  const owner = await poolOf('keeper').connect();
  await applySchema(owner);
  await owner.query('CREATE ROLE server LOGIN IN ROLE longhand_app');
  owner.release();
  const result = await work({
    server,
    ownerConfig: configOf('keeper'),
    owner: () => poolOf('keeper'),
    app: () => poolOf('server'),
    appConfig: configOf('server'),
    superuser: () => poolOf('postgres'),
  });
  // Not when it failed: a pool of a peer that listens to no error would hide what went wrong.
  await Promise.all(pools.map((pool) => (pool.ended ? undefined : pool.end())));
  await server.stop();
  return result;
}

export const ACCOUNT = 'bench';

/** A store, and how many trips it has made to the server. */
export interface CountedStore {
  readonly store: PostgresStore;
  readonly trips: () => number;
}

export function countedStore(pool: pg.Pool): CountedStore {
  let trips = 0;
  const counted: PostgresPool = {
    query: (text, values) => {
      trips++;
      return pool.query(text, values);
    },
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (text, values) => {
          trips++;
          return client.query(text, values);
        },
        release: (destroy) => client.release(destroy),
      };
    },
  };
  return { store: new PostgresStore({ pool: counted, accountId: ACCOUNT }), trips: () => trips };
}
