import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readLog } from '../../src/core/read-log.ts';
import type { LogSlice } from '../../src/core/store.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { poolFor, type TestDatabase, usePostgres } from './open-postgres.ts';
import { startServer } from './server.ts';

const database = usePostgres();
const record = (id: string): string => JSON.stringify({ schema_version: 1, id, content: id });
const idsIn = (slice: LogSlice): string[] => slice.lines.map(({ memoryId }) => memoryId!);
const NEW = { create: 'new' } as const;

describe('a server that is ended while clients write', () => {
  it('loses nothing that was acknowledged and doubles nothing', async () => {
    const account = randomUUID();
    // Two processes, so that decided writes also meet.
    const stores = [0, 1].map(() => database.store(account, { reconnectMs: 120_000 }));
    const store = stores[0]!;
    const logs = Array.from(
      { length: 4 },
      (_, i) => ({ kind: 'session', id: `s${i}`, userId: `u${i % 2}` }) as const,
    );
    for (const log of logs) await store.append(log, [], NEW);
    let isOver = false;
    const acknowledged: string[] = [];
    const clients = Array.from({ length: 10 }, async (_, client) => {
      for (let i = 0; !isOver; i++) {
        const log = logs[(client + i) % logs.length]!;
        const ids = [`mem_${client}_${i}_a`, `mem_${client}_${i}_b`];
        const isDecided = i % 3 === 0;
        await stores[client % 2]!.append(log, isDecided ? () => ids.map(record) : ids.map(record));
        acknowledged.push(...ids);
      }
    });
    for (let round = 0; round < 6; round++) {
      await expect.poll(() => acknowledged.length).toBeGreaterThan(round * 100);
      await database.server.crash();
    }
    isOver = true;
    await Promise.all(clients);
    const found: string[] = [];
    for (const log of logs) {
      const slice = await readLog(store, log);
      expect(slice.damage).toEqual([]);
      expect(slice.lines.map(({ seq }) => seq)).toEqual(slice.lines.map((_, i) => i + 1));
      const ids = idsIn(slice);
      ids.forEach((id, i) => {
        if (id.endsWith('_a')) expect(ids[i + 1]).toBe(id.replace(/_a$/, '_b'));
      });
      found.push(...ids);
    }
    expect(found.length).toBe(new Set(found).size);
    expect(found.sort()).toEqual(acknowledged.sort());
    for (const each of stores) await each.close();
  });
});

describe('an answer that is lost', () => {
  it.each([
    ['one', 'before others write', 'longhand.add', ['mem_a']],
    ['one', 'after others have written', 'longhand.add', ['mem_a']],
    ['several', 'before others write', 'longhand.append', ['mem_a', 'mem_b']],
    ['several', 'after others have written', 'longhand.append', ['mem_a', 'mem_b']],
  ])('is found by its own lines, %s, %s', async (_, when, name, added) => {
    const account = randomUUID();
    const other = database.store(account);
    const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
    await other.append(log, [record('mem_0')], NEW);
    let lost = 0;
    const pool = onceLost(database, name, async () => {
      lost++;
      if (when.startsWith('after')) await other.append(log, [record('mem_other')]);
    });
    const store = new PostgresStore({ pool, accountId: account });
    const appended = await store.append(log, added.map(record));
    expect([appended.firstSeq, appended.lastSeq, lost]).toEqual([2, 1 + added.length, 1]);
    const ids = ['mem_0', ...added, ...(when.startsWith('after') ? ['mem_other'] : [])];
    expect(idsIn(await readLog(other, log))).toEqual(ids);
    for (const each of [store, other]) await each.close();
  });

  it('is found for the making of a log, a rewrite and a document', async () => {
    const account = randomUUID();
    const other = database.store(account);
    const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
    const lossy = (name: string): PostgresStore =>
      new PostgresStore({ pool: onceLost(database, name, async () => undefined), accountId: account });
    await lossy('longhand.append').append(log, [record('mem_a'), record('mem_b')], NEW);
    await lossy('longhand.rewrite').rewrite(log, ({ lines }) => ({
      keep: [{ line: lines[1]! }],
      append: [],
    }));
    expect(idsIn(await readLog(other, log))).toEqual(['mem_b']);
    expect(await lossy('longhand.write_document').writeDocument(log, 'a.json', '1', { expected: null })).toBe(
      true,
    );
    expect(await lossy('longhand.remove').remove(log)).toBe(true);
    await expect(lossy('longhand.append').append(log, [record('mem_c')])).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await other.close();
  });
});

/** A pool whose first call of a function is carried out, and its answer lost. */
function onceLost({ pool }: TestDatabase, name: string, between: () => Promise<void>) {
  let isLost = false;
  return {
    connect: () => pool.connect(),
    query: async (text: string, values?: unknown[]) => {
      const result = await pool.query(text, values);
      if (isLost || !text.includes(`${name}(`)) return result;
      isLost = true;
      await between();
      throw Object.assign(new Error('Connection terminated unexpectedly'));
    },
  };
}

