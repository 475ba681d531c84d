import { type ArchivedMessage, type ArchiveResult, LonghandError, type MemoryManager, type Message } from 'longhand';
import type { Agent, ScopedMemory } from 'longhand';
import { type LoopLimits, ModelFailed, runAgent } from './agent-loop.ts';
import {
  type ChatAnswer,
  type ChatDone,
  type ChatEvent,
  type ChatFailure,
  type ChatRequest,
  type ChatText,
  type ChatTool,
  summariseManifest,
} from './chat.ts';
import { keepableAnswer, makeMessageId, parseImages, parseNewMessages } from './chat-input.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import { describeFailure } from './model-failure.ts';
import { type ExtraTool, modelTools } from './model-tools.ts';
import { Participants } from './participants.ts';
import type { Models } from './providers.ts';
import type { Spool } from './spool.ts';
import { TurnLocks } from './turn-lock.ts';
import { WriteBehind, type WriteBehindOptions } from './write-behind.ts';

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
 * The manager must have been opened with `spool: (id) => spool.unarchived(id)`, or agents would forget what was said
 * since the last archiving.
 */
export interface ConversationsOptions extends Pick<WriteBehindOptions, 'everyMessages' | 'everySeconds'> {
  readonly manager: MemoryManager;
  readonly spool: Spool;
  readonly models: Models;
  /** The summary settings that the manager has. Off when left out. */
  readonly summary?: { readonly enabled: boolean; readonly threshold: number };
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

export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #limits: LoopLimits;
  readonly #writeBehind: WriteBehind;
  readonly #participants: Participants;
  readonly #turns = new TurnLocks();
  readonly #background = new Set<Promise<void>>();

