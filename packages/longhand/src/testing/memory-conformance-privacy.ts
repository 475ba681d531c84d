import assert from 'node:assert/strict';
import { readLog } from '../core/read-log.ts';
import type { ForgetRequest } from '../privacy/forget-request.ts';
import { hashOf } from '../privacy/receipts.ts';
import { assertErased, CANARY, rejectsWith, STEM } from './conformance-records.ts';
import { DAY_MS, FOUR_CHARACTERS, type Scene, START_MS, type WithMemory } from './memory-conformance.ts';

const OPTIONS = { config: { summary: { enabled: true, threshold: 4, keep_last: 2 } } };
const HARMLESS = 'harmless';

/** Making things gone, showing what there is, and proof of both. Ada's memory is full of the canary, Bob's has none. */
export function privacyConformance(withMemory: WithMemory): void {
  const withTwo = (title: string, work: (scene: Scene) => Promise<void>): void =>
    withMemory(
      title,
      async (scene) => {
        await fill(scene, 'ada', CANARY);
        await fill(scene, 'bob', HARMLESS);
        await work(scene);
      },
      OPTIONS,
    );

  withTwo('finds the canary before, so that not finding it means something', async (scene) => {
    const { privacy } = scene.layers;
    const { isErased, found } = await privacy.verifyErased([CANARY.toUpperCase()]);
    assert.equal(isErased, false);
    assert.ok(new Set(found.map(({ place }) => place)).size >= 4);
    assert.ok(!JSON.stringify(found).includes(CANARY));
    await rejectsWith('INVALID_OPTION', () => privacy.verifyErased(['ab']));
  });

  withTwo('forgets a user, as previewed, and no other user', async (scene) => {
    const { layers, manager, openAnother } = scene;
    const before = await exported(scene, 'bob');
    const pieces = { sessions: 1, memories: 2, messages: 8, details: 1, notes: 1, note_lines: 0, agents: 0 };
    const { items, ...previewed } = await layers.privacy.preview({ user: 'ada' });
    assert.ok(items.length > 0);
    assert.deepEqual(previewed, pieces);
    assert.equal(await manager.exportSession('ada-chat').then((text) => text.includes(CANARY)), true);
    const { still_held: _, ...receipt } = await layers.privacy.forget({ user: 'ada' });
    assert.deepEqual(receipt.pieces, pieces);
    assert.equal(receipt.subject, hashOf('ada'));
    await assertErased(scene, 'ada-chat');
    assert.deepEqual(await exported(scene, 'bob'), before);
    const other = await openAnother();
    assert.deepEqual(await other.manager.listSessions('ada'), []);
    assert.deepEqual(await other.layers.privacy.receipts(), [receipt]);
  });

  withTwo('gives a receipt without content, for each time', async ({ layers, clock }) => {
    const requests: readonly ForgetRequest[] = [
      { session: 'ada-chat', topic: `secret.${CANARY}` },
      { session: 'ada-chat', ids: ['ada_m1', CANARY] },
      { user: 'ada' },
    ];
    for (const request of requests) {
      clock.advance(1_000);
      await layers.privacy.forget(request);
    }
    const receipts = await layers.privacy.receipts();
    assert.deepEqual(
      receipts.map(({ scope, selection, timestamp }) => [scope, selection, timestamp.slice(17, 19)]),
      [
        ['session', 'topic', '01'],
        ['session', 'ids', '02'],
        ['user', 'everything', '03'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(receipts), /ada|canary/);
  });

  withTwo('forgets a session with everything in it', async (scene) => {
    await scene.layers.notes.forget('ada', 'scout');
    await scene.layers.privacy.forget({ session: 'ada-chat' });
    assert.deepEqual(await scene.manager.listSessions('ada'), []);
    // Names too: a person may have chosen what it is called.
    await assertErased(scene, 'ada-chat');
  });

  withTwo(
    'forgets by id: memories, messages and details, and where a memory was taken from',
    async (scene) => {
      const { layers, manager } = scene;
      await manager.addMemory('ada-chat', {
        type: 'decision',
        id: 'mem_taken',
        content: { text: `${CANARY} at 10:30` },
        provenance: { author: 'assistant', message_id: 'ada_m1' },
      });
      const [detail] = await layers.details.list('ada', { sessionId: 'ada-chat' });
      const ids = ['mem_taken', 'mem_ada1', detail!.memory_key];
      const { pieces } = await layers.privacy.forget({ user: 'ada', ids });
      assert.deepEqual([pieces.memories, pieces.messages, pieces.details], [2, 1, 1]);
      assert.notEqual(await manager.getMemory('ada-chat', 'mem_ada2'), null);
      assert.equal(await layers.transcripts.count('ada-chat'), 7);
      await layers.notes.forget('ada', 'scout');
      await assertErased(scene);
    },
  );

  withTwo('rebuilds the summary from what is left', async ({ layers }) => {
    assert.match((await layers.summaries.current('ada-chat'))!.text, new RegExp(CANARY));
    await layers.privacy.forget({ session: 'ada-chat', ids: ['ada_m1'] });
    const summary = (await layers.summaries.current('ada-chat'))!;
    assert.equal(summary.summarized_count, 6);
    assert.doesNotMatch(summary.text, new RegExp(STEM));
    const window = await layers.windows.read('ada-chat');
    assert.doesNotMatch(JSON.stringify(window), new RegExp(STEM));
  });

  withTwo('forgets a topic and the topics under it', async ({ layers, manager }) => {
    const { pieces } = await layers.privacy.forget({ user: 'ada', topic: 'secret' });
    assert.equal(pieces.memories, 1);
    assert.deepEqual(await manager.searchByTopic('ada-chat', 'secret'), []);
    assert.equal((await manager.searchByTopic('bob-chat', 'secret')).length, 1);
    assert.equal((await layers.privacy.verifyErased([`secret.${STEM}`])).isErased, true);
  });

  withTwo('forgets a time: memories, messages, details and lines of notes', async (scene) => {
    const { layers, manager, clock } = scene;
    clock.advance(DAY_MS);
    await layers.notes.apply('ada', 'scout', { operation: 'append', content: 'written later\n' });
    await manager.addMemory('ada-chat', { type: 'finding', content: { text: 'learned later' } });
    const timeRange = { start: new Date(START_MS - 2 * DAY_MS), end: new Date(START_MS + 60_000) };
    await layers.privacy.forget({ user: 'ada', timeRange });
    assert.equal(await layers.transcripts.count('ada-chat'), 0);
    assert.deepEqual(
      (await manager.queryMemories('ada-chat')).map(({ content }) => content.text),
      ['learned later'],
    );
    assert.equal((await layers.notes.read('ada', 'scout')).text.trim(), 'written later');
    await assertErased(scene);
  });

  withTwo('forgets an agent: journal, core, notes and what it wrote', async ({ layers, manager }) => {
    const provenance = { author: 'assistant', trust: 'agent', agent_id: 'spy' } as const;
    await layers.agents.create({ name: 'spy', system_prompt: 'zanzibarword' });
    await layers.journal.save('spy', 'core', 'I know the zanzibarword');
    const { id } = await layers.journal.save('spy', 'journal', 'zanzibarword first');
    await layers.journal.edit('spy', id, 'something else');
    await layers.notes.apply('bob', 'spy', { operation: 'overwrite', content: 'zanzibarword' });
    await manager.addMemory('bob-chat', { type: 'finding', content: { text: 'zanzibarword' }, provenance });
    await layers.details.store('bob-chat', { content: 'zanzibarword', agentId: 'spy' });
    await layers.transcripts.archive('bob-chat', [
      { id: 'by_spy', role: 'assistant', content: 'the zanzibarword', provenance },
      { id: 'named_spy', role: 'assistant', content: 'the zanzibarword again', name: 'spy' },
    ]);
    await manager.createSession('bob', { session_id: 'spy-alone', agents: ['spy'] });
    await layers.transcripts.archive('spy-alone', [
      { id: 'asked', role: 'user', content: 'What do you know?' },
      { id: 'unnamed', role: 'assistant', content: 'the zanzibarword, once more' },
    ]);
    const { pieces } = await layers.privacy.forget({ agent: 'spy' });
    assert.deepEqual([pieces.agents, pieces.notes, pieces.memories, pieces.details], [1, 1, 1, 1]);
    assert.equal(pieces.messages, 3);
    assert.equal(await layers.transcripts.count('spy-alone'), 1);
    assert.equal((await layers.privacy.verifyErased(['zanzibarw'])).isErased, true);
    assert.match((await layers.notes.read('bob', 'scout')).text, new RegExp(HARMLESS));
    assert.equal(await layers.transcripts.count('bob-chat'), 8);
  });

  withTwo('forgets at last what was deleted before', async (scene) => {
    const { layers, manager } = scene;
    await layers.notes.forget('ada', 'scout');
    await layers.details.forget('ada-chat', 'all');
    await layers.transcripts.forget('ada-chat', 'all');
    await manager.deleteMemory('ada-chat', 'mem_ada1');
    await layers.privacy.forget({ user: 'ada', ids: ['mem_ada1'] });
    await assertErased(scene);
  });

  withTwo('takes a time out of a window that was never archived', async ({ layers }) => {
    await layers.windows.append('ada-chat', [
      { id: 'w', role: 'user', content: CANARY, timestamp: new Date(START_MS).toISOString() },
    ]);
    const timeRange = { start: new Date(START_MS - 2 * DAY_MS), end: new Date(START_MS + 1) };
    await layers.privacy.forget({ session: 'ada-chat', timeRange });
    assert.doesNotMatch(JSON.stringify(await layers.windows.read('ada-chat')), new RegExp(STEM));
  });

  for (const [title, requestOf] of CAPTURED_BY) {
    withMemory(
      `takes the kept copy of a message that was too long along with it: by ${title}`,
      async (scene) => {
        const { layers, manager } = scene;
        const { chosen, other } = await captureMessages(scene);
        const request = requestOf();
        const isWhole = !['ids', 'topic', 'timeRange', 'agent'].some((key) => key in request);
        const { details } = await layers.privacy.preview(request);
        assert.equal(details, isWhole ? 2 : 1);
        assert.equal((await layers.privacy.forget(request)).pieces.details, details);
        await assertErased(scene);
        await rejectsWith('DETAIL_NOT_FOUND', () => layers.details.get('ada', chosen));
        if (isWhole) return;
        assert.equal((await layers.details.get('ada', other)).memory_key, other);
        const { messages } = await manager.assembleContext({ ...LONG_REQUEST, messages: [] });
        assert.doesNotMatch(JSON.stringify(messages), new RegExp(STEM));
        await assertErased(scene);
      },
      { tokenCounter: FOUR_CHARACTERS },
    );
  }

  withMemory(
    'keeps the same long message for each of two sessions, and forgets it with the one that is forgotten',
    async (scene) => {
      const { layers, manager } = scene;
      for (const session of ['one', 'two']) {
        await manager.createSession('ada', { session_id: session });
        const long = { id: `${session}_m`, role: 'user' as const, content: 'long '.repeat(4_000) };
        const request = { session, user: 'ada', messages: [long], budget: 1_000 };
        const { messages } = await manager.assembleContext(request);
        assert.match(messages.at(-1)!.content, /\[MemoryRef: message_/);
      }
      assert.equal((await layers.details.list('ada')).length, 2);
      await layers.privacy.forget({ session: 'one' });
      const [left, ...more] = await layers.details.list('ada');
      assert.deepEqual([left!.session_id, more], ['two', []]);
      const again = { session: 'two', user: 'ada', messages: [], budget: 1_000 };
      await layers.transcripts.archive('two', [
        { id: 'two_m', role: 'user', content: 'long '.repeat(4_000) },
      ]);
      await manager.assembleContext(again);
      assert.equal((await layers.details.list('ada')).length, 1);
    },
    { tokenCounter: FOUR_CHARACTERS },
  );

  withTwo('forgets a detail by its key with the message that it was made from', async (scene) => {
    const { layers } = scene;
    const { memory_key } = await layers.details.store('ada-chat', {
      content: 'what message three said',
      metadata: { message_id: 'ada_m3' },
    });
    const { pieces } = await layers.privacy.forget({ user: 'ada', ids: [memory_key] });
    assert.deepEqual([pieces.messages, pieces.details], [1, 1]);
    assert.equal(await layers.transcripts.count('ada-chat'), 7);
  });

  withTwo('forgets details that have expired and were not removed yet', async (scene) => {
    const { layers, clock, openAnother } = scene;
    const { layers: others } = await openAnother({ config: { details: { expire_after_days: 1 } } });
    await others.details.store('bob-chat', { content: 'zanzibarword', key: 'expired' });
    clock.advance(2 * DAY_MS);
    const { pieces } = await layers.privacy.forget({ user: 'bob', ids: ['expired'] });
    assert.equal(pieces.details, 1);
    assert.equal((await layers.privacy.verifyErased(['zanzibarword'])).isErased, true);
  });

  withTwo(
    'keeps no receipt of a forgetting that found nothing, and rewrites nothing for it',
    async (scene) => {
      const { manager, layers, store } = scene;
      const { privacy } = layers;
      const address = { kind: 'session', id: 'ada-chat' } as const;
      const { generation } = (await readLog(store, address)).position;
      for (const request of [
        { user: 'ada', ids: ['mem_none'] },
        { session: 'ada-chat', ids: ['mem_none'] },
        { user: 'ada', topic: 'nowhere' },
      ] as const) {
        const { receipt_id, pieces } = await privacy.forget(request);
        assert.deepEqual([receipt_id, pieces.memories], [null, 0]);
      }
      assert.deepEqual(await privacy.receipts(), []);
      assert.equal(await privacy.redact({ session: 'ada-chat', memory: 'mem_ada1', text: 'nowhere' }), 0);
      assert.equal((await readLog(store, address)).position.generation, generation);
      assert.match(JSON.stringify(await manager.getMemory('ada-chat', 'mem_ada1')), new RegExp(CANARY));
      assert.notEqual((await privacy.forget({ user: 'ada', ids: ['mem_ada1'] })).receipt_id, null);
      assert.equal((await privacy.receipts()).length, 1);
    },
  );

  withTwo('redacts a span, and leaves the rest', async (scene) => {
    const { layers, manager } = scene;
    const { privacy } = layers;
    assert.equal(await privacy.redact({ session: 'ada-chat', memory: 'mem_ada1', text: CANARY }), 2);
    assert.deepEqual((await manager.getMemory('ada-chat', 'mem_ada1'))?.content, { text: '[redacted] one' });
    assert.equal(await privacy.redact({ session: 'ada-chat', message: 'ada_m1', text: CANARY }), 1);
    const messages = await layers.transcripts.messages('ada-chat');
    assert.equal(messages[1]!.content, 'I decided on the [redacted] at 10:30 on Tuesday');
    assert.deepEqual(await manager.queryMemories('ada-chat', { text: CANARY }), []);
    assert.ok((await privacy.redact({ user: 'ada', agent: 'scout', text: CANARY })) > 0);
    assert.match((await layers.notes.read('ada', 'scout')).text, /likes \[redacted\]/);
    await layers.details.forget('ada-chat', 'all');
    await assertErased(scene);
  });

  withTwo('exports everything about a user, and nothing about others', async (scene) => {
    const lines = await exported(scene, 'ada');
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    assert.deepEqual(
      ['export', 'session', 'memory', 'message', 'summary', 'detail', 'notes'].map(count),
      [1, 1, 2, 8, 1, 1, 1],
    );
    assert.ok(count('detail_content') > 0);
    assert.doesNotMatch(lines.join(''), /bob|harmless/);
  });

  withTwo('refuses what could mean too much', async ({ layers, manager }) => {
    const { privacy } = layers;
    const refused: readonly [string, ForgetRequest][] = [
      ['SCOPE_MISSING', {}],
      ['SCOPE_MISSING', { topic: 'secret' }],
      ['INVALID_OPTION', { user: 'ada', session: 'ada-chat' }],
      ['INVALID_OPTION', { user: 'ada', ids: [] }],
      ['INVALID_OPTION', { agent: 'scout', topic: 'secret' }],
      ['INVALID_OPTION', { user: 'ada', timeRange: { start: new Date(1), end: new Date(0) } }],
    ];
    for (const [code, request] of refused)
      await rejectsWith(code as 'SCOPE_MISSING', () => privacy.forget(request));
    const bob = manager.as({ account_id: 'local', user_id: 'bob' });
    await rejectsWith('MEMORY_NOT_FOUND', () => bob.forget({ user: 'ada' }));
    await rejectsWith('SESSION_NOT_FOUND', () => bob.forget({ session: 'ada-chat' }));
    assert.deepEqual((await privacy.preview({ user: 'ada' })).memories, 2);
    assert.deepEqual((await privacy.preview({ user: 'unknown' })).sessions, 0);
  });
}

const LONG_REQUEST = { session: 'long', user: 'ada', budget: 1_000 };

/** Ways to forget the second of three messages. */
const CAPTURED_BY: readonly (readonly [string, () => ForgetRequest])[] = [
  ['its id', () => ({ user: 'ada', ids: ['long_m1'] })],
  ['its id in its session', () => ({ session: 'long', ids: ['long_m1'] })],
  [
    'its time',
    () => ({ user: 'ada', timeRange: { start: new Date(START_MS - 1), end: new Date(START_MS) } }),
  ],
  ['the topic of a memory that was taken from it', () => ({ user: 'ada', topic: 'secret' })],
  ['its conversation', () => ({ session: 'long' })],
  ['its user', () => ({ user: 'ada' })],
  ['the agent that said it', () => ({ agent: 'scout' })],
];

/** Two messages too long for a prompt, kept as details a day after they were said. The keys of the details. */
async function captureMessages({
  layers,
  manager,
  clock,
}: Scene): Promise<{ readonly chosen: string; readonly other: string }> {
  await manager.createSession('ada', { session_id: 'long' });
  const at = (offsetMs: number): string => new Date(START_MS + offsetMs).toISOString();
  const provenance = { author: 'assistant', trust: 'agent', agent_id: 'scout' } as const;
  await layers.transcripts.archive('long', [
    { id: 'long_m0', role: 'user', content: `${HARMLESS} `.repeat(2_000), timestamp: at(60_000) },
    { id: 'long_m1', role: 'assistant', content: `${CANARY} `.repeat(2_000), timestamp: at(0), provenance },
    { id: 'long_m2', role: 'user', content: 'And then?', timestamp: at(120_000) },
  ]);
  await manager.addMemory('long', {
    type: 'finding',
    content: { text: 'something was said' },
    tags: ['secret'],
    provenance: { author: 'assistant', message_id: 'long_m1', agent_id: 'scout' },
    timestamp: at(180_000),
  });
  clock.advance(DAY_MS);
  await manager.assembleContext({ ...LONG_REQUEST, messages: [] });
  const kept = await layers.details.list('ada', { sessionId: 'long' });
  const keyOf = (id: string): string =>
    kept.find(({ content_metadata }) => content_metadata.message_id === id)!.memory_key;
  return { chosen: keyOf('long_m1'), other: keyOf('long_m0') };
}

/** Something in every layer of a user. */
async function fill({ layers, manager }: Scene, user: string, word: string): Promise<void> {
  const session = `${user}-chat`;
  await manager.createSession(user, { session_id: session, agents: ['scout'] });
  await layers.agents.ensure('scout');
  await manager.addMemories(session, [
    { id: `mem_${user}1`, type: 'finding', content: { text: `${word} one` }, tags: [`secret.${word}`] },
    { id: `mem_${user}2`, type: 'decision', content: { text: `kept by ${user}` } },
  ]);
  await layers.transcripts.archive(
    session,
    Array.from({ length: 8 }, (_, i) => ({
      id: `${user}_m${i}`,
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: i === 1 ? `I decided on the ${word} at 10:30 on Tuesday` : `Message number ${i} of ${user}`,
      timestamp: new Date(START_MS - DAY_MS + i * 60_000).toISOString(),
    })),
  );
  await layers.summaries.update(session);
  await layers.windows.read(session);
  const about = `# About\n\nlikes ${word}\n`;
  await layers.notes.apply(user, 'scout', { operation: 'overwrite', content: about });
  await layers.notes.apply(user, 'scout', { operation: 'append', content: 'plain line\n' });
  await layers.details.store(session, { content: `${word}\n`.repeat(100), description: `log of ${word}` });
  await manager.queryMemories(session, { text: word });
  await manager.rebuildIndex(session);
}

async function exported({ layers }: Scene, user: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of layers.privacy.exportUser(user)) lines.push(line);
  return lines;
}
