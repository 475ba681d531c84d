import {
  type Agent,
  type ArchivedMessage,
  type ArchiveResult,
  LonghandError,
  type MemoryManager,
  type Message,
  type RoomOptions,
  type Rooms,
  type ScopedMemory,
  type Summariser,
  ValidationError,
} from 'longhand';
import { type LoopLimits, ModelFailed, runAgent } from './agent-loop.ts';
import type {
  ChatAnswer,
  ChatDone,
  ChatEvent,
  ChatFailure,
  ChatImage,
  ChatRequest,
  ChatText,
  ChatTool,
} from './chat.ts';
import { keepableAnswer, makeMessageId, parseImages, parseNewMessages } from './chat-input.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import { describeFailure } from './model-failure.ts';
import { type ExtraTool, modelTools } from './model-tools.ts';
import { findParticipants } from './participants.ts';
import type { Models } from './providers.ts';
import type { Spool } from './spool.ts';
import { TurnLocks } from './turn-lock.ts';
import { WriteBehind, type WriteBehindOptions } from './write-behind.ts';

export type { ChatEvent, ChatImage, ChatRequest } from './chat.ts';

export interface ConversationsOptions extends Pick<WriteBehindOptions, 'everyMessages' | 'everySeconds'> {
  readonly spool: Spool;
  readonly models: Models;
  /** Writes summaries; the built-in extractive one when left out. */
  readonly summariser?: Summariser;
  /** Tools of the operator's, offered to every agent. */
  readonly tools?: readonly ExtraTool[];
  readonly limits?: Partial<LoopLimits>;
  readonly onEvent?: ConversationListener;
}

export interface AnswerOptions {
  /** Calls the answer off. What the user said is kept. */
  readonly signal?: AbortSignal;
}

const DEFAULT_LIMITS: LoopLimits = { maxSteps: 8, maxRetries: 2, stepTimeoutMs: 120_000 };

/**
 * Answers messages. The life of a turn:
 *
 * 1. The request is checked; what is wrong with it is thrown, and nothing has happened.
 * 2. The new messages go to the spool. From here on they are safe, `start` says so, and whatever fails is an event.
 * 3. Each agent that is asked answers: context, model, tools, model, … (`agent-loop.ts`).
 * 4. Its answer goes to the spool, its tool traffic to the window. When all have answered, `done`.
 * 5. Later, and not on this path: the transcript takes what the spool holds (`write-behind.ts`), and old messages are
 *    folded into the summary.
 *
 * It is opened in three steps, because the manager must know the spool and the write-behind must know the manager:
 * `new Conversations(…)`, `new MemoryManager({ …, ...conversations.rooms })`, `conversations.start(manager)`.
 */
