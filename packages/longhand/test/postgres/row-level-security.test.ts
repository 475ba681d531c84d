import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readLog } from '../../src/core/read-log.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { poolFor, usePostgres } from './open-postgres.ts';

/** The ways in which row-level security is known to fail on Postgres, each tried on the schema. */
const database = usePostgres();
const NEW = { create: 'new' } as const;
const line = (id: string, text = 'secret'): string =>
  JSON.stringify({ schema_version: 1, id, type: 'finding', content: { text } });

/** An account with one memory of ada's and one of bob's. */
async function filledAccount(): Promise<string> {
  const account = randomUUID();
  const store = database.store(account);
  for (const user of ['ada', 'bob'])
    await store.append({ kind: 'session', id: user, userId: user }, [line(`mem_${user}`)], NEW);
  await store.close();
  return account;
}

function root(): pg.Pool {
  const pool = poolFor(database.server, 'postgres');
  onTestFinished(() => pool.end());
  return pool;
}

function single(user = 'server'): pg.Pool {
  const pool = poolFor(database.server, user, { max: 1 });
  onTestFinished(() => pool.end());
  return pool;
}

const claimsOf = (account_id: string, sub: string): string =>
  JSON.stringify({ account_id, sub, role: 'member' });

/** What a statement counts inside a transaction of the application role with claims. */
async function countAs(pool: pg.Pool, claims: string, statement: string): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT longhand.enter($1)', [claims]);
    return Number((await client.query(statement)).rows[0].count);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the catalog', () => {
  const ask = async (query: string): Promise<pg.QueryResultRow[]> => (await database.owner.query(query)).rows;

  it('forces row-level security on every table and partition, with a policy for each command or no grant', async () => {
    expect(
      await ask(`SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'longhand'::regnamespace)
        AND relkind IN ('r', 'p') AND NOT (relrowsecurity AND relforcerowsecurity)`),
    ).toEqual([{ relname: 'schema_versions' }]);
    expect(
      await ask(`SELECT c.relname, count(p.polname)::integer AS policies FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        GROUP BY 1 HAVING count(p.polname) < 4 AND NOT bool_or(p.polcmd = '*')`),
    ).toEqual([]);
    // A policy that asks for no account would show every account's rows.
    expect(
      await ask(`SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public'
        AND (coalesce(qual, with_check) !~ 'longhand\\.account\\(\\)' OR permissive <> 'PERMISSIVE')`),
    ).toEqual([]);
    expect(
      await ask(`SELECT relname FROM pg_class WHERE relispartition AND relnamespace = 'public'::regnamespace
        AND has_table_privilege('longhand_app', oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')`),
    ).toEqual([]);
  });

  it('has no view that asks as its owner, and no function that does', async () => {
    expect(
      await ask(`SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace IN ('public'::regnamespace, 'longhand'::regnamespace)
        AND NOT coalesce(reloptions @> ARRAY['security_invoker=true'], false)`),
    ).toEqual([]);
    expect(
      await ask(
        `SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace IN ('public'::regnamespace, 'longhand'::regnamespace)`,
      ),
    ).toEqual([]);
    // What every role may call changes nothing and sets no claims.
    expect(
      await ask(`SELECT proname FROM pg_proc WHERE pronamespace = 'longhand'::regnamespace AND provolatile = 'v'
        AND (proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) AS a WHERE a.grantee = 0))`),
    ).toEqual([]);
  });

  it('gives the application role no rights beyond rows, and no other role', async () => {
    expect(
      await ask(`SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
        (SELECT count(*)::integer FROM pg_auth_members m WHERE m.member = r.oid) AS memberships,
        (SELECT count(*)::integer FROM pg_class c WHERE c.relowner = r.oid) AS relations,
        (SELECT count(*)::integer FROM pg_proc p WHERE p.proowner = r.oid) AS functions
        FROM pg_roles r WHERE rolname = 'longhand_app'`),
    ).toEqual([
      {
        ...{
          rolsuper: false,
          rolbypassrls: false,
          rolcreaterole: false,
          rolcreatedb: false,
          rolreplication: false,
        },
        ...{ rolcanlogin: false, memberships: 0, relations: 0, functions: 0 },
      },
    ]);
    expect(
      await ask(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND has_table_privilege('longhand_app', oid, 'TRUNCATE, REFERENCES, TRIGGER')`),
    ).toEqual([]);
  });
});

describe('a way around row-level security', () => {
  it('is not the owner, who would see all rows of a table without FORCE', async () => {
    await filledAccount();
    const count = async (): Promise<number> =>
      Number((await database.owner.query('SELECT count(*) FROM memory_entries')).rows[0].count);
    expect(await count()).toBe(0);
    await database.owner.query('ALTER TABLE memory_entries NO FORCE ROW LEVEL SECURITY');
    expect(await count()).toBeGreaterThan(1);
    await database.owner.query('ALTER TABLE memory_entries FORCE ROW LEVEL SECURITY');
    expect(await count()).toBe(0);
  });

  it.each([
    ['bypasses it', 'BYPASSRLS', 'NOBYPASSRLS'],
    ['is a superuser', 'SUPERUSER', 'NOSUPERUSER'],
  ])('is not a role that %s: the store refuses to serve', async (_, grant, revoke) => {
    const account = await filledAccount();
    const admin = root();
    await admin.query(`ALTER ROLE longhand_app ${grant}`);
    expect(
      await countAs(database.pool, claimsOf(account, 'ada'), 'SELECT count(*) FROM memory_entries'),
    ).toBeGreaterThan(1);
    const refused = database.store(account);
    await expect(refused.list('session')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(
      refused.append({ kind: 'session', id: 'new', userId: 'ada' }, [line('mem_x')], NEW),
    ).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await admin.query(`ALTER ROLE longhand_app ${revoke}`);
    expect(await refused.list('session')).toEqual(['ada', 'bob']);
    await refused.close();
  });

  it('is not a role that owns the tables: the store refuses to serve', async () => {
    const account = await filledAccount();
    const admin = root();
    await admin.query('ALTER TABLE memory_entries OWNER TO longhand_app');
    const store = database.store(account);
    await expect(store.list('session')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await admin.query('ALTER TABLE memory_entries OWNER TO keeper');
    // What the role was granted went with its ownership.
    await admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON memory_entries TO longhand_app');
    expect(await store.list('session')).toEqual(['ada', 'bob']);
    await store.close();
  });

  it.each([
    ['owns any table', 'ALTER TABLE api_keys OWNER TO longhand_app', 'ALTER TABLE api_keys OWNER TO keeper'],
    [
      'owns the schema',
      'ALTER SCHEMA longhand OWNER TO longhand_app',
      'ALTER SCHEMA longhand OWNER TO keeper',
    ],
    [
      'owns the database',
      'ALTER DATABASE memory OWNER TO longhand_app',
      'ALTER DATABASE memory OWNER TO keeper',
    ],
    [
      'is a member of the owner',
      'REVOKE longhand_app FROM keeper; GRANT keeper TO longhand_app',
      'REVOKE keeper FROM longhand_app; GRANT longhand_app TO keeper',
    ],
    [
      'is a member of a role that bypasses it',
      'CREATE ROLE past BYPASSRLS; GRANT past TO longhand_app',
      'DROP ROLE past',
    ],
    [
      'is a member of a member of a superuser',
      'CREATE ROLE past; CREATE ROLE above SUPERUSER; GRANT above TO past; GRANT past TO longhand_app',
      'DROP ROLE past; DROP ROLE above',
    ],
  ])('is not a role that %s: the store refuses to serve', async (_, change, undo) => {
    const admin = root();
    await admin.query(change);
    const store = database.store(randomUUID());
    await expect(store.list('session')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await admin.query(undo);
    await admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO longhand_app');
    await admin.query('GRANT USAGE ON SCHEMA longhand TO longhand_app');
    expect(await store.list('session')).toEqual([]);
    await store.close();
  });

  it('is a plain view or a SECURITY DEFINER function of a superuser, and no view of the schema', async () => {
    const account = await filledAccount();
    const admin = root();
    await admin.query('CREATE VIEW leaking AS SELECT * FROM memory_entries');
    await admin.query(
      'CREATE FUNCTION leak() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM memory_entries $$',
    );
    await admin.query('GRANT SELECT ON leaking TO longhand_app');
    const ada = claimsOf(account, 'ada');
    // The catalog test above finds such a view and such a function; this is what they would show.
    expect(await countAs(database.pool, ada, 'SELECT count(*) FROM leaking')).toBeGreaterThan(1);
    expect(await countAs(database.pool, ada, 'SELECT leak() AS count')).toBeGreaterThan(1);
    for (const view of ['memories', 'agent_memories', 'chat_sessions'])
      expect(await countAs(database.pool, ada, `SELECT count(*) FROM ${view}`), view).toBe(1);
    await admin.query('DROP VIEW leaking; DROP FUNCTION leak()');
  });

  it('is not what another client left on the one connection of the pool', async () => {
    const [mine, other] = [await filledAccount(), await filledAccount()];
    const pool = single();
    const [first] = (await pool.query('SELECT pg_backend_pid() AS pid')).rows;
    // A careless client sets claims for its whole session, and leaves them there.
    await pool.query("SELECT set_config('request.jwt.claims', $1, false)", [claimsOf(other, 'bob')]);
    expect(Number((await pool.query('SELECT count(*) FROM memory_entries')).rows[0].count)).toBe(1);
    const store = new PostgresStore({ pool, accountId: mine, principal: { role: 'member', sub: 'ada' } });
    for (let round = 0; round < 3; round++) {
      expect(await store.list('session')).toEqual(['ada']);
      expect(await store.read([{ log: { kind: 'session', id: 'bob' } }])).toEqual([undefined]);
    }
    const { rows } = await pool.query(
      "SELECT pg_backend_pid() AS pid, current_setting('request.jwt.claims', true) AS claims, current_user AS role",
    );
    expect(rows).toEqual([{ ...first, claims: claimsOf(other, 'bob'), role: 'server' }]);
    await store.close();
  });

  it('is not a setting for one transaction that ended, which is then empty and not NULL', async () => {
    const account = await filledAccount();
    const pool = single();
    const claims = claimsOf(account, 'ada');
    // Outside of a transaction, a local setting has ended before the next statement begins.
    await pool.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
    const left = async () =>
      (
        await pool.query(
          "SELECT current_setting('request.jwt.claims', true) AS claims, (SELECT count(*) FROM memory_entries) AS count",
        )
      ).rows[0];
    expect(await left()).toEqual({ claims: '', count: '0' });
    await pool.query('BEGIN');
    await pool.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
    expect(await left()).toEqual({ claims, count: '1' });
    await pool.query('COMMIT');
    expect(await left()).toEqual({ claims: '', count: '0' });
  });

  it('is not a text with SQL or JSON in it, wherever the store takes one', async () => {
    const [mine, other] = [await filledAccount(), await filledAccount()];
    const admin = root();
    const foreign = claimsOf(other, 'bob');
    const attacks = [
      `'; SELECT set_config('request.jwt.claims', '${foreign}', true); --`,
      `$1$2','${foreign}') --`,
      `ada","role":"service","account_id":"${other}`,
      '\\"},"role":"service"',
      "%' OR ''='",
    ];
    const before = (await admin.query('SELECT count(*) FROM memory_entries WHERE account_id = $1', [other]))
      .rows;
    for (const attack of attacks) {
      const store = new PostgresStore({
        pool: database.pool,
        accountId: mine,
        principal: { role: 'member', sub: attack },
      });
      expect(await store.list('session'), attack).toEqual([]);
      const log = { kind: 'session', id: `id-${randomUUID()}`, userId: attack } as const;
      await store.append(log, [line(`mem_${attack}`, attack)], NEW);
      await store.writeDocument(log, 'metadata.json', attack);
      const { lines } = await readLog(store, log);
      expect(JSON.parse(lines[0]!.text)).toMatchObject({ id: `mem_${attack}`, content: { text: attack } });
      expect(await store.readDocument(log, 'metadata.json')).toBe(attack);
      expect(await store.read([{ log: { kind: 'session', id: 'bob' }, holding: attack }])).toEqual([
        undefined,
      ]);
      for await (const { place } of store.scan()) expect(place.split('/')).not.toContain('bob');
      await store.close();
      const stranger = new PostgresStore({ pool: database.pool, accountId: attack });
      expect(await stranger.list('user')).toEqual([]);
      await stranger.close();
    }
    expect(
      (await admin.query('SELECT count(*) FROM memory_entries WHERE account_id = $1', [other])).rows,
    ).toEqual(before);
  });
});
