import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOL_NAMES } from 'longhand';
import { toolsNamed } from 'longhand/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpFetchHandler, type McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { OPERATIONS } from '../src/operations/index.ts';
import type { Operation } from '../src/operations/operation.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';

/**
 * Every operation that a caller asks for with the ids of another user's pieces answers as if they were not there. The
 * cases are made from the table of operations: one that is added is tried here, or this test fails for want of an
 * example.
 */
const SECRET = 'canary-of-ada';
/** The prompt of an agent: a caller that speaks for the account may read it, other agents may not. */
const AGENT_SECRET = 'canary-of-adas-agent';
/** What the agent saved for Ada: it stays hers when others talk to the agent. */
const SAVED_SECRET = 'canary-of-ada-saved';
const BOUND = ['another user', 'another agent of another user'] as const;
const WITHOUT_AGENT = 'another user, without an agent';
let server: TestServer;
let mcp: McpFetchHandler | undefined;
const owned: Record<string, unknown> = {};
let ada: Record<string, string>;
let foreign: Record<string, Record<string, string>>;

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
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const key = async (user_id: string, agent_id: string | null) => {
    const made = await server.services.gate.keys.create({ label: '', access: 'admin', user_id, agent_id });
    return bearer(made.token);
  };
  ada = await key('ada', null);
  owned.key_id = (await server.services.gate.keys.list()).find(({ user_id }) => user_id === 'ada')!.id;
  foreign = {
    'another user': await key('bob', 'bobs-agent'),
    'another agent of another user': await key('eve', 'eves-agent'),
    [WITHOUT_AGENT]: await key('dan', null),
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await server.call(method, path, body, ada);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  await ask('POST', '/api/sessions', { session_id: 'adas' });
  const content = { text: `${SECRET} memory` };
  owned.memory_id = (await ask('POST', '/api/sessions/adas/memories', { type: 'finding', content })).id;
  owned.memory_key = (
    await ask('POST', '/api/details', { session_id: 'adas', content: `${SECRET} detail ${'x '.repeat(50)}` })
  ).memory_key;
  await ask('POST', '/api/agents', { name: 'adas-agent', system_prompt: AGENT_SECRET });
  owned.agent_memory_id = (
    await ask('POST', '/api/agents/adas-agent/memories', { memory_type: 'core', content: SAVED_SECRET })
  ).id;
  await ask('PUT', '/api/agents/adas-agent/notes', { text: `${SECRET} notes` });
  await ask('POST', '/api/chat/session/archive_messages', {
    session_id: 'adas',
    messages_batch: [{ id: 'adas-message', role: 'user', content: SECRET }],
  });
});
afterAll(async () => {
  await mcp?.close();
  await server.stop();
});

const CONTEXTS = ['assembleContext', 'contextOfUser'];
const NAMING = ['session_id', 'memory_id', 'agent_id', 'memory_key', 'key_id'];

/** Fields that name something of Ada's, and whatever else an operation needs to get as far as looking for it. */
function example({ name, input, http }: Operation): Record<string, unknown> {
  const isOfAgent = /^\/api\/(?:agents|whiteboard)\//.test(http.path);
  const examples: Record<string, unknown> = {
    session_id: 'adas',
    memory_id: isOfAgent ? owned.agent_memory_id : owned.memory_id,
    agent_id: 'adas-agent',
    memory_key: owned.memory_key,
    version: 1,
    type: isOfAgent ? 'core' : 'finding',
    content: isOfAgent || name === 'storeDetail' ? 'x' : { text: 'x' },
    memories: [{ type: 'finding', content: { text: 'x' } }],
    importance: 0.5,
    topic: 'x',
    start: '2020-01-01T00:00:00Z',
    end: '2030-01-01T00:00:00Z',
    memory_type: 'core',
    operation: 'append',
    text: 'x',
    output: 'x',
    is_active: false,
    messages: [{ role: 'user', content: 'x' }],
    new_messages: [{ role: 'user', content: 'x' }],
    messages_batch: [{ id: 'z', role: 'user', content: 'x' }],
    prompt: 'x',
    images: CONTEXTS.includes(name) ? 1 : [{ media_type: 'image/png', data: 'AAAA' }],
    key_id: owned.key_id,
    user_id: 'ada',
    role: 'member',
    name: 'adas-agent',
    words: ['nothing-like-that'],
  };
  const fields: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(input.shape)) {
    const isNeeded = !(type as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined)
      .success;
    const isId = NAMING.includes(field);
    // Redacting takes an agent, a detail or a memory; a new detail may bring a key of its own.
    if (name === 'redact' && (field === 'agent_id' || field === 'memory_key')) continue;
    if (name === 'storeDetail' && field !== 'session_id' && field !== 'content') continue;
    if (CONTEXTS.includes(name) && field === 'agent_id') continue;
    if ((isNeeded || isId) && field in examples) fields[field] = examples[field];
  }
  return fields;
}

