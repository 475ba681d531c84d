import { describe, expect, test } from 'vitest';
import { type AgentDesk, DAY_MS, NOW, openDesk } from '../../../test/agents-fixture.ts';
import { STORES } from '../../../test/open-stores.ts';
import type { AgentMemoryType } from '../../core/agent-memory.ts';
import type { LogStore } from '../../core/store.ts';
import type { ListOptions, SaveOptions } from './journal.ts';

const AGENT = 'ada';
const NOW_MS = Date.parse(NOW);
const ago = (ms: number): Date => new Date(NOW_MS - ms);
const FORTNIGHT = { timestamp: ago(14 * DAY_MS) };

async function open(store: LogStore): Promise<AgentDesk> {
  const desk = openDesk(store);
  await desk.agents.create({ name: AGENT });
  return desk;
}

describe.each(STORES)('journal and core on %s', (_, newStore) => {
  test('a memory is saved, trimmed, and says who wrote it', async () => {
    const { journal, events } = await open(newStore()());
    const memory = await journal.save(AGENT, 'journal', '  Met a user \n');
    expect(memory).toEqual({
      id: expect.stringMatching(/^amem_[0-9A-Z]{26}$/),
      agent_id: AGENT,
      memory_type: 'journal',
      content: 'Met a user',
      created_at: NOW,
      updated_at: NOW,
      pinned: false,
      share_memory: true,
      expired: false,
      provenance: { author: 'assistant', trust: 'agent', agent_id: AGENT },
    });
    expect(await journal.get(AGENT, memory.id)).toEqual(memory);
    expect(await journal.save(AGENT, 'core', 'I am helpful')).toMatchObject({
      memory_type: 'core',
      expired: false,
    });
    const byUser = await journal.save(AGENT, 'core', 'x', { provenance: { author: 'user' } });
    expect(byUser.provenance).toEqual({ author: 'user', trust: 'owner' });
    expect(events.filter(({ kind }) => kind === 'agent-memories-changed')).toHaveLength(3);
  });

  test('a memory that brings its id is saved once', async () => {
    const { journal } = await open(newStore()());
    const first = await journal.save(AGENT, 'journal', 'Met a user', { id: 'amem_1' });
    expect(await journal.save(AGENT, 'journal', 'Met a user', { id: 'amem_1' })).toEqual(first);
    expect(await journal.list(AGENT)).toEqual([first]);
    await expect(journal.save(AGENT, 'journal', 'x', { id: 'no id' })).rejects.toMatchObject({
      code: 'INVALID_ID',
    });
  });

  test.each<[string, unknown, unknown, SaveOptions, object]>([
    ['blank', 'journal', ' \n\t ', {}, { code: 'INVALID_CONTENT', message: 'Content cannot be blank' }],
    [
      'too long',
      'core',
      '🧠'.repeat(10_001),
      {},
      { code: 'CONTENT_TOO_LARGE', message: 'Content too long (max 10,000 characters)' },
    ],
    ['no text', 'core', 7, {}, { code: 'INVALID_CONTENT' }],
    ['half a character', 'core', 'a\ud800b', {}, { code: 'INVALID_TEXT' }],
    ['of another type', 'detail', 'x', {}, { code: 'INVALID_ENTRY' }],
    ['from no time', 'core', 'x', { timestamp: 'yesterday' }, { code: 'INVALID_TIMESTAMP' }],
    ['from a far time', 'core', 'x', { timestamp: new Date(8.64e15) }, { code: 'INVALID_TIMESTAMP' }],
    ['by a stranger', 'core', 'x', { provenance: { author: 'me' } as never }, { code: 'INVALID_ENTRY' }],
    ['with another option', 'core', 'x', { pinned: true } as never, { code: 'INVALID_OPTION' }],
  ])('a memory is refused when it is %s', async (__, type, content, options, error) => {
    const { journal } = await open(newStore()());
    const saving = journal.save(AGENT, type as AgentMemoryType, content as string, options);
    await expect(saving).rejects.toMatchObject(error);
    expect(await journal.list(AGENT)).toEqual([]);
  });

  test('ten thousand characters fit, whatever their bytes, after trimming', async () => {
    const { journal } = await open(newStore()());
    const { content } = await journal.save(AGENT, 'core', ` ${'🧠'.repeat(10_000)} `);
    expect([...content]).toHaveLength(10_000);
    expect((await journal.list(AGENT))[0]!.content).toBe(content);
  });

  test('a journal entry leaves the prompt after seven days to the millisecond, and stays readable', async () => {
    const { journal, clock } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'journal', 'a week');
    const { id: permanent } = await journal.save(AGENT, 'core', 'for ever', { timestamp: '2020-01-01' });
    clock.advance(7 * DAY_MS);
    expect((await journal.get(AGENT, id)).expired).toBe(false);
    expect((await journal.forPrompt(AGENT, clock.now())).journal.map((memory) => memory.id)).toEqual([id]);
    clock.advance(1);
    expect((await journal.get(AGENT, id)).expired).toBe(true);
    const { core, journal: recent } = await journal.forPrompt(AGENT, clock.now());
    expect([core.map((memory) => memory.id), recent]).toEqual([[permanent], []]);
    expect((await journal.forPrompt(AGENT, clock.now() - 1)).journal).toHaveLength(1);
    expect((await journal.list(AGENT)).map(({ expired }) => expired)).toEqual([true, false]);
  });

  test('the block is null without memories, and with expired ones only', async () => {
    const { journal } = await open(newStore()());
    expect(await journal.memoryContext(AGENT, NOW_MS)).toBeNull();
    await journal.save(AGENT, 'journal', 'Old news', FORTNIGHT);
    expect(await journal.memoryContext(AGENT, NOW_MS)).toBeNull();
  });

  test('the block holds core and recent journal, oldest first, with the days in UTC', async () => {
    const { journal } = await open(newStore()());
    await journal.save(AGENT, 'journal', 'today');
    await journal.save(AGENT, 'journal', 'evening', { timestamp: '2026-01-08T23:30:00-05:00' });
    await journal.save(AGENT, 'journal', 'long ago', FORTNIGHT);
    await journal.save(AGENT, 'core', 'young');
    await journal.save(AGENT, 'core', 'old', { timestamp: '2020-05-05' });
    expect(await journal.memoryContext(AGENT, NOW_MS)).toBe(
      '# Your Private Memory\n\n' +
        '## Core Memories (permanent)\n- old\n- young\n\n' +
        '## Recent Journal Entries\n- [2026-01-09] evening\n- [2026-01-10] today',
    );
  });

  test('lists are newest first, and narrow by type, number and expiry', async () => {
    const { journal } = await open(newStore()());
    await journal.save(AGENT, 'journal', 'old', FORTNIGHT);
    for (const content of ['a', 'b', 'c']) await journal.save(AGENT, 'journal', content);
    await journal.save(AGENT, 'core', 'self', { timestamp: ago(1) });
    const contents = async (options?: ListOptions): Promise<string[]> =>
      (await journal.list(AGENT, options)).map(({ content }) => content);
    expect(await contents()).toEqual(['c', 'b', 'a', 'self', 'old']);
    expect(await contents({ type: 'journal', includeExpired: false })).toEqual(['c', 'b', 'a']);
    expect(await contents({ type: 'core' })).toEqual(['self']);
    expect(await contents({ limit: 2 })).toEqual(['c', 'b']);
    await expect(contents({ limit: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(contents({ type: 'all' as never })).rejects.toMatchObject({ code: 'INVALID_ENTRY' });
  });

  test('an edit keeps the text before, and an edit without a change nothing', async () => {
    const { journal, clock } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'journal', 'one');
    expect(await journal.history(AGENT, id)).toEqual([]);
    clock.advance(1_000);
    expect(await journal.edit(AGENT, id, ' two ')).toMatchObject({
      id,
      content: 'two',
      created_at: NOW,
      updated_at: '2026-01-10T14:00:01.000Z',
    });
    await journal.edit(AGENT, id, 'two');
    await journal.pin(AGENT, id, true);
    clock.advance(1_000);
    await journal.edit(AGENT, id, 'three');
    expect(await journal.history(AGENT, id)).toEqual([
      { content: 'one', replaced_at: '2026-01-10T14:00:01.000Z' },
      { content: 'two', replaced_at: '2026-01-10T14:00:02.000Z' },
    ]);
    expect((await journal.export(AGENT))[0]).toMatchObject({ content: 'three', history: [{}, {}] });
    await expect(journal.edit(AGENT, id, ' ')).rejects.toMatchObject({ message: 'Content cannot be blank' });
  });

  test('the twenty latest texts are kept', async () => {
    const { journal } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'core', 'text 0');
    for (let i = 1; i <= 25; i++) await journal.edit(AGENT, id, `text ${i}`);
    const history = await journal.history(AGENT, id);
    expect(history.map(({ content }) => content)).toEqual(
      Array.from({ length: 20 }, (__, i) => `text ${i + 5}`),
    );
  });

  test('a pinned journal entry stays in the prompt, and unpinned it is as old as it is', async () => {
    const { journal, events } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'journal', 'keep this', FORTNIGHT);
    expect(await journal.pin(AGENT, id, true)).toMatchObject({ pinned: true, expired: false });
    await journal.pin(AGENT, id, true);
    expect(await journal.memoryContext(AGENT, NOW_MS)).toContain('- [2025-12-27] keep this');
    expect(await journal.pin(AGENT, id, false)).toMatchObject({ pinned: false, expired: true });
    expect(await journal.memoryContext(AGENT, NOW_MS)).toBeNull();
    expect(events.filter(({ kind }) => kind === 'agent-memories-changed')).toHaveLength(3);
    await expect(journal.pin(AGENT, id, 'yes' as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('a journal entry moves to the core with its id, its time and its history', async () => {
    const { journal, agents } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'journal', 'observed', FORTNIGHT);
    await journal.edit(AGENT, id, 'learned');
    const moved = await journal.moveToCore(AGENT, id);
    expect(moved).toMatchObject({ id, memory_type: 'core', expired: false });
    expect(moved.created_at).toBe(FORTNIGHT.timestamp.toISOString());
    expect(await journal.moveToCore(AGENT, id)).toEqual(moved);
    expect(await journal.history(AGENT, id)).toHaveLength(1);
    expect((await agents.get(AGENT)).memories_count).toEqual({ core: 1, journal: 0 });
    expect(await journal.memoryContext(AGENT, NOW_MS)).toContain('(permanent)\n- learned');
  });

  test('a deleted memory is gone from every reading', async () => {
    const { journal, agents } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'core', 'gone');
    expect(await journal.delete(AGENT, id)).toBe(true);
    expect(await journal.delete(AGENT, id)).toBe(false);
    expect([await journal.list(AGENT), await journal.find(AGENT, id)]).toEqual([[], undefined]);
    expect((await agents.get(AGENT)).memories_count).toEqual({ core: 0, journal: 0 });
    for (const tried of [
      journal.get(AGENT, id),
      journal.edit(AGENT, id, 'back'),
      journal.pin(AGENT, id, true),
      journal.moveToCore(AGENT, id),
      journal.history(AGENT, id),
      journal.share(AGENT, id, true),
    ]) {
      await expect(tried).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    }
  });

  test('nothing is saved for an agent that was never created', async () => {
    const { journal, agents } = openDesk(newStore()());
    await expect(journal.save('unknown', 'core', 'x')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(journal.memoryContext('unknown', NOW_MS)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    expect(await agents.list()).toEqual([]);
  });

  test('an id of another agent’s memory is unknown', async () => {
    const { journal, agents } = await open(newStore()());
    await agents.create({ name: 'eve' });
    const { id } = await journal.save(AGENT, 'core', 'private');
    for (const tried of [
      () => journal.get('eve', id),
      () => journal.edit('eve', id, 'mine now'),
      () => journal.pin('eve', id, true),
      () => journal.moveToCore('eve', id),
      () => journal.history('eve', id),
    ]) {
      await expect(tried()).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    }
    expect(await journal.delete('eve', id)).toBe(false);
    expect(await journal.forget('eve', [id])).toBe(0);
    expect(await journal.forget('eve', 'all')).toBe(0);
    expect(await journal.memoryContext('eve', NOW_MS)).toBeNull();
    expect(await journal.get(AGENT, id)).toMatchObject({ content: 'private', pinned: false });
  });
});
