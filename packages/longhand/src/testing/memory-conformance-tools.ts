import assert from 'node:assert/strict';
import { OPTIONAL_TOOL_NAMES, TOOL_NAMES, type ToolName } from '../core/tool-names.ts';
import { OPTIONAL_TOOLS, TOOLS, type ToolResult, toolsNamed } from '../tools/index.ts';
import { rejectsWith } from './conformance-records.ts';
import { DAY_MS, type Scene, type SceneOptions, START_MS, type WithMemory } from './memory-conformance.ts';

type Call = (name: ToolName, input: unknown, who?: Caller) => Promise<ToolResult>;
interface Caller {
  readonly user?: string;
  readonly agent?: string;
  readonly session?: string;
}
const SCOUT: Caller = { user: 'ada', agent: 'scout', session: 'chat' };

/** The seven tools of an agent: what a model gives and gets. */
export function toolsConformance(withMemory: WithMemory): void {
  const withTools = (
    title: string,
    work: (call: Call, scene: Scene) => Promise<void>,
    options?: SceneOptions,
  ): void => {
    const furnished = async (scene: Scene): Promise<void> => {
      await scene.manager.createSession('ada', { session_id: 'chat' });
      await scene.manager.createSession('ada', { session_id: 'second' });
      await scene.manager.createSession('bob', { session_id: 'other' });
      const call: Call = async (name, input, { user, agent, session } = SCOUT) => {
        const principal = {
          account_id: 'local',
          ...(user === undefined ? {} : { user_id: user }),
          ...(agent === undefined ? {} : { agent_id: agent }),
        };
        const scope = await scene.manager.as(principal).toolScope(session);
        return toolsNamed([name])[0]!.run(input, scope);
      };
      await work(call, scene);
    };
    withMemory(title, furnished, options);
  };

  withTools('each have a schema, a description and annotations', async () => {
    const all = [...TOOLS, ...OPTIONAL_TOOLS];
    assert.deepEqual(
      all.map(({ name }) => name),
      [...TOOL_NAMES, ...OPTIONAL_TOOL_NAMES],
    );
    for (const { description, input, output, annotations } of all) {
      assert.ok(description.length > 20 && 'error' in output.shape);
      assert.equal(typeof annotations.readOnlyHint, 'boolean');
      assert.ok(Object.keys(input.shape).length > 0);
    }
  });

  withTools('save to the journal and to the core', async (call, { layers, openAnother }) => {
    const journal = await call('save_to_journal', { content: ' Today I learned something ' });
    assert.deepEqual(
      { ...journal, memory_id: '' },
      {
        success: true,
        memory_type: 'journal',
        content: 'Today I learned something',
        memory_id: '',
        expires_around: '2026-03-09',
      },
    );
    const core = await call('save_to_core', { content: 'I am helpful' });
    assert.deepEqual(
      [core.success, core.memory_type, core.note],
      [true, 'core', 'This memory is now part of your permanent identity'],
    );
    const { agents } = (await openAnother()).layers;
    assert.deepEqual((await agents.get('scout')).memories_count, { core: 1, journal: 1 });
    assert.equal((await layers.journal.get('scout', String(core.memory_id))).content, 'I am helpful');
  });

  withTools('tell what a memory was called apart from what it says', async (call) => {
    const kept = { content: 'The harbour opens at six', description: 'Opening hours' };
    const { memory_key } = await call('store_memory', { ...kept, type: 'finding' });
    const { results } = await call('search_memory', { query: 'harbour' });
    const [found] = results as { summary: string; description: string }[];
    assert.deepEqual([found?.summary, found?.description], [kept.content, kept.description]);
    const whole = await call('retrieve_memory', { memory_key });
    assert.deepEqual([whole.content, whole.description], [kept.content, kept.description]);
  });

  withTools('refuse what they do not know, and say so, rather than pass over it', async (call) => {
    const misnamed = await call('manage_long_term_memory', { action: 'append', content: 'Likes tea' });
    assert.equal(misnamed.code, 'INVALID_INPUT');
    assert.match(String(misnamed.error), /no parameter action.*operation, content, section_header/);
    const without = await call('manage_long_term_memory', { content: 'Likes tea' });
    assert.match(String(without.error), /Nothing was written/);
    assert.equal((await call('manage_long_term_memory', {})).notes, '');
    for (const { name } of [...TOOLS, ...OPTIONAL_TOOLS]) {
      const { code } = await call(name, { query: 'x', content: 'x', memory_key: 'x', not_there: 1 });
      assert.equal(code, 'INVALID_INPUT', name);
    }
  });

  withTools('make no agent for a call that is refused', async (call, { layers }) => {
    for (const content of ['  ', 'x'.repeat(10_001), 'half \ud800']) {
      for (const name of ['save_to_journal', 'save_to_core'] as const)
        assert.equal(typeof (await call(name, { content })).error, 'string');
    }
    for (const operation of ['overwrite', 'delete_section_by_header'])
      assert.equal(typeof (await call('manage_long_term_memory', { operation })).error, 'string');
    assert.deepEqual(await layers.agents.list(), []);
  });

  withTools('refuse in the words of the contract', async (call) => {
    for (const name of ['save_to_journal', 'save_to_core'] as const) {
      const errorOf = async (input: unknown, who = SCOUT) => (await call(name, input, who)).error;
      assert.equal(
        await errorOf({ content: 'x' }, { user: 'ada', session: 'chat' }),
        'This tool only works in group conversations',
      );
      assert.equal(await errorOf({ content: '   ' }), 'Content cannot be blank');
      assert.equal(
        await errorOf({ content: 'x'.repeat(10_001) }),
        'Content too long (max 10,000 characters)',
      );
      assert.match((await errorOf({}))!, /content/);
    }
    const notes = await call('manage_long_term_memory', {}, { user: 'ada', session: 'chat' });
    assert.equal(notes.code, 'SCOPE_MISSING');
  });

  withTools('read and edit notes', async (call, { openAnother }) => {
    const manage = (input: unknown) => call('manage_long_term_memory', input);
    assert.deepEqual(await manage({}), { operation: 'read', notes: '', version: 0 });
    await manage({ operation: 'overwrite', content: '# Likes\ntea\n' });
    await manage({ operation: 'append', content: '# Home\nParis\n' });
    await manage({ operation: 'prepend', content: 'Ada\n' });
    await manage({ operation: 'replace_section_by_header', section_header: 'Likes', content: 'coffee' });
    const { notes } = await manage({ operation: 'delete_section_by_header', section_header: 'Home' });
    assert.equal(notes, 'Ada\n# Likes\ncoffee\n');
    assert.equal((await (await openAnother()).layers.notes.read('ada', 'scout')).text, notes);
    for (const operation of ['overwrite', 'append', 'prepend', 'delete_section_by_header'] as const) {
      assert.equal((await manage({ operation })).code, 'INVALID_OPTION', operation);
    }
    assert.equal((await manage({ operation: 'burn' })).code, 'INVALID_INPUT');
    assert.equal((await manage({ operation: 'delete_all_notes' })).notes, '');
  });

  withTools('never overwrite a change of the notes that the model has not seen', async (call, scene) => {
    const { manager, openAnother } = scene;
    const person = (await openAnother()).layers.notes;
    const manage = (input: unknown, session = 'chat') =>
      call('manage_long_term_memory', input, { ...SCOUT, session });
    const edit = (content: string) => person.apply('ada', 'scout', { operation: 'append', content });
    await manage({ operation: 'overwrite', content: '# Likes\ntea\n' });
    await edit('by a person\n');
    for (const change of [
      { operation: 'overwrite', content: 'all new' },
      { operation: 'replace_section_by_header', section_header: 'Likes', content: 'coffee' },
      { operation: 'delete_section_by_header', section_header: 'Likes' },
      { operation: 'delete_all_notes' },
    ]) {
      assert.equal((await manage(change)).code, 'NOTES_CONFLICT', change.operation);
      assert.match((await person.read('ada', 'scout')).text, /by a person/);
    }
    // What is only added to is not overwritten, and shows the model all of it.
    assert.match(String((await manage({ operation: 'append', content: 'more\n' })).notes), /by a person/);
    assert.equal((await manage({ operation: 'overwrite', content: 'seen\n' })).error, undefined);

    await edit('again by a person\n');
    assert.equal((await manage({ operation: 'delete_all_notes' })).code, 'NOTES_CONFLICT');
    await manage({});
    assert.equal((await manage({ operation: 'overwrite', content: 'read\n' })).error, undefined);

    // The prompt shows them too; a prompt for another moment, or of another conversation, does not.
    await edit('once more\n');
    const request = { agent: 'scout', user: 'ada', messages: [], budget: 2_000 };
    await manager.assembleContext({ ...request, session: 'second' });
    await manager.assembleContext({ ...request, session: 'chat', now: '2026-01-01T00:00:00Z' });
    assert.equal((await manage({ operation: 'delete_all_notes' })).code, 'NOTES_CONFLICT');
    const { manifest } = await manager.assembleContext({ ...request, session: 'chat' });
    assert.equal(manifest.notes_version, (await person.read('ada', 'scout')).version);
    assert.equal((await manage({ operation: 'delete_all_notes' })).notes, '');
    assert.equal((await manage({ operation: 'delete_all_notes' }, 'second')).code, 'NOTES_CONFLICT');
  });

  withTools('store, find, retrieve and forget a memory', async (call, { openAnother }) => {
    const stored = await call('store_memory', { content: 'The launch is in May', type: 'decision' });
    assert.match(String(stored.memory_key), /^mem_/);
    const found = await call('search_memory', { query: 'when is the launch?' });
    const [first] = found.results as { memory_key: string; summary: string }[];
    assert.deepEqual([first!.memory_key, first!.summary], [stored.memory_key, 'The launch is in May']);
    const mistyped = await call('search_memory', { query: 'luanch' });
    assert.deepEqual((mistyped.results as { taken_for: unknown }[])[0]!.taken_for, { luanch: ['launch'] });
    const coffee = await call('store_memory', { content: 'Coffee without sugar' });
    const stemmed = await call('search_memory', { query: 'coffe' });
    assert.deepEqual((stemmed.results as { taken_for: unknown }[])[0]!.taken_for, { coffe: ['Coffee'] });
    await call('forget_memory', { memory_key: coffee.memory_key });
    for (const input of [{ memory_key: stored.memory_key }, { id: stored.memory_key }]) {
      assert.equal((await call('retrieve_memory', input)).content, 'The launch is in May');
    }
    const forget = (more = {}) => call('forget_memory', { memory_key: stored.memory_key, ...more });
    const { success, forgotten, receipt_id } = await forget({ preview: true });
    assert.deepEqual([success, forgotten, receipt_id], [true, false, null]);
    assert.equal((await forget()).forgotten, true);
    assert.equal((await forget()).code, 'MEMORY_NOT_FOUND');
    assert.ok((await call('retrieve_memory', { memory_key: stored.memory_key })).error);
    const other = (await openAnother()).layers.privacy;
    assert.equal((await other.verifyErased(['The launch is in May'])).isErased, true);
  });

  withTools('find what refers to today before what was merely stored today', async (call, { manager }) => {
    const summaries = async (query: string): Promise<string[]> => {
      const { results } = await call('search_memory', { query });
      return (results as { summary: string }[]).map(({ summary }) => summary);
    };
    const log = { content: 'compiled 14 files', description: 'Output of a build', type: 'command_output' };
    await call('store_memory', log);
    assert.deepEqual(await summaries('What do I have today?'), [log.description]);
    const timestamp = new Date(START_MS - 40 * DAY_MS);
    const said = { text: 'Dentist on 2 March 2026' };
    await manager.addMemory('chat', { type: 'conversation', content: said, timestamp, importance: 0.2 });
    assert.deepEqual(await summaries('What do I have today?'), [said.text, log.description]);
    assert.equal((await summaries('Do I see the dentist today?'))[0], said.text);
    // By what it says, a detail is found as before.
    assert.equal((await summaries('Is there a build today?'))[0], log.description);
    const planned = { content: 'LH 400', description: 'Flight on 2 March 2026', type: 'file_content' };
    await call('store_memory', planned);
    assert.deepEqual(
      new Set((await summaries('What do I have today?')).slice(0, 2)),
      new Set([planned.description, said.text]),
    );
  });

  withTools('take what has no type for a memory, like any other', async (call, { openAnother }) => {
    const marks = { importance: 0.9, tags: ['drinks.tea'] };
    const stored = await call('store_memory', { content: 'Ada drinks oolong', ...marks });
    assert.deepEqual([stored.memory_type, String(stored.memory_key).slice(0, 4)], ['finding', 'mem_']);
    await call('store_memory', { content: 'Ada has oolong sent from Taiwan' });
    const { results } = await call('search_memory', { query: 'oolong' });
    const found = results as { memory_key: string; memory_type: string; tags?: readonly string[] }[];
    assert.deepEqual(
      found.map(({ memory_type, tags }) => ({ memory_type, tags })),
      [
        { memory_type: 'finding', tags: marks.tags },
        { memory_type: 'finding', tags: undefined },
      ],
    );
    const other = (await openAnother()).manager.as({ account_id: 'local', user_id: 'ada' });
    const kept = await other.getMemory('chat', String(stored.memory_key));
    assert.deepEqual({ importance: kept?.importance, tags: kept?.tags }, marks);
  });

  withTools('keep a long text without a type whole, unless it is marked as a memory', async (call) => {
    const content = 'a line of the report\n'.repeat(400);
    const kept = await call('store_memory', { content });
    assert.equal(kept.memory_type, 'note');
    assert.equal((await call('retrieve_memory', { memory_key: kept.memory_key })).content, content);
    const marked = await call('store_memory', { content, tags: ['report'] });
    assert.equal(marked.memory_type, 'finding');
  });

  withTools('refuse marks of a memory on what is none, and what is no mark', async (call, { layers }) => {
    for (const mark of [{ importance: 1 }, { tags: ['build'] }]) {
      const refused = await call('store_memory', { content: 'x', type: 'command_output', ...mark });
      assert.equal(refused.code, 'INVALID_OPTION');
      assert.match(String(refused.error), /are for memories.*Nothing was stored/);
    }
    assert.equal((await call('store_memory', { content: 'x', importance: 2 })).code, 'INVALID_INPUT');
    assert.equal((await call('store_memory', { content: ' \n' })).code, 'INVALID_INPUT');
    assert.equal((await call('store_memory', { content: 'x', tags: ['no spaces'] })).code, 'INVALID_TAG');
    assert.deepEqual(await layers.details.list('ada'), []);
    assert.deepEqual((await call('search_memory', { query: 'x' })).results, []);
  });

  withTools('keep any other type whole, behind a placeholder', async (call, { openAnother }) => {
    const content = Array.from({ length: 500 }, (_, i) => `line ${i + 1} of the build`).join('\n');
    const description = 'Output of the build';
    const stored = await call('store_memory', { content, description, type: 'command_output' });
    assert.equal(stored.placeholder, `[MemoryRef: ${stored.memory_key} - ${description}]`);
    const retrieve = async (more: object) =>
      (await call('retrieve_memory', { memory_key: stored.memory_key, ...more })).content;
    assert.equal(await retrieve({}), content);
    assert.equal(String(await retrieve({ lines: [42, 42] })).trimEnd(), 'line 42 of the build');
    assert.match(String(await retrieve({ search: 'line 77 ' })), /77: line 77 of the build/);
    assert.match(String(await retrieve({ page: 1 })), /^line 1 of/);
    const { details } = (await openAnother()).layers;
    assert.equal((await details.get('ada', String(stored.memory_key))).agent_id, 'scout');
    for (const type of ['journal', 'core']) {
      assert.equal((await call('store_memory', { content: 'x', type })).code, 'INVALID_OPTION');
    }
    assert.equal((await call('store_memory', { content: ' ', type: 'finding' })).code, 'INVALID_INPUT');
    assert.equal((await call('retrieve_memory', {})).code, 'INVALID_INPUT');
    const leftOut = { type: null, importance: null, tags: null };
    assert.equal((await call('store_memory', { content: 'x', ...leftOut })).memory_type, 'finding');
    assert.equal((await call('store_memory', { content: null })).code, 'INVALID_INPUT');
  });

  withTools('know the types of memories however they are written', async (call, { layers }) => {
    const stored = await call('store_memory', { content: 'The launch is in May', type: ' Decision' });
    assert.deepEqual([stored.memory_type, String(stored.memory_key).slice(0, 4)], ['decision', 'mem_']);
    for (const type of ['decision', 'Finding', 'PREFERENCE', 'conversation'])
      await rejectsWith('INVALID_OPTION', () => layers.details.store('chat', { content: 'x', type }));
  });

  withTools('show a turn as who said what', async (call, { manager }) => {
    const content = { speaker: 'Priya', text: 'The launch moves to May' };
    await manager.addMemory('chat', { type: 'conversation', content });
    const { results } = await call('search_memory', { query: 'launch' });
    const [{ summary }] = results as [{ summary: string }];
    assert.equal(summary, 'Priya: The launch moves to May');
  });

  withTools('open a memory by an id that a program gave it', async (call, { manager }) => {
    const content = { text: 'The roof costs 3,200' };
    await manager.addMemory('chat', { id: 'roof4', type: 'finding', content });
    const { results } = await call('search_memory', { query: 'roof' });
    const [{ memory_key }] = results as [{ memory_key: string }];
    assert.equal(memory_key, 'roof4');
    assert.equal((await call('retrieve_memory', { memory_key })).content, content.text);
    assert.equal((await call('retrieve_memory', { memory_key: 'roof5' })).code, 'DETAIL_NOT_FOUND');
  });

  withTools('take a whole placeholder where its key was asked for', async (call) => {
    for (const type of ['log', 'finding']) {
      const { placeholder } = await call('store_memory', { content: 'all of it', type });
      const [memory_key, id] = [placeholder, ` ${placeholder}\n`];
      assert.equal((await call('retrieve_memory', { memory_key })).content, 'all of it');
      assert.equal((await call('retrieve_memory', { id })).content, 'all of it');
      assert.equal((await call('forget_memory', { memory_key })).success, true);
    }
  });

  withTools(
    'give a large value in pages that fit into a prompt, and all of it in the end',
    async (call) => {
      const content = Array.from({ length: 400 }, (_, i) => `line ${i + 1} of the build`).join('\n');
      const { memory_key } = await call('store_memory', { content, type: 'log' });
      let pages = '';
      let total = 1;
      for (let page = 1; page <= total; page++) {
        const got = await call('retrieve_memory', page === 1 ? { memory_key } : { memory_key, page });
        assert.ok(Buffer.byteLength(String(got.content)) <= 1.5 * 1_500);
        total = Number(got.total_pages);
        pages += got.content;
      }
      assert.ok(total > 3);
      assert.equal(pages, content);
    },
    { config: { context: { budget_tokens: 1_000 } } },
  );

  withTools('say how far what they give can be trusted', async (call, { layers }) => {
    const page = { content: 'zebras', description: 'a page on zebras', key: 'page_1' };
    await layers.details.store('chat', page);
    await layers.details.store('chat', { ...page, key: 'page_2', provenance: { author: 'user' } });
    const { results } = await call('search_memory', { query: 'zebras' });
    const found = results as { memory_key: string; trust: string }[];
    assert.deepEqual(found.map(({ memory_key, trust }) => `${memory_key} ${trust}`).sort(), [
      'page_1 untrusted',
      'page_2 owner',
    ]);
    assert.equal((await call('retrieve_memory', { memory_key: 'page_1' })).trust, 'untrusted');
  });

  withTools(
    'go on in the next session when one is full of details',
    async (call, { layers, openAnother }) => {
      const stored = [];
      for (let i = 0; i < 4; i++)
        stored.push(await call('store_memory', { content: `${i}`.repeat(4_000), type: 'log' }));
      assert.deepEqual(
        stored.map(({ session_id }) => session_id),
        ['chat', 'chat', 'chat--2', 'chat--2'],
      );
      for (const { memory_key } of stored)
        assert.equal(
          String((await call('retrieve_memory', { memory_key, lines: [1, 1] })).content).length,
          4_000,
        );
      const other = (await openAnother()).layers.details;
      const captured = await other.captureToolOutput('chat', { output: 'five\n'.repeat(1_000) });
      assert.equal(captured.detail!.session_id, 'chat--3');
      const tooLarge = await call('store_memory', { content: 'x'.repeat(20_000), type: 'log' });
      assert.equal(tooLarge.code, 'DETAIL_QUOTA');
      assert.equal((await layers.details.list('ada')).length, 5);
    },
    { config: { details: { quota_mb: 0.01 } } },
  );

  withTools('search memories and details of the user, or of one thread', async (call) => {
    const inChat = await call('store_memory', { content: 'The harbour opens at nine' });
    const closing = { content: 'The harbour closes at six' };
    const inSecond = await call('store_memory', closing, { ...SCOUT, session: 'second' });
    const detail = await call('store_memory', {
      content: 'x',
      description: 'Map of the harbour',
      type: 'file_content',
    });
    const search = async (more = {}) => {
      const { results } = await call('search_memory', { query: 'harbour', ...more });
      return (results as { memory_key: string }[]).map(({ memory_key }) => memory_key).sort();
    };
    assert.deepEqual(
      await search(),
      [inChat.memory_key, inSecond.memory_key, detail.memory_key].map(String).sort(),
    );
    assert.deepEqual(await search({ thread_id: 'second' }), [inSecond.memory_key]);
  });

  withTools('rank memories and details by one measure', async (call) => {
    const summaries = async (query: string): Promise<unknown[]> => {
      const results = (await call('search_memory', { query })).results as { summary: string }[];
      return results.map(({ summary }) => summary);
    };
    const steps = Array.from({ length: 2_000 }, (_, i) => `compiled file ${i} of the shop`).join('\n');
    const log = { description: 'Output of a build', type: 'command_output' };
    await call('store_memory', {
      ...log,
      content: `${steps}\nwarning: invoice template is missing\n${steps}`,
    });
    for (const content of [
      'The shop sells boats',
      'An invoice is due after 30 days',
      'The template of the website is blue',
      'Ada reads every warning',
    ])
      await call('store_memory', { content });
    // The detail alone holds all of it.
    assert.equal((await summaries('warning about the invoice template'))[0], log.description);
    // The memory holds more of it.
    assert.equal(
      (await summaries('after how many days is an invoice due'))[0],
      'An invoice is due after 30 days',
    );
    assert.equal((await summaries('What does the shop sell?'))[0], 'The shop sells boats');
    const { results } = await call('search_memory', { query: 'invoice template' });
    const [first] = results as { match: number; lines: readonly number[] }[];
    assert.equal(first?.match, 1);
    assert.ok(first.lines[0]! <= 2_001 && first.lines[1]! >= 2_001, String(first.lines));
  });

  withTools(
    'say how much of the query a result holds, and how many say the same',
    async (call, { manager }) => {
      for (const session of ['chat', 'second'])
        await manager.addMemory(session, { content: 'The port is 5433' });
      await call('store_memory', { content: 'The harbour is closed' });
      const search = async (input: object): Promise<unknown[]> => {
        const { results } = await call('search_memory', input);
        return (results as { summary: string; match?: number; duplicates?: number }[]).map(
          ({ summary, match, duplicates }) => ({ summary, match, duplicates }),
        );
      };
      const port = { summary: 'The port is 5433', duplicates: 1 };
      assert.deepEqual(await search({ query: 'port' }), [{ ...port, match: 1 }]);
      const [half] = (await search({ query: 'port walrus' })) as { match: number }[];
      assert.ok(half!.match > 0 && half!.match < 0.6);
      assert.deepEqual(await search({ query: 'port walrus', min_match: 0.8 }), []);
    },
  );

  withTools(
    'list the newest memories, and say what to try where nothing was found',
    async (call, { clock }) => {
      const empty = await call('search_memory', { query: '*' });
      assert.deepEqual(empty.results, []);
      assert.match(String(empty.note), /Searched: memories in all conversations/);
      for (const content of ['first', 'second', 'third']) {
        await call('store_memory', { content });
        clock.advance(1_000);
      }
      for (const query of ['*', '', ' ']) {
        const { results, note } = await call('search_memory', { query, limit: 2 });
        assert.deepEqual(
          (results as { summary: string }[]).map(({ summary }) => summary),
          ['third', 'second'],
        );
        assert.equal(note, undefined);
      }
      const { note } = await call('search_memory', { query: 'walrus' });
      assert.match(
        String(note),
        /memories and details in all conversations.*other words; list all with list_memories/,
      );
      const narrow = { query: 'walrus', tags: ['sea'], thread_id: 'chat', min_match: 0.5 };
      const { note: more } = await call('search_memory', narrow);
      assert.match(
        String(more),
        /in the conversation chat.*min_match.*leave out tags, types or within.*thread_id/,
      );
    },
  );

  withTools('never reach what belongs to another user', async (call) => {
    const bob: Caller = { user: 'bob', agent: 'scout', session: 'other' };
    for (const type of ['finding', 'log']) {
      const { memory_key } = await call('store_memory', { content: 'secret plan', type }, bob);
      assert.ok((await call('retrieve_memory', { memory_key })).error);
      assert.ok((await call('forget_memory', { memory_key })).error);
      assert.equal((await call('retrieve_memory', { memory_key }, bob)).content, 'secret plan');
    }
    assert.deepEqual((await call('search_memory', { query: 'secret' })).results, []);
    const elsewhere = await call('search_memory', { query: 'secret', thread_id: 'other' });
    assert.equal(elsewhere.code, 'SESSION_NOT_FOUND');
    await call('manage_long_term_memory', { operation: 'overwrite', content: 'on Bob' }, bob);
    assert.equal((await call('manage_long_term_memory', {})).notes, '');
    assert.equal((await call('search_memory', { query: 'x' }, {})).code, 'SCOPE_MISSING');
    const noSession = { user: 'ada', agent: 'scout' };
    assert.equal((await call('store_memory', { content: 'x' }, noSession)).code, 'SCOPE_MISSING');
  });
}
