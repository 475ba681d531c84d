import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LogStore, MemoryStore } from 'longhand';
import { afterEach, describe, expect, it } from 'vitest';
import { answerWhole, ChatFolder } from './chat-set-up.ts';

const folders: ChatFolder[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove();
});

function newFolder(): ChatFolder {
  const folder = new ChatFolder();
  folders.push(folder);
  return folder;
}

/** A store that counts what is written to transcripts. */
function counting(): { readonly store: LogStore; readonly writes: () => number } {
  let writes = 0;
  const inner = new MemoryStore();
  const store = new Proxy<LogStore>(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const isWrite = name === 'append' || name === 'transact' || name === 'rewrite';
        if (isWrite && (args[0] as { readonly kind: string }).kind === 'transcript') writes++;
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store, writes: () => writes };
}

function filesWith(root: string, text: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);
}

describe('a conversation with the demo model', () => {
  it('remembers beyond a restart, in another conversation, for this user alone', async () => {
    const folder = newFolder();
    const before = await folder.open();
    expect((await before.say('Please remember that my dog is called Rex.')).answer).toContain(
      'I will remember',
    );
    await before.close();
    const after = await folder.open();
    const { answer } = await after.say('What is my dog called?', { session: 'tomorrow' });
    expect(answer).toContain('You told me: “My dog is called Rex.”');
    const eve = after.manager.as({ account_id: 'local', user_id: 'eve' });
    expect((await after.say('What is my dog called?', { session: 'eves', memory: eve })).answer).toContain(
      'I do not know',
    );
  });

  it('forgets a memory with what was said when it was made, to the last byte', async () => {
    const folder = newFolder();
    const talk = await folder.open();
    await talk.say('Please remember that my parrot is called Zorro.', { session: 'chat' });
    await talk.say('Good morning', { session: 'chat' });
    const { memory } = talk;
    const [found] = (await memory.search({ text: 'parrot' })).memories;
    await memory.forget({ user: 'me', ids: [found!.id] });
    expect((await talk.say('What is my parrot called?', { session: 'chat' })).answer).toContain(
      'I do not know',
    );
    await talk.close();
    expect(filesWith(folder.root, 'Zorro')).toEqual([]);
    const again = await folder.open();
    const messages = await again.memory.messages('chat');
    expect(messages.map(({ content }) => content)).toContain('Good morning');
  });

  it('goes on where it was, archived or not', async () => {
    const folder = newFolder();
    const before = await folder.open();
    await (await before.memory.agents()).create({ name: 'toolless', enabled_tools: [] });
    await before.say('The weather in Oslo is fine.', { session: 'chat', agent: 'toolless' });
    await before.close();
    const after = await folder.open();
    const { answer } = await after.say('How is the weather in Oslo?', { session: 'chat', agent: 'toolless' });
    expect(answer).toContain('You told me: “The weather in Oslo is fine.”');
  });

  it('does not know without the memory in its prompt and without tools', async () => {
    const folder = newFolder();
    const chat = await folder.open();
    await chat.say('Remember that my dog is called Rex.');
    await (await chat.memory.agents()).create({ name: 'toolless', enabled_tools: [] });
    const recalled = await chat.say('What is my dog called?', { session: 'new', agent: 'toolless' });
    expect(recalled.answer).toContain('Rex');
    expect(recalled.manifest?.pieces.map(({ section }) => section)).toContain('standing');
    const { DemoModel } = await import('../src/conversation/demo-model.ts');
    const context = await chat.memory.assembleContext({
      session: 'new',
      agent: 'toolless',
      messages: [{ role: 'user', content: 'What is my dog called?' }],
    });
    const bare = context.messages.filter(({ content }) => !content.includes('Rex'));
    expect(bare.length).toBeLessThan(context.messages.length);
    const { content } = await new DemoModel().doGenerate({
      prompt: bare.map(({ role, content: text }) =>
        role === 'system' ? { role, content: text } : { role: 'user', content: [{ type: 'text', text }] },
      ),
    });
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('I do not know') }]);
  });

  it('forgets when it is asked to', async () => {
    const chat = await newFolder().open();
    await chat.say('Remember that my dog is called Rex.');
    expect((await chat.say('Forget my dog', { session: 'b' })).answer).toContain('forgotten');
    expect((await chat.say('What is my dog called?', { session: 'c' })).answer).toContain('I do not know');
  });

  it.each([
    ['My dog is called Rex.', 'Actually, my dog is called Max.', 'Rex', 'Max', 'What is my dog called?'],
    [
      'My favourite colour is green.',
      'No, my favourite colour is blue.',
      'green',
      'blue',
      'What is my favourite colour?',
    ],
    [
      'Our deploy day is Tuesday.',
      'Actually, our deploy day is Thursday now.',
      'Tuesday',
      'Thursday',
      'When is our deploy day?',
    ],
    ['I live in Hamburg.', 'We moved to Lübeck.', 'Hamburg', 'Lübeck', 'Where do I live?'],
  ])('replaces “%s” when it is told “%s”', async (before, after, old, current, question) => {
    const chat = await newFolder().open();
    await chat.say(before);
    await chat.say('I work with Ann.');
    const told = await chat.say(after, { session: 'b' });
    expect(told.answer).toContain(`It replaces “${before}”`);
    for (const session of ['chat', 'b', 'c']) {
      const { answer } = await chat.say(question, { session });
      expect(answer).toContain(current);
      if (session !== 'chat') expect(answer).not.toContain(old);
    }
    expect((await chat.memory.search({ text: 'Ann' })).memories).toHaveLength(1);
  });

  it('replaces the one statement that changed', async () => {
    const chat = await newFolder().open();
    await chat.say('Hi, I’m Mia Okafor, I live in Leeds and I work as a nurse.');
    await chat.say('My cat is called Biscuit. I’m lactose intolerant.');
    await chat.say('My car is a red Fiat and my bike is a Trek.');
    for (const change of [
      'We moved to Manchester last weekend.',
      'Actually, my cat is called Muffin, not Biscuit.',
      'My car is a blue Volvo now.',
    ])
      expect((await chat.say(change)).answer).toContain('It replaces');
    const { memories } = await chat.memory.search({ text: '*', limit: 50 });
    expect(memories.map(({ content }) => content.text).sort()).toEqual([
      'I work as a nurse.',
      'I’m Mia Okafor',
      'I’m lactose intolerant.',
      'My bike is a Trek.',
      'My car is a blue Volvo now.',
      'My cat is called Muffin, not Biscuit.',
      'We live in Manchester (moved last weekend).',
    ]);
    expect((await chat.say('What’s the name of my cat?')).answer).toContain('Muffin');
    expect((await chat.say('Where do I live?')).answer).toContain('Manchester');
  });

  it.each([
    [
      'I’m lactose intolerant.',
      'Forget that I am lactose intolerant.',
      'lactose',
      'Am I lactose intolerant?',
    ],
    ['My doctor is Dr Singh.', 'Forget my doctor.', 'Singh', 'Who is my doctor?'],
    ['My friend Tom has a boat.', 'Forget everything about Tom.', 'boat', 'Does Tom have a boat?'],
  ])('told “%s”, forgets it when it is told “%s”', async (said, request, secret, question) => {
    const folder = newFolder();
    const chat = await folder.open();
    await chat.say(said);
    await chat.say(said);
    const { answer } = await chat.say(request);
    expect(answer).toContain('I have forgotten it');
    expect(answer).not.toContain(secret);
    expect((await chat.say(question)).answer).not.toContain(said);
    expect((await chat.memory.search({ text: said })).memories).toEqual([]);
  });

  it('keeps a fact once, however often it is told', async () => {
    const chat = await newFolder().open();
    await chat.say('Remember that my dog is called Rex.');
    await chat.say('Please remember that my dog is called Rex.', { session: 'b' });
    expect((await chat.memory.search({ text: 'dog' })).memories).toHaveLength(1);
  });

  it('finds a fact that is asked for in other words', async () => {
    const chat = await newFolder().open();
    for (const fact of ['I am allergic to peanuts.', 'My car is red.', 'My sister plays the cello.'])
      await chat.say(fact);
    const { answer } = await chat.say('Which food should I avoid?', { session: 'b' });
    expect(answer).toContain('I am allergic to peanuts.');
  });

  it('lists what it was told and what others have added', async () => {
    const chat = await newFolder().open();
    expect((await chat.say('What do you know about me?')).answer).toContain('Nothing yet');
    await chat.memory.createSession({ session_id: 'added' });
    await chat.memory.addMemory('added', { type: 'decision', content: { text: 'Ship ends Friday' } });
    for (const fact of ['My dog is called Rex.', 'I live in Oslo.']) await chat.say(fact);
    const { answer } = await chat.say('What do you know about me?', { session: 'b' });
    for (const fact of ['My dog is called Rex.', 'I live in Oslo.', 'Ship ends Friday'])
      expect(answer).toContain(`- ${fact}`);
  });

  it('writes notes and journal through the tools', async () => {
    const chat = await newFolder().open();
    const notes = { operation: 'append', content: '- I work in Bergen' };
    await chat.say(`use manage_long_term_memory ${JSON.stringify(notes)}`);
    expect((await chat.say('Where do I work?', { session: 'b' })).answer).toContain('Bergen');
    await chat.say('use save_to_journal {"content":"A quiet day"}', { session: 'b' });
    expect(await (await chat.memory.journalOf('default')).list()).toHaveLength(1);
  });
});

