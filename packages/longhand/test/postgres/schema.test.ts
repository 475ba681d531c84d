import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeLine } from '../../src/core/line.ts';
import { MemoryManager } from '../../src/index.ts';
import { applySchema, PostgresStore } from '../../src/stores/postgres/index.ts';
import { poolFor, usePostgres } from './open-postgres.ts';

const database = usePostgres();

/** Tables and views with their columns, as people who use SQL find them. */
const COLUMNS: Readonly<Record<string, string>> = {
  accounts: 'account_id change created_at',
  users: 'user_id account_id change generation',
  agents: 'account_id agent_id change',
  account_members: 'account_id user_id role created_at removed_at',
  api_keys:
    'account_id key_id user_id role digest label created_at revoked_at agent_id expires_at last_used_at',
  session_directory: 'account_id session_id user_id',
  agent_sessions:
    'user_id account_id session_id incarnation agent_name summary summarized_count created_at last_activity_at',
  log_heads:
    'user_id account_id kind log_id incarnation generation last_seq line_count log_bytes index_bytes tombstone_bytes change last_append',
  memory_entries: 'user_id account_id session_id seq change line',
  recent_conversation_history:
    'id session_id user_id account_id message_batch archived_at start_timestamp end_timestamp seq change line',
  transcript_log: 'user_id account_id session_id seq change line',
  agent_long_term_memory: 'id user_id account_id agent_name notes created_at updated_at',
  note_versions: 'user_id account_id agent_name seq change line',
  agent_log: 'agent_id account_id user_id is_shared seq change line',
  detail_log: 'user_id account_id session_id memory_key seq change line',
  detail_values: 'user_id account_id session_id value_id chunk name size_bytes written_at bytes',
  erasure_ledger: 'account_id ledger_id seq change line',
  documents: 'user_id account_id kind log_id name body',
  quarantined_lines: 'user_id account_id kind log_id name line',
  recall_manifests: 'user_id account_id family manifest',
  recall_segments: 'user_id account_id family name segment_id bytes',
  leases: 'account_id user_id name holder expires_at',
  servers: 'account_id server_id expires_at',
  turn_leases: 'account_id session_key server_id concerns wanted',
  forgettings: 'account_id forgetting_id server_id concerned',
  forget_notices: 'account_id concerned notice',
  request_keys: 'account_id token request_hash is_done noted_at',
  chat_sessions: 'session_id user_id agent_name summary summarized_count created_at last_activity_at',
  chat_messages: 'id session_id user_id role content created_at',
  memories:
    'id session_id user_id type content importance tags created_at account_id updated_at references replaces provenance',
  agent_memories:
    'id account_id user_id agent_id thread_id memory_key memory_type summary content content_metadata created_at updated_at is_active',
};

async function newDatabase(name: string): Promise<pg.ClientConfig> {
  const root = new pg.Client(database.server.connection());
  await root.connect();
  await root.query(`CREATE DATABASE ${name} OWNER keeper`);
  await root.end();
  return { ...database.server.connection(name), user: 'keeper' };
}

async function apply(connection: pg.ClientConfig) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await applySchema(client);
  } finally {
    await client.end();
  }
}

const MIGRATIONS = new URL('../../src/stores/postgres/migrations/', import.meta.url);
const VERSIONS = readdirSync(MIGRATIONS)
  .map((name) => name.replace(/\.sql$/, ''))
  .sort();

/** A database as an earlier version left it, with a session of ada's in it, written with the columns of the first version. */
async function earlierDatabase(name: string, last: string): Promise<pg.ClientConfig> {
  const connection = await newDatabase(name);
  const owner = new pg.Client(connection);
  await owner.connect();
  for (const version of VERSIONS.filter((each) => each <= last))
    await owner.query(readFileSync(new URL(`${version}.sql`, MIGRATIONS), 'utf8'));
  await owner.end();
  const root = new pg.Client({ ...connection, user: 'postgres' });
  await root.connect();
  const timestamp = '2026-03-02T10:00:00.000Z';
  const memory = (id: string, text: string) => ({
    ...{ schema_version: 1, id, session_id: 'chat', timestamp, type: 'finding', content: { text } },
    ...{ tags: [], references: [], importance: 0.5, decay_factor: 1 },
  });
  const records = [
    { schema_version: 1, record: 'session', session_id: 'chat', timestamp, user_id: 'ada', agents: [] },
    memory('mem_first', 'The harbour opens at nine.'),
    memory('mem_second', 'The bakery is closed on Mondays.'),
  ];
  const lines = records.map((record, i) => encodeLine(JSON.stringify(record), i + 1, true).trimEnd());
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  await root.query(
    "INSERT INTO users (user_id, account_id, change, generation) VALUES ('ada', 'acme', 3, 'first')",
  );
  await root.query(
    "INSERT INTO session_directory (account_id, session_id, user_id) VALUES ('acme', 'chat', 'ada')",
  );
  await root.query(
    "INSERT INTO agent_sessions (user_id, account_id, session_id, incarnation) VALUES ('ada', 'acme', 'chat', 'one')",
  );
  await root.query(
    `INSERT INTO log_heads (user_id, account_id, kind, log_id, incarnation, generation, last_seq, line_count, log_bytes, change)
     VALUES ('ada', 'acme', 'session', 'chat', 'one', 'one', 3, 3, $1, 3)`,
    [bytes],
  );
  await root.query(
    `INSERT INTO memory_entries (user_id, account_id, session_id, seq, change, line)
     SELECT 'ada', 'acme', 'chat', seq, seq, line FROM unnest($1::text[]) WITH ORDINALITY AS l (line, seq)`,
    [lines],
  );
  await root.query(
    "INSERT INTO agent_long_term_memory (user_id, account_id, agent_name, notes) VALUES ('ada', 'acme', 'helper', 'Likes tea.')",
  );
  await root.end();
  return connection;
}

