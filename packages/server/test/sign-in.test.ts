import { createHmac, generateKeyPairSync, randomBytes, sign as rsaSign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';

const SECRET = 'the secret of an identity provider in a test';
const ISSUER = 'https://id.example/auth/v1';
const AUDIENCE = 'authenticated';
const TOKENS = { 'auth-enabled': true, 'jwt-issuer': ISSUER, 'jwt-audience': AUDIENCE };
const NOW = Math.floor(Date.now() / 1_000);
const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'ada',
  exp: NOW + 600,
  iat: NOW,
  role: 'authenticated',
  app_metadata: { account_id: 'local' },
};

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signed by hand, so that anything can be said. */
function token(
  claims: object,
  header: object = { alg: 'HS256', typ: 'JWT' },
  secret: string | Uint8Array = SECRET,
  hash = 'sha256',
): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

const without = (name: keyof typeof CLAIMS): object => ({ ...CLAIMS, [name]: undefined });
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

describe('tokens of an identity provider, signed with a secret', () => {
  let server: TestServer;
  beforeAll(async () => {
    const flags = { ...TOKENS, 'jwt-secret': SECRET, 'limits-failed-logins-per-minute': 10_000 };
    server = await startTestServer({ flags, speaksMcp: true });
  });
  afterAll(() => server.stop());

  it('say who calls, as Supabase makes them', async () => {
    const { status, body } = await server.call('GET', '/api/me', undefined, bearer(token(CLAIMS)));
    expect([status, body]).toEqual([
      200,
      {
        account_id: 'local',
        user_id: 'ada',
        agent_id: null,
        role: 'member',
        access: 'write',
        expires_at: new Date(CLAIMS.exp * 1_000).toISOString(),
        csrf_token: null,
      },
    ]);
    const headers = bearer(token(CLAIMS));
    await server.done('POST', '/api/memories', { content: { text: 'I am allergic to peanuts.' } }, headers);
    const other = await server.call('GET', '/api/me', undefined, { ...headers, 'longhand-user': 'bob' });
    expect(other.status).toBe(403);
    expect((await server.call('GET', '/api/keys', undefined, headers)).status).toBe(403);
    const tools = await server.connected(headers, async (client) => (await client.listTools()).tools);
    expect(tools.length).toBeGreaterThan(0);
  });

  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const good = token(CLAIMS);
  const [head, body, mac] = good.split('.') as [string, string, string];
  const FORGED: Readonly<Record<string, string>> = {
    'no algorithm': `${encoded({ alg: 'none' })}.${body}.`,
    'no algorithm, in capitals': `${encoded({ alg: 'NONE' })}.${body}.`,
    'no algorithm, with the signature': `${encoded({ alg: 'none' })}.${body}.${mac}`,
    'no header field alg': token(CLAIMS, { typ: 'JWT' }),
    'an empty alg': token(CLAIMS, { alg: '' }),
    'an algorithm that is not pinned': token(CLAIMS, { alg: 'HS384' }, SECRET, 'sha384'),
    'another algorithm of the same family': token(CLAIMS, { alg: 'HS512' }, SECRET, 'sha512'),
    'a public key taken for a secret': token(CLAIMS, { alg: 'HS256' }, pem),
    'RS256 by a key of the caller': rsaToken({ alg: 'RS256' }),
    'RS256 with the key in the header': rsaToken({ alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) }),
    'RS256 with the address of keys in the header': rsaToken({
      alg: 'RS256',
      jku: 'http://127.0.0.1:1/keys',
    }),
    'RS256 with a certificate in the header': rsaToken({ alg: 'RS256', x5u: 'http://127.0.0.1:1/cert' }),
    'a key id that is a path': token(CLAIMS, { alg: 'HS256', kid: '../../../../dev/null' }, ''),
    'a key id that is SQL': token(CLAIMS, { alg: 'HS256', kid: "' UNION SELECT 'x' --" }, 'x'),
    'an extension that must be known': token(CLAIMS, { alg: 'HS256', crit: ['exp'], exp: 1 }),
    'a payload that is not encoded': token(CLAIMS, { alg: 'HS256', b64: false, crit: ['b64'] }),
    'an empty secret': token(CLAIMS, { alg: 'HS256' }, ''),
    'another secret': token(CLAIMS, { alg: 'HS256' }, randomBytes(32)),
    'no signature': `${head}.${body}.`,
    'a signature cut short': `${head}.${body}.${mac.slice(0, 20)}`,
    'a payload changed after signing': `${head}.${encoded({ ...CLAIMS, sub: 'eve' })}.${mac}`,
    'two parts': `${head}.${body}`,
    'four parts': `${good}.x`,
    'a payload that is no object': token([CLAIMS]),
    'another audience': token({ ...CLAIMS, aud: 'another' }),
    'no audience': token(without('aud')),
    'another issuer': token({ ...CLAIMS, iss: 'https://evil.example' }),
    'no issuer': token(without('iss')),
    'one that has expired': token({ ...CLAIMS, exp: NOW - 60 }),
    'no expiry': token(without('exp')),
    'an expiry that is a text': token({ ...CLAIMS, exp: String(NOW + 600) }),
    'one that is not valid yet': token({ ...CLAIMS, nbf: NOW + 600 }),
    'no subject': token(without('sub')),
    'an empty subject': token({ ...CLAIMS, sub: '' }),
    'a blank subject': token({ ...CLAIMS, sub: '  ' }),
    'a subject that is a number': token({ ...CLAIMS, sub: 7 }),
    'no account': token(without('app_metadata')),
    'another account': token({ ...CLAIMS, app_metadata: { account_id: 'globex' } }),
    'an account that is a list': token({ ...CLAIMS, app_metadata: { account_id: ['local'] } }),
    'an account where users write': token({
      ...without('app_metadata'),
      user_metadata: { account_id: 'local' },
    }),
    'an account of the prototype': token({ ...without('app_metadata'), app_metadata: [] }),
    'one of 20 kilobytes': token({ ...CLAIMS, more: 'x'.repeat(20_000) }),
  };

  function rsaToken(header: object): string {
    const signed = `${encoded(header)}.${encoded(CLAIMS)}`;
    const signature = rsaSign('sha256', Buffer.from(signed), privateKey);
    return `${signed}.${signature.toString('base64url')}`;
  }

  it.each(Object.entries(FORGED))('do not count: %s', async (_name, forged) => {
    for (const [method, path] of [
      ['GET', '/api/me'],
      ['POST', '/mcp'],
    ] as const) {
      const { status, body, headers } = await server.call(method, path, undefined, bearer(forged));
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('count five seconds longer, and no more', async () => {
    const at = (seconds: number) =>
      bearer(token({ ...CLAIMS, exp: Math.floor(Date.now() / 1_000) + seconds }));
    expect((await server.call('GET', '/api/me', undefined, at(-1))).status).toBe(200);
    expect((await server.call('GET', '/api/me', undefined, at(-8))).status).toBe(401);
  });

  it('bring a role that members have, from the next request on', async () => {
    const root = bearer(server.server.firstKey!);
    const bob = bearer(token({ ...CLAIMS, sub: 'bob' }));
    const status = async (path: string, as: Record<string, string>) =>
      (await server.call('GET', path, undefined, as)).status;
    expect(await status('/api/members', bob)).toBe(403);
    await server.done('POST', '/api/members', { user_id: 'bob', role: 'admin' }, root);
    expect(await status('/api/members', bob)).toBe(200);
    expect(await server.done('GET', '/api/me', undefined, bob)).toMatchObject({
      role: 'admin',
      access: 'admin',
    });
    // An admin looks after the account, and speaks as no other user.
    expect(await status('/api/keys', bob)).toBe(200);
    expect(await status('/api/me', { ...bob, 'longhand-user': 'ada' })).toBe(403);
    const made = await server.done('POST', '/api/members', { user_id: 'ada' }, bob);
    expect(made).toMatchObject({ user_id: 'ada', role: 'member' });
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'member' }],
    ] as const) {
      const last = await server.call(method, '/api/members/bob', body, bob);
      expect([last.status, last.body.code]).toEqual([409, 'LAST_ADMIN']);
    }
    expect((await server.call('POST', '/api/members', { user_id: 'ada' }, bob)).body.code).toBe(
      'MEMBER_EXISTS',
    );
    await server.done('PATCH', '/api/members/ada', { role: 'admin' }, bob);
    await server.done('PATCH', '/api/members/bob', { role: 'member' }, bob);
    expect(await status('/api/members', bob)).toBe(403);
    await server.done('DELETE', '/api/members/bob', undefined, root);
    expect(await status('/api/me', bob)).toBe(401);
    expect((await server.call('DELETE', '/api/members/bob', undefined, root)).body.code).toBe(
      'MEMBER_NOT_FOUND',
    );
    await server.done('POST', '/api/members', { user_id: 'bob' }, root);
    expect(await status('/api/me', bob)).toBe(200);
  });
});

