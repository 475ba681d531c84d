import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../src/operations/index.ts';
import type { Operation } from '../src/operations/operation.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';

/**
 * Every operation, asked for by somebody else with the ids of what is not theirs, answers as if it were not there.
 * The cases are made from the table of operations: one that is added is tried here, or this test fails for want of
 * an example.
 */
const SECRET = 'canary-of-ada';
let server: TestServer;
const owned: Record<string, unknown> = {};
let ada: Record<string, string>;
let foreign: Record<string, Record<string, string>>;

beforeAll(async () => {
  server = await startTestServer({ flags: { 'auth-enabled': true, 'limits-requests-per-minute': 0 } });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const key = (user_id: string, agent_id: string | null) =>
    bearer(server.services.keys.create({ label: '', access: 'admin', user_id, agent_id }).token);
  ada = key('ada', null);
  foreign = {
    'another user': key('bob', 'bobs-agent'),
    'another agent of another user': key('eve', 'eves-agent'),
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
  await ask('POST', '/api/agents', { name: 'adas-agent', system_prompt: SECRET });
  owned.agent_memory_id = (
    await ask('POST', '/api/agents/adas-agent/memories', { memory_type: 'core', content: SECRET })
  ).id;
  await ask('PUT', '/api/agents/adas-agent/notes', { text: `${SECRET} notes` });
  await ask('POST', '/api/chat/session/archive_messages', {
    session_id: 'adas',
    messages_batch: [{ id: 'adas-message', role: 'user', content: SECRET }],
  });
});
afterAll(() => server.stop());

/** Fields that name something of Ada's, and whatever else an operation needs to get as far as looking for it. */
function example({ name, input, http }: Operation): Record<string, unknown> {
  const isOfAgent = http.path.startsWith('/api/agents/');
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
    is_active: false,
    messages: [{ role: 'user', content: 'x' }],
    new_messages: [{ role: 'user', content: 'x' }],
    messages_batch: [{ id: 'z', role: 'user', content: 'x' }],
    prompt: 'x',
    images: [{ media_type: 'image/png', data: 'AAAA' }],
    key_id: 'x',
    name: 'adas-agent',
    words: ['nothing-like-that'],
  };
  const fields: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(input.shape)) {
    const isNeeded = !(type as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined)
      .success;
    const isId = ['session_id', 'memory_id', 'agent_id', 'memory_key'].includes(field);
    // Redacting takes an agent or a memory; a new detail may bring a key of its own.
    if (name === 'redact' && field === 'agent_id') continue;
    if (name === 'storeDetail' && field !== 'session_id' && field !== 'content') continue;
    if (name === 'assembleContext' && field === 'agent_id') continue;
    if ((isNeeded || isId) && field in examples) fields[field] = examples[field];
  }
  return fields;
}

async function ask(operation: Operation, headers: Record<string, string>) {
  const { method, path } = operation.http;
  const fields = example(operation);
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => {
    const value = fields[field];
    delete fields[field];
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const query = inQuery ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
  return server.call(method, `${target}${query}`, inQuery ? undefined : fields, headers);
}

const NAMING = ['session_id', 'memory_id', 'agent_id', 'memory_key'];
/** They name nothing of anybody: they must give nothing of Ada's. */
const UNNAMED = OPERATIONS.filter(
  ({ input }) => !Object.keys(input.shape).some((field) => NAMING.includes(field)),
);
const NAMED = OPERATIONS.filter(
  // A new session or key may have any name that is free.
  (one) => !UNNAMED.includes(one) && !['createSession', 'createKey'].includes(one.name),
);

describe.each(['another user', 'another agent of another user'])('%s', (who) => {
  it.each(NAMED.map((operation) => [operation.name, operation] as const))(
    'finds nothing: %s',
    async (_name, one) => {
      const answer = await ask(one, foreign[who]!);
      expect([answer.status, answer.body], JSON.stringify(answer.body)).toEqual([
        404,
        expect.objectContaining({ status: 404 }),
      ]);
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    },
  );

  it.each(UNNAMED.map((operation) => [operation.name, operation] as const))(
    'sees nothing of it: %s',
    async (_name, one) => {
      const answer = await ask(one, foreign[who]!);
      expect(answer.status).toBeLessThan(500);
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    },
  );

  it('cannot take a name that is taken', async () => {
    const answer = await server.call('POST', '/api/sessions', { session_id: 'adas' }, foreign[who]);
    expect(answer.status).toBe(409);
    expect(JSON.stringify(answer.body)).not.toContain('ada"');
  });
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
