import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { STORES } from '../../test/open-stores.ts';
import { OPTIONAL_TOOL_NAMES, TOOL_NAMES } from '../core/tool-names.ts';
import { MemoryManager } from '../memory-manager.ts';
import { OPTIONAL_TOOLS, TOOLS, toolsNamed } from './index.ts';

const ALL_TOOLS = [...TOOLS, ...OPTIONAL_TOOLS];

it('come in a fixed order, with schemas that clients can read', () => {
  expect(TOOLS.map(({ name }) => name)).toEqual(TOOL_NAMES);
  expect(OPTIONAL_TOOLS.map(({ name }) => name)).toEqual(OPTIONAL_TOOL_NAMES);
  for (const tool of ALL_TOOLS) {
    const schema = z.toJSONSchema(tool.input) as { type?: string; properties?: object };
    expect(schema.type).toBe('object');
    expect(tool.description.length).toBeGreaterThan(20);
    expect(z.toJSONSchema(tool.output)).toHaveProperty('properties.error');
    expect(tool.annotations.openWorldHint).toBe(false);
  }
  expect(toolsNamed(['search_memory', 'save_to_core']).map(({ name }) => name)).toEqual([
    'save_to_core',
    'search_memory',
  ]);
});

it('have schemas in the words that every client knows', () => {
  for (const { name, input, output } of ALL_TOOLS) {
    for (const schema of [input, output]) {
      const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));
      expect(text, name).not.toMatch(/"prefixItems"|"items":(?:true|false)|"(?:not|if|\$ref)":/);
    }
  }
});

it('takes exactly the parameters of the contract', () => {
  const parameters = Object.fromEntries(TOOLS.map(({ name, input }) => [name, Object.keys(input.shape)]));
  expect(parameters.manage_long_term_memory).toEqual(['operation', 'content', 'section_header']);
  expect(parameters.save_to_journal).toEqual(['content']);
  expect(parameters.save_to_core).toEqual(['content']);
  expect(parameters.store_memory!.slice(0, 3)).toEqual(['content', 'description', 'type']);
  const storing = z.toJSONSchema(TOOLS.find(({ name }) => name === 'store_memory')!.input, { io: 'input' });
  expect(storing.required).toEqual(['content']);
  expect(parameters.search_memory!.slice(0, 2)).toEqual(['query', 'thread_id']);
});

