import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { poolFor, usePostgres } from './open-postgres.ts';

const database = usePostgres();
const ACCOUNT = 'acme';
const OTHER_ACCOUNT = 'globex';
const USERS = ['ada', 'bob'];
const SECRET = 'The code is 1234.';

interface Claims {
  readonly account_id?: string;
  readonly sub?: string;
  readonly role?: string;
}

/** Every table that holds something of a user or an account, with the view that shows it. */
const FILLED = [
  'users',
  'session_directory',
  'agent_sessions',
  'log_heads',
  'memory_entries',
  'recent_conversation_history',
  'transcript_log',
  'agent_long_term_memory',
  'note_versions',
  'detail_log',
  'detail_values',
  'documents',
  'recall_manifests',
  'recall_segments',
  'chat_sessions',
  'chat_messages',
  'memories',
  'agent_memories',
];

const line = (fields: object): string => JSON.stringify({ schema_version: 1, ...fields });
const at = '2026-03-02T10:00:00.000Z';

async function fill(store: PostgresStore, userId: string, prefix: string): Promise<void> {
  const id = `${prefix}_${userId}`;
  const session = { kind: 'session', id, userId } as const;
  await store.append(session, [line({ record: 'session', session_id: id, timestamp: at, user_id: userId })], {
    create: 'new',
  });
  const memory = { id: 'mem_1', type: 'finding', timestamp: at, content: { text: SECRET }, tags: [] };
  await store.append(session, [line(memory)]);
  const message = { id: 'm1', role: 'user', content: SECRET, timestamp: at };
  const batch = {
    record: 'batch',
    timestamp: at,
    start_timestamp: at,
    end_timestamp: at,
    messages: [message],
  };
  const summary = { record: 'summary', timestamp: at, summarized_count: 1, text: SECRET };
  await store.append({ kind: 'transcript', id }, [line(batch), line(summary)], { create: 'new' });
  await store.writeBlob(session, 'blob_1', [Buffer.from(SECRET)]);
  const detail = {
    record: 'detail',
    memory_key: 'key_1',
    blob: 'blob_1',
    memory_type: 'command_output',
    summary: SECRET,
  };
  await store.append({ kind: 'details', id }, [line({ ...detail, timestamp: at, is_utf8: true })], {
    create: 'new',
  });
  await store.writeDocument(session, 'metadata.json', SECRET);
  const notes = { kind: 'notes', id: 'helper', userId } as const;
  await store.append(notes, [line({ record: 'version', version: 1, text: SECRET })], { create: 'new' });
  await store.writeDocument(notes, 'notes.md', SECRET);
  await store.publishIndex(userId, 'index', undefined, async (writer) => {
    (await writer.write('one.segment', Buffer.from(SECRET))).close();
    return { manifest: SECRET, names: ['one.segment'] };
  });
  const agent = { kind: 'agent', id: 'helper' } as const;
  const entry = {
    record: 'agent_memory',
    id: `mem_${userId}`,
    memory_type: 'journal',
    content: SECRET,
    timestamp: at,
  };
  const provenance = { author: 'assistant', trust: 'agent', user_id: userId };
  await store.append(agent, [line({ ...entry, share_memory: false, provenance })], { create: 'missing' });
}

beforeAll(async () => {
  for (const account of [ACCOUNT, OTHER_ACCOUNT]) {
    const store = database.store(account);
    for (const user of USERS) await fill(store, user, account);
    const agent = { kind: 'agent', id: 'helper' } as const;
    const entry = { record: 'agent_memory', memory_type: 'core', content: 'Be kind.', timestamp: at };
    const provenance = { author: 'user', trust: 'owner' };
    await store.append(agent, [
      line({ record: 'agent', agent_id: 'helper', timestamp: at }),
      line({ ...entry, id: 'mem_shared', share_memory: true, provenance: { ...provenance, user_id: 'ada' } }),
      line({ ...entry, id: 'mem_unknown', provenance }),
    ]);
    const ledger = { kind: 'ledger', id: account } as const;
    await store.append(ledger, [line({ record: 'erasure' })], { create: 'new' });
    await store.close();
  }
});

