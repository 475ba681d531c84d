import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import type { PostgresQueries } from '../../src/stores/postgres/client.ts';
import { Remains } from '../../src/stores/postgres/remains.ts';
import { poolFor, usePostgres } from './open-postgres.ts';

const database = usePostgres();
const CANARY = 'xylophonecanary';

// It would hold dead rows for a moment, and tidy up by itself what is to be seen.
beforeAll(async () => {
  const root = poolFor(database.server, 'postgres');
  await root.query('ALTER SYSTEM SET autovacuum = off');
  await root.query('SELECT pg_reload_conf()');
  await root.end();
});

/** Files of tables and indexes that hold the canary, read from the disk: nothing of the library or of SQL takes part. */
async function filesWithCanary(root: pg.Pool): Promise<string[]> {
  await root.query('CHECKPOINT');
  const { rows } = await root.query(`SELECT current_setting('data_directory') AS folder`);
  const base = join(rows[0].folder as string, 'base');
  return (readdirSync(base, { recursive: true }) as string[]).filter((name) => {
    try {
      return readFileSync(join(base, name)).includes(CANARY);
    } catch {
      return false;
    }
  });
}

async function filled(owner: pg.Pool | undefined) {
  const store = database.store(randomUUID(), owner && { owner });
  const manager = new MemoryManager({
    store,
    semantic: false,
    indexLimits: { sealAtDocuments: 4, sealWhenBuilding: 4 },
  });
  const { transcripts, notes, details, journal, agents } = await manager.layers();
  await agents.ensure('helper');
  for (const [user, word] of [
    ['bob', 'harmless'],
    ['ada', CANARY],
  ] as const) {
    await manager.createSession(user, { session_id: `${user}-chat` });
    const text = (i: number): string => `${word} ${i} was said`;
    for (let i = 0; i < 8; i++)
      await manager.addMemory(`${user}-chat`, { type: 'finding', content: { text: text(i) }, tags: [word] });
    await transcripts.archive(`${user}-chat`, [{ id: `${user}1`, role: 'user', content: text(20) }]);
    await notes.apply(user, 'helper', { operation: 'append', content: `${text(21)}\n` });
    await notes.apply(user, 'helper', { operation: 'append', content: `${text(22)}\n` });
    await details.store(`${user}-chat`, { content: `${text(23)}\n`.repeat(30_000), description: text(24) });
    await journal.save('helper', 'core', text(25), { provenance: { user_id: user } });
    await manager.queryMemories(`${user}-chat`, { text: word });
    await manager.closeSession(`${user}-chat`);
  }
  onTestFinished(() => manager.close());
  return manager;
}

function rootPool(): pg.Pool {
  const root = poolFor(database.server, 'postgres');
  onTestFinished(() => root.end());
  return root;
}

describe('what is forgotten', () => {
  it('is in no file of a table or an index, when the store may tidy up', async () => {
    const root = rootPool();
    const manager = await filled(database.owner);
    // What the planner keeps of columns is a copy too.
    await root.query('ANALYZE');
    expect(await filesWithCanary(root)).not.toEqual([]);
    const receipt = await manager.forget('ada', { everything: true });
    expect(receipt.still_held).toBeUndefined();
    expect(await filesWithCanary(root)).toEqual([]);
    expect(await manager.queryMemories('bob-chat', { text: 'harmless' })).not.toEqual([]);
  });

  it('is gone from the files when it was one memory of many', async () => {
    const root = rootPool();
    const manager = await filled(database.owner);
    const receipt = await manager.forget('ada', { text: CANARY });
    expect(receipt.still_held).toBeUndefined();
    expect(await filesWithCanary(root)).toEqual([]);
  });

  it('is reported as still held when the store may not tidy up, or an older transaction may still read it', async () => {
    const root = rootPool();
    const trusting = await filled(undefined);
    const { still_held } = await trusting.forget('ada', { everything: true });
    expect(still_held).toContain('memory_entries');
    // The login of a server that owns nothing.
    const powerless = await filled(database.pool);
    expect((await powerless.forget('ada', { everything: true })).still_held).toContain('agent_log');
    const manager = await filled(database.owner);
    const reader = await root.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM accounts');
    expect((await manager.forget('ada', { everything: true })).still_held).toContain('agent_log');
    await reader.query('ROLLBACK');
    reader.release();
    expect(await filesWithCanary(root)).not.toEqual([]);
    await root.query('VACUUM (FULL)');
    expect(await filesWithCanary(root)).toEqual([]);
  });

  it('is reported as still held by tables that are too large to be rewritten, or that the role may not rewrite', async () => {
    const remains = new Remains(database.owner, 0);
    remains.note('', 'agent');
    expect(await remains.remove()).toEqual(['agent_log', 'agents', 'documents', 'quarantined_lines']);
    expect(await remains.remove()).toEqual([]);
    // A role that may not rewrite tables is only warned: tables without dead rows count as held all the same.
    const powerless = new Remains(database.pool);
    powerless.note('', 'agent');
    expect(await powerless.remove()).toEqual(['agent_log', 'agents', 'documents', 'quarantined_lines']);
    const gone = new Remains({ query: () => Promise.reject(new Error('no connection')) });
    gone.note('', 'ledger');
    expect(await gone.remove()).toEqual(['erasure_ledger']);
  });
});

