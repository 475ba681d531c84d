import assert from 'node:assert/strict';
import type { MemoryManager } from '../memory-manager.ts';
import { rejectsWith } from './conformance-records.ts';
import type { WithMemory } from './memory-conformance.ts';

const TEA = {
  id: 'mem_tea',
  type: 'preference',
  content: { text: 'Ada drinks tea' },
  timestamp: '2026-02-01T08:00:00.000Z',
  tags: ['drinks'],
  provenance: { author: 'assistant', message_id: 'm7' },
} as const;

/** Memories that are corrected afterwards. */
export function correctionsConformance(withMemory: WithMemory): void {
  const withTea: WithMemory = (title, work) =>
    withMemory(title, async (scene) => {
      await scene.manager.createSession('ada', { session_id: 'one' });
      await scene.manager.addMemory('one', TEA);
      await scene.manager.addMemory('one', { type: 'finding', content: 'The kettle is new' });
      await work(scene);
    });

  withTea('changes what is named, and leaves all else', async ({ manager }) => {
    const before = await manager.getMemory('one', TEA.id);
    const changes = { content: { text: 'Ada drinks espresso' }, tags: ['drinks.coffee'] };
    const updated = await manager.updateMemory('one', TEA.id, changes);
    const { decay_factor, ...rest } = { ...before!, ...changes };
    const { updated_at, ...corrected } = updated;
    assert.ok(updated_at !== undefined);
    assert.deepEqual(corrected, { ...rest, decay_factor: updated.decay_factor });
    assert.ok(updated.decay_factor <= decay_factor);
    assert.deepEqual(await manager.getMemory('one', TEA.id), updated);
    assert.deepEqual(await found(manager, 'tea'), []);
    assert.deepEqual(await found(manager, 'espresso'), [TEA.id]);
    const inTopic = await manager.searchByTopic('one', 'drinks.coffee');
    assert.deepEqual(
      inTopic.map(({ id }) => id),
      [TEA.id],
    );
  });

  withTea('takes a plain text, another type and another time', async ({ manager }) => {
    const timestamp = '2026-02-03T08:00:00.000Z';
    await manager.updateMemory('one', TEA.id, { content: 'Ada drinks water', type: 'finding', timestamp });
    const { content, type, ...rest } = (await manager.getMemory('one', TEA.id))!;
    assert.deepEqual([content, type, rest.timestamp], [{ text: 'Ada drinks water' }, 'finding', timestamp]);
  });

  withMemory('stays in its place among memories of the same time, page by page', async (scene) => {
    const { manager, openAnother } = scene;
    await manager.createSession('ada', { session_id: 'one' });
    const ids = ['m1', 'm2', 'm3', 'm4'];
    for (const id of ids) await manager.addMemory('one', { ...TEA, id });
    const query = { sortBy: 'time', limit: 1 } as const;
    const given: string[] = [];
    let page = await manager.pageMemories('one', query);
    for (const holder of [manager, (await openAnother()).manager, manager]) {
      given.push(page.memories[0]!.id);
      await holder.updateMemory('one', 'm1', { content: `Ada drinks ${given.length} cups` });
      await holder.updateMemory('one', given[0]!, { tags: ['drinks.again'] });
      if (given.length === 2) await holder.compactSession('one');
      if (given.length === 3) await holder.rebuildIndex('one');
      page = await holder.pageMemories('one', { ...query, cursor: page.nextCursor! });
    }
    assert.deepEqual([...given, page.memories[0]!.id], ids.toReversed());
    const exported = JSON.parse(await manager.exportSession('one')).memories as readonly { id: string }[];
    assert.deepEqual(
      exported.map(({ id }) => id),
      ids,
    );
  });

  withTea('is not undone by a retry of the first write, nor is that refused', async (scene) => {
    const { manager, openAnother } = scene;
    await manager.updateMemory('one', TEA.id, { content: 'Ada drinks espresso' });
    await manager.updateMemory('one', TEA.id, { content: 'Ada drinks water' });
    for (const holder of [manager, (await openAnother()).manager]) {
      assert.equal(await holder.addMemory('one', TEA), TEA.id);
      const other = { ...TEA, content: { text: 'Ada drinks milk' } };
      await rejectsWith('ID_TAKEN', () => holder.addMemory('one', other));
    }
    assert.deepEqual((await manager.getMemory('one', TEA.id))?.content, { text: 'Ada drinks water' });
    // The first version is in no file any more, so it cannot be given.
    await manager.compactSession('one');
    await rejectsWith('ID_TAKEN', () => manager.addMemory('one', TEA));
  });

  withTea(
    'is seen by others, and stays through compaction and a new index',
    async ({ manager, openAnother }) => {
      const { manager: other } = await openAnother();
      assert.deepEqual(await found(other, 'tea'), [TEA.id]);
      await manager.updateMemory('one', TEA.id, { content: 'Ada drinks espresso' });
      assert.deepEqual(await found(other, 'tea'), []);
      assert.deepEqual(await found(other, 'espresso'), [TEA.id]);
      await other.compactSession('one');
      await manager.rebuildIndex('one');
      for (const each of [manager, other]) {
        assert.deepEqual(await found(each, 'espresso'), [TEA.id]);
        assert.deepEqual((await each.getMemory('one', TEA.id))?.content, { text: 'Ada drinks espresso' });
        assert.equal((await each.getSessionStats('one')).total_entries, 2);
      }
      assert.ok(!(await manager.exportSession('one', 'jsonl')).includes('drinks tea'));
    },
  );

  withTea('does not change the past', async ({ manager }) => {
    await manager.updateMemory('one', TEA.id, { content: 'Ada drinks espresso' });
    const [past] = await manager.queryMemories('one', { text: 'ada', asOf: '2026-02-02T00:00:00Z' });
    assert.equal(past?.content.text, 'Ada drinks tea');
  });

  withTea('keeps every one of several changes at once', async ({ manager, openAnother }) => {
    const { manager: other } = await openAnother();
    await Promise.all([
      manager.updateMemory('one', TEA.id, { content: 'Ada drinks espresso' }),
      manager.setImportance('one', TEA.id, 0.9),
      other.updateMemory('one', TEA.id, { tags: ['coffee'] }),
      manager.updateMemory('one', TEA.id, { references: ['mem_cup'] }),
      other.setImportance('one', TEA.id, 0.9),
    ]);
    for (const each of [manager, other]) {
      const { content, tags, references, importance } = (await each.getMemory('one', TEA.id))!;
      assert.deepEqual(
        { content, tags, references, importance },
        {
          content: { text: 'Ada drinks espresso' },
          tags: ['coffee'],
          references: ['mem_cup'],
          importance: 0.9,
        },
      );
    }
  });

  withTea('keeps an importance that was changed before', async ({ manager }) => {
    await manager.setImportance('one', TEA.id, 0.9);
    assert.equal((await manager.updateMemory('one', TEA.id, { tags: [] })).importance, 0.9);
    assert.equal((await manager.updateMemory('one', TEA.id, { importance: 0.2 })).importance, 0.2);
    assert.equal((await manager.updateMemory('one', TEA.id, { tags: ['a'] })).importance, 0.2);
    assert.equal((await manager.queryMemories('one', { tags: { include: ['a'] } }))[0]?.importance, 0.2);
  });

  withTea('refuses what cannot be, and changes nothing then', async ({ manager }) => {
    const before = await manager.exportSession('one', 'jsonl');
    const update = (changes: object): Promise<unknown> => manager.updateMemory('one', TEA.id, changes);
    await rejectsWith('INVALID_ENTRY', () => update({}));
    await rejectsWith('INVALID_ENTRY', () => update({ content: undefined }));
    await rejectsWith('INVALID_ENTRY', () => update({ id: 'mem_other' }));
    await rejectsWith('INVALID_ENTRY', () => update({ provenance: { author: 'user' } }));
    await rejectsWith('INVALID_ENTRY', () => update({ importance: 2 }));
    await rejectsWith('INVALID_ENTRY', () => update({ type: 'rumour' }));
    await rejectsWith('INVALID_CONTENT', () => update({ content: '  ' }));
    await rejectsWith('INVALID_CONTENT', () => update({ content: {} }));
    await rejectsWith('INVALID_TAG', () => update({ tags: ['no spaces'] }));
    for (const importance of [undefined, null, Number.NaN, -1, 2, '1'])
      await rejectsWith('INVALID_ENTRY', () => manager.setImportance('one', TEA.id, importance as number));
    await rejectsWith('MEMORY_NOT_FOUND', () => manager.updateMemory('one', 'mem_none', { tags: [] }));
    await rejectsWith('SESSION_NOT_FOUND', () => manager.updateMemory('none', TEA.id, { tags: [] }));
    assert.equal(await manager.exportSession('one', 'jsonl'), before);
  });

  withTea('does not bring back what was deleted, and goes with it', async ({ manager, openAnother }) => {
    const { manager: other } = await openAnother();
    await manager.updateMemory('one', TEA.id, { content: 'Ada drinks espresso' });
    await other.deleteMemory('one', TEA.id);
    await rejectsWith('MEMORY_NOT_FOUND', () => manager.updateMemory('one', TEA.id, { tags: [] }));
    assert.equal(await manager.getMemory('one', TEA.id), null);
    assert.deepEqual(await found(manager, 'ada'), []);
  });
}

async function found(manager: MemoryManager, text: string): Promise<readonly string[]> {
  return (await manager.queryMemories('one', { text })).map(({ id }) => id);
}