/** Runs one statement as the application role, with these claims or without any. */
async function as(
  claims: Claims | undefined,
  statement: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL ROLE longhand_app');
    if (claims !== undefined)
      await client.query("SELECT set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
    return await client.query(statement, values);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const countOf = async (claims: Claims | undefined, table: string): Promise<number> =>
  Number((await as(claims, `SELECT count(*) FROM ${table}`)).rows[0].count);

const ADA: Claims = { account_id: ACCOUNT, sub: 'ada', role: 'member' };
const SERVICE: Claims = { account_id: ACCOUNT, role: 'service' };

describe('row-level security', () => {
  it('is enabled and forced on every table and partition, and each view asks as its caller', async () => {
    const { rows } = await database.owner.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT (relrowsecurity AND relforcerowsecurity)`,
    );
    expect(rows).toEqual([]);
    const { rows: views } = await database.owner.query(
      `SELECT relname, reloptions FROM pg_class WHERE relkind = 'v'
       AND relnamespace IN ('public'::regnamespace, 'longhand'::regnamespace)`,
    );
    expect(views).toHaveLength(5);
    for (const { relname, reloptions } of views)
      expect(reloptions, relname).toContain('security_invoker=true');
    const { rows: definers } = await database.owner.query(
      `SELECT proname FROM pg_proc WHERE pronamespace = 'longhand'::regnamespace AND prosecdef`,
    );
    expect(definers).toEqual([]);
  });

  it.each(FILLED)('shows no row of %s without claims, and those of the user with them', async (table) => {
    expect(await countOf(undefined, table)).toBe(0);
    // Agents have rows that are for every user of the account.
    for (const claims of [
      {},
      { account_id: ACCOUNT },
      { sub: 'ada' },
      { role: 'service' },
      { ...ADA, account_id: 'none' },
      { ...ADA, sub: '' },
    ])
      if (table !== 'agent_memories') expect(await countOf(claims, table), JSON.stringify(claims)).toBe(0);
    const { rows } = await as(ADA, `SELECT DISTINCT user_id FROM ${table} WHERE user_id IS NOT NULL`);
    expect(rows).toEqual([{ user_id: 'ada' }]);
    const { rows: all } = await as(
      SERVICE,
      `SELECT DISTINCT user_id FROM ${table} WHERE user_id <> '' ORDER BY 1`,
    );
    expect(all.map(({ user_id }) => user_id)).toEqual(USERS);
  });

  it('shows a session with the newest summary that stands', async () => {
    const { rows } = await as(ADA, 'SELECT summary, summarized_count FROM chat_sessions');
    expect(rows).toEqual([{ summary: SECRET, summarized_count: 1 }]);
  });

  it('shows nothing to claims that were emptied, or are no JSON object', async () => {
    for (const text of ['', '{}', 'null', '[]', '"ada"']) {
      const client = await database.pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(
          "SELECT set_config('role', 'longhand_app', true), set_config('request.jwt.claims', $1, true)",
          [text],
        );
        expect((await client.query('SELECT count(*) FROM memory_entries')).rows[0].count, text).toBe('0');
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    }
  });

  it('shows an agent’s rows to those who may see them', async () => {
    const ids = async (claims: Claims): Promise<string[]> => {
      const { rows } = await as(
        claims,
        `SELECT line::jsonb ->> 'id' AS id FROM agent_log WHERE line::jsonb ? 'id' ORDER BY 1`,
      );
      return rows.map(({ id }) => id);
    };
    expect(await ids(ADA)).toEqual(['mem_ada', 'mem_shared']);
    expect(await ids({ ...ADA, sub: 'bob' })).toEqual(['mem_bob', 'mem_shared']);
    const all = ['mem_ada', 'mem_bob', 'mem_shared', 'mem_unknown'];
    expect(await ids({ ...ADA, role: 'admin' })).toEqual(all);
    expect(await ids(SERVICE)).toEqual(all);
    expect(await countOf({ ...ADA, account_id: 'none' }, 'agent_log')).toBe(0);
    const settings = await as(ADA, `SELECT count(*) FROM agent_log WHERE line::jsonb ->> 'record' = 'agent'`);
    expect(settings.rows[0].count).toBe('1');
    expect(await countOf({ ...ADA, role: 'admin' }, 'memory_entries')).toBe(
      await countOf(ADA, 'memory_entries'),
    );
  });

  it('shows no member what is shared no longer, or what is no record of ours', async () => {
    const store = database.store('unsharing');
    const manager = new MemoryManager({ store, account: 'unsharing', semantic: false });
    const { agents, journal } = await manager.layers();
    await agents.ensure('helper');
    const saved = await journal.save('helper', 'core', 'CANARY of ada', { provenance: { user_id: 'ada' } });
    const bob = { account_id: 'unsharing', sub: 'bob', role: 'member' };
    const seen = async () => [
      (await as(bob, 'SELECT content FROM agent_memories')).rows.map(({ content }) => content),
      (await as(bob, `SELECT line FROM agent_log WHERE line ~ 'CANARY'`)).rows.length,
    ];
    const share = (isShared: boolean) => journal.share('helper', saved.id, isShared);
    expect(await seen()).toEqual([[], 0]);
    await share(true);
    expect(await seen()).toEqual([['CANARY of ada'], 1]);
    await share(false);
    expect(await seen()).toEqual([[], 0]);
    await journal.edit('helper', saved.id, 'CANARY of ada, edited');
    expect(await seen()).toEqual([[], 0]);
    await share(true);
    expect(await seen()).toEqual([['CANARY of ada, edited'], 1]);
    await share(false);
    // Lines that are written again, earlier texts too.
    await manager
      .as({ account_id: 'unsharing', role: 'admin' })
      .redact({ agent: 'helper', memory: saved.id, text: 'of ada' });
    expect(await seen()).toEqual([[], 0]);
    const log = { kind: 'agent', id: 'helper' } as const;
    for (const body of ['{"record":"later","text":"CANARY"}', '{"CANARY"', '"CANARY"', '{"text":"CANARY"}'])
      await store.append(log, [body]);
    expect(await seen()).toEqual([[], 0]);
    await manager.close();
  });

  it('lets no user write for another user or account', async () => {
    const insert = `INSERT INTO memory_entries (user_id, account_id, session_id, seq, change, line) VALUES ($1, $2, 's', 1, 1, '{}')`;
    await as(ADA, insert, ['ada', ACCOUNT]);
    await as(SERVICE, insert, ['bob', ACCOUNT]);
    for (const [claims, values] of [
      [ADA, ['bob', ACCOUNT]],
      [ADA, ['ada', OTHER_ACCOUNT]],
      [SERVICE, ['ada', OTHER_ACCOUNT]],
      [undefined, ['ada', ACCOUNT]],
    ] as const)
      await expect(as(claims, insert, [...values])).rejects.toMatchObject({ code: '42501' });
    await expect(as(ADA, `UPDATE memory_entries SET user_id = 'bob'`)).rejects.toMatchObject({
      code: '42501',
    });
    expect((await as(ADA, `UPDATE memory_entries SET line = '{}' WHERE user_id = 'bob'`)).rowCount).toBe(0);
    expect(
      (await as(ADA, `DELETE FROM memory_entries WHERE account_id = $1`, [OTHER_ACCOUNT])).rowCount,
    ).toBe(0);
    const note = `INSERT INTO agent_log (agent_id, account_id, user_id, is_shared, seq, change, line) VALUES ('helper', $1, $2, $3, 99, 1, '{}')`;
    await as(ADA, note, [ACCOUNT, 'ada', false]);
    for (const user of [null, 'bob'])
      await expect(as(ADA, note, [ACCOUNT, user, false])).rejects.toMatchObject({ code: '42501' });
    // Only admins share, also what is there already.
    await expect(as(ADA, note, [ACCOUNT, 'ada', true])).rejects.toMatchObject({ code: '42501' });
    await expect(
      as(ADA, `UPDATE agent_log SET is_shared = true WHERE line::jsonb ->> 'id' = 'mem_ada'`),
    ).rejects.toMatchObject({ code: '42501' });
    await as({ ...ADA, role: 'admin' }, note, [ACCOUNT, null, true]);
    await expect(
      as(ADA, `INSERT INTO erasure_ledger VALUES ('acme', 'acme', 9, 1, '{}')`),
    ).rejects.toMatchObject({ code: '42501' });
  });

  it('gives no way around it through a partition, the owner or the functions', async () => {
    for (let part = 0; part < 16; part++)
      await expect(as(SERVICE, `SELECT * FROM memory_entries_${part}`)).rejects.toMatchObject({
        code: '42501',
      });
    for (const table of FILLED) {
      const { rows } = await database.owner.query(`SELECT count(*) FROM ${table}`);
      expect(rows[0].count, table).toBe('0');
    }
    const root = poolFor(database.server, 'postgres');
    await root.query('CREATE ROLE authenticated NOLOGIN');
    await root.query('GRANT SELECT ON memory_entries TO authenticated');
    const client = await root.connect();
    await client.query('BEGIN');
    await client.query(
      "SELECT set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
      [JSON.stringify({ sub: 'ada', role: 'authenticated', app_metadata: { account_id: ACCOUNT } })],
    );
    const { rows } = await client.query('SELECT DISTINCT user_id FROM memory_entries');
    expect(rows).toEqual([{ user_id: 'ada' }]);
    await client.query('SAVEPOINT before');
    await expect(
      client.query("SELECT * FROM longhand.list('{}', 'user', NULL, NULL, NULL)"),
    ).rejects.toMatchObject({ code: '42501' });
    await client.query('ROLLBACK');
    client.release();
    await root.end();
  });

  it('leaves nothing on a connection that the next request could find', async () => {
    const pool = poolFor(database.server, 'server', { max: 1 });
    const stores = [ACCOUNT, OTHER_ACCOUNT].map((accountId) => new PostgresStore({ pool, accountId }));
    for (let round = 0; round < 50; round++) {
      const [store, account] = round % 2 === 0 ? [stores[0]!, ACCOUNT] : [stores[1]!, OTHER_ACCOUNT];
      expect(await store.list('session')).toEqual(USERS.map((user) => `${account}_${user}`));
      const { rows } = await pool.query(
        "SELECT current_setting('request.jwt.claims', true) AS claims, current_user AS role, (SELECT count(*) FROM memory_entries) AS count",
      );
      expect([rows[0].claims || '', rows[0].role, rows[0].count]).toEqual(['', 'server', '0']);
    }
    for (const store of stores) await store.close();
    await pool.end();
  });

  it('lets a store reach its own account alone, and one of a user that user alone', async () => {
    const ada = database.store(ACCOUNT, { principal: { role: 'member', sub: 'ada' } });
    expect(await ada.list('session')).toEqual(['acme_ada']);
    expect(await ada.read([{ log: { kind: 'session', id: 'acme_bob' } }])).toEqual([undefined]);
    const foreign = { kind: 'session', id: 'acme_bob' } as const;
    await expect(ada.append(foreign, [line({ id: 'mem_x' })])).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(
      ada.append({ kind: 'session', id: randomUUID(), userId: 'bob' }, [line({})], { create: 'new' }),
    ).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect(await ada.remove(foreign)).toBe(false);
    await ada.append({ kind: 'session', id: 'acme_ada' }, [line({ id: 'mem_2' })]);
    const texts: string[] = [];
    for await (const { place, bytes } of ada.scan()) texts.push(`${place} ${Buffer.from(bytes)}`);
    expect(texts.filter((text) => /bob|globex/.test(text))).toEqual([]);
    await ada.close();
  });
});
