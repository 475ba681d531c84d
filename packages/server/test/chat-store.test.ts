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
    const { store, client } = await openStore(agentId);
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
    // What was said stays in the conversation.
    await store.getState().retryArchive();
    const { sessionId } = store.getState();
    const { messages: kept } = await client.call('listChatMessages', { session_id: sessionId });
    expect(kept.map(({ content }) => content)).toEqual(['Remember this', 'Noted.']);
    await expect(store.getState().undo(messages[1]!.id, 'no such piece')).resolves.toBeUndefined();
    store.getState().close();
  });

  /** What one turn with these calls has changed in the memory. */
  async function turn(...calls: readonly { readonly name: string; readonly arguments: object }[]) {
    const agentId = `agent-${crypto.randomUUID()}`;
    await server.done('POST', '/api/agents', {
      name: agentId,
      enabled_tools: calls.map(({ name }) => name),
    });
    const { store, client } = await openStore(agentId);
    for (const call of calls) model.script.push({ calls: [{ ...call, arguments: { ...call.arguments } }] });
    model.script.push({ text: 'Noted.' });
    await store.getState().send('Go on');
    const { messages, error } = store.getState();
    expect(error).toBeUndefined();
    const answer = messages.at(-1)!;
    const take = (key: string) => store.getState().undo(answer.id, key);
    return { agentId, client, remembered: answer.remembered ?? [], take, store };
  }
  const stored = (input: object) => ({ name: 'store_memory', arguments: input });

  it('shows a memory that it had already as known, and cannot take that one back', async () => {
    const client = new LonghandClient({ baseUrl: server.server.url });
    const content = 'The cat is called Tom';
    const { id } = await client.call('remember', { content });
    const { remembered, take, store } = await turn(stored({ content }));
    expect(remembered).toMatchObject([{ key: id, text: content, change: 'known' }]);
    await take(id);
    const { memories } = await client.call('recall', { text: 'What is the cat called?' });
    expect(memories.map((memory) => memory.id)).toContain(id);
    store.getState().close();
  });

  it('takes back two things at the same moment', async () => {
    const both = ['The tortoise is called Ada', 'The goldfish is called Otto'];
    const { remembered, take, store } = await turn(...both.map((content) => stored({ content })));
    await Promise.all(remembered.map(({ key }) => take(key)));
    const after = store.getState().messages.at(-1)!.remembered!;
    expect(after.map(({ text, isUndone }) => [text, isUndone])).toEqual(both.map((text) => [text, true]));
    store.getState().close();
  });

  it('takes back what one turn has stored and stored again', async () => {
    const content = 'The hedgehog is called Bodo';
    const { remembered, take, client, store } = await turn(stored({ content }), stored({ content }));
    expect(remembered).toMatchObject([{ text: content, change: 'remembered' }]);
    await take(remembered[0]!.key);
    const { memories } = await client.call('recall', { text: 'hedgehog Bodo' });
    expect(memories.filter((memory) => memory.content.text === content)).toEqual([]);
    store.getState().close();
  });

  it('takes back a long text, and the memory that leads to it', async () => {
    const content = 'We chose the red zeppelin because it floats. '.repeat(200);
    const { remembered, take, client, store } = await turn(stored({ content, type: 'decision' }));
    const [{ key, change }] = remembered as [(typeof remembered)[0]];
    expect(change).toBe('remembered');
    expect((await client.call('recall', { text: 'zeppelin' })).memories).toHaveLength(1);
    await take(key);
    expect((await client.call('recall', { text: 'zeppelin' })).memories).toEqual([]);
    await expect(client.call('retrieveDetail', { memory_key: key })).rejects.toMatchObject({ status: 404 });
    store.getState().close();
  });

  it('takes back a memory, and what it had replaced is current again', async () => {
    const client = new LonghandClient({ baseUrl: server.server.url });
    const { id } = await client.call('remember', { content: 'The submarine lies in Hamburg' });
    const recalled = async () =>
      (await client.call('recall', { text: 'submarine' })).memories.map(({ content }) => content.text);
    const news = { content: 'The submarine lies in Kiel', replaces: [id] };
    const { remembered, take, store } = await turn(stored(news));
    expect(await recalled()).toEqual(['The submarine lies in Kiel']);
    await take(remembered[0]!.key);
    expect(await recalled()).toEqual(['The submarine lies in Hamburg']);
    store.getState().close();
  });

  it('shows changed notes, and takes the last change back unless they have changed since', async () => {
    const noted = (operation: string, content?: string) => ({
      name: 'manage_long_term_memory',
      arguments: { operation, ...(content === undefined ? {} : { content }) },
    });
    const { agentId, remembered, take, client, store } = await turn(
      noted('append', 'The first line'),
      noted('read'),
      noted('overwrite', 'The second line'),
      noted('overwrite', 'The second line'),
    );
    expect(remembered).toMatchObject([
      { change: 'noted', text: 'The first line' },
      { change: 'noted', text: 'The second line' },
    ]);
    const [first, second] = remembered.map(({ key }) => key) as [string, string];
    await expect(take(first)).rejects.toMatchObject({ status: 409 });
    await take(second);
    expect((await client.call('readNotes', { agent_id: agentId })).text.trim()).toBe('The first line');
    // The change that was taken back is a change since.
    await expect(take(first)).rejects.toMatchObject({ status: 409 });
    store.getState().close();
    const fresh = await turn(noted('append', 'The only line'));
    await fresh.take(fresh.remembered[0]!.key);
    expect((await client.call('readNotes', { agent_id: fresh.agentId })).text).toBe('');
    fresh.store.getState().close();
  });

  it('shows what was changed and forgotten, and offers to take neither back', async () => {
    const client = new LonghandClient({ baseUrl: server.server.url });
    const { id } = await client.call('remember', { content: 'The parrot is green' });
    const { remembered, take, store } = await turn(
      { name: 'update_memory', arguments: { memory_key: id, content: 'The parrot is blue' } },
      { name: 'update_memory', arguments: { memory_key: id, tags: ['birds'] } },
      { name: 'forget_memory', arguments: { memory_key: id, preview: true } },
      { name: 'forget_memory', arguments: { memory_key: id } },
      { name: 'update_memory', arguments: { memory_key: id, content: 'gone' } },
    );
    expect(remembered).toMatchObject([
      { key: id, change: 'changed', text: 'The parrot is blue' },
      { key: id, change: 'changed', text: 'The parrot is blue' },
      { change: 'forgotten' },
    ]);
    expect(remembered.filter(({ undo }) => undo !== undefined)).toEqual([]);
    await expect(take(id)).resolves.toBeUndefined();
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
    const { store } = await openStore('not-made-yet');
    model.script.push({ text: 'Half an ans', ending: 'hang-up' });
    await store.getState().send('Hello');
    const { messages, error, isAnswering } = store.getState();
    expect([messages.length > 0, isAnswering]).toEqual([true, false]);
    expect(error?.message).toEqual(expect.any(String));
    store.getState().close();
  });
});
