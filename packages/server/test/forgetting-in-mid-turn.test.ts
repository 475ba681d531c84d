import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../src/conversation/chat.ts';
import { FolderGate } from '../src/conversation/turn-gate.ts';
import { answerWhole, type Chat, ChatFolder, type ChatOptions } from './chat-set-up.ts';
import { startTestServer } from './http-fixture.ts';
import { type Scripted, type StandIn, startStandIn } from './openai-stand-in.ts';
import { runCli } from './run-cli.ts';

/**
 * A model that has heard a secret and is thinking, and a user who forgets it meanwhile. What the model then does with
 * it must be nowhere, from the moment that the receipt is given.
 */
const SECRET = 'BASSOON99';
const KEEPING: Scripted = {
  calls: [
    { name: 'store_memory', arguments: { content: `the code is ${SECRET}`, type: 'finding' } },
    { name: 'store_memory', arguments: { content: `the code is ${SECRET}`, type: 'note' } },
    { name: 'save_to_core', arguments: { content: `code ${SECRET}` } },
    { name: 'save_to_journal', arguments: { content: `code ${SECRET}` } },
    { name: 'manage_long_term_memory', arguments: { operation: 'append', content: `code ${SECRET}` } },
  ],
};
const ANSWER: Scripted = { text: `Noted: ${SECRET}.` };

let folder: ChatFolder;
let standIn: StandIn;
/** What the model says next, one after the other; it thinks before the one that is held, or before each. */
let plan: Scripted[];
let heldAt: number | 'each';
let isThinking: Promise<void>;
let goOn: () => void;

beforeEach(async () => {
  folder = new ChatFolder();
  plan = [];
  heldAt = 0;
  let think: () => void = () => undefined;
  isThinking = new Promise((resolve) => {
    think = resolve;
  });
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let count = 0;
  standIn = await startStandIn(async () => {
    const at = count++;
    if (heldAt === 'each' || at === heldAt) {
      think();
      await released;
    }
    return plan[at] ?? ANSWER;
  });
});
afterEach(async () => {
  goOn();
  await folder.remove();
  await standIn.close();
});

function open(options?: ChatOptions): Promise<Chat> {
  return folder.open({ provider: 'openai-compatible', baseURL: standIn.baseURL, model: 'm' }, options);
}

/** Names of the files that hold the secret: of the store, and of the spool. */
function filesWithSecret(root = folder.root): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
    .filter((name) => readFileSync(join(root, name), 'latin1').includes(SECRET));
}

async function privacyOf({ manager }: Chat) {
  return (await manager.layers()).privacy;
}

const HOUR_MS = 3_600_000;
const timeRange = () => ({ start: new Date(Date.now() - HOUR_MS), end: new Date(Date.now() + HOUR_MS) });
type Forget = (chat: Chat) => Promise<unknown>;
const WAYS: readonly (readonly [string, Forget])[] = [
  ['the message', async (chat) => (await privacyOf(chat)).forget({ user: 'me', ids: ['m1'] })],
  [
    'the message of the session',
    async (chat) => (await privacyOf(chat)).forget({ session: 'chat', ids: ['m1'] }),
  ],
  ['the time', async (chat) => (await privacyOf(chat)).forget({ user: 'me', timeRange: timeRange() })],
  ['the session', async (chat) => (await privacyOf(chat)).forget({ session: 'chat' })],
  ['the user', async (chat) => (await privacyOf(chat)).forget({ user: 'me' })],
  [
    'the words',
    async (chat) => (await privacyOf(chat)).redact({ session: 'chat', message: 'm1', text: SECRET }),
  ],
];

