import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryManager, type MemoryManagerOptions, type ScopedMemory } from 'longhand';
import type { ChatDone, ChatEvent, ChatFailure } from '../src/conversation/chat.ts';
import type { ConversationEvent } from '../src/conversation/conversation-event.ts';
import { Conversations, type ConversationsOptions } from '../src/conversation/conversations.ts';
import { type ModelSettings, Models } from '../src/conversation/providers.ts';
import { Spool } from '../src/conversation/spool.ts';

/** A folder with a store and a spool, and conversations over it, as often as they are opened. */
export class ChatFolder {
  readonly root = mkdtempSync(join(tmpdir(), 'longhand-chat-'));
  readonly #open: Chat[] = [];

  open(model: ModelSettings = { provider: 'demo' }, options: ChatOptions = {}): Promise<Chat> {
    return openChat(this.root, model, options).then((chat) => {
      this.#open.push(chat);
      return chat;
    });
  }

  async remove(): Promise<void> {
    for (const chat of this.#open) await chat.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The last event of an answer. */
export async function answerWhole(
  conversations: Conversations,
  ...asked: Parameters<Conversations['answer']>
): Promise<ChatDone | ChatFailure> {
  let last: ChatEvent | undefined;
  for await (const event of conversations.answer(...asked)) last = event;
  return last as ChatDone | ChatFailure;
}

export interface ChatOptions {
  readonly manager?: MemoryManagerOptions;
  readonly conversations?: Partial<ConversationsOptions>;
}

export interface Chat {
  readonly manager: MemoryManager;
  readonly conversations: Conversations;
  readonly memory: ScopedMemory;
  readonly events: ConversationEvent[];
  /** Says something, and gives the whole answer. */
  say(text: string, where?: Where): Promise<ChatDone>;
  ask(text: string, where?: Where): Promise<ChatDone | ChatFailure>;
  stream(text: string, where?: Where): Promise<ChatEvent[]>;
  close(): Promise<void>;
}

interface Where {
  readonly session?: string;
  readonly agent?: string;
  readonly memory?: ScopedMemory;
  readonly id?: string;
}

export async function openChat(root: string, model: ModelSettings, options: ChatOptions): Promise<Chat> {
  const events: ConversationEvent[] = [];
  const onEvent = (event: ConversationEvent): void => void events.push(event);
  const spool = Spool.open({ directory: join(root, 'spool'), onEvent });
  const conversations = new Conversations({
    spool,
    models: new Models(model),
    onEvent,
    ...options.conversations,
  });
  const where = options.manager?.store === undefined ? { storageRoot: join(root, 'store') } : {};
  const manager = new MemoryManager({ ...where, ...options.manager, ...conversations.layerOptions });
  await conversations.start(manager);
  const memory = manager.as({ account_id: 'local', user_id: 'me' });
  const answer = (text: string, { session = 'chat', agent, memory: as = memory, id }: Where) =>
    conversations.answer(
      {
        new_messages: [{ role: 'user', content: text, ...(id === undefined ? {} : { id }) }],
        session_id: session,
        ...(agent === undefined ? {} : { agent_id: agent }),
      },
      as,
    );
  const stream = async (text: string, at: Where = {}): Promise<ChatEvent[]> => {
    const seen: ChatEvent[] = [];
    for await (const event of answer(text, at)) seen.push(event);
    return seen;
  };
  const ask = async (text: string, at: Where = {}): Promise<ChatDone | ChatFailure> =>
    (await stream(text, at)).at(-1) as ChatDone | ChatFailure;
  let isClosed = false;
  return {
    manager,
    conversations,
    memory,
    events,
    stream,
    ask,
    say: async (text, at) => {
      const last = await ask(text, at);
      if (last.type !== 'done') throw new Error(`There was no answer: ${last.code} ${last.message}`);
      return last;
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await conversations.close();
      await manager.close();
    },
  };
}