export class Conversations {
  /** What the manager is opened with, so that windows know of messages that are not archived yet. */
  readonly rooms: RoomOptions;
  readonly #options: ConversationsOptions;
  readonly #limits: LoopLimits;
  readonly #writeBehind: WriteBehind;
  readonly #turns = new TurnLocks();
  readonly #background = new Set<Promise<void>>();
  #manager: MemoryManager | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: ConversationsOptions) {
    const { spool, summariser, everyMessages, everySeconds, onEvent } = options;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.rooms = {
      spool: (sessionId) => spool.unarchived(sessionId),
      ...(summariser === undefined ? {} : { summariser }),
    };
    this.#writeBehind = new WriteBehind({
      spool,
      archive: async (sessionId, messages) => (await this.#layers()).transcripts.archive(sessionId, messages),
      onArchived: (sessionId) => this.#inBackground(this.#updateSummary(sessionId)),
      ...(everyMessages === undefined ? {} : { everyMessages }),
      ...(everySeconds === undefined ? {} : { everySeconds }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
  }

  /** Called once. What an earlier process left in the spool is archived in the background; windows show it already. */
  async start(manager: MemoryManager): Promise<void> {
    this.#manager = manager;
    this.#unsubscribe = manager.subscribe((event) => {
      if (event.kind === 'session-deleted') this.#options.spool.drop(event.session_id);
    });
    this.#inBackground(this.#writeBehind.recover());
  }

  /**
   * The answer, as it comes. What is wrong with the request is thrown before the first event.
   * @throws ValidationError, NotFoundError for a session or agent that the principal does not reach, IOError
   */
  async *answer(
    request: ChatRequest,
    memory: ScopedMemory,
    options: AnswerOptions = {},
  ): AsyncGenerator<ChatEvent, void> {
    const images = parseImages(request.images);
    const messages = parseNewMessages(request);
    const { session, agents } = await findParticipants(request, memory);
    const turn: Turn = {
      ...{ memory, images, agents, messages, sessionId: session.id, isGroup: session.agents.length > 1 },
      ...{ budget: request.budget, signal: options.signal },
    };
    const endTurn = await this.#turns.take(session.id, options.signal);
    try {
      await this.#refuseOtherTexts(session.id, messages);
      await this.#options.spool.append(session.id, messages);
      yield {
        type: 'start',
        session_id: session.id,
        new_message_ids: messages.map(({ id }) => id),
        agent_ids: agents.map(({ id }) => id),
      };
      yield* this.#answerAll(turn);
    } finally {
      endTurn();
      this.#writeBehind.note(session.id);
      this.#inBackground(this.#foldIfDue(session.id));
    }
  }

  /** The same without the events on the way: the last one. */
  async answerWhole(
    request: ChatRequest,
    memory: ScopedMemory,
    options: AnswerOptions = {},
  ): Promise<ChatDone | ChatFailure> {
    let last: ChatDone | ChatFailure | undefined;
    for await (const event of this.answer(request, memory, options)) {
      if (event.type === 'done' || event.type === 'error') last = event;
    }
    return last!;
  }

  /** A client hands in what it holds. What else is waiting of the session is archived first, to keep the order. */
  async archive(
    sessionId: string,
    messages: readonly Message[],
    memory: ScopedMemory,
    options: { readonly batchId?: string } = {},
  ): Promise<ArchiveResult> {
    const { spool } = this.#options;
    await memory.loadSession(sessionId);
    const given = new Set(messages.map(({ id }) => id));
    if (this.unarchived(sessionId).some(({ id }) => !given.has(id)))
      await this.#writeBehind.archive(sessionId);
    const result = await memory.archiveMessages(sessionId, messages, options);
    // With a batch id that was used before nothing is archived: then the messages have to wait for their turn.
    const state = await (await this.#layers()).transcripts.state(sessionId);
    spool.settle(
      sessionId,
      messages.flatMap(({ id }) => (id !== undefined && state.has(id) ? [id] : [])),
    );
    this.#inBackground(this.#updateSummary(sessionId));
    return result;
  }

  /** Everything that was said is in the transcript, then the session is closed. */
  async closeSession(sessionId: string, memory: ScopedMemory): Promise<void> {
    await memory.loadSession(sessionId);
    await this.#writeBehind.archive(sessionId);
    await memory.closeSession(sessionId);
  }

  /**
   * Brings everything into the transcript, or what one session has waiting, and leaves nothing of it in the spool. To
   * be called before something is forgotten or exported: what lies in the spool would be overlooked.
   */
  async flush(sessionId?: string): Promise<void> {
    if (sessionId === undefined) return this.#writeBehind.flush();
    await this.#writeBehind.archive(sessionId);
    this.#options.spool.compact();
  }

  /** Messages of a session that are acknowledged and not in the transcript yet, oldest first. */
  unarchived(sessionId: string): readonly ArchivedMessage[] {
    return this.#options.spool.unarchived(sessionId);
  }

  /** Waits for the turns under way, archives, and lets go. To be called before the manager is closed. */
  async close(): Promise<void> {
    await this.#turns.settle();
    await this.#settleBackground();
    if (this.#manager !== undefined) await this.#writeBehind.close();
    await this.#settleBackground();
    this.#unsubscribe();
    await this.#options.spool.close();
  }

  async *#answerAll(turn: Turn): AsyncGenerator<ChatEvent, void> {
    const { onEvent } = this.#options;
    const { sessionId, agents, messages, signal } = turn;
    const answers: ChatAnswer[] = [];
    const said: Message[] = [...messages];
    const facts = { session_id: sessionId, new_message_ids: messages.map(({ id }) => id) };
    for (const agent of agents) {
      try {
        const { answer, message } = yield* this.#answerOne(turn, agent, said);
        answers.push(answer);
        said.push(message);
      } catch (error) {
        const failure = error instanceof ModelFailed ? error.failure : describeFailure(error, signal);
        const { code, message, isRetryable, status } = failure;
        onEvent?.({ kind: 'model-failed', session_id: sessionId, agent_id: agent.id, code, status });
        const shown = {
          code,
          message,
          is_retryable: isRetryable,
          ...(status === undefined ? {} : { status }),
        };
        yield { type: 'error', ...shown, ...facts, agent_id: agent.id, answers };
        return;
      }
    }
    onEvent?.({ kind: 'turn-finished', session_id: sessionId, agents: agents.length });
    yield { type: 'done', ...facts, ...answers.at(-1)!, answers };
  }

  async *#answerOne(
    { memory, sessionId, isGroup, images, budget, signal }: Turn,
    agent: Agent,
    said: readonly Message[],
  ): AsyncGenerator<ChatText | ChatTool, { readonly answer: ChatAnswer; readonly message: ArchivedMessage }> {
    const { models, tools: extra = [], spool, onEvent } = this.#options;
    const scope = { session_id: sessionId, agent_id: agent.id };
    const messageId = makeMessageId();
    const captured = new Map<string, string>();
    const tools = await modelTools({
      ...{ memory, sessionId, agentId: agent.id, enabled: agent.enabled_tools, extra, captured },
      onFailed: (tool, error) => onEvent?.({ kind: 'tool-failed', ...scope, tool, code: codeOf(error) }),
    });
    const model = await models.model(agent.model_id);
    const shares = budget === undefined ? {} : { budget };
    const { answer, traffic, context, usage } = yield* runAgent({
      ...{ agentId: agent.id, messageId, model, tools, turn: said, images, captured, signal },
      limits: this.#limits,
      assemble: (messages, beside) =>
        memory.assembleContext({ session: sessionId, agent: agent.id, messages, ...beside, ...shares }),
    });
    const message: ArchivedMessage = {
      id: messageId,
      role: 'assistant',
      content: keepableAnswer(answer),
      ...(isGroup ? { name: agent.id } : {}),
      timestamp: new Date().toISOString(),
    };
    await spool.append(sessionId, [message]);
    const { windows } = await memory.conversation(sessionId);
    // In a group the window is everybody's, and what an agent does with its memory is its own.
    await windows.append(sessionId, [...said, ...(isGroup ? [] : traffic), message]);
    const { manifest } = context;
    const facts = { agent_id: agent.id, message_id: messageId, model: model.modelId, manifest, usage };
    return { message, answer: { ...facts, answer: message.content } };
  }

  /** A message's id stands for its text: one with another text would be taken for a repetition, and be lost. */
  async #refuseOtherTexts(sessionId: string, messages: readonly ArchivedMessage[]): Promise<void> {
    const { transcripts } = await this.#layers();
    const state = await transcripts.state(sessionId);
    const waiting = new Map(this.unarchived(sessionId).map((message) => [message.id, message]));
    for (const { id, content } of messages) {
      const at = state.indexOf(id);
      const [archived] =
        at === undefined ? [] : await transcripts.messages(sessionId, { from: at, to: at + 1 });
      const isKnown = at !== undefined || waiting.has(id);
      if (!isKnown || (archived ?? waiting.get(id))?.content === content) continue;
      throw new ValidationError(
        'ID_TAKEN',
        'A message of this conversation has this id and another text. Give each message an id of its own.',
        { details: { message_id: id } },
      );
    }
  }

  /** What is to be summarised must be in the transcript first; the summary follows by itself. */
  #foldIfDue(sessionId: string): Promise<void> {
    return this.#orReport(sessionId, async ({ summaries }) => {
      const waiting = this.#options.spool.count(sessionId);
      if (waiting > 0 && (await summaries.isDue(sessionId, waiting)))
        await this.#writeBehind.archive(sessionId);
    });
  }

  #updateSummary(sessionId: string): Promise<void> {
    return this.#orReport(sessionId, ({ summaries }) => summaries.update(sessionId));
  }

  async #orReport(sessionId: string, work: (rooms: Rooms) => Promise<unknown>): Promise<void> {
    try {
      await work(await this.#layers());
    } catch (error) {
      // Deleted in the meantime: there is nothing left to summarise.
      if (LonghandError.isInstance(error) && error.code === 'SESSION_NOT_FOUND') return;
      this.#options.onEvent?.({ kind: 'summary-update-failed', session_id: sessionId, code: codeOf(error) });
    }
  }

  #layers(): Promise<Rooms> {
    if (this.#manager === undefined) throw new Error('Conversations are used before start(manager).');
    return this.#manager.layers();
  }

  /** Work that has an owner: `close` waits for it. */
  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  async #settleBackground(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }
}

interface Turn {
  readonly memory: ScopedMemory;
  readonly sessionId: string;
  readonly isGroup: boolean;
  readonly agents: readonly Agent[];
  readonly messages: readonly ArchivedMessage[];
  readonly images: readonly ChatImage[];
  readonly budget: number | undefined;
  readonly signal: AbortSignal | undefined;
}
