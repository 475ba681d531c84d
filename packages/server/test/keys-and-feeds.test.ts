import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dailySessionId } from '../src/daily-session.ts';
import { createMcpFetchHandler, type McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { type Body, startTestServer, type TestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';

/** What a key may do ends with the key, and reaches nothing of another user, whoever uses an id first. */
let server: TestServer;
let mcp: McpFetchHandler | undefined;
type Headers = Record<string, string>;

beforeAll(async () => {
  server = await startTestServer({
    flags: { 'auth-enabled': true, 'limits-requests-per-minute': 0 },
    app: {
      mcp: async (request, caller) => {
        mcp ??= createMcpFetchHandler(server.services);
        return mcp.fetch(request, caller);
      },
    },
  });
});
afterAll(async () => {
  await mcp?.close();
  await server.stop();
});

function key(access: 'read' | 'write' | 'admin', user_id: string, expires_at: string | null = null) {
  const { key, token } = server.services.keys.create({ label: '', access, user_id, expires_at });
  return { id: key.id, headers: { authorization: `Bearer ${token}` } };
}

async function done(method: string, path: string, body: unknown, as: Headers): Promise<Body> {
  const answer = await server.call(method, path, body, as);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

async function connected<Result>(as: Headers, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: 'pad', version: '1' });
  const url = new URL('/mcp', server.server.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: as } }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

it('lets a read key keep nothing: what is too long for its prompt is cut', async () => {
  const [writer, reader] = [key('write', 'ada').headers, key('read', 'ada').headers];
  await done('POST', '/api/sessions', { session_id: 'long' }, writer);
  const messages = [
    { role: 'user', content: `Look at this: ${'quarrelsome words '.repeat(4_000)}` },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'sh', arguments: {} }] },
    { role: 'tool', content: 'noisy output '.repeat(4_000), tool_call_id: 'c1' },
  ];
  const context = { session_id: 'long', messages, budget: 2_000 };
  const { manifest } = await done('POST', '/api/context', context, reader);
  expect(manifest.total).toBeLessThanOrEqual(2_000);
  await connected(reader, (client) =>
    client.getPrompt({ name: 'load_context', arguments: { topic: 'quarrelsome words '.repeat(4_000) } }),
  ).catch(() => undefined);
  expect((await done('GET', '/api/details', undefined, writer)).details).toEqual([]);
  // The same from a caller that may write is kept.
  await done('POST', '/api/context', context, writer);
  expect((await done('GET', '/api/details', undefined, writer)).details.length).toBeGreaterThan(0);
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

it('ends feeds when their key is revoked or expires, and no others', async () => {
  const [revoked, expiring, lasting] = [
    key('read', 'ada'),
    key('read', 'ada', new Date(Date.now() + 1_500).toISOString()),
    key('read', 'ada'),
  ];
  const feeds = await Promise.all([revoked, expiring, lasting].map(({ headers }) => feedOf(headers)));
  const [first, second, third] = feeds.map(listen);
  const listening = await fetch(`${server.server.url}/mcp`, {
    method: 'POST',
    headers: {
      ...revoked.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'pad', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  expect(listening.headers.get('content-type')).toContain('event-stream');
  const heard = listen(listening);
  server.services.keys.revoke(revoked.id);
  await Promise.all([first!.ended, second!.ended, heard.ended]);
  const { id } = await done('POST', '/api/sessions', { session_id: 'after' }, key('write', 'ada').headers);
  expect(id).toBe('after');
  await expect.poll(() => third!.text()).toContain('"after"');
  expect(first!.text()).not.toContain('"after"');
  await feeds[2]!.body?.cancel().catch(() => undefined);
});

it('tells of no session that has changed hands', async () => {
  const [bob, eve] = [key('write', 'bob').headers, key('write', 'eve').headers];
  const ofBob = listen(await feedOf(bob));
  const ofEve = listen(await feedOf(eve));
  const add = (id: string, as: Headers) =>
    done('POST', '/api/sessions/shared/memories', { type: 'finding', content: { text: 'x' }, id }, as);
  await done('POST', '/api/sessions', { session_id: 'shared' }, bob);
  await add('mem_of_bob', bob);
  await expect.poll(() => ofBob.text()).toContain('mem_of_bob');
  await done('DELETE', '/api/sessions/shared', undefined, bob);
  await done('POST', '/api/sessions', { session_id: 'shared' }, eve);
  await add('mem_of_eve', eve);
  await expect.poll(() => ofEve.text()).toContain('mem_of_eve');
  await done('POST', '/api/sessions', { session_id: 'bobs-last' }, bob);
  await expect.poll(() => ofBob.text()).toContain('bobs-last');
  expect(ofBob.text()).not.toContain('mem_of_eve');
  expect(ofEve.text()).not.toContain('mem_of_bob');
});

it('gives an MCP client a session of its user although another user has taken its id', async () => {
  const [dan, thief] = [key('write', 'dan'), key('write', 'mallory').headers];
  const id = dailySessionId('mcp-http', { account_id: 'local', user_id: 'dan' }, Date.now());
  await done('POST', '/api/sessions', { session_id: id }, thief);
  const store = (content: string) =>
    connected(dan.headers, (client) => callTool(client, 'store_memory', { content, type: 'finding' }));
  const [one, two] = [await store('canary-of-dan'), await store('another of dan')];
  expect(one.error).toBeUndefined();
  expect(one.session_id).not.toBe(id);
  expect(two.session_id).toBe(one.session_id);
  const { memories } = await done('GET', `/api/sessions/${id}/memories`, undefined, thief);
  expect(memories).toEqual([]);
});
