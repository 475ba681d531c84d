import './dom.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type LonghandClient, ProblemError } from './http-client.ts';
import { type ArchiveError, type ArchiveState, Outbox, type OutboxOptions } from './outbox.ts';
import type { OutboxMessage } from './outbox-rows.ts';

/** A message of the conversation that is on the screen. */
export interface ChatMessage {
  readonly id: string;
  readonly text: string;
  readonly sender: 'user' | 'ai';
  readonly timestamp: Date;
  /** The agent that answers. */
  readonly agentId?: string;
  /** The tools that were called on the way to this answer. */
  readonly tools?: readonly ToolCall[];
  /** What was kept in the memory on the way to this answer. */
  readonly remembered?: readonly RememberedPiece[];
  /** Why the prompt of this answer looked as it did. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Still being written. */
  readonly isPartial?: true | undefined;
  /** Stopped by the user, or ended by an error: not a whole answer, and not archived. */
  readonly isBroken?: true;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  readonly error?: string;
  readonly memoryKey?: string;
}

export interface RememberedPiece {
  readonly key: string;
  readonly text: string;
  /** The agent whose journal or core it is in; a memory of the user otherwise. */
  readonly agentId?: string;
  readonly isUndone?: true;
}

export interface ChatState {
  readonly sessionId: string;
  readonly messages: readonly ChatMessage[];
  readonly isOpen: boolean;
  readonly isAnswering: boolean;
  /** Why there is no answer to the last message, and whether asking again may help. */
  readonly error?:
    | { readonly code: string; readonly message: string; readonly isRetryable: boolean }
    | undefined;
  readonly archive: ArchiveState;
  /** What could not be archived: to be shown even when the panel is closed, until it is dismissed. */
  readonly notice?: ArchiveError | undefined;

  /** Shows a message and keeps it in the outbox. Ends when it is kept. */
  addMessage(message: ChatMessage): Promise<void>;
  /** Says something, and shows the answer as it comes. */
  send(text: string): Promise<void>;
  /** Asks again for the answer to the last message. */
  tryAgain(): Promise<void>;
  /** Calls the answer off. What was said is kept. */
  stop(): void;
  toggleChatPanel(isOpen?: boolean): void;
  /** Archives this conversation and begins another one. */
  newSession(): string;
  /** Shows another conversation. */
  openSession(sessionId: string): Promise<void>;
  /** Takes back what was remembered on the way to an answer. */
  undo(messageId: string, key: string): Promise<void>;
  retryArchive(): Promise<void>;
  /** What is not archived, as JSON. */
  downloadArchive(): Promise<string>;
  dismissNotice(): void;
  close(): void;
}

export interface ChatStoreOptions extends Omit<OutboxOptions, 'onState' | 'scope'> {
  /** Tells apart whose messages these are, where several users share a browser. */
  readonly scope?: string;
  /** Who answers; the server decides when left out. */
  readonly agentId?: string;
  /** Where the id of the session is kept across reloads; `localStorage` when left out. */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem'>;
  readonly isOpen?: boolean;
}

const REMEMBERING = new Set(['store_memory', 'save_to_journal', 'save_to_core', 'save_to_whiteboard']);
const PAGE = 1_000;

/**
 * The conversation of a page: what is on the screen, and what becomes of it. It keeps every message in the outbox before anything
 * else happens, and brings the conversation back after a reload, from the transcript and from what was not archived yet.
 */
