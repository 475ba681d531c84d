import { describe, expect, test } from 'vitest';
import { openDesk } from '../../../test/agents-fixture.ts';
import { openFiles, STORES } from '../../../test/open-stores.ts';
import { LIMITS } from '../../core/limits.ts';
import { TOOL_NAMES } from '../../core/tool-names.ts';
import type { AgentSettings } from './agents.ts';

const CREATED = '2026-01-10T14:00:00.000Z';

describe.each(STORES)('agents on %s', (_, newStore) => {
  test('have what they were given, and defaults for the rest', async () => {
    const { agents, events } = openDesk(newStore()());
    const given = {
      name: 'Ada / research',
      system_prompt: 'You study engines.',
      model_id: 'vendor/model-1',
      model_label: 'Model 1',
      enabled_tools: ['save_to_journal', 'save_to_core', 'save_to_journal'],
      active: false,
      colour: 'teal',
      icon: 'Brain',
    };
    const agent = await agents.create(given);
    expect(agent).toEqual({
      ...given,
      share_memory: false,
      id: 'Ada / research',
      enabled_tools: ['save_to_journal', 'save_to_core'],
      created_at: CREATED,
      updated_at: CREATED,
      memories_count: { core: 0, journal: 0 },
    });
    expect(await agents.get('Ada / research')).toEqual(agent);
    expect(await agents.create({ name: 'plain' })).toEqual({
      id: 'plain',
      name: 'plain',
      share_memory: false,
      system_prompt: null,
      model_id: null,
      model_label: null,
      enabled_tools: [...TOOL_NAMES, '*'],
      active: true,
      colour: null,
      icon: null,
      created_at: CREATED,
      updated_at: CREATED,
      memories_count: { core: 0, journal: 0 },
    });
    expect((await agents.list()).map(({ id }) => id)).toEqual(['Ada / research', 'plain']);
    expect(events.filter(({ kind }) => kind === 'agent-created')).toHaveLength(2);
  });

  test('have a name of their own', async () => {
    const { agents } = openDesk(newStore()());
    await agents.create({ name: 'ada', system_prompt: 'the first' });
    await expect(agents.create({ name: 'ada' })).rejects.toMatchObject({ code: 'AGENT_EXISTS' });
    expect((await agents.get('ada')).system_prompt).toBe('the first');
    const tries = await Promise.allSettled(['bob', 'bob', 'bob'].map((name) => agents.create({ name })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['no name', {}, 'INVALID_NAME'],
    ['a blank name', { name: '  ' }, 'INVALID_NAME'],
    ['an unknown tool', { name: 'a', enabled_tools: ['save_to_journal', 'rm'] }, 'INVALID_OPTION'],
    ['tools that are no list', { name: 'a', enabled_tools: 'save_to_core' }, 'INVALID_OPTION'],
    ['an unknown setting', { name: 'a', color: 'red' }, 'INVALID_OPTION'],
    ['a number as a colour', { name: 'a', colour: 3 }, 'INVALID_OPTION'],
    ['a long colour', { name: 'a', colour: 'x'.repeat(LIMITS.colourCharacters + 1) }, 'INVALID_OPTION'],
    ['a long icon', { name: 'a', icon: '🧠'.repeat(LIMITS.iconCharacters + 1) }, 'INVALID_OPTION'],
    ['active in words', { name: 'a', active: 'yes' }, 'INVALID_OPTION'],
    ['a prompt with NUL', { name: 'a', system_prompt: 'a\0b' }, 'INVALID_TEXT'],
  ])('are refused with %s', async (__, settings, code) => {
    const { agents } = openDesk(newStore()());
    await expect(agents.create(settings as AgentSettings)).rejects.toMatchObject({ code });
    expect(await agents.list()).toEqual([]);
  });

  test('are refused when they are no object', async () => {
    const { agents } = openDesk(newStore()());
    for (const settings of [null, 'ada', []]) {
      await expect(agents.create(settings as unknown as AgentSettings)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
    }
  });

  test('change in what is named, and keep the rest', async () => {
    const { agents, clock, events } = openDesk(newStore()());
    await agents.create({ name: 'ada', system_prompt: 'one', colour: 'teal', enabled_tools: [] });
    clock.advance(1_000);
    const changed = await agents.update('ada', { system_prompt: 'two', active: false });
    expect(changed).toMatchObject({ system_prompt: 'two', active: false, colour: 'teal', enabled_tools: [] });
    expect(changed).toMatchObject({ created_at: CREATED, updated_at: '2026-01-10T14:00:01.000Z' });
    expect(await agents.update('ada', { system_prompt: null })).toMatchObject({ system_prompt: null });
    clock.advance(1_000);
    // The same again is no change.
    const same = await agents.update('ada', { active: false, name: 'ada' });
    expect(same.updated_at).toBe('2026-01-10T14:00:01.000Z');
    expect(events.filter(({ kind }) => kind === 'agent-updated')).toHaveLength(2);
    await expect(agents.update('ada', { name: 'bob' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(agents.update('bob', { active: true })).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });

  test('from before lists of tools were exact keep the tools of other programs', async () => {
    const desk = openDesk(newStore()());
    const old = async (id: string, enabled_tools: readonly string[]): Promise<readonly string[]> => {
      const record = { schema_version: 1, record: 'agent', agent_id: id, timestamp: CREATED, enabled_tools };
      await desk.store.append({ kind: 'agent', id }, [JSON.stringify(record)], { create: 'new' });
      return (await desk.agents.get(id)).enabled_tools;
    };
    expect(await old('all', TOOL_NAMES)).toEqual([...TOOL_NAMES, '*']);
    expect(await old('few', ['save_to_core'])).toEqual(['save_to_core', '*']);
    expect(await old('none', [])).toEqual(['*']);
    expect(await old('chosen', ['files_read'])).toEqual(['files_read']);
    await desk.agents.update('few', { colour: 'red' });
    expect((await desk.agents.get('few')).enabled_tools).toEqual(['save_to_core', '*']);
    await desk.agents.update('few', { enabled_tools: ['save_to_core'] });
    expect((await desk.agents.get('few')).enabled_tools).toEqual(['save_to_core']);
    await expect(desk.agents.update('few', { enabled_tools: ['file_read'] })).rejects.toThrow(
      'enabled_tools names "file_read", and there is no such tool; there are: manage_long_term_memory,',
    );
  });

  test('are made when they are needed, once', async () => {
    const { agents, events } = openDesk(newStore()());
    const made = await Promise.all(['default', 'default', 'default'].map((id) => agents.ensure(id)));
    expect(new Set(made.map((agent) => JSON.stringify(agent))).size).toBe(1);
    await agents.update('default', { colour: 'red' });
    expect((await agents.ensure('default')).colour).toBe('red');
    expect(events.filter(({ kind }) => kind === 'agent-created')).toHaveLength(1);
    await expect(agents.ensure('')).rejects.toMatchObject({ code: 'INVALID_NAME' });
  });

  test('are counted with all their memories, expired ones too', async () => {
    const { agents, journal } = openDesk(newStore()());
    await agents.create({ name: 'ada' });
    await journal.save('ada', 'core', 'one');
    await journal.save('ada', 'journal', 'two', { timestamp: '2025-01-01' });
    await journal.save('ada', 'journal', 'three');
    expect((await agents.get('ada')).memories_count).toEqual({ core: 1, journal: 2 });
  });

  test('go with their memories, and come back without', async () => {
    const { agents, journal, events } = openDesk(newStore()());
    await agents.create({ name: 'ada' });
    await agents.create({ name: 'bob' });
    const { id } = await journal.save('ada', 'core', 'private');
    await journal.save('bob', 'core', 'of bob');
    expect(await agents.delete('ada')).toBe(true);
    expect(await agents.delete('ada')).toBe(false);
    expect(events.filter(({ kind }) => kind === 'agent-deleted')).toHaveLength(1);
    expect(await agents.find('ada')).toBeUndefined();
    await expect(agents.get('ada')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(journal.list('ada')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(journal.save('ada', 'core', 'again')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(journal.forget('ada', 'all')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await agents.create({ name: 'ada' });
    expect(await journal.list('ada')).toEqual([]);
    expect(await journal.find('ada', id)).toBeUndefined();
    expect(await journal.list('bob')).toHaveLength(1);
  });
});

test('what one process creates, changes and deletes, another sees', async () => {
  const first = openFiles();
  const one = openDesk(first);
  const two = openDesk(openFiles(first.root));
  await one.agents.create({ name: 'ada' });
  expect((await two.agents.update('ada', { colour: 'red' })).colour).toBe('red');
  expect((await one.agents.get('ada')).colour).toBe('red');
  await two.agents.delete('ada');
  expect(await one.agents.find('ada')).toBeUndefined();
});
