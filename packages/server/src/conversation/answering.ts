import type { Agent, ArchivedMessage, ContextRequest, Message, ScopedMemory, Session } from 'longhand';
import { type AnswerEvent, type LoopLimits, ModelFailed, runAgent } from './agent-loop.ts';
import type { ChatAnswer, ChatEvent, ChatImage } from './chat.ts';
import { keepableAnswer } from './chat-input.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import type { KnownMessages } from './known-messages.ts';
import type { Model } from './model.ts';
import { describeFailure, withoutAddress } from './model-failure.ts';
import { type ExtraTool, modelTools } from './model-tools.ts';
import type { Models } from './providers.ts';
import type { RunningTurn, RunningTurns } from './running-turns.ts';
import type { TurnLook } from './turn-look.ts';
import type { WaitingMessages } from './waiting-messages.ts';

/** The finish reason of an answer that the model ended itself. */
const WHOLE = 'stop';
const SOURCE_CHARACTERS = 256;
const DEFAULT_LIMITS: LoopLimits = { maxSteps: 8, maxRetries: 2, stepTimeoutMs: 120_000 };

export interface AnsweringOptions {
  readonly models: Models;
  /** Tools of the operator's for an agent, beside those of the memory. */
  readonly toolsFor?: (agentId: string) => Promise<readonly ExtraTool[]>;
  readonly limits?: Partial<LoopLimits>;
  /** Whether callers are others than the operator, whom the address of the model does not concern. */
  readonly hidesModel?: boolean;
  readonly onEvent?: ConversationListener;
}

/** One request that is being answered. */
export interface Turn {
  readonly memory: ScopedMemory;
  readonly session: Session;
  readonly known: KnownMessages;
  readonly agents: readonly Agent[];
  readonly messages: readonly ArchivedMessage[];
  readonly images: readonly ChatImage[];
  readonly budget: number | undefined;
  readonly sections: ContextRequest['sections'] | undefined;
  readonly running: RunningTurn;
  /** The one that the turn began with, until the model has it. */
  readonly look: TurnLook;
  readonly signal: AbortSignal;
}

/**
 * The answers of one turn: each agent in its order, by its model and its tools (`agent-loop.ts`). Whatever goes wrong
 * in it is an event, and what was answered before it is kept.
 */
export class Answering {
  readonly #options: AnsweringOptions;
  readonly #limits: LoopLimits;
  readonly #running: RunningTurns;
  readonly #waiting: WaitingMessages;

  constructor(options: AnsweringOptions, running: RunningTurns, waiting: WaitingMessages) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#running = running;
    this.#waiting = waiting;
  }

  async *answerAll(turn: Turn): AsyncGenerator<ChatEvent, void> {
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
        const { code, isRetryable, status } = failure;
        const cause = { code, status, reason: failure.message };
        onEvent?.({ kind: 'model-failed', session_id: sessionId, agent_id: agent.id, ...cause });
        const { message } = this.#options.hidesModel ? withoutAddress(failure) : failure;
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
  ): AsyncGenerator<AnswerEvent, Answered> {
    const { known, look, messages } = turn;
    const { id, message } = await look.run(() => known.answerTo(messages.at(-1)!.id, agent.id));
    if (message === undefined) return yield* this.#ask(turn, agent, said, id);
    yield { type: 'text', text: message.content, agent_id: agent.id, message_id: id, step: 1 };
    return { message, answer: repeated(message, agent) };
  }

  async *#ask(
    { memory, session, images, budget, sections, running, look, signal }: Turn,
    agent: Agent,
    said: readonly Message[],
    messageId: string,
  ): AsyncGenerator<AnswerEvent, Answered> {
    const { models, toolsFor, onEvent } = this.#options;
    const sessionId = session.id;
    const isGroup = session.agents.length > 1;
    const scope = { session_id: sessionId, agent_id: agent.id };
    const captured = new Map<string, string>();
    const asked = said.findLast(({ role }) => role === 'user')?.id;
    const extra = (await toolsFor?.(agent.id)) ?? [];
    const tools = await look.run(() =>
      modelTools({
        ...{ memory, sessionId, agentId: agent.id, messageId: asked, enabled: agent.enabled_tools },
        ...{ extra, captured },
        onFailed: (tool, error) => onEvent?.({ kind: 'tool-failed', ...scope, tool, code: codeOf(error) }),
        write: (work) => look.run(() => running.write(work)).finally(() => look.age()),
        forget: (work) => this.#running.within(running, work),
      }),
    );
    const model = await models.model(agent.model_id);
    const shares = {
      ...(budget === undefined ? {} : { budget }),
      ...(sections === undefined ? {} : { sections }),
    };
    const firstAgentId = session.agents[0] ?? agent.id;
    const { answer, traffic, context, usage, finishReason } = yield* runAgent({
      ...{ agentId: agent.id, firstAgentId, messageId, model, tools, turn: said, images, captured, signal },
      limits: this.#limits,
      // A prompt is a write too: what is too long for it is kept as a detail.
      assemble: (messages, beside) =>
        look
          .run(() =>
            running.write(() =>
              memory.assembleContext({ session: sessionId, agent: agent.id, messages, ...beside, ...shares }),
            ),
          )
          .finally(() => look.age()),
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
    const keep = async (): Promise<void> => {
      await this.#waiting.append(session, [message]);
      const { window } = await memory.conversation(sessionId);
      // In a group all agents share the window, and what an agent does with its memory is its own.
      await window.append([...said, ...(isGroup ? [] : traffic), message]);
    };
    await look.keep(() => running.write(keep));
    if (finishReason !== WHOLE) onEvent?.({ kind: 'answer-cut-off', ...scope, reason: finishReason });
    const manifest = { ...context.manifest, finish_reason: finishReason };
    const facts = { agent_id: agent.id, message_id: messageId, model: model.modelId, manifest, usage };
    return { message, answer: { ...facts, answer: message.content, finish_reason: finishReason } };
  }
}

interface Answered {
  readonly answer: ChatAnswer;
  readonly message: ArchivedMessage;
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
