import assert from 'node:assert/strict';
import { rejectsWith } from './conformance-records.ts';
import { DAY_MS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

/** An agent's private memories: what fades, what stays, and who sees them. */
export function journalConformance(withMemory: WithMemory): void {
  const withAgent: WithMemory = (title, work, options) =>
    withMemory(
      title,
      async (scene) => {
        await scene.layers.agents.ensure('scout');
        await work(scene);
      },
      options,
    );

  withAgent('keeps journal and core, trimmed', async ({ layers, openAnother }) => {
    const journal = await layers.journal.save('scout', 'journal', '  met Ada \n');
    const core = await layers.journal.save('scout', 'core', 'I am careful');
    assert.deepEqual([journal.content, journal.memory_type, journal.expired], ['met Ada', 'journal', false]);
    assert.deepEqual([core.memory_type, core.expired], ['core', false]);
    const { journal: other } = (await openAnother()).layers;
    assert.deepEqual(await other.get('scout', journal.id), journal);
    assert.deepEqual(
      (await other.list('scout', { type: 'core' })).map(({ id }) => id),
      [core.id],
    );
  });

  withAgent('refuses a blank content and one above 10,000 characters', async ({ layers }) => {
    const { journal } = layers;
    for (const type of ['journal', 'core'] as const) {
      await rejectsWith('INVALID_CONTENT', () => journal.save('scout', type, ' \n\t'));
      await rejectsWith('CONTENT_TOO_LARGE', () => journal.save('scout', type, 'x'.repeat(10_001)));
      // Characters are code points: each duck is two units of UTF-16.
      const ducks = await journal.save('scout', type, `  ${'🦆'.repeat(10_000)}  `);
      assert.equal([...ducks.content].length, 10_000);
      await rejectsWith('CONTENT_TOO_LARGE', () => journal.edit('scout', ducks.id, '🦆'.repeat(10_001)));
    }
    assert.equal((await journal.list('scout')).length, 2);
  });

  withAgent('lets the journal fade from the prompt after seven days', async (scene) => {
    const { layers, clock, openAnother } = scene;
    const old = await layers.journal.save('scout', 'journal', 'old news');
    const core = await layers.journal.save('scout', 'core', 'for ever');
    clock.advance(7 * DAY_MS);
    assert.equal((await layers.journal.forPrompt('scout', clock.now())).journal.length, 1);
    clock.advance(1);
    assert.deepEqual(await promptIds(scene), [core.id]);
    const found = await layers.journal.get('scout', old.id);
    assert.deepEqual([found.content, found.expired], ['old news', true]);
    clock.advance(3_650 * DAY_MS);
    assert.deepEqual(await promptIds(scene), [core.id]);
    const listed = await (await openAnother()).layers.journal.list('scout');
    assert.deepEqual(listed.map(({ expired }) => expired).sort(), [false, true]);
    const unexpired = await layers.journal.list('scout', { includeExpired: false });
    assert.deepEqual(
      unexpired.map(({ id }) => id),
      [core.id],
    );
  });

  withAgent('renders the memory block to the letter, oldest first, days in UTC', async (scene) => {
    const { layers, clock } = scene;
    const save = (type: 'journal' | 'core', content: string, timestamp: string) =>
      layers.journal.save('scout', type, content, { timestamp });
    await save('journal', 'second', '2026-03-01T23:30:00-05:00');
    await save('core', 'later belief', '2025-06-01T00:00:00Z');
    await save('journal', 'first', '2026-03-01T00:00:00Z');
    await save('core', 'early belief', '2024-06-01T00:00:00Z');
    const block = await layers.journal.memoryContext('scout', clock.now());
    assert.equal(
      block,
      `# Your Private Memory

## Core Memories (permanent)
- early belief
- later belief

## Recent Journal Entries
- [2026-03-01] first
- [2026-03-02] second`,
    );
  });

  withAgent('renders nothing when there is nothing, or nothing young enough', async ({ layers, clock }) => {
    assert.equal(await layers.journal.memoryContext('scout', clock.now()), null);
    await layers.journal.save('scout', 'journal', 'old news', { timestamp: new Date(START_MS - 8 * DAY_MS) });
    assert.equal(await layers.journal.memoryContext('scout', clock.now()), null);
  });

  withAgent('keeps the earlier texts of an edited memory', async ({ layers, openAnother }) => {
    const { id } = await layers.journal.save('scout', 'journal', 'first');
    const other = await openAnother();
    await other.layers.journal.edit('scout', id, 'second');
    await layers.journal.edit('scout', id, 'third');
    assert.equal((await other.layers.journal.get('scout', id)).content, 'third');
    const history = await other.layers.journal.history('scout', id);
    assert.deepEqual(
      history.map(({ content }) => content),
      ['first', 'second'],
    );
  });

  withAgent('keeps a pinned entry in the prompt, as long as it is pinned', async (scene) => {
    const { layers, clock, openAnother } = scene;
    const { id } = await layers.journal.save('scout', 'journal', 'the code word');
    await layers.journal.pin('scout', id, true);
    clock.advance(60 * DAY_MS);
    assert.deepEqual(await promptIds(await openAnother(), clock.now()), [id]);
    await layers.journal.pin('scout', id, false);
    assert.deepEqual(await promptIds(scene), []);
  });

  withAgent('makes a journal entry permanent, under its id', async ({ layers, clock, openAnother }) => {
    const { id, created_at } = await layers.journal.save('scout', 'journal', 'I like rain');
    await layers.journal.moveToCore('scout', id);
    clock.advance(60 * DAY_MS);
    const moved = await (await openAnother()).layers.journal.get('scout', id);
    assert.deepEqual([moved.memory_type, moved.created_at, moved.expired], ['core', created_at, false]);
    assert.deepEqual((await layers.agents.get('scout')).memories_count, { core: 1, journal: 0 });
  });

  withAgent('deletes one memory, and forgets it in every byte', async ({ layers, openAnother }) => {
    const { id } = await layers.journal.save('scout', 'journal', 'quokkasecret');
    const kept = await layers.journal.save('scout', 'journal', 'harmless');
    const other = await openAnother();
    assert.equal(await other.layers.journal.delete('scout', id), true);
    assert.equal(await layers.journal.find('scout', id), undefined);
    await layers.journal.forget('scout', [id]);
    assert.equal((await layers.privacy.verifyErased(['quokkasecre'])).isErased, true);
    assert.equal((await other.layers.journal.get('scout', kept.id)).content, 'harmless');
  });

  withAgent('is private: no call reaches another agent’s', async ({ layers, manager, openAnother }) => {
    await layers.agents.ensure('spy');
    const { id } = await layers.journal.save('scout', 'journal', 'only mine');
    const { journal } = (await openAnother()).layers;
    assert.deepEqual(await journal.list('spy'), []);
    assert.equal(await journal.find('spy', id), undefined);
    assert.equal(await journal.delete('spy', id), false);
    assert.equal(await journal.forget('spy', [id]), 0);
    for (const call of [
      () => journal.get('spy', id),
      () => journal.edit('spy', id, 'theirs'),
      () => journal.history('spy', id),
      () => journal.pin('spy', id, true),
      () => journal.moveToCore('spy', id),
      () => journal.share('spy', id, true),
    ]) {
      await rejectsWith('MEMORY_NOT_FOUND', call);
    }
    const spy = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'spy' });
    for (const call of [
      () => spy.journalOf('scout'),
      () => spy.agent('scout'),
      () => spy.notesOf('scout'),
      () => spy.forget({ agent: 'scout' }),
      () => spy.agents(),
    ]) {
      await rejectsWith('AGENT_NOT_FOUND', call);
    }
    assert.deepEqual(await (await spy.journalOf('spy')).list(), []);
    assert.equal((await layers.journal.get('scout', id)).content, 'only mine');
  });
}

async function promptIds({ layers, clock }: Pick<Scene, 'layers'> & Partial<Scene>, nowMs?: number) {
  const { core, journal } = await layers.journal.forPrompt('scout', nowMs ?? clock!.now());
  return [...core, ...journal].map(({ id }) => id);
}
