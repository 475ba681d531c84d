import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOLS } from 'longhand/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMcpFetchHandler, type McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { callTool, PROTOCOLS, type ProtocolName } from './mcp-clients.ts';

let handler: McpFetchHandler | undefined;
let server: TestServer;
const clients: Client[] = [];

async function start(flags: Readonly<Record<string, unknown>> = {}): Promise<void> {
  server = await startTestServer({
    flags,
    app: {
      mcp: async (request, caller) => {
        handler ??= createMcpFetchHandler(server.services);
        return handler.fetch(request, caller);
      },
    },
  });
}

beforeEach(() => start());
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await handler?.close();
  handler = undefined;
  await server.stop();
});

async function connect(protocol: ProtocolName, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client(
    { name: 'Web Client', version: '1' },
    { versionNegotiation: PROTOCOLS[protocol] },
  );
  clients.push(client);
  const url = new URL('/mcp', server.server.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

for (const protocol of Object.keys(PROTOCOLS) as ProtocolName[]) {
  describe(`MCP over streamable HTTP, protocol ${protocol}`, () => {
    it('shows what was said and is not archived yet', async () => {
      const client = await connect(protocol);
      const new_messages = [{ id: 'm1', role: 'user', content: 'Tell me about cats' }];
      const chat = { new_messages, session_id: 'chat' };
      expect((await server.call('POST', '/api/chat', chat)).status).toBe(200);
      const { contents } = await client.readResource({ uri: 'memory://sessions/chat' });
      const [content] = contents as { text: string }[];
      expect(JSON.parse(content!.text).messages).toMatchObject([{ id: 'm1' }, { role: 'assistant' }]);
    });

    it('has the days of the place that the header names', async () => {
      const now = Date.now();
      const hour = new Date(now).getUTCHours();
      // A zone where it is now one o'clock at night, and what happened three hours ago was yesterday.
      const ahead = hour > 13 ? 25 - hour : 1 - hour;
      const zone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
      await server.call('POST', '/api/sessions', { session_id: 's' });
      await server.call('POST', '/api/sessions/s/memories', {
        content: 'The boiler was serviced',
        timestamp: new Date(now - 3 * 3_600_000).toISOString(),
      });
      const found = async (timeZone: string) => {
        const client = await connect(protocol, { 'longhand-time-zone': timeZone });
        const { results } = await callTool(client, 'search_memory', { query: 'boiler', within: 'yesterday' });
        return (results as readonly unknown[]).length;
      };
      expect(await found(zone)).toBe(1);
      // Eleven hours further east it is noon.
      const noon = ahead + 11 > 14 ? ahead - 13 : ahead + 11;
      expect(await found(`Etc/GMT${noon > 0 ? '-' : '+'}${Math.abs(noon)}`)).toBe(0);
      await expect(connect(protocol, { 'longhand-time-zone': 'Mars/Olympus' })).rejects.toThrow();
    });

    it('gives a key that may only read the tools that only read, and makes nothing for it', async () => {
      await server.stop();
      await start({ 'auth-enabled': true });
      const { token } = await server.services.gate.keys.create({ label: '', access: 'read', user_id: 'ada' });
      const client = await connect(protocol, { authorization: `Bearer ${token}` });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        TOOLS.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name),
      );
      expect((await callTool(client, 'search_memory', { query: 'train' })).error).toBeUndefined();
      await expect(
        client.callTool({ name: 'store_memory', arguments: { content: 'x', type: 'finding' } }),
      ).rejects.toThrow(/store_memory/);
      const { messages } = await client.getPrompt({ name: 'load_context', arguments: { topic: 'trains' } });
      expect(JSON.stringify(messages)).toContain('Nothing is remembered yet');
      const ada = server.services.manager.as({ account_id: 'local', user_id: 'ada' });
      expect(await ada.listSessions()).toEqual([]);
      expect(await (await ada.agents()).list()).toEqual([]);
      const session = await ada.createSession({});
      await ada.addMemory(session.id, { type: 'finding', content: { text: 'Trains run on Sundays' } });
      const loaded = await client.getPrompt({ name: 'load_context', arguments: { topic: 'trains' } });
      expect(JSON.stringify(loaded.messages)).toContain('Trains run on Sundays');
    });

    it('serves tools, resources and prompts', async () => {
      const client = await connect(protocol);
      expect(client.getNegotiatedProtocolVersion()).toMatch(protocol);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      const stored = await callTool(client, 'store_memory', {
        content: 'reads on the train',
        type: 'finding',
      });
      expect(stored.session_id).toMatch(/^mcp-(web-client|http)-\d{4}-\d\d-\d\d$/);
      expect((await callTool(client, 'save_to_core', { content: 'calm' })).success).toBe(true);
      const { results } = await callTool(client, 'search_memory', { query: 'train' });
      expect(results).toMatchObject([{ memory_key: stored.memory_key }]);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain(`memory://sessions/${stored.session_id}`);
      const { messages } = await client.getPrompt({ name: 'load_context', arguments: { topic: 'train' } });
      expect(JSON.stringify(messages)).toContain('reads on the train');
    });

    it('says which arguments are invalid', async () => {
      const client = await connect(protocol);
      const invalid = { code: -32602 };
      for (const cursor of ['-5', 'abc', '1e3', ''])
        await expect(client.listResources({ cursor }), cursor).rejects.toMatchObject(invalid);
      for (const more of [{ budget_tokens: '1' }, { session_id: 'nowhere' }]) {
        const prompt = { name: 'load_context', arguments: { topic: 'train', ...more } };
        await expect(client.getPrompt(prompt)).rejects.toMatchObject(invalid);
      }
    });

    it('gives what the HTTP interface gives of the same memory', async () => {
      const client = await connect(protocol);
      const { memory_key, session_id } = await callTool(client, 'store_memory', {
        content: 'one',
        type: 'finding',
      });
      const { body } = await server.call('GET', `/api/sessions/${session_id}/memories/${memory_key}`);
      expect(body.content).toEqual({ text: 'one' });
    });

    it('keeps users apart', async () => {
      const [ada, bob] = [
        await connect(protocol, { 'longhand-user': 'ada' }),
        await connect(protocol, { 'longhand-user': 'bob' }),
      ];
      const stored = await callTool(ada, 'store_memory', { content: 'the secret of ada', type: 'finding' });
      const other = await callTool(bob, 'store_memory', { content: 'the secret of bob', type: 'finding' });
      expect(stored.session_id).not.toBe(other.session_id);
      expect((await callTool(bob, 'retrieve_memory', { memory_key: stored.memory_key })).error).toBeDefined();
      expect((await callTool(bob, 'forget_memory', { memory_key: stored.memory_key })).error).toBeDefined();
      const { results } = await callTool(bob, 'search_memory', { query: 'secret' });
      expect(results).toMatchObject([{ memory_key: other.memory_key }]);
      const uri = `memory://sessions/${stored.session_id}`;
      await expect(bob.readResource({ uri })).rejects.toThrow(/not found/i);
      expect((await bob.listResources()).resources.map((resource) => resource.uri)).not.toContain(uri);
    });
  });
}

