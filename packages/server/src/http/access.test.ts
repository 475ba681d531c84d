import { readFileSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../test/http-fixture.ts';
import { SUPPORTS } from '../../test/store-place.ts';
import { loadConfig } from '../config/load-config.ts';
import { OPERATIONS } from '../operations/index.ts';
import { STREAM_HEADERS } from './sse.ts';

/** `fetch` does not let a test choose Host and Origin freely. */
function send(
  url: string,
  headers: Record<string, string>,
  { method = 'GET', path = '/api/sessions' } = {},
): Promise<{ readonly status: number; readonly headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(`${url}${path}`, { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    request.on('error', reject);
    request.end();
  });
}

describe('on loopback, without accounts', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ flags: { 'allowed-origins': 'http://app.example:5173' } });
  });
  afterAll(() => server.stop());

  it('answers to names of this machine only', async () => {
    const { url, port } = server.server;
    const own = ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'];
    for (const name of own) {
      expect((await send(url, { host: `${name}:${port}` })).status, name).toBe(200);
      expect((await send(url, { host: name })).status, name).toBe(200);
    }
    const forged = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      'localhost@evil.example',
      'evil.example#localhost',
      '127.0.0.2',
      '0.0.0.0',
      '169.254.169.254',
      '127.1',
      '2130706433',
    ];
    for (const host of forged) {
      for (const path of ['/api/sessions', '/healthz', '/openapi.json', '/nowhere', '/metrics']) {
        const { status } = await send(url, { host }, { path });
        // Some are no host at all, and never become a request.
        expect([400, 403], `${host} ${path}`).toContain(status);
      }
    }
  });

  it('answers pages of its own origin and of those that are allowed, and no others', async () => {
    const { url, port } = server.server;
    const host = `127.0.0.1:${port}`;
    expect((await send(url, { host, origin: `http://${host}` })).status).toBe(200);
    const allowed = await send(url, { host, origin: 'http://app.example:5173' });
    expect(allowed.status).toBe(200);
    expect(allowed.headers['access-control-allow-origin']).toBe('http://app.example:5173');
    const foreign = [
      'null',
      'http://evil.example',
      'http://app.example:5174',
      'https://app.example:5173',
      'http://app.example:5173.evil.example',
      'http://sub.app.example:5173',
      'http://localhost:1',
      `http://${host}.evil.example`,
      'file://',
      '',
      'nonsense',
    ];
    for (const origin of foreign)
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await send(url, { host, origin }, { method });
        expect(answer.status, `${method} ${origin}`).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    const embedded = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect((await send(url, embedded)).status).toBe(403);
    expect((await send(url, { ...embedded, 'sec-fetch-mode': 'navigate' }, { path: '/docs' })).status).toBe(
      200,
    );
  });

  it('tells browsers what an allowed page may send', async () => {
    const { url, port } = server.server;
    const headers = { host: `127.0.0.1:${port}`, origin: 'http://app.example:5173' };
    const preflight = await send(url, headers, { method: 'OPTIONS', path: '/api/chat' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('idempotency-key');
    const { headers: exposed } = await send(url, headers);
    for (const name of ['retry-after', 'idempotency-replayed', 'longhand-version', 'x-request-id'])
      expect(exposed['access-control-expose-headers']).toContain(name);
  });
});

