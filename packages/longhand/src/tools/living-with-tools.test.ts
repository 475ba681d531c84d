import { describe, expect, it } from 'vitest';
import { STORES } from '../../test/open-stores.ts';
import { loadTokenCounter } from '../adapters/token-counter.ts';
import { MemoryManager } from '../memory-manager.ts';
import { inputSchemaOf, TOOLS, type ToolResult } from './index.ts';

/** What an agent does with its tools over a day: every key that it is given has to work, and nothing may be hidden. */
async function workplace(open: () => () => unknown) {
  const manager = new MemoryManager({ store: open()() as never, semantic: false });
  await manager.createSession('ada', { session_id: 'chat' });
  const scope = await manager
    .as({ account_id: 'local', user_id: 'ada', agent_id: 'scout' })
    .toolScope('chat');
  const call = (name: string, input: object): Promise<ToolResult> =>
    TOOLS.find((tool) => tool.name === name)!.run(input, scope);
  return { manager, call };
}

const LONG = Array.from({ length: 600 }, (_, i) => `entry ${i} of a long record`).join('\n');

it('are told to a model in at most 1,800 tokens', async () => {
  const counter = await loadTokenCounter();
  const list = TOOLS.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: inputSchemaOf(tool),
  }));
  const tokens = counter.count(JSON.stringify(list));
  expect(tokens).toBeLessThanOrEqual(1_800);
  for (const { name, description } of list) expect(description.length, name).toBeLessThan(400);
});

