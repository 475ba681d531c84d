import type { ScopedMemory } from 'longhand';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { dailySessionId } from '../src/daily-session.ts';
import { ChangeFeed } from '../src/http/change-events.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';

/** What a key may do ends with the key, and reaches nothing of another user, whichever user took an id first. */
let server: TestServer;
type Headers = Record<string, string>;
const HOUR_MS = 3_600_000;
const clock = { now: Date.now, aheadMs: 0 };

beforeAll(async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now() + clock.aheadMs);
  server = await startTestServer({
    flags: { 'auth-enabled': true, 'limits-requests-per-minute': 0 },
    speaksMcp: true,
  });
});
afterAll(async () => {
  await server.stop();
  vi.restoreAllMocks();
});

async function key(access: 'read' | 'write', user_id: string): Promise<{ readonly headers: Headers }> {
  const { token } = await server.services.gate.keys.create({ label: '', access, user_id });
  return { headers: { authorization: `Bearer ${token}` } };
}

it('lets a read key keep nothing: what is too long for its prompt is cut', async () => {
  const [writer, reader] = [(await key('write', 'ada')).headers, (await key('read', 'ada')).headers];
  await server.done('POST', '/api/sessions', { session_id: 'long' }, writer);
  const messages = [
    { role: 'user', content: `Look at this: ${'quarrelsome words '.repeat(4_000)}` },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'sh', arguments: {} }] },
    { role: 'tool', content: 'noisy output '.repeat(4_000), tool_call_id: 'c1' },
  ];
  const context = { session_id: 'long', messages, budget: 2_000 };
  const { manifest } = await server.done('POST', '/api/context', context, reader);
  expect(manifest.total).toBeLessThanOrEqual(2_000);
  const details = async () => (await server.done('GET', '/api/details', undefined, writer)).details;
  expect(await details()).toEqual([]);
  // The same from a caller that may write is kept.
  await server.done('POST', '/api/context', context, writer);
  expect((await details()).length).toBeGreaterThan(0);
});

it('lets a read key load a context for a topic that is too long, and keeps nothing of it', async () => {
  const [writer, reader] = [(await key('write', 'lea')).headers, (await key('read', 'lea')).headers];
  await server.done('POST', '/api/memories', { content: 'The quarrelsome neighbour has moved' }, writer);
  const args = { topic: 'quarrelsome words '.repeat(4_000), budget_tokens: '2000' };
  const load = (as: Headers) =>
    server.connected(as, (client) => client.getPrompt({ name: 'load_context', arguments: args }));
  const details = async () => (await server.done('GET', '/api/details', undefined, writer)).details;
  const read = await load(reader);
  expect(Number(/^\d+/.exec(read.description!)![0])).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(read.messages)).toContain('the whole could not be kept');
  expect(JSON.stringify(read.messages)).not.toContain('[MemoryRef: ');
  expect(await details()).toEqual([]);
  // The same from a caller that may write is kept.
  expect(JSON.stringify((await load(writer)).messages)).toContain('[MemoryRef: ');
  expect(await details()).toHaveLength(1);
});

/** The text of a feed, as far as it has come, and when it ended. */
function listen(response: Response): { readonly text: () => string; readonly ended: Promise<void> } {
  let text = '';
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) text += decoder.decode(chunk);
  })();
  return { text: () => text, ended };
}

const feedOf = (as: Headers): Promise<Response> => fetch(`${server.server.url}/api/events`, { headers: as });

/** A key that is revoked, one that expires within the hour, and one that lasts; in this order. */
async function threeKeys({ gate: { keys } }: TestServer['services']) {
  const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
  const made = await Promise.all(
    [null, expires_at, null].map((each) =>
      keys.create({ label: '', access: 'read', user_id: 'ada', expires_at: each }),
    ),
  );
  const revoke = (): Promise<boolean> => keys.revoke(made[0]!.key.id);
  return { headers: made.map(({ token }) => ({ authorization: `Bearer ${token}` })), revoke };
}

it('ends feeds when their key is revoked or expires, and no others', async () => {
  const { headers, revoke } = await threeKeys(server.services);
  const [first, second, third] = (await Promise.all(headers.map(feedOf))).map(listen);
  await revoke();
  await first!.ended;
  clock.aheadMs = 2 * HOUR_MS;
  await second!.ended;
  clock.aheadMs = 0;
  await server.done('POST', '/api/sessions', { session_id: 'after' }, (await key('write', 'ada')).headers);
  await expect.poll(() => third!.text()).toContain('"after"');
  expect(first!.text() + second!.text()).not.toContain('"after"');
});