/** As one answer, or as it comes. */
type Form = 'whole' | 'streamed';

async function ask(operation: Operation, as: Record<string, string>, form: Form = 'whole') {
  const { method, path } = operation.http;
  const fields = example(operation);
  // Beside an agent, no session can be named.
  if (operation.name === 'previewForgetting') delete fields.agent_id;
  const accept = operation.stream?.kind === 'lines' ? 'application/x-ndjson' : 'text/event-stream';
  const headers = { ...as, accept: form === 'streamed' ? accept : 'application/json' };
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => {
    const value = fields[field];
    delete fields[field];
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const query = inQuery ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
  return server.call(method, `${target}${query}`, inQuery ? undefined : fields, headers);
}

/** They name no user's pieces: they must give nothing of Ada's. */
const UNNAMED = OPERATIONS.filter(
  ({ input }) => !Object.keys(input.shape).some((field) => NAMING.includes(field)),
);
const NAMED = OPERATIONS.filter(
  // A new session or key may have any name that is free; an import makes sessions (import-over-http.test.ts).
  (one) => !UNNAMED.includes(one) && !['createSession', 'createKey', 'importMemories'].includes(one.name),
);

/** Each operation in each form that it has. */
function forms(operations: readonly Operation[]): (readonly [string, Form, Operation])[] {
  return operations.flatMap((one) => [
    [one.name, 'whole', one] as const,
    ...(one.stream === undefined ? [] : [[one.name, 'streamed', one] as const]),
  ]);
}

/** They name nothing but an agent, which is the account's and not one user's. */
const OF_AGENTS = NAMED.filter(({ input, http }) => {
  const ids = Object.keys(input.shape).filter((field) => NAMING.includes(field));
  return ids.every((field) => field === 'agent_id' || http.path.startsWith('/api/agents/'));
});

function hidesSecrets(body: unknown): void {
  expect(JSON.stringify(body)).not.toContain(SECRET);
  expect(JSON.stringify(body)).not.toContain(AGENT_SECRET);
}

describe.each(BOUND)('%s', (who) => {
  it.each(forms(NAMED))('finds nothing: %s, %s', async (_name, form, one) => {
    const answer = await ask(one, foreign[who]!, form);
    expect([answer.status, answer.body], JSON.stringify(answer.body)).toEqual([
      404,
      expect.objectContaining({ status: 404 }),
    ]);
    hidesSecrets(answer.body);
  });

  it.each(forms(UNNAMED))('sees nothing of it: %s, %s', async (_name, form, one) => {
    const answer = await ask(one, foreign[who]!, form);
    expect(answer.status).toBeLessThan(500);
    hidesSecrets(answer.body);
  });

  it('cannot take a name that is taken', async () => {
    const answer = await server.call('POST', '/api/sessions', { session_id: 'adas' }, foreign[who]);
    expect(answer.status).toBe(409);
    expect(JSON.stringify(answer.body)).not.toContain('ada"');
  });
});

/** Not among the operations above: it makes sessions, and so may name any id that is free. */
it.each(Object.entries({ bound: 'another user', unbound: WITHOUT_AGENT }))(
  'an import takes nothing into a session of Ada’s and shows nothing of it: a key that is %s to an agent',
  async (_bound, who) => {
    const line = { content: 'planted', session_id: 'adas', id: owned.memory_id };
    for (const more of [{ dry_run: true }, {}, { session_id: 'adas' }]) {
      const asked = { content: JSON.stringify(line), ...more };
      const answer = await server.call('POST', '/api/import', asked, foreign[who]);
      expect(answer.status, JSON.stringify(answer.body)).toBe(400);
      hidesSecrets(answer.body);
      expect(JSON.stringify(answer.body)).not.toContain('"ada"');
    }
    const { memories } = (await server.call('GET', '/api/sessions/adas/memories', undefined, ada)).body;
    expect(JSON.stringify(memories)).not.toContain('planted');
  },
);

describe(WITHOUT_AGENT, () => {
  it.each(forms(NAMED.filter((one) => !OF_AGENTS.includes(one))))(
    'finds nothing: %s, %s',
    async (_name, form, one) => {
      const answer = await ask(one, foreign[WITHOUT_AGENT]!, form);
      expect(answer.status, JSON.stringify(answer.body)).toBe(404);
      hidesSecrets(answer.body);
    },
  );

  it.each(forms([...OF_AGENTS, ...UNNAMED]))(
    'sees nothing that concerns Ada: %s, %s',
    async (name, form, one) => {
      const answer = await ask(one, foreign[WITHOUT_AGENT]!, form);
      expect(answer.status).toBeLessThan(500);
      expect(JSON.stringify(answer.body).replaceAll(AGENT_SECRET, '')).not.toContain(SECRET);
      if (['deleteAgent', 'verifyErased', 'listReceipts'].includes(name)) expect(answer.status).toBe(403);
      if ('memory_id' in one.input.shape) expect(answer.status).toBe(404);
    },
  );
});

describe.each([...BOUND, WITHOUT_AGENT])('an admin key of %s', (who) => {
  it('makes no key for Ada, for all users or for another agent', async () => {
    const own = (await server.services.gate.keys.list()).find(({ user_id }) => user_id === ownUser(who))!;
    const make = (body: object) => server.call('POST', '/api/keys', { label: who, ...body }, foreign[who]);
    expect((await make({ user_id: 'ada' })).status).toBe(403);
    expect((await make({ user_id: 'ada', agent_id: 'adas-agent', access: 'read' })).status).toBe(403);
    const made = (await make({})).body;
    expect([made.user_id, made.agent_id]).toEqual([own.user_id, own.agent_id]);
    const other = await make({ agent_id: 'adas-agent' });
    expect(other.status).toBe(own.agent_id === null ? 201 : 403);
    const { keys } = (await server.call('GET', '/api/keys', undefined, foreign[who])).body;
    for (const { user_id } of keys) expect(user_id).toBe(own.user_id);
  });
});

function ownUser(who: string): string {
  return { [BOUND[0]]: 'bob', [BOUND[1]]: 'eve', [WITHOUT_AGENT]: 'dan' }[who]!;
}

describe.each([...BOUND, WITHOUT_AGENT])('over MCP, %s', (who) => {
  /** Every tool, with what is Ada's wherever it takes a name. */
  const calls = (): Record<string, readonly Record<string, unknown>[]> => ({
    store_memory: [{ content: 'x', type: 'finding' }],
    retrieve_memory: [{ memory_key: owned.memory_key }, { memory_key: owned.memory_id }],
    search_memory: [{ query: SECRET }, { query: SECRET, thread_id: 'adas' }],
    update_memory: [
      { memory_key: owned.memory_id, content: 'x' },
      { memory_key: owned.agent_memory_id, content: 'x' },
    ],
    list_memories: [{}, { limit: 50 }],
    forget_memory: [
      { memory_key: owned.memory_key },
      { memory_key: owned.memory_id },
      { memory_key: owned.agent_memory_id, preview: true },
      { text: 'a', preview: true },
    ],
    save_to_journal: [{ content: 'x' }],
    save_to_core: [{ content: 'x' }],
    manage_long_term_memory: [{ operation: 'read' }, { operation: 'append', content: 'x' }],
  });
  const FINDS_NOTHING = ['retrieve_memory', 'update_memory', 'forget_memory'];
  async function connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ name: 'stranger', version: '1' });
    const url = new URL('/mcp', server.server.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: foreign[who]! } }));
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  it('has a row for every tool', () => {
    expect(Object.keys(calls()).sort()).toEqual(
      toolsNamed(TOOL_NAMES)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.each(toolsNamed(TOOL_NAMES).map(({ name }) => name))('finds nothing: %s', (name) =>
    connected(async (client) => {
      for (const args of calls()[name]!) {
        const { structuredContent } = await client.callTool({ name, arguments: args });
        const result = structuredContent as { readonly error?: string };
        // What was asked for may be repeated in what it says.
        const text = JSON.stringify(result).replaceAll(`"query":"${SECRET}"`, '');
        expect(text).not.toContain(SECRET);
        if (FINDS_NOTHING.includes(name)) expect(result.error, JSON.stringify(args)).toBeDefined();
      }
    }),
  );

  it('reads no resource of it', () =>
    connected(async (client) => {
      const uris = ['notes/adas-agent', 'core/adas-agent', 'sessions/adas', `details/${owned.memory_key}`];
      for (const uri of uris)
        await expect(client.readResource({ uri: `memory://${uri}` }), uri).rejects.toThrow(/not found/i);
      const listed = (await client.listResources()).resources.map(({ uri }) => uri).join(' ');
      for (const uri of uris) expect(listed).not.toContain(uri);
    }));
});

it('leaves everything where it was', async () => {
  const memory = await server.call('GET', `/api/sessions/adas/memories/${owned.memory_id}`, undefined, ada);
  expect(memory.body.content.text).toContain(SECRET);
  const detail = await server.call('GET', `/api/details/${owned.memory_key}`, undefined, ada);
  expect(detail.body.content).toContain(SECRET);
  const notes = await server.call('GET', '/api/agents/adas-agent/notes', undefined, ada);
  expect(notes.body.text).toContain(SECRET);
  const stats = await server.call('GET', '/api/sessions/adas/stats', undefined, ada);
  expect(stats.body.total_entries).toBe(1);
  const { messages } = (await server.call('GET', '/api/chat/sessions/adas/messages', undefined, ada)).body;
  expect(messages).toHaveLength(1);
});