it('takes tokens signed with a key of the provider, fetched or given, and admits members alone when told', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  let isDown = false;
  const provider = createServer((_request, response) => {
    response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(jwks));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void provider.close());
  const jwksUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`;
  const made = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
  const confused = token(CLAIMS, { alg: 'HS256', kid: 'one' }, await exportSPKI(publicKey));
  const unknown = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'two' }).sign(privateKey);
  for (const source of [{ 'jwt-jwks-url': jwksUrl }, { 'jwt-keys': jwks }]) {
    const server = await startTestServer({ flags: { ...TOKENS, ...source, 'jwt-admits': 'members' } });
    const status = async (text: string) =>
      (await server.call('GET', '/api/me', undefined, bearer(text))).status;
    expect(await status(made)).toBe(401);
    await server.done('POST', '/api/members', { user_id: 'ada' }, bearer(server.server.firstKey!));
    expect([await status(made), await status(confused), await status(unknown)]).toEqual([200, 401, 401]);
    await server.stop();
  }
  isDown = true;
  const server = await startTestServer({ flags: { ...TOKENS, 'jwt-jwks-url': jwksUrl } });
  const answer = await server.call('GET', '/api/me', undefined, bearer(made));
  expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
  await server.stop();
});

describe('a person at a browser', () => {
  let server: TestServer;
  let origin: string;
  beforeAll(async () => {
    const flags = { ...TOKENS, 'jwt-secret': SECRET, 'limits-failed-logins-per-minute': 10_000 };
    server = await startTestServer({ flags });
    origin = server.server.url;
  });
  afterAll(() => server.stop());

  async function signIn(text: string, headers: Record<string, string> = {}) {
    const answer = await server.call('POST', '/api/sign_in', {}, { ...bearer(text), origin, ...headers });
    expect(answer.status).toBe(200);
    const [setCookie = ''] = answer.headers.getSetCookie();
    return {
      setCookie,
      cookie: setCookie.split(';')[0]!,
      body: answer.body,
      csrf: String(answer.body.csrf_token),
    };
  }

  it('signs in with a key, works with the session, and signs out', async () => {
    const { key, token: text } = await server.services.gate.keys.create({
      label: '',
      access: 'write',
      user_id: 'ada',
    });
    const { setCookie, cookie, body, csrf } = await signIn(text);
    expect(setCookie).toMatch(/^longhand_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(JSON.stringify(body)).not.toContain(cookie.split('=')[1]!);
    expect(body).toMatchObject({ user_id: 'ada', role: 'member' });
    const me = await server.done('GET', '/api/me', undefined, { cookie });
    expect(me).toEqual(body);
    const headers = { cookie, origin, 'longhand-csrf': csrf, 'sec-fetch-site': 'same-origin' };
    await server.done('POST', '/api/sessions', { session_id: 'console' }, headers);
    const out = await server.call('POST', '/api/sign_out', {}, headers);
    expect(out.headers.getSetCookie()[0]).toMatch(/^longhand_session=; .*Max-Age=0$/);
    // The end of the key is the end of its sessions.
    await server.services.gate.keys.revoke(key.id);
    const dead = await server.call('GET', '/api/me', undefined, { cookie });
    expect([dead.status, dead.body.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('gets a cookie for https alone where the page came over https', async () => {
    const host = new URL(origin).host;
    const { setCookie } = await signIn(token(CLAIMS), { origin: `https://${host}` });
    expect(setCookie).toMatch(
      /^__Host-longhand_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = setCookie.split(';')[0]!;
    expect((await server.call('GET', '/api/me', undefined, { cookie })).status).toBe(200);
  });

  it('is not at the mercy of other pages', async () => {
    const { cookie, csrf } = await signIn(token(CLAIMS));
    const body = { session_id: 'forged', messages_batch: [{ id: 'm', role: 'user', content: 'x' }] };
    const path = '/api/chat/session/archive_messages';
    const CASES: readonly (readonly [string, Record<string, string>, string])[] = [
      [
        'a form of another site',
        { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
        'FORBIDDEN',
      ],
      [
        'a beacon of another site',
        { origin: 'https://evil.example', 'content-type': 'text/plain' },
        'FORBIDDEN',
      ],
      ['a page in a sandbox', { origin: 'null', 'content-type': 'text/plain' }, 'FORBIDDEN'],
      [
        'another site that names no origin',
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
        'FORBIDDEN',
      ],
      ['another port of this host', { 'sec-fetch-site': 'same-site', 'longhand-csrf': csrf }, 'FORBIDDEN'],
      ['our own page without the token', { origin, 'sec-fetch-site': 'same-origin' }, 'CSRF_REJECTED'],
      ['our own beacon, with the cookie alone', { origin, 'content-type': 'text/plain' }, 'CSRF_REJECTED'],
      ['a wrong token', { origin, 'longhand-csrf': `${csrf.slice(1)}A` }, 'CSRF_REJECTED'],
    ];
    for (const [name, headers, code] of CASES) {
      const answer = await server.call('POST', path, body, { cookie, ...headers });
      expect([answer.status, answer.body.code], name).toEqual([403, code]);
    }
    const read = await server.call('GET', '/api/me', undefined, { cookie, 'sec-fetch-site': 'same-site' });
    expect(read.status).toBe(403);
    const sessions = await server.done('GET', '/api/sessions', undefined, { cookie });
    expect(sessions.sessions.map(({ id }) => id)).not.toContain('forged');
  });

  it('learns when the session is over, and renews it before', async () => {
    const { token: text } = await server.services.gate.keys.create({
      label: '',
      access: 'read',
      user_id: 'ada',
    });
    const { cookie, csrf, body } = await signIn(text);
    const ahead = vi.spyOn(Date, 'now');
    onTestFinished(() => ahead.mockRestore());
    const start = performance.timeOrigin + performance.now();
    ahead.mockImplementation(() => start + 50 * 60_000);
    const renewed = await server.call('POST', '/api/sign_in', {}, { cookie, origin, 'longhand-csrf': csrf });
    expect(Date.parse(String(renewed.body.expires_at))).toBeGreaterThan(Date.parse(String(body.expires_at)));
    ahead.mockImplementation(() => start + 61 * 60_000);
    const over = await server.call('GET', '/api/me', undefined, { cookie });
    expect([over.status, over.body.code]).toEqual([401, 'SESSION_EXPIRED']);
    const next = renewed.headers.getSetCookie()[0]!.split(';')[0]!;
    expect((await server.call('GET', '/api/me', undefined, { cookie: next })).status).toBe(200);
    // Renewed again and again, it still ends.
    ahead.mockImplementation(() => start + 13 * 3_600_000);
    expect((await server.call('GET', '/api/me', undefined, { cookie: next })).body.code).toBe(
      'SESSION_EXPIRED',
    );
  });

  it('cannot make a cookie up', async () => {
    const { cookie } = await signIn(token(CLAIMS));
    const [name, value = ''] = cookie.split('=');
    const [fields = '', mac = ''] = value.split('.');
    const forged = encoded({
      ...JSON.parse(Buffer.from(fields, 'base64url').toString()),
      grant: { sub: 'eve', until: 9e15 },
    });
    for (const wrong of [
      `${forged}.${mac}`,
      `${fields}.`,
      fields,
      '',
      'x.y',
      `${value}.z`,
      'a'.repeat(5_000),
    ]) {
      const answer = await server.call('GET', '/api/me', undefined, { cookie: `${name}=${wrong}` });
      expect([answer.status, answer.body.code], wrong).toEqual([401, 'UNAUTHORIZED']);
    }
    const ticket = (await server.services.gate.makeTicket({ user_id: 'ada', session_id: 's' }, null)).ticket;
    expect((await server.call('GET', '/api/me', undefined, { cookie: `${name}=${ticket}` })).status).toBe(
      401,
    );
  });
});

