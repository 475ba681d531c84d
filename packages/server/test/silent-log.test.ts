import { expect, it } from 'vitest';
import { OPERATIONS } from '../src/operations/index.ts';
import { startTestServer } from './http-fixture.ts';
import { startStandIn } from './openai-stand-in.ts';

/**
 * The log at its most talkative, and a word in every text of every operation: asked rightly, wrongly, and of a model
 * whose tools fail. The word must be in no line. Names and ids are no texts: they are there to be logged.
 */
const CANARY = 'canary-text-99';
const NAMES = /(_id|_ids|_key|^id|^ids|^name|^cursor|^agents|^topic|^version|^label)$/;
/** One right request for each that takes texts in a shape of its own. */
const MESSAGE = { id: 'm1', role: 'user', content: CANARY };
const RIGHT: Readonly<Record<string, object>> = {
  addMemory: { id: 'mem_1', type: 'finding', content: { text: CANARY }, tags: ['t'] },
  addMemories: { memories: [{ type: 'finding', content: { text: CANARY } }] },
  chat: { new_messages: [MESSAGE] },
  runAgent: { prompt: CANARY },
  runAgentWithImages: { prompt: CANARY, images: [{ media_type: 'image/png', data: 'iVBORw0KGgo=' }] },
  archiveMessages: { messages_batch: [MESSAGE] },
  assembleContext: { messages: [MESSAGE] },
  storeDetail: { content: CANARY, description: CANARY, memory_key: 'kept' },
  updateDetail: { content: CANARY },
  createAgent: { name: 'other', system_prompt: CANARY },
  addAgentMemory: { memory_type: 'core', content: CANARY },
  writeNotes: { text: CANARY },
  changeNotes: { operation: 'append', content: CANARY },
  redact: { session_id: 's', memory_id: 'mem_1', text: CANARY },
  verifyErased: { words: [CANARY] },
  search: { text: CANARY },
  queryMemories: { text: CANARY },
};
const PATH: Readonly<Record<string, string>> = {
  session_id: 's',
  memory_id: 'mem_1',
  agent_id: 'default',
  memory_key: 'kept',
  key_id: 'key_none',
  version: '1',
};

it('holds no word of what is kept, asked, answered or refused', async () => {
  const model = await startStandIn();
  model.script.push(
    { calls: [{ name: 'store_memory', arguments: { content: CANARY, type: 'core' } }] },
    { calls: [{ name: 'retrieve_memory', arguments: `{"memory_key": "${CANARY}` }] },
    { text: CANARY },
    { status: 500 },
    { text: CANARY, ending: 'malformed' },
  );
  const flags = { 'openai-model': 'm', 'openai-base-url': model.baseURL, 'openai-api-key': 'k' };
  const server = await startTestServer({ flags });
  try {
    await server.call('POST', '/api/sessions', { session_id: 's', agents: ['default'] });
    await server.call('POST', '/api/agents', { name: 'default' });
    let done = 0;
    // What takes something away comes last.
    const isEnd = (name: string): boolean => /^(delete|forget|revoke)/.test(name);
    const ordered = OPERATIONS.toSorted((a, b) => Number(isEnd(a.name)) - Number(isEnd(b.name)));
    for (const { name, http, input } of ordered) {
      const path = http.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => PATH[field] ?? 'none');
      const names = Object.keys(input.shape).filter((field) => !http.path.includes(`{${field}}`));
      const right = { ...(names.includes('session_id') ? { session_id: 's' } : {}), ...RIGHT[name] };
      const texts = names.filter((field) => !NAMES.test(field));
      const wrong = texts.flatMap((field) =>
        [CANARY, [CANARY], { text: CANARY }, { [CANARY]: 1 }].map((value) => ({ ...right, [field]: value })),
      );
      for (const body of [right, ...wrong, { ...right, [CANARY]: CANARY }]) {
        const query = new URLSearchParams();
        for (const [key, value] of Object.entries(body)) query.set(key, String(value));
        const answer =
          http.method === 'GET'
            ? await server.call('GET', `${path}?${query}`)
            : await server.call(http.method, path, body);
        if (answer.status < 300) done++;
      }
    }
    // Most of it was done, and not only refused.
    expect(done).toBeGreaterThan(OPERATIONS.length);
    await server.services.conversations.archiveAll();
    expect(server.log.length).toBeGreaterThan(OPERATIONS.length);
    expect(server.log.filter((line) => line.includes(CANARY))).toEqual([]);
  } finally {
    await server.stop();
    await model.close();
  }
});
