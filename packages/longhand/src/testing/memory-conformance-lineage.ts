import assert from 'node:assert/strict';
import type { Message } from '../core/messages.ts';
import { assertErased, CANARY, rejectsWith } from './conformance-records.ts';
import { DAY_MS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

const SUMMARIES = { config: { summary: { enabled: true, threshold: 4, keep_last: 2 } } };

/** Forgetting and redacting what was taken from a message, wherever it is, also where it cannot be read any more. */
export function lineageConformance(withMemory: WithMemory): void {
  withMemory('forgets with a message all that was taken from it', async (scene) => {
    const { layers } = scene;
    await converse(scene, 'chat', [['msg_secret', `code is ${CANARY}`]]);
    await take(scene, 'chat', 'mem_one', 'msg_secret', `one ${CANARY}`);
    await take(scene, 'chat', 'mem_two', 'msg_secret', `two ${CANARY}`);
    await take(scene, 'chat', 'mem_other', 'msg_plain', 'harmless');
    const request = { user: 'ada', ids: ['msg_secret'] };
    const { memories, messages } = await layers.privacy.preview(request);
    assert.deepEqual([memories, messages], [2, 1]);
    assert.equal((await layers.privacy.forget(request)).pieces.memories, 2);
    await assertErased(scene);
    assert.notEqual(await scene.manager.getMemory('chat', 'mem_other'), null);
    const again = await layers.privacy.preview(request);
    assert.deepEqual([again.memories, again.messages], [0, 0]);
  });

  withMemory('forgets what was taken from a message that is nowhere any more', async (scene) => {
    await converse(scene, 'chat', []);
    await take(scene, 'chat', 'mem_one', 'msg_never_archived', CANARY);
    await scene.layers.privacy.forget({ session: 'chat', ids: ['msg_never_archived'] });
    await assertErased(scene);
  });

  withMemory(
    'forgets with a memory its message in another session, and what else came from it',
    async (scene) => {
      const { layers, manager } = scene;
      await converse(scene, 'chat', [['msg_secret', `code is ${CANARY}`]]);
      await converse(scene, 'chat-2', []);
      await take(scene, 'chat-2', 'mem_one', 'msg_secret', `one ${CANARY}`);
      await take(scene, 'chat', 'mem_two', 'msg_secret', `two ${CANARY}`);
      const { pieces } = await layers.privacy.forget({ session: 'chat-2', ids: ['mem_one'] });
      assert.deepEqual([pieces.memories, pieces.messages], [2, 1]);
      assert.equal(await manager.getMemory('chat', 'mem_two'), null);
      await assertErased(scene);
    },
  );

  withMemory('forgets with a session what was taken from it into another', async (scene) => {
    await converse(scene, 'chat', [['msg_secret', `code is ${CANARY}`]]);
    await converse(scene, 'later', [['msg_later', 'harmless']]);
    await take(scene, 'later', 'mem_one', 'msg_secret', CANARY);
    await take(scene, 'later', 'mem_two', 'msg_later', 'harmless');
    await scene.layers.privacy.forget({ session: 'chat' });
    await assertErased(scene);
    assert.notEqual(await scene.manager.getMemory('later', 'mem_two'), null);
    assert.equal(await scene.layers.transcripts.count('later'), 1);
  });

  withMemory('tells messages of the same id apart by their sessions', async (scene) => {
    const { layers, manager } = scene;
    for (const session of ['one', 'two']) {
      await converse(scene, session, [['m1', `said in ${session}`]]);
      await take(scene, session, `mem_${session}`, 'm1', `from ${session}`);
    }
    await layers.privacy.forget({ user: 'ada', ids: ['mem_one'] });
    assert.equal(await layers.transcripts.count('one'), 0);
    assert.equal(await layers.transcripts.count('two'), 1);
    assert.notEqual(await manager.getMemory('two', 'mem_two'), null);
  });

  withMemory('forgets a time with what was taken from its messages later', async (scene) => {
    const { layers, clock } = scene;
    await converse(scene, 'chat', [['msg_secret', CANARY]]);
    clock.advance(DAY_MS);
    await take(scene, 'chat', 'mem_later', 'msg_secret', CANARY);
    const timeRange = { start: new Date(START_MS), end: new Date(START_MS + 1) };
    assert.equal((await layers.privacy.forget({ user: 'ada', timeRange })).pieces.memories, 1);
    await assertErased(scene);
  });

  withMemory('redacts a message, and what was taken from it', async (scene) => {
    const { layers, manager } = scene;
    await converse(scene, 'chat', [['msg_secret', `the ${CANARY} is here`]]);
    await converse(scene, 'chat-2', []);
    await take(scene, 'chat-2', 'mem_one', 'msg_secret', `a ${CANARY}`);
    const metadata = { message_id: 'msg_secret' };
    await layers.details.store('chat', { content: `kept ${CANARY}`, key: 'copy', metadata });
    const count = await layers.privacy.redact({ session: 'chat', message: 'msg_secret', text: CANARY });
    // In the message, the memory, and in the value and its description.
    assert.equal(count, 4);
    assert.equal((await manager.getMemory('chat-2', 'mem_one'))?.content.text, 'a [redacted]');
    assert.equal((await layers.details.retrieve('ada', 'copy')).content, 'kept [redacted]');
    await assertErased(scene);
    await rejectsWith('MEMORY_NOT_FOUND', () =>
      layers.privacy.redact({ session: 'chat', message: 'msg_none', text: CANARY }),
    );
  });

  withMemory('redacts a memory, and the message that it was taken from', async (scene) => {
    const { layers } = scene;
    await converse(scene, 'chat', [['msg_secret', `the ${CANARY} is here`]]);
    await take(scene, 'chat', 'mem_one', 'msg_secret', `a ${CANARY}`);
    assert.equal(await layers.privacy.redact({ session: 'chat', memory: 'mem_one', text: CANARY }), 2);
    assert.equal((await layers.transcripts.messages('chat'))[0]!.content, 'the [redacted] is here');
    await assertErased(scene);
  });

  for (const by of ['ids', 'time'] as const) {
    withMemory(
      `forgets by ${by} what has passed its retention and is still in the summary`,
      async (scene) => {
        const { layers, clock, openAnother } = scene;
        const said = Array.from(
          { length: 8 },
          (_, i) => [`m${i}`, i === 1 ? DECIDED : `Number ${i}.`] as const,
        );
        await converse(scene, 'chat', said);
        await layers.summaries.update('chat');
        clock.advance(2 * DAY_MS);
        assert.equal(await layers.transcripts.prune('chat', clock.now() - DAY_MS), 8);
        assert.match((await layers.summaries.current('chat'))!.text, new RegExp(CANARY));
        const timeRange = { start: new Date(START_MS), end: new Date(START_MS + 1) };
        const request = { user: 'ada', ...(by === 'ids' ? { ids: ['m1'] } : { timeRange }) };
        const { messages } = await layers.privacy.preview(request);
        // The archived batch is pruned, so which of its messages is of that time is unknown: all six count.
        assert.equal(messages, by === 'ids' ? 1 : 6);
        assert.equal((await layers.privacy.forget(request)).pieces.messages, messages);
        await assertErased(scene);
        const { layers: others } = await openAnother();
        assert.equal((await others.privacy.preview(request)).messages, 0);
      },
      SUMMARIES,
    );

    withMemory(`forgets by ${by} what a batch holds that was cut short`, async (scene) => {
      const { layers, store } = scene;
      await converse(scene, 'chat', [['m1', 'harmless']]);
      const timestamp = new Date(START_MS).toISOString();
      const torn = {
        ...{ schema_version: 1, record: 'batch', session_id: 'chat', timestamp, batch_id: 'torn' },
        ...{ start_timestamp: timestamp, end_timestamp: timestamp, first_index: 1 },
        ...{ duplicates: 0, left_out: 0, part: 1, parts: 2 },
        messages: [{ id: 'stray', role: 'user', content: CANARY, timestamp }],
      };
      await store.append({ kind: 'transcript', id: 'chat' }, [JSON.stringify(torn)]);
      const timeRange = { start: new Date(START_MS), end: new Date(START_MS) };
      const request = { user: 'ada', ...(by === 'ids' ? { ids: ['stray'] } : { timeRange }) };
      assert.equal((await layers.privacy.forget(request)).pieces.messages, by === 'ids' ? 1 : 2);
      await assertErased(scene);
      assert.equal((await layers.privacy.preview(request)).messages, 0);
    });
  }

  withMemory('forgets an agent with what it said under its name, and its name in sessions', async (scene) => {
    const { layers, manager } = scene;
    await manager.createSession('ada', { session_id: 'chat', agents: ['scout', CANARY] });
    await manager.updateSession('chat', { preferences: { custom: { tone: 'dry' } } });
    await manager.createSession('ada', { session_id: 'window' });
    await layers.agents.create({ name: CANARY });
    const answer = { role: 'assistant', name: CANARY, content: `I am ${CANARY}` } as const;
    await layers.transcripts.archive('chat', [
      { id: 'by_agent', ...answer },
      { id: 'by_user', role: 'user', name: 'Ada', content: 'harmless' },
    ]);
    await layers.windows.append('window', [{ id: 'w1', ...answer }]);
    await manager.rebuildIndex('chat');
    const { pieces } = await layers.privacy.forget({ agent: CANARY });
    assert.deepEqual([pieces.agents, pieces.messages], [1, 1]);
    assert.deepEqual(await layers.windows.read('window'), []);
    const session = await manager.loadSession('chat');
    assert.deepEqual([session.agents, session.preferences], [['scout'], { custom: { tone: 'dry' } }]);
    assert.equal(await layers.transcripts.count('chat'), 1);
    await assertErased(scene);
  });

  withMemory(
    'forgets lines of notes by their own time, however many versions have gone',
    async (scene) => {
      const { layers, clock, openAnother } = scene;
      const { notes, privacy } = layers;
      const note = (content: string) => notes.apply('ada', 'scout', { operation: 'append', content });
      const june = { start: new Date(START_MS + 90 * DAY_MS), end: new Date(START_MS + 200 * DAY_MS) };
      await note('in January\n');
      clock.advance(DAY_MS);
      await note(`also in January ${CANARY}\n`);
      clock.advance(100 * DAY_MS);
      for (let i = 0; i < 40; i++) await note(`in June ${i}\n`);
      assert.ok((await notes.versions('ada', 'scout'))[0]!.version > 2);
      const { privacy: other } = (await openAnother(FEW_VERSIONS)).layers;
      const preview = await other.preview({ user: 'ada', timeRange: june });
      assert.deepEqual([preview.notes, preview.note_lines], [1, 40]);
      await privacy.forget({ user: 'ada', timeRange: june });
      assert.equal((await notes.read('ada', 'scout')).text, `in January\nalso in January ${CANARY}\n`);
      clock.advance(100 * DAY_MS);
      for (let i = 0; i < 40; i++) await note(`in autumn ${i}\n`);
      const second = { start: new Date(START_MS + 1), end: new Date(START_MS + 2 * DAY_MS) };
      assert.equal((await privacy.preview({ user: 'ada', timeRange: second })).note_lines, 1);
      await privacy.forget({ user: 'ada', timeRange: second });
      assert.match((await notes.read('ada', 'scout')).text, /^in January\nin autumn 0\n/);
      await assertErased(scene);
    },
    FEW_VERSIONS,
  );
}

const FEW_VERSIONS = { config: { notes: { keep_versions: 5 } } };
const DECIDED = `I decided on the ${CANARY} at 10:30 on Tuesday`;

/** A session of Ada's with messages, all said at the start. */
async function converse(
  { layers, manager }: Scene,
  session: string,
  said: readonly (readonly [id: string, content: string])[],
): Promise<void> {
  await manager.createSession('ada', { session_id: session });
  const timestamp = new Date(START_MS).toISOString();
  const messages = said.map(([id, content]): Message => ({ id, role: 'user', content, timestamp }));
  await layers.transcripts.archive(session, messages);
  await layers.windows.read(session);
}

async function take(
  { manager }: Scene,
  session: string,
  id: string,
  message_id: string,
  text: string,
): Promise<void> {
  await manager.addMemory(session, {
    ...{ type: 'finding', id, content: { text } },
    provenance: { author: 'assistant', message_id },
  });
  await manager.queryMemories(session, { text: 'word' });
}