describe('with API keys', () => {
  let server: TestServer;
  const bearer = (token: string, more = {}) => ({ authorization: `Bearer ${token}`, ...more });
  let admin: string;
  beforeAll(async () => {
    server = await startTestServer({ flags: { 'auth-enabled': true } });
    admin = server.server.firstKey!;
  });
  afterAll(() => server.stop());

  it('makes the first key itself, and refuses requests without one', async () => {
    expect((await server.call('GET', '/api/keys', undefined, bearer(admin))).status).toBe(200);
    const [id = '', secret = ''] = admin.slice(3).split(/_(.*)/s);
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `Basic ${admin}`,
      `Bearer ${admin}x`,
      `Bearer lh_${id}_${secret.toLowerCase()}`,
      `Bearer lh_${id}_`,
      `Bearer lh_AAAAAAAAAAAA_${secret}`,
    ];
    for (const authorization of wrong) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await server.call('GET', '/api/keys', undefined, headers as Record<string, string>);
      expect([answer.status, answer.body.code], String(authorization)).toEqual([401, 'UNAUTHORIZED']);
      const isKey = /^Bearer \S+$/i.test(authorization ?? '');
      expect(answer.body.detail).toContain(isKey ? 'The API key is not known here' : 'needs an API key');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await server.call('GET', '/healthz')).status).toBe(200);
  });

  it('takes the same names and labels in every store', async () => {
    for (const text of ['a\0', 'a\ud800', ' ']) {
      const asked = [
        ['POST', '/api/keys', { label: text }],
        ['POST', '/api/keys', { label: 'laptop', user_id: text }],
        ['POST', '/api/keys', { label: 'laptop', agent_id: text }],
        ['POST', '/api/members', { user_id: text }],
      ] as const;
      for (const [method, path, body] of asked) {
        const answer = await server.call(method, path, body, bearer(admin));
        expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, 'INVALID_REQUEST']);
      }
    }
  });

  it.runIf(SUPPORTS.folder)('keeps no secret in any file', () => {
    const [keys, digests] = ['api-keys.jsonl', 'api-keys.secret'].map((name) =>
      readFileSync(join(server.storageRoot, 'server', name), 'utf8'),
    );
    expect(`${keys}${digests}`).not.toContain(admin.slice(-43));
    expect(digests).toContain('"sha256":');
    // A search may look into it.
    expect(keys).not.toContain('"sha256":');
  });

  it('gives every operation only to those who may use it', async () => {
    const make = async (access: string) =>
      (await server.call('POST', '/api/keys', { label: access, access, user_id: 'ada' }, bearer(admin))).body
        .token;
    const tokens = { read: await make('read'), write: await make('write') };
    for (const { name, http, access } of OPERATIONS) {
      const path = http.path.replaceAll(/\{\w+\}/g, 'x');
      for (const [level, token] of Object.entries(tokens)) {
        const { status } = await server.call(http.method, path, undefined, bearer(token));
        const isAllowed = access === 'read' || access === level;
        if (isAllowed) expect(status, `${name} with ${level}`).not.toBe(403);
        else expect(status, `${name} with ${level}`).toBe(403);
      }
    }
    expect((await server.call('GET', '/metrics', undefined, bearer(tokens.write))).status).toBe(403);
  });

  it('binds a key to its user, and lets a key without one name the user', async () => {
    const made = await server.call('POST', '/api/keys', { label: 'of Ada', user_id: 'ada' }, bearer(admin));
    const { token } = made.body;
    const session = await server.call('POST', '/api/sessions', {}, bearer(token));
    expect(session.body.user_id).toBe('ada');
    const asBob = await server.call(
      'GET',
      '/api/sessions',
      undefined,
      bearer(token, { 'longhand-user': 'bob' }),
    );
    expect(asBob.status).toBe(403);
    const named = bearer(admin, { 'longhand-user': encodeURIComponent('zoë') });
    expect((await server.call('POST', '/api/sessions', {}, named)).body.user_id).toBe('zoë');
    const unnamed = await server.call('GET', '/api/sessions', undefined, bearer(admin));
    expect([unnamed.status, unnamed.body.code]).toEqual([400, 'SCOPE_MISSING']);
    // Nothing is made for a turn that belongs to no user.
    const chat = await server.call(
      'POST',
      '/api/chat',
      { new_messages: [{ role: 'user', content: 'Hello' }], agent_id: 'unmade' },
      bearer(admin),
    );
    expect([chat.status, chat.body.code]).toEqual([400, 'SCOPE_MISSING']);
    expect((await server.call('GET', '/api/agents/unmade', undefined, named)).status).toBe(404);
  });

  it('hands on what a bound key may do, and no more', async () => {
    const keys = server.services.gate.keys;
    const bound = await keys.create({ label: 'of Bob', access: 'admin', user_id: 'bob' });
    const adas = await keys.create({ label: 'of Ada', access: 'read', user_id: 'ada' });
    const headers = bearer(bound.token);
    const label = 'handed on';
    for (const body of [{ user_id: 'ada' }, { user_id: 'ada', access: 'read' }]) {
      const { status, body: problem } = await server.call('POST', '/api/keys', { label, ...body }, headers);
      expect([status, problem.code]).toEqual([403, 'FORBIDDEN']);
    }
    const own = (await server.call('POST', '/api/keys', { label }, headers)).body;
    expect(own.user_id).toBe('bob');
    const narrower = (await server.call('POST', '/api/keys', { label, agent_id: 'scout' }, headers)).body;
    expect([narrower.user_id, narrower.agent_id]).toEqual(['bob', 'scout']);
    const scout = await keys.create({ label: '', access: 'admin', user_id: 'bob', agent_id: 'scout' });
    const wider = await server.call('POST', '/api/keys', { label, agent_id: 'spy' }, bearer(scout.token));
    expect(wider.status).toBe(403);

    const listed = (await server.call('GET', '/api/keys', undefined, headers)).body.keys;
    expect(new Set(listed.map(({ user_id }: { user_id: string }) => user_id))).toEqual(new Set(['bob']));
    const path = `/api/keys/${adas.key.id}`;
    expect((await server.call('DELETE', path, undefined, headers)).body.code).toBe('KEY_NOT_FOUND');
    expect((await server.call('GET', '/api/sessions', undefined, bearer(adas.token))).status).toBe(200);
    expect((await server.call('DELETE', `/api/keys/${own.id}`, undefined, headers)).status).toBe(200);

    const look = { words: ['anything'] };
    expect((await server.call('POST', '/api/privacy/verify', look, headers)).status).toBe(403);
    expect((await server.call('GET', '/api/privacy/receipts', undefined, headers)).status).toBe(403);
    expect((await server.call('POST', '/api/privacy/verify', look, bearer(admin))).status).toBe(200);
    const word = { words: ['"user_id":"ada"'] };
    const { body } = await server.call('POST', '/api/privacy/verify', word, bearer(admin));
    const places = body.places as readonly unknown[];
    expect(places.length).toBe(body.found);
    if (SUPPORTS.folder)
      expect(places).toContainEqual({ place: 'server/api-keys.jsonl', offset: expect.any(Number) });
  });

  it('ends with its time, and when it is revoked', async () => {
    const body = { label: 'of the past', user_id: 'ada', expires_at: '2020-01-01T00:00:00Z' };
    const old = (await server.call('POST', '/api/keys', body, bearer(admin))).body;
    expect((await server.call('GET', '/api/sessions', undefined, bearer(old.token))).status).toBe(401);
    const { token, id } = (
      await server.call('POST', '/api/keys', { label: 'of Ada', user_id: 'ada' }, bearer(admin))
    ).body;
    expect((await server.call('GET', '/api/sessions', undefined, bearer(token))).status).toBe(200);
    await server.call('DELETE', `/api/keys/${id}`, undefined, bearer(admin));
    expect((await server.call('GET', '/api/sessions', undefined, bearer(token))).status).toBe(401);
  });

  it('writes no key and no memory into the log', async () => {
    const headers = bearer(admin, { 'longhand-user': 'ada' });
    await server.call('POST', '/api/sessions', { session_id: 'quiet' }, headers);
    const memory = { type: 'finding', content: { text: 'canary-memory-text' }, tags: ['t'] };
    await server.call('POST', '/api/sessions/quiet/memories', memory, headers);
    await server.call('POST', '/api/search', { text: 'canary-memory-text' }, headers);
    await server.call('GET', '/api/sessions/quiet/memories?text=canary-memory-text', undefined, headers);
    await server.call(
      'POST',
      '/api/sessions/quiet/memories',
      { ...memory, type: 'canary-memory-text' },
      headers,
    );
    const log = server.log.join('');
    expect(log).not.toContain('canary-memory-text');
    expect(log).not.toContain(admin.slice(-43));
    for (const line of server.log) {
      const entry = JSON.parse(line);
      expect(entry.timestamp).toMatch(/^\d{4}-.*Z$/);
      expect(['DEBUG', 'INFO', 'WARN', 'ERROR']).toContain(entry.level);
      expect(typeof entry.component).toBe('string');
      expect(typeof entry.message).toBe('string');
      expect(entry.metadata ?? {}).not.toHaveProperty('level');
      expect(entry.metadata ?? {}).not.toHaveProperty('time');
    }
  });
});

