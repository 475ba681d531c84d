import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endWithTests, sized } from '../../longhand/test/campaign.ts';
import { startServer, type TestServer as TestPostgres } from '../../longhand/test/postgres/server.ts';
import { freePort, TestRedis } from '../../longhand/test/redis/redis-server.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { runServer } from '../src/run-server.ts';
import { call } from './http-fixture.ts';
import { type ChatBody, type Scripted, type StandIn, startStandIn } from './openai-stand-in.ts';
import { endProcess } from './server-process.ts';

/** Servers on one Postgres and one Redis, and what happens when that Redis is in trouble. */
const folder = mkdtempSync(join(tmpdir(), 'longhand-redis-'));
const SCRIPT = join(import.meta.dirname, 'processes/serve.ts');
let postgres: TestPostgres;
let redis: TestRedis;
let databases = 0;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startServer(), TestRedis.start()]);
  await inPostgres('CREATE ROLE keeper LOGIN CREATEROLE');
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});
afterAll(async () => {
  await Promise.all([postgres.stop(), redis.kill()]);
  rmSync(folder, { recursive: true, force: true });
});

async function inPostgres(statement: string): Promise<void> {
  const client = new pg.Client(postgres.connection());
  await client.connect();
  await client.query(statement);
  await client.end();
}

interface Server {
  readonly url: string;
}

async function emptyDatabase(): Promise<string> {
  const name = `d${++databases}`;
  await inPostgres(`CREATE DATABASE ${name} OWNER keeper`);
  const { host, port } = postgres.connection();
  return `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=keeper`;
}

type Flags = Readonly<Record<string, unknown>>;

function flagsOn(database: string): Flags & { readonly 'state-folder': string } {
  return { 'database-url': database, 'state-folder': mkdtempSync(join(folder, 'state-')) };
}

/** A server with a disk of its own. */
async function serve(database: string, more: Flags): Promise<Server> {
  const flags = { ...flagsOn(database), port: 0, 'log-level': 'silent', ...more };
  const server = await runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags }));
  ending.push(() => server.close());
  return server;
}

