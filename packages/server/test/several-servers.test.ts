import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer as TestPostgres } from '../../longhand/test/postgres/server.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { runServer, type ServerOfStore } from '../src/run-server.ts';
import { call } from './http-fixture.ts';
import { type Scripted, startStandIn } from './openai-stand-in.ts';
import { endProcess, startServerProcess } from './server-process.ts';

/** Two servers on one database, without Redis, each with a disk of its own. */
const SECRET = 'BASSOON99';
const folder = mkdtempSync(join(tmpdir(), 'longhand-several-'));
let postgres: TestPostgres;
let databases = 0;
let open: ServerOfStore[] = [];

beforeAll(async () => {
  postgres = await startServer();
  await inDatabase('postgres', 'CREATE ROLE keeper LOGIN CREATEROLE');
});
afterEach(async () => {
  await Promise.all(open.map((server) => server.close()));
  open = [];
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function inDatabase(name: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...postgres.connection(name), user: 'postgres' });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

type Flags = Readonly<Record<string, unknown>>;

/** @returns the two, and the name of their database */
async function start(flags: Flags = {}): Promise<[ServerOfStore, ServerOfStore, string]> {
  const name = await newDatabase();
  const one = await startOne(name, 'one', flags);
  return [one, await startOne(name, 'two', flags), name];
}

async function newDatabase(): Promise<string> {
  const name = `d${++databases}`;
  await inDatabase('postgres', `CREATE DATABASE ${name} OWNER keeper`);
  return name;
}

function flagsOf(name: string, disk: string): Flags {
  const { host, port } = postgres.connection();
  const url = `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=keeper`;
  return { 'database-url': url, 'state-folder': join(folder, `${name}-${disk}`), 'log-level': 'silent' };
}

async function startOne(name: string, disk: string, flags: Flags = {}): Promise<ServerOfStore> {
  const given = { ...flagsOf(name, disk), port: 0, ...flags };
  const server = await runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags: given }));
  open.push(server);
  return server;
}

const say = (server: Pick<ServerOfStore, 'url'>, id: string, content: string, session_id = 'chat') =>
  call(server.url, 'POST', '/api/chat', { new_messages: [{ id, role: 'user', content }], session_id });