describe.each(STORES)('on the %s store', (_name, open) => {
  it('find and list details by type and time, and kinds beside types and tags', async () => {
    const { call } = await workplace(open);
    const found = async (name: string, asked: Record<string, unknown>) => {
      const { results, memories, error } = await call(name, asked);
      expect(error).toBeUndefined();
      return ((results ?? memories) as { summary: string }[]).map(({ summary }) => summary).sort();
    };
    const output = await call('store_memory', { content: 'a zebra crossed', type: 'command_output' });
    expect(output.error).toBeUndefined();
    const all = await call('search_memory', { query: '*' });
    expect(all).toMatchObject({ results: [] });
    expect(all.note).not.toContain('search_memory');
    await call('store_memory', { content: 'The zebra is striped', type: 'fact', tags: ['animals'] });
    await call('store_memory', { content: 'A zebra likes grass', type: 'preference', tags: ['animals'] });
    await call('store_memory', { content: 'The zebra sleeps', type: 'finding' });
    const types = ['command_output'];
    expect(await found('search_memory', { query: 'zebra', types })).toHaveLength(1);
    expect(await found('search_memory', { query: 'zebra', within: 'today' })).toHaveLength(4);
    expect(await found('search_memory', { query: 'zebra', types, within: '2020' })).toEqual([]);
    expect(await found('search_memory', { query: 'zebra', tags: ['animals'] })).toHaveLength(2);
    expect(await found('list_memories', { types })).toHaveLength(1);
    expect(await found('list_memories', { types, within: '2020' })).toEqual([]);
    const both = ['A zebra likes grass', 'The zebra is striped'];
    for (const [name, query] of [['list_memories'], ['search_memory', 'zebra']] as const) {
      const asked = query === undefined ? {} : { query };
      expect(await found(name, { ...asked, types: ['fact', 'preference'] })).toEqual(both);
      expect(await found(name, { ...asked, types: ['fact', 'preference'], limit: 1 })).toHaveLength(1);
      expect(await found(name, { ...asked, types: ['fact'], tags: ['animals'] })).toEqual([both[1]]);
      expect(await found(name, { ...asked, types: ['fact'], tags: ['plants'] })).toEqual([]);
    }
    await call('store_memory', { content: 'second output', type: 'command_output' });
    const asked = { types: ['preference', 'command_output'], limit: 1 };
    const seen: unknown[] = [];
    for (let cursor: unknown; ; ) {
      const page = await call('list_memories', { ...asked, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...(page.memories as { memory_key: string }[]).map(({ memory_key }) => memory_key));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(new Set(seen).size).toBe(3);
    expect(seen).toHaveLength(3);
  });

  it('say that a time left nothing', async () => {
    const { manager, call } = await workplace(open);
    await manager.addMemory('chat', {
      content: 'We talked about sails',
      timestamp: '2020-05-01T10:00:00.000Z',
    });
    const { note } = await call('search_memory', { query: 'What did we talk about last week?' });
    expect(note).toContain('names a time');
    expect(note).not.toContain('other words');
    expect((await call('search_memory', { query: 'walrus' })).note).toContain('other words');
    await manager.close();
  });

  it('keep short texts as memories whatever their type, and long ones whole', async () => {
    const { manager, call } = await workplace(open);
    const types = async (type: string | undefined, content: string) => {
      const stored = await call('store_memory', { content, ...(type === undefined ? {} : { type }) });
      expect(stored.error).toBeUndefined();
      const { memory_key, memory_type, kind, memory_id } = stored;
      const isMemory = String(memory_key).startsWith('mem_');
      return [isMemory, memory_type, kind, memory_id !== undefined];
    };
    expect(await types(undefined, 'Plain words')).toEqual([true, 'finding', undefined, false]);
    expect(await types('decision', 'We use Postgres')).toEqual([true, 'decision', undefined, false]);
    expect(await types('user_preference', 'Short answers')).toEqual([true, 'preference', undefined, false]);
    expect(await types('fact', 'The sky is blue')).toEqual([true, 'finding', 'fact', false]);
    expect(await types('Long term goal', 'Sail to Fyn')).toEqual([true, 'finding', 'long_term_goal', false]);
    expect(await types('command_output', 'ok')).toEqual([false, 'command_output', undefined, false]);
    expect(await types('file_content', 'a,b')).toEqual([false, 'file_content', undefined, false]);
    expect(await types('fact', LONG)).toEqual([false, 'fact', undefined, false]);
    expect(await types('decision', `${LONG} x`)).toEqual([false, 'decision', undefined, true]);
    for (const type of ['journal', 'core'])
      expect((await call('store_memory', { content: 'x', type })).error).toContain(`use save_to_${type}`);

    const goals = await call('list_memories', { types: ['long_term_goal'] });
    expect(goals.memories).toMatchObject([{ summary: 'Sail to Fyn', kind: 'long_term_goal' }]);
    expect(JSON.stringify(goals)).not.toContain('kind.');
    const found = await call('search_memory', { query: 'sail', types: ['long_term_goal'] });
    expect(found.results).toHaveLength(1);
    const preferences = await call('list_memories', { types: ['user_preference'] });
    expect(preferences.memories).toMatchObject([{ summary: 'Short answers' }]);
    const mixed = await call('list_memories', { types: ['fact', 'decision'] });
    expect((mixed.memories as { memory_type: string }[]).map(({ memory_type }) => memory_type)).toEqual([
      ...['decision', 'finding', 'decision', 'detail'],
    ]);
    await manager.close();
  });

  it('confirm what is said again, name what is close, and replace it', async () => {
    const { manager, call } = await workplace(open);
    const first = await call('store_memory', { content: 'I live in Hamburg', type: 'fact', tags: ['home'] });
    const again = await call('store_memory', { content: ' I live in Hamburg ', type: 'fact' });
    expect(again).toMatchObject({ memory_key: first.memory_key, confirmed: true });
    const news = await call('store_memory', { content: 'I live in Lübeck now', type: 'fact' });
    expect(news.similar).toEqual([{ memory_key: first.memory_key, text: 'I live in Hamburg' }]);
    await call('forget_memory', { memory_key: news.memory_key });
    const moved = await call('store_memory', {
      content: 'We moved to Lübeck',
      type: 'fact',
      replaces: [first.memory_key],
    });
    expect(moved.error).toBeUndefined();
    const { memories } = await call('list_memories', {});
    expect((memories as { summary: string }[]).map(({ summary }) => summary)).toEqual(['We moved to Lübeck']);
    await manager.close();
  });

  it('give keys that every other tool takes', async () => {
    const { manager, call } = await workplace(open);
    const memory = await call('store_memory', { content: 'Tea at four', tags: ['tea'] });
    const both = await call('store_memory', {
      content: LONG,
      description: 'A long record',
      type: 'decision',
    });
    const journal = await call('save_to_journal', { content: 'Ada was in a hurry' });
    const core = await call('save_to_core', { content: 'I keep it short' });
    const listed = (await call('list_memories', {})).memories as { memory_key: string }[];
    const searched = (await call('search_memory', { query: 'tea record' })).results as {
      memory_key: string;
    }[];
    const keys = [
      ...[memory.memory_key, memory.placeholder, both.memory_key, both.memory_id, both.placeholder],
      ...[journal.memory_id, core.memory_id],
      ...[...listed, ...searched].map(({ memory_key }) => memory_key),
    ];
    expect(new Set(keys).size).toBeGreaterThan(5);
    for (const key of keys) {
      const retrieved = await call('retrieve_memory', { memory_key: key });
      expect(retrieved.error, String(key)).toBeUndefined();
      expect(retrieved.content).toBeTruthy();
      const preview = await call('forget_memory', { memory_key: key, preview: true });
      expect(preview.error, String(key)).toBeUndefined();
      expect(preview).toMatchObject({ forgotten: false, receipt_id: null });
      expect((preview.items as { text: string }[])[0]!.text, String(key)).not.toBe('');
    }
    expect((await call('retrieve_memory', { memory_key: core.memory_id })).content).toBe('I keep it short');
    expect(
      await call('update_memory', { memory_key: core.memory_id, content: 'I keep it brief' }),
    ).toMatchObject({
      memory_type: 'core',
      content: 'I keep it brief',
    });
    for (const key of [journal.memory_id, core.memory_id, both.memory_key, memory.placeholder]) {
      expect(await call('forget_memory', { memory_key: key })).toMatchObject({
        success: true,
        forgotten: true,
      });
      expect((await call('retrieve_memory', { memory_key: key })).error, String(key)).toBeDefined();
    }
    await manager.close();
  });

  it('show and forget nothing of another user by a key that was guessed', async () => {
    const { manager, call } = await workplace(open);
    const keys = [
      (await call('store_memory', { content: 'Ada has a secret' })).memory_key,
      (await call('store_memory', { content: 'The secret of Ada', type: 'file_content' })).memory_key,
      (await call('save_to_journal', { content: 'Ada told me a secret' })).memory_id,
      (await call('save_to_core', { content: 'I keep the secret of Ada' })).memory_id,
    ];
    await manager.createSession('ben', { session_id: 'bens' });
    const scope = await manager
      .as({ account_id: 'local', user_id: 'ben', agent_id: 'scout' })
      .toolScope('bens');
    for (const memory_key of keys) {
      for (const [name, input] of [
        ['retrieve_memory', { memory_key }],
        ['update_memory', { memory_key, content: 'x' }],
        ['forget_memory', { memory_key, preview: true }],
        ['forget_memory', { memory_key }],
      ] as const) {
        const result = await TOOLS.find((tool) => tool.name === name)!.run(input, scope);
        expect(result.error, `${name} ${memory_key}`).toBeDefined();
        expect(JSON.stringify(result)).not.toContain('secret');
      }
      expect((await call('retrieve_memory', { memory_key })).content).toContain('secret');
    }
    await manager.close();
  });

  it('correct a memory in place', async () => {
    const { manager, call } = await workplace(open);
    const { memory_key } = await call('store_memory', {
      content: 'The meeting is on Tuesday',
      type: 'fact',
      description: 'A date',
      tags: ['work'],
    });
    expect(await call('update_memory', { memory_key, content: 'The meeting is on Thursday' })).toMatchObject({
      memory_key,
      kind: 'fact',
      tags: ['work'],
      description: 'A date',
    });
    expect((await call('retrieve_memory', { memory_key })).content).toBe('The meeting is on Thursday');
    expect(await call('update_memory', { memory_key, type: 'decision', tags: ['plan'] })).toMatchObject({
      memory_type: 'decision',
      tags: ['plan'],
      content: 'The meeting is on Thursday',
    });
    // The words for types mean what they mean in store_memory.
    expect(await call('update_memory', { memory_key, type: 'user_preference' })).toMatchObject({
      memory_type: 'preference',
    });
    expect((await call('update_memory', { memory_key, type: 'core' })).error).toContain('use save_to_core');
    expect((await call('update_memory', { memory_key })).error).toContain('Say what to change');
    expect((await call('update_memory', { memory_key: 'mem_nothing', content: 'x' })).code).toBe(
      'MEMORY_NOT_FOUND',
    );
    await manager.close();
  });

  it('replace what is named by its placeholder', async () => {
    const { manager, call } = await workplace(open);
    const { placeholder } = await call('store_memory', { content: 'The office is on the third floor' });
    const news = await call('store_memory', {
      content: 'The office is on the fourth floor',
      replaces: [placeholder],
    });
    expect(news.error).toBeUndefined();
    const { memories } = await call('list_memories', {});
    expect(memories).toMatchObject([{ summary: 'The office is on the fourth floor' }]);
    await manager.close();
  });

  it('forget a long text and the memory that leads to it together, by either key or by words', async () => {
    for (const named of ['memory_key', 'memory_id', 'text']) {
      const { manager, call } = await workplace(open);
      const stored = await call('store_memory', {
        content: LONG,
        description: 'The plan for Fyn',
        type: 'decision',
      });
      await call('store_memory', { content: `See ${stored.placeholder}` });
      const what = named === 'text' ? { text: 'plan for Fyn' } : { memory_key: stored[named] };
      const preview = await call('forget_memory', { ...what, preview: true });
      const kinds = (preview.items as { kind: string }[]).map(({ kind }) => kind).sort();
      expect(kinds, named).toEqual(named === 'text' ? ['detail', 'memory', 'memory'] : ['detail', 'memory']);
      await call('forget_memory', what);
      for (const key of [stored.memory_key, stored.memory_id])
        expect((await call('retrieve_memory', { memory_key: key })).error, named).toMatch(
          /^There is no memory or detail with the key/,
        );
      const { memories } = await call('list_memories', {});
      expect(memories).toHaveLength(named === 'text' ? 0 : 1);
      await manager.close();
    }
  });

  it('list page by page, newest first', async () => {
    const { manager, call } = await workplace(open);
    for (let i = 0; i < 7; i++)
      await manager.addMemory('chat', { content: `Note ${i}`, timestamp: new Date(2026, 0, i + 1) });
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const page = await call('list_memories', { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.error).toBeUndefined();
      seen.push(...(page.memories as { summary: string }[]).map(({ summary }) => summary));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `Note ${i}`));
    expect((await call('list_memories', { within: '24h' })).note).toContain('Nothing was found');
    expect((await call('list_memories', { tags: ['none'] })).note).toMatch(/leave out tags.*search_memory/);
    await manager.close();
  });

  it('find a word anywhere in a long text, and hide nothing when few match', async () => {
    const { manager, call } = await workplace(open);
    const middle = `${LONG}\nthe word is xylophone\n${LONG}`;
    const { memory_key } = await call('store_memory', { content: middle, type: 'command_output' });
    const keysOf = async (query: string) =>
      ((await call('search_memory', { query })).results as { memory_key: string }[]).map(
        (one) => one.memory_key,
      );
    expect(await keysOf('xylophone')).toEqual([memory_key]);
    const stored = new Set<unknown>();
    for (let i = 0; i < 10; i++) {
      const content = `${'Something quite different comes first. '.repeat(i)}The zeppelin ${i} is grey`;
      stored.add((await call('store_memory', { content })).memory_key);
    }
    expect(new Set(await keysOf('zeppelin'))).toEqual(stored);
    expect((await call('search_memory', { query: 'walrus' })).note).toMatch(
      /Nothing was found\. Searched: memories and details in all conversations.*list_memories/,
    );
    await manager.close();
  });

  it('preview a forgetting in words, with what goes along and why, and forget by text', async () => {
    const { manager, call } = await workplace(open);
    await manager
      .as({ account_id: 'local', user_id: 'ada' })
      .archiveMessages('chat', [{ id: 'm1', role: 'user', content: 'I am allergic to peanuts' }]);
    const provenance = { message_id: 'm1' };
    await manager.addMemory('chat', { id: 'mem_nuts', content: 'Allergic to  Peanuts', provenance });
    await manager.addMemory('chat', { id: 'mem_tea', content: 'Drinks tea' });
    const preview = await call('forget_memory', { text: 'allergic to peanuts', preview: true });
    expect(preview.items).toEqual([
      {
        kind: 'memory',
        id: 'mem_nuts',
        session_id: 'chat',
        text: 'Allergic to Peanuts',
        reason: 'asked for',
      },
      {
        ...{ kind: 'message', id: 'm1', session_id: 'chat', text: 'I am allergic to peanuts' },
        reason: 'something being forgotten was taken from it, or it answers such a message',
      },
    ]);
    expect(await manager.getMemory('chat', 'mem_nuts')).not.toBeNull();
    expect(await call('forget_memory', { text: 'allergic to peanuts' })).toMatchObject({
      forgotten: true,
      pieces: 2,
    });
    expect(await manager.getMemory('chat', 'mem_nuts')).toBeNull();
    const none = await call('forget_memory', { text: 'drinks a lot of tea' });
    expect(none).toMatchObject({
      code: 'MEMORY_NOT_FOUND',
      nearest: [{ memory_key: 'mem_tea', summary: 'Drinks tea' }],
    });
    expect(await call('forget_memory', { text: 'walrus' })).toEqual({
      error: 'Nothing holds these words, and no memory comes close. Nothing was forgotten.',
      code: 'MEMORY_NOT_FOUND',
    });
    expect((await call('forget_memory', {})).error).toContain('either memory_key or text');
    expect(await manager.getMemory('chat', 'mem_tea')).not.toBeNull();
    await manager.close();
  });
});
