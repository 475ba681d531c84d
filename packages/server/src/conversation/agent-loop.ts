import type { StepResult, TextStreamPart, ToolSet } from 'ai';
import type { Context, ContextRequest, Message, ToolCall } from 'longhand';
import type { ChatAnswer, ChatImage, ChatRecalled, ChatText, ChatTool } from './chat.ts';
import type { Model } from './model.ts';
import { describeFailure, type ModelFailure, modelFailure } from './model-failure.ts';
import { type ModelPrompt, toModelPrompt } from './model-messages.ts';
import { definitionsOf, toText } from './model-tools.ts';

/**
 * One agent's answer: the model is asked, it calls tools, it is asked again with their results, until it has nothing
 * more to call or may not call any more.
 *
 * The prompt is assembled under a hard budget. The results of tools lengthen it from step to step; as soon as they
 * might not fit, or bring in a placeholder that the prompt does not explain, it is assembled again from scratch.
 * Otherwise it only grows at its end, so that the provider's prefix cache stays valid.
 */
interface LoopRequest {
  readonly agentId: string;
  /** The agent that was first in the session: what no name stands at is its. */
  readonly firstAgentId: string;
  readonly messageId: string;
  readonly model: Model;
  readonly tools: ToolSet;
  /** Assembles the prompt for what has been said and done in this turn so far, with room for what is sent beside it. */
  readonly assemble: (turn: readonly Message[], beside: Beside) => Promise<Context>;
  /** The user's new messages, and what other agents have answered to them. */
  readonly turn: readonly Message[];
  readonly images: readonly ChatImage[];
  /** By the id of the call: the keys under which large outputs were kept. Grows while the agent works. */
  readonly captured: ReadonlyMap<string, string>;
  readonly limits: LoopLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface LoopLimits {
  /** Calls of the model in one answer. In the last one it has no tools and has to speak. */
  readonly maxSteps: number;
  /** Attempts after a failure that may pass: rate limits, trouble of the server. */
  readonly maxRetries: number;
  /** For one call of the model, attempts included. */
  readonly stepTimeoutMs: number;
  /** Tokens of one answer; what the provider takes for right when left out. */
  readonly maxOutputTokens?: number | undefined;
}

interface LoopResult {
  readonly answer: string;
  /** Tool calls and their results, in order, without the answer. */
  readonly traffic: readonly Message[];
  readonly context: Context;
  readonly usage: ChatAnswer['usage'];
  /** As the provider's SDK calls it: `stop`, `length`, `content-filter`, … */
  readonly finishReason: string;
}

/** What a request has beside the messages of the prompt, and pays for all the same. */
type Beside = Pick<ContextRequest, 'tools' | 'images'>;

/** The model gave no answer. */
export class ModelFailed extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, cause?: unknown) {
    super(failure.message, { cause });
    this.name = 'ModelFailed';
    this.failure = failure;
  }
}

/** Without the standing memories, which are in every prompt. */
function recalledIn({ manifest }: Context): ChatRecalled['memories'] {
  return manifest.pieces.flatMap(({ source, score }) =>
    source.layer === 'memories' && score?.relevance !== undefined
      ? [{ id: source.id, relevance: score.relevance }]
      : [],
  );
}

export type AnswerEvent = ChatRecalled | ChatText | ChatTool;

