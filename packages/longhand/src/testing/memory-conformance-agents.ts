import assert from 'node:assert/strict';
import { TOOL_NAMES } from '../core/tool-names.ts';
import { rejectsWith } from './conformance-records.ts';
import type { WithMemory } from './memory-conformance.ts';

/** Who remembers: settings, counts, and what goes with an agent. */
export function agentsConformance(withMemory: WithMemory): void {
  withMemory('keeps everything that an agent is given', async ({ layers, openAnother }) => {
    const settings = {
      name: 'Ada / “scout” 🦆',
      system_prompt: 'Be brief.',
      model_id: 'provider/model-1',
      model_label: 'Model 1',
      enabled_tools: ['save_to_core', 'search_memory'],
      active: false,
      colour: '#336699',
      icon: '🦆',
    };
    const created = await layers.agents.create(settings);
    for (const [key, value] of Object.entries(settings)) {
      assert.deepEqual(created[key as keyof typeof created], value, key);
    }
    assert.equal(created.id, settings.name);
    const other = await openAnother();
    assert.deepEqual(await other.layers.agents.get(settings.name), created);
    assert.deepEqual(await other.layers.agents.list(), [created]);
  });

  withMemory('gives an agent without settings all tools, and has it active', async ({ layers }) => {
    const agent = await layers.agents.ensure('scout');
    assert.deepEqual(agent.enabled_tools, [...TOOL_NAMES, '*']);
    assert.equal(agent.active, true);
    assert.equal(agent.system_prompt, null);
    assert.deepEqual(await layers.agents.ensure('scout'), agent);
  });

  withMemory('changes what is named and leaves the rest', async ({ layers, clock, openAnother }) => {
    await layers.agents.create({ name: 'scout', system_prompt: 'Be brief.', colour: 'red' });
    clock.advance(1_000);
    const updated = await layers.agents.update('scout', { colour: null, active: false });
    assert.equal(updated.system_prompt, 'Be brief.');
    assert.deepEqual([updated.colour, updated.active], [null, false]);
    assert.ok(updated.updated_at > updated.created_at);
    assert.deepEqual(await (await openAnother()).layers.agents.get('scout'), updated);
  });

  withMemory('has one agent of a name, whose name stays', async ({ layers, openAnother }) => {
    await layers.agents.create({ name: 'scout' });
    const other = await openAnother();
    await rejectsWith('AGENT_EXISTS', () => other.layers.agents.create({ name: 'scout' }));
    await rejectsWith('INVALID_OPTION', () => layers.agents.update('scout', { name: 'spy' }));
    await rejectsWith('AGENT_NOT_FOUND', () => layers.agents.get('unknown'));
    await rejectsWith('INVALID_OPTION', () =>
      layers.agents.create({ name: 'x', enabled_tools: ['no_such_tool'] }),
    );
  });

  withMemory('makes one agent when several ask for it at once', async ({ layers, openAnother }) => {
    const other = await openAnother();
    const asking = [layers, other.layers, layers, other.layers].map((each) => each.agents.ensure('scout'));
    assert.equal(new Set((await Promise.all(asking)).map(({ created_at }) => created_at)).size, 1);
    assert.equal((await layers.agents.list()).length, 1);
  });

  withMemory('counts core and journal apart, expired ones too', async ({ layers, clock, openAnother }) => {
    await layers.agents.ensure('scout');
    await layers.journal.save('scout', 'core', 'one');
    await layers.journal.save('scout', 'journal', 'two');
    await layers.journal.save('scout', 'journal', 'three');
    clock.advance(30 * 86_400_000);
    const { agents } = (await openAnother()).layers;
    assert.deepEqual((await agents.get('scout')).memories_count, { core: 1, journal: 2 });
  });

  withMemory('deletes an agent with all its memories and notes', async ({ layers, openAnother }) => {
    for (const name of ['scout', 'guide']) {
      await layers.agents.ensure(name);
      await layers.journal.save(name, 'core', `quokkabelief of ${name}`);
      await layers.notes.apply('ada', name, { operation: 'overwrite', content: `quokkanote of ${name}` });
    }
    const other = await openAnother();
    assert.equal((await other.layers.journal.list('scout')).length, 1);
    assert.equal(await layers.agents.delete('scout'), true);
    assert.equal(await layers.agents.delete('scout'), false);
    await rejectsWith('AGENT_NOT_FOUND', () => other.layers.journal.list('scout'));
    assert.equal((await other.layers.journal.list('guide')).length, 1);
    const words = ['quokkabelief of scout', 'quokkanote of scout'];
    assert.equal((await layers.privacy.verifyErased(words)).isErased, true);
    await layers.agents.create({ name: 'scout' });
    assert.equal((await other.layers.notes.read('ada', 'scout')).text, '');
    assert.equal((await other.layers.notes.read('ada', 'guide')).text, 'quokkanote of guide');
    assert.deepEqual(await other.layers.journal.list('scout'), []);
  });
}
