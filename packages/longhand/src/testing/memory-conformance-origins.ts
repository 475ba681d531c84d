import assert from 'node:assert/strict';
import type { ForgetRequest } from '../privacy/forget-request.ts';
import { assertErased, CANARY } from './conformance-records.ts';
import { DAY_MS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

const WAYS = ['time', 'its id', 'redaction'] as const;

/**
 * What a full session had no room for was taken from a message of that session, also when the session that it is kept in
 * has a message of the same id.
 */
export function originsConformance(withMemory: WithMemory): void {
  for (const later of ['chat--2', 'chat-2']) {
    for (const way of WAYS) {
      withMemory(`finds in ${later} what was taken from chat, by ${way}`, async (scene) => {
        const { layers, manager } = scene;
        await say(scene, 'chat', `the ${CANARY}`);
        scene.clock.advance(DAY_MS);
        await say(scene, later, 'harmless');
        await takeOver(scene, later, `kept ${CANARY}`);
        await goThrough(scene, way, 'chat', START_MS);
        await assertErased(scene);
        assert.equal(await layers.transcripts.count(later), 1);
        const isRedacted = way === 'redaction';
        assert.equal((await manager.getMemory(later, 'mem_over')) !== null, isRedacted);
        assert.equal((await layers.details.list('ada')).length, isRedacted ? 1 : 0);
      });

      withMemory(`leaves in ${later} what was taken from chat, by ${way}`, async (scene) => {
        const { layers, manager, clock } = scene;
        await say(scene, 'chat', 'harmless');
        await manager.createSession('ada', { session_id: later });
        await takeOver(scene, later, 'harmless');
        clock.advance(DAY_MS);
        await say(scene, later, `the ${CANARY}`);
        await goThrough(scene, way, later, clock.now());
        await assertErased(scene);
        assert.equal(await layers.transcripts.count('chat'), 1);
        assert.equal((await manager.getMemory(later, 'mem_over'))?.content.text, 'harmless');
        assert.equal((await layers.details.retrieve('ada', 'over')).content, 'harmless');
      });
    }
  }

  withMemory('does not take the days of a client for one conversation', async (scene) => {
    const { layers, manager } = scene;
    const [day, next] = ['cli-2026-11-16', 'cli-2026-11-17'];
    for (const session of [day, 'other']) await say(scene, session, 'harmless');
    await manager.createSession('ada', { session_id: next });
    const provenance = { author: 'assistant', message_id: 'm1' } as const;
    await manager.addMemory(next, { type: 'finding', id: 'mem_1', content: { text: 'x' }, provenance });
    // Which message is meant is unknown: the neighbour's is no likelier than the other.
    const { pieces } = await layers.privacy.forget({ session: next, ids: ['mem_1'] });
    assert.equal(pieces.messages, 2);
  });
}

/** The message `m1`, said now. */
async function say({ layers, manager, clock }: Scene, session: string, content: string): Promise<void> {
  if (!(await manager.listSessions('ada')).some(({ id }) => id === session))
    await manager.createSession('ada', { session_id: session });
  const timestamp = new Date(clock.now()).toISOString();
  await layers.transcripts.archive(session, [{ id: 'm1', role: 'user', content, timestamp }]);
}

/** A memory and a detail of `m1` of `chat`, which had no room for them. */
async function takeOver({ layers, manager }: Scene, session: string, text: string): Promise<void> {
  const provenance = { author: 'assistant', session_id: 'chat', message_id: 'm1' } as const;
  await manager.addMemory(session, { type: 'finding', id: 'mem_over', content: { text }, provenance });
  const metadata = { message_id: 'm1' };
  await layers.details.store(session, { key: 'over', content: text, metadata, provenance });
}

async function goThrough(
  { layers: { privacy } }: Scene,
  way: (typeof WAYS)[number],
  session: string,
  saidMs: number,
): Promise<void> {
  if (way === 'redaction') {
    await privacy.redact({ session, message: 'm1', text: CANARY });
    return;
  }
  const timeRange = { start: new Date(saidMs), end: new Date(saidMs + 1) };
  const request: ForgetRequest = { session, ...(way === 'time' ? { timeRange } : { ids: ['m1'] }) };
  await privacy.forget(request);
}