describe('limits', () => {
  // A bucket fills up while a busy machine sends the requests that should empty it.
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(performance.now()));
  afterEach(() => void vi.restoreAllMocks());

  it('stops a key that asks too often, and not the others', async () => {
    const server = await startTestServer({
      flags: { 'auth-enabled': true, 'limits-requests-per-minute': 5 },
    });
    const headers = { authorization: `Bearer ${server.server.firstKey}` };
    const { token } = await server.services.gate.keys.create({ label: '', access: 'read', user_id: 'ada' });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++)
      statuses.push((await server.call('GET', '/api/keys', undefined, headers)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = await server.call('GET', '/api/keys', undefined, headers);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await server.call('GET', '/api/sessions', undefined, { authorization: `Bearer ${token}` });
    expect(other.status).toBe(200);
    await server.stop();
  });

  it('tells the clients of a trusted proxy apart', async () => {
    const flags = {
      'auth-enabled': true,
      'limits-failed-logins-per-minute': 1,
      'trusted-proxies': '127.0.0.1',
    };
    const server = await startTestServer({ flags });
    const guess = async (forwarded: string) =>
      (
        await server.call('GET', '/api/keys', undefined, {
          authorization: 'Bearer lh_guess',
          'x-forwarded-for': forwarded,
        })
      ).status;
    expect([await guess('1.1.1.1'), await guess('2.2.2.2'), await guess('3.3.3.3, 1.1.1.1')]).toEqual([
      401, 401, 429,
    ]);
    await server.stop();
  });

  it('leaves connections to others, however many feeds a key wants', async () => {
    const server = await startTestServer({ flags: { 'auth-enabled': true, 'limits-streams-per-key': 2 } });
    const { keys } = server.services.gate;
    const open = (token: string, leaving: AbortController) =>
      fetch(`${server.server.url}/api/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: leaving.signal,
      });
    const ada = (await keys.create({ label: '', access: 'read', user_id: 'ada' })).token;
    const bob = (await keys.create({ label: '', access: 'read', user_id: 'bob' })).token;
    const [first, rest] = [new AbortController(), new AbortController()];
    expect((await open(ada, first)).status).toBe(200);
    expect((await open(ada, rest)).status).toBe(200);
    expect((await open(ada, rest)).status).toBe(429);
    expect((await open(bob, rest)).status).toBe(200);
    first.abort();
    await expect.poll(async () => (await open(ada, rest)).status).toBe(200);
    rest.abort();
    await server.stop();
  });

  it('counts the listeners of MCP among the feeds, and nothing else that comes there', async () => {
    const endless = (signal: AbortSignal) =>
      new ReadableStream({ start: (c) => signal.addEventListener('abort', () => c.close()) });
    const server = await startTestServer({
      flags: { 'limits-streams-per-key': 2 },
      app: { mcp: async ({ signal }) => new Response(endless(signal), { headers: STREAM_HEADERS }) },
    });
    const speak = (method: string, { signal }: AbortController) =>
      fetch(`${server.server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
        signal,
      });
    const [first, rest] = [new AbortController(), new AbortController()];
    expect((await speak('subscriptions/listen', first)).status).toBe(200);
    expect((await speak('subscriptions/listen', rest)).status).toBe(200);
    expect((await speak('subscriptions/listen', rest)).status).toBe(429);
    expect((await fetch(`${server.server.url}/api/events`)).status).toBe(429);
    for (let i = 0; i < 3; i++) expect((await speak('tools/call', rest)).status).toBe(200);
    first.abort();
    await expect.poll(async () => (await speak('subscriptions/listen', rest)).status).toBe(200);
    rest.abort();
    await server.stop();
  });

  it('stops an address that asks too often, whatever its keys, and leaves one person alone', async () => {
    const flags = { 'auth-enabled': true, 'limits-requests-per-minute-of-address': 4 };
    const server = await startTestServer({ flags });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const { token } = await server.services.gate.keys.create({
        label: '',
        access: 'read',
        user_id: `u${i}`,
      });
      const headers = { authorization: `Bearer ${token}` };
      statuses.push((await server.call('GET', '/api/sessions', undefined, headers)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    await server.stop();
    expect(loadConfig({ env: {} }).limits).toMatchObject({
      requestsPerMinute: 0,
      requestsPerMinuteOfAddress: 0,
    });
  });

  it('counts what needs no key by the address, and refuses no probe', async () => {
    const server = await startTestServer({
      flags: { 'auth-enabled': true, 'limits-requests-per-minute': 3 },
    });
    const statuses: number[] = [];
    for (const path of ['/docs', '/openapi.json', '/docs', '/openapi.json', '/docs'])
      statuses.push((await server.call('GET', path)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    for (let i = 0; i < 5; i++) expect((await server.call('GET', '/healthz')).status).toBe(200);
    const headers = { authorization: `Bearer ${server.server.firstKey}` };
    expect((await server.call('GET', '/api/keys', undefined, headers)).status).toBe(200);
    await server.stop();
  });

  it('stops an address that guesses keys', async () => {
    const flags = { 'auth-enabled': true, 'limits-failed-logins-per-minute': 3 };
    const server = await startTestServer({ flags });
    const guess = () => server.call('GET', '/api/keys', undefined, { authorization: 'Bearer lh_guess' });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    // Who knows a key is not kept out by a neighbour who guesses.
    const headers = { authorization: `Bearer ${server.server.firstKey}` };
    expect((await server.call('GET', '/api/keys', undefined, headers)).status).toBe(200);
    await server.stop();
  });
});
