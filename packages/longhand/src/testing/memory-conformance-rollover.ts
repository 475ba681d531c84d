import assert from 'node:assert/strict';
import { findMemoryRefs } from '../core/memory-ref.ts';
import type { NewMemory } from '../core/records.ts';
import { TOOLS, type ToolResult } from '../tools/index.ts';
import { rejectsWith } from './conformance-records.ts';
import type { Holder, Scene, WithMemory } from './memory-conformance.ts';

const TIGHT = {
  config: { details: { quota_mb: 0.02 }, storage: { max_session_size_mb: 0.02, auto_compact: false } },
};
const SECRET = 'said by Bob alone';

/** Rollover of a full session: never into another user's. */
export function rolloverConformance(withMemory: WithMemory): void {
  for (const by of ['this process', 'another process'] as const) {
    for (const kind of ['details', 'memories'] as const) {
      withMemory(
        `keeps ${kind} out of another user’s session when ${by} has created the session again`,
        async (scene) => {
          const went = await rollOver(scene, kind);
          await scene.manager.addMemory(went, { type: 'finding', content: { text: 'of Ada' } });
          const other = by === 'this process' ? scene : await scene.openAnother();
          await other.manager.deleteSession('chat');
          await other.manager.createSession('bob', { session_id: 'chat' });
          assert.equal(await keep(scene, kind, 'bob', SECRET), 'chat');
          await assertOnlyBobs(scene);
        },
        TIGHT,
      );

      withMemory(
        `keeps ${kind} out of a continuation that ${by} has created again for another user`,
        async (scene) => {
          const went = await rollOver(scene, kind);
          const other = by === 'this process' ? scene : await scene.openAnother();
          await other.manager.deleteSession(went);
          await other.manager.createSession('bob', { session_id: went });
          const now = await keep(scene, kind, 'ada', `${LARGE} of Ada`);
          assert.notEqual(now, went);
          assert.equal((await scene.manager.loadSession(now)).user_id, 'ada');
          assert.deepEqual(await scene.layers.details.list('bob'), []);
          assert.deepEqual(await scene.manager.queryMemories(went), []);
        },
        TIGHT,
      );
    }
  }

  withMemory(
    'goes back to a session that the same user has created again',
    async (scene) => {
      await rollOver(scene, 'details');
      const { manager } = await scene.openAnother();
      await manager.deleteSession('chat');
      await manager.createSession('ada', { session_id: 'chat' });
      assert.equal(await keep(scene, 'details', 'ada', 'small'), 'chat');
    },
    TIGHT,
  );

  withMemory(
    'passes over numbers that are another user’s, and finds its own again',
    async (scene) => {
      const { manager, layers, openAnother } = scene;
      await manager.createSession('ada', { session_id: 'chat' });
      const [second, third] = await twoContinuations(scene);
      await manager.deleteSession('chat');
      for (const id of [second, third]) {
        await manager.deleteSession(id);
        await manager.createSession('bob', { session_id: id });
      }
      await manager.createSession('ada', { session_id: 'chat' });
      await keep(scene, 'details', 'ada', LARGE);
      const went = await keep(scene, 'details', 'ada', 'z'.repeat(10_000));
      assert.ok(![second, third, 'chat'].includes(went));
      assert.equal((await manager.loadSession(went)).user_id, 'ada');
      const small = await keep(await openAnother(), 'details', 'ada', 'x'.repeat(6_000));
      assert.equal(small, went);
      const { messages } = await manager.assembleContext({
        ...{ session: 'chat', user: 'ada', budget: 1_000 },
        messages: [{ role: 'user', content: 'word '.repeat(3_500) }],
      });
      const [ref] = findMemoryRefs(messages.at(-1)!.content);
      assert.equal((await layers.details.get('ada', ref!.key)).user_id, 'ada');
      assert.deepEqual(await layers.details.list('bob'), []);
    },
    TIGHT,
  );

  withMemory(
    'keeps what a full day has no room for apart from the next day',
    async (scene) => {
      const { layers, manager } = scene;
      const [day, next] = ['cli-2026-11-16', 'cli-2026-11-17'];
      for (const session_id of [day, next]) await manager.createSession('ada', { session_id });
      await layers.details.keep(day, { content: LARGE });
      const { session_id, memory_key } = await layers.details.keep(day, { content: `2 ${LARGE}` });
      assert.equal(session_id, 'cli-2026-11-16--2');
      await manager.deleteSession(next);
      assert.equal((await layers.details.get('ada', memory_key)).session_id, session_id);
    },
    TIGHT,
  );

  withMemory('takes what rollover of the earlier form hold with the session', async (scene) => {
    const { manager } = scene;
    for (const session_id of ['chat', 'chat-2']) await manager.createSession('ada', { session_id });
    const memory = { type: 'finding', content: { text: 'kept' } } as const;
    const provenance = { author: 'assistant', session_id: 'chat' } as const;
    await manager.addMemory('chat-2', { ...memory, id: 'mem_rolled', provenance });
    await manager.addMemory('chat-2', { ...memory, id: 'mem_own' });
    await manager.deleteSession('chat');
    assert.equal(await manager.getMemory('chat-2', 'mem_rolled'), null);
    assert.notEqual(await manager.getMemory('chat-2', 'mem_own'), null);
  });

  withMemory(
    'keeps a memory with an id of its own once, whichever session of the chain has it',
    async (scene) => {
      const first = scene.manager.as(ADA);
      const second = (await scene.openAnother()).manager.as(ADA);
      await first.createSession({ session_id: 'chat' });
      assert.equal(await first.keepMemories('chat', [finding('m1', 'first')]), 'chat');
      assert.equal(await second.keepMemories('chat', [finding('m2', LARGE)]), 'chat');
      const went = await second.keepMemories('chat', [finding('m3', LARGE)]);
      assert.notEqual(went, 'chat');
      // One has written to the continuation, the other knows nothing of it.
      for (const memory of [first, second]) {
        assert.equal(await memory.keepMemories('chat', [finding('m1', 'first')]), 'chat');
        assert.equal(await memory.keepMemories('chat', [finding('m3', LARGE)]), went);
        const taken = [finding('m4', 'new'), finding('m1', 'another')];
        await rejectsWith('ID_TAKEN', () => memory.keepMemories('chat', taken));
      }
      await second.keepMemories('chat', [finding('m1', 'first'), finding('m5', 'new')]);
      assert.equal(await second.deleteMemory('chat', 'm1'), true);
      for (const memory of [first, second])
        await rejectsWith('ID_DELETED', () => memory.keepMemories('chat', [finding('m1', 'first')]));
      assert.deepEqual(await idsIn(scene, 'chat', went), ['m2', 'm3', 'm5']);
    },
    TIGHT,
  );

  withMemory(
    'keeps memories once that many bring for a full session at once',
    async (scene) => {
      await scene.manager.createSession('ada', { session_id: 'chat' });
      const holders = [scene, await scene.openAnother(), await scene.openAnother()];
      const batches = Array.from({ length: 12 }, (_, i) => [
        finding(`a${i}`, `${i} ${'x'.repeat(2_000)}`),
        finding(`b${i}`, `${i} ${'x'.repeat(2_000)}`),
      ]);
      await Promise.all(
        holders.map(async ({ manager }, i) => {
          const own = i === 1 ? batches.toReversed() : batches;
          for (const batch of own)
            for (const part of i === 2 ? batch.map((one) => [one]) : [batch])
              await manager.as(ADA).keepMemories('chat', part);
        }),
      );
      const sessions = (await scene.manager.listSessions('ada')).map(({ id }) => id);
      assert.ok(sessions.length > 2);
      const expected = batches.flatMap((batch) => batch.map(({ id }) => id));
      assert.deepEqual(await idsIn(scene, ...sessions), expected.sort());
    },
    TIGHT,
  );

  withMemory(
    'gives back a detail that the session had before it was full',
    async (scene) => {
      const { layers, manager } = scene;
      await manager.createSession('ada', { session_id: 'chat' });
      const value = { key: 'kept_once', content: 'first' };
      await layers.details.keep('chat', value);
      await layers.details.keep('chat', { content: LARGE });
      assert.notEqual((await layers.details.keep('chat', { content: LARGE })).session_id, 'chat');
      assert.equal((await layers.details.keep('chat', value)).session_id, 'chat');
      const bytes = { key: 'kept_once', content: [Buffer.from('fi'), Buffer.from('rst')] };
      assert.equal((await layers.details.keep('chat', bytes)).session_id, 'chat');
      const other = { key: 'kept_once', content: 'another' };
      await rejectsWith('ID_TAKEN', () => layers.details.keep('chat', other));
      await manager.createSession('ada', { session_id: 'elsewhere' });
      await rejectsWith('ID_TAKEN', () => layers.details.keep('elsewhere', value));
    },
    TIGHT,
  );

  withMemory(
    'goes on in the account of the session',
    async (scene) => {
      await scene.manager.createSession('ada', { session_id: 'chat', account_id: 'acme' });
      await keep(scene, 'details', 'ada', LARGE);
      const went = await scene.layers.details.keep('chat', { content: `2 ${LARGE}` });
      assert.equal((await scene.manager.loadSession(went.session_id)).account_id, 'acme');
    },
    TIGHT,
  );

  withMemory(
    'makes no sessions for a memory that none has room for',
    async (scene) => {
      const { manager, layers } = scene;
      await manager.createSession('ada', { session_id: 'chat' });
      for (const length of [20_500, 30_000])
        for (let again = 0; again < 2; again++) {
          const adding = layers.userMemories.add('ada', 'chat', { content: 'x'.repeat(length) });
          await assert.rejects(adding, ({ code }: { code: string }) => code === 'SESSION_FULL');
        }
      assert.equal((await manager.listSessions()).length, 1);
    },
    TIGHT,
  );

  withMemory(
    'keeps everything that many writers have for a full session at once',
    async (scene) => {
      const { manager, layers, openAnother } = scene;
      await manager.createSession('ada', { session_id: 'chat' });
      const other = await openAnother();
      const kept = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          (i % 2 === 0 ? layers : other.layers).details.keep('chat', { content: `${i} ${LARGE}` }),
        ),
      );
      assert.equal(new Set(kept.map(({ session_id }) => session_id)).size, 12);
      assert.equal((await layers.details.list('ada')).length, 12);
    },
    TIGHT,
  );
}

