import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer as TestPostgres } from '../../longhand/test/postgres/server.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { runServer } from '../src/run-server.ts';
import { call } from './http-fixture.ts';
import { runCli } from './run-cli.ts';

/** The first minute of a team: an empty database and the address of an ordinary owner; and what can be wrong with them. */
const folder = mkdtempSync(join(tmpdir(), 'longhand-database-'));
let postgres: TestPostgres;
let databases = 0;

beforeAll(async () => {
  postgres = await startServer();
  await asSuperuser('CREATE ROLE keeper LOGIN CREATEROLE', 'CREATE ROLE guest LOGIN');
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function asSuperuser(...statements: readonly string[]): Promise<void> {
  await inDatabase('postgres', 'postgres', ...statements);
}

async function inDatabase(
  name: string,
  user: string,
  ...statements: readonly string[]
): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...postgres.connection(name), user });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let result: pg.QueryResult | undefined;
    for (const statement of statements) result = await client.query(statement);
    return result!;
  } finally {
    await client.end();
  }
}

async function emptyDatabase(): Promise<string> {
  const name = `d${++databases}`;
  await asSuperuser(`CREATE DATABASE ${name} OWNER keeper`);
  return name;
}

function address(name: string, user = 'keeper'): string {
  const { host, port } = postgres.connection();
  return `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`;
}

function start(url: string, flags: Readonly<Record<string, unknown>> = {}) {
  const given = { 'database-url': url, port: 0, 'log-level': 'silent', ...flags };
  return runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags: given }));
}