describe('an earlier schema', () => {
  it.each(VERSIONS.slice(0, -1))('%s is upgraded with what is in it', async (version) => {
    const connection = await earlierDatabase(`since_${version}`, version);
    const pool = new pg.Pool(connection);
    onTestFinished(() => pool.end());
    // Twenty servers of the new version start at once.
    const applied = await Promise.all(Array.from({ length: 20 }, () => apply(connection)));
    expect(applied.filter((each) => each.applied.length > 0).map((each) => each.applied)).toEqual([
      VERSIONS.filter((each) => each > version),
    ]);
    const manager = new MemoryManager({
      store: new PostgresStore({ pool, accountId: 'acme' }),
      semantic: false,
    });
    const [found] = await manager.recall('ada', 'When does the harbour open?');
    expect(found).toMatchObject({ id: 'mem_first', content: { text: 'The harbour opens at nine.' } });
    await manager.addMemory('chat', { type: 'finding', content: { text: 'The ferry is late.' } });
    expect((await manager.queryMemories('chat', {})).length).toBe(3);
    await manager.close();
    const { rows } = await pool.query('SELECT version FROM longhand.schema_versions ORDER BY 1');
    expect(rows.map((row) => row.version)).toEqual(VERSIONS);
  });

  it('that showed members what was not shared, or no longer, is corrected', async () => {
    const connection = await earlierDatabase('overshared', '0011_first_look');
    const root = new pg.Client({ ...connection, user: 'postgres' });
    await root.connect();
    onTestFinished(() => root.end());
    const memory = (id: string, share_memory: boolean) =>
      JSON.stringify({ record: 'agent_memory', id, share_memory });
    const lines = [
      ...['{"record":"agent"}', memory('a', true), memory('a', false), memory('b', true)],
      ...[
        '{"record":"delete","ids":["x"]}',
        '{"record":"later"}',
        'no JSON',
        memory('c', false),
        memory('c', true),
      ],
    ];
    const shared = [true, true, false, true, true, true, true, false, true];
    await root.query(
      `INSERT INTO agent_log SELECT 'helper', 'acme', NULL, is_shared, seq, 1, line
       FROM unnest($1::text[], $2::boolean[]) WITH ORDINALITY AS l (line, is_shared, seq)`,
      [lines, shared],
    );
    await root.query(`INSERT INTO documents VALUES ('', 'acme', '', '', 'session-secret', 'abc')`);
    await apply(connection);
    const { rows } = await root.query('SELECT is_shared FROM agent_log ORDER BY seq');
    expect(rows.map(({ is_shared }) => is_shared)).toEqual([
      ...[true, false, false, true, true, false, false, false, true],
    ]);
    expect((await root.query('SELECT * FROM documents')).rows).toEqual([]);
  });

  it('is left as it was when an upgrade fails in the middle', async () => {
    const connection = await earlierDatabase('half_way', VERSIONS[0]!);
    const root = new pg.Client({ ...connection, user: 'postgres' });
    await root.connect();
    // A name that a later file needs is taken.
    await root.query('CREATE VIEW agent_memories AS SELECT 1 AS id');
    await expect(apply(connection)).rejects.toMatchObject({ code: 'IO_FAILED' });
    const versions = async () =>
      (await root.query('SELECT version FROM longhand.schema_versions')).rows.map((row) => row.version);
    expect(await versions()).toEqual([VERSIONS[0]]);
    await root.query('DROP VIEW agent_memories');
    await apply(connection);
    expect((await versions()).sort()).toEqual(VERSIONS);
    await root.end();
  });
});

