import './dom.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type LonghandClient, ProblemError } from './http-client.ts';
import { type ArchiveError, type ArchiveState, Outbox, type OutboxOptions } from './outbox.ts';
import type { OutboxMessage } from './outbox-rows.ts';
import { changeBy, type RememberedPiece, type ToolCall, type ToolEvent, toolCallOf } from './tool-events.ts';

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
  /** What was changed in the memory on the way to this answer. */
  readonly remembered?: readonly RememberedPiece[];
  /** Why the prompt of this answer looked as it did. */
  readonly manifest?: Readonly<Record<string, unknown>> | undefined;
  /** Still being written. */
  readonly isPartial?: true | undefined;
  /** Stopped by the user, or ended by an error: not a whole answer, and not archived. */
  readonly isBroken?: true | undefined;
}

export interface ChatState {
  readonly sessionId: string;
  readonly messages: readonly ChatMessage[];
  readonly isOpen: boolean;
  readonly isAnswering: boolean;
  /** The transcript is being read; what was not archived yet is there already. */
  readonly isRestoring: boolean;
  /** Why there is no answer to the last message, and whether asking again may help. */
  readonly error?:
    | { readonly code: string; readonly message: string; readonly isRetryable: boolean }
    | undefined;
  readonly archive: ArchiveState;
  /** What could not be archived: to be shown even when the panel is closed, until it is dismissed. */
  readonly notice?: ArchiveError | undefined;

  /** Shows a message and keeps it in the outbox. Ends when it is kept; never throws. */
  addMessage(message: ChatMessage): Promise<void>;
  /** Says something, and shows the answer as it comes. */
  send(text: string): Promise<void>;
  /** Asks again for the answer to the last message, or for the transcript when that could not be read. */
  tryAgain(): Promise<void>;
  /** Calls the answer off. What was said is kept. */
  stop(): void;
  toggleChatPanel(isOpen?: boolean): void;
  /** Archives this conversation and begins another one. */
  newSession(): string;
  /** Shows another conversation. */
  openSession(sessionId: string): Promise<void>;
  /** Takes back what was changed on the way to an answer. Nothing happens for a piece without `undo`. @throws Error */
  undo(messageId: string, key: string): Promise<void>;
  retryArchive(): Promise<void>;
  /** What is not archived, as JSON. */
  downloadArchive(): Promise<string>;
  /** Gives up on a message that could not be archived. */
  discard(messageId: string): Promise<void>;
  dismissNotice(): void;
  /** What stands behind a placeholder. @throws Error */
  readDetail(key: string, page?: number): Promise<Detail>;
  /** Archives what waits, and lets go. */
  close(): void;
}

/** A page of a detail, or the whole of a memory. */
export interface Detail {
  readonly title: string;
  readonly content: string;
  readonly page: number;
  readonly pages: number;
}

export interface ChatStoreOptions extends Omit<OutboxOptions, 'onState' | 'onMessage' | 'scope'> {
  /** Tells apart whose messages these are, where several users share a browser. */
  readonly scope?: string;
  /** Who answers; the server decides when left out. */
  readonly agentId?: string;
  readonly isOpen?: boolean;
}

const PAGE = 1_000;
const NOT_RESTORED = 'NOT_RESTORED';
const UNREACHABLE = 'The server cannot be reached.';
/** What is to be taken back is gone already. */
const GONE = new Set(['MEMORY_NOT_FOUND', 'DETAIL_NOT_FOUND']);

/**
 * The conversation of a page: what is on the screen, and what becomes of it. It keeps every message in the outbox before anything
 * else happens, and brings the conversation back after a reload, from the transcript and from what was not archived yet.
 */
