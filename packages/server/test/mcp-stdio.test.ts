import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { TOOLS } from 'longhand/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, connectStdio, PROTOCOLS, type ProtocolName, pipeLines } from './mcp-clients.ts';
import { managerOf, SUPPORTS } from './store-place.ts';

let root: string;
const clients: Client[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(root, { recursive: true, force: true });
});

async function connect(...args: Parameters<typeof connectStdio>): Promise<Client> {
  const client = await connectStdio(...args);
  clients.push(client);
  return client;
}

const today = (): string => new Date().toISOString().slice(0, 10);

type CompleteRef = Parameters<Client['complete']>[0]['ref'];

for (const protocol of Object.keys(PROTOCOLS) as ProtocolName[]) {
  describe(`MCP over stdio, protocol ${protocol}`, () => {
    it('offers the nine tools in their order, with titles, annotations and schemas', async () => {
      const client = await connect(root, protocol);
      expect(client.getNegotiatedProtocolVersion()).toMatch(protocol);
      expect(client.getServerVersion()).toMatchObject({ name: 'longhand' });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      for (const [i, tool] of tools.entries()) {
        const { title, description, annotations } = TOOLS[i]!;
        expect(tool).toMatchObject({ title, description, annotations });
        expect(tool.inputSchema.type).toBe('object');
        expect(tool.outputSchema?.properties).toHaveProperty('error');
      }
    });

    it('stores, finds, retrieves and forgets, with results as objects and as text', async () => {
      const client = await connect(root, protocol);
      const stored = await client.callTool({
        name: 'store_memory',
        arguments: { content: 'Ada drinks green tea', type: 'preference' },
      });
      const result = stored.structuredContent as { memory_key: string; session_id: string };
      expect(JSON.parse((stored.content[0] as { text: string }).text)).toEqual(result);
      expect(result.session_id).toBe(`mcp-test-client-${today()}`);
      const { results } = await callTool(client, 'search_memory', { query: 'tea' });
      expect(results).toMatchObject([{ memory_key: result.memory_key, summary: 'Ada drinks green tea' }]);
      const log = await callTool(client, 'store_memory', { content: 'a\nb\nc', type: 'command_output' });
      const part = await callTool(client, 'retrieve_memory', { memory_key: log.memory_key, lines: [2, 2] });
      expect(part.content).toContain('b');
      expect(await callTool(client, 'forget_memory', { memory_key: result.memory_key })).toMatchObject({
        success: true,
      });
      expect(await callTool(client, 'search_memory', { query: 'green' })).toMatchObject({ results: [] });
    });

    it('answers what went wrong as an error that a model can read', async () => {
      const client = await connect(root, protocol);
      const missing = await client.callTool({ name: 'forget_memory', arguments: { memory_key: 'mem_none' } });
      expect(missing).toMatchObject({ isError: true, structuredContent: { code: 'MEMORY_NOT_FOUND' } });
      const wrong = await client.callTool({ name: 'search_memory', arguments: { query: 7 } });
      expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'INVALID_INPUT' } });
      await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/no_such_tool/);
    });

    it('shows notes, core, sessions and kept values as resources', async () => {
      const client = await connect(root, protocol);
      await callTool(client, 'manage_long_term_memory', { operation: 'append', content: '# Tone\nShort.' });
      await callTool(client, 'save_to_core', { content: 'I am patient' });
      await callTool(client, 'store_memory', { content: 'The build is green', type: 'finding' });
      const { memory_key } = await callTool(client, 'store_memory', {
        content: 'x y z',
        type: 'file_content',
      });
      const session = `memory://sessions/mcp-test-client-${today()}`;
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        'memory://notes/default',
        'memory://core/default',
        session,
        `memory://details/${memory_key}`,
      ]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'memory://notes/{agent}',
        'memory://core/{agent}',
        'memory://sessions/{session_id}',
        'memory://details/{memory_key}',
      ]);
      const text = async (uri: string): Promise<string> => {
        const [content] = (await client.readResource({ uri })).contents;
        return (content as { text: string }).text;
      };
      expect(await text('memory://notes/default')).toContain('Short.');
      expect(await text('memory://core/default')).toContain('I am patient');
      expect(JSON.parse(await text(session)).memories).toMatchObject([
        { content: { text: 'The build is green' } },
      ]);
      expect(await text(`memory://details/${memory_key}`)).toBe('x y z');
      for (const uri of [
        'memory://sessions/other',
        'memory://details/none',
        'memory://notes/other',
        'memory://x/y',
      ]) {
        await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
      }
    });

    it('says of every resource what it is, for whom, and how much it matters', async () => {
      const client = await connect(root, protocol);
      await callTool(client, 'save_to_core', { content: 'I am patient' });
      await callTool(client, 'store_memory', {
        content: 'x y z',
        type: 'file_content',
        description: 'A log',
      });
      const { resources } = await client.listResources();
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resources).toHaveLength(4);
      for (const { title, description, mimeType, annotations } of [...resources, ...resourceTemplates]) {
        expect(title).toBeTruthy();
        expect(description).toBeTruthy();
        expect(mimeType).toMatch(/^(text|application)\//);
        expect(annotations).toMatchObject({ audience: ['user', 'assistant'] });
        expect(annotations!.priority).toBeGreaterThan(0);
      }
      expect(resources.map(({ title }) => title).slice(0, 2)).toEqual([
        'Notes of default',
        'Private memory of default',
      ]);
    });

    it('completes what a template or a prompt asks for', async () => {
      const client = await connect(root, protocol, { name: 'Desk' });
      await callTool(client, 'store_memory', { content: 'The build is green' });
      const { memory_key } = await callTool(client, 'store_memory', { content: 'x', type: 'file_content' });
      const complete = async (ref: CompleteRef, name: string, value: string): Promise<readonly string[]> =>
        (await client.complete({ ref, argument: { name, value } })).completion.values;
      const template = (uri: string): CompleteRef => ({ type: 'ref/resource', uri });
      expect(await complete(template('memory://notes/{agent}'), 'agent', 'd')).toEqual(['default']);
      const sessions = template('memory://sessions/{session_id}');
      expect(await complete(sessions, 'session_id', 'mcp-d')).toEqual([`mcp-desk-${today()}`]);
      expect(await complete(sessions, 'session_id', 'none')).toEqual([]);
      expect(await complete(template('memory://details/{memory_key}'), 'memory_key', 'file')).toEqual([
        memory_key,
      ]);
      const prompt = { type: 'ref/prompt', name: 'load_context' } as const;
      expect(await complete(prompt, 'session_id', 'mcp-')).toEqual([`mcp-desk-${today()}`]);
      expect(await complete(prompt, 'topic', 'x')).toEqual([]);
    });

    it('loads what matters most without a topic, and says when there is nothing', async () => {
      const client = await connect(root, protocol);
      const load = async (args: Record<string, string> = {}): Promise<string> =>
        JSON.stringify((await client.getPrompt({ name: 'load_context', arguments: args })).messages);
      expect(await load()).toContain('Nothing is remembered yet.');
      expect(await load({ topic: 'whales' })).toContain('Nothing is remembered about this yet.');
      await callTool(client, 'store_memory', { content: 'Tea is in the left cupboard', importance: 0.9 });
      const loaded = await load();
      expect(loaded).toContain('Tea is in the left cupboard');
      expect(loaded).not.toContain('Nothing is remembered');
    });

    it('says what a budget is too small for, and gives no stored text without saying what it is', async () => {
      const client = await connect(root, protocol);
      const load = async (budget: number): Promise<string> => {
        const args = { topic: 'tea', budget_tokens: String(budget) };
        return JSON.stringify((await client.getPrompt({ name: 'load_context', arguments: args })).messages);
      };
      await callTool(client, 'store_memory', { content: 'Tea is in the left cupboard' });
      const tooLittle = await load(40);
      expect(tooLittle).not.toContain('cupboard');
      const [, enough = ''] = /does not fit into 40 tokens\. (\d+) would do/.exec(tooLittle) ?? [];
      expect(await load(Number(enough))).toContain('cupboard');
      for (const budget of [60, 80, 100, 120, 140, 160, 200, 400]) {
        const loaded = await load(budget);
        if (loaded.includes('cupboard')) expect(loaded).toMatch(/From your memory|Recalled from memory/);
        else expect(loaded).toContain('does not fit');
      }
      expect(await load(200)).toContain('cupboard');
    });

    it('has prompts that load the context and teach placeholders', async () => {
      const client = await connect(root, protocol);
      await callTool(client, 'store_memory', { content: 'We deploy on Fridays', type: 'decision' });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['load_context', 'teach_placeholders']);
      const loaded = await client.getPrompt({ name: 'load_context', arguments: { topic: 'deploy' } });
      const said = JSON.stringify(loaded.messages);
      expect(said).toContain('We deploy on Fridays');
      expect(said).not.toContain('You are default.');
      const taught = await client.getPrompt({ name: 'teach_placeholders' });
      expect(JSON.stringify(taught.messages)).toContain('retrieve_memory');
    });
  });
}

