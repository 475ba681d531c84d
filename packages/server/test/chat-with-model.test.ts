import { TOOL_NAMES } from 'longhand';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChatDone } from '../src/conversation/chat.ts';
import { modelSummariser } from '../src/conversation/model-summariser.ts';
import { type ModelSettings, Models } from '../src/conversation/providers.ts';
import { answerWhole, ChatFolder, type ChatOptions } from './chat-set-up.ts';
import { type ChatBody, type Scripted, type StandIn, startStandIn } from './openai-stand-in.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function setUp(options: ChatOptions = {}, reply?: (body: ChatBody) => Scripted) {
  const model = await standIn(reply);
  const folder = new ChatFolder();
  opened.push(() => folder.remove());
  const chat = await folder.open(settingsOf(model), options);
  return { model, folder, ...chat };
}

async function standIn(reply?: (body: ChatBody) => Scripted): Promise<StandIn> {
  const started = await startStandIn(reply);
  opened.push(() => started.close());
  return started;
}

function settingsOf({ baseURL }: StandIn, model = 'large'): ModelSettings {
  return { provider: 'openai-compatible', baseURL, model, apiKey: 'sk-secret' };
}

function textsOf(body: ChatBody | undefined): string {
  return JSON.stringify(body?.messages ?? []);
}

