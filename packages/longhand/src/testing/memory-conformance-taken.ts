import assert from 'node:assert/strict';
import { findMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import { TOOLS, type ToolResult } from '../tools/index.ts';
import { assertErased, CANARY } from './conformance-records.ts';
import { DAY_MS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

const OUTPUT = `${CANARY} in a line of output\n`.repeat(400);
const TIGHT = { config: { details: { quota_mb: 0.02 } } };

/** What goes with a session, a message or an age although it is kept elsewhere. */
export function takenConformance(withMemory: WithMemory): void {
  for (const way of ['forgotten', 'deleted'] as const) {
    withMemory(
      `goes from the sessions that continue one when that one is ${way}`,
      async (scene) => {
        const { layers, manager } = scene;
        await fillChat(scene);
        const { detail } = await layers.details.captureToolOutput('chat', { output: OUTPUT });
        assert.deepEqual([detail!.session_id, detail!.provenance.session_id], ['chat--2', 'chat']);
        const own = await layers.details.captureToolOutput('chat--2', { output: 'harmless\n'.repeat(600) });
        assert.equal(own.detail!.provenance.session_id, undefined);
        const rolled = { type: 'finding', content: { text: CANARY } } as const;
        const provenance = { author: 'assistant', session_id: 'chat' } as const;
        await manager.addMemory('chat--2', { ...rolled, id: 'mem_rolled', provenance });
        const stays = { type: 'finding', id: 'mem_own', content: { text: 'harmless' } } as const;
        await manager.addMemory('chat--2', stays);
        await manager.createSession('ada', { session_id: 'other' });
        if (way === 'forgotten') {
          const preview = await layers.privacy.preview({ session: 'chat' });
          assert.deepEqual([preview.memories, preview.details], [1, 2]);
          await layers.privacy.forget({ session: 'chat' });
        } else await manager.deleteSession('chat');
        await assertErased(scene);
        assert.equal((await layers.details.list('ada')).length, 1);
        assert.notEqual(await manager.getMemory('chat--2', 'mem_own'), null);
        assert.deepEqual(
          (await manager.listSessions('ada')).map(({ id }) => id),
          ['chat--2', 'other'],
        );
      },
      TIGHT,
    );
  }

  withMemory(
    'names what went on elsewhere by what is meant of its session',
    async (scene) => {
      const { layers } = scene;
      await fillChat(scene);
      const { detail } = await layers.details.captureToolOutput('chat', { output: OUTPUT });
      assert.equal(detail!.session_id, 'chat--2');
      const receipt = await layers.privacy.forget({ session: 'chat', ids: [detail!.memory_key] });
      assert.deepEqual([receipt.pieces.details, receipt.taken_along.length], [1, 1]);
      await assertErased(scene);
    },
    TIGHT,
  );

  for (const way of ['message', 'session', 'user'] as const) {
    withMemory(`takes what agents noted for themselves from a ${way}`, async (scene) => {
      const { layers } = scene;
      const { agents, journal, privacy } = layers;
      await said(scene, 'chat', [['m1', `the ${CANARY}`], ...PLAIN]);
      await scene.manager.createSession('bob', { session_id: 'bobs' });
      await layers.transcripts.archive('bobs', [{ id: 'm1', role: 'user', content: 'said by Bob' }]);
      await note(scene, 'chat', 'm1', 'save_to_journal', `journal ${CANARY}`);
      const edited = await note(scene, 'chat', 'm1', 'save_to_core', `core ${CANARY}`);
      await journal.edit('scout', String(edited.memory_id), 'core, in other words');
      const deleted = await note(scene, 'chat', 'm1', 'save_to_core', `deleted ${CANARY}`);
      await journal.delete('scout', String(deleted.memory_id));
      await note(scene, 'chat', 'm2', 'save_to_core', 'of another message');
      await note(scene, 'bobs', 'm1', 'save_to_core', 'of Bob’s message', 'bob');
      await agents.ensure('other');
      await journal.save('other', 'core', 'of no message');
      const request = {
        message: { session: 'chat', ids: ['m1'] },
        session: { session: 'chat' },
        user: { user: 'ada' },
      }[way];
      const noted = way === 'message' ? 3 : 4;
      assert.equal((await privacy.preview(request)).memories, noted);
      const receipt = await privacy.forget(request);
      assert.equal(receipt.pieces.memories, noted);
      await assertErased(scene);
      assert.deepEqual(
        (await journal.list('scout')).map(({ content }) => content).sort(),
        [...(way === 'message' ? ['of another message'] : []), 'of Bob’s message'].sort(),
      );
      assert.equal((await journal.list('other')).length, 1);
      assert.equal(receipt.taken_along.length, noted);
      assert.equal((await privacy.preview(request)).memories, 0);
    });
  }

  withMemory('redacts what agents noted for themselves with the message', async (scene) => {
    const { layers } = scene;
    await said(scene, 'chat', [['m1', `the ${CANARY}`], ...PLAIN]);
    await note(scene, 'chat', 'm1', 'save_to_journal', `a ${CANARY} was named`);
    const deleted = await note(scene, 'chat', 'm1', 'save_to_core', `deleted ${CANARY}`);
    await layers.journal.delete('scout', String(deleted.memory_id));
    assert.equal(await layers.privacy.redact({ session: 'chat', message: 'm1', text: CANARY }), 2);
    assert.equal((await layers.journal.list('scout'))[0]!.content, 'a [redacted] was named');
    await assertErased(scene);
  });

  withMemory('finds again after a backup what agents had noted for themselves', async (scene) => {
    const { layers } = scene;
    await said(scene, 'chat', [['m1', 'something'], ...PLAIN]);
    const { memory_id } = await note(scene, 'chat', 'm1', 'save_to_core', `core ${CANARY}`);
    await layers.privacy.forget({ session: 'chat', ids: ['m1'] });
    // As a backup would bring it back.
    await layers.journal.save('scout', 'core', `core ${CANARY}`, { id: String(memory_id) });
    assert.equal((await layers.privacy.replay()).length, 1);
    await assertErased(scene);
    assert.deepEqual(await layers.privacy.replay(), []);
  });

  withMemory(
    'lets go, with a message that has passed its retention, of what was captured from it',
    async (scene) => {
      const { layers, manager, clock } = scene;
      const long = `${CANARY} said at length. `.repeat(2_000);
      await manager.createSession('ada', { session_id: 'chat' });
      // As it is when the prompt is made, without an id and with one.
      const prompts: Message[] = [
        { role: 'user', content: `without an id ${long}` },
        { id: 'm1', role: 'user', content: long },
      ];
      for (const message of prompts) {
        const { messages } = await manager.assembleContext({
          ...{ session: 'chat', user: 'ada', messages: [message], budget: 1_000 },
        });
        assert.equal(findMemoryRefs(messages.at(-1)!.content).length, 1);
      }
      const call = { id: 'c1', name: 'run', arguments: { script: `${CANARY} `.repeat(2_000) } };
      const exchange: Message[] = [
        { id: 'm2', role: 'user', content: 'Run it' },
        { id: 'a2', role: 'assistant', content: '', tool_calls: [call] },
        { id: 't2', role: 'tool', content: OUTPUT, tool_call_id: 'c1' },
      ];
      await manager.assembleContext({ session: 'chat', user: 'ada', messages: exchange, budget: 1_000 });
      await layers.details.captureToolOutput('chat', { output: `a ${OUTPUT}`, messageId: 'm2' });
      await layers.details.store('chat', {
        ...{ content: 'chosen to be kept', key: 'chosen' },
        provenance: { message_id: 'm2' },
      });
      assert.equal((await layers.details.list('ada')).length, 6);
      await layers.transcripts.archive('chat', [...prompts, exchange[0]!]);
      await layers.windows.append('chat', prompts.slice(1));
      clock.advance(DAY_MS);
      const young = { id: 'm3', role: 'user', content: `young ${'words '.repeat(2_000)}` } as const;
      await manager.assembleContext({ session: 'chat', user: 'ada', messages: [young], budget: 1_000 });
      await layers.windows.append('chat', [young]);
      await layers.transcripts.archive('chat', [young]);
      clock.advance(1.5 * DAY_MS);
      assert.equal((await manager.prune()).details, 5);
      assert.deepEqual(
        (await layers.windows.read('chat')).map(({ id }) => id),
        ['m3'],
      );
      const kept = (await layers.details.list('ada')).map(({ memory_key, memory_type }) =>
        memory_key === 'chosen' ? memory_key : memory_type,
      );
      assert.deepEqual(kept.sort(), ['chosen', 'message']);
      await assertErased(scene);
    },
    { config: { transcript: { retain_days: 2 }, window: { idle_minutes: 10_000 } } },
  );

  withMemory(
    'takes it out of the session that it rolled over to',
    async (scene) => {
      const { layers, clock } = scene;
      await fillChat(scene);
      await said(scene, 'chat', [['m1', 'Run it']]);
      const { detail } = await layers.details.captureToolOutput('chat', { output: OUTPUT, messageId: 'm1' });
      assert.equal(detail!.session_id, 'chat--2');
      clock.advance(2 * DAY_MS);
      assert.equal(await layers.transcripts.prune('chat', clock.now() - DAY_MS), 1);
      await assertErased(scene);
      assert.equal((await layers.details.list('ada')).length, 1);
    },
    TIGHT,
  );

  withMemory('forgets with a prompt the outputs that came of it, not the other way round', async (scene) => {
    const { layers } = scene;
    await said(scene, 'chat', [['m1', 'Run it'], ...PLAIN]);
    const first = await layers.details.captureToolOutput('chat', { output: `1 ${OUTPUT}`, messageId: 'm1' });
    await layers.details.captureToolOutput('chat', { output: `2 ${OUTPUT}`, messageId: 'm1' });
    await layers.privacy.forget({ user: 'ada', ids: [first.detail!.memory_key] });
    assert.equal(await layers.transcripts.count('chat'), 2);
    assert.equal((await layers.details.list('ada')).length, 1);
    assert.equal((await layers.privacy.forget({ user: 'ada', ids: ['m1'] })).pieces.details, 1);
    await assertErased(scene);
  });
}

const PLAIN = [['m2', 'harmless']] as const;

/** A session that has no room for another large value. */
async function fillChat({ layers, manager }: Scene): Promise<void> {
  await manager.createSession('ada', { session_id: 'chat' });
  await layers.details.store('chat', { content: 'x'.repeat(15_000), key: 'filler' });
}

async function said(
  { layers, manager }: Scene,
  session: string,
  messages: readonly (readonly [id: string, content: string])[],
): Promise<void> {
  if (!(await manager.listSessions('ada')).some(({ id }) => id === session))
    await manager.createSession('ada', { session_id: session });
  const timestamp = new Date(START_MS).toISOString();
  await layers.transcripts.archive(
    session,
    messages.map(([id, content]) => ({ id, role: 'user', content, timestamp })),
  );
}

/** What a model notes while it answers a message. */
async function note(
  { manager }: Scene,
  session: string,
  messageId: string,
  name: 'save_to_journal' | 'save_to_core',
  content: string,
  user = 'ada',
): Promise<ToolResult> {
  const principal = { account_id: 'local', user_id: user, agent_id: 'scout' };
  const scope = await manager.as(principal).toolScope(session);
  return TOOLS.find((tool) => tool.name === name)!.run({ content }, { ...scope, messageId });
}