const LARGE = 'y'.repeat(15_000);
const ADA = { account_id: 'local', user_id: 'ada' };

function finding(id: string, text: string): NewMemory & { readonly id: string } {
  return { id, type: 'finding', content: { text } };
}

/** The ids of all memories of some sessions, sorted: one that two of them hold is there twice. */
async function idsIn({ manager }: Holder, ...sessionIds: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const sessionId of sessionIds)
    for (const { id } of JSON.parse(await manager.exportSession(sessionId)).memories) ids.push(id);
  return ids.sort();
}

/** Fills `chat` of Ada, and gives the session that it went on in. */
async function rollOver(scene: Scene, kind: 'details' | 'memories'): Promise<string> {
  await scene.manager.createSession('ada', { session_id: 'chat' });
  assert.equal(await keep(scene, kind, 'ada', LARGE), 'chat');
  const went = await keep(scene, kind, 'ada', `2 ${LARGE}`);
  assert.notEqual(went, 'chat');
  return went;
}

/** The names of the two sessions that `chat` would go on in. */
async function twoContinuations(scene: Scene): Promise<readonly [string, string]> {
  await keep(scene, 'details', 'ada', LARGE);
  const second = await keep(scene, 'details', 'ada', `2 ${LARGE}`);
  return [second, await keep(scene, 'details', 'ada', `3 ${LARGE}`)];
}

/** In which session it was kept. */
async function keep(
  holder: Holder,
  kind: 'details' | 'memories',
  user: string,
  content: string,
): Promise<string> {
  if (kind === 'details') return (await holder.layers.details.keep('chat', { content })).session_id;
  const { session_id, error } = await store(holder, user, content);
  assert.equal(error, undefined);
  return String(session_id);
}

async function store({ manager }: Holder, user: string, content: string): Promise<ToolResult> {
  const scope = await manager.as({ account_id: 'local', user_id: user }).toolScope('chat');
  return TOOLS.find(({ name }) => name === 'store_memory')!.run({ content, type: 'finding' }, scope);
}

/** Nothing that Ada has holds what Bob said. */
async function assertOnlyBobs({ openAnother }: Scene): Promise<void> {
  const { manager, layers } = await openAnother();
  for (const { id } of await manager.listSessions('ada'))
    assert.ok(!(await manager.exportSession(id)).includes(SECRET));
  for (const { memory_key } of await layers.details.list('ada'))
    assert.notEqual((await layers.details.retrieve('ada', memory_key)).content, SECRET);
  const details = (await layers.details.list('bob')).length;
  assert.equal(details + (await manager.queryMemories('chat')).length, 1);
}