describe.each(WAYS)('forgetting %s while the model is thinking', (_name, forget) => {
  it.each([
    ['of what to keep', 0, 'this process'],
    ['of what to keep', 0, 'another process'],
    ['of its answer', 1, 'this process'],
    ['of its answer', 1, 'another process'],
  ])('%s (%i, forgotten by %s) leaves nothing that comes back', async (_what, at, who) => {
    heldAt = at;
    // What was kept in notes before names no message, and is not meant.
    plan = at === 0 ? [KEEPING, ANSWER] : [{ calls: [{ name: 'search_memory', arguments: { query: 'x' } }] }];
    const chat = await open();
    const forgetter = who === 'this process' ? chat : await open();
    const asked = chat.ask(`The code is ${SECRET}`, { id: 'm1' });
    await isThinking;
    await forget(forgetter);
    expect(filesWithSecret()).toEqual([]);
    goOn();
    const { type, ...failure } = await asked;
    expect(type).toBe('error');
    expect(['FORGOTTEN_MEANWHILE', 'SESSION_NOT_FOUND']).toContain('code' in failure && failure.code);
    await chat.conversations.archiveAll();
    expect(filesWithSecret()).toEqual([]);
    expect((await (await privacyOf(chat)).verifyErased([SECRET])).found).toEqual([]);
  });
});

describe('an answer that is called off', () => {
  it('can be asked for again, and another user’s goes on', async () => {
    heldAt = 'each';
    const chat = await open();
    const other = chat.manager.as({ account_id: 'local', user_id: 'bob' });
    const [mine, bobs] = [
      chat.ask('Something harmless', { id: 'm1' }),
      chat.ask('Of another user', { id: 'm1', session: 'bobs', memory: other }),
    ];
    await isThinking;
    await expect.poll(() => standIn.requests.length).toBe(2);
    await (await privacyOf(chat)).forget({ user: 'me', ids: ['mem_none'] });
    goOn();
    expect(await mine).toMatchObject({ type: 'error', code: 'FORGOTTEN_MEANWHILE', is_retryable: true });
    expect((await bobs).type).toBe('done');
    // It was said, and is asked again by its id.
    expect((await chat.ask('Something harmless', { id: 'm1' })).type).toBe('done');
    await chat.conversations.archiveAll();
    expect(await (await chat.memory.conversation('chat')).transcript.messages()).toHaveLength(2);
  });

  it('is one that the agent takes part in, when an agent is forgotten', async () => {
    heldAt = 'each';
    const chat = await open();
    await chat.manager.layers().then(({ agents }) => agents.create({ name: 'bea' }));
    const [withDefault, withBea] = [
      chat.ask('One', { id: 'm1', session: 'one' }),
      chat.ask('Two', { id: 'm2', session: 'two', agent: 'bea' }),
    ];
    await expect.poll(() => standIn.requests.length).toBe(2);
    await (await privacyOf(chat)).forget({ agent: 'bea' });
    goOn();
    expect((await withDefault).type).toBe('done');
    expect((await withBea).type).toBe('error');
  });

  it('ends in the middle of a sentence, too', async () => {
    plan = [{ text: `You said ${SECRET} and`, ending: 'silence' }];
    goOn();
    const chat = await open();
    const seen: ChatEvent[] = [];
    const request = {
      new_messages: [{ id: 'm1', role: 'user' as const, content: SECRET }],
      session_id: 'chat',
    };
    for await (const event of chat.conversations.answer(request, chat.memory)) {
      seen.push(event);
      if (event.type === 'text' && event.text.includes(SECRET)) {
        await (await privacyOf(chat)).forget({ user: 'me', ids: ['m1'] });
      }
    }
    expect(seen.at(-1)).toMatchObject({ type: 'error', code: 'FORGOTTEN_MEANWHILE' });
    await chat.conversations.archiveAll();
    expect(filesWithSecret()).toEqual([]);
  });

  it('is no reason to end the turn of the agent that forgets because it was asked to', async () => {
    goOn();
    const chat = await open();
    await chat.manager.createSession('me', { session_id: 'chat' });
    const id = await chat.manager.addMemory('chat', { type: 'finding', content: { text: SECRET } });
    plan = [
      { calls: [{ name: 'forget_memory', arguments: { memory_key: id } }] },
      { calls: [{ name: 'store_memory', arguments: { content: 'asked to forget', type: 'finding' } }] },
      { text: 'It is forgotten.' },
    ];
    const events = await chat.stream('Forget the code', { id: 'm1' });
    expect(events.filter(({ type }) => type === 'tool')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: 'done', answer: 'It is forgotten.' });
    expect(filesWithSecret()).toEqual([]);
  });
});