describe('writes to the store', () => {
  /** Nothing is written because of the time that the turns take. */
  const UNTIMED = { everySeconds: 3_600 };

  it('are few: 200 turns, at most one write of the transcript in ten', async () => {
    const { store, writes } = counting();
    const chat = await newFolder().open({ provider: 'demo' }, { manager: { store }, conversations: UNTIMED });
    for (let i = 0; i < 200; i++) await chat.say(`Tell me about number ${i}`);
    await chat.conversations.archiveAll();
    expect(await chat.memory.messages('chat')).toHaveLength(400);
    expect(writes() / 200).toBeLessThanOrEqual(0.1);
  });

  it('are few with summaries too', async () => {
    const { store, writes } = counting();
    const config = { summary: { enabled: true } };
    const manager = { store, config };
    const chat = await newFolder().open({ provider: 'demo' }, { manager, conversations: UNTIMED });
    for (let i = 0; i < 200; i++) await chat.say(`Tell me about number ${i}`);
    await chat.close();
    // A batch and a summary for every 28 messages or so.
    expect(writes() / 200).toBeLessThanOrEqual(0.2);
  });

  it('a batch of 100 messages from a client is one', async () => {
    const { store, writes } = counting();
    const chat = await newFolder().open({ provider: 'demo' }, { manager: { store } });
    await chat.memory.createSession({ session_id: 'chat' });
    const batch = Array.from({ length: 100 }, (_, i) => ({
      id: `m${i}`,
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `message ${i}`,
    }));
    const before = writes();
    expect(await chat.conversations.archive('chat', batch, chat.memory)).toMatchObject({ archived: 100 });
    expect(writes() - before).toBe(1);
  });
});

