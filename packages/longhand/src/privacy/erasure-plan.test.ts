import { describe, expect, it } from 'vitest';
import { STORES } from '../../test/open-stores.ts';
import { MemoryManager } from '../memory-manager.ts';

describe.each(STORES)('forgetting a user on the store %s', (_, make) => {
  it('leaves alone a session of another user under a name that stayed with the user', async () => {
    const store = make()();
    await using manager = new MemoryManager({ store });
    await manager.createSession('ada', { session_id: 'own' });
    await manager.createSession('ada', { session_id: 'shared' });
    // As a process leaves it that dies before it has taken the name out of the user's change file.
    await store.remove({ kind: 'session', id: 'shared' });
    await manager.createSession('bob', { session_id: 'shared' });
    await manager.addMemory('shared', {
      id: 'mem_bob',
      type: 'finding',
      content: { text: 'tea' },
      tags: ['tea'],
    });
    expect(await store.list('session', 'ada')).toEqual(['own', 'shared']);

    const { privacy } = await manager.layers();
    expect(await privacy.preview({ user: 'ada' })).toMatchObject({ sessions: 1, memories: 0 });
    expect(await privacy.preview({ user: 'ada', topic: 'tea' })).toMatchObject({ memories: 0 });
    await privacy.forget({ user: 'ada', topic: 'tea' });
    await privacy.forget({ user: 'ada' });
    expect(await store.list('session')).toEqual(['shared']);
    expect((await manager.getMemory('shared', 'mem_bob'))?.content).toEqual({ text: 'tea' });
    expect(await store.list('user')).toEqual(['bob']);
  });

  it('previews the texts of many whole sessions up to a hundred, and counts the rest', async () => {
    await using manager = new MemoryManager({ store: make()() });
    for (let number = 0; number < 60; number++) {
      await manager.createSession('ada', { session_id: `s${number}` });
      await manager.addMemory(`s${number}`, { type: 'finding', content: { text: `Fact ${number}` } });
    }
    const { items, items_left_out, memories, sessions } = await (await manager.layers()).privacy.preview({
      user: 'ada',
    });
    expect([sessions, memories, items.length, items_left_out]).toEqual([60, 60, 100, 20]);
  });
});
