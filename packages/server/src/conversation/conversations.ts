import {
  type Agent,
  type ArchivedMessage,
  type ArchiveResult,
  IOError,
  LonghandError,
  type MemoryManager,
  type Message,
  type RoomOptions,
  type Rooms,
  type ScopedMemory,
  type Session,
  type Summariser,
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
import { keepableAnswer, parseImages, parseNewMessages } from './chat-input.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import { KnownMessages } from './known-messages.ts';
import { describeFailure } from './model-failure.ts';
import { type ExtraTool, modelTools } from './model-tools.ts';
import { findParticipants } from './participants.ts';
import type { Model, Models } from './providers.ts';
import { ForgottenMeanwhile, type RunningTurn, RunningTurns } from './running-turns.ts';
import type { Spool } from './spool.ts';
import { TurnLocks } from './turn-lock.ts';
import { WaitingMessages } from './waiting-messages.ts';
import type { WriteBehindOptions } from './write-behind.ts';

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

/** What a provider says of an answer that has come to its own end. */
const WHOLE = 'stop';
const SOURCE_CHARACTERS = 256;
const DEFAULT_GRACE_MS = 10_000;
const DEFAULT_LIMITS: LoopLimits = { maxSteps: 8, maxRetries: 2, stepTimeoutMs: 120_000 };

/**
 * Answers messages. The life of a turn:
 *
 * 1. The request is checked; what is wrong with it is thrown, and nothing has happened.
 * 2. The new messages go to the spool. From here on they are safe, `start` says so, and whatever fails is an event.
 * 3. Each agent that is asked answers: context, model, tools, model, … (`agent-loop.ts`). One that has answered these
 *    messages before, because the request came again, is not asked again: its answer is given once more.
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
  readonly #waiting: WaitingMessages;
  readonly #turns = new TurnLocks();
  readonly #running: RunningTurns;
  readonly #background = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  #manager: MemoryManager | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: ConversationsOptions) {
    const { spool, summariser, everyMessages, everySeconds, onEvent } = options;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#running = new RunningTurns(spool.directory);
    this.#waiting = new WaitingMessages({
      spool,
      onArchived: (sessionId) => this.#inBackground(this.#updateSummary(sessionId)),
      ...(everyMessages === undefined ? {} : { everyMessages }),
      ...(everySeconds === undefined ? {} : { everySeconds }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    this.rooms = {
      spool: (_sessionId, session) => this.#waiting.unarchived(session),
      outside: {
        hold: (scope) => this.#running.hold(scope),
        gather: (scope, how) => this.#waiting.gather(scope, how),
        erased: (scope) => this.#waiting.erased(scope),
      },
      ...(summariser === undefined ? {} : { summariser }),
    };
  }

  /** Called once. What an earlier process left in the spool is archived in the background; windows show it already. */
  async start(manager: MemoryManager): Promise<void> {
    this.#manager = manager;
    this.#unsubscribe = manager.subscribe((event) => {
      if (event.kind === 'session-deleted') this.#running.sessionDeleted(event.session_id);
    });
    this.#inBackground(this.#waiting.start(manager));
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
    const signal = AbortSignal.any([this.#ending.signal, ...(options.signal ? [options.signal] : [])]);
    const endTurn = await this.#takeTurn(session.id, signal);
    let running: RunningTurn | undefined;
    try {
      const { transcripts } = await this.#layers();
      let known: KnownMessages | undefined;
      running = await this.#running.begin({
        ...{ session, signal, agents: agents.map(({ id }) => id) },
        start: async () => {
          known = new KnownMessages(session.id, transcripts, await this.#waiting.unarchived(session));
          await this.#waiting.append(session, await known.newOf(messages));
        },
        check: () => this.#refuseForgotten(session, messages),
      });
      const facts = { memory, images, agents, messages, session, budget: request.budget };
      const turn: Turn = { ...facts, known: known!, running, signal: running.signal };
      yield {
        type: 'start',
        session_id: session.id,
        new_message_ids: messages.map(({ id }) => id),
        agent_ids: agents.map(({ id }) => id),
      };
      yield* this.#answerAll(turn);
    } finally {
      if (running !== undefined) this.#running.end(running);
      endTurn();
      this.#waiting.note(session.id);
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
    const session = await memory.loadSession(sessionId);
    const given = new Set(messages.map(({ id }) => id));
    const waiting = new Map((await this.unarchived(session)).map((message) => [message.id, message]));
    if ([...waiting.keys()].some((id) => !given.has(id))) await this.#waiting.archive(sessionId);
    // A client need not say which agent gave an answer; here it is known.
    const whole = messages.map((message) => waiting.get(message.id ?? '') ?? message);
    const result = await memory.archiveMessages(sessionId, whole, options);
    // With a batch id that was used before nothing is archived: then the messages have to wait for their turn.
    const state = await (await this.#layers()).transcripts.state(sessionId);
    this.#waiting.settle(
      session,
      messages.flatMap(({ id }) => (id !== undefined && state.has(id) ? [id] : [])),
    );
    this.#inBackground(this.#updateSummary(sessionId));
    return result;
  }

  /** Everything that was said is in the transcript, then the session is closed. */
  async closeSession(sessionId: string, memory: ScopedMemory): Promise<void> {
    await memory.loadSession(sessionId);
    await this.#waiting.archive(sessionId);
    await memory.closeSession(sessionId);
  }

  /**
   * Brings everything that this process holds into the transcript, or what one session has waiting, and leaves
   * nothing of it in the spool. Whoever forgets or exports need not call it: the manager does.
   * @throws AggregateError, or what the store throws for the one session
   */
  async flush(sessionId?: string): Promise<void> {
    if (sessionId === undefined) return this.#waiting.flush();
    await this.#waiting.archive(sessionId);
    this.#waiting.compact();
  }

  /** The same for everything, and what the store does not take is left in the spool for the next time. */
  archiveAll(): Promise<void> {
    return this.#waiting.archiveAll();
  }

  /** Messages of this session that are acknowledged and not in the transcript yet, oldest first. */
  unarchived(session: Session): Promise<readonly ArchivedMessage[]> {
    return this.#waiting.unarchived(session);
  }

  /** Another text after each forgetting, by any process, that may concern this user; any user when none is named. */
  forgettings(userId: string | undefined): string {
    return this.#waiting.forgettings(userId);
  }

  /**
   * Archives, gives the turns under way some time to end, calls off those that do not, and lets go. To be called
   * before the manager is closed.
   */
  async close({ graceMs = DEFAULT_GRACE_MS }: CloseOptions = {}): Promise<void> {
    if (this.#manager !== undefined) await this.#waiting.archiveAll();
    const isOver = await atMost(graceMs, this.#settle());
    this.#ending.abort();
    if (!isOver) await this.#turns.settle();
    this.#unsubscribe();
    await this.#waiting.close();
  }

  /** @throws IOError STORE_CLOSED when the server ends first, or the reason of the caller's signal */
  async #takeTurn(sessionId: string, signal: AbortSignal): Promise<() => void> {
    try {
      signal.throwIfAborted();
      return await this.#turns.take(sessionId, signal);
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
      throw new IOError('STORE_CLOSED', 'The server is ending. Send the message again in a moment.');
    }
  }

  async *#answerAll(turn: Turn): AsyncGenerator<ChatEvent, void> {
    const { onEvent } = this.#options;
    const { session, agents, messages, signal } = turn;
    const sessionId = session.id;
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
    const last = answers.at(-1)!;
    const { manifest: _manifest, ...withoutManifest } = last;
    yield { type: 'done', ...facts, ...last, answers: [...answers.slice(0, -1), withoutManifest] };
  }

  async *#answerOne(
    turn: Turn,
    agent: Agent,
    said: readonly Message[],
  ): AsyncGenerator<ChatText | ChatTool, Answered> {
    const { id, message } = await turn.known.answerTo(turn.messages.at(-1)!.id, agent.id);
    if (message === undefined) return yield* this.#ask(turn, agent, said, id);
    yield { type: 'text', text: message.content, agent_id: agent.id, message_id: id, step: 1 };
    return { message, answer: repeated(message, agent) };
  }

  async *#ask(
    { memory, session, images, budget, running, signal }: Turn,
    agent: Agent,
    said: readonly Message[],
    messageId: string,
  ): AsyncGenerator<ChatText | ChatTool, Answered> {
    const { models, tools: extra = [], onEvent } = this.#options;
    const sessionId = session.id;
    const isGroup = session.agents.length > 1;
    const scope = { session_id: sessionId, agent_id: agent.id };
    const captured = new Map<string, string>();
    const asked = said.findLast(({ role }) => role === 'user')?.id;
    const tools = await modelTools({
      ...{
        memory,
        sessionId,
        agentId: agent.id,
        messageId: asked,
        enabled: agent.enabled_tools,
        extra,
        captured,
      },
      onFailed: (tool, error) => onEvent?.({ kind: 'tool-failed', ...scope, tool, code: codeOf(error) }),
      write: (work) => running.write(work),
      forget: (work) => this.#running.within(running, work),
    });
    const model = await models.model(agent.model_id);
    const shares = budget === undefined ? {} : { budget };
    const firstAgentId = session.agents[0] ?? agent.id;
    const { answer, traffic, context, usage, finishReason } = yield* runAgent({
      ...{ agentId: agent.id, firstAgentId, messageId, model, tools, turn: said, images, captured, signal },
      limits: this.#limits,
      // A prompt is a write too: what is too long for it is kept as a detail.
      assemble: (messages, beside) =>
        running.write(() =>
          memory.assembleContext({ session: sessionId, agent: agent.id, messages, ...beside, ...shares }),
        ),
    });
    const message: ArchivedMessage = {
      id: messageId,
      role: 'assistant',
      content: keepableAnswer(answer),
      name: agent.id,
      timestamp: new Date().toISOString(),
      provenance: {
        ...{ author: 'assistant', trust: 'agent', agent_id: agent.id, source: sourceOf(model) },
        ...(asked === undefined ? {} : { message_id: asked }),
      },
      ...(finishReason === WHOLE ? {} : { cut_off: finishReason }),
    };
    await running.write(async () => {
      await this.#waiting.append(session, [message]);
      const { window } = await memory.conversation(sessionId);
      // In a group the window is everybody's, and what an agent does with its memory is its own.
      await window.append([...said, ...(isGroup ? [] : traffic), message]);
    });
    if (finishReason !== WHOLE) onEvent?.({ kind: 'answer-cut-off', ...scope, reason: finishReason });
    const manifest = { ...context.manifest, finish_reason: finishReason };
    const facts = { agent_id: agent.id, message_id: messageId, model: model.modelId, manifest, usage };
    return { message, answer: { ...facts, answer: message.content, finish_reason: finishReason } };
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, ForgottenMeanwhile */
  async #refuseForgotten(session: Session, asked: readonly ArchivedMessage[]): Promise<void> {
    await this.#waiting.refuseOther(session);
    const state = await (await this.#layers()).transcripts.state(session.id);
    if (asked.some(({ id }) => state.isGone(id))) throw new ForgottenMeanwhile();
  }

  /** What is to be summarised must be in the transcript first; the summary follows by itself. */
  #foldIfDue(sessionId: string): Promise<void> {
    return this.#orReport(sessionId, async ({ summaries }) => {
      const waiting = this.#waiting.count(sessionId);
      if (waiting > 0 && (await summaries.isDue(sessionId, waiting))) await this.#waiting.archive(sessionId);
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

  async #settle(): Promise<void> {
    await this.#turns.settle();
    while (this.#background.size > 0) await Promise.all(this.#background);
  }
}

export interface CloseOptions {
  /** How long what is under way may take. 10,000 when left out. */
  readonly graceMs?: number;
}

interface Answered {
  readonly answer: ChatAnswer;
  readonly message: ArchivedMessage;
}

interface Turn {
  readonly memory: ScopedMemory;
  readonly session: Session;
  readonly known: KnownMessages;
  readonly agents: readonly Agent[];
  readonly messages: readonly ArchivedMessage[];
  readonly images: readonly ChatImage[];
  readonly budget: number | undefined;
  readonly running: RunningTurn;
  readonly signal: AbortSignal;
}

/** What went into it is not kept with an answer: only who gave it, and what it says. */
function repeated({ id, content, provenance, cut_off }: ArchivedMessage, agent: Agent): ChatAnswer {
  return {
    agent_id: agent.id,
    message_id: id,
    answer: content,
    model: provenance?.source ?? 'unknown',
    finish_reason: cut_off ?? WHOLE,
    is_repeated: true,
    usage: { input_tokens: null, output_tokens: null },
  };
}

function sourceOf({ modelId }: Model): string {
  return modelId.toWellFormed().replaceAll('\0', '').slice(0, SOURCE_CHARACTERS);
}

/** Whether it was done in time. */
async function atMost(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