export async function createChatStore(options: ChatStoreOptions): Promise<StoreApi<ChatState>> {
  const { client, agentId, onArchiveError } = options;
  const scope = options.scope ?? `${client.addressOf('chat')} ${agentId ?? ''}`;
  let answering: AbortController | undefined;

  const store = createStore<ChatState>()((set, get) => ({
    sessionId: '',
    messages: [],
    isOpen: options.isOpen ?? false,
    isAnswering: false,
    isRestoring: false,
    archive: { waiting: 0, isSending: false, failed: [], isPersistent: true },

    addMessage: async (message) => {
      const { sessionId } = get();
      show(message);
      await outbox.add(sessionId, toRow(message));
    },
    send: async (text) => {
      if (text.trim() === '' || get().isAnswering) return;
      const message = { id: crypto.randomUUID(), text, sender: 'user', timestamp: new Date() } as const;
      set({ isAnswering: true });
      await get().addMessage(message);
      await answer(message);
    },
    tryAgain: async () => {
      if (get().error?.code === NOT_RESTORED) return restore(get().sessionId);
      const last = get().messages.findLast(({ sender }) => sender === 'user');
      // What it has changed in the memory has happened, and can be taken back.
      const isKept = ({ isBroken, remembered }: ChatMessage) => !isBroken || remembered !== undefined;
      set(({ messages }) => ({ messages: messages.filter(isKept) }));
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
      begin(sessionId);
      return sessionId;
    },
    openSession: async (sessionId) => {
      answering?.abort();
      begin(sessionId);
      await restore(sessionId);
    },
    undo: async (messageId, key) => {
      const message = get().messages.find(({ id }) => id === messageId);
      const piece = message?.remembered?.find((one) => one.key === key && one.undo !== undefined);
      if (piece?.undo === undefined) return;
      for (const [name, input] of piece.undo)
        await client.call(name, input).catch((error: unknown) => {
          if (!(error instanceof ProblemError && GONE.has(error.code))) throwInWords(client, error);
        });
      changeMessage(messageId, ({ remembered = [] }) => ({
        remembered: remembered.map((one) => (one === piece ? { ...one, isUndone: true } : one)),
      }));
    },
    retryArchive: () => outbox.retry(),
    downloadArchive: () => outbox.download(),
    discard: (messageId) => outbox.discard(messageId),
    dismissNotice: () => set({ notice: undefined }),
    readDetail: (key, page = 1) =>
      readDetail(client, get().sessionId, key, page).catch((error) => throwInWords(client, error)),
    close: () => {
      answering?.abort();
      outbox.close();
    },
  }));

  const outbox = await Outbox.open({
    ...options,
    scope,
    onState: (archive) => store.setState({ archive }),
    onMessage: (sessionId, row) => {
      const { sessionId: shown, messages } = store.getState();
      if (sessionId === shown && !messages.some(({ id }) => id === row.id)) show(fromRow(row));
    },
    onArchiveError: (error) => {
      store.setState(({ notice }) => ({
        notice: { ...error, messageIds: [...(notice?.messageIds ?? []), ...error.messageIds] },
      }));
      onArchiveError?.(error);
    },
  });
  const { failed } = outbox.state;
  const [first] = failed;
  const notice = first && { code: 'NOT_KEPT', reason: first.reason, messageIds: failed.map(({ id }) => id) };
  store.setState({ sessionId: await outbox.session(), archive: outbox.state, notice });
  // What is in the outbox is shown even when the server is slow or gone.
  void restore(store.getState().sessionId);
  return store;

  function begin(sessionId: string): void {
    void outbox.session(sessionId);
    store.setState({ sessionId, messages: [], error: undefined });
  }

  function show(message: ChatMessage): void {
    store.setState(({ messages }) => ({ messages: [...messages, message] }));
  }

  /** The answer of this id, begun if need be. One that broke off begins again; what it has done stays done. */
  function answerOf(id: string, agentId: string): ChatMessage {
    const known = store.getState().messages.find((one) => one.id === id);
    if (known !== undefined && !known.isBroken) return known;
    const begun = { text: '', isPartial: true, isBroken: undefined } as const;
    if (known === undefined) show({ id, sender: 'ai', timestamp: new Date(), agentId, ...begun });
    else changeMessage(id, () => begun);
    return answerOf(id, agentId);
  }

  function changeMessage(id: string, change: (message: ChatMessage) => Partial<ChatMessage>): void {
    store.setState(({ messages }) => ({
      messages: messages.map((one) => (one.id === id ? { ...one, ...change(one) } : one)),
    }));
  }

  /** From the outbox at once, and from the transcript when the server has given it. */
  async function restore(sessionId: string): Promise<void> {
    const waiting = outbox.messagesOf(sessionId).map(fromRow);
    store.setState(({ messages }) => ({
      messages: inOrder(waiting, messages),
      error: undefined,
      isRestoring: true,
    }));
    let error: ChatState['error'];
    const archived = await transcriptOf(client, sessionId).catch((failure: unknown) => {
      // One that is new, and not known to the server yet.
      if (!(failure instanceof ProblemError && failure.code === 'SESSION_NOT_FOUND'))
        error = { ...failureOf(client, failure), code: NOT_RESTORED };
      return [];
    });
    if (store.getState().sessionId !== sessionId) return;
    // What was said while the transcript was being read is there already.
    store.setState(({ messages }) => ({ messages: inOrder(archived, messages), error, isRestoring: false }));
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
      if (!controller.signal.aborted) store.setState({ error: failureOf(client, error) });
    } finally {
      for (const id of begun) changeMessage(id, () => ({ isPartial: undefined, isBroken: true }));
      // In another conversation the next answer may have begun.
      if (answering === controller) store.setState({ isAnswering: false });
    }
  }

  async function onEvent(sessionId: string, event: ChatEvent, begun: Set<string>): Promise<void> {
    if (store.getState().sessionId !== sessionId) return;
    if (event.type === 'text' || event.type === 'tool') {
      const { message_id: id, agent_id } = event;
      if (answerOf(id, agent_id).isPartial) begun.add(id);
      if (event.type === 'text') changeMessage(id, ({ text }) => ({ text: text + event.text }));
      else changeMessage(id, (message) => withTool(message, event));
    } else if (event.type === 'done') {
      for (const { message_id: id, answer: text, agent_id, manifest = event.manifest } of event.answers) {
        const message = { ...answerOf(id, agent_id), text, isPartial: undefined, manifest };
        begun.delete(id);
        changeMessage(id, () => message);
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

function withTool({ tools = [], remembered = [] }: ChatMessage, event: ToolEvent): Partial<ChatMessage> {
  const piece = changeBy(event);
  // A turn that says a thing twice has it from the first time.
  const isNews =
    piece !== undefined && (piece.change !== 'known' || !remembered.some(({ key }) => key === piece.key));
  return {
    // What a model says before it calls a tool is no part of its answer.
    text: '',
    tools: [...tools, toolCallOf(event)],
    ...(isNews ? { remembered: [...remembered, piece] } : {}),
  };
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

/**
 * The transcript in its own order, which no clock of a browser turns around, and what is not in it where it was said: before
 * the message that followed it.
 */
function inOrder(archived: readonly ChatMessage[], shown: readonly ChatMessage[]): readonly ChatMessage[] {
  const byId = new Map(shown.map((message) => [message.id, message]));
  const all = archived.map((message) => byId.get(message.id) ?? message);
  const places = new Map(all.map(({ id }, place) => [id, place]));
  let place = all.length;
  for (const message of shown.toReversed()) {
    const known = places.get(message.id);
    if (known === undefined) all.splice(place, 0, message);
    else place = known;
  }
  return all;
}

/** @throws ProblemError DETAIL_NOT_FOUND, MEMORY_NOT_FOUND */
async function readDetail(client: LonghandClient, session_id: string, key: string, page: number) {
  if (key.startsWith('mem_')) {
    const { content } = await client.call('getMemory', { session_id, memory_id: key });
    const { text } = content as { readonly text?: unknown };
    const shown = typeof text === 'string' ? text : JSON.stringify(content, null, 2);
    return { title: key, content: shown, page: 1, pages: 1 };
  }
  const { detail, content, total_pages } = await client.call('retrieveDetail', { memory_key: key, page });
  return { title: detail.summary || key, content, page, pages: total_pages ?? 1 };
}

function failureOf({ mismatch }: LonghandClient, error: unknown): NonNullable<ChatState['error']> {
  if (error instanceof ProblemError) {
    const isRetryable = error.status >= 500 || error.status === 429 || error.status === 409;
    return { code: error.code, message: error.message, isRetryable };
  }
  // It has answered, and not in the shape that this page knows.
  const code = mismatch === undefined ? 'UNREACHABLE' : 'VERSION_MISMATCH';
  return { code, message: `${mismatch ?? UNREACHABLE} What you said is kept.`, isRetryable: true };
}

/** The browser's own words for a lost connection say nothing to a person. @throws Error */
function throwInWords({ mismatch }: LonghandClient, error: unknown): never {
  throw error instanceof ProblemError ? error : new Error(mismatch ?? UNREACHABLE, { cause: error });
}

function toRow({ id, text, sender, timestamp }: ChatMessage): OutboxMessage {
  return { id, text, sender, timestamp: timestamp.toISOString() };
}

function fromRow({ timestamp, ...message }: OutboxMessage): ChatMessage {
  return { ...message, timestamp: new Date(timestamp) };
}