it('ends streams of MCP when their key is revoked or expires, and no others', async () => {
  const said: ((text: string) => void)[] = [];
  // What the protocol's own handler sends ends at once as long as the tools are always the same. This one never ends.
  const endless = () =>
    new ReadableStream({
      start: (controller) => void said.push((text) => controller.enqueue(new TextEncoder().encode(text))),
    });
  const type = { 'content-type': 'text/event-stream' };
  const other = await startTestServer({
    flags: { 'auth-enabled': true },
    app: { mcp: async () => new Response(endless(), { headers: type }) },
  });
  onTestFinished(() => other.stop());
  const { headers, revoke } = await threeKeys(other.services);
  const streams = [];
  const leaving = new AbortController();
  for (const as of headers) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' });
    const asked = { method: 'POST', headers: { ...as, 'content-type': 'application/json' }, body };
    const { signal } = leaving;
    streams.push(listen(await fetch(`${other.server.url}/mcp`, { ...asked, signal })));
  }
  const [first, second, third] = streams;
  await revoke();
  await first!.ended;
  clock.aheadMs = 2 * HOUR_MS;
  await second!.ended;
  clock.aheadMs = 0;
  said[2]!('data: still here\n\n');
  await expect.poll(() => third!.text()).toContain('still here');
  leaving.abort();
  await third!.ended.catch(() => undefined);
});

it('reports no session that has changed hands', async () => {
  const [bob, eve] = [(await key('write', 'bob')).headers, (await key('write', 'eve')).headers];
  const ofBob = listen(await feedOf(bob));
  const ofEve = listen(await feedOf(eve));
  const add = (id: string, as: Headers) =>
    server.done('POST', '/api/sessions/shared/memories', { type: 'finding', content: { text: 'x' }, id }, as);
  await server.done('POST', '/api/sessions', { session_id: 'shared' }, bob);
  await add('mem_of_bob', bob);
  await expect.poll(() => ofBob.text()).toContain('mem_of_bob');
  await server.done('DELETE', '/api/sessions/shared', undefined, bob);
  await server.done('POST', '/api/sessions', { session_id: 'shared' }, eve);
  await add('mem_of_eve', eve);
  await expect.poll(() => ofEve.text()).toContain('mem_of_eve');
  await server.done('POST', '/api/sessions', { session_id: 'bobs-last' }, bob);
  await expect.poll(() => ofBob.text()).toContain('bobs-last');
  expect(ofBob.text()).not.toContain('mem_of_eve');
  expect(ofEve.text()).not.toContain('mem_of_bob');
});

it('reports nothing that was done in a session before it changed hands, however late it looks', async () => {
  const { manager } = server.services;
  const mine = manager.as({ account_id: 'local', user_id: 'kim' });
  // The look at whose a session is comes back only after the session has changed hands.
  const gate = Promise.withResolvers<void>();
  const late = new Proxy(mine, {
    get: (memory, name: keyof ScopedMemory) => {
      const member = memory[name];
      if (typeof member !== 'function') return member;
      const bound = (member as (...given: unknown[]) => unknown).bind(memory);
      return name === 'loadSession' ? (id: string) => gate.promise.then(() => bound(id)) : bound;
    },
  });
  const feed = new ChangeFeed(server.services, late);
  onTestFinished(() => feed.end());
  const events = (await feed.start())[Symbol.asyncIterator]();
  const finding = { type: 'finding', content: { text: 'x' } } as const;
  await manager.createSession('lou', { session_id: 'passed-on' });
  await manager.addMemory('passed-on', { ...finding, id: 'mem_of_lou' });
  await manager.deleteSession('passed-on');
  await mine.createSession({ session_id: 'passed-on' });
  await manager.addMemory('passed-on', { ...finding, id: 'mem_of_kim' });
  gate.resolve();
  const told: unknown[] = [];
  while (!JSON.stringify(told).includes('mem_of_kim')) told.push((await events.next()).value);
  expect(JSON.stringify(told)).not.toContain('mem_of_lou');
  expect(told.map((event) => (event as { event: string }).event)).toEqual([
    'ready',
    'session-created',
    'memories-added',
  ]);
});

it('gives an MCP client a session of its user although another user has taken its id', async () => {
  const [dan, thief] = [await key('write', 'dan'), (await key('write', 'mallory')).headers];
  const id = dailySessionId('mcp-http', { account_id: 'local', user_id: 'dan' }, Date.now());
  await server.done('POST', '/api/sessions', { session_id: id }, thief);
  const store = (content: string) =>
    server.connected(dan.headers, (client) => callTool(client, 'store_memory', { content, type: 'finding' }));
  const [one, two] = [await store('canary-of-dan'), await store('another of dan')];
  expect(one.error).toBeUndefined();
  expect(one.session_id).not.toBe(id);
  expect(two.session_id).toBe(one.session_id);
  const { memories } = await server.done('GET', `/api/sessions/${id}/memories`, undefined, thief);
  expect(memories).toEqual([]);
});
