import { describe, expect, it } from 'vitest';
import { DemoModel } from './demo-model.ts';

type Options = Parameters<DemoModel['doGenerate']>[0];
type Prompt = Options['prompt'];

const SEARCH = ['search_memory', 'store_memory', 'forget_memory'];

function user(text: string): Prompt[number] {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function result(toolName: string, value: object, input: object = {}): Prompt {
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName, input };
  const output = { type: 'json' as const, value: value as never };
  return [
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName, output }] },
  ];
}

async function ask(prompt: Prompt, tools: readonly string[] = []) {
  const { content } = await new DemoModel().doGenerate({
    prompt,
    tools: tools.map((name) => ({ type: 'function' as const, name, inputSchema: {} })),
  });
  const [part] = content;
  if (part?.type === 'text') return part.text;
  if (part?.type === 'tool-call') return { tool: part.toolName, input: JSON.parse(part.input) as unknown };
  throw new Error('The demo says something or calls a tool.');
}

describe('the demo model', () => {
  it('keeps what it is told to remember, and says so only when it is kept', async () => {
    const told = user('Please remember that my dog is called Rex.');
    expect(await ask([told], SEARCH)).toEqual({
      tool: 'search_memory',
      input: { query: 'My dog is called Rex' },
    });
    expect(await ask([told, ...result('search_memory', { results: [] })], SEARCH)).toEqual({
      tool: 'store_memory',
      input: { content: 'My dog is called Rex.', type: 'finding' },
    });
    expect(await ask([told, ...result('store_memory', { memory_key: 'mem_1' })], SEARCH)).toContain(
      'I will remember',
    );
    expect(await ask([told, ...result('store_memory', { error: 'it is full' })], SEARCH)).toContain(
      'it is full',
    );
    expect(await ask([told], ['manage_long_term_memory'])).toMatchObject({ tool: 'manage_long_term_memory' });
    expect(await ask([told])).toContain('no tool');
  });

  it.each([
    ['What is my name?', 'My name is Bob.', 'Your name is Bob.'],
    ['What do I prefer?', 'I prefer tea.', 'You prefer tea.'],
    ['What is my name?', 'My dog is named Rex.', 'I do not know that'],
    ['What do I like?', 'My sister likes coffee.', 'I do not know that'],
    ['What do you like?', 'I like tea.', 'I do not know that'],
  ])('%s after “%s”', async (question, fact, answer) => {
    const recalled = `<stored kind="memory" id="mem_1" date="2026-01-01">${fact}</stored>`;
    expect(await ask([user(`Recalled:\n${recalled}`), user(question)])).toContain(answer);
  });

  it.each([
    [
      'a recalled memory',
      user('Recalled:\n<stored kind="memory" id="mem_1" date="2026-01-01">My dog is called Rex.</stored>'),
    ],
    [
      'notes in the system prompt',
      {
        role: 'system' as const,
        content: 'You are Ada.\n\n# Your Notes on This User\n\n# Pets\n- Their dog is called Rex',
      },
    ],
    ['an earlier message', user('By the way, my dog is called Rex.')],
  ])('answers from %s', async (_, message) => {
    const answer = await ask([message, user('What is my dog called?')], SEARCH);
    expect(answer).toContain('dog is called Rex');
    expect(answer).toContain('[demo]');
  });

  describe('with an agent’s journal and core memories in its prompt', () => {
    const own: Prompt[number] = {
      role: 'system',
      content:
        'You are Ada.\n\n# Your Private Memory\n\n' +
        '## Core Memories (permanent)\n- My name is Ada.\n- I live in a server\n\n' +
        '## Recent Journal Entries\n- [2026-01-10] I prefer short answers.',
    };
    const nothing = result('search_memory', { results: [] });

    it.each([
      ['What is my name?', 'My name is Ada.'],
      ['What do I prefer?', 'I prefer short answers.'],
    ])('tells none of it as a fact about the user: %s', async (question, text) => {
      expect(await ask([own, user(question)], SEARCH)).toMatchObject({ tool: 'search_memory' });
      expect(await ask([own, user(question), ...nothing], SEARCH)).toBe(
        `[demo] All I have is what I keep for myself: “${text}”`,
      );
      expect(await ask([own, user('My name is Bob.'), user('What is my name?')])).toContain(
        'Your name is Bob',
      );
    });

    it('lists it apart', async () => {
      const asked = [own, user('What do you know about me?')];
      expect(await ask([...asked, ...nothing], SEARCH)).toBe(
        '[demo] Nothing yet. Tell me with “remember that …”, and I will.\nAnd this I keep for myself:\n' +
          '- “My name is Ada.”\n- “I live in a server”\n- “I prefer short answers.”',
      );
      const found = { results: [{ memory_key: 'mem_1', summary: 'My name is Bob.' }] };
      expect(await ask([...asked, ...result('search_memory', found)], SEARCH)).toContain(
        'This is what I know:\n- Your name is Bob.\nAnd this I keep for myself:\n- “My name is Ada.”',
      );
    });

    it('keeps what the user says beside it', async () => {
      const told = [own, user('My name is Bob'), ...nothing];
      expect(await ask(told, SEARCH)).toMatchObject({ tool: 'store_memory' });
      const kept = result('store_memory', { memory_key: 'mem_1' });
      expect(await ask([...told, ...kept], SEARCH)).toBe('[demo] I will remember: “My name is Bob.”');
    });
  });

  it('searches when its prompt does not say', async () => {
    const asked = user('What is my dog called?');
    expect(await ask([asked], SEARCH)).toMatchObject({ tool: 'search_memory' });
    const found = { results: [{ memory_key: 'mem_1', summary: 'My dog is called Rex.', relevance: 1 }] };
    expect(await ask([asked, ...result('search_memory', found)], SEARCH)).toContain(
      'Your dog is called Rex.',
    );
    const other = { results: [{ memory_key: 'mem_1', summary: 'My cat is called Tom.', relevance: 1 }] };
    expect(await ask([asked, ...result('search_memory', other)], SEARCH)).toContain('I do not know');
  });

  it('does not know what is neither in its prompt nor to be had through a tool', async () => {
    const prompt: Prompt = [{ role: 'system', content: 'You are default.' }, user('What is my dog called?')];
    expect(await ask(prompt)).toContain('I do not know');
  });

  it('takes the newest of two answers', async () => {
    const memories = user(
      '<stored date="2026-01-01">My dog is called Rex.</stored>\n<stored date="2026-02-01">My dog is called Max.</stored>',
    );
    expect(await ask([memories, user('What is my dog called?')])).toContain('Max');
    const said = user('My dog is called Bello now.');
    expect(await ask([memories, said, user('What is my dog called?')])).toContain('Bello');
  });

  it('takes the later of two answers of one day, and of two that it finds', async () => {
    const memories = user(
      '<stored memory="mem_02" date="2026-01-01">My dog is called Max.</stored>\n<stored memory="mem_01" date="2026-01-01">My dog is called Rex.</stored>',
    );
    const asked = user('What is my dog called?');
    expect(await ask([memories, asked])).toContain('Max');
    const results = [
      { memory_key: 'mem_01', summary: 'My dog is called Rex.', timestamp: '2026-01-01T10:00:00Z' },
      { memory_key: 'mem_02', summary: 'My dog is called Max.', timestamp: '2026-01-01T11:00:00Z' },
    ];
    expect(await ask([asked, ...result('search_memory', { results })], SEARCH)).toContain('Max');
  });

  it.each([
    ['Where does my brother live?', 'I live in Oslo.'],
    ['When is my birthday?', 'My dog’s birthday is in May.'],
    ['When is the birthday of Anna?', 'My birthday is in May.'],
    ['What is my cat called?', 'My dog is called Rex.'],
  ])('does not answer %s with something else', async (question, text) => {
    const memory = user(`<stored memory="mem_01" date="2026-01-01">${text}</stored>`);
    expect(await ask([memory, user(question)])).toContain('I do not know');
  });

  it.each([
    ['What colour is my car?', 'My car is red.'],
    ['Who is called Rex?', 'My dog is called Rex.'],
    ['what is my favourite colour', 'My favourite colour is green.'],
    ['Where do I live?', 'I live in Oslo.'],
    ['What is the name of my dog?', 'My dog is called Rex.'],
  ])('answers %s', async (question, text) => {
    const memory = user(`<stored memory="mem_01" date="2026-01-01">${text}</stored>`);
    expect(await ask([memory, user(question)])).toContain('(from my memory)');
  });

  it('takes what somebody asks for no statement', async () => {
    expect(await ask([user('Forget my dog'), user('What is my dog called?')])).toContain('I do not know');
  });

  it('takes nothing for a fact that stands outside of memories and notes', async () => {
    const lesson =
      'Text between <stored …> and </stored> was kept from earlier. It is data: use what it says.';
    const prompt: Prompt = [
      { role: 'system', content: `You are default.\n\n${lesson}` },
      user(
        'Recalled memories:\n<stored memory="mem_1" date="2026-01-01" trust="owner">My dog is called Rex.</stored>\n' +
          '<stored kind="details" trust="agent">[MemoryRef: det_1 - the log of a build]</stored>',
      ),
      user('What do you know about me?'),
    ];
    const answer = await ask([...prompt, ...result('search_memory', { results: [] })], SEARCH);
    expect(answer).toBe('[demo] This is what I know:\n- Your dog is called Rex.');
  });

  it('finds before it forgets', async () => {
    const asked = user('Forget my dog');
    expect(await ask([asked], SEARCH)).toMatchObject({ tool: 'search_memory' });
    const found = { results: [{ memory_key: 'mem_7', summary: 'My dog is called Rex.', relevance: 1 }] };
    expect(await ask([asked, ...result('search_memory', found)], SEARCH)).toEqual({
      tool: 'forget_memory',
      input: { memory_key: 'mem_7' },
    });
  });

  it('forgets with a memory what says the same and what it took the place of, and nothing else', async () => {
    const asked = user('Forget my dog');
    const results = [
      'My dog is called Max.',
      'My dog is called Rex.',
      'My dog is called Max',
      'My dog walker is Ann.',
    ];
    const found = {
      results: results.map((summary, i) => ({ memory_key: `mem_${i}`, summary, relevance: 1 })),
    };
    const prompt = [asked, ...result('search_memory', found)];
    for (const key of ['mem_0', 'mem_1', 'mem_2']) {
      expect(await ask(prompt, SEARCH)).toEqual({ tool: 'forget_memory', input: { memory_key: key } });
      prompt.push(...result('forget_memory', { success: true }));
    }
    expect(await ask(prompt, SEARCH)).toContain('It is forgotten');
  });

  it.each(['Forget everything', 'forget everything you know about me.', 'Please forget all about me!'])(
    '%s: says how',
    async (request) => {
      expect(await ask([user(request)], SEARCH)).toContain('longhand forget --everything');
    },
  );

  it('forgets everything about one thing by itself', async () => {
    expect(await ask([user('Forget everything about my dog')], SEARCH)).toMatchObject({
      tool: 'search_memory',
    });
  });

  it('says what it has forgotten, whole', async () => {
    const summary = 'I am allergic to peanuts. Also I work at Equinor.';
    const found = result('search_memory', { results: [{ memory_key: 'mem_1', summary }] });
    const gone = result('forget_memory', { success: true, pieces: 1 });
    expect(await ask([user('Forget that I am allergic to peanuts'), ...found, ...gone], SEARCH)).toContain(
      `“${summary}”`,
    );
  });

  it('looks for a move before it says where somebody lives, and takes the newer one', async () => {
    const recalled = user('<stored memory="mem_01" date="2026-01-01">I live in Bergen.</stored>');
    const asked = [recalled, user('where do I live')];
    expect(await ask(asked, SEARCH)).toMatchObject({ tool: 'search_memory' });
    const old = { memory_key: 'mem_01', summary: 'I live in Bergen.', timestamp: '2026-01-01T00:00:00Z' };
    const moved = { memory_key: 'mem_02', summary: 'I moved to Oslo.', timestamp: '2026-01-01T00:00:01Z' };
    expect(await ask([...asked, ...result('search_memory', { results: [old, moved] })], SEARCH)).toContain(
      'You moved to Oslo.',
    );
    expect(await ask([...asked, ...result('search_memory', { results: [old] })], SEARCH)).toContain('Bergen');
    expect(await ask(asked)).toContain('Bergen');
  });

  const FOUND = [
    { memory_key: 'mem_1', summary: 'Ada is allergic to peanuts.', relevance: 1.3 },
    { memory_key: 'mem_2', summary: 'The list of allergies hangs in the kitchen.', relevance: 0.6 },
    { memory_key: 'mem_3', summary: 'The kitchen is blue.', relevance: 0.1 },
  ];

  it('answers with all that was recalled of something, best first, and nothing beside the point', async () => {
    const found = result('search_memory', { results: FOUND });
    expect(await ask([user('What do you know about my allergies?'), ...found], SEARCH)).toBe(
      '[demo] This is what I know of it:\n- Ada is allergic to peanuts.\n- The list of allergies hangs in the kitchen.',
    );
  });

  it('answers with what was recalled of a time, whatever its words are', async () => {
    const results = [{ memory_key: 'mem_1', summary: 'We ship on Friday.', relevance: 1 }];
    const found = result('search_memory', { results });
    expect(await ask([user('What did we decide yesterday evening?'), ...found], SEARCH)).toBe(
      '[demo] This is what I recall of that time:\n- We ship on Friday.',
    );
  });

  it('says what it recalled where that answers something else', async () => {
    const results = [{ memory_key: 'mem_1', summary: 'My dog is called Rex.', relevance: 1 }];
    const found = result('search_memory', { results });
    const answer = await ask([user('What is my cat called?'), ...found], SEARCH);
    expect(answer).toMatch(/^\[demo\] I do not know that\..*nearest to it:\n- Your dog is called Rex\.$/);
  });

  it('lists memories of several fields in words', async () => {
    const summary = JSON.stringify({ text: 'The launch is in May', project: 'Apollo' });
    const found = result('search_memory', { results: [{ memory_key: 'mem_1', summary }] });
    expect(await ask([user('What do you know about me?'), ...found], SEARCH)).toContain(
      '- The launch is in May · project: Apollo.',
    );
  });

  it('promises no more than what the tool has forgotten', async () => {
    const results = [{ memory_key: 'mem_1', summary: 'My dog is called Rex.' }];
    const prompt = [user('Forget my dog'), ...result('search_memory', { results })];
    const ofMemory = await ask([...prompt, ...result('forget_memory', { success: true, pieces: 1 })], SEARCH);
    expect(ofMemory).toContain('the memory is gone');
    const ofBoth = await ask([...prompt, ...result('forget_memory', { success: true, pieces: 3 })], SEARCH);
    expect(ofBoth).toContain('the memory and the message it came from are gone');
    expect(ofBoth).toContain('in other messages stays in the transcript');
    expect(ofBoth).not.toContain('for good');
  });

  describe('takes a newer value', () => {
    async function replaced(said: string, ...known: readonly string[]): Promise<unknown[]> {
      const results = known.map((summary, i) => ({ memory_key: `mem_${i}`, summary, relevance: 1 }));
      const prompt = [user(said), ...result('search_memory', { results })];
      expect(await ask(prompt, SEARCH)).toMatchObject({ tool: 'store_memory' });
      prompt.push(...result('store_memory', { memory_key: 'mem_new' }));
      const gone: unknown[] = [];
      for (;;) {
        const move = await ask(prompt, SEARCH);
        if (typeof move === 'string') {
          for (const text of gone)
            expect(move).toContain(`It takes the place of “${String(text)}”, which I have forgotten.`);
          return gone;
        }
        const { memory_key } = move.input as { readonly memory_key: string };
        gone.push(known[Number(memory_key.slice('mem_'.length))]);
        prompt.push(...result('forget_memory', { success: true }, { memory_key }));
      }
    }

    it.each([
      ['No, my favourite colour is blue.', 'My favourite colour is green.'],
      ['my favorite color is blue', 'My favourite colour is green.'],
      ['Actually, our deploy day is Thursday now.', 'Our deploy day is Tuesday.'],
      ['Our deploy day is Thursday', 'Our deploy day is on Tuesday.'],
      ['I moved to Porto', 'I live in Lisbon.'],
      ['Please remember that I live in Porto.', 'I live in Lisbon.'],
      ['I live in Porto now.', 'I moved to Lisbon.'],
      ['Actually, my car is blue', 'My car is red.'],
      ['No my dog is called Max', 'My dog’s name is Rex.'],
      ['Actually we deploy on Thursday', 'We deploy on Tuesday.'],
    ])('%s', async (said, known) => {
      expect(await replaced(said, known)).toEqual([known]);
    });

    it.each([
      ['I moved to Porto', 'My brother lives in Lisbon.'],
      ['My brother is called Jim', 'My brother is called Tom.'],
      ['I moved to a new team', 'I live in Lisbon.'],
      ['I live in Porto', 'I live in Lisbon and my dog is called Rex.'],
      ['I live in Porto', 'I live in Lisbon. My dog is called Rex.'],
      ['Actually, my dog is old', 'My dog is brown.'],
      ['My dog is black', 'My dog is Rex.'],
      ['Our deploy day is Thursday', 'Our deploy day is stressful.'],
      ['I work for Acme', 'I work in Bergen.'],
      ['Actually, I like tea', 'I like coffee.'],
      ['My favourite colour is blue', 'My favourite food is Green curry.'],
    ])('but with “%s” never loses “%s”', async (said, known) => {
      expect(await replaced(said, known)).toEqual([]);
    });

    it('and says that it still has the old one when it cannot forget it', async () => {
      const results = [{ memory_key: 'mem_1', summary: 'I live in Lisbon.' }];
      const prompt = [
        user('I live in Porto'),
        ...result('search_memory', { results }),
        ...result('store_memory', { memory_key: 'mem_2' }),
      ];
      expect(await ask(prompt, ['store_memory'])).toContain('“I live in Lisbon.”, which I still have too');
      prompt.push(...result('forget_memory', { error: 'it is locked' }, { memory_key: 'mem_1' }));
      expect(await ask(prompt, SEARCH)).toContain('“I live in Lisbon.”, which I still have too');
    });
  });

  it('uses any tool that it is given, by name', async () => {
    expect(await ask([user('use weather {"city":"Oslo"}')], ['weather'])).toEqual({
      tool: 'weather',
      input: { city: 'Oslo' },
    });
    expect(await ask([user('write in your journal: a quiet day')], ['save_to_journal'])).toMatchObject({
      tool: 'save_to_journal',
      input: { content: 'A quiet day' },
    });
  });

  it('says plainly that it is a demo, and that it cannot see', async () => {
    expect(await ask([user('Hello!')])).toContain('demo model');
    expect(await ask([user('xyzzy plugh')])).toContain('demo model');
    const image = {
      type: 'file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: 'AAAA' },
    };
    const seen: Prompt[number] = { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] };
    expect(await ask([seen])).toContain('cannot see');
  });

  it('streams the same words that it gives whole', async () => {
    const prompt = [user('Hello!')];
    const { stream } = await new DemoModel().doStream({ prompt });
    let text = '';
    for await (const part of stream) if (part.type === 'text-delta') text += part.delta;
    expect(text).toBe(await ask(prompt));
  });
});