async function messagesOf(server: ServerOfStore, session = 'chat'): Promise<readonly string[]> {
  const { body } = await call(server.url, 'GET', `/api/chat/sessions/${session}/messages`);
  return body.messages.map(({ role, content }) => `${role}: ${content}`);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('know the same keys and members, and what is taken away is gone from both', async () => {
  const [one, two] = await start({ 'auth-enabled': true, 'auth-account': 'acme' });
  expect(two.firstKey).toBeUndefined();
  const admin = bearer(one.firstKey!);
  const made = await call(two.url, 'POST', '/api/keys', { label: 'laptop', user_id: 'ada' }, admin);
  expect(made.status, made.text).toBe(201);
  const ada = bearer(made.body.token);
  const me = (server: ServerOfStore) => call(server.url, 'GET', '/api/me', undefined, ada);
  expect((await me(one)).body).toMatchObject({ account_id: 'acme', user_id: 'ada' });
  expect((await me(two)).status).toBe(200);
  await expect
    .poll(async () => (await call(one.url, 'GET', '/api/keys', undefined, admin)).body.keys[1]?.last_used_at)
    .not.toBe(null);
  expect((await call(two.url, 'POST', '/api/members', { user_id: 'ada' }, admin)).status).toBe(201);
  expect((await call(one.url, 'DELETE', '/api/members/ada', undefined, admin)).status).toBe(200);
  await expect.poll(async () => (await me(two)).status).toBe(401);
  await call(two.url, 'POST', '/api/members', { user_id: 'ada', role: 'admin' }, admin);
  await expect.poll(async () => (await me(one)).status).toBe(200);
  // Of two that take one of two admins away at the same moment, one is refused.
  await call(two.url, 'POST', '/api/members', { user_id: 'bob', role: 'admin' }, admin);
  const both = await Promise.all([
    call(one.url, 'DELETE', '/api/members/ada', undefined, admin),
    call(two.url, 'PATCH', '/api/members/bob', { role: 'member' }, admin),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await call(one.url, 'DELETE', `/api/keys/${made.body.id}`, undefined, admin)).status).toBe(200);
  expect((await me(one)).status).toBe(401);
  await expect.poll(async () => (await me(two)).status).toBe(401);
});

it('believe what the other one has signed', async () => {
  const [one, two] = await start({ 'auth-enabled': true });
  const admin = bearer(one.firstKey!);
  const { body } = await call(one.url, 'POST', '/api/keys', { label: 'a', user_id: 'ada' }, admin);
  const origin = { origin: one.url };
  const signedIn = await call(one.url, 'POST', '/api/sign_in', {}, { ...bearer(body.token), ...origin });
  expect(signedIn.status, signedIn.text).toBeLessThan(300);
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  expect((await call(two.url, 'GET', '/api/me', undefined, { cookie })).body.user_id).toBe('ada');
  await call(one.url, 'POST', '/api/sessions', { session_id: 's1' }, bearer(body.token));
  const ticket = await call(one.url, 'POST', '/api/archive_ticket', { session_id: 's1' }, bearer(body.token));
  const batch = { session_id: 's1', messages_batch: [{ id: 'm1', role: 'user', content: 'Hello' }] };
  const archived = await call(two.url, 'POST', '/api/chat/session/archive_messages', {
    ...batch,
    ticket: ticket.body.ticket,
  });
  expect(archived.status, archived.text).toBe(200);
});

it('hand a conversation over, with what waits in the spool', async () => {
  const [one, two] = await start();
  expect((await say(one, 'm1', 'My dog is called Rex')).status).toBe(200);
  expect(await messagesOf(two)).toEqual([]);
  const answer = await say(two, 'm2', 'And my cat is called Tom');
  expect(answer.status, answer.text).toBe(200);
  expect((await messagesOf(two)).slice(0, 3)).toEqual([
    'user: My dog is called Rex',
    expect.stringMatching(/^assistant: /),
    'user: And my cat is called Tom',
  ]);
  expect((await say(one, 'm3', 'Thank you')).status).toBe(200);
  // A request that comes again finds its answer on the other server.
  expect((await say(one, 'm2', 'And my cat is called Tom')).body.message_id).toBe(answer.body.message_id);
  expect(await messagesOf(one)).toHaveLength(6);
});

it('keep the order of a conversation when one is killed and started again while another one wants to go on', async () => {
  const name = await newDatabase();
  const flags = flagsOf(name, 'one');
  const killed = await startServerProcess(folder, flags);
  // However long a start takes here: no server is taken for dead because of the time.
  await inDatabase(
    name,
    `CREATE FUNCTION longer() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN NEW.expires_at := clock_timestamp() + interval '1 hour'; RETURN NEW; END $$;
     CREATE TRIGGER longer BEFORE INSERT OR UPDATE ON servers FOR EACH ROW EXECUTE FUNCTION longer()`,
  );
  const sessions = Array.from({ length: 20 }, (_, i) => `chat-${i}`);
  for (const session of sessions)
    expect((await say(killed, 'm1', 'My dog is called Rex', session)).status).toBe(200);
  await endProcess(killed.child, 'SIGKILL');
  const two = await startOne(name, 'two');
  const answers = sessions.map((session) => say(two, 'm2', 'And my cat is called Tom', session));
  await expect
    .poll(async () => (await inDatabase(name, "SELECT * FROM turn_leases WHERE wanted = 'turn'")).rowCount)
    .toBe(sessions.length);
  const one = await startServerProcess(folder, flags);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(sessions.map(() => 200));
  for (const session of sessions)
    expect((await messagesOf(two, session)).slice(0, 3), session).toEqual([
      'user: My dog is called Rex',
      expect.stringMatching(/^assistant: /),
      'user: And my cat is called Tom',
    ]);
  expect(await endProcess(one.child, 'SIGTERM')).toBe(0);
});

it('make the turns of a session one after the other', async () => {
  const [one, two] = await start();
  const asked = Array.from({ length: 8 }, (_, i) => say(i % 2 === 0 ? one : two, `m${i}`, `Number ${i}`));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  await call(one.url, 'POST', '/api/sessions/chat/close');
  const roles = (await messagesOf(two)).map((text) => text.split(':')[0]);
  expect(roles).toEqual(Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 'user' : 'assistant')));
});

