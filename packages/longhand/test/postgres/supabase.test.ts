import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import { applySchema, PostgresStore } from '../../src/stores/postgres/index.ts';
import { startServer, type TestServer } from './server.ts';

/** Postgres with the roles, default grants and publication of a Supabase project, and claims as Supabase sets them. */
const MIGRATIONS = new URL('../../src/stores/postgres/migrations/', import.meta.url);
const DOCUMENTATION = new URL('../../../../docs/supabase.md', import.meta.url);
const PROJECT = `
  CREATE ROLE anon NOLOGIN NOINHERIT;
  CREATE ROLE authenticated NOLOGIN NOINHERIT;
  CREATE ROLE service_role NOLOGIN NOINHERIT BYPASSRLS;
  CREATE ROLE authenticator LOGIN NOINHERIT;
  GRANT anon, authenticated, service_role TO authenticator;
  CREATE ROLE project LOGIN CREATEROLE CREATEDB BYPASSRLS;
  CREATE DATABASE project OWNER project`;
const SET_UP = `
  GRANT ALL ON SCHEMA public TO project;
  GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
  ALTER DEFAULT PRIVILEGES FOR ROLE project IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
  ALTER DEFAULT PRIVILEGES FOR ROLE project IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
  CREATE PUBLICATION supabase_realtime;
  ALTER PUBLICATION supabase_realtime OWNER TO project`;
const VIEWS = ['chat_sessions', 'chat_messages', 'memories', 'agent_memories', 'agent_long_term_memory'];
const HIDDEN = [
  'api_keys',
  'erasure_ledger',
  'documents',
  'leases',
  'recall_segments',
  'log_heads',
  'memory_entries_3',
];
const [ADA, BOB] = ['8f14e45f-ceea-4672-a5f1-000000000001', '8f14e45f-ceea-4672-a5f1-000000000002'];

let server: TestServer;
let project: pg.Pool;
let visitors: pg.Pool;

beforeAll(async () => {
  server = await startServer();
  const root = new pg.Client(server.connection());
  await root.connect();
  for (const statement of PROJECT.split(';')) await root.query(statement);
  await root.end();
  const inProject = new pg.Client(server.connection('project'));
  await inProject.connect();
  await inProject.query(SET_UP);
  await inProject.end();
  project = new pg.Pool({ ...server.connection('project'), user: 'project' });
  visitors = new pg.Pool({ ...server.connection('project'), user: 'authenticator', max: 1 });
  // A server that is ended takes the idle connections with it.
  for (const pool of [project, visitors]) pool.on('error', () => undefined);
  // As a tool for migrations does it: one file after the other, under the names that the documentation gives them.
  const folder = copyMigrations();
  const migrations = join(folder, 'supabase/migrations');
  for (const name of readdirSync(migrations).sort())
    await project.query(readFileSync(join(migrations, name), 'utf8'));
  rmSync(folder, { recursive: true });
});

/** A project in which the commands of docs/supabase.md have copied the migrations of an installed `longhand`. */
function copyMigrations(): string {
  const [, commands] = /^(i=0\n.*?^done)$/ms.exec(readFileSync(DOCUMENTATION, 'utf8'))!;
  const cwd = mkdtempSync(join(tmpdir(), 'longhand-supabase-'));
  cpSync(MIGRATIONS, join(cwd, 'node_modules/longhand/dist/stores/postgres/migrations'), { recursive: true });
  mkdirSync(join(cwd, 'supabase/migrations'), { recursive: true });
  execFileSync('sh', ['-euc', commands!], { cwd });
  return cwd;
}

afterAll(async () => {
  await Promise.all([project.end(), visitors.end()]);
  await server.stop();
});

/** The claims of a token that Supabase has signed. */
const tokenOf = (sub: string, account_id: string | undefined, more: object = {}) => ({
  ...{
    iss: 'https://project.example/auth/v1',
    aud: 'authenticated',
    exp: 1_800_000_000,
    iat: 1_790_000_000,
    sub,
  },
  ...{
    email: 'ada@example.org',
    phone: '',
    role: 'authenticated',
    aal: 'aal1',
    session_id: 'x',
    is_anonymous: false,
  },
  app_metadata: { provider: 'email', providers: ['email'], ...(account_id && { account_id }) },
  user_metadata: { name: 'Ada', account_id: 'globex', role: 'service' },
  ...more,
});