describe('a conversation with a model', () => {
  it('streams the answer, and gives ids for everything', async () => {
    const { model, stream, memory, conversations } = await setUp();
    model.script.push({ text: 'Good day to you.' });
    const events = await stream('Hello');
    expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'text', 'text', 'text', 'done']);
    const [start] = events;
    expect(start).toMatchObject({ session_id: 'chat', agent_ids: ['default'] });
    const done = events.at(-1)!;
    expect(done).toMatchObject({
      type: 'done',
      answer: 'Good day to you.',
      model: 'large',
      usage: { input_tokens: 11, output_tokens: 7 },
    });
    expect(model.requests[0]).toMatchObject({ model: 'large', stream: true });
    expect(model.requests[0]!.messages[0]).toMatchObject({ role: 'system', content: 'You are default.' });
    const chat = await memory.loadSession('chat');
    expect((await conversations.unarchived(chat)).map(({ content }) => content)).toEqual([
      'Hello',
      'Good day to you.',
    ]);
    await conversations.archiveAll();
    const kept = await memory.messages('chat');
    expect(kept.map(({ id, role }) => [id, role])).toEqual([
      [start?.type === 'start' && start.new_message_ids[0], 'user'],
      [done.type === 'done' && done.message_id, 'assistant'],
    ]);
    expect(await conversations.unarchived(chat)).toEqual([]);
  });

  it('sends the conversation so far with the next question, archived or not', async () => {
    const { model, say, conversations } = await setUp();
    model.script.push({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
    await say('first');
    await conversations.archiveAll();
    await say('second');
    await say('third');
    expect(model.requests[2]!.messages.slice(1).map(({ content }) => content)).toEqual([
      'first',
      'One.',
      'second',
      'Two.',
      'third',
    ]);
  });

  it('calls tools over several steps, and remembers what they kept', async () => {
    const { model, stream, memory } = await setUp();
    model.script.push(
      {
        text: 'Let me keep that.',
        calls: [{ name: 'store_memory', arguments: { content: 'The dog is Rex', type: 'finding' } }],
      },
      {
        calls: [
          { name: 'search_memory', arguments: { query: 'dog' } },
          { name: 'manage_long_term_memory', arguments: { operation: 'append', content: '- has a dog' } },
        ],
      },
      { text: 'Done.' },
    );
    const events = await stream('My dog is Rex');
    // The two calls of the second step run at the same time: either may end first.
    const [first, ...others] = events.flatMap((event) => (event.type === 'tool' ? [event.name] : []));
    expect(first).toBe('store_memory');
    expect(others.sort()).toEqual(['manage_long_term_memory', 'search_memory']);
    expect(events.at(-1)).toMatchObject({ type: 'done', answer: 'Done.' });
    const last = model.requests[2]!.messages;
    expect(last.filter(({ role }) => role === 'tool')).toHaveLength(3);
    expect(textsOf(model.requests[2])).toContain('The dog is Rex');
    expect(await memory.queryMemories('chat', { text: 'dog' })).toHaveLength(1);
    expect((await (await memory.notesOf('default')).read()).text).toContain('has a dog');
  });

  it('tells the model in plain words what is wrong with a call', async () => {
    const { model, say } = await setUp();
    model.script.push(
      { calls: [{ name: 'search_memory', arguments: { text: 'dog' } }] },
      { text: 'I cannot search.' },
    );
    await say('A dog?');
    const told = model.requests[1]!.messages.find(({ role }) => role === 'tool')!;
    expect(JSON.parse(String(told.content))).toMatchObject({
      code: 'INVALID_INPUT',
      error:
        'There is no parameter text; there are: query, thread_id, limit, min_match, tags, types, within. query is missing: Words or a question.',
    });
  });

  it('shows the model its tool calls before the answer that came of them, archived or not', async () => {
    const { model, say, conversations } = await setUp();
    model.script.push(
      { calls: [{ name: 'search_memory', arguments: { query: 'dog' } }] },
      { text: 'No dog.' },
      { text: 'No cat.' },
      { text: 'No cow.' },
    );
    await say('A dog?');
    await say('A cat?');
    await conversations.archiveAll();
    await say('A cow?');
    const rolesOf = (at: number): string[] => model.requests[at]!.messages.slice(1).map(({ role }) => role);
    const first = ['user', 'assistant', 'tool', 'assistant'];
    expect(rolesOf(2)).toEqual([...first, 'user']);
    expect(rolesOf(3)).toEqual([...first, 'user', 'assistant', 'user']);
    expect(model.requests[3]!.messages[4]!.content).toBe('No dog.');
  });

  it('offers an agent the tools that it has, and no others', async () => {
    const { model, say, memory } = await setUp();
    await (await memory.agents()).create({ name: 'quiet', enabled_tools: [] });
    await (await memory.agents()).create({
      name: 'finder',
      enabled_tools: ['search_memory'],
      model_id: 'small',
    });
    await say('Hello', { agent: 'quiet', session: 'one' });
    expect(model.requests[0]!.tools).toBeUndefined();
    await say('Hello', { agent: 'finder', session: 'two' });
    expect(model.requests[1]!.tools?.map((tool) => tool.function.name)).toEqual(['search_memory']);
    expect(model.requests[1]!.model).toBe('small');
  });

  it('tells the model what it did wrong, and lets it try again', async () => {
    const { model, stream } = await setUp();
    model.script.push(
      { calls: [{ name: 'search_memory', arguments: '{"query": 3' }] },
      { calls: [{ name: 'no_such_tool', arguments: {} }] },
      { calls: [{ name: 'retrieve_memory', arguments: { memory_key: 'not_there' } }] },
      { text: 'I give up.' },
    );
    const events = await stream('Look it up');
    const tools = events.filter((event) => event.type === 'tool');
    expect(tools).toHaveLength(3);
    expect(tools.every(({ error }) => error !== undefined)).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'done', answer: 'I give up.' });
  });

  it('makes it speak when it has called enough', async () => {
    const again = (body: ChatBody): Scripted =>
      body.tool_choice === 'none'
        ? { text: 'Enough.' }
        : { calls: [{ name: 'search_memory', arguments: { query: 'x' } }] };
    const { model, say } = await setUp({ conversations: { limits: { maxSteps: 3 } } }, again);
    expect((await say('Search for ever')).answer).toBe('Enough.');
    expect(model.requests).toHaveLength(3);
  });

  it('keeps a large tool output behind a placeholder that it explains', async () => {
    const log = Array.from({ length: 400 }, (_, i) => `line ${i + 1}: all is well`).join('\n');
    const tools = [
      {
        name: 'run_command',
        description: 'Runs a command.',
        input: z.object({ command: z.string() }),
        run: () => Promise.resolve(log),
        command: (input: unknown) => (input as { command: string }).command,
      },
    ];
    const { model, stream } = await setUp({ conversations: { toolsFor: async () => tools } });
    model.script.push({ calls: [{ name: 'run_command', arguments: { command: 'npm install' } }] });
    model.script.push({ text: 'It went well.' });
    const events = await stream('Install it');
    const tool = events.find((event) => event.type === 'tool')!;
    expect(tool.output).toMatch(
      /^Command 'npm install' executed\. Logs stored in \[MemoryRef: \S+ - .+\]\. Status: Success\.$/,
    );
    const key = tool.type === 'tool' ? tool.memory_key! : '';
    const second = textsOf(model.requests[1]);
    expect(second).not.toContain('line 200');
    expect(second).toContain(key);
    expect(model.requests[1]!.messages[0]!.content).toContain('call retrieve_memory with the key');
    model.script.push(
      { calls: [{ name: 'retrieve_memory', arguments: { memory_key: key } }] },
      { text: 'All well.' },
    );
    const retrieved = (await stream('What did it say?')).find((event) => event.type === 'tool');
    expect(retrieved?.output).toContain('line 200: all is well');
  });

  it('never sends more than the budget, whatever the tools bring', async () => {
    const { model, ask, manager, memory } = await setUp({
      manager: { config: { context: { budget_tokens: 3_000 } } },
    });
    await memory.createSession({ session_id: 'chat' });
    const { details } = await manager.layers();
    const big = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ');
    const { memory_key } = await details.store('chat', { content: big, type: 'log' });
    model.script.push(
      { calls: [{ name: 'retrieve_memory', arguments: { memory_key } }] },
      { text: 'It is long.' },
    );
    const done = await ask('Read it');
    expect(done).toMatchObject({ type: 'done', answer: 'It is long.' });
    expect(textsOf(model.requests[1]).length).toBeLessThan(3_000 * 8);
    // The tools are sent beside the messages, and paid for like them.
    const { total, pieces } = (done as ChatDone).manifest!;
    expect(total).toBeLessThanOrEqual(3_000);
    const tools = pieces.filter(({ section }) => section === 'tools');
    expect(tools.map(({ source }) => source.id)).toEqual([...TOOL_NAMES]);
    expect(tools.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(700);
  });

  it('shows images to the model and keeps none', async () => {
    const { model, conversations, memory } = await setUp();
    model.script.push({ text: 'A dot.' });
    const images = [{ data: 'iVBORw0KGgo=', media_type: 'image/png' }];
    const request = {
      new_messages: [{ role: 'user' as const, content: 'What is this?' }],
      session_id: 'chat',
      images,
    };
    const done = await answerWhole(conversations, request, memory);
    expect(done).toMatchObject({ type: 'done', answer: 'A dot.' });
    expect((done as ChatDone).manifest!.pieces.at(-1)).toMatchObject({
      source: { id: '1 image' },
      tokens: 1_600,
    });
    const last = model.requests[0]!.messages.at(-1)!.content;
    expect(last).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]);
    model.script.push({ text: 'Four dots, and two that I cannot see.' });
    const dots = Array.from({ length: 6 }, (_, i) => ({ data: `iVBORw0KGgo${i}`, media_type: 'image/png' }));
    const many = { ...request, images: dots, budget: 8_000 };
    const answered = (await answerWhole(conversations, many, memory)) as ChatDone;
    const { given, sent } = answered.manifest!.images!;
    expect(given).toBe(6);
    expect([1, 2, 3, 4]).toContain(sent);
    const said = model.requests[1]!.messages;
    expect(JSON.stringify(said)).toContain(`${6 - sent} images not shown here`);
    const parts = said.at(-1)!.content as unknown as { image_url?: { url: string } }[];
    expect(parts.flatMap(({ image_url }) => image_url?.url ?? [])).toEqual(
      dots.slice(6 - sent).map(({ data }) => `data:image/png;base64,${data}`),
    );
    const wrong = { ...request, images: [{ data: 'http://169.254.169.254/', media_type: 'image/png' }] };
    await expect(answerWhole(conversations, wrong, memory)).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
  });
});

