import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { applySchema } from '../../longhand/src/stores/postgres/index.ts';
import { startServer } from '../../longhand/test/postgres/server.ts';
import { TEMPLATE } from './store-place.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the server of the tests listens, and the owner of its databases. */
    readonly postgres: { readonly host: string; readonly port: number; readonly user: string };
  }
}

/** One server for a whole run, with a database to copy: every store of a test is a database of its own. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const root = new pg.Client(server.connection());
  await root.connect();
  // It drops databases on which the server's own clean-up may be at work.
  await root.query('CREATE ROLE keeper LOGIN CREATEROLE CREATEDB IN ROLE pg_signal_backend');
  await root.query(`CREATE DATABASE ${TEMPLATE} OWNER keeper`);
  await root.end();
  const owner = new pg.Client({ ...server.connection(TEMPLATE), user: 'keeper' });
  await owner.connect();
  await applySchema(owner);
  await owner.end();
  const { host, port } = server.connection();
  provide('postgres', { host, port, user: 'keeper' });
  return () => server.stop();
}
