import { LonghandClient, ProblemError } from 'longhand/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function clientOf(userId: string): LonghandClient {
  return new LonghandClient({ baseUrl: server.server.url, userId });
}

describe('the client', () => {
  it('calls operations with names in the path, fields in the query and fields in the body', async () => {
    const client = clientOf('zoë');
    const { id, session_id } = await client.call('remember', { content: 'I live in Łódź', tags: ['home'] });
    const memory = await client.call('getMemory', { session_id, memory_id: id });
    expect(memory.content).toEqual({ text: 'I live in Łódź' });
    const { memories } = await client.call('recall', { text: 'Where do I live?', limit: 1 });
    expect(memories.map((found) => found.id)).toEqual([id]);
    const listed = await client.call('listMemories', { session_id, limit: 5, type: 'finding' });
    expect(listed.memories).toHaveLength(1);
    expect(await client.call('deleteMemory', { session_id, memory_id: id })).toEqual({ deleted: 1 });
  });

  it('gives a refusal as an error with its code', async () => {
    const failed = await clientOf('zoë')
      .call('loadSession', { session_id: 'none' })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ProblemError);
    expect(failed).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND', requestId: expect.any(String) });
    const wrong = await clientOf('zoë')
      .call('recall', { text: 'x', limit: -1 })
      .catch((error: unknown) => error);
    expect(wrong).toMatchObject({ status: 400, errors: [{ field: 'limit' }] });
  });

  it('keeps a request with an idempotency key once', async () => {
    const client = clientOf('kim');
    const again = { idempotencyKey: 'once' };
    await client.call('createSession', { session_id: 'of-kim' });
    const memory = { session_id: 'of-kim', content: 'Kept once' };
    const first = await client.call('addMemory', memory, again);
    expect(await client.call('addMemory', memory, again)).toEqual(first);
    expect((await client.call('listMemories', { session_id: 'of-kim' })).memories).toHaveLength(1);
  });

  it('reads an answer as it comes', async () => {
    const said = { role: 'user' as const, content: 'Remember that my dog is called Rex' };
    const events: string[] = [];
    for await (const { event } of clientOf('ida').stream('chat', { new_messages: [said] }))
      events.push(event);
    expect(events[0]).toBe('start');
    expect(events.at(-1)).toBe('done');
  });

  it('follows changes, and goes on from the last one after a lost connection', async () => {
    const client = clientOf('olaf');
    await client.call('createSession', { session_id: 'of-olaf' });
    const follow = async (lastEventId: string | undefined, until: string): Promise<string> => {
      for await (const { id, event } of client.events(lastEventId)) if (event === until) return id!;
      throw new Error('the feed ended');
    };
    const position = await follow(undefined, 'ready');
    await client.call('addMemory', { session_id: 'of-olaf', content: 'While the client was away' });
    await follow(position, 'session-changed');
  });
});
