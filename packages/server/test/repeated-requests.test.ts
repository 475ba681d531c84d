import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, call } from './http-fixture.ts';
import { endProcess, type ServerProcess, startServerProcess } from './server-process.ts';

/** A request with an `Idempotency-Key`, sent again to another server after the first one was killed. */
let root: string;
let server: ServerProcess;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhand-repeated-'));
  server = await startServerProcess(root);
});
afterEach(async () => {
  await endProcess(server.child, 'SIGTERM');
  rmSync(root, { recursive: true, force: true });
});

async function twice(path: string, body: unknown): Promise<[Answer, Answer]> {
  const headers = { 'idempotency-key': 'k1' };
  const first = await call(server.url, 'POST', path, body, headers);
  await endProcess(server.child, 'SIGKILL');
  server = await startServerProcess(root);
  const second = await call(server.url, 'POST', path, body, headers);
  expect(second.status, JSON.stringify(second.body)).toBe(first.status);
  return [first, second];
}

async function messagesOf(session: string): Promise<readonly unknown[]> {
  return (await call(server.url, 'GET', `/api/chat/sessions/${session}/messages`)).body.messages;
}

describe('a request that is repeated after a kill', () => {
  it.each([
    ['/agent/run', { prompt: 'Tell me about cats' }],
    ['/api/chat', { new_messages: [{ sender: 'user', text: 'Tell me about cats' }] }],
    [
      '/agent/vision',
      { prompt: 'What is this?', images: [{ media_type: 'image/png', data: 'iVBORw0KGgo=' }] },
    ],
  ])('to %s gives the same answer, and doubles no message and no session', async (path, body) => {
    const [first, second] = await twice(path, body);
    expect(second.body).toMatchObject({
      session_id: first.body.session_id,
      new_message_ids: first.body.new_message_ids,
      message_id: first.body.message_id,
      answer: first.body.answer,
      model: first.body.model,
      is_repeated: true,
    });
    expect(await messagesOf(first.body.session_id)).toHaveLength(2);
    expect((await call(server.url, 'GET', '/api/sessions')).body.sessions).toHaveLength(1);
  });

  it('gives the same answer for a memory that was put right since', async () => {
    await call(server.url, 'POST', '/api/sessions', { session_id: 'demo' });
    const path = '/api/sessions/demo/memories';
    const body = { type: 'finding', content: { text: 'Kept once' } };
    const headers = { 'idempotency-key': 'k2' };
    const first = await call(server.url, 'POST', path, body, headers);
    const changes = { content: { text: 'Put right' } };
    expect((await call(server.url, 'PATCH', `${path}/${first.body.id}`, changes)).status).toBe(200);
    await endProcess(server.child, 'SIGKILL');
    server = await startServerProcess(root);
    const second = await call(server.url, 'POST', path, body, headers);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    const { memories } = (await call(server.url, 'GET', path)).body;
    expect(memories.map((one: { content: unknown }) => one.content)).toEqual([changes.content]);
  });

  it('makes one session', async () => {
    const [first, second] = await twice('/api/sessions', { agents: ['default'] });
    expect(second.body).toEqual(first.body);
    expect((await call(server.url, 'GET', '/api/sessions')).body.sessions).toHaveLength(1);
  });

  it('makes one memory of an agent', async () => {
    await call(server.url, 'POST', '/api/agents', { name: 'ada' });
    const body = { memory_type: 'journal', content: 'A quiet day' };
    const [first, second] = await twice('/api/agents/ada/memories', body);
    expect(second.body).toEqual(first.body);
    expect((await call(server.url, 'GET', '/api/agents/ada/memories')).body.memories).toHaveLength(1);
  });
});

describe('a streamed request that is repeated', () => {
  it('gives the same answer again', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const body = { prompt: 'Tell me about cats', stream: true };
    const last = async (): Promise<{ message_id: string; session_id: string }> => {
      const { body: events } = await call(server.url, 'POST', '/agent/run', body, headers);
      return JSON.parse(/event: done\ndata: (.*)/.exec(String(events))![1]!);
    };
    const [first, second] = [await last(), await last()];
    expect(second).toMatchObject({ message_id: first.message_id, session_id: first.session_id });
    expect(await messagesOf(first.session_id)).toHaveLength(2);
  });

  it('is refused when it asks something else', async () => {
    const ask = (prompt: string) =>
      call(server.url, 'POST', '/agent/run', { prompt, stream: true }, { 'idempotency-key': 'k2' });
    expect((await ask('Tell me about cats')).status).toBe(200);
    const other = await ask('Tell me about dogs');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect((await ask('Tell me about cats')).status).toBe(200);
  });
});