  constructor(options: ConversationsOptions) {
    const { manager, spool, everyMessages, everySeconds, onEvent } = options;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#participants = new Participants(manager);
    this.#writeBehind = new WriteBehind({
      spool,
      archive: async (sessionId, messages) => (await manager.layers()).transcripts.archive(sessionId, messages),
      onArchived: (sessionId) => this.#inBackground(this.#updateSummary(sessionId)),
      ...(everyMessages === undefined ? {} : { everyMessages }),
      ...(everySeconds === undefined ? {} : { everySeconds }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    // Whoever opened the spool has taken over what others left in it.
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
    const { session, agents } = await this.#participants.of(request, memory);
    const endTurn = await this.#turns.take(session.id, options.signal);
    try {
      await this.#keep(session.id, messages);
      const message_ids = messages.map(({ id }) => id);
      const agent_ids = agents.map(({ id }) => id);
      yield { type: 'start', session_id: session.id, message_ids, agent_ids };
      yield* this.#answerAll({ ...request, images }, memory, options, { sessionId: session.id, agents, messages });
    } finally {
      endTurn();
      this.#afterTurn(session.id);
    }
  }

  /** The same without the events on the way: the last one. */
  async answerWhole(
    request: ChatRequest,
    memory: ScopedMemory,
    options: AnswerOptions = {},
  ): Promise<ChatDone | ChatFailure> {
    for await (const event of this.answer(request, memory, options)) {
      if (event.type === 'done' || event.type === 'error') return event;
    }
    throw new Error('An answer ends with done or error.');
  }

  /** A client hands in what it holds. What the spool holds of the same session is archived first, to keep the order. */
  async archive(
    sessionId: string,
    messages: readonly Message[],
    memory: ScopedMemory,
    options: { readonly batchId?: string } = {},
  ): Promise<ArchiveResult> {
    const { spool } = this.#options;
    await memory.loadSession(sessionId);
    const given = new Set(messages.map(({ id }) => id));
    if (spool.unarchived(sessionId).some(({ id }) => !given.has(id))) await this.#writeBehind.archive(sessionId);
    const result = await memory.archiveMessages(sessionId, messages, options);
    spool.settle(sessionId, messages.flatMap(({ id }) => (id === undefined ? [] : [id])));
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
   * Brings everything into the transcript, or that of one session, and leaves nothing of it in the spool. To be called
   * before something is forgotten or exported: what lies in the spool would be overlooked.
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

  /** Waits for the turns under way, archives, and lets go. Before the manager is closed. */
  async close(): Promise<void> {
    await this.#turns.settle();
    await Promise.all(this.#background);
    await this.#writeBehind.close();
    await Promise.all(this.#background);
    await this.#options.spool.close();
  }

  async #keep(sessionId: string, messages: readonly ArchivedMessage[]): Promise<void> {
    await this.#participants.refuseOtherTexts(sessionId, messages, this.unarchived(sessionId));
    await this.#options.spool.append(sessionId, messages);
  }

  async *#answerAll(
    request: ChatRequest,
    memory: ScopedMemory,
    options: AnswerOptions,
    { sessionId, agents, messages }: Turn,
  ): AsyncGenerator<ChatEvent, void> {
    const { onEvent } = this.#options;
    const answers: ChatAnswer[] = [];
    const turn: Message[] = [...messages];
    const message_ids = messages.map(({ id }) => id);
    for (const agent of agents) {
      try {
        const { answer, message } = yield* this.#answerOne(request, memory, options, { sessionId, agent, turn, agents });
        answers.push(answer);
        turn.push(message);
      } catch (error) {
        const failure = error instanceof ModelFailed ? error.failure : describeFailure(error, options.signal);
        const { code, message, isRetryable, status } = failure;
        onEvent?.({ kind: 'model-failed', session_id: sessionId, agent_id: agent.id, code, status });
        const facts = { session_id: sessionId, message_ids, agent_id: agent.id, answers };
        const shownStatus = status === undefined ? {} : { status };
        yield { type: 'error', code, message, is_retryable: isRetryable, ...facts, ...shownStatus };
        return;
      }
    }
    onEvent?.({ kind: 'turn-finished', session_id: sessionId, agents: agents.length });
    yield { type: 'done', session_id: sessionId, message_ids, ...answers.at(-1)!, answers };
  }

  async *#answerOne(
    request: ChatRequest,
    memory: ScopedMemory,
    { signal }: AnswerOptions,
    { sessionId, agent, turn, agents }: AgentTurn,
  ): AsyncGenerator<ChatText | ChatTool, { readonly answer: ChatAnswer; readonly message: ArchivedMessage }> {
    const { models, tools: extra = [], spool, onEvent } = this.#options;
    const messageId = makeMessageId();
    const isGroup = agents.length > 1 || (await memory.loadSession(sessionId)).agents.length > 1;
    const captured = new Map<string, string>();
    const tools = await modelTools({
      memory,
      sessionId,
      agentId: agent.id,
      enabled: agent.enabled_tools,
      extra,
      captured,
      onFailed: (tool, error) =>
        onEvent?.({ kind: 'tool-failed', session_id: sessionId, agent_id: agent.id, tool, code: codeOf(error) }),
    });
    const result = yield* runAgent({
      agentId: agent.id,
      messageId,
      model: await models.model(agent.model_id),
      tools,
      assemble: (messages) =>
        memory.assembleContext({
          session: sessionId,
          agent: agent.id,
          messages,
          ...(request.budget === undefined ? {} : { budget: request.budget }),
        }),
      turn,
      images: request.images ?? [],
      captured,
      limits: this.#limits,
      signal,
    });
    const message: ArchivedMessage = {
      id: messageId,
      role: 'assistant',
      content: keepableAnswer(result.answer),
      ...(isGroup ? { name: agent.id } : {}),
      timestamp: new Date().toISOString(),
    };
    await spool.append(sessionId, [message]);
    // In a group the window is everybody's, and what an agent does with its memory is its own.
    const traffic = isGroup ? [] : result.traffic;
    const { windows } = await memory.conversation(sessionId);
    await windows.append(sessionId, [...turn, ...traffic, message]);
    const { answer: _, context, usage } = result;
    return {
      message,
      answer: {
        agent_id: agent.id,
        message_id: messageId,
        answer: message.content,
        context: summariseManifest(context.manifest),
        usage,
      },
    };
  }

  #afterTurn(sessionId: string): void {
    this.#writeBehind.note(sessionId);
    this.#inBackground(this.#foldIfDue(sessionId));
  }

  /** What is to be summarised must be in the transcript first. */
  async #foldIfDue(sessionId: string): Promise<void> {
    const { summary, manager } = this.#options;
    if (summary?.enabled !== true) return;
    try {
      const { transcripts } = await manager.layers();
      const state = await transcripts.state(sessionId);
      const unsummarised = state.presentFrom(state.summary?.summarized_count ?? 0);
      const waiting = this.#options.spool.count(sessionId);
      if (waiting > 0 && unsummarised + waiting > summary.threshold) await this.#writeBehind.archive(sessionId);
    } catch (error) {
      this.#reportSummary(sessionId, error);
    }
  }

  async #updateSummary(sessionId: string): Promise<void> {
    const { summary, manager } = this.#options;
    if (summary?.enabled !== true) return;
    try {
      await (await manager.layers()).summaries.update(sessionId);
    } catch (error) {
      this.#reportSummary(sessionId, error);
    }
  }

  #reportSummary(sessionId: string, error: unknown): void {
    const isGone = LonghandError.isInstance(error) && error.code === 'SESSION_NOT_FOUND';
    if (isGone) return;
    this.#options.onEvent?.({ kind: 'summary-update-failed', session_id: sessionId, code: codeOf(error) });
  }

  /** Work that has an owner: `close` waits for it. */
  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }
}

interface Turn {
  readonly sessionId: string;
  readonly agents: readonly Agent[];
  readonly messages: readonly ArchivedMessage[];
}

interface AgentTurn {
  readonly sessionId: string;
  readonly agent: Agent;
  readonly agents: readonly Agent[];
  readonly turn: readonly Message[];
}