describe('a group', () => {
  it('ends when what was said to it is forgotten, and what one of it had answered goes too', async () => {
    heldAt = 1;
    plan = [ANSWER, KEEPING];
    const chat = await open();
    const { agents } = await chat.manager.layers();
    for (const name of ['ann', 'bea']) await agents.create({ name });
    await chat.manager.createSession('me', { session_id: 'chat', agents: ['ann', 'bea'] });
    const request = {
      new_messages: [{ id: 'm1', role: 'user' as const, content: SECRET }],
      session_id: 'chat',
    };
    const asked = answerWhole(chat.conversations, request, chat.memory);
    await isThinking;
    await (await privacyOf(chat)).forget({ user: 'me', ids: ['m1'] });
    expect(filesWithSecret()).toEqual([]);
    goOn();
    expect(await asked).toMatchObject({ type: 'error', code: 'FORGOTTEN_MEANWHILE', agent_id: 'bea' });
    await chat.conversations.archiveAll();
    expect(filesWithSecret()).toEqual([]);
  });
});

describe.each(['application/json', 'text/event-stream'])('over HTTP, as %s', (accept) => {
  it.each([
    ['ids', { ids: ['m1'] }],
    ['everything', { everything: true }],
  ])('what is forgotten (%s) does not come back', async (_name, what) => {
    plan = [KEEPING, ANSWER];
    const flags = { 'openai-model': 'm', 'openai-base-url': standIn.baseURL, 'openai-api-key': 'k' };
    const server = await startTestServer({ flags });
    try {
      const chat = { session_id: 'chat', new_messages: [{ id: 'm1', role: 'user', content: SECRET }] };
      const asked = server.call('POST', '/api/chat', chat, { accept });
      await isThinking;
      expect((await server.call('POST', '/api/privacy/forget', what)).status).toBe(200);
      expect(filesWithSecret(server.storageRoot)).toEqual([]);
      goOn();
      const { status, text } = await asked;
      expect(status).toBe(accept === 'application/json' ? 409 : 200);
      expect(text).toContain('FORGOTTEN_MEANWHILE');
      await server.services.conversations.archiveAll();
      expect(filesWithSecret(server.storageRoot)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});

describe('a conversation on the command line', () => {
  it('is called off by a forgetting beside it', async () => {
    plan = [KEEPING, ANSWER];
    const { root } = folder;
    const store = ['--storage-root', root, '--user', 'ann', '--log-level', 'silent'];
    const model = ['--openai-model', 'm', '--openai-base-url', standIn.baseURL, '--openai-api-key', 'k'];
    const talk = runCli('chat', `The code is ${SECRET}`, ...store, ...model);
    await isThinking;
    expect((await runCli('forget', '--everything', '--yes', ...store)).exitCode).toBe(0);
    expect(filesWithSecret()).toEqual([]);
    goOn();
    expect((await talk).exitCode).not.toBe(0);
    expect(filesWithSecret()).toEqual([]);
  });
});

describe('a forgetting and a write at the same moment', () => {
  const TURN = { user: 'ann', session: 'chat', agents: ['default'] };

  it('come one after the other, whichever is first', async () => {
    const [one, other] = [new FolderGate(folder.root), new FolderGate(folder.root)];
    const order: string[] = [];
    let end = (): void => undefined;
    const writing = one.write(
      TURN,
      () =>
        new Promise<void>((resolve) => {
          end = () => {
            order.push('written');
            resolve();
          };
        }),
    );
    await expect.poll(() => readdirSync(join(folder.root, 'turns'))).toHaveLength(1);
    const closing = other.close({ user: 'ann' });
    const late = one.write(TURN, async () => void order.push('written late'));
    // Other users do not wait.
    await one.write({ ...TURN, user: 'bob' }, async () => void order.push('of bob'));
    (await one.close({ user: 'bob' }))();
    end();
    const reopen = await closing;
    order.push('forgotten');
    other.noteForgotten({ user: 'ann' });
    reopen();
    await Promise.all([writing, late]);
    expect(order).toEqual(['of bob', 'written', 'forgotten', 'written late']);
    expect(readdirSync(join(folder.root, 'turns'))).toEqual([]);
  });
});
