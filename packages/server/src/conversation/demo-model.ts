import { readPrompt } from './demo-prompt.ts';
import { decide, type Move } from './demo-rules.ts';
import type { Model } from './model.ts';

/**
 * A language model of a few rules, for trying Longhand without a key. It stands behind the same interface as the real
 * ones and has no other way to the memory than they have: what is not in its prompt, and what no tool gives it, it does
 * not know. It says of every answer that it is a demo's.
 */
export class DemoModel implements Model {
  readonly specificationVersion = 'v4';
  readonly provider = 'longhand';
  readonly modelId = 'demo';
  readonly supportedUrls = {};

  async doGenerate(options: CallOptions): Promise<Generated> {
    const move = await think(options);
    return { content: toContent(move), finishReason: reasonOf(move), usage: UNKNOWN_USAGE, warnings: [] };
  }

  async doStream(options: CallOptions): Promise<Streamed> {
    const move = await think(options);
    const start = async (controller: ReadableStreamDefaultController<StreamPart>): Promise<void> => {
      for await (const part of partsOf(move)) controller.enqueue(part);
      controller.close();
    };
    return { stream: new ReadableStream({ start }) };
  }
}

type CallOptions = Parameters<Model['doGenerate']>[0];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Streamed = Awaited<ReturnType<Model['doStream']>>;
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never;

const UNKNOWN_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function think({ prompt, tools = [], toolChoice }: CallOptions): Promise<Move> {
  const names = toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name);
  return decide(readPrompt(prompt), new Set(names));
}

function toContent(move: Move): Generated['content'] {
  if ('text' in move) return [{ type: 'text', text: move.text }];
  return move.calls.map(({ tool, input }) => ({
    type: 'tool-call',
    toolCallId: `call_${crypto.randomUUID()}`,
    toolName: tool,
    input: JSON.stringify(input),
  }));
}

function reasonOf(move: Move): Generated['finishReason'] {
  return { unified: 'text' in move ? 'stop' : 'tool-calls', raw: undefined };
}

/** Word by word, as the others do. */
async function* partsOf(move: Move): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  if ('text' in move) {
    const id = 'text';
    yield { type: 'text-start', id };
    for (const delta of move.text.split(/(?<=\S)(?=\s)/)) yield { type: 'text-delta', id, delta };
    yield { type: 'text-end', id };
  } else {
    yield* toContent(move) as StreamPart[];
  }
  yield { type: 'finish', finishReason: reasonOf(move), usage: UNKNOWN_USAGE };
}