/** Gives the events of an answer as they come, and then the answer. @throws ModelFailed */
export async function* runAgent(request: LoopRequest): AsyncGenerator<AnswerEvent, LoopResult> {
  const { agentId, firstAgentId, messageId, limits, signal, turn, images, captured } = request;
  const { isStepCount, streamText } = await import('ai');
  const beside = { tools: await definitionsOf(request.tools), images: images.length };
  let context = await assembleOrFail(request, turn, beside);
  const promptOf = ({ messages, manifest }: Context): ModelPrompt =>
    // The newest ones, when there is not room for all: a line in the messages stands for the others.
    toModelPrompt(messages, {
      ...{ agentId, firstAgentId },
      images: images.slice(images.length - (manifest.images?.sent ?? 0)),
    });
  const first = promptOf(context);
  const speaker = { agent_id: agentId, message_id: messageId };
  const memories = recalledIn(context);
  if (memories.length > 0) yield { type: 'recalled', ...speaker, memories };
  const known = { captures: 0, messages: 0 };

  const stream = streamText({
    model: request.model,
    tools: request.tools,
    ...(first.instructions === undefined ? {} : { instructions: first.instructions }),
    messages: first.messages,
    stopWhen: isStepCount(limits.maxSteps),
    maxRetries: limits.maxRetries,
    timeout: { stepMs: limits.stepTimeoutMs },
    ...(limits.maxOutputTokens === undefined ? {} : { maxOutputTokens: limits.maxOutputTokens }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    prepareStep: async ({ steps }) => {
      if (steps.length === 0) return {};
      const choice = steps.length + 1 >= limits.maxSteps ? { toolChoice: 'none' as const } : {};
      const traffic = trafficOf(steps, agentId);
      const growth = bytesOf(traffic.slice(known.messages));
      const isTaught = captured.size === known.captures;
      if (isTaught && context.manifest.total + growth <= context.manifest.budget) return choice;
      context = await request.assemble([...turn, ...traffic], beside);
      known.captures = captured.size;
      known.messages = traffic.length;
      const { instructions, messages } = promptOf(context);
      return { messages, ...(instructions === undefined ? {} : { instructions }), ...choice };
    },
    // Errors come as parts of the stream; without this they are printed as well.
    onError: () => undefined,
  });

  let usage: ChatAnswer['usage'] = { input_tokens: null, output_tokens: null };
  let finishReason = 'error';
  let step = 0;
  const calledMs = new Map<string, number>();
  for await (const part of withFailures(stream.stream, signal)) {
    switch (part.type) {
      case 'start-step':
        step++;
        break;
      case 'text-delta':
        if (part.text !== '') yield { type: 'text', text: part.text, ...speaker, step };
        break;
      case 'tool-call':
        calledMs.set(part.toolCallId, performance.now());
        break;
      case 'tool-result':
      case 'tool-error': {
        const { toolName: name, input, toolCallId } = part;
        const output = outputOf(part);
        const error = part.type === 'tool-error' || isErrorResult(part.output) ? { error: output } : {};
        const key = captured.get(toolCallId);
        const memoryKey = key === undefined ? {} : { memory_key: key };
        const nowMs = performance.now();
        const duration_ms = Math.round(nowMs - (calledMs.get(toolCallId) ?? nowMs));
        yield { type: 'tool', name, ...speaker, input, output, ...error, ...memoryKey, duration_ms };
        break;
      }
      case 'finish':
        finishReason = part.finishReason;
        usage = {
          input_tokens: part.totalUsage.inputTokens ?? null,
          output_tokens: part.totalUsage.outputTokens ?? null,
        };
        break;
      case 'error':
        throw new ModelFailed(describeFailure(part.error, signal), part.error);
      case 'abort':
        throw new ModelFailed(
          signal?.aborted ? describeFailure(undefined, signal) : modelFailure('MODEL_TIMEOUT'),
        );
      default:
    }
  }
  if (finishReason === 'error') throw new ModelFailed(modelFailure('MODEL_BAD_ANSWER'));
  const steps = await stream.steps;
  const answer = steps.at(-1)?.text.trim() ?? '';
  if (answer === '') throw new ModelFailed(modelFailure('MODEL_EMPTY_ANSWER'));
  return { answer, traffic: trafficOf(steps, agentId), context, usage, finishReason };
}

async function assembleOrFail(
  request: LoopRequest,
  turn: readonly Message[],
  beside: Beside,
): Promise<Context> {
  try {
    return await request.assemble(turn, beside);
  } catch (error) {
    throw new ModelFailed(describeFailure(error, request.signal), error);
  }
}

/** A stream that breaks is a failure like the others. */
async function* withFailures(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<TextStreamPart<ToolSet>> {
  try {
    yield* stream;
  } catch (error) {
    throw new ModelFailed(describeFailure(error, signal), error);
  }
}

type Step = Pick<StepResult<ToolSet>, 'content' | 'text'>;

/** What was called and what came of it, as messages. What a model says beside a call stays with the call. */
function trafficOf(steps: readonly Step[], agentId: string): Message[] {
  return steps.flatMap(({ content, text }): Message[] => {
    const results = new Map<string, string>();
    for (const part of content) {
      if (part.type === 'tool-result' || part.type === 'tool-error')
        results.set(part.toolCallId, outputOf(part));
    }
    const calls: ToolCall[] = content.flatMap((part) =>
      part.type === 'tool-call' && results.has(part.toolCallId)
        ? [{ id: part.toolCallId, name: part.toolName, arguments: asObject(part.input) }]
        : [],
    );
    if (calls.length === 0) return [];
    return [
      { role: 'assistant', content: text, name: agentId, tool_calls: calls },
      ...calls.map(({ id }): Message => ({ role: 'tool', content: results.get(id)!, tool_call_id: id })),
    ];
  });
}

/** More than the tokens of these messages: a token has a byte at least. */
function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
}

function outputOf(part: { readonly output: unknown } | { readonly error: unknown }): string {
  if ('output' in part) return toText(part.output);
  return part.error instanceof Error ? part.error.message : String(part.error);
}

function asObject(input: unknown): ToolCall['arguments'] {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? (input as ToolCall['arguments']) : {};
}

function isErrorResult(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'error' in output && output.error !== undefined;
}