describe('the schema', () => {
  it('has the tables, views and columns that the documentation lists', async () => {
    const { rows } = await database.owner.query(
      `SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position) AS columns
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '^memory_entries_' GROUP BY 1`,
    );
    expect(Object.fromEntries(rows.map(({ table_name, columns }) => [table_name, columns]))).toEqual(COLUMNS);
    const { rows: nullable } = await database.owner.query(
      `SELECT column_name FROM information_schema.columns
       WHERE table_name = 'recent_conversation_history' AND is_nullable = 'YES'`,
    );
    expect(nullable).toEqual([]);
  });

  it('spreads memories over 16 partitions by user, and leaves long-term memory whole', async () => {
    const { rows } = await database.owner.query(
      `SELECT inhparent::regclass::text AS parent, count(*) FROM pg_inherits
       WHERE inhparent IN (SELECT oid FROM pg_class WHERE relkind = 'p') GROUP BY 1`,
    );
    expect(rows).toEqual([{ parent: 'memory_entries', count: '16' }]);
  });

  it('is applied once when twenty servers start together', async () => {
    const connection = await newDatabase('crowd');
    const applied = await Promise.all(Array.from({ length: 20 }, () => apply(connection)));
    expect(applied.filter((each) => each.applied.length > 0)).toHaveLength(1);
    expect(new Set(applied.map(({ version }) => version)).size).toBe(1);
    expect((await apply(connection)).applied).toEqual([]);
  });

  it('is applied to many databases of one server at the same moment, which share the role', async () => {
    const connections = [];
    for (let i = 0; i < 8; i++) connections.push(await newDatabase(`neighbour${i}`));
    const applied = await Promise.all(connections.map((connection) => apply(connection)));
    expect(applied.map((each) => each.applied.length)).toEqual(connections.map(() => VERSIONS.length));
  });

  it('is left alone when it is newer, and refused when it is older or missing', async () => {
    const connection = await newDatabase('versions');
    const pool = new pg.Pool(connection);
    const store = () => new PostgresStore({ pool, accountId: 'acme' });
    await expect(store().list('user')).rejects.toMatchObject({ code: 'STORAGE_ROOT_UNUSABLE' });
    const { version, applied } = await apply(connection);
    // The owner serves as the application role, for one statement at a time.
    await store().append({ kind: 'session', id: 'one' }, ['{"id":"mem_1"}'], { create: 'new' });
    await pool.query("INSERT INTO longhand.schema_versions (version) VALUES ('9999_later')");
    await expect(apply(connection)).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(store().list('user')).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await pool.query('DELETE FROM longhand.schema_versions WHERE version = ANY ($1)', [
      ['9999_later', version],
    ]);
    await expect(store().list('user')).rejects.toMatchObject({ code: 'STORAGE_ROOT_UNUSABLE' });
    await pool.query('INSERT INTO longhand.schema_versions (version) VALUES ($1)', [version]);
    expect(applied.at(-1)).toBe(version);
    expect(await store().list('session')).toEqual(['one']);
    await pool.end();
  });

  it('gives the application role nothing of its own and no way past row-level security', async () => {
    const { rows } = await database.owner.query(
      `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolconfig,
         (SELECT count(*) FROM pg_class WHERE relowner = r.oid) AS owned
       FROM pg_roles r WHERE rolname = 'longhand_app'`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolconfig: ['plan_cache_mode=force_custom_plan'],
        owned: '0',
      },
    ]);
  });

  it('names the table itself in a publication of long-term memory', async () => {
    const root = poolFor(database.server, 'postgres');
    await root.query('CREATE PUBLICATION notes FOR TABLE agent_long_term_memory');
    await root.query("SELECT pg_create_logical_replication_slot('notes', 'pgoutput')");
    const store = database.store('published');
    const notes = { kind: 'notes', id: 'helper', userId: 'ada' } as const;
    await store.append(notes, [], { create: 'new' });
    await store.writeDocument(notes, 'notes.md', 'Likes tea.');
    const { rows } = await root.query(
      "SELECT data FROM pg_logical_slot_get_binary_changes('notes', NULL, NULL, 'proto_version', '1', 'publication_names', 'notes')",
    );
    const bytes = Buffer.concat(rows.map(({ data }) => data as Buffer));
    expect(bytes.includes('public\0agent_long_term_memory\0')).toBe(true);
    expect(bytes.includes('Likes tea.')).toBe(true);
    await root.query("SELECT pg_drop_replication_slot('notes')");
    await store.close();
    await root.end();
  });
});
