import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withSeed } from '../../longhand/test/campaign.ts';
import { startServer, type TestServer as TestPostgres } from '../../longhand/test/postgres/server.ts';
import { createChance } from '../../longhand/test/processes/chance.ts';
import { sign } from '../src/access/signed-token.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { OPERATIONS } from '../src/operations/index.ts';
import { runServer, type ServerOfStore } from '../src/run-server.ts';
import { call } from './http-fixture.ts';
import { runCli } from './run-cli.ts';

/** One server for several accounts of one database: what one account keeps, no other one reaches. */
const SECRET = 'the secret of an identity provider in a test';
const ISSUER = 'https://id.example';
const folder = mkdtempSync(join(tmpdir(), 'longhand-accounts-'));
let postgres: TestPostgres;
let url: string;
let databases = 0;
let server: ServerOfStore;

beforeAll(async () => {
  postgres = await startServer();
  await inDatabase('postgres', 'CREATE ROLE keeper LOGIN CREATEROLE');
});
afterEach(() => server.close());
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function inDatabase(name: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ ...postgres.connection(name), user: 'postgres' });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

const rowsIn = (statement: string) => inDatabase(`d${databases}`, statement);

async function start(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const name = `d${++databases}`;
  await inDatabase('postgres', `CREATE DATABASE ${name} OWNER keeper`);
  const { host, port } = postgres.connection();
  url = `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=keeper`;
  await restart(flags);
}

async function restart(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const given = {
    ...{ 'database-url': url, 'state-folder': join(folder, `state-${databases}`), port: 0 },
    ...{ 'log-level': 'silent', 'auth-enabled': true, 'jwt-secret': SECRET, 'jwt-issuer': ISSUER },
    ...{ 'jwt-audience': 'memory', 'limits-requests-per-minute': 0, ...flags },
  };
  server = await runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags: given }));
}

const secretsKept = async () =>
  (await rowsIn('SELECT account_id, secret FROM longhand.account_secrets ORDER BY 1')) as {
    readonly account_id: string;
    readonly secret: Buffer;
  }[];

async function secretOf(account: string): Promise<Buffer> {
  return (await secretsKept()).find(({ account_id }) => account_id === account)!.secret;
}

const readCookie = (cookie: string) =>
  JSON.parse(Buffer.from(cookie.split('=')[1]!.split('.')[0]!, 'base64url').toString()) as {
    readonly grant: object;
    readonly exp: number;
  };

type Headers = Record<string, string>;

async function tokenOf(account_id: string, user = 'ada'): Promise<Headers> {
  const jwt = new SignJWT({ account_id }).setProtectedHeader({ alg: 'HS256' }).setSubject(user);
  jwt.setIssuer(ISSUER).setAudience('memory').setExpirationTime('10m');
  return { authorization: `Bearer ${await jwt.sign(new TextEncoder().encode(SECRET))}` };
}

const ask = (method: string, path: string, headers: Headers, body?: unknown) =>
  call(server.url, method, path, body, headers);