interface Answer {
  readonly jsonrpc: string;
  readonly id?: number | null;
  readonly error?: { readonly code: number; readonly message: string };
}

const SEARCH = { name: 'search_memory', arguments: { query: 'tea' } };
const CLIENT = { name: 'pipe', version: '1' };
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  },
};

/** How a connection begins in each protocol, and a call in it, as lines: requests first, all of them answered. */
const OPENINGS = {
  '2025': {
    requests: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
      },
    ],
    notifications: [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    call: { jsonrpc: '2.0', id: 11, method: 'tools/call', params: SEARCH },
  },
  '2026-07-28': {
    requests: [{ jsonrpc: '2.0', id: 1, method: 'server/discover', params: ENVELOPE }],
    notifications: [],
    call: { jsonrpc: '2.0', id: 11, method: 'tools/call', params: { ...SEARCH, ...ENVELOPE } },
  },
} satisfies Record<ProtocolName, unknown>;

describe('longhand mcp', () => {
  it('lists many resources page by page', async () => {
    const manager = await managerOf(root);
    for (let i = 0; i < 120; i++)
      await manager.createSession('me', { session_id: `s-${i}`, account_id: 'local' });
    await manager.close();
    const client = await connect(root, '2025');
    const first = await client.listResources({ cursor: '0' });
    expect(first.resources).toHaveLength(100);
    const second = await client.listResources({ cursor: first.nextCursor! });
    expect(second.resources).toHaveLength(22);
    expect(second.nextCursor).toBeUndefined();
  });

  it('shares what it keeps with every other client of the person', async () => {
    const [one, two] = [
      await connect(root, '2025', { name: 'Claude Code' }),
      await connect(root, '2026-07-28', { name: 'Cursor' }),
    ];
    const { session_id } = await callTool(one, 'store_memory', {
      content: 'likes rye bread',
      type: 'preference',
    });
    expect(session_id).toBe(`mcp-claude-code-${today()}`);
    const { results } = await callTool(two, 'search_memory', { query: 'bread' });
    expect(results).toMatchObject([{ summary: 'likes rye bread' }]);
  });

  it('takes user, agent and session from flags and environment', async () => {
    const named = await connect(root, '2025', {
      args: ['--user', 'ada', '--session', 'desk'],
      env: { LONGHAND_AGENT: 'scout', LONGHAND_USER: 'bob' },
    });
    const { session_id } = await callTool(named, 'store_memory', { content: 'mine', type: 'finding' });
    expect(session_id).toBe('desk');
    const { resources } = await named.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('memory://notes/scout');
    const other = await connect(root, '2025');
    expect(await callTool(other, 'search_memory', { query: 'mine' })).toMatchObject({ results: [] });
    expect((await callTool(other, 'search_memory', { query: 'mine', thread_id: 'desk' })).code).toBe(
      'SESSION_NOT_FOUND',
    );
  });

  it.runIf(SUPPORTS.folder)(
    'writes nothing but the protocol to standard output, and answers what was piped in',
    async () => {
      const request = (id: number, method: string, params: object) =>
        JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const store = (id: number) =>
        request(id, 'tools/call', {
          name: 'store_memory',
          arguments: { content: `note ${id}`, type: 'finding' },
        });
      const { stdout, exitCode } = await pipeLines(root, [
        request(1, 'initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'pipe', version: '1' },
        }),
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        'this is not JSON',
        store(2),
        store(3),
        request(4, 'no/such/method', {}),
        request(5, 'tools/call', { name: 'search_memory', arguments: { query: 'note' } }),
      ]);
      const messages = stdout.map(
        (line) => JSON.parse(line) as { jsonrpc: string; id?: number | null; error?: object },
      );
      for (const { jsonrpc } of messages) expect(jsonrpc).toBe('2.0');
      expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5, null]);
      expect(messages.find(({ id }) => id === 4)?.error).toMatchObject({ code: -32601 });
      expect(exitCode).toBe(0);
      const log = readFileSync(join(root, 'sessions', `mcp-pipe-${today()}`, 'memory.jsonl'), 'utf8');
      expect(log).toContain('note 2');
      expect(log).toContain('note 3');
    },
  );

  it.each(Object.keys(OPENINGS) as ProtocolName[])(
    'answers lines that are no messages, and goes on, protocol %s',
    async (protocol) => {
      const { requests, notifications, call } = OPENINGS[protocol];
      const { stdout, exitCode } = await pipeLines(
        root,
        [
          '{"jsonrpc":"2.0","id":7,"method":',
          ...[...requests, ...notifications].map((message) => JSON.stringify(message)),
          '',
          'hello',
          Uint8Array.of(0x22, 0xff, 0x22),
          `{"jsonrpc":"2.0","id":8,"method":"${'x'.repeat(40_000)}"}`,
          '[{"jsonrpc":"2.0","id":9,"method":"ping"}]',
          '{"id":10,"method":"tools/list"}',
          '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
          JSON.stringify(call),
        ],
        { LONGHAND_LIMITS_BODY_KB: '32' },
      );
      const messages = stdout.map((line) => JSON.parse(line) as Answer);
      const refused = messages.filter(({ error }) => error !== undefined);
      expect(refused.map(({ id, error }) => [id, error!.code])).toEqual([
        [null, -32700],
        [null, -32700],
        [null, -32700],
        [null, -32600],
        [null, -32600],
        [10, -32600],
        [null, -32600],
      ]);
      for (const { jsonrpc, error } of refused) {
        expect(jsonrpc).toBe('2.0');
        expect(error!.message).toContain('Send one JSON-RPC message a line.');
        expect(error!.message).not.toContain('hello');
      }
      expect(refused[3]!.error!.message).toContain('longer than 32768 bytes');
      expect(messages.find(({ id }) => id === 11)).toMatchObject({
        result: { structuredContent: { results: [] } },
      });
      expect(messages).toHaveLength(refused.length + requests.length + 1);
      expect(exitCode).toBe(0);
    },
  );

  it('says on standard error why it cannot start', async () => {
    const { stdout, stderr, exitCode } = await pipeLines('/dev/null/nowhere', []);
    expect(stdout).toEqual([]);
    expect(stderr).toContain('/dev/null/nowhere');
    expect(exitCode).toBe(5);
  });
});

it.runIf(SUPPORTS.folder)(
  'reports damage in the store on standard error, and nothing that went well',
  async () => {
    const manager = await managerOf(root);
    await manager.createSession('me', { session_id: 'damaged', account_id: 'local' });
    const id = await manager.addMemory('damaged', { type: 'finding', content: { text: 'first' } });
    await manager.addMemory('damaged', { type: 'finding', content: { text: 'second' } });
    await manager.close();
    const log = join(root, 'sessions/damaged/memory.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"first"', '"f1rst"'));
    const client = await connect(root, '2025');
    let stderr = '';
    (client.transport as StdioClientTransport).stderr!.on('data', (data) => {
      stderr += data;
    });
    await callTool(client, 'retrieve_memory', { memory_key: id });
    await callTool(client, 'store_memory', { content: 'kept', type: 'finding' });
    await expect.poll(() => stderr).toContain('Corruption detected');
    expect(stderr).not.toContain('"INFO"');
    expect(stderr).not.toContain('f1rst');
  },
);
