import assert from 'node:assert/strict';
import { rejectsWith } from './conformance-records.ts';
import { DAY_MS, talk, type WithMemory } from './memory-conformance.ts';

export function transcriptConformance(withChat: WithMemory): void {
  withChat('archives a batch, with its first and last timestamp', async ({ layers, openAnother }) => {
    const { transcripts } = layers;
    const [first, second, third] = talk(0, 3);
    const result = await transcripts.archive('chat', [second!, first!, third!], { batchId: 'b1' });
    assert.deepEqual(result, {
      batch_id: 'b1',
      archived: 3,
      duplicates: 0,
      left_out: 0,
      conflicts: [],
      start_timestamp: first!.timestamp,
      end_timestamp: third!.timestamp,
    });
    const other = (await openAnother()).layers.transcripts;
    assert.deepEqual(
      (await other.messages('chat')).map(({ id }) => id),
      ['m1', 'm0', 'm2'],
    );
    const [batch] = await other.batches('chat');
    assert.deepEqual(
      [batch!.batch_id, batch!.start_timestamp, batch!.end_timestamp, batch!.messages],
      ['b1', first!.timestamp, third!.timestamp, 3],
    );
  });

  withChat('keeps a repeated batch and a repeated message once', async ({ layers, openAnother }) => {
    const { transcripts } = layers;
    const first = await transcripts.archive('chat', talk(0, 4), { batchId: 'b1' });
    const other = (await openAnother()).layers.transcripts;
    assert.deepEqual(await other.archive('chat', talk(0, 4), { batchId: 'b1' }), first);
    const again = await other.archive('chat', talk(0, 6));
    assert.deepEqual([again.archived, again.duplicates], [2, 4]);
    const changed = { ...talk(0, 1)[0]!, content: 'something else' };
    const refused = await transcripts.archive('chat', [...talk(0, 2), changed]);
    assert.deepEqual([refused.archived, refused.conflicts], [0, ['m0']]);
    assert.deepEqual(await other.messages('chat'), await transcripts.messages('chat'));
    assert.equal((await transcripts.messages('chat'))[0]!.content, 'This is message number 0.');
    assert.equal(await transcripts.count('chat'), 6);
  });

  withChat('keeps other messages under a batch id that was used before', async ({ layers, openAnother }) => {
    await layers.transcripts.archive('chat', talk(0, 1), { batchId: 'b1' });
    const other = (await openAnother()).layers.transcripts;
    const more = await other.archive('chat', talk(1, 3), { batchId: 'b1' });
    assert.deepEqual([more.archived, more.duplicates], [2, 0]);
    for (const content of ['First.', 'Second.', 'First.'])
      await other.archive('chat', [{ role: 'user', content }], { batchId: 'b2' });
    const kept = await layers.transcripts.messages('chat');
    assert.deepEqual(
      kept.map(({ content }) => content),
      [...talk(0, 3).map(({ content }) => content), 'First.', 'Second.'],
    );
  });

  withChat('keeps each message once when several archive at once', async ({ layers, openAnother }) => {
    const other = (await openAnother()).layers;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 === 0 ? layers : other).transcripts.archive('chat', talk(0, 10)),
      ),
    );
    assert.equal(
      results.reduce((sum, { archived }) => sum + archived, 0),
      10,
    );
    assert.equal(await other.transcripts.count('chat'), 10);
  });

  withChat('keeps user prompts and final answers only', async ({ layers, openAnother }) => {
    const call = { id: 'call_1', name: 'run', arguments: {} };
    const result = await layers.transcripts.archive('chat', [
      { id: 's', role: 'system', content: 'Be brief.' },
      { id: 'u', role: 'user', content: 'List the files.' },
      { id: 'c', role: 'assistant', content: '', tool_calls: [call] },
      { id: 't', role: 'tool', content: 'a.txt', tool_call_id: 'call_1' },
      { id: 'd', role: 'assistant', content: 'I look once more.', tool_calls: [{ ...call, id: 'call_2' }] },
      { id: 'a', sender: 'ai', text: 'There is one file.' },
    ]);
    assert.deepEqual([result.archived, result.left_out], [2, 4]);
    const kept = await (await openAnother()).layers.transcripts.messages('chat');
    assert.deepEqual(
      kept.map(({ id, role, content }) => [id, role, content]),
      [
        ['u', 'user', 'List the files.'],
        ['a', 'assistant', 'There is one file.'],
      ],
    );
  });

  withChat('reads message by message', async ({ layers }) => {
    const { transcripts } = layers;
    await transcripts.archive('chat', talk(0, 7));
    await transcripts.archive('chat', talk(7, 20));
    const ids = async (options: Parameters<typeof transcripts.messages>[1]) =>
      (await transcripts.messages('chat', options)).map(({ id }) => id);
    assert.deepEqual(await ids({ from: 6, limit: 2 }), ['m6', 'm7']);
    assert.deepEqual(await ids({ after: 'm17' }), ['m18', 'm19']);
    assert.deepEqual(await ids({ from: 3, to: 5 }), ['m3', 'm4']);
    assert.deepEqual(
      (await transcripts.latest('chat', 2)).map(({ id }) => id),
      ['m18', 'm19'],
    );
    let page: readonly string[] = [];
    const all: string[] = [];
    do {
      page = await ids({ from: all.length, limit: 3 });
      all.push(...page);
    } while (page.length > 0);
    assert.deepEqual(
      all,
      talk(0, 20).map(({ id }) => id),
    );
  });

  withChat('replays the same bytes in every process, at any time', async ({ layers, clock, openAnother }) => {
    for (let i = 0; i < 30; i += 3) await layers.transcripts.archive('chat', talk(i, i + 3));
    const replay = async (each: typeof layers) => JSON.stringify(await each.transcripts.messages('chat'));
    const before = await replay(layers);
    clock.advance(400 * DAY_MS);
    assert.equal(await replay((await openAnother()).layers), before);
    assert.equal(await replay(layers), before);
  });

  withChat(
    'drops messages whose retention has passed, and nothing else',
    async ({ layers, manager, clock, openAnother }) => {
      await layers.transcripts.archive('chat', [{ id: 'old', role: 'user', content: 'quokkaword' }]);
      clock.advance(20 * DAY_MS);
      await layers.transcripts.archive('chat', talk(0, 2));
      clock.advance(11 * DAY_MS);
      await manager.closeSession('chat');
      const { transcripts, privacy } = (await openAnother()).layers;
      assert.deepEqual(
        (await transcripts.messages('chat')).map(({ id }) => id),
        ['m0', 'm1'],
      );
      assert.equal((await privacy.verifyErased(['quokkawor'])).isErased, true);
      // Its id is known still: a client that sends it again does not bring it back.
      const again = await transcripts.archive('chat', [{ id: 'old', role: 'user', content: 'quokkaword' }]);
      assert.equal(again.archived, 0);
    },
    { config: { transcript: { retain_days: 30 } } },
  );

  withChat('belongs to the user of its session', async ({ manager, layers }) => {
    await layers.transcripts.archive('chat', talk(0, 2));
    const bob = manager.as({ account_id: 'local', user_id: 'bob' });
    await rejectsWith('SESSION_NOT_FOUND', () => bob.messages('chat'));
    await rejectsWith('SESSION_NOT_FOUND', () => bob.archiveMessages('chat', talk(2, 4)));
    await rejectsWith('SESSION_NOT_FOUND', () => bob.conversation('chat'));
    await rejectsWith('SESSION_NOT_FOUND', () => layers.transcripts.archive('nowhere', talk(0, 1)));
    assert.equal((await manager.as({ account_id: 'local', user_id: 'ada' }).messages('chat')).length, 2);
    await bob.archiveMessages('new', talk(0, 2));
    assert.equal(await bob.deleteSession('new'), true);
    await rejectsWith('SESSION_DELETED', () => bob.archiveMessages('new', talk(2, 4)));
  });
}
