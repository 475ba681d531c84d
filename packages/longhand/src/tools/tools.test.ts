import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OpenedStore, openStores } from '../../test/open-stores.ts';
import { TOOL_NAMES } from '../core/tool-names.ts';
import { MemoryManager } from '../memory-manager.ts';
import { FakeClock } from '../testing/index.ts';
import { TOOLS, toolsNamed } from './index.ts';
import type { ToolResult } from './tool.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const opened: OpenedStore[] = [];
afterEach(async () => {
  for (const { dispose } of opened.splice(0)) await dispose();
});

it('are seven, in a fixed order, with schemas that clients can read', () => {
  expect(TOOLS.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  for (const tool of TOOLS) {
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

it('takes exactly the parameters of the contract', () => {
  const parameters = Object.fromEntries(TOOLS.map(({ name, input }) => [name, Object.keys(input.shape)]));
  expect(parameters.manage_long_term_memory).toEqual(['operation', 'content', 'section_header']);
  expect(parameters.save_to_journal).toEqual(['content']);
  expect(parameters.save_to_core).toEqual(['content']);
  expect(parameters.store_memory).toEqual(['content', 'description', 'type']);
  expect(parameters.search_memory!.slice(0, 2)).toEqual(['query', 'thread_id']);
});

describe.each(openStores)('on the %s store', (_name, open) => {
  async function setUp() {
    const store = open();
    opened.push(store);
    const clock = new FakeClock(NOW);
    const manager = new MemoryManager({ store: store.store, clock });
    await manager.createSession('ada', { session_id: 'chat' });
    await manager.createSession('bob', { session_id: 'other' });
    const call = async (
      name: (typeof TOOL_NAMES)[number],
      input: unknown,
      principal: { user_id?: string; agent_id?: string } = { user_id: 'ada', agent_id: 'scout' },
      sessionId: string | undefined = 'chat',
    ): Promise<ToolResult> => {
      const scope = await manager
        .as({ account_id: 'local', ...principal })
        .toolScope(principal.user_id === undefined ? undefined : sessionId);
      return TOOLS.find((tool) => tool.name === name)!.run(input, scope);
    };
    return { manager, call, clock };
  }

  it('saves to the journal and says when the entry fades', async () => {
    const { manager, call } = await setUp();
    expect(await call('save_to_journal', { content: '  Today I learned something ' })).toMatchObject({
      success: true,
      memory_type: 'journal',
      content: 'Today I learned something',
      expires_around: '2026-03-09',
    });
    const { agents } = await manager.layers();
    expect((await agents.get('scout')).memories_count).toEqual({ core: 0, journal: 1 });
    await manager.close();
  });

  it('saves to the core', async () => {
    const { manager, call } = await setUp();
    expect(await call('save_to_core', { content: 'I am helpful' })).toMatchObject({
      success: true,
      memory_type: 'core',
      note: 'This memory is now part of your permanent identity',
    });
    await manager.close();
  });

  it('refuses what the contract refuses, in its words', async () => {
    const { manager, call } = await setUp();
    for (const name of ['save_to_journal', 'save_to_core'] as const) {
      const noAgent = await call(name, { content: 'x' }, { user_id: 'ada' });
      expect(noAgent.error).toBe('This tool only works in group conversations');
      expect((await call(name, { content: '   ' })).error).toBe('Content cannot be blank');
      expect((await call(name, { content: 'x'.repeat(10_001) })).error).toBe(
        'Content too long (max 10,000 characters)',
      );
      expect((await call(name, {})).error).toContain('content');
    }
    await manager.close();
  });

  it('reads and edits notes; what an operation needs and does not get is an error', async () => {
    const { manager, call } = await setUp();
    expect(await call('manage_long_term_memory', {})).toEqual({ operation: 'read', notes: '', version: 0 });
    await call('manage_long_term_memory', { operation: 'overwrite', content: '# Likes\n\ntea\n' });
    const appended = await call('manage_long_term_memory', {
      operation: 'append',
      content: '# Home\n\nParis\n',
    });
    expect(appended.notes).toContain('Paris');
    const replaced = await call('manage_long_term_memory', {
      operation: 'replace_section_by_header',
      section_header: 'Likes',
      content: 'coffee',
    });
    expect(replaced.notes).toContain('coffee');
    expect(replaced.notes).not.toContain('tea');
    expect((await call('manage_long_term_memory', { operation: 'append' })).code).toBe('INVALID_OPTION');
    const noHeader = await call('manage_long_term_memory', { operation: 'delete_section_by_header' });
    expect(noHeader.code).toBe('INVALID_OPTION');
    expect((await call('manage_long_term_memory', { operation: 'burn' })).code).toBe('INVALID_INPUT');
    expect((await call('manage_long_term_memory', {}, { user_id: 'ada' })).code).toBe('SCOPE_MISSING');
    await manager.close();
  });

  it('stores, finds, retrieves and forgets a memory', async () => {
    const { manager, call } = await setUp();
    const stored = await call('store_memory', { content: 'The launch is in May', type: 'decision' });
    expect(stored.memory_key).toMatch(/^mem_/);
    const found = await call('search_memory', { query: 'when is the launch?' });
    expect(found.results).toMatchObject([{ memory_key: stored.memory_key, summary: 'The launch is in May' }]);
    const retrieved = await call('retrieve_memory', { id: stored.memory_key });
    expect(retrieved).toMatchObject({ content: 'The launch is in May', trust: 'agent' });
    const preview = await call('forget_memory', { memory_key: stored.memory_key, preview: true });
    expect(preview).toMatchObject({ success: false, pieces: 1, receipt_id: null });
    expect(await call('forget_memory', { memory_key: stored.memory_key })).toMatchObject({ success: true });
    expect((await call('retrieve_memory', { memory_key: stored.memory_key })).error).toBeDefined();
    expect((await call('forget_memory', { memory_key: stored.memory_key })).code).toBe('MEMORY_NOT_FOUND');
    await manager.close();
  });

  it('keeps any other type whole, behind a placeholder', async () => {
    const { manager, call } = await setUp();
    const log = Array.from({ length: 500 }, (_, i) => `line ${i + 1} of the build`).join('\n');
    const stored = await call('store_memory', {
      content: log,
      description: 'Output of the build',
      type: 'command_output',
    });
    expect(stored.placeholder).toBe(`[MemoryRef: ${stored.memory_key} - Output of the build]`);
    const lines = await call('retrieve_memory', { memory_key: stored.memory_key, lines: [42, 43] });
    expect(lines.content).toContain('line 42 of the build');
    const found = await call('search_memory', { query: 'build output' });
    expect(found.results).toMatchObject([{ memory_key: stored.memory_key }]);
    expect((await call('store_memory', { content: 'x', type: 'journal' })).code).toBe('INVALID_OPTION');
    expect((await call('store_memory', { content: 'x', type: 'core' })).code).toBe('INVALID_OPTION');
    await manager.close();
  });

  it('never reaches what belongs to another user', async () => {
    const { manager, call } = await setUp();
    const bob = { user_id: 'bob', agent_id: 'scout' };
    const memory = await call('store_memory', { content: 'secret plan', type: 'finding' }, bob, 'other');
    const detail = await call('store_memory', { content: 'secret log', type: 'log' }, bob, 'other');
    for (const key of [memory.memory_key, detail.memory_key]) {
      expect((await call('retrieve_memory', { memory_key: key })).error).toBeDefined();
      expect((await call('forget_memory', { memory_key: key })).error).toBeDefined();
      expect((await call('retrieve_memory', { memory_key: key }, bob, 'other')).content).toContain('secret');
    }
    expect((await call('search_memory', { query: 'secret' })).results).toEqual([]);
    expect((await call('search_memory', { query: 'secret', thread_id: 'other' })).code).toBe(
      'SESSION_NOT_FOUND',
    );
    await manager.close();
  });

  it('goes on in a new session when one is full', async () => {
    const store = open();
    opened.push(store);
    const manager = new MemoryManager({
      store: store.store,
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
    expect([...sessions].slice(0, 2)).toEqual(['chat', 'chat-2']);
    const retrieve = TOOLS.find(({ name }) => name === 'retrieve_memory')!;
    for (const key of keys) expect((await retrieve.run({ memory_key: key }, scope)).error).toBeUndefined();
    await manager.close();
  });
});