describe('an answer that the provider cut off', () => {
  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
  ])(
    'for %s is marked as such, in the answer, the manifest, the log and the transcript',
    async (finish, reason) => {
      const { model, say, memory, conversations, events } = await setUp();
      model.script.push({ text: 'Once upon a', finish }, { text: 'Good night.' });
      const cut = await say('Tell me a story', { id: 'u1' });
      expect(cut).toMatchObject({ answer: 'Once upon a', finish_reason: reason });
      expect(cut.manifest).toMatchObject({ finish_reason: reason });
      expect(events).toContainEqual({
        kind: 'answer-cut-off',
        session_id: 'chat',
        agent_id: 'default',
        reason,
      });
      const whole = await say('Thank you');
      expect(whole).toMatchObject({ finish_reason: 'stop' });
      await conversations.archiveAll();
      const marks = (await memory.messages('chat')).map(({ cut_off }) => cut_off);
      expect(marks).toEqual([undefined, reason, undefined, undefined]);
      expect(await say('Tell me a story', { id: 'u1' })).toMatchObject({ finish_reason: reason });
    },
  );
});

describe('a message that comes again', () => {
  it('gets the answer that it got, and the model is not asked', async () => {
    const { model, say, stream, memory, conversations } = await setUp();
    model.script.push({ text: 'One.' });
    const first = await say('count', { id: 'u1' });
    expect(await say('count', { id: 'u1' })).toMatchObject({
      ...{ answer: 'One.', message_id: first.message_id, model: 'large', is_repeated: true },
      finish_reason: 'stop',
    });
    await conversations.archiveAll();
    const events = await stream('count', { id: 'u1' });
    expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'done']);
    expect(model.requests).toHaveLength(1);
    await conversations.archiveAll();
    expect((await memory.messages('chat')).map(({ content }) => content)).toEqual(['count', 'One.']);
  });

  it('is answered when it was not, and again when its answer was forgotten', async () => {
    const { model, ask, say, memory, conversations } = await setUp({
      conversations: { limits: { maxRetries: 0 } },
    });
    model.script.push({ status: 500 }, { text: 'One.' }, { text: 'Two.' });
    expect(await ask('count', { id: 'u1' })).toMatchObject({ type: 'error' });
    const first = await say('count', { id: 'u1' });
    expect(first.answer).toBe('One.');
    await memory.forget({ session: 'chat', ids: [first.message_id] });
    expect((await say('count', { id: 'u1' })).answer).toBe('Two.');
    await conversations.archiveAll();
    expect((await memory.messages('chat')).map(({ content }) => content)).toEqual(['count', 'Two.']);
  });

  it('gets one answer when it comes twice at once', async () => {
    const { model, say, memory, conversations } = await setUp();
    const [one, two] = await Promise.all([say('count', { id: 'u1' }), say('count', { id: 'u1' })]);
    expect(one.message_id).toBe(two.message_id);
    expect(model.requests).toHaveLength(1);
    await conversations.archiveAll();
    expect(await memory.messages('chat')).toHaveLength(2);
  });
});