describe('the secret that sessions are signed with', () => {
  let server: TestServer;
  let admin: Record<string, string>;
  const VERIFY = '/api/privacy/verify';
  beforeAll(async () => {
    const flags = { ...TOKENS, 'jwt-secret': SECRET, 'limits-failed-logins-per-minute': 10_000 };
    server = await startTestServer({ flags });
    admin = bearer(server.server.firstKey!);
  });
  afterAll(() => server.stop());

  const signIn = async (as: Record<string, string>) =>
    (await server.call('POST', '/api/sign_in', {}, { ...as, origin: server.server.url })).headers
      .get('set-cookie')!
      .split(';')[0]!;

  it('is found by no search of the store, and neither are the digests of keys', async () => {
    const cookie = await signIn(bearer(token(CLAIMS)));
    await server.done('POST', '/api/keys', { label: 'Label of a key' }, admin);
    const secret = Buffer.from(await server.services.gate.accounts.secret()).toString('hex');
    const digests = (await server.services.gate.accounts.listKeys()).map(({ sha256 }) => sha256);
    expect(digests.length).toBeGreaterThan(1);
    for (const known of [secret, ...digests])
      for (const word of [known, known.slice(0, 3), known.slice(30, 40), known.slice(-8)]) {
        const { places } = await server.done('POST', VERIFY, { words: [word] }, admin);
        const secrets = (places as { readonly place: string }[]).filter(({ place }) =>
          /secret|api.keys/.test(place),
        );
        expect(secrets, word).toEqual([]);
      }
    // What people call their keys is no secret, and names them.
    const named = await server.done('POST', VERIFY, { words: ['Label of a key'] }, admin);
    expect(named.is_erased).toBe(false);
    expect((await server.call('GET', '/api/me', undefined, { cookie })).status).toBe(200);
  });

  it('is not searched for, and neither is what others said, by an admin of the account', async () => {
    await server.done('POST', '/api/members', { user_id: 'ann', role: 'admin' }, admin);
    const ann = bearer(token({ ...CLAIMS, sub: 'ann' }));
    expect((await server.call('GET', '/api/privacy/receipts', undefined, ann)).status).toBe(200);
    const refused = await server.call('POST', VERIFY, { words: ['peanuts'] }, ann);
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('ends all sessions and tickets when an admin has it replaced', async () => {
    const cookie = await signIn(bearer(token(CLAIMS)));
    const own = bearer(token(CLAIMS));
    const { ticket } = await server.done('POST', '/api/archive_ticket', { session_id: 'ended' }, own);
    expect((await server.call('POST', '/api/keys/end_sessions', {}, own)).status).toBe(403);
    expect(await server.done('POST', '/api/keys/end_sessions', {}, admin)).toEqual({ ended: true });
    expect((await server.call('GET', '/api/me', undefined, { cookie })).status).toBe(401);
    const messages_batch = [{ id: 'm1', role: 'user', content: 'Too late' }];
    const late = { session_id: 'ended', messages_batch, ticket };
    const answer = await server.call('POST', '/api/chat/session/archive_messages', late);
    expect(answer.body.code).toBe('TICKET_INVALID');
    expect((await server.call('GET', '/api/me', undefined, { cookie: await signIn(own) })).status).toBe(200);
  });
});

describe('an admin of the account', () => {
  it('makes keys for themselves alone, and reads no memory of others with them', async () => {
    const server = await startTestServer({ flags: { ...TOKENS, 'jwt-secret': SECRET } });
    const root = bearer(server.server.firstKey!);
    await server.done('POST', '/api/members', { user_id: 'ada', role: 'admin' }, root);
    const bob = { ...root, 'longhand-user': 'bob' };
    await server.done('POST', '/api/memories', { content: 'CANARY of bob', id: 'mem_bob' }, bob);
    const own = await server.done(
      'POST',
      '/api/keys',
      { label: 'own', access: 'admin' },
      bearer(token(CLAIMS)),
    );
    expect(own.user_id).toBe('ada');
    for (const ada of [bearer(token(CLAIMS)), bearer(own.token)]) {
      const refused = await server.call('POST', '/api/keys', { label: 'x', user_id: 'bob' }, ada);
      expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
      expect(refused.body.detail).toContain('not bound to a user or agent');
      const search = await server.call('POST', '/api/search', { text: 'CANARY', user_id: 'bob' }, ada);
      expect(search.text).not.toContain('CANARY of bob');
      expect(
        (await server.call('GET', '/api/me', undefined, { ...ada, 'longhand-user': 'bob' })).status,
      ).toBe(403);
      // They look after all keys nevertheless.
      const made = await server.done('POST', '/api/keys', { label: 'for bob', user_id: 'bob' }, root);
      expect((await server.done('GET', '/api/keys', undefined, ada)).keys.map(({ id }) => id)).toContain(
        made.id,
      );
      await server.done('DELETE', `/api/keys/${made.id}`, undefined, ada);
      expect((await server.call('GET', '/api/me', undefined, bearer(made.token))).status).toBe(401);
    }
    await server.stop();
  });
});

describe('an archive ticket', () => {
  let server: TestServer;
  const ARCHIVE = '/api/chat/session/archive_messages';
  const batch = (ticket: unknown, session_id = 'left') => ({
    session_id,
    messages_batch: [{ id: 'm1', role: 'user', content: 'The last words' }],
    ticket,
  });
  beforeAll(async () => {
    server = await startTestServer({
      flags: { 'auth-enabled': true, 'limits-failed-logins-per-minute': 10_000 },
    });
  });
  afterAll(() => server.stop());
  const key = (user_id: string, access: 'read' | 'write' = 'write') =>
    server.services.gate.keys.create({ label: '', access, user_id });

  it('adds messages to its session, once, without a key and as plain text', async () => {
    const { token: text } = await key('ada');
    const { ticket, expires_at } = await server.done(
      'POST',
      '/api/archive_ticket',
      { session_id: 'left' },
      bearer(text),
    );
    expect(Date.parse(String(expires_at)) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    for (const [type, archived] of [
      ['text/plain;charset=UTF-8', 1],
      ['application/json', 0],
    ] as const) {
      const answer = await server.call('POST', ARCHIVE, batch(ticket), { 'content-type': type });
      expect([answer.status, answer.body.archived], type).toEqual([200, archived]);
    }
    const path = '/api/chat/sessions/left/messages';
    expect((await server.done('GET', path, undefined, bearer(text))).messages).toHaveLength(1);
  });

  it('does nothing else, for no other session, and not after its key', async () => {
    const { key: own, token: text } = await key('ada');
    const { ticket } = await server.done('POST', '/api/archive_ticket', { session_id: 'only' }, bearer(text));
    const refused = async (method: string, path: string, body: unknown, headers = {}) => {
      const answer = await server.call(method, path, body, headers);
      return [answer.status, answer.body.code];
    };
    expect(await refused('POST', ARCHIVE, batch(ticket, 'another'))).toEqual([401, 'TICKET_INVALID']);
    expect(await refused('POST', `${ARCHIVE}?ticket=${ticket}`, batch(undefined, 'only'))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    for (const [method, path] of [
      ['GET', '/api/chat/sessions/only/messages'],
      ['GET', '/api/sessions'],
      ['DELETE', '/api/sessions/only'],
      ['POST', '/api/archive_ticket'],
      ['POST', '/api/sign_in'],
      ['POST', '/api/privacy/forget'],
    ] as const)
      for (const headers of [bearer(String(ticket)), { cookie: `longhand_session=${ticket}` }]) {
        const body = method === 'POST' ? { session_id: 'only', ticket } : undefined;
        expect(await refused(method, path, body, headers), path).toEqual([401, 'UNAUTHORIZED']);
      }
    for (const wrong of ['', 'x', `${ticket}x`, String(ticket).replace(/^./, 'z')])
      expect(await refused('POST', ARCHIVE, batch(wrong, 'only'))).toEqual([401, 'TICKET_INVALID']);
    expect(await refused('POST', ARCHIVE, batch(7, 'only'))).toEqual([401, 'UNAUTHORIZED']);
    const foreign = { origin: 'https://evil.example' };
    expect(await refused('POST', ARCHIVE, batch(ticket, 'only'), foreign)).toEqual([403, 'FORBIDDEN']);
    await server.services.gate.keys.revoke(own.id);
    expect(await refused('POST', ARCHIVE, batch(ticket, 'only'))).toEqual([401, 'TICKET_INVALID']);
  });

  it('is not given for what the caller may not do, and says when it is over', async () => {
    const [ada, bob, reader] = [
      (await key('ada')).token,
      (await key('bob')).token,
      (await key('ada', 'read')).token,
    ];
    const ask = (text: string, session_id: string) =>
      server.call('POST', '/api/archive_ticket', { session_id }, bearer(text));
    expect((await ask(reader, 'x')).status).toBe(403);
    const { body } = await ask(ada, 'adas');
    expect((await ask(bob, 'adas')).body.code).toBe('SESSION_NOT_FOUND');
    await server.done('DELETE', '/api/sessions/adas', undefined, bearer(ada));
    expect((await ask(ada, 'adas')).status).toBe(410);
    const later = performance.timeOrigin + performance.now() + 16 * 60_000;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => later);
    onTestFinished(() => clock.mockRestore());
    const over = await server.call('POST', ARCHIVE, batch(body.ticket, 'adas'), {
      'content-type': 'text/plain',
    });
    expect([over.status, over.body.code]).toEqual([401, 'TICKET_EXPIRED']);
  });
});

it('ends a key in every server, and keeps roles the same in all of them', async () => {
  const first = await startTestServer({ flags: { 'auth-enabled': true } });
  const second = await startTestServer({ flags: { 'auth-enabled': true }, storageRoot: first.storageRoot });
  onTestFinished(async () => {
    await second.stop();
    await first.stop();
  });
  const { key, token: text } = await first.services.gate.keys.create({
    label: '',
    access: 'admin',
    user_id: 'ada',
  });
  const status = async (path: string) => (await second.call('GET', path, undefined, bearer(text))).status;
  expect([await status('/api/me'), await status('/api/members')]).toEqual([200, 403]);
  const root = bearer(first.server.firstKey!);
  await first.done('POST', '/api/members', { user_id: 'ada', role: 'admin' }, root);
  await expect.poll(() => status('/api/members')).toBe(200);
  await first.services.gate.keys.revoke(key.id);
  await expect.poll(() => status('/api/me')).toBe(401);
});
