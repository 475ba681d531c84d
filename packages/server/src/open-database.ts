import { join } from 'node:path';
import { IOError, type LogStore } from 'longhand';
import { applySchema, PostgresCalls, PostgresStore, schemaState, translated } from 'longhand/postgres';
import pg from 'pg';
import { type ServerConfig, withoutCredentials } from './config/server-config.ts';
import type { OpenRedis } from './open-redis.ts';

/**
 * A Postgres database as a store. The login may be an ordinary owner: the tables are made or upgraded with it, and every
 * statement of the store then runs as `longhand_app`, which owns nothing and bypasses nothing. One store serves one
 * account; all of them share the pool, which ends with the last of them.
 */
export class Database {
  /** The address without its credentials. */
  readonly place: string;
  /** Every statement of a store runs as this role, whatever the login is. */
  readonly role = 'longhand_app';
  /** The migrations that were applied now. */
  readonly applied: readonly string[];
  readonly #pool: pg.Pool;
  /** Connects when something is forgotten: deleted bytes go only with the rights of the role that owns the tables. */
  readonly #owner: pg.Pool;
  readonly #cacheFolder: string;
  readonly #stores = new Set<LogStore>();

  private constructor(
    { databaseUrl, databaseOwnerUrl, stateFolder }: DatabaseConfig,
    applied: readonly string[],
  ) {
    this.place = withoutCredentials(databaseUrl);
    this.applied = applied;
    this.#cacheFolder = join(stateFolder, 'cache');
    this.#pool = poolOf(databaseUrl, { max: POOL_SIZE });
    this.#owner = poolOf(databaseOwnerUrl ?? databaseUrl, { max: 1, idleTimeoutMillis: 1_000 });
  }

  /** @throws IOError ACCESS_DENIED, STORAGE_ROOT_UNUSABLE, IO_FAILED; ValidationError SCHEMA_TOO_NEW */
  static async open(config: DatabaseConfig, schema: SchemaWish): Promise<Database> {
    const applied = await prepare(config, schema);
    return new Database(config, applied);
  }

  /** Ends it, when no store is open. */
  async close(): Promise<void> {
    if (this.#stores.size === 0) await Promise.all([this.#pool.end(), this.#owner.end()]);
  }

  /** What the servers of an account share beside its store. */
  calls(accountId: string): PostgresCalls {
    return new PostgresCalls(this.#pool, { role: 'service', account_id: accountId }, RECONNECT_MS);
  }

  /** Row-level security lets it reach this account and no other. @param redis hears of what is written, and ends with it */
  store(accountId: string, cacheBytes?: number, redis?: OpenRedis): LogStore {
    const caches = { cacheFolder: this.#cacheFolder, ...(cacheBytes === undefined ? {} : { cacheBytes }) };
    const onWrite = (user: string): void => redis?.news.announce({ user });
    const store = new PostgresStore({ pool: this.#pool, owner: this.#owner, accountId, ...caches, onWrite });
    const close = store.close.bind(store);
    store.close = async () => {
      await close();
      redis?.close();
      if (this.#stores.delete(store)) await this.close();
    };
    this.#stores.add(store);
    return store;
  }
}

/** What is done about the tables: `upgrade` makes them or brings them up to date, `make` makes them, `need` does neither. */
export type SchemaWish = 'upgrade' | 'make' | 'need';

type DatabaseConfig = Pick<ServerConfig, 'databaseOwnerUrl' | 'stateFolder'> & {
  readonly databaseUrl: string;
};

const POOL_SIZE = 10;
const CONNECT_MS = 10_000;
/** How long a call waits for a database that restarts. */
const RECONNECT_MS = 10_000;

/** Connects before the pool does, so that a wrong address, role or table is reported when the server starts. */
async function prepare(config: DatabaseConfig, wish: SchemaWish): Promise<readonly string[]> {
  const owner = new pg.Client(connection(config.databaseOwnerUrl ?? config.databaseUrl));
  owner.on('error', () => undefined);
  try {
    await owner.connect();
    const state = await schemaState(owner);
    if (state === 'missing' && wish === 'need') throw noTables(config.databaseUrl);
    // The store refuses one that is older or newer, and says what to do.
    const applies = state === 'missing' || (state === 'older' && wish === 'upgrade');
    return applies ? (await applySchema(owner)).applied : [];
  } catch (error) {
    throw translated(error);
  } finally {
    await owner.end().catch(() => undefined);
  }
}

function poolOf(url: string, size: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...connection(url), ...size });
  // A server that ends takes idle connections with it. The next statement tells, or gets a new one.
  pool.on('error', () => undefined);
  return pool;
}

function connection(url: string): pg.ClientConfig {
  return { connectionString: url, connectionTimeoutMillis: CONNECT_MS, application_name: 'longhand' };
}

function noTables(url: string): IOError {
  const place = withoutCredentials(url);
  return new IOError(
    'STORAGE_ROOT_UNUSABLE',
    `There is no store in ${place}. Check --database-url; longhand remember, add, import, chat, serve and mcp make one.`,
    { details: { database: place } },
  );
}