describe('a server for several accounts', () => {
  it('takes tokens and keys of those that it serves, each for its own account', async () => {
    await start({ 'auth-accounts': ['acme'] });
    const root = { authorization: `Bearer ${server.firstKey}` };
    const [local, acme, globex] = [await tokenOf('local'), await tokenOf('acme'), await tokenOf('globex')];
    expect((await ask('GET', '/api/me', local)).body.account_id).toBe('local');
    expect((await ask('GET', '/api/me', acme)).body.account_id).toBe('acme');
    expect((await ask('GET', '/api/me', globex)).status).toBe(401);
    // A key counts in its own account alone, and a token for no other than it names.
    const wrong = await ask('GET', '/api/keys', { ...root, 'longhand-account': 'acme' });
    expect(wrong.status).toBe(401);
    expect((await ask('GET', '/api/me', { ...acme, 'longhand-account': 'local' })).status).toBe(403);
    expect((await ask('GET', '/api/me', { ...acme, 'longhand-account': 'acme' })).status).toBe(200);
    // An admin of one account makes keys for it, and they open no other.
    await inDatabase(
      `d${databases}`,
      `INSERT INTO account_members (account_id, user_id, role) VALUES ('acme', 'ada', 'admin')`,
    );
    await expect.poll(async () => (await ask('GET', '/api/keys', acme)).status).toBe(200);
    const key = await ask('POST', '/api/keys', acme, { label: 'robot', access: 'admin' });
    const robot = { authorization: `Bearer ${key.body.token}` };
    expect((await ask('GET', '/api/keys', robot)).status).toBe(401);
    const named = { ...robot, 'longhand-account': 'acme' };
    expect((await ask('GET', '/api/keys', named)).body.keys).toHaveLength(1);
    // Sessions of a browser and tickets know their account.
    const signedIn = await ask('POST', '/api/sign_in', { ...acme, origin: server.url }, {});
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    expect((await ask('GET', '/api/me', { cookie })).body.account_id).toBe('acme');
    // The secret of one account signs nothing for another.
    const own = await ask('POST', '/api/sign_in', { ...root, origin: server.url }, {});
    const { grant, ...fields } = readCookie(own.headers.get('set-cookie')!.split(';')[0]!);
    for (const accountId of ['local', 'acme']) {
      const signer = { accountId, secret: await secretOf('local') };
      const victim = { ...grant, key: undefined, sub: 'victim', until: fields.exp, account: 'acme' };
      const forged = sign(signer, 'session', { ...fields, grant: victim });
      expect((await ask('GET', '/api/me', { cookie: `longhand_session=${forged}` })).status).toBe(401);
      const ticket = sign(signer, 'archive', {
        ...fields,
        account: 'acme',
        grant: victim,
        session_id: 's1',
        user_id: 'victim',
      });
      const body = { session_id: 's1', messages_batch: [], ticket };
      expect((await ask('POST', '/api/chat/session/archive_messages', {}, body)).body.code).toBe(
        'TICKET_INVALID',
      );
    }
    // Names that a caller makes up leave nothing behind.
    const made = await secretsKept();
    const unknown = sign({ accountId: 'x', secret: Buffer.alloc(32) }, 'session', {
      ...fields,
      grant: { ...grant, account: 'x' },
    });
    expect((await ask('GET', '/api/me', { cookie: `longhand_session=${unknown}` })).status).toBe(401);
    expect(await secretsKept()).toEqual(made);
    await ask('POST', '/api/sessions', acme, { session_id: 's1' });
    const { body } = await ask('POST', '/api/archive_ticket', acme, { session_id: 's1' });
    const messages_batch = [{ id: 'm1', role: 'user', content: 'Hello' }];
    const archived = await ask(
      'POST',
      '/api/chat/session/archive_messages',
      {},
      {
        ...{ session_id: 's1', messages_batch, ticket: body.ticket },
      },
    );
    expect(archived.status, archived.text).toBe(200);
    expect((await ask('GET', '/api/chat/sessions/s1/messages', acme)).body.messages).toHaveLength(1);
    expect((await ask('GET', '/api/chat/sessions/s1/messages', local)).status).toBe(404);
  });

  it('maintains each account separately from the command line', async () => {
    await start({ 'auth-accounts': ['acme'] });
    const acme = await tokenOf('acme');
    await ask('POST', '/api/memories', acme, { content: 'A secret', id: 'mem_secret' });
    await ask('POST', '/api/memories/forget', acme, { ids: ['mem_secret'] });
    const store = ['--database-url', url, '--state-folder', join(folder, `state-${databases}`)];
    const linesOf = async (account: string) => {
      const { exitCode, stdout } = await runCli('verify', '--json', '--account', account, ...store);
      return { exitCode, lines: JSON.parse(stdout).lines as number };
    };
    expect(await linesOf('acme')).toEqual({ exitCode: 0, lines: expect.toSatisfy((count) => count > 0) });
    expect(await linesOf('local')).toEqual({ exitCode: 0, lines: 0 });
    // As a hand in the database has changed it.
    const damage = `UPDATE erasure_ledger SET line = replace(line, '"scope"', '"scape"') WHERE account_id = 'acme'`;
    await inDatabase(`d${databases}`, damage);
    expect((await linesOf('acme')).exitCode).toBe(1);
    expect((await runCli('prune', '--account', 'acme', '--dry-run', ...store)).exitCode).toBe(0);
  });

  it('answers to no operation with anything of another account', async () => {
    await start({ 'auth-accounts': ['*'] });
    const acme = await tokenOf('acme');
    await ask('POST', '/api/agents', acme, { name: 'scout' });
    await ask('POST', '/api/sessions', acme, { session_id: 'demo' });
    await ask('POST', '/api/sessions/demo/memories', acme, { content: 'CANARY of acme', id: 'mem_canary' });
    await ask('POST', '/api/details', acme, {
      ...{ session_id: 'demo', memory_key: 'canary', content: 'CANARY of acme' },
    });
    await ask('POST', '/api/chat', acme, {
      ...{ session_id: 'demo', new_messages: [{ role: 'user', content: 'CANARY of acme' }] },
    });
    const globex = await tokenOf('globex');
    const names: Readonly<Record<string, string>> = {
      ...{ session_id: 'demo', memory_id: 'mem_canary', memory_key: 'canary', agent_id: 'scout' },
      ...{ user_id: 'ada', key_id: 'k', proposal_id: 'p', version: '1' },
    };
    let count = 0;
    for (const { name, http, example } of OPERATIONS) {
      const path = http.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => names[field] ?? 'demo');
      const inPath = new Set([...http.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field));
      const fields = Object.entries({ ...example.request, ...namesIn(example.request, names) });
      const body = Object.fromEntries(fields.filter(([field]) => !inPath.has(field)));
      const isRead = http.method === 'GET' || http.method === 'DELETE';
      const answer = await ask(http.method, path, globex, isRead ? undefined : body);
      expect(answer.text, name).not.toContain('CANARY');
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(500);
      count++;
    }
    expect(count).toBeGreaterThan(50);
    // Nothing of it has reached the other account either.
    const left = await ask('GET', '/api/sessions/demo/memories/mem_canary', acme);
    expect(left.text, left.text).toContain('CANARY');
  });

  it('keeps accounts apart while they take turns being open', () =>
    withSeed(async (seed) => {
      const chance = createChance(seed);
      const flags = { 'auth-accounts': ['*'], 'limits-open-accounts': 2 };
      await start(flags);
      const accounts = ['one', 'two', 'three', 'four', 'five'];
      const kept = new Map<string, string[]>(accounts.map((account) => [account, []]));
      const work = async (account: string): Promise<void> => {
        const as = await tokenOf(account);
        for (let i = 0; i < 12; i++) {
          const content = `Number ${i} of account-${account}`;
          const way = chance.below(3);
          if (way === 0) {
            const added = await ask('POST', '/api/sessions/demo/memories', as, {
              content: { text: content },
            });
            expect(added.status, added.text).toBe(201);
            kept.get(account)!.push(added.body.id);
          } else if (way === 1) {
            const said = await ask('POST', '/api/chat', as, {
              ...{ session_id: 'demo', new_messages: [{ id: `m${i}`, role: 'user', content }] },
            });
            expect(said.status, said.text).toBe(200);
            kept.get(account)!.push(said.body.message_id);
          }
          const found = await ask('POST', '/api/search', as, { text: 'Number account', limit: 50 });
          for (const other of accounts)
            if (other !== account) expect(found.text).not.toContain(`account-${other}`);
        }
      };
      for (const account of accounts)
        await ask('POST', '/api/sessions', await tokenOf(account), { session_id: 'demo' });
      await Promise.all(accounts.map(work));
      await server.close();
      await restart(flags);
      for (const account of accounts) {
        const exported = await ask('GET', '/api/privacy/export', await tokenOf(account));
        for (const id of kept.get(account)!) expect(exported.text).toContain(id);
        for (const other of accounts)
          if (other !== account) expect(exported.text).not.toContain(`account-${other}`);
      }
    }));
});

function namesIn(request: object, names: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.keys(request).flatMap((field) => (field in names ? [[field, names[field]]] : [])),
  );
}