it('forget what the other one holds', async () => {
  const [one, two, name] = await start();
  await say(one, 'm1', `The code is ${SECRET}`);
  await say(one, 'm2', 'My cat is called Tom');
  const receipt = await call(two.url, 'POST', '/api/privacy/forget', { session_id: 'chat', ids: ['m1'] });
  expect(receipt.status, receipt.text).toBe(200);
  expect(filesWith(SECRET)).toEqual([]);
  expect((await inDatabase(name, 'SELECT * FROM turn_leases')).rows).toEqual([]);
  const left = await messagesOf(one);
  expect(left.some((text) => text.includes('Tom'))).toBe(true);
  expect(left.some((text) => text.startsWith('user') && text.includes(SECRET))).toBe(false);
  expect((await call(two.url, 'POST', '/api/privacy/forget', { everything: true })).status).toBe(200);
  expect((await call(one.url, 'GET', '/api/sessions')).body.sessions).toEqual([]);
});

it('call off an answer that is being made when the other one forgets', async () => {
  let think: () => void = () => undefined;
  const isThinking = new Promise<void>((resolve) => (think = resolve));
  let goOn: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (goOn = resolve));
  const keep: Scripted = {
    calls: [{ name: 'store_memory', arguments: { content: SECRET, type: 'finding' } }],
  };
  const model = await startStandIn(async () => {
    think();
    await released;
    return keep;
  });
  const flags = { 'openai-model': 'm', 'openai-base-url': model.baseURL, 'openai-api-key': 'k' };
  const [one, two] = await start(flags);
  const asked = say(one, 'm1', `The code is ${SECRET}`);
  await isThinking;
  const forgotten = await call(two.url, 'POST', '/api/privacy/forget', { everything: true });
  expect(forgotten.status, forgotten.text).toBe(200);
  goOn();
  const { body } = await asked;
  expect(['FORGOTTEN_MEANWHILE', 'SESSION_NOT_FOUND']).toContain(body.code);
  expect(filesWith(SECRET)).toEqual([]);
  const check = await call(two.url, 'POST', '/api/privacy/verify', { words: [SECRET] });
  expect(check.body.found, check.text).toBe(0);
  await model.close();
});

it('carry out a request with a key once', async () => {
  const [one, two] = await start({ 'auth-enabled': true });
  const headers = { ...bearer(one.firstKey!), 'idempotency-key': 'k1' };
  const make = (server: ServerOfStore, label = 'a') =>
    call(server.url, 'POST', '/api/keys', { label }, headers);
  const made = await make(one);
  expect(made.status).toBe(201);
  expect(await make(one)).toMatchObject({ status: 201, body: made.body });
  expect(await make(two)).toMatchObject({ status: 410, body: { code: 'ANSWER_FORGOTTEN' } });
  expect(await make(two, 'b')).toMatchObject({ status: 422 });
  expect((await call(two.url, 'GET', '/api/keys', undefined, headers)).body.keys).toHaveLength(2);
  // What makes nothing twice is done again, and gives the same.
  const add = (server: ServerOfStore) =>
    call(
      server.url,
      'POST',
      '/api/sessions/s1/memories',
      { content: 'My dog is called Rex' },
      {
        ...headers,
        'longhand-user': 'ada',
      },
    );
  const ada = { ...bearer(one.firstKey!), 'longhand-user': 'ada' };
  await call(one.url, 'POST', '/api/sessions', { session_id: 's1' }, ada);
  const added = await add(one);
  const again = await add(two);
  expect(again.body.id, again.text).toBe(added.body.id);
});

