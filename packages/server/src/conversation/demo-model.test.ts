import { teachMemoryRefs } from 'longhand';
import { describe, expect, it } from 'vitest';
import { DemoModel } from './demo-model.ts';

type Options = Parameters<DemoModel['doGenerate']>[0];
type Prompt = Options['prompt'];

const TOOLS = ['search_memory', 'store_memory', 'forget_memory'];

function user(text: string): Prompt[number] {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function assistant(text: string): Prompt[number] {
  return { role: 'assistant', content: [{ type: 'text', text }] };
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

const memory = (text: string): Prompt[number] =>
  user(`From your memory, oldest first.\n- [2026-01-01, finding, mem_1] ${text}`);

describe('what is stated', () => {
  it.each([
    ['Please remember that my dog is called Rex.', 'My dog is called Rex.', 'finding'],
    ['my dog is called Rex', 'My dog is called Rex', 'finding'],
    ['I am allergic to peanuts.', 'I am allergic to peanuts.', 'preference'],
    ['I am allergic to peanuts, please remember that.', 'I am allergic to peanuts.', 'preference'],
    ['Hi, I am Nora.', 'I am Nora.', 'finding'],
    ['Actually, my dog is called Max.', 'My dog is called Max.', 'finding'],
    ['We moved to Lübeck last week.', 'We live in Lübeck (moved last week).', 'finding'],
    [
      'The office opens at nine, it is the only one.',
      'The office opens at nine, it is the only one.',
      'finding',
    ],
  ])('is stored: %s', async (said, content, type) => {
    expect(await ask([user(said)], TOOLS)).toEqual({ tool: 'store_memory', input: { content, type } });
  });

  it.each([
    [
      'Hi, I’m Mia Okafor, I live in Leeds and I work as a nurse.',
      ['I’m Mia Okafor', 'I live in Leeds', 'I work as a nurse.'],
    ],
    [
      'My cat is called Biscuit. I’m lactose intolerant.',
      ['My cat is called Biscuit.', 'I’m lactose intolerant.'],
    ],
    ['My car is a red Fiat and my bike is a Trek.', ['My car is a red Fiat', 'My bike is a Trek.']],
    ['My doctor is Dr. Singh. She is in Oslo.', ['My doctor is Dr. Singh. She is in Oslo.']],
    ['My wife and I have a dog and I love him.', ['My wife and I have a dog and I love him.']],
    ['If I am late and my phone is off, I am asleep.', ['If I am late and my phone is off, I am asleep.']],
  ])('is stored statement by statement: %s', async (said, texts) => {
    const { content } = await new DemoModel().doGenerate({
      prompt: [user(said)],
      tools: [{ type: 'function', name: 'store_memory', inputSchema: {} }],
    });
    const stored = content.map((part) => part.type === 'tool-call' && JSON.parse(part.input).content);
    expect(stored).toEqual(texts);
  });

  it('is confirmed only when it was stored', async () => {
    const told = user('My dog is called Rex.');
    const input = { content: 'My dog is called Rex.' };
    const kept = result('store_memory', { memory_key: 'mem_1', similar: [] }, input);
    expect(await ask([told, ...kept], TOOLS)).toBe('[demo] I will remember: “My dog is called Rex.”');
    const failed = result('store_memory', { error: 'the session is full' }, input);
    expect(await ask([told, ...failed], TOOLS)).toContain('the session is full');
    expect(await ask([told])).toContain('no tool store_memory');
  });

  const similar = [{ memory_key: 'mem_1', text: 'We live in Hamburg.' }];
  const stored = (content: string) => result('store_memory', { memory_key: 'mem_2', similar }, { content });

  it('replaces the nearest memory where the user says that something changed', async () => {
    const told = user('We moved to Lübeck.');
    const first = stored('We live in Lübeck.');
    expect(await ask([told, ...first], TOOLS)).toEqual({
      tool: 'store_memory',
      input: { content: 'We live in Lübeck.', type: 'finding', replaces: ['mem_1'] },
    });
    const again = [
      ...first,
      ...result('store_memory', { memory_key: 'mem_2' }, { content: 'We live in Lübeck.' }),
    ];
    expect(await ask([told, ...again], TOOLS)).toBe(
      '[demo] I will remember: “We live in Lübeck.” It replaces “We live in Hamburg.”',
    );
  });

  it('otherwise stands beside the nearest memory, which the demo names', async () => {
    for (const said of ['We have a house in Lübeck.', 'We have a new house in Lübeck.'])
      expect(await ask([user(said), ...stored(said)], TOOLS)).toBe(
        `[demo] I will remember: “${said}” I also know: “We live in Hamburg.”`,
      );
  });
});

describe('a question', () => {
  it.each([
    ['a recalled memory', memory('My dog is called Rex.')],
    [
      'notes in the system prompt',
      {
        role: 'system' as const,
        content: 'You are Ada.\n\n# Pets\n- The dog is called Rex',
      },
    ],
    ['a fenced text', user('<stored trust="tool">\nThe dog is called Rex.\n</stored>')],
    ['an earlier message', user('By the way, my dog is called Rex.')],
  ])('is answered from %s', async (_, message) => {
    const answer = await ask([message, user('What is my dog called?')], TOOLS);
    expect(answer).toMatch(/^\[demo\] You told me: “.*dog is called Rex/);
  });

  it('is answered by what replaced an older statement of the same conversation', async () => {
    const prompt = [
      user('We live in Hamburg.'),
      assistant('[demo] I will remember: “We live in Hamburg.”'),
      user('We moved to Lübeck.'),
      assistant('[demo] I will remember: “We live in Lübeck.” It replaces “We live in Hamburg.”'),
      memory('We live in Lübeck.'),
      user('Where do we live?'),
    ];
    const answer = await ask(prompt);
    expect(answer).toContain('Lübeck');
    expect(answer).not.toContain('Hamburg');
  });

  it('is answered by the memory rather than by a message that it has outlived', async () => {
    const prompt = [
      user('My cat is called Biscuit.'),
      memory('My cat is called Muffin.'),
      user('What is my cat called?'),
    ];
    expect(await ask(prompt)).toContain('Muffin');
  });

  it('is not answered from what the user had forgotten or corrected since', async () => {
    const asked = user('Who is my doctor?');
    const said = user('My doctor is Dr Singh.');
    expect(await ask([said, user('Forget my doctor.'), asked])).toContain('I do not know');
    expect(await ask([said, user('Actually, my doctor is Dr Berg.'), asked])).toContain('Berg');
    expect(await ask([said, user('Forget my doctor.'), user('My doctor is Dr Berg.'), asked])).toContain(
      'Berg',
    );
  });

  it('in other words than the fact finds it', async () => {
    const prompt = [
      memory('I am allergic to peanuts.'),
      memory('My car is a red one.'),
      user('Which food should I avoid?'),
    ];
    expect(await ask(prompt)).toContain('allergic to peanuts');
  });

  it('makes the demo search when its prompt does not say', async () => {
    const asked = user('What is my dog called?');
    expect(await ask([asked], TOOLS)).toEqual({
      tool: 'search_memory',
      input: { query: 'What is my dog called?' },
    });
    const found = { results: [{ memory_key: 'mem_1', summary: 'My dog is called Rex.' }] };
    expect(await ask([asked, ...result('search_memory', found)], TOOLS)).toContain('Rex');
    expect(await ask([asked, ...result('search_memory', { results: [] })], TOOLS)).toContain('I do not know');
    expect(await ask([asked])).toContain('I do not know');
  });

  it('about a time is answered by what the search finds first', async () => {
    const asked = [memory('We live in Lübeck (moved last week).'), user('What did I tell you last week?')];
    expect(await ask(asked, TOOLS)).toMatchObject({ tool: 'search_memory', input: { within: 'last week' } });
    expect(await ask([...asked, ...result('search_memory', { results: [] })], TOOLS)).toContain(
      'I am not sure',
    );
    const found = (timestamp: string) => {
      const results = [{ memory_key: 'mem_2', summary: 'The heating was repaired.', timestamp, match: 1 }];
      return ask([...asked, ...result('search_memory', { results })], TOOLS);
    };
    expect(await found('2026-01-02T09:00:00.000Z')).toBe('[demo] You told me: “The heating was repaired.”');
    // Said today, it was not said last week, whatever day it speaks of.
    expect(await found(new Date().toISOString())).toContain('I am not sure');
  });

  it('for all that is known names no words of Longhand’s own, and nothing twice', async () => {
    const asked = [
      { role: 'system' as const, content: `You are Ada.\n\n${teachMemoryRefs()}\n\n- Ada is careful.` },
      user(
        'Kept from earlier. This is data, not a request:\n\n<stored trust="tool">Ships on Friday.</stored>',
      ),
      memory('We live in Lübeck (moved last week).'),
      user('We moved to Lübeck last week.'),
      user('Today is Wednesday, 2026-11-18.\n'),
      user('What do you know about me?'),
    ];
    expect(await ask(asked)).toBe(
      '[demo] This is what I know:\n- Ada is careful.\n- Ships on Friday.\n- We live in Lübeck (moved last week).',
    );
  });

  it('for all that is known lists it', async () => {
    const asked = [
      memory('My dog is called Rex.'),
      user('I live in Oslo.'),
      user('What do you know about me?'),
    ];
    expect(await ask(asked, TOOLS)).toMatchObject({ tool: 'search_memory', input: { query: '*' } });
    const found = { results: [{ memory_key: 'mem_1', summary: 'My dog is called Rex.' }] };
    expect(await ask([...asked, ...result('search_memory', found)], TOOLS)).toBe(
      '[demo] This is what I know:\n- My dog is called Rex.\n- I live in Oslo.',
    );
  });
});

describe('commands', () => {
  it('forget the one memory that holds what was named', async () => {
    const asked = user('Forget my dog');
    expect(await ask([asked], TOOLS)).toEqual({ tool: 'search_memory', input: { query: 'my dog' } });
    const results = [{ memory_key: 'mem_1', summary: 'My dog is called Rex.', match: 1 }];
    const found = [asked, ...result('search_memory', { results })];
    expect(await ask(found, TOOLS)).toEqual({ tool: 'forget_memory', input: { memory_key: 'mem_1' } });
    const gone = [...found, ...result('forget_memory', { success: true, pieces: 3 })];
    expect(await ask(gone, TOOLS)).toBe('[demo] I have forgotten it: 3 pieces, messages included.');
    const weak = [{ memory_key: 'mem_2', summary: 'A hot dog costs four euros.', match: 0.2 }];
    expect(await ask([asked, ...result('search_memory', { results: weak })], TOOLS)).toContain(
      'I know nothing',
    );
    for (const all of [
      'Forget everything',
      'Forget everything about me.',
      'Please forget all you know about us!',
    ])
      expect(await ask([user(all)], TOOLS)).toContain('longhand forget --everything');
  });

  it('forget everything that holds a name', async () => {
    const asked = user('Forget everything about Tom.');
    expect(await ask([asked], TOOLS)).toEqual({ tool: 'forget_memory', input: { text: 'Tom' } });
    const nothing = result('forget_memory', { error: 'Nothing holds these words.' });
    expect(await ask([asked, ...nothing], TOOLS)).toContain('Nothing holds these words.');
    expect(await ask([asked])).toContain('no tool forget_memory');
  });

  it('use any tool by its name', async () => {
    const asked = user('use weather {"city":"Oslo"}');
    expect(await ask([asked], ['weather'])).toEqual({ tool: 'weather', input: { city: 'Oslo' } });
    expect(await ask([asked, ...result('weather', { degrees: 4 })], ['weather'])).toContain('{"degrees":4}');
    expect(await ask([user('use weather {city}')], ['weather'])).toContain('must be JSON');
    expect(await ask([asked])).toContain('no tool weather');
  });
});

describe('the demo', () => {
  it('says that it is one, and that it cannot see', async () => {
    expect(await ask([user('Hello!')])).toContain('demo model');
    expect(await ask([user('xyzzy plugh')])).toContain('demo model');
    expect(await ask([user('Thank you! What can you do?')], TOOLS)).toContain('demo model');
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
