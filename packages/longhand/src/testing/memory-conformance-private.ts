import assert from 'node:assert/strict';
import { TOOLS } from '../tools/index.ts';
import { assertErased, CANARY } from './conformance-records.ts';
import type { Holder, WithMemory } from './memory-conformance.ts';

/** What agents noted for themselves: whose it is, and what it goes with. */
export function privateConformance(withMemory: WithMemory): void {
  for (const by of ['deleted', 'forgotten', 'forgotten with its user'] as const) {
    withMemory(
      `takes what agents noted from a session that is ${by}, from a message or not`,
      async (scene) => {
        const { layers, manager } = scene;
        await open(scene, 'ada', 'chat');
        await open(scene, 'ada', 'other');
        await open(scene, 'bob', 'bobs');
        await note(scene, 'ada', 'chat', `of m1 ${CANARY}`, 'm1');
        await note(scene, 'ada', 'chat', `of no message ${CANARY}`);
        const deleted = await note(scene, 'ada', 'chat', `deleted ${CANARY}`);
        await layers.journal.delete('scout', deleted);
        await note(scene, 'ada', 'other', 'of Ada’s other session', 'm1');
        await note(scene, 'ada', 'other', 'of Ada’s other session');
        await note(scene, 'bob', 'bobs', 'of Bob', 'm1');
        await note(scene, 'bob', 'bobs', 'of Bob');
        if (by === 'deleted') assert.equal(await manager.deleteSession('chat'), true);
        else {
          const request = by === 'forgotten' ? { session: 'chat' } : { user: 'ada' };
          const expected = by === 'forgotten' ? 3 : 5;
          assert.equal((await layers.privacy.preview(request)).memories, expected);
          assert.equal((await layers.privacy.forget(request)).taken_along.length, expected);
        }
        await assertErased(scene);
        assert.equal((await layers.journal.list('scout')).length, by === 'forgotten with its user' ? 2 : 4);
      },
    );
  }

  withMemory(
    'leaves what agents noted from no message when some of a session is forgotten',
    async (scene) => {
      const { layers } = scene;
      await open(scene, 'ada', 'chat');
      await note(scene, 'ada', 'chat', `of m1 ${CANARY}`, 'm1');
      await note(scene, 'ada', 'chat', 'of no message');
      assert.equal((await layers.privacy.forget({ session: 'chat', ids: ['m1'] })).pieces.memories, 1);
      await assertErased(scene);
      assert.equal((await layers.journal.list('scout')).length, 1);
    },
  );

  withMemory('takes with a user what agents noted outside of any session', async (scene) => {
    const { layers } = scene;
    await open(scene, 'ada', 'chat');
    await note(scene, 'ada', undefined, `of Ada ${CANARY}`);
    await note(scene, 'bob', undefined, 'of Bob');
    assert.equal((await layers.privacy.forget({ user: 'ada' })).pieces.memories, 1);
    await assertErased(scene);
    assert.equal((await layers.journal.list('scout')).length, 1);
  });

  for (const by of ['message', 'session', 'user', 'deletion'] as const) {
    withMemory(
      `keeps what agents noted from one user when another has the session id, by ${by}`,
      async (scene) => {
        const { layers, manager, store } = scene;
        await open(scene, 'ada', 'chat');
        await note(scene, 'ada', 'chat', `of m1 ${CANARY}`, 'm1');
        await note(scene, 'ada', 'chat', `of no message ${CANARY}`);
        // As when a person removes the folder: what was taken from the session stays.
        await store.remove({ kind: 'session', id: 'chat', userId: 'ada' });
        await open(await scene.openAnother(), 'bob', 'chat');
        await note(await scene.openAnother(), 'bob', 'chat', 'of Bob', 'm1');
        const other = await scene.openAnother();
        if (by === 'deletion') await other.manager.deleteSession('chat');
        else {
          const request = {
            message: { session: 'chat', ids: ['m1'] },
            session: { session: 'chat' },
            user: { user: 'bob' },
          }[by];
          assert.equal((await other.layers.privacy.forget(request)).pieces.memories, 1);
        }
        assert.equal((await layers.journal.list('scout')).length, 2);
        // Ada has no session any more, and is found all the same.
        assert.equal((await layers.privacy.preview({ user: 'ada' })).memories, 2);
        await layers.privacy.forget({ user: 'ada' });
        await assertErased(scene);
        assert.deepEqual(await manager.listSessions('ada'), []);
      },
    );
  }

  withMemory('lets who came back after being forgotten keep what was noted since', async (scene) => {
    const { layers, clock } = scene;
    await open(scene, 'ada', 'chat');
    await note(scene, 'ada', 'chat', `before ${CANARY}`);
    await layers.privacy.forget({ user: 'ada' });
    clock.advance(1_000);
    await open(scene, 'ada', 'again');
    await note(scene, 'ada', 'again', 'after');
    assert.deepEqual(await layers.privacy.replay(), []);
    assert.equal((await layers.journal.list('scout')).length, 1);
    await assertErased(scene);
  });
}

/** A session with a message `m1`. */
async function open({ layers, manager }: Holder, user: string, session: string): Promise<void> {
  await manager.createSession(user, { session_id: session });
  await layers.transcripts.archive(session, [{ id: 'm1', role: 'user', content: 'harmless' }]);
}

/** What a model notes, with the message that it answers or without. Gives its id. */
async function note(
  { manager }: Holder,
  user: string,
  session: string | undefined,
  content: string,
  messageId?: string,
): Promise<string> {
  const scope = await manager
    .as({ account_id: 'local', user_id: user, agent_id: 'scout' })
    .toolScope(session);
  const tool = TOOLS.find(
    ({ name }) => name === (messageId === undefined ? 'save_to_core' : 'save_to_journal'),
  );
  const { memory_id } = await tool!.run(
    { content },
    messageId === undefined ? scope : { ...scope, messageId },
  );
  return String(memory_id);
}