/** The same in a process of its own. */
async function serveAlone(database: string, flags: Flags): Promise<Server & { readonly log: string[] }> {
  const all = { ...flagsOn(database), 'log-format': 'json', ...flags };
  const args = ['--conditions=longhand-source', SCRIPT, all['state-folder'], JSON.stringify(all)];
  const child = endWithTests(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
  ending.push(() => endProcess(child, 'SIGTERM'));
  const log: string[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => log.push(line));
  for await (const url of createInterface({ input: child.stdout! })) return { url, log };
  throw new Error(`The server has ended before it listened:\n${log.join('\n')}`);
}

const withRedis = () => ({ 'redis-url': redis.url });

async function standIn(reply: (body: ChatBody) => Scripted | Promise<Scripted>): Promise<StandIn> {
  const model = await startStandIn(reply);
  ending.push(() => model.close());
  return model;
}

const flagsOf = ({ baseURL }: StandIn) => ({
  'openai-model': 'm',
  'openai-base-url': baseURL,
  'openai-api-key': 'k',
});

/** Every third turn asks for a tool; an answer tells what the model was shown, so that equal answers had equal prompts. */
function describePrompt({ messages }: ChatBody): Scripted {
  const last = messages.at(-1)!;
  if (last.role === 'user' && /\b\d*[369] please/.test(String(last.content)))
    return { calls: [{ name: 'list_memories', arguments: {} }] };
  return { text: messages.slice(1).map(partOf).join('; ').slice(-4_000) };
}

function partOf({ role, content, tool_calls }: ChatBody['messages'][number]): string {
  const text = (typeof content === 'string' ? content : JSON.stringify(content ?? '')).slice(0, 40);
  return `${role} ${tool_calls?.map((each) => each.function.name).join() ?? ''} ${text}`;
}

async function say(server: Server, content: string, session_id = 'chat'): Promise<string> {
  const { status, text, body } = await call(server.url, 'POST', '/api/chat', {
    new_messages: [{ role: 'user', content }],
    session_id,
  });
  expect(status, text).toBe(200);
  return body.answer;
}

describe('servers that share a Redis', () => {
  it('show each other their windows, tools included', async () => {
    const model = await standIn(describePrompt);
    const database = await emptyDatabase();
    const flags = { ...flagsOf(model), ...withRedis() };
    const servers = [await serveAlone(database, flags)];
    servers.push(...(await Promise.all([serveAlone(database, flags), serveAlone(database, flags)])));
    // What was said is in every window. What tools did is there unless Redis took longer than a turn waits for it, and the
    // transcript had to do: so another conversation is tried then.
    let conversations = 0;
    const showsTools = async (): Promise<boolean> => {
      const session = `chat${conversations++ || ''}`;
      await say(servers[0]!, 'Part 1 please', session);
      await say(servers[0]!, 'Part 3 please', session);
      const answers = [];
      for (let i = 4; i < 8; i++) {
        answers.push(await say(servers[i % 3]!, `Part ${i} please`, session));
        expect(answers.at(-1)).toContain(`user  Part ${i - 1} please`);
      }
      return answers.slice(0, 2).every((answer) => answer.includes('assistant list_memories'));
    };
    while (!(await showsTools()));
    const { body } = await call(servers[2]!.url, 'GET', '/api/chat/sessions/chat/messages');
    const asked = body.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const known = [1, 3, 4, 5, 6].map((i) => `Part ${i} please`);
    expect(asked.slice(0, known.length)).toEqual(known);
  });

  it('count requests together, and each its own while Redis is gone', async () => {
    const database = await emptyDatabase();
    const flags = { ...withRedis(), 'limits-requests-per-minute': 12 };
    const servers = [await serve(database, flags), await serve(database, flags)];
    const ask = async (i: number) => (await call(servers[i]!.url, 'GET', '/api/sessions')).status;
    // The other one alone would take twelve. On a busy machine Redis may be late, and then a server counts alone: both
    // start over.
    const shareOne = async (): Promise<number> => {
      await redis.ask('FLUSHALL');
      for (let i = 0; i < 12; i++) await ask(0);
      return ask(1);
    };
    await expect.poll(shareOne).toBe(429);
    await redis.kill();
    expect(await ask(1)).toBe(200);
    await redis.start();
  });

  it('call off the answer of another one when they forget, and tell what has changed', async () => {
    let think: () => void = () => undefined;
    const isThinking = new Promise<void>((resolve) => (think = resolve));
    let goOn: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (goOn = resolve));
    const model = await standIn(async () => {
      think();
      await released;
      return { calls: [{ name: 'store_memory', arguments: { content: 'BASSOON99', type: 'finding' } }] };
    });
    const database = await emptyDatabase();
    const flags = { ...flagsOf(model), ...withRedis() };
    const [one, two] = [await serve(database, flags), await serve(database, flags)];
    const asked = call(one.url, 'POST', '/api/chat', {
      new_messages: [{ role: 'user', content: 'The code is BASSOON99' }],
      session_id: 'chat',
    });
    await isThinking;
    const forgotten = await call(two.url, 'POST', '/api/privacy/forget', { everything: true });
    expect(forgotten.status, forgotten.text).toBe(200);
    goOn();
    expect(['FORGOTTEN_MEANWHILE', 'SESSION_NOT_FOUND']).toContain((await asked).body.code);
    const check = await call(two.url, 'POST', '/api/privacy/verify', { words: ['BASSOON99'] });
    expect(check.body.found, check.text).toBe(0);
    expect(await everythingInRedis()).not.toContain('BASSOON99');
    // A listener of one hears what the other one changes.
    const abort = new AbortController();
    const events = await fetch(`${one.url}/api/events`, { signal: abort.signal });
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const heard = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(text)) text += (await reader.read()).value ?? '';
    };
    await heard(/event: ready/);
    await call(two.url, 'POST', '/api/sessions', { session_id: 's1' });
    await heard(/event: session-changed\n[\s\S]*?"s1"/);
    abort.abort();
  });

  it('leave nothing of one account in the keys of another', async () => {
    const accounts = ['acme', 'acme:b', 'bolt'];
    await redis.ask('FLUSHALL');
    for (const account of accounts) {
      const flags = { ...withRedis(), 'auth-account': account, 'limits-requests-per-minute': 1_000 };
      const server = await serve(await emptyDatabase(), flags);
      // On a busy machine Redis may be late, and then a window is kept by the server alone.
      const isKept = async (): Promise<boolean> => {
        await say(server, `The secret of <${account}> is safe`, 'same');
        return (await redis.ask('EXISTS', `${encodeURIComponent(account)}:longhand:window:same`)) === 1;
      };
      await expect.poll(isKept).toBe(true);
    }
    const keys = (await redis.ask('KEYS', '*')) as string[];
    const windows = keys.filter((key) => key.includes(':window:'));
    expect(windows).toHaveLength(accounts.length);
    for (const key of keys) {
      const [owner, ...others] = accounts.toSorted((a) =>
        key.startsWith(`${encodeURIComponent(a)}:`) ? -1 : 1,
      );
      expect(key.startsWith(`${encodeURIComponent(owner!)}:`), key).toBe(true);
      const value = String(await redis.ask('GET', key));
      for (const other of others) expect(value).not.toContain(`<${other}>`);
    }
  });
});