describe('the end of a server', () => {
  it('does not wait for a model that is slow, and what others said is archived first', async () => {
    const { model, ask, say, conversations, memory } = await setUp();
    await say('Hello', { session: 'other' });
    model.script.push('silence');
    const asked = ask('Tell me', { session: 'chat' });
    await expect.poll(() => model.requests).toHaveLength(2);
    const closed = conversations.close({ graceMs: 3_000 });
    await expect.poll(async () => (await memory.messages('other')).length).toBe(2);
    expect(await asked).toMatchObject({ type: 'error', code: 'ABORTED' });
    await closed;
    expect((await memory.messages('chat')).map(({ content }) => content)).toEqual(['Tell me']);
    await expect(ask('Too late')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});

describe('when the model fails', () => {
  it.each([301, 302, 307, 308])('sends nothing elsewhere when told to (%i)', async (status) => {
    const elsewhere = await standIn();
    const { model, ask } = await setUp();
    model.script.push({ status, location: `${elsewhere.baseURL}/chat/completions` });
    expect(await ask('A secret')).toMatchObject({ type: 'error', code: 'MODEL_REFUSED', status });
    expect(elsewhere.requests).toEqual([]);
  });

  it.each<[string, Scripted[], string, number | undefined]>([
    [
      'it takes no more requests',
      [{ status: 429 }, { status: 429 }, { status: 429 }],
      'MODEL_RATE_LIMITED',
      429,
    ],
    ['it breaks', [{ status: 500 }, { status: 500 }, { status: 503 }], 'MODEL_UNAVAILABLE', 503],
    ['it does not know us', [{ status: 401 }], 'MODEL_REFUSED', 401],
    ['a chunk is malformed', [{ text: 'Half an', ending: 'malformed' }], 'MODEL_BAD_ANSWER', undefined],
    ['it fails in mid-sentence', [{ text: 'Half an', ending: 'error' }], 'MODEL_UNAVAILABLE', 503],
    ['the answer has no end', [{ text: 'Half an', ending: 'no-finish' }], 'MODEL_BAD_ANSWER', undefined],
    ['the line goes dead', [{ text: 'Half an', ending: 'hang-up' }], 'MODEL_BAD_ANSWER', undefined],
    ['it is too slow', ['silence'], 'MODEL_TIMEOUT', undefined],
    ['it stops in mid-sentence', [{ text: 'Half an', ending: 'silence' }], 'MODEL_TIMEOUT', undefined],
    ['it says nothing', [{ text: '' }], 'MODEL_EMPTY_ANSWER', undefined],
  ])('%s: it says so, and what the user said is kept', async (_, script, code, status) => {
    const isSlow = code === 'MODEL_TIMEOUT';
    const impatient = await setUp({ conversations: { limits: isSlow ? { stepTimeoutMs: 2_000 } : {} } });
    const { model, ask, events, folder } = impatient;
    model.script.push(...script);
    const failed = await ask('Keep this', { id: 'm1' });
    expect(failed).toMatchObject({ type: 'error', code, session_id: 'chat', new_message_ids: ['m1'] });
    expect(failed.type === 'error' && failed.status).toBe(status);
    expect(JSON.stringify([failed, events])).not.toContain('sk-secret');
    expect(events).toContainEqual(expect.objectContaining({ kind: 'model-failed', code }));
    model.script.push({ text: 'Here I am.' });
    // On a busy machine, a model that answers may take longer than one that does not was given.
    if (isSlow) await impatient.close();
    const { say, memory, conversations } = isSlow ? await folder.open(settingsOf(model)) : impatient;
    await say('Again');
    expect(textsOf(model.requests.at(-1))).toContain('Keep this');
    await conversations.archiveAll();
    expect((await memory.messages('chat')).map(({ content }) => content)).toEqual([
      'Keep this',
      'Again',
      'Here I am.',
    ]);
  });

  it('retries when that may help', async () => {
    const { model, say } = await setUp();
    model.script.push({ status: 429 }, { status: 500 }, { text: 'Here I am.' });
    expect((await say('Hello')).answer).toBe('Here I am.');
  });

  it('says so when no server answers at the address', async () => {
    const { model, ask } = await setUp({ conversations: { limits: { maxRetries: 0 } } });
    await model.close();
    expect(await ask('Hello')).toMatchObject({
      type: 'error',
      code: 'MODEL_UNAVAILABLE',
      is_retryable: true,
    });
  });

  it('can be called off', async () => {
    const { model, conversations, memory } = await setUp();
    model.script.push({ text: 'A long story', ending: 'silence' });
    const stop = new AbortController();
    const request = { new_messages: [{ role: 'user' as const, content: 'Tell me' }], session_id: 'chat' };
    let last: { readonly type: string } | undefined;
    for await (const event of conversations.answer(request, memory, { signal: stop.signal })) {
      last = event;
      if (event.type === 'text') stop.abort();
    }
    expect(last).toMatchObject({ type: 'error', code: 'ABORTED' });
    const chat = await memory.loadSession('chat');
    expect((await conversations.unarchived(chat)).map(({ content }) => content)).toEqual(['Tell me']);
  });
});

describe('summaries', () => {
  it('are written by a model of their own, after a turn', async () => {
    const summary = await standIn(() => ({ text: 'They counted.' }));
    const { model, say, memory, conversations } = await setUp({
      manager: { config: { summary: { enabled: true, threshold: 6, keep_last: 2 } } },
      conversations: { summariser: modelSummariser(new Models(settingsOf(summary, 'tiny'))) },
    });
    for (let i = 1; i <= 4; i++) {
      model.script.push({ text: `Number ${i}.` });
      await say(`count ${i}`);
    }
    await expect
      .poll(async () => (await (await memory.conversation('chat')).summary.current())?.text)
      .toBe('They counted.');
    expect(summary.requests).toHaveLength(1);
    expect(summary.requests[0]!.model).toBe('tiny');
    expect(textsOf(summary.requests[0])).toContain('count 1');
    expect(model.requests.every((body) => body.model === 'large')).toBe(true);
    model.script.push({ text: 'Yes.' });
    await say('go on');
    const prompt = textsOf(model.requests.at(-1));
    expect(prompt).toContain('They counted.');
    expect(prompt).not.toContain('count 1');
    expect(prompt).toContain('count 4');
    await conversations.archiveAll();
    expect(await memory.messages('chat')).toHaveLength(10);
  });

  it.each([400, 500, 429])(
    'that fail with %d are asked for once, and leave the conversation whole',
    async (status) => {
      const summary = await standIn(() => ({ status }));
      const { model, say } = await setUp({
        manager: { config: { summary: { enabled: true, threshold: 2, keep_last: 1 } } },
        conversations: { summariser: modelSummariser(new Models(settingsOf(summary, 'tiny'))) },
      });
      for (let i = 1; i <= 2; i++) await say(`count ${i}`);
      await expect.poll(() => summary.requests.length).toBeGreaterThan(0);
      const asked = summary.requests.map((request) => JSON.stringify(request));
      expect(asked).toHaveLength(new Set(asked).size);
      expect(textsOf(model.requests.at(-1))).toContain('count 1');
    },
  );
});