describe('a client that archives too', () => {
  it('keeps every message once, in order', async () => {
    const chat = await newFolder().open();
    const first = await chat.say('one', { id: 'u1' });
    const second = await chat.say('two', { id: 'u2' });
    const batch = [
      { id: 'u2', role: 'user' as const, content: 'two' },
      { id: second.message_id, role: 'assistant' as const, content: second.answer },
    ];
    await chat.conversations.archive('chat', batch, chat.memory);
    await chat.conversations.archiveAll();
    expect((await chat.memory.messages('chat')).map(({ id }) => id)).toEqual([
      'u1',
      first.message_id,
      'u2',
      second.message_id,
    ]);
    expect(await chat.conversations.unarchived(await chat.memory.loadSession('chat'))).toEqual([]);
  });

  it('may repeat a message, but not give its id to another', async () => {
    const chat = await newFolder().open();
    await chat.say('hello', { id: 'u1' });
    await chat.say('hello', { id: 'u1' });
    await expect(chat.say('something else', { id: 'u1' })).rejects.toMatchObject({ code: 'ID_TAKEN' });
    await chat.conversations.archiveAll();
    await expect(chat.say('something else', { id: 'u1' })).rejects.toMatchObject({ code: 'ID_TAKEN' });
    expect((await chat.memory.messages('chat')).filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it.each([
    ['no message', []],
    ['an assistant’s last', [{ role: 'assistant' as const, content: 'x' }]],
    [
      'words of the system',
      [
        { role: 'system' as const, content: 'obey' },
        { role: 'user' as const, content: 'x' },
      ],
    ],
    ['a NUL', [{ role: 'user' as const, content: 'a\0b' }]],
    ['a blank', [{ role: 'user' as const, content: '  ' }]],
  ])('is refused before anything is kept: %s', async (_, new_messages) => {
    const chat = await newFolder().open();
    const refused = answerWhole(chat.conversations, { new_messages, session_id: 'chat' }, chat.memory);
    await expect(refused).rejects.toMatchObject({ name: 'ValidationError' });
    expect(await chat.memory.listSessions()).toEqual([]);
  });
});

describe('what is forgotten', () => {
  it('leaves the spool with its session', async () => {
    const folder = newFolder();
    const chat = await folder.open();
    await chat.say('My code word is xylophone-4711.');
    await chat.say('Hello', { session: 'other' });
    await chat.memory.deleteSession('chat');
    const other = await chat.memory.loadSession('other');
    expect(await chat.conversations.unarchived(other)).toHaveLength(2);
    const spooled = filesUnder(join(folder.root, 'spool')).map((path) => readFileSync(path, 'utf8'));
    expect(spooled.join('')).not.toContain('xylophone');
    expect(spooled.join('')).toContain('Hello');
  });

  it('is in no file, the spool’s included', async () => {
    const folder = newFolder();
    const chat = await folder.open();
    await chat.say('My code word is xylophone-4711.', { id: 'secret' });
    expect(await chat.memory.previewForgetting({ session: 'chat', ids: ['secret'] })).toMatchObject({
      messages: 2,
    });
    await chat.say('And xylophone-4712.', { id: 'other' });
    expect(await chat.memory.redact({ session: 'chat', message: 'other', text: 'xylophone-4712' })).toBe(1);
    const [, , redacted] = await chat.memory.messages('chat');
    expect(redacted?.content).toBe('And [redacted].');
    await chat.say('And xylophone-4713.', { session: 'waits' });
    await chat.memory.forget({ user: 'me' });
    await chat.close();
    const texts = filesUnder(folder.root).map((path) => readFileSync(path, 'latin1'));
    expect(texts.filter((text) => text.includes('xylophone'))).toEqual([]);
  });
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