describe('longhand serve on a database', () => {
  it('makes the tables and the role with the owner’s address, and serves as that role', async () => {
    const name = await emptyDatabase();
    const server = await start(address(name));
    expect(server.database).toMatchObject({ role: 'longhand_app' });
    expect(server.database!.applied.length).toBeGreaterThan(4);
    expect(
      (await call(server.url, 'POST', '/api/memories', { content: 'My dog is called Rex' })).status,
    ).toBe(201);
    const { rows } = await inDatabase(name, 'postgres', 'SELECT account_id, user_id FROM memory_entries');
    expect(rows[0]).toEqual({ account_id: 'local', user_id: 'me' });
    // Without claims the owner sees nothing either.
    expect((await inDatabase(name, 'keeper', 'SELECT * FROM memory_entries')).rows).toEqual([]);
    await server.close();
    const again = await start(address(name));
    expect(again.database!.applied).toEqual([]);
    const found = await call(again.url, 'POST', '/api/search', { text: 'Which pet do I own?' });
    expect(JSON.stringify(found.body.memories)).toContain('Rex');
    await again.close();
  });

  it('serves a login that owns nothing, when another address makes the tables', async () => {
    const name = await emptyDatabase();
    const flags = { 'database-owner-url': address(name) };
    const refused = start(address(name, 'guest'), flags);
    await expect(refused).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await inDatabase(name, 'keeper', 'GRANT longhand_app TO guest');
    const server = await start(address(name, 'guest'), flags);
    expect((await call(server.url, 'GET', '/api/sessions')).status).toBe(200);
    await server.close();
    await inDatabase(name, 'keeper', 'REVOKE longhand_app FROM guest');
  });

  it('takes what is forgotten out of the tables with the owner’s address, and says where it may not', async () => {
    const forgetting = async (url: string, flags = {}): Promise<string[] | undefined> => {
      const server = await start(url, flags);
      await call(server.url, 'POST', '/api/memories', { content: 'My dog is called Rex' });
      const { body } = await call(server.url, 'POST', '/api/privacy/forget', { everything: true });
      await server.close();
      const { receipt_id, still_held } = body;
      expect(receipt_id).toMatch(/^forget_/);
      return still_held as string[] | undefined;
    };
    const name = await emptyDatabase();
    expect(await forgetting(address(name))).toBeUndefined();
    await asSuperuser('GRANT longhand_app TO guest');
    expect(await forgetting(address(name, 'guest'))).toEqual(
      expect.arrayContaining(['agent_sessions', 'log_heads', 'users']),
    );
    expect(await forgetting(address(name, 'guest'), { 'database-owner-url': address(name) })).toBeUndefined();
    await asSuperuser('REVOKE longhand_app FROM guest');
  });

  it('upgrades tables of an earlier version, which other commands leave alone', async () => {
    const name = await emptyDatabase();
    await (await start(address(name))).close();
    const { rows } = await inDatabase(
      name,
      'keeper',
      'DELETE FROM longhand.schema_versions WHERE version = (SELECT max(version) FROM longhand.schema_versions) RETURNING version',
    );
    const listed = await runCli('list', '--database-url', address(name), '--state-folder', folder);
    expect(listed.exitCode).toBe(5);
    expect(listed.stderr).toContain(`needs ${rows[0].version}`);
    expect(listed.stderr).toContain('--database-owner-url');
    await inDatabase(name, 'keeper', "INSERT INTO longhand.schema_versions VALUES ('9999_later')");
    await expect(start(address(name))).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
  });

  it('says what is wrong with an address, a role or a database, and what to do', async () => {
    const name = await emptyDatabase();
    const url = address(name);
    const of = async (promise: Promise<unknown>) => {
      const error = await promise.then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { code: string },
      );
      return [error?.code, error?.message] as const;
    };
    // No server, no database, no such role, no right to make tables.
    expect(await of(start('postgres://keeper@127.0.0.1:1/none'))).toEqual([
      'IO_FAILED',
      expect.stringContaining('cannot be reached (ECONNREFUSED)'),
    ]);
    expect(await of(start(address('nowhere')))).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('Check user, password and database'),
    ]);
    expect(await of(start(address(name, 'stranger')))).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('Check user, password and database'),
    ]);
    expect(await of(start(address(name, 'guest')))).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('--database-owner-url'),
    ]);
    // A command that works on what is there makes no tables.
    const listed = await runCli('list', '--database-url', url, '--state-folder', folder);
    expect(listed.exitCode).toBe(5);
    expect(listed.stderr).toContain('There is no store in');
    expect(listed.stderr).not.toContain('user=');
    // No connection left for others than superusers.
    await asSuperuser(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
    expect(await of(start(url))).toEqual([
      'IO_FAILED',
      expect.stringContaining('no connection left (53300)'),
    ]);
    await asSuperuser(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    // A role for serving that owns the tables passes over nothing less than the owner does.
    await (await start(url)).close();
    await inDatabase(name, 'postgres', 'ALTER TABLE memory_entries OWNER TO longhand_app');
    expect(await of(start(url))).toEqual(['ACCESS_DENIED', expect.stringContaining('owns the tables')]);
    await inDatabase(
      name,
      'postgres',
      'ALTER TABLE memory_entries OWNER TO keeper',
      'ALTER ROLE longhand_app BYPASSRLS',
    );
    expect(await of(start(url))).toEqual(['ACCESS_DENIED', expect.stringContaining('row-level security')]);
    await asSuperuser('ALTER ROLE longhand_app NOBYPASSRLS');
    await (await start(url)).close();
  });

  it('answers a statement that takes too long with what to do, and keeps the server', async () => {
    const name = await emptyDatabase();
    const server = await start(address(name));
    await call(server.url, 'POST', '/api/memories', { content: 'first' });
    await asSuperuser(`ALTER ROLE keeper IN DATABASE ${name} SET lock_timeout = '300ms'`);
    await server.close();
    const limited = await start(address(name));
    const holder = new pg.Client({ ...postgres.connection(name), user: 'postgres' });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE users');
    const refused = await call(limited.url, 'POST', '/api/memories', { content: 'second' });
    expect([refused.status, refused.body.code]).toEqual([503, 'LOCK_TIMEOUT']);
    expect(refused.body.detail).toContain('Try again');
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await call(limited.url, 'POST', '/api/memories', { content: 'second' })).status).toBe(201);
    await limited.close();
  });

  it('keeps the address of the database to itself', async () => {
    const { stderr } = await runCli('list', '--database-url', 'postgres://me:secret@127.0.0.1:1/none');
    expect(stderr).not.toContain('secret');
    expect(() =>
      loadConfig({ env: {}, cwd: folder, flags: { 'database-url': 'mysql://me:secret@host/none' } }),
    ).toThrow(/databaseUrl must be an address like postgres:\/\/user:password@host:5432\/database \(from/);
  });
});
