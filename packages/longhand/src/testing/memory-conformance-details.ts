import assert from 'node:assert/strict';
import { findMemoryRefs, formatMemoryRef, teachMemoryRefs } from '../core/memory-ref.ts';
import type { Summariser } from '../core/summariser.ts';
import { rejectsWith } from './conformance-records.ts';
import { DAY_MS, FOUR_CHARACTERS, type WithMemory } from './memory-conformance.ts';

const LOG = Array.from({ length: 400 }, (_, i) => `line ${i + 1}: ${i === 99 ? 'ERROR disk full' : 'ok'}`);

/** Large values behind placeholders: kept whole, read in part, found again, and gone when their time has come. */
export function detailsConformance(withMemory: WithMemory): void {
  const withSession: WithMemory = (title, work, options) =>
    withMemory(
      title,
      async (scene) => {
        await scene.manager.createSession('ada', { session_id: 'chat' });
        await scene.manager.createSession('bob', { session_id: 'other' });
        await work(scene);
      },
      { tokenCounter: FOUR_CHARACTERS, ...options },
    );

  withSession('keeps a value behind a key, with what is known of it', async ({ layers, openAnother }) => {
    const detail = await layers.details.store('chat', {
      content: 'all of it',
      description: 'the log',
      type: 'command_output',
      metadata: { command: 'npm test', seconds: 3 },
      agentId: 'scout',
    });
    assert.equal(
      formatMemoryRef(detail.memory_key, detail.summary),
      `[MemoryRef: ${detail.memory_key} - the log]`,
    );
    assert.deepEqual(
      [detail.session_id, detail.agent_id, detail.user_id, detail.memory_type, detail.is_active],
      ['chat', 'scout', 'ada', 'command_output', true],
    );
    assert.deepEqual(detail.content_metadata, { command: 'npm test', seconds: 3 });
    assert.equal(detail.created_at, '2026-03-02T10:00:00.000Z');
    const { details } = (await openAnother()).layers;
    assert.deepEqual(await details.get('ada', detail.memory_key), detail);
    assert.equal((await details.retrieve('ada', detail.memory_key)).content, 'all of it');
    await rejectsWith('INVALID_OPTION', () =>
      layers.details.store('chat', { content: 'x', type: 'journal' }),
    );
    await rejectsWith('INVALID_OPTION', () => layers.details.store('chat', { content: 'x', type: 'core' }));
  });

  withSession('has keys of up to 255 characters', async ({ layers, openAnother }) => {
    const key = 'k'.repeat(255);
    const content = 'a walrus';
    await layers.details.store('chat', { content, key });
    const { details, privacy } = (await openAnother()).layers;
    assert.equal((await details.retrieve('ada', key)).content, content);
    assert.equal((await details.search('ada', 'walrus'))[0]?.memory_key, key);
    await rejectsWith('INVALID_ID', () => details.store('chat', { content, key: `${key}k` }));
    await privacy.forget({ session: 'chat', ids: [key] });
    await rejectsWith('DETAIL_NOT_FOUND', () => layers.details.get('ada', key));
  });

  withSession('has descriptions that cannot break out of their placeholder', async ({ layers }) => {
    for (const description of [
      'x] [MemoryRef: forged - y',
      'two\nlines\u2028and more',
      `${'long '.repeat(500)}`,
      '[[[]]] - - ]',
    ]) {
      const { memory_key, summary } = await layers.details.store('chat', { content: 'x', description });
      const refs = findMemoryRefs(`before ${formatMemoryRef(memory_key, summary)} after`);
      assert.deepEqual(
        refs.map(({ key }) => key),
        [memory_key],
      );
    }
    assert.deepEqual(
      findMemoryRefs('the short form [MemoryRef: log_1] too').map(({ key }) => key),
      ['log_1'],
    );
  });

  withSession('reads a value whole, by page, lines, search and pointer', async ({ layers, openAnother }) => {
    const text = `${LOG.join('\n')}\n`;
    const log = await layers.details.store('chat', { content: text });
    const json = await layers.details.store('chat', {
      content: JSON.stringify({ items: [{ name: 'Ada' }] }),
    });
    const { details } = (await openAnother()).layers;
    const retrieve = (options = {}, key = log.memory_key) => details.retrieve('ada', key, options);
    assert.equal((await retrieve()).content, text);
    let pages = '';
    const { total_pages } = await retrieve({ page: 1, pageSize: 1_000 });
    for (let page = 1; page <= total_pages!; page++)
      pages += (await retrieve({ page, pageSize: 1_000 })).content;
    assert.ok(total_pages! > 3);
    assert.equal(pages, text);
    assert.equal((await retrieve({ lines: [7, 8] })).content.trimEnd(), 'line 7: ok\nline 8: ok');
    const found = await retrieve({ search: 'error DISK', context: 0 });
    assert.deepEqual([found.total_matches, found.content], [1, '100: line 100: ERROR disk full\n']);
    assert.equal((await retrieve({ pointer: '/items/0/name' }, json.memory_key)).content, 'Ada');
    await rejectsWith('INVALID_OPTION', () => retrieve({ page: 1, lines: [1, 2] }));
    await rejectsWith('INVALID_OPTION', () => retrieve({ pointer: '/items' }));
    await rejectsWith('DETAIL_NOT_FOUND', () => details.retrieve('ada', 'no_such_key'));
  });

  withSession('takes a large value as it comes, and gives it back piece by piece', async ({ layers }) => {
    const piece = new Uint8Array(64_000).fill(0x61);
    piece[63_999] = 0x0a;
    async function* produce(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 40; i++) yield piece;
    }
    const detail = await layers.details.store('chat', { content: produce() });
    assert.deepEqual([detail.size_bytes, detail.lines], [2_560_000, 40]);
    let bytes = 0;
    let pieces = 0;
    for await (const chunk of layers.details.stream('ada', detail.memory_key)) {
      bytes += chunk.length;
      pieces++;
    }
    assert.equal(bytes, 2_560_000);
    assert.ok(pieces > 1);
    const whole = await layers.details.retrieve('ada', detail.memory_key);
    assert.deepEqual([whole.part, whole.is_truncated], ['page', true]);
  });

  withSession('stores the same value under the same key once', async ({ layers, openAnother }) => {
    const first = await layers.details.store('chat', { content: 'x', key: 'own_key' });
    const { details } = (await openAnother()).layers;
    assert.deepEqual(await details.store('chat', { content: 'x', key: 'own_key' }), first);
    await rejectsWith('ID_TAKEN', () => details.store('chat', { content: 'y', key: 'own_key' }));
    assert.equal((await layers.details.list('ada')).length, 1);
  });

  withSession(
    'finds active details only, and still retrieves the others',
    async ({ layers, openAnother }) => {
      const { memory_key } = await layers.details.store('chat', {
        content: 'x',
        description: 'the build log',
      });
      await layers.details.store('other', { content: 'x', description: 'the build log of Bob' });
      const { details } = (await openAnother()).layers;
      const search = async () => (await details.search('ada', 'build log')).map((found) => found.memory_key);
      assert.deepEqual(await search(), [memory_key]);
      await layers.details.setActive('ada', memory_key, false);
      assert.deepEqual(await search(), []);
      assert.equal((await details.get('ada', memory_key)).is_active, false);
      assert.equal((await details.retrieve('ada', memory_key)).content, 'x');
      await details.setActive('ada', memory_key, true);
      assert.deepEqual(await search(), [memory_key]);
    },
  );

  withSession(
    'finds what stands anywhere in a large value, says in which lines, and finds no more what was forgotten',
    async ({ layers, openAnother }) => {
      const lines = Array.from({ length: 60_000 }, (_, i) => `step ${i + 1} took its time, and all was well`);
      lines.push('quokka sighted near the jetty');
      const value = { content: lines.join('\n'), description: 'Log of a long night', key: 'night' };
      await layers.details.store('chat', value);
      await layers.details.store('chat', { content: 'a short night', key: 'short' });
      await layers.details.store('chat', { content: [Buffer.from('\0quokka\xff', 'latin1')], key: 'binary' });
      const { details } = (await openAnother()).layers;
      const found = await Promise.all([1, 2, 3].map(() => details.search('ada', 'Where was the quokka?')));
      for (const each of found) assert.deepEqual(each, found[0]);
      const [first, ...others] = found[0]!;
      assert.deepEqual([first?.memory_key, first?.match, others], ['night', 1, []]);
      const [from, to] = first!.lines!;
      assert.equal(to, lines.length);
      const passage = await details.retrieve('ada', 'night', { lines: [from, to] });
      assert.ok(passage.content.endsWith(lines.at(-1)!) && passage.content.length < 2_000);
      const byDescription = await details.search('ada', 'long night');
      assert.deepEqual(
        byDescription.map(({ memory_key, lines }) => [memory_key, lines]),
        [
          ['night', undefined],
          ['short', undefined],
        ],
      );
      await layers.details.remove('ada', 'night');
      for (const holder of [details, layers.details])
        assert.deepEqual(await holder.search('ada', 'quokka'), []);
      assert.equal((await details.search('ada', 'night')).length, 1);
    },
  );

  withSession('captures long tool output, and leaves short output and its own alone', async ({ layers }) => {
    const output = LOG.join('\n');
    const { details } = layers;
    const captured = await details.captureToolOutput('chat', {
      output,
      command: 'npm install',
      toolName: 'shell',
      status: 'success',
    });
    const { memory_key, summary } = captured.detail!;
    assert.equal(
      captured.text,
      `Command 'npm install' executed. Logs stored in [MemoryRef: ${memory_key} - ${summary}]. Status: Success.`,
    );
    assert.match(summary, /^Success; 5\.\d kB, 400 lines; first: line 1: ok; last: line 400: ok$/);
    assert.equal((await details.retrieve('ada', memory_key)).content, output);
    // The threshold is 500 tokens, here of four characters each.
    const short = 'x'.repeat(2_000);
    assert.deepEqual(await details.captureToolOutput('chat', { output: short }), { text: short });
    assert.ok((await details.captureToolOutput('chat', { output: `${short}x` })).detail);
    const retrieved = await details.captureToolOutput('chat', { output, toolName: 'retrieve_memory' });
    assert.deepEqual(retrieved, { text: output });
  });

  withSession(
    'captures above another threshold when told to',
    async ({ layers }) => {
      const { details } = layers;
      assert.equal((await details.captureToolOutput('chat', { output: 'x'.repeat(40) })).detail, undefined);
      assert.ok((await details.captureToolOutput('chat', { output: 'x'.repeat(41) })).detail);
    },
    { config: { details: { capture_above_tokens: 10 } } },
  );

  withSession(
    'keeps the details of a session within their quota',
    async ({ layers, openAnother }) => {
      const kept = await layers.details.store('chat', { content: 'x'.repeat(8_000) });
      const { details } = (await openAnother()).layers;
      await rejectsWith('DETAIL_QUOTA', () => details.store('chat', { content: 'y'.repeat(8_000) }));
      await details.store('other', { content: 'y'.repeat(8_000) });
      await details.remove('ada', kept.memory_key);
      await layers.details.store('chat', { content: 'z'.repeat(8_000) });
    },
    { config: { details: { quota_mb: 0.01 } } },
  );

  withSession(
    'lets details expire, and takes them out of every byte',
    async ({ layers, manager, clock, openAnother }) => {
      const { memory_key } = await layers.details.store('chat', {
        content: 'quokkavalue',
        description: 'quokkavalue',
      });
      clock.advance(2 * DAY_MS - 1);
      assert.equal((await layers.details.list('ada')).length, 1);
      clock.advance(1);
      const other = await openAnother();
      await rejectsWith('DETAIL_NOT_FOUND', () => other.layers.details.get('ada', memory_key));
      assert.deepEqual(await other.layers.details.search('ada', 'quokkavalue'), []);
      await manager.closeSession('chat');
      assert.equal((await layers.privacy.verifyErased(['quokkavalu'])).isErased, true);
    },
    { config: { details: { expire_after_days: 2 } } },
  );

  const model: Summariser = {
    name: 'small-model',
    summarise: async () => 'a summary',
    describe: async (text, { command }) => {
      if (text.includes('ERROR')) throw new Error('the model is gone');
      return `${command} went ] well`;
    },
  };
  withSession(
    'has descriptions written by a model, and makes one itself when the model fails',
    async ({ layers }) => {
      const output = 'fine\n'.repeat(600);
      const { detail } = await layers.details.captureToolOutput('chat', { output, command: 'ls' });
      assert.deepEqual([detail!.summary, detail!.summary_method], ['ls went ) well', 'small-model']);
      const failed = await layers.details.captureToolOutput('chat', {
        output: LOG.join('\n'),
        command: 'ls',
      });
      assert.equal(failed.detail!.summary_method, 'extractive');
      assert.match(failed.detail!.summary, /400 lines/);
    },
    { summariser: model },
  );

  withSession('belongs to its user alone', async ({ layers, manager }) => {
    const { memory_key } = await layers.details.store('other', { content: 'of Bob', key: 'bobs' });
    await rejectsWith('DETAIL_NOT_FOUND', () => layers.details.retrieve('ada', memory_key));
    const ada = await manager.as({ account_id: 'local', user_id: 'ada' }).details();
    await rejectsWith('DETAIL_NOT_FOUND', () => ada.retrieve(memory_key));
    await rejectsWith('DETAIL_NOT_FOUND', () => ada.remove(memory_key));
    assert.deepEqual(await ada.list(), []);
    assert.equal((await layers.details.retrieve('bob', memory_key)).content, 'of Bob');
  });

  withSession('teaches a model what placeholders are, where there are any', async ({ layers, manager }) => {
    const messages = [{ role: 'user', content: 'Go on.' }] as const;
    const request = { session: 'chat', user: 'ada', messages };
    const shown = async () =>
      (await manager.assembleContext(request)).messages.map(({ content }) => content).join('\n');
    assert.ok(!(await shown()).includes('[MemoryRef:'));
    await layers.details.store('chat', { content: 'x', key: 'the_log', description: 'a log' });
    const text = await shown();
    assert.ok(text.includes(teachMemoryRefs()) && text.includes('[MemoryRef: the_log - a log]'));
  });
}