describe('writers that meet', () => {
  it('decide from what is there, also in several processes', async () => {
    const account = randomUUID();
    const stores = Array.from({ length: 4 }, () => database.store(account));
    const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
    await stores[0]!.append(log, [], NEW);
    const count = (slice: LogSlice): string[] => [record(`mem_${slice.lines.length}`)];
    await Promise.all(
      stores.flatMap((store, i) =>
        Array.from({ length: 10 }, () =>
          i === 3
            ? store.append({ ...log, id: 'two' }, [record('mem_x')], { create: 'missing' })
            : store.append(log, count),
        ),
      ),
    );
    const ids = idsIn(await readLog(stores[0]!, log));
    expect(ids).toEqual(Array.from({ length: 30 }, (_, i) => `mem_${i}`));
    for (const store of stores) await store.close();
  });

  it('are all heard of by a follower, also those that commit late', async () => {
    const account = randomUUID();
    const store = database.store(account);
    const [early, late] = ['early', 'late'].map((id) => ({ kind: 'session', id, userId: 'ada' }) as const);
    for (const log of [early!, late!]) await store.append(log, [record('mem_0')], NEW);
    const claims = JSON.stringify({ account_id: account, role: 'service' });
    const item = {
      kind: 'session',
      id: 'late',
      user: 'ada',
      token: 't',
      again: false,
      at: 0,
      bodies: 1,
      octets: Buffer.byteLength(record('mem_late')),
      tombstones: 0,
      is_plain: true,
    };
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT * FROM longhand.append($1, $2, $3, $4)', [
      claims,
      JSON.stringify([item]),
      record('mem_late'),
      [],
    ]);
    const waiting = store.append(early!, [record('mem_early')]);
    // Another user's writers pass.
    const other = database.store(account);
    await other.append({ kind: 'session', id: 'other', userId: 'bob' }, [], NEW);
    const { mark } = await store.follow('ada');
    await client.query('COMMIT');
    client.release();
    await waiting;
    expect((await store.follow('ada', mark)).sessionIds).toEqual(['early', 'late']);
    for (const each of [store, other]) await each.close();
  });

  it('are answered each for itself when they are sent together', async () => {
    const store = database.store();
    const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
    await store.append(log, [], NEW);
    const settled = await Promise.allSettled([
      store.append(log, [record('mem_a')]),
      store.append(log, [`{"id":"mem_b","text":"\0"}`]),
      store.append({ ...log, id: 'none' }, [record('mem_c')]),
      store.append(log, [record('mem_d')], { maxBytes: 10 }),
      store.append(log, [record('mem_e')]),
    ]);
    expect(
      settled.map((each) => (each.status === 'fulfilled' ? each.value.firstSeq : each.reason.code)),
    ).toEqual([1, 'INVALID_TEXT', 'SESSION_NOT_FOUND', 'SESSION_FULL', 2]);
    await store.close();
  });
});

describe('trouble with the connection', () => {
  const ask = async (config: pg.PoolConfig): Promise<unknown> => {
    const pool = new pg.Pool(config);
    const store = new PostgresStore({ pool, accountId: 'acme', reconnectMs: 0 });
    return store.list('session').finally(() => pool.end());
  };

  it('is told with a code and what to do', async () => {
    const root = poolFor(database.server, 'postgres');
    await root.query('CREATE ROLE stranger LOGIN');
    await root.query('CREATE ROLE hurried LOGIN IN ROLE longhand_app');
    await root.query("ALTER ROLE hurried SET statement_timeout = '50ms'");
    await root.query('CREATE ROLE lonely LOGIN CONNECTION LIMIT 0 IN ROLE longhand_app');
    const connection = database.server.connection('memory');
    await expect(ask({ host: '127.0.0.1', port: 1 })).rejects.toMatchObject({ code: 'IO_FAILED' });
    await expect(ask({ ...connection, database: 'nowhere' })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    });
    await expect(ask({ ...connection, user: 'nobody' })).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(ask({ ...connection, user: 'stranger' })).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(ask({ ...connection, user: 'lonely' })).rejects.toMatchObject({ code: 'IO_FAILED' });
    await expect(ask({ ...connection, database: 'postgres' })).rejects.toMatchObject({
      code: 'STORAGE_ROOT_UNUSABLE',
    });
    expect(await ask(connection)).toEqual([]);
    const busy = new pg.Pool({ ...connection, max: 1 });
    const taken = await busy.connect();
    busy.options.connectionTimeoutMillis = 100;
    const crowded = new PostgresStore({ pool: busy, accountId: 'acme', reconnectMs: 0 });
    await expect(crowded.list('session')).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining('the pool is too small'),
    });
    busy.options.connectionTimeoutMillis = 0;
    taken.release();
    expect(await crowded.list('session')).toEqual([]);
    await crowded.close();
    await busy.end();
    // It ends when its last client leaves, and takes no other until then.
    const ending = await startServer();
    const client = new pg.Client(ending.connection());
    await client.connect();
    process.kill(ending.pid, 'SIGTERM');
    await expect
      .poll(() => ask(ending.connection()).catch((error: Error) => error.message))
      .toContain('is starting or stopping (57P03)');
    await client.end();
    await ending.stop();
    await root.query('ALTER ROLE longhand_app BYPASSRLS');
    await expect(ask(connection)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await root.query('ALTER ROLE longhand_app NOBYPASSRLS');

    const store = database.store('slow');
    await store.append({ kind: 'session', id: 'one', userId: 'ada' }, [], NEW);
    const holder = await root.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT * FROM users FOR UPDATE');
    const pool = poolFor(database.server, 'hurried');
    const hurried = new PostgresStore({ pool, accountId: 'slow' });
    const waiting = hurried.append({ kind: 'session', id: 'one', userId: 'ada' }, [record('mem_a')]);
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await holder.query('ROLLBACK');
    holder.release();
    await store.append({ kind: 'session', id: 'one', userId: 'ada' }, [record('mem_a')]);
    expect(idsIn(await readLog(store, { kind: 'session', id: 'one' }))).toEqual(['mem_a']);
    for (const each of [store, hurried]) await each.close();
    await pool.end();
    await root.end();
  });
});
