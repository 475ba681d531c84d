import assert from 'node:assert/strict';
import type { Message } from '../core/messages.ts';
import type { StoredWindow, WindowStore } from '../layers/window/index.ts';
import { talk, type WithMemory } from './memory-conformance.ts';

const idsOf = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ id }) => id);

/** A call of several tools, and all their results. */
function toolExchange(name: string, results: number): Message[] {
  const calls = Array.from({ length: results }, (_, i) => `${name}_${i}`);
  return [
    {
      id: name,
      role: 'assistant',
      content: '',
      tool_calls: calls.map((id) => ({ id, name: 'run', arguments: {} })),
    },
    ...calls.map((id): Message => ({ id: `${id}_result`, role: 'tool', content: 'done', tool_call_id: id })),
  ];
}

export function windowConformance(withChat: WithMemory): void {
  withChat('holds the last ten messages', async ({ layers }) => {
    await layers.windows.append('chat', talk(0, 8));
    const window = await layers.windows.append('chat', talk(8, 13));
    assert.deepEqual(idsOf(window), idsOf(talk(3, 13)));
    assert.deepEqual(await layers.windows.read('chat'), window);
    assert.deepEqual(await layers.windows.append('chat', talk(10, 13)), window);
  });

  withChat(
    'slides by turns when told to',
    async ({ layers }) => {
      await layers.windows.append('chat', talk(0, 4));
      await layers.windows.append('chat', [talk(4, 5)[0]!, ...toolExchange('call', 3), talk(5, 6)[0]!]);
      assert.equal((await layers.windows.read('chat'))[0]!.id, 'm2');
      assert.equal((await layers.windows.append('chat', talk(6, 8)))[0]!.id, 'm4');
    },
    { config: { window: { max_turns: 2 } } },
  );

  withChat('includes tool messages, and never parts a call from its results', async ({ layers }) => {
    for (let i = 0; i < 12; i++) {
      const exchange = toolExchange(`call${i}`, 1 + (i % 4));
      const window = await layers.windows.append('chat', [...talk(i, i + 1), ...exchange]);
      const asked = window.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      const answered = window.flatMap(({ tool_call_id }) => tool_call_id ?? []);
      assert.deepEqual(asked, answered);
      assert.ok(answered.length > 0 && window.length <= 10);
    }
    const huge = toolExchange('huge', 15);
    assert.deepEqual(await layers.windows.append('chat', huge), huge);
  });

  withChat(
    'is made again from transcript and spool when it is cold',
    async ({ layers, clock, openAnother }) => {
      await layers.transcripts.archive('chat', talk(0, 30));
      const expected = idsOf(talk(22, 32));
      assert.deepEqual(idsOf(await layers.windows.read('chat')), expected);
      assert.deepEqual(idsOf(await (await openAnother()).layers.windows.read('chat')), expected);
      await layers.windows.append('chat', toolExchange('call', 1));
      assert.ok((await layers.windows.read('chat')).some(({ role }) => role === 'tool'));
      clock.advance(61 * 60_000);
      assert.deepEqual(idsOf(await layers.windows.read('chat')), expected);
    },
    { spool: () => talk(30, 32) },
  );

  withChat(
    'keeps tool calls before the answer that came of them, also when the answer was archived first',
    async ({ layers }) => {
      const [asked, answered] = talk(0, 2);
      const call = toolExchange('call', 2);
      const expected = idsOf([asked!, ...call, answered!]);
      assert.deepEqual(idsOf(await layers.windows.append('chat', [asked!, ...call, answered!])), expected);
      await layers.transcripts.archive('chat', talk(0, 2));
      await layers.windows.drop('chat');
      assert.deepEqual(idsOf(await layers.windows.append('chat', [asked!, ...call, answered!])), expected);
    },
    { spool: () => talk(0, 2) },
  );

  withChat(
    'never drops what no summary covers',
    async ({ layers }) => {
      await layers.transcripts.archive('chat', talk(0, 20));
      assert.equal((await layers.windows.read('chat')).length, 20);
      await layers.transcripts.archive('chat', talk(20, 24));
      await layers.windows.append('chat', talk(20, 24));
      await layers.summaries.update('chat');
      assert.equal((await layers.windows.read('chat')).length, 10);
    },
    { config: { summary: { enabled: true, threshold: 22, keep_last: 4 } } },
  );

  const kept = new Map<string, StoredWindow>();
  const outside: WindowStore = {
    get: async (sessionId) => kept.get(sessionId),
    set: async (sessionId, window) => void kept.set(sessionId, window),
    delete: async (sessionId) => void kept.delete(sessionId),
  };
  withChat(
    'is kept wherever it is told to',
    async ({ layers, openAnother }) => {
      kept.clear();
      await layers.windows.append('chat', toolExchange('call', 2));
      assert.deepEqual(await (await openAnother()).layers.windows.read('chat'), toolExchange('call', 2));
      await layers.windows.drop('chat');
      assert.equal(kept.size, 0);
    },
    { windowStore: outside },
  );
}