describe('rewrites of tables', () => {
  /** The owner's statements, as they are made. @param isFast no time passes for large tables between two rewrites */
  function counted(isFast = false): { owner: PostgresQueries; rewrites: (table: string) => number } {
    const made: string[] = [];
    const query: PostgresQueries['query'] = async (text, values) => {
      made.push(text);
      const result = await database.owner.query(text, values);
      const [row] = result.rows ?? [];
      if (isFast && row?.rested_ms && row.bytes > 1_000_000) row.rested_ms = 0;
      return result;
    };
    return {
      owner: { query },
      rewrites: (table) => made.filter((text) => text.includes(`CLUSTER ${table} `)).length,
    };
  }

  it('are shared by all who forget at the same time', async () => {
    const { owner, rewrites } = counted();
    const stores = Array.from({ length: 10 }, () => new Remains(owner));
    for (const store of stores) store.note('ada', 'agent');
    expect(await Promise.all(stores.map((store) => store.remove()))).toEqual(stores.map(() => []));
    expect(rewrites('agent_log')).toBeGreaterThan(0);
    expect(rewrites('agent_log')).toBeLessThan(4);
  });

  it('leave a large table a rest: it is reported as still held, and rewritten when the store closes', async () => {
    const root = rootPool();
    const { owner, rewrites } = counted(true);
    const store = database.store(randomUUID(), { owner });
    const session = { kind: 'session', id: 'one', userId: 'ada' } as const;
    await store.append(session, ['{"id":"mem_0"}'], { create: 'new' });
    const other = database.store(randomUUID());
    await other.append(session, ['{"id":"mem_0"}'], { create: 'new' });
    await other.writeBlob(session, 'large', [Buffer.alloc(32 * 1024 * 1024)]);
    const forget = async () => {
      await store.writeBlob(session, 'canary', [Buffer.from(CANARY)]);
      await store.removeBlobs(session, ['canary']);
      return store.remains.remove();
    };
    await forget();
    await store.remains.close();
    expect(await filesWithCanary(root)).toEqual([]);
    const before = rewrites('detail_values');
    expect(before).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) expect(await forget()).toEqual(['detail_values']);
    expect(rewrites('detail_values')).toBe(before);
    expect(await filesWithCanary(root)).not.toEqual([]);
    await store.close();
    expect(await filesWithCanary(root)).toEqual([]);
    await other.remove(session);
    await other.close();
  });

  it('are made later when an older transaction was in the way', async () => {
    const root = rootPool();
    const store = database.store(randomUUID(), { owner: database.owner });
    const session = { kind: 'session', id: 'one', userId: 'ada' } as const;
    await store.append(session, ['{"id":"mem_0"}'], { create: 'new' });
    await store.writeBlob(session, 'canary', [Buffer.from(CANARY)]);
    const reader = await root.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM accounts');
    await store.removeBlobs(session, ['canary']);
    expect(await store.remains.remove()).toEqual(expect.arrayContaining(['detail_values']));
    await reader.query('ROLLBACK');
    reader.release();
    await expect.poll(() => filesWithCanary(root)).toEqual([]);
    await store.close();
  });

  it('leave nothing at the level of the session, and do not wait for ever', async () => {
    const owner = poolFor(database.server, 'keeper', { max: 1 });
    onTestFinished(() => owner.end());
    const other = await rootPool().connect();
    await other.query('BEGIN; LOCK TABLE erasure_ledger IN ACCESS SHARE MODE');
    const remains = new Remains(owner);
    remains.note('ada', 'ledger');
    expect(await remains.remove()).toEqual(['erasure_ledger']);
    await other.query('ROLLBACK');
    other.release();
    expect((await owner.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
  });
});

it('lets other processes write while it tidies up', async () => {
  const account = randomUUID();
  const [store, other] = [database.store(account, { owner: database.owner }), database.store(account)];
  const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
  await store.append(log, ['{"id":"mem_0"}'], { create: 'new' });
  let isOver = false;
  let count = 1;
  const writing = (async () => {
    while (!isOver) await other.append(log, [`{"id":"mem_${count++}"}`]);
  })();
  for (let round = 0; round < 10; round++) {
    store.remains.note('ada', 'session', 'user');
    await store.remains.remove();
  }
  isOver = true;
  await writing;
  expect((await other.read([{ log }]))[0]).toMatchObject({ lines: { length: count } });
  for (const each of [store, other]) await each.close();
});