/** A request as Supabase's API makes it: one transaction, its role and its claims. */
async function request(
  role: string,
  claims: object,
  statement: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  const client = await visitors.connect();
  try {
    await client.query('BEGIN');
    await client.query("SELECT set_config('role', $1, true), set_config('request.jwt.claims', $2, true)", [
      role,
      JSON.stringify(claims),
    ]);
    return await client.query(statement, values);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function fill(accountId: string): Promise<void> {
  const manager = new MemoryManager({
    store: new PostgresStore({ pool: project, accountId }),
    semantic: false,
  });
  const { transcripts, notes, journal, agents, details } = await manager.layers();
  await agents.ensure('helper');
  for (const user of [ADA, BOB] as const) {
    const session = `${accountId}-${user}`;
    await manager.createSession(user, { session_id: session });
    await manager.addMemory(session, { type: 'finding', content: { text: 'Likes tea.' } });
    await transcripts.archive(session, [{ id: 'm1', role: 'user', content: 'Hello.' }]);
    await notes.apply(user, 'helper', { operation: 'overwrite', content: 'Likes tea.\n' });
    await journal.save('helper', 'core', 'Is kind.', { provenance: { user_id: user } });
    await details.store(session, { content: 'output', description: 'a command' });
  }
  await manager.close();
}

describe('a Supabase project', () => {
  beforeAll(async () => {
    for (const account of ['acme', 'globex']) await fill(account);
  });

  it('takes the migrations one by one, and applySchema finds nothing left to do', async () => {
    const client = await project.connect();
    expect((await applySchema(client)).applied).toEqual([]);
    client.release();
  });

  it('has given its roles nothing of Longhand, whatever its default grants are', async () => {
    const { rows } = await project.query(
      `SELECT c.relname, r.rolname FROM pg_class c, pg_roles r
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND r.rolname IN ('anon', 'authenticated')
         AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`,
    );
    expect(rows).toEqual([]);
  });

  it('shows people their own rows, once the SQL of docs/supabase.md has run', async () => {
    const blocks = [...readFileSync(DOCUMENTATION, 'utf8').matchAll(/```sql\n(.*?)```/gs)].map(
      ([, sql]) => sql!,
    );
    expect(blocks).toHaveLength(2);
    for (const sql of blocks) await project.query(sql);
    const token = tokenOf(ADA, 'acme');
    for (const view of VIEWS) {
      const { rows } = await request('authenticated', token, `SELECT DISTINCT user_id FROM ${view}`);
      expect(rows, view).toEqual([{ user_id: ADA }]);
    }
    const { rows: sessions } = await request('authenticated', token, 'SELECT session_id FROM chat_sessions');
    expect(sessions).toEqual([{ session_id: `acme-${ADA}` }]);
    // Detail, core and finding of ada's in acme.
    const { rows: own } = await request(
      'authenticated',
      token,
      'SELECT content FROM agent_memories ORDER BY content',
    );
    expect(own.map(({ content }) => content)).toEqual(['Is kind.', 'Likes tea.', 'output']);
  });

  it('shows nothing to a token without an account, whatever people write about themselves, and nothing to visitors', async () => {
    for (const view of VIEWS) {
      for (const token of [tokenOf(ADA, undefined), tokenOf('', 'acme'), tokenOf(ADA, 'none'), {}])
        expect((await request('authenticated', token, `SELECT * FROM ${view}`)).rows, view).toEqual([]);
      const visitor = { role: 'anon', iss: 'supabase' };
      await expect(request('anon', visitor, `SELECT * FROM ${view}`)).rejects.toMatchObject({
        code: '42501',
      });
    }
  });

  it('lets people write nothing, and read no table of the server', async () => {
    const token = tokenOf(ADA, 'acme');
    for (const statement of [
      `INSERT INTO agent_long_term_memory (user_id, account_id, agent_name, notes) VALUES ('${ADA}', 'acme', 'x', 'y')`,
      "UPDATE agent_long_term_memory SET notes = 'y'",
      'DELETE FROM memory_entries',
      'TRUNCATE memory_entries',
      `SELECT longhand.remove('{"account_id":"acme","role":"service"}', 'user', '${BOB}', NULL, NULL)`,
      `SELECT longhand.enter('{"account_id":"acme","role":"service"}')`,
      'SET ROLE longhand_app',
      ...HIDDEN.map((table) => `SELECT * FROM ${table}`),
    ])
      await expect(request('authenticated', token, statement), statement).rejects.toMatchObject({
        code: '42501',
      });
  });

  it('lets the service key read every account', async () => {
    const { rows } = await request(
      'service_role',
      { role: 'service_role', iss: 'supabase' },
      'SELECT DISTINCT account_id FROM agent_long_term_memory ORDER BY 1',
    );
    expect(rows.map(({ account_id }) => account_id)).toEqual(['acme', 'globex']);
  });

  it('publishes changes of notes under the name of the table, for each subscriber to be checked by its policy', async () => {
    const root = new pg.Client(server.connection('project'));
    await root.connect();
    await root.query("SELECT pg_create_logical_replication_slot('realtime', 'pgoutput')");
    const store = new PostgresStore({ pool: project, accountId: 'acme' });
    await store.writeDocument({ kind: 'notes', id: 'helper', userId: ADA }, 'notes.md', 'Likes coffee.');
    const { rows } = await root.query(
      "SELECT data FROM pg_logical_slot_get_binary_changes('realtime', NULL, NULL, 'proto_version', '1', 'publication_names', 'supabase_realtime')",
    );
    const bytes = Buffer.concat(rows.map(({ data }) => data as Buffer));
    expect(bytes.includes('public\0agent_long_term_memory\0')).toBe(true);
    expect(bytes.includes('Likes coffee.')).toBe(true);
    const { rows: changed } = await root.query(
      "SELECT id FROM agent_long_term_memory WHERE notes = 'Likes coffee.'",
    );
    const isVisibleTo = async (user: string): Promise<boolean> => {
      const check = 'SELECT 1 FROM agent_long_term_memory WHERE id = $1';
      return (
        (await request('authenticated', tokenOf(user, 'acme'), check, [changed[0].id])).rows.length === 1
      );
    };
    expect([await isVisibleTo(ADA), await isVisibleTo(BOB)]).toEqual([true, false]);
    await root.query("SELECT pg_drop_replication_slot('realtime')");
    await root.end();
    await store.close();
  });
});