describe.each(STORES)('on the %s store', (_name, open) => {
  it('searches by topic, type and time, and by how much matches', async () => {
    const manager = new MemoryManager({ store: open()(), semantic: false });
    await manager.createSession('ada', { session_id: 'chat' });
    const add = (text: string, more: object = {}) =>
      manager.addMemory('chat', { type: 'finding', content: { text }, ...more });
    for (let i = 0; i < 60; i++) await add(`Fact ${4300 + i}`);
    await add('Fact nine is about tea', { tags: ['drinks.tea'] });
    await add('Fact ten is about coffee', { type: 'preference', tags: ['Drinks'] });
    // Older than the others by a thousand half-lives, and still the answer.
    await add('Fact eleven is about whales', { timestamp: '2019-01-01T00:00:00.000Z' });
    const scope = await manager.as({ account_id: 'local', user_id: 'ada' }).toolScope('chat');
    await TOOLS.find(({ name }) => name === 'store_memory')!.run(
      { content: 'A log about tea', type: 'command_output' },
      scope,
    );
    const tool = TOOLS.find(({ name }) => name === 'search_memory')!;
    const search = async (input: object): Promise<unknown[]> => {
      const { results, error } = await tool.run(input as never, scope);
      expect(error).toBeUndefined();
      return (results as readonly { readonly summary: string }[]).map(({ summary }) => summary);
    };
    const [first, ...others] = await search({ query: 'Fact 4321' });
    expect(first).toBe('Fact 4321');
    expect(others).toHaveLength(9);
    expect(await search({ query: 'Fact 4321', min_match: 0.5 })).toEqual(['Fact 4321']);
    expect((await search({ query: 'Fact' })).length).toBe(10);
    expect(await search({ query: 'fact about whales' })).toContain('Fact eleven is about whales');
    expect((await search({ query: 'tea' })).length).toBe(2);
    expect(await search({ query: 'tea', tags: ['drinks'] })).toEqual(['Fact nine is about tea']);
    expect(await search({ query: 'fact about', tags: ['nothing', 'drinks'] })).toHaveLength(2);
    expect(await search({ query: 'fact about', types: ['preference'] })).toEqual([
      'Fact ten is about coffee',
    ]);
    expect(await search({ query: 'whales', within: '24h' })).not.toContain('Fact eleven is about whales');
    expect((await tool.run({ query: 'tea', within: 'xyzzy' } as never, scope)).error).toContain('last week');
    await manager.close();
  });

  it('takes one text for a list and numbers in texts, and refuses what means neither', async () => {
    const manager = new MemoryManager({ store: open()(), semantic: false });
    await manager.createSession('ada', { session_id: 'chat' });
    const scope = await manager.as({ account_id: 'local', user_id: 'ada' }).toolScope('chat');
    const call = (name: string, input: object) => TOOLS.find((tool) => tool.name === name)!.run(input, scope);
    const { memory_key } = await call('store_memory', { content: 'The office is in Oslo', tags: 'work' });
    const moved = { content: 'The office is in Bergen', replaces: memory_key, importance: '0.7' };
    const { memory_key: newer } = await call('store_memory', moved);
    const listed = await call('list_memories', { limit: '3', types: 'finding' });
    expect(listed).toMatchObject({ memories: [{ memory_key: newer }] });
    expect(listed.memories).toHaveLength(1);
    expect(await manager.getMemory('chat', String(newer))).toMatchObject({ importance: 0.7 });
    expect(await call('list_memories', { tags: 'work' })).toMatchObject({ memories: [] });
    for (const [field, value, problem] of [
      ['limit', 'many', 'must be a number'],
      ['limit', '', 'must be a number'],
      ['limit', '2.5', 'must be a whole number'],
      ['limit', true, 'must be a number'],
      ['tags', ' ', 'must be a list'],
      ['tags', 5, 'must be a list'],
      ['types', [5], 'must be a text'],
    ] as const)
      expect((await call('list_memories', { [field]: value })).error).toContain(problem);
    expect(await call('list_memories', { toString: 'x' })).toMatchObject({ code: 'INVALID_INPUT' });
    await manager.close();
  });

  it('goes on in a new session when one is full', async () => {
    const manager = new MemoryManager({
      store: open()(),
      config: { storage: { max_session_size_mb: 0.01, auto_compact: false } },
    });
    await manager.createSession('ada', { session_id: 'chat' });
    const scope = await manager.as({ account_id: 'local', user_id: 'ada' }).toolScope('chat');
    const tool = TOOLS.find(({ name }) => name === 'store_memory')!;
    const sessions = new Set<unknown>();
    const keys: string[] = [];
    for (let i = 0; i < 30; i++) {
      const result = await tool.run({ content: `${i} ${'x'.repeat(700)}`, type: 'finding' }, scope);
      expect(result.error).toBeUndefined();
      sessions.add(result.session_id);
      keys.push(String(result.memory_key));
    }
    expect(sessions.size).toBeGreaterThan(1);
    expect([...sessions].slice(0, 2)).toEqual(['chat', 'chat--2']);
    const retrieve = TOOLS.find(({ name }) => name === 'retrieve_memory')!;
    for (const key of keys) expect((await retrieve.run({ memory_key: key }, scope)).error).toBeUndefined();
    expect(sessions.size).toBeGreaterThan(2);
    await manager.createSession('ada', { session_id: 'asking' });
    await manager.deleteSession('chat');
    const asking = await manager.as({ account_id: 'local', user_id: 'ada' }).toolScope('asking');
    for (const key of keys) expect((await retrieve.run({ memory_key: key }, asking)).error).toBeDefined();
    expect((await manager.listSessions('ada')).map(({ id }) => id)).toContain('chat--2');
    await manager.close();
  });
});
