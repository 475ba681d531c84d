import assert from 'node:assert/strict';
import { MemoryManager } from '../memory-manager.ts';
import type { ForgetRequest } from '../privacy/forget-request.ts';
import type { RedactionRequest } from '../privacy/redaction.ts';
import { MemoryStore } from '../stores/memory/memory-store.ts';
import { assertErased, CANARY, rejectsWith, STEM } from './conformance-records.ts';
import { DAY_MS, type Holder, START_MS, type WithMemory } from './memory-conformance.ts';

/** Journal, core and details by name; damaged values; and forgetting again what a backup has brought back. */
export function receiptsConformance(withMemory: WithMemory): void {
  withMemory('forgets journal and core by their ids, deleted ones too', async (scene) => {
    const { journal, agents, privacy } = scene.layers;
    await agents.create({ name: 'scout', colour: 'teal' });
    const kept = await journal.save('scout', 'core', 'harmless');
    const core = await journal.save('scout', 'core', `core ${CANARY}`);
    const edited = await journal.save('scout', 'journal', `first ${CANARY}`);
    await journal.edit('scout', edited.id, 'something else');
    const deleted = await journal.save('scout', 'journal', `deleted ${CANARY}`);
    await journal.delete('scout', deleted.id);
    const request = { agent: 'scout', ids: [core.id, edited.id, deleted.id, 'amem_none'] };
    assert.equal((await privacy.preview(request)).memories, 3);
    assert.equal((await journal.list('scout')).length, 3);
    const receipt = await privacy.forget(request);
    assert.deepEqual([receipt.scope, receipt.selection, receipt.pieces.memories], ['agent', 'ids', 3]);
    const { not_found, ...rest } = receipt;
    assert.deepEqual(not_found, ['amem_none']);
    assert.doesNotMatch(JSON.stringify(rest), /scout|amem_/);
    assert.deepEqual(
      (await journal.list('scout')).map(({ id }) => id),
      [kept.id],
    );
    await assertErased(scene);
    assert.equal((await privacy.preview(request)).memories, 0);
    assert.equal((await privacy.preview({ agent: 'unknown', ids: ['amem_x'] })).memories, 0);
    for (const refused of [
      { agent: 'scout', topic: 'x' },
      { agent: 'scout', timeRange: { start: new Date(0), end: new Date(1) } },
    ] as const)
      await rejectsWith('INVALID_OPTION', () => privacy.forget(refused));
  });

  withMemory('redacts a journal or core memory with its earlier texts', async (scene) => {
    const { journal, agents, privacy } = scene.layers;
    await agents.create({ name: 'scout' });
    const { id } = await journal.save('scout', 'core', `${CANARY} and ${CANARY}`);
    await journal.edit('scout', id, `now ${CANARY} only`);
    await journal.pin('scout', id, true);
    const request = { agent: 'scout', memory: id, text: CANARY };
    assert.equal(await privacy.redact(request), 3);
    const memory = await journal.get('scout', id);
    assert.deepEqual([memory.content, memory.pinned], ['now [redacted] only', true]);
    assert.deepEqual(
      (await journal.history('scout', id)).map(({ content }) => content),
      ['[redacted] and [redacted]'],
    );
    await assertErased(scene);
    assert.equal(await privacy.redact(request), 0);
    await rejectsWith('MEMORY_NOT_FOUND', () => privacy.redact({ ...request, memory: 'amem_none' }));
    await rejectsWith('AGENT_NOT_FOUND', () => privacy.redact({ ...request, agent: 'unknown' }));
  });

  withMemory('redacts what a memory said before it was corrected', async (scene) => {
    const { manager, layers } = scene;
    await manager.createSession('ada', { session_id: 'chat' });
    await manager.addMemory('chat', { id: 'mem_1', type: 'finding', content: { text: `was ${CANARY}` } });
    await manager.updateMemory('chat', 'mem_1', { content: { text: 'is harmless' } });
    const request = { session: 'chat', memory: 'mem_1', text: CANARY };
    assert.equal(await layers.privacy.redact(request), 1);
    assert.deepEqual((await manager.getMemory('chat', 'mem_1'))?.content, { text: 'is harmless' });
    await assertErased(scene);
    assert.equal(await layers.privacy.redact(request), 0);
  });

  for (const place of ['message', 'detail', 'memory'] as const) {
    withMemory(`redacts two texts of one ${place} at the same time`, async (scene) => {
      const { manager, layers, openAnother } = scene;
      const text = `one ${CANARY}, two mugwumpword, three ${CANARY}`;
      await manager.createSession('ada', { session_id: 'chat' });
      await layers.transcripts.archive('chat', [{ id: 'msg_1', role: 'user', content: text }]);
      await manager.addMemory('chat', { id: 'mem_1', type: 'finding', content: { text } });
      await layers.details.store('chat', { content: text, key: 'log_1' });
      const piece = {
        message: { session: 'chat', message: 'msg_1' },
        detail: { user: 'ada', detail: 'log_1' },
        memory: { session: 'chat', memory: 'mem_1' },
      }[place];
      const other = await openAnother();
      await Promise.all([
        layers.privacy.redact({ ...piece, text: CANARY }),
        other.layers.privacy.redact({ ...piece, text: 'mugwumpword' }),
      ]);
      const left = {
        message: async () => (await layers.transcripts.messages('chat'))[0]!.content,
        detail: async () => (await layers.details.retrieve('ada', 'log_1')).content,
        memory: async () => (await manager.getMemory('chat', 'mem_1'))!.content.text,
      }[place];
      assert.equal(await left(), 'one [redacted], two [redacted], three [redacted]');
    });
  }

  withMemory('redacts a large value wherever the text stands in it', async (scene) => {
    const { details, privacy } = scene.layers;
    await scene.manager.createSession('ada', { session_id: 'chat' });
    // Across the pieces in which a value is read, among others.
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${i % 7 === 0 ? CANARY : 'harmless'}\n`);
    const before = await details.store('chat', {
      content: lines.join(''),
      key: 'log',
      metadata: { command: `grep ${CANARY}`, message_timestamp: new Date(START_MS).toISOString() },
    });
    await details.setActive('ada', 'log', false);
    assert.equal((await privacy.redact({ user: 'ada', detail: 'log', text: CANARY })) > 2_858, true);
    const after = await details.get('ada', 'log');
    assert.equal(after.content_metadata.command, 'grep [redacted]');
    assert.deepEqual([after.created_at, after.is_active, after.lines], [before.created_at, false, 20_000]);
    const { content } = await details.retrieve('ada', 'log', { lines: [15_000, 15_004] });
    assert.equal(
      content,
      '14999 harmless\n15000 harmless\n15001 [redacted]\n15002 harmless\n15003 harmless\n',
    );
    assert.equal((await details.retrieve('ada', 'log', { search: CANARY })).total_matches, 0);
    await details.setActive('ada', 'log', true);
    assert.deepEqual(await details.search('ada', CANARY), []);
    await assertErased(scene);
    assert.equal(await privacy.redact({ user: 'ada', detail: 'log', text: CANARY }), 0);
    const { layers: others } = await scene.openAnother();
    assert.equal((await others.details.retrieve('ada', 'log', { search: 'redacted' })).total_matches, 2_858);
    await rejectsWith('DETAIL_NOT_FOUND', () => privacy.redact({ user: 'bob', detail: 'log', text: 'x' }));
  });

  withMemory('lets no user forget or redact under the name of another', async (scene) => {
    const { layers, manager } = scene;
    await layers.agents.create({ name: 'scout' });
    const { id } = await layers.journal.save('scout', 'core', CANARY);
    await manager.createSession('ada', { session_id: 'chat' });
    await layers.details.store('chat', { content: CANARY, key: 'log' });
    const bob = manager.as({ account_id: 'local', user_id: 'bob', agent_id: 'spy' });
    const redactions: readonly (readonly [string, RedactionRequest])[] = [
      ['AGENT_NOT_FOUND', { agent: 'scout', memory: id, text: CANARY }],
      ['MEMORY_NOT_FOUND', { user: 'ada', detail: 'log', text: CANARY }],
      ['DETAIL_NOT_FOUND', { user: 'bob', detail: 'log', text: CANARY }],
    ];
    for (const [code, request] of redactions)
      await rejectsWith(code as 'AGENT_NOT_FOUND', () => bob.redact(request));
    await rejectsWith('AGENT_NOT_FOUND', () => bob.forget({ agent: 'scout', ids: [id] }));
    await rejectsWith('AGENT_NOT_FOUND', () => bob.previewForgetting({ agent: 'scout', ids: [id] }));
    const own = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'scout' });
    // Saved outside a conversation, it is agent-wide.
    await rejectsWith('FORBIDDEN', () => own.redact({ agent: 'scout', memory: id, text: CANARY }));
    await rejectsWith('FORBIDDEN', () => own.forget({ agent: 'scout', ids: [id] }));
    assert.ok((await own.redact({ user: 'ada', detail: 'log', text: CANARY })) > 0);
    const admin = manager.as({ account_id: 'local', user_id: 'ada', agent_id: 'scout', role: 'admin' });
    assert.equal(await admin.redact({ agent: 'scout', memory: id, text: CANARY }), 1);
    assert.equal((await admin.forget({ agent: 'scout', ids: [id] })).pieces.memories, 1);
  });

  withMemory('exports all the rest when values are lost or changed, and says so', async (scene) => {
    const { layers, manager, store } = scene;
    await manager.createSession('ada', { session_id: 'chat' });
    for (const key of ['lost', 'changed', 'whole'])
      await layers.details.store('chat', { content: `${key} `.repeat(50), key });
    const [lost, changed] = await store.list('blob', 'chat').then((blobs) => blobs.toSorted());
    await store.removeBlobs({ kind: 'session', id: 'chat' }, [lost!]);
    await store.removeBlobs({ kind: 'session', id: 'chat' }, [changed!]);
    await store.writeBlob({ kind: 'session', id: 'chat' }, changed!, [Buffer.from('chAnged '.repeat(50))]);
    await layers.notes.apply('ada', 'scout', { operation: 'overwrite', content: 'noted\n' });
    const { layers: others } = await scene.openAnother();
    const lines: Readonly<Record<string, string>>[] = [];
    for await (const line of others.privacy.exportUser('ada')) lines.push(JSON.parse(line));
    const keysOf = (kind: string) =>
      lines.filter((line) => line.kind === kind).map((line) => line.memory_key);
    assert.deepEqual(keysOf('detail'), ['lost', 'changed', 'whole']);
    assert.deepEqual(keysOf('damage'), ['lost', 'changed']);
    assert.ok(keysOf('detail_content').includes('whole'));
    assert.equal(lines.at(-1)!.kind, 'notes');
    for (const part of [{}, { page: 1 }, { lines: [1, 1] }, { search: 'anged' }] as const)
      await rejectsWith('CORRUPT_ENTRY', () => others.details.retrieve('ada', 'changed', part));
    assert.equal((await others.details.retrieve('ada', 'whole', { page: 1 })).content, 'whole '.repeat(50));
  });

  for (const [title, request] of FORGOTTEN) {
    withMemory(`forgets again what a backup has brought back: ${title}`, async (scene) => {
      const { layers, clock } = scene;
      const elsewhere = new MemoryManager({ store: new MemoryStore(), clock });
      try {
        const before: Holder = { manager: elsewhere, store: scene.store, layers: await elsewhere.layers() };
        await fill(before);
        const asked = await request(before);
        clock.advance(1_000);
        const { pieces } = await before.layers.privacy.forget(asked);
        const receipts = await before.layers.privacy.receipts();
        clock.jumpTo(START_MS);
        // The store as it was before: the backup.
        await fill(scene);
        clock.advance(DAY_MS);
        assert.notDeepEqual((await layers.privacy.verifyErased([STEM])).found, []);
        const again = await layers.privacy.replay(receipts);
        assert.deepEqual(
          again.map((receipt) => receipt.pieces),
          [pieces],
        );
        await assertErased(scene);
        assert.equal(await layers.transcripts.count('bob-chat'), 1);
        assert.deepEqual(await layers.privacy.replay(receipts), []);
        assert.deepEqual(await layers.privacy.replay(), []);
      } finally {
        await elsewhere.close();
      }
    });
  }

  withMemory(
    'forgets again what only went along with something that the backup does not have',
    async (scene) => {
      const { layers, manager, clock } = scene;
      const elsewhere = new MemoryManager({ store: new MemoryStore(), clock });
      try {
        const others = await elsewhere.layers();
        for (const [each, { transcripts }] of [
          [elsewhere, others],
          [manager, layers],
        ] as const) {
          await each.createSession('ada', { session_id: 'chat' });
          const content = `code is ${CANARY}`;
          await transcripts.archive('chat', [{ id: 'msg_secret', role: 'user', content }]);
        }
        const provenance = { author: 'assistant', message_id: 'msg_secret' } as const;
        const memory = { type: 'finding', id: 'mem_one', content: { text: CANARY } } as const;
        await elsewhere.addMemory('chat', { ...memory, provenance });
        clock.advance(1_000);
        await others.privacy.forget({ user: 'ada', ids: ['mem_one'] });
        const [receipt] = await layers.privacy.replay(await others.privacy.receipts());
        assert.equal(receipt?.pieces.messages, 1);
        await assertErased(scene);
      } finally {
        await elsewhere.close();
      }
    },
  );

  withMemory('leaves what was written after a receipt, and a user who came back', async (scene) => {
    const { layers, manager, clock } = scene;
    await fill(scene);
    const key = (await layers.details.list('ada'))[0]!.memory_key;
    clock.advance(1_000);
    await layers.privacy.forget({ user: 'ada', topic: 'secret' });
    await layers.privacy.forget({ user: 'ada', ids: [key] });
    clock.advance(1_000);
    await manager.addMemory('ada-chat', { type: 'finding', content: { text: 'new' }, tags: ['secret.new'] });
    await layers.details.store('ada-chat', { content: 'new', key });
    assert.deepEqual(await layers.privacy.replay(), []);
    clock.advance(1_000);
    await layers.privacy.forget({ user: 'ada' });
    await layers.privacy.forget({ agent: 'scout' });
    clock.advance(1_000);
    await fill(scene);
    assert.deepEqual(await layers.privacy.replay(), []);
    assert.equal((await layers.privacy.preview({ user: 'ada' })).memories, 2);
    assert.equal((await layers.journal.list('scout')).length, 1);
  });
}

/** The secret is Ada's alone, and Bob has nothing of it. */
const FORGOTTEN: readonly (readonly [string, (holder: Holder) => Promise<ForgetRequest>])[] = [
  ['a user', async () => ({ user: 'ada' })],
  ['ids', async () => ({ user: 'ada', ids: ['mem_ada', 'msg_ada', 'log_ada'] })],
  ['a topic', async () => ({ user: 'ada', topic: 'Secret' })],
  [
    'a time',
    async () => ({
      user: 'ada',
      timeRange: { start: new Date(START_MS), end: new Date(START_MS + 9 * DAY_MS) },
    }),
  ],
];

async function fill({ manager, layers }: Pick<Holder, 'manager' | 'layers'>): Promise<void> {
  await layers.agents.ensure('scout');
  if ((await layers.journal.list('scout')).length === 0)
    await layers.journal.save('scout', 'core', 'harmless');
  for (const user of ['ada', 'bob']) {
    const session = `${user}-chat`;
    if ((await manager.listSessions(user)).length > 0) continue;
    const word = user === 'ada' ? CANARY : 'harmless';
    await manager.createSession(user, { session_id: session });
    await layers.transcripts.archive(session, [{ id: `msg_${user}`, role: 'user', content: word }]);
    const provenance = { author: 'assistant', message_id: `msg_${user}` } as const;
    await manager.addMemory(session, {
      ...{ type: 'finding', id: `mem_${user}`, content: { text: word }, tags: ['secret.code'], provenance },
    });
    await manager.addMemory(session, { type: 'decision', content: { text: 'harmless' } });
    const metadata = { message_id: `msg_${user}` };
    await layers.details.store(session, { content: word, key: `log_${user}`, metadata });
  }
}