async function everythingInRedis(): Promise<string> {
  const keys = (await redis.ask('KEYS', '*')) as string[];
  return (await Promise.all(keys.map((key) => redis.ask('GET', key)))).join('\n');
}

describe('a server whose Redis is in trouble', () => {
  const ROUNDS = sized(10, 100);
  let goesOn = Promise.resolve();
  it.each([
    ['killed', async () => redis.kill().then(() => redis.start())],
    [
      'stopped for five seconds',
      async () => {
        await goesOn;
        goesOn = redis.stopped(() => new Promise((resolve) => setTimeout(resolve, 5_000)));
      },
    ],
    ['emptied', () => redis.ask('FLUSHALL')],
  ])('answers in every turn as one without Redis does: %s', async (_trouble, cause) => {
    let isDue = false;
    const disturbed = await standIn(async (body) => {
      if (isDue) await cause();
      isDue = false;
      return describePrompt(body);
    });
    const quiet = await standIn(describePrompt);
    const one = await serve(await emptyDatabase(), { ...flagsOf(disturbed), ...withRedis() });
    const alone = await serve(await emptyDatabase(), flagsOf(quiet));
    for (let turn = 0; turn < ROUNDS * 3; turn++) {
      isDue = turn % 3 === 1;
      const text = `Part ${turn} please`;
      // Short enough to be in the prompt as a whole: where a longer one is cut depends on what random ids cost in tokens.
      const session = `chat-${Math.floor(turn / 12)}`;
      const [answer, expected] = await Promise.all([say(one, text, session), say(alone, text, session)]);
      expect(answer).toBe(expected);
    }
    // Nothing is stopped any more when the next one begins.
    await expect.poll(() => redis.ask('PING')).toBe('PONG');
  });

  it('starts without it, says so, and takes it into use when it is there', async () => {
    const port = await freePort();
    const url = `redis://someone:HARPSICHORD@127.0.0.1:${port}/0`;
    const server = await serveAlone(await emptyDatabase(), { 'redis-url': url, 'log-level': 'info' });
    // Before the first request.
    await expect.poll(() => server.log.join('\n')).toMatch(/Redis is gone.*ECONNREFUSED/);
    await say(server, 'Hello');
    const health = () => call(server.url, 'GET', '/healthz');
    expect(await health()).toMatchObject({ status: 200, body: { status: 'ok', redis: 'gone' } });
    expect((await call(server.url, 'GET', '/metrics')).text).toContain('longhand_redis_up 0');
    const late = await TestRedis.start(port);
    ending.push(() => late.kill());
    await late.ask('ACL', 'SETUSER', 'someone', 'on', '>HARPSICHORD', '~*', '&*', '+@all');
    await expect.poll(async () => (await health()).body.redis).toBeUndefined();
    // A moment without an answer, and it counts as gone until it is asked again.
    const metrics = async () => (await call(server.url, 'GET', '/metrics')).text;
    await expect.poll(metrics).toContain('longhand_redis_up 1');
    const keys = () => say(server, 'Are you there?').then(() => late.ask('KEYS', '*'));
    await expect.poll(keys).toEqual(['local:longhand:window:chat']);
    expect(server.log.join('\n')).not.toContain('HARPSICHORD');
  });
});
