import { createChatStore, LonghandClient } from 'longhand/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { type StandIn, startStandIn } from './openai-stand-in.ts';

/** The chat store on a real server, in a process without a database for the outbox; test/browser has the rest. */
let model: StandIn;
let server: TestServer;
beforeAll(async () => {
  model = await startStandIn();
  server = await startTestServer({
    flags: { 'openai-model': 'test', 'openai-base-url': model.baseURL, 'openai-api-key': 'none' },
  });
});
afterAll(async () => {
  await server.stop();
  await model.close();
});

async function openStore(agentId: string) {
  const client = new LonghandClient({ baseUrl: server.server.url });
  return { client, store: await createChatStore({ client, agentId, scope: crypto.randomUUID() }) };
}

describe('the chat store', () => {
  it.each([
    ['store_memory', { content: 'The dog is called Rex', type: 'finding' }],
    ['save_to_journal', { content: 'The user was in a hurry' }],
    ['save_to_core', { content: 'I speak plainly' }],
    ['save_to_whiteboard', { content: 'The office is closed on Friday' }],
  ])('shows what %s has remembered, and takes it back', async (name, input) => {
    const agentId = name.replaceAll('_', '-');
    await server.done('POST', '/api/agents', { name: agentId, enabled_tools: [name] });
    const { store } = await openStore(agentId);
    model.script.push({ calls: [{ name, arguments: input }] }, { text: 'Noted.' });
    await store.getState().send('Remember this');
    const { messages, error } = store.getState();
    expect(error).toBeUndefined();
    expect(messages.map(({ text, sender }) => [text, sender])).toEqual([
      ['Remember this', 'user'],
      ['Noted.', 'ai'],
    ]);
    const [piece] = messages[1]!.remembered ?? [];
    expect(piece).toMatchObject({ text: input.content });
    await store.getState().undo(messages[1]!.id, piece!.key);
    expect(store.getState().messages[1]!.remembered).toMatchObject([{ isUndone: true }]);
    await expect(store.getState().undo(messages[1]!.id, 'no such piece')).resolves.toBeUndefined();
    store.getState().close();
  });

  it('reads what a placeholder stands for: a page of a detail, or a memory', async () => {
    await server.done('POST', '/api/agents', { name: 'reader' });
    const { store, client } = await openStore('reader');
    model.script.push({ text: 'Good day.' });
    await store.getState().send('Hello');
    const { sessionId } = store.getState();
    const content = Array.from({ length: 1_000 }, (_, i) => `line ${i} of an output`).join('\n');
    const { memory_key } = await client.call('storeDetail', {
      session_id: sessionId,
      content,
      description: 'An output',
    });
    const first = await store.getState().readDetail(memory_key);
    expect(first).toMatchObject({ title: 'An output', page: 1 });
    expect(first.pages).toBeGreaterThan(1);
    expect((await store.getState().readDetail(memory_key, 2)).content).not.toContain('line 0 of');
    const { id } = await client.call('addMemory', {
      session_id: sessionId,
      content: 'The dog is called Rex',
    });
    expect(await store.getState().readDetail(id)).toMatchObject({
      content: 'The dog is called Rex',
      pages: 1,
    });
    await expect(store.getState().readDetail('none')).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
    store.getState().close();
  });

  it('says what went wrong with an answer, and whether asking again may help', async () => {
    const { store } = await openStore('nobody-made-me');
    model.script.push({ text: 'Half an ans', ending: 'hang-up' });
    await store.getState().send('Hello');
    const { messages, error, isAnswering } = store.getState();
    expect([messages.length > 0, isAnswering]).toEqual([true, false]);
    expect(error?.message).toEqual(expect.any(String));
    store.getState().close();
  });
});
