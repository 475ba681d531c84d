import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { applySchema, PostgresStore, type PostgresStoreOptions } from '../../src/stores/postgres/index.ts';
import type { StoreHarness } from '../../src/testing/index.ts';
import { startServer, type TestServer } from './server.ts';

/** A server with Longhand's schema, for the tests of one file. */
export interface TestDatabase {
  readonly server: TestServer;
  /** A login that owns nothing, and is a member of `longhand_app`. */
  readonly pool: pg.Pool;
  /** A login that owns the tables, and is no superuser. */
  readonly owner: pg.Pool;
  store(accountId?: string, options?: Partial<PostgresStoreOptions>): PostgresStore;
}

export function usePostgres(): TestDatabase {
  let server: TestServer;
  let pool: pg.Pool;
  let owner: pg.Pool;
  beforeAll(async () => {
    server = await startServer();
    const root = new pg.Client(server.connection());
    await root.connect();
    await root.query('CREATE ROLE keeper LOGIN CREATEROLE');
    await root.query('CREATE DATABASE memory OWNER keeper');
    await root.end();
    owner = poolFor(server, 'keeper');
    const client = await owner.connect();
    await applySchema(client);
    await client.query('CREATE ROLE server LOGIN IN ROLE longhand_app');
    client.release();
    pool = poolFor(server, 'server');
  });
  afterAll(async () => {
    await Promise.all([pool.end(), owner.end()]);
    await server.stop();
  });
  return {
    get server() {
      return server;
    },
    get pool() {
      return pool;
    },
    get owner() {
      return owner;
    },
    store: (accountId = randomUUID(), options = {}) => new PostgresStore({ pool, accountId, ...options }),
  };
}

export function poolFor(server: TestServer, user: string, more: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...server.connection('memory'), user, max: 10, ...more });
  // A server that is ended takes the idle connections with it.
  pool.on('error', () => undefined);
  return pool;
}

/** Every fixture is an account of its own: what they share is the server, and row-level security keeps them apart. */
export function postgresHarness(database: TestDatabase): StoreHarness {
  return {
    supports: { reopening: true, indexFiles: true, zeroBytes: false },
    make: () => {
      const accountId = randomUUID();
      return { store: database.store(accountId), reopen: () => database.store(accountId) };
    },
  };
}