it('give no answer again that holds what the other one has forgotten', async () => {
  const [one, two] = await start();
  await call(one.url, 'POST', '/api/memories', { content: `The code is ${SECRET}` });
  const headers = { 'idempotency-key': 'k1' };
  const search = () => call(one.url, 'POST', '/api/search', { text: 'code' }, headers);
  expect((await search()).text).toContain(SECRET);
  await call(two.url, 'POST', '/api/privacy/forget', { everything: true });
  expect((await search()).text).not.toContain(SECRET);
});

it('tell the listeners of one what the other one changes, and let them go on anywhere', async () => {
  const [one, two] = await start();
  const listen = async (server: ServerOfStore, headers: Record<string, string> = {}) => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/api/events`, { headers, signal: abort.signal });
    let text = '';
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    const until = async (pattern: RegExp): Promise<string> => {
      while (!pattern.test(text)) text += decoder.decode((await reader.read()).value, { stream: true });
      return text;
    };
    return { until, end: () => abort.abort() };
  };
  const first = await listen(two);
  await first.until(/event: ready/);
  await call(one.url, 'POST', '/api/sessions', { session_id: 's1' });
  await call(one.url, 'POST', '/api/sessions/s1/memories', { content: { text: 'one' } });
  const text = await first.until(/event: session-changed\n[\s\S]*?"s1"[\s\S]*?\n\n/);
  first.end();
  const lastId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)![1]!;
  await call(two.url, 'POST', '/api/sessions', { session_id: 's2' });
  const second = await listen(one, { 'last-event-id': lastId });
  const news = await second.until(/event: session-changed\n[\s\S]*?"s2"/);
  expect(news).toContain('"resumed":true');
  second.end();
});

it('lose nothing with their disks when each turn is written to the database', async () => {
  const [one, two] = await start({ 'write-behind-spool': 'postgres' });
  await say(one, 'm1', 'My dog is called Rex');
  expect(await messagesOf(two)).toHaveLength(2);
  expect(filesWith('Rex')).toEqual([]);
});

/** Names of the files of both servers that hold a word. */
function filesWith(word: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
    .filter((name) => readFileSync(join(folder, name), 'latin1').includes(word));
}

it('answer and sum up after a restart as before', async () => {
  const flags = {
    'summary-enabled': true,
    'summary-threshold': 4,
    'summary-keep-last': 2,
    'write-behind-every-messages': 2,
  };
  const [one, two, name] = await start(flags);
  const image = { media_type: 'image/png', data: 'iVBORw0KGgo=' };
  expect((await call(one.url, 'POST', '/agent/run', { prompt: 'Hello', session_id: 'chat' })).status).toBe(
    200,
  );
  const seen = await call(two.url, 'POST', '/agent/vision', {
    prompt: 'Look',
    images: [image],
    session_id: 'chat',
  });
  expect(seen.status, seen.text).toBe(200);
  for (let i = 0; i < 3; i++) await say(one, `m${i}`, `Number ${i}`);
  await Promise.all(open.splice(0).map((server) => server.close()));
  const again = await startOne(name, 'one', flags);
  const { body } = await call(again.url, 'GET', '/api/chat/sessions/chat');
  expect(body.summary).toEqual(expect.stringContaining('Extracts of the conversation'));
  expect(body.summarizedCount).toBeGreaterThanOrEqual(4);
  expect(await messagesOf(again)).toHaveLength(10);
  const { sessions } = (await call(again.url, 'GET', '/api/chat/sessions')).body;
  expect(sessions).toMatchObject([{ summary: body.summary, summarizedCount: body.summarizedCount }]);
});