describe('/mcp', () => {
  it('refuses pages of other origins', async () => {
    const { status } = await server.call(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      {
        origin: 'https://evil.example',
      },
    );
    expect(status).toBe(403);
  });

  it('needs a key, where keys are asked for', async () => {
    await server.stop();
    await start({ 'auth-enabled': true });
    const { keys } = server.services.gate;
    const { token } = await keys.create({ label: '', access: 'write', user_id: 'ada' });
    await expect(connect('2025')).rejects.toThrow();
    const client = await connect('2025', { authorization: `Bearer ${token}` });
    expect(
      (await callTool(client, 'store_memory', { content: 'kept', type: 'finding' })).error,
    ).toBeUndefined();
    expect((await server.services.manager.listSessions('ada')).length).toBe(1);
  });
});

describe('the body of a request to /mcp', () => {
  const ask = (text: string) => {
    const args = `{"name":"store_memory","arguments":{"type":"finding","content":${text}}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${args}}`;
    return server.call('POST', '/mcp', body, { accept: 'application/json, text/event-stream' });
  };

  it('is held to the limits of all bodies', async () => {
    const deep = await ask(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect([deep.status, deep.body.code]).toEqual([400, 'INVALID_JSON']);
    // Above what the protocol's own code would take, and below ours.
    const long = await ask(JSON.stringify('x'.repeat(5_000_000)));
    expect(long.status).toBe(200);
    const longer = await ask(JSON.stringify('x'.repeat(9_000_000)));
    expect([longer.status, longer.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });
});

describe.each(Object.keys(PROTOCOLS) as ProtocolName[])('a page with a client of %s', (protocol) => {
  it('may send what its client sends', async () => {
    await server.stop();
    const origin = 'http://app.example:5173';
    await start({ 'allowed-origins': origin });
    const refused: string[] = [];
    /** Asks first, as a browser does, and sends only what the answer allows. */
    const browse = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      const preflight = await fetch(input, { method: 'OPTIONS', headers: { origin } });
      const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(', ');
      for (const name of headers.keys())
        if (!SAFE_HEADERS.includes(name) && !allowed.includes(name)) refused.push(name);
      headers.set('origin', origin);
      return fetch(input, { ...init, headers });
    };
    const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: PROTOCOLS[protocol] });
    clients.push(client);
    const url = new URL('/mcp', server.server.url);
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: browse }));
    expect((await callTool(client, 'search_memory', { query: 'train' })).error).toBeUndefined();
    expect(refused).toEqual([]);
  });
});

const SAFE_HEADERS = ['accept', 'accept-language', 'content-language'];
