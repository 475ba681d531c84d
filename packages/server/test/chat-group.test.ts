import { afterEach, describe, expect, it } from 'vitest';
import { answerWhole, ChatFolder } from './chat-set-up.ts';
import { type ChatBody, type Scripted, type StandIn, startStandIn } from './openai-stand-in.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function setUp(reply: (body: ChatBody) => Scripted) {
  const model: StandIn = await startStandIn(reply);
  opened.push(() => model.close());
  const folder = new ChatFolder();
  opened.push(() => folder.remove());
  const chat = await folder.open({ provider: 'openai-compatible', baseURL: model.baseURL, model: 'large' });
  const agents = await chat.memory.agents();
  for (const name of ['ada', 'bob']) await agents.create({ name, system_prompt: `You are ${name}.` });
  return { model, ...chat };
}

function agentOf(body: ChatBody): string {
  return /You are (\w+)\./.exec(String(body.messages[0]!.content))?.[1] ?? '';
}

function promptsOf(model: StandIn, agent: string): string {
  return JSON.stringify(model.requests.filter((body) => agentOf(body) === agent));
}

describe('a conversation with several agents', () => {
  it('lets each answer in its turn, with the others’ words and its own memory', async () => {
    const { model, say, memory } = await setUp((body) => ({ text: `I am ${agentOf(body)}.` }));
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    await (await memory.journalOf('ada')).save('journal', 'ada-secret-journal');
    await (await memory.journalOf('bob')).save('core', 'bob-secret-core');
    await (await memory.notesOf('ada')).apply({ operation: 'append', content: 'ada-secret-notes' });
    const done = await say('Who is there?', { session: 'group' });
    expect(done.answers.map(({ agent_id, answer }) => [agent_id, answer])).toEqual([
      ['ada', 'I am ada.'],
      ['bob', 'I am bob.'],
    ]);
    await say('Once more', { session: 'group' });
    const [toAda, toBob] = [promptsOf(model, 'ada'), promptsOf(model, 'bob')];
    expect(toAda).toContain('You are participating in a group conversation.');
    expect(toAda).toContain('Other participants: bob, me.');
    expect(toBob).toContain('Other participants: ada, me.');
    expect(toBob).toContain('ada: I am ada.');
    expect(toAda).toContain('bob: I am bob.');
    expect(toAda).toContain('ada-secret-journal');
    expect(toAda).toContain('ada-secret-notes');
    expect(toBob).toContain('bob-secret-core');
    expect(toBob).not.toContain('ada-secret');
    expect(toAda).not.toContain('bob-secret');
  });

  it('never shows one agent what another wrote into its memory during the talk', async () => {
    const write = (body: ChatBody): Scripted => {
      const isDone = body.messages.some(({ role }) => role === 'tool');
      const secret = { content: 'ada-secret-thought' };
      if (agentOf(body) !== 'ada' || isDone) return { text: 'Well.' };
      return {
        calls: [
          { name: 'save_to_journal', arguments: secret },
          { name: 'save_to_core', arguments: secret },
          { name: 'manage_long_term_memory', arguments: { operation: 'append', ...secret } },
        ],
      };
    };
    const { model, say, memory } = await setUp(write);
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    for (let i = 0; i < 3; i++) await say('Go on', { session: 'group' });
    expect(promptsOf(model, 'ada')).toContain('ada-secret-thought');
    expect(promptsOf(model, 'bob')).not.toContain('ada-secret');
  });

  it('hides what was done with tools before another agent came', async () => {
    const write = (body: ChatBody): Scripted =>
      agentOf(body) !== 'ada' || body.messages.some(({ role }) => role === 'tool')
        ? { text: 'Well.' }
        : { calls: [{ name: 'save_to_journal', arguments: { content: 'ada-secret-thought' } }] };
    const { model, say, memory } = await setUp(write);
    await say('Hello', { session: 'chat', agent: 'ada' });
    await say('Hello', { session: 'chat', agent: 'bob' });
    expect((await memory.loadSession('chat')).agents).toEqual(['ada', 'bob']);
    expect(promptsOf(model, 'bob')).toContain('Hello');
    expect(promptsOf(model, 'bob')).not.toContain('ada-secret');
  });

  it('shows an agent that comes later who said what', async () => {
    const { model, say, conversations } = await setUp((body) => ({ text: `I am ${agentOf(body)}.` }));
    await say('Hello', { agent: 'ada' });
    await say('Hello again', { agent: 'ada' });
    const { model: _model, ...asked } = model.requests.at(-1)!;
    expect(asked.messages).toContainEqual({ role: 'assistant', content: 'I am ada.' });
    await say('And you?', { agent: 'bob' });
    const shown = model.requests.at(-1)!.messages;
    expect(shown.filter(({ role }) => role === 'assistant')).toEqual([]);
    expect(shown).toContainEqual({ role: 'user', content: 'ada: I am ada.' });
    await conversations.archiveAll();
    await say('And you, again?', { agent: 'bob' });
    expect(model.requests.at(-1)!.messages).toContainEqual({ role: 'user', content: 'ada: I am ada.' });
  });

  it('takes what a client archived without a name for the first agent’s', async () => {
    const { model, say, memory, conversations } = await setUp((body) => ({ text: `I am ${agentOf(body)}.` }));
    await memory.createSession({ session_id: 'chat', agents: ['ada'] });
    const batch = [
      { id: 'u', role: 'user' as const, content: 'Who is there?' },
      { id: 'a', role: 'assistant' as const, content: 'It is me.' },
    ];
    await conversations.archive('chat', batch, memory);
    await say('And you?', { agent: 'bob' });
    expect(model.requests.at(-1)!.messages).toContainEqual({ role: 'user', content: 'ada: It is me.' });
  });

  it('goes on when one of the agents is deleted', async () => {
    const { say, ask, memory } = await setUp((body) => ({ text: `I am ${agentOf(body)}.` }));
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    await (await memory.agent('ada')).delete();
    const done = await say('Who is there?', { session: 'group' });
    expect(done.answers.map(({ agent_id }) => agent_id)).toEqual(['bob']);
    await memory.forget({ agent: 'bob' });
    await expect(ask('And now?', { session: 'group' })).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });

  it('loses what a forgotten agent said, archived or waiting, also when a client archived it', async () => {
    const { say, memory, conversations } = await setUp((body) => ({ text: `I am ${agentOf(body)}.` }));
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    const first = await say('Who is there?', { session: 'group', id: 'u1' });
    const batch = [
      { id: 'u1', role: 'user' as const, content: 'Who is there?' },
      ...first.answers.map(({ message_id, answer }) => ({
        ...{ id: message_id, role: 'assistant' as const, content: answer },
      })),
    ];
    await conversations.archive('group', batch, memory);
    await say('Once more', { session: 'group' });
    const [, answer] = await memory.messages('group');
    expect(answer?.provenance).toMatchObject({ author: 'assistant', agent_id: 'ada' });
    const { pieces } = await memory.forget({ agent: 'ada' });
    expect(pieces.messages).toBe(2);
    await conversations.archiveAll();
    expect((await memory.messages('group')).map(({ content }) => content)).toEqual([
      'Who is there?',
      'I am bob.',
      'Once more',
      'I am bob.',
    ]);
  });

  it('keeps the answers that were given when a later agent fails', async () => {
    const { ask, memory, conversations } = await setUp((body) =>
      agentOf(body) === 'ada' ? { text: 'I am ada.' } : { status: 401 },
    );
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    const failed = await ask('Who is there?', { session: 'group' });
    expect(failed).toMatchObject({ type: 'error', code: 'MODEL_REFUSED', agent_id: 'bob' });
    expect(failed.answers.map(({ answer }) => answer)).toEqual(['I am ada.']);
    await conversations.archiveAll();
    expect((await memory.messages('group')).map(({ role, name }) => [role, name])).toEqual([
      ['user', undefined],
      ['assistant', 'ada'],
    ]);
  });

  it('reaches no agent that its principal may not', async () => {
    const { conversations, manager, memory } = await setUp(() => ({ text: 'Well.' }));
    await memory.createSession({ session_id: 'group', agents: ['ada', 'bob'] });
    const onlyAda = manager.as({ account_id: 'local', user_id: 'me', agent_id: 'ada' });
    const request = { new_messages: [{ role: 'user' as const, content: 'Hi' }], session_id: 'group' };
    const refused = answerWhole(conversations, { ...request, agent_id: 'bob' }, onlyAda);
    await expect(refused).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    const eve = manager.as({ account_id: 'local', user_id: 'eve' });
    await expect(answerWhole(conversations, request, eve)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    expect(await conversations.unarchived(await memory.loadSession('group'))).toEqual([]);
  });
});