export async function createChatStore(options: ChatStoreOptions): Promise<StoreApi<ChatState>> {
  const { client, agentId, storage = safeStorage(), onArchiveError } = options;
  const scope = options.scope ?? `${client.addressOf('chat')} ${agentId ?? ''}`;
  const place = `longhand-chat ${scope}`;
  let answering: AbortController | undefined;

  const store = createStore<ChatState>()((set, get) => ({
    sessionId: sessionIn(storage, place),
    messages: [],
    isOpen: options.isOpen ?? false,
    isAnswering: false,
    archive: { waiting: 0, isSending: false, failed: [], isPersistent: true },

    addMessage: async (message) => {
      const { sessionId } = get();
      set(({ messages }) => ({ messages: [...messages, message] }));
      await outbox.add(sessionId, toRow(message));
    },
    send: async (text) => {
      if (text.trim() === '' || get().isAnswering) return;
      const message = { id: crypto.randomUUID(), text, sender: 'user', timestamp: new Date() } as const;
      await get().addMessage(message);
      await answer(message);
    },
    tryAgain: async () => {
      const last = get().messages.findLast(({ sender }) => sender === 'user');
      set(({ messages }) => ({ messages: messages.filter(({ isBroken }) => !isBroken) }));
      if (last !== undefined && !get().isAnswering) await answer(last);
    },
    stop: () => answering?.abort(),
    toggleChatPanel: (isOpen = !get().isOpen) => {
      set({ isOpen });
      if (!isOpen) void outbox.flush();
    },
    newSession: () => {
      answering?.abort();
      void outbox.flush();
      const sessionId = crypto.randomUUID();
      storage.setItem(place, sessionId);
      set({ sessionId, messages: [], error: undefined });
      return sessionId;
    },
    openSession: async (sessionId) => {
      answering?.abort();
      storage.setItem(place, sessionId);
      set({ sessionId, messages: [], error: undefined });
      await restore(sessionId);
    },
    undo: async (messageId, key) => {
      const { remembered = [] } = get().messages.find(({ id }) => id === messageId) ?? {};
      const piece = remembered.find((one) => one.key === key);
      if (piece === undefined) return;
      if (piece.agentId === undefined) await client.call('forgetMemories', { ids: [key] });
      else await client.call('deleteAgentMemory', { agent_id: piece.agentId, memory_id: key });
      changeMessage(messageId, () => ({
        remembered: remembered.map((one) => (one.key === key ? { ...one, isUndone: true as const } : one)),
      }));
    },
    retryArchive: () => outbox.retry(),
    downloadArchive: () => outbox.download(),
    dismissNotice: () => set({ notice: undefined }),
    close: () => {
      answering?.abort();
      outbox.close();
    },
  }));

  const outbox = await Outbox.open({
    ...options,
    scope,
    onState: (archive) => store.setState({ archive }),
    onArchiveError: (notice) => {
      store.setState({ notice });
      onArchiveError?.(notice);
    },
  });
  store.setState({ archive: outbox.state });
  await restore(store.getState().sessionId);
  return store;

  function changeMessage(id: string, change: (message: ChatMessage) => Partial<ChatMessage>): void {
    store.setState(({ messages }) => ({
      messages: messages.map((one) => (one.id === id ? { ...one, ...change(one) } : one)),
    }));
  }

  /** From the transcript as far as the server can be asked, and from the outbox in any case. */
  async function restore(sessionId: string): Promise<void> {
    const waiting = outbox.messagesOf(sessionId).map(fromRow);
    const archived = await transcriptOf(client, sessionId).catch(() => []);
    if (store.getState().sessionId !== sessionId) return;
    const byId = new Map([...archived, ...waiting].map((message) => [message.id, message]));
    // What was said while the transcript was being read is there already.
    for (const message of store.getState().messages) byId.set(message.id, message);
    const messages = [...byId.values()].sort((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
    store.setState({ messages });
  }

  async function answer(asked: ChatMessage): Promise<void> {
    const { sessionId } = store.getState();
    const controller = new AbortController();
    answering = controller;
    store.setState({ isAnswering: true, error: undefined });
    const begun = new Set<string>();
    try {
      const events = client.stream(
        'chat',
        {
          session_id: sessionId,
          new_messages: [
            { id: asked.id, role: 'user', content: asked.text, timestamp: asked.timestamp.toISOString() },
          ],
          ...(agentId === undefined ? {} : { agent_id: agentId }),
          stream: true,
        },
        { signal: controller.signal },
      );
      for await (const { data } of events) await onEvent(sessionId, data as ChatEvent, begun);
    } catch (error) {
      if (!controller.signal.aborted) store.setState({ error: failureOf(error) });
    } finally {
      for (const id of begun) changeMessage(id, () => ({ isPartial: undefined, isBroken: true }));
      if (answering === controller) answering = undefined;
      store.setState({ isAnswering: false });
    }
  }

  async function onEvent(sessionId: string, event: ChatEvent, begun: Set<string>): Promise<void> {
    if (store.getState().sessionId !== sessionId) return;
    if (event.type === 'text' || event.type === 'tool') {
      const { message_id: id, agent_id } = event;
      if (!store.getState().messages.some((one) => one.id === id)) {
        begun.add(id);
        const begin = {
          id,
          text: '',
          sender: 'ai',
          timestamp: new Date(),
          agentId: agent_id,
          isPartial: true,
        } as const;
        store.setState(({ messages }) => ({ messages: [...messages, begin] }));
      }
      if (event.type === 'text') changeMessage(id, ({ text }) => ({ text: text + event.text }));
      else changeMessage(id, (message) => withTool(message, event));
    } else if (event.type === 'done') {
      for (const { message_id: id, answer: text, agent_id, manifest = event.manifest } of event.answers) {
        const known = store.getState().messages.find((one) => one.id === id);
        const message: ChatMessage = {
          ...{ id, text, sender: 'ai', timestamp: known?.timestamp ?? new Date(), agentId: agent_id },
          ...(known?.tools === undefined ? {} : { tools: known.tools }),
          ...(known?.remembered === undefined ? {} : { remembered: known.remembered }),
          ...(manifest === undefined ? {} : { manifest }),
        };
        begun.delete(id);
        store.setState(({ messages }) => ({
          messages:
            known === undefined
              ? [...messages, message]
              : messages.map((one) => (one.id === id ? message : one)),
        }));
        await outbox.add(sessionId, toRow(message));
      }
    } else if (event.type === 'error') {
      const { code, message, is_retryable: isRetryable } = event;
      store.setState({ error: { code, message, isRetryable } });
    }
  }
}

/** What the server says while it answers, as far as it is shown. */
type ChatEvent =
  | { readonly type: 'start' | 'recalled' }
  | { readonly type: 'text'; readonly message_id: string; readonly agent_id: string; readonly text: string }
  | ToolEvent
  | ({ readonly type: 'done'; readonly answers: readonly ChatAnswer[] } & ChatAnswer)
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly is_retryable: boolean;
    };

interface ChatAnswer {
  readonly message_id: string;
  readonly agent_id: string;
  readonly answer: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

interface ToolEvent {
  readonly type: 'tool';
  readonly message_id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  readonly error?: string;
  readonly memory_key?: string;
}

function withTool(message: ChatMessage, event: ToolEvent): Partial<ChatMessage> {
  const { name, input, output, error, memory_key } = event;
  const call: ToolCall = {
    ...{ name, input, output },
    ...(error === undefined ? {} : { error }),
    ...(memory_key === undefined ? {} : { memoryKey: memory_key }),
  };
  const piece = error === undefined && REMEMBERING.has(name) ? rememberedBy(event) : undefined;
  return {
    // What a model says before it calls a tool is no part of its answer.
    text: '',
    tools: [...(message.tools ?? []), call],
    ...(piece === undefined ? {} : { remembered: [...(message.remembered ?? []), piece] }),
  };
}

function rememberedBy({ name, input, output, agent_id }: ToolEvent): RememberedPiece | undefined {
  try {
    const { memory_key, memory_id } = JSON.parse(output) as Record<string, string | undefined>;
    const key = memory_key ?? memory_id;
    const { content } = input as { readonly content?: unknown };
    if (key === undefined || typeof content !== 'string') return undefined;
    const owner = name === 'save_to_whiteboard' ? 'whiteboard' : agent_id;
    return { key, text: content, ...(memory_key === undefined ? { agentId: owner } : {}) };
  } catch {
    // An output that was too long for the prompt is cut, and no JSON any more.
    return undefined;
  }
}

async function transcriptOf(client: LonghandClient, sessionId: string): Promise<readonly ChatMessage[]> {
  const all: ChatMessage[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.call('listChatMessages', {
      ...{ session_id: sessionId, limit: PAGE },
      ...(after === undefined ? {} : { after }),
    });
    for (const { id, role, content, timestamp } of page.messages)
      all.push({
        ...{ id, text: content, sender: role === 'user' ? 'user' : 'ai' },
        timestamp: new Date(timestamp),
      });
    after = page.messages.at(-1)?.id;
    if (!page.has_more || after === undefined) return all;
  }
}

function failureOf(error: unknown): NonNullable<ChatState['error']> {
  if (error instanceof ProblemError) {
    const isRetryable = error.status >= 500 || error.status === 429 || error.status === 409;
    return { code: error.code, message: error.message, isRetryable };
  }
  return {
    code: 'UNREACHABLE',
    message: 'The server cannot be reached. What you said is kept.',
    isRetryable: true,
  };
}

function toRow({ id, text, sender, timestamp }: ChatMessage): OutboxMessage {
  return { id, text, sender, timestamp: timestamp.toISOString() };
}

function fromRow({ timestamp, ...message }: OutboxMessage): ChatMessage {
  return { ...message, timestamp: new Date(timestamp) };
}

function sessionIn(storage: Pick<Storage, 'getItem' | 'setItem'>, place: string): string {
  const known = storage.getItem(place);
  if (known !== null) return known;
  const made = crypto.randomUUID();
  storage.setItem(place, made);
  return made;
}

/** Some private windows refuse it: then a session lasts as long as the page. */
function safeStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    localStorage.getItem('longhand');
    return localStorage;
  } catch {
    const kept = new Map<string, string>();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
  }
}
