import type { FlexibleSchema, ToolSet } from 'ai';
import {
  ALL_EXTRA_TOOLS,
  type JsonObject,
  type ScopedMemory,
  type ToolDefinition,
  type ToolName,
} from 'longhand';

/** A tool of the operator's own, beside those of the memory. */
export interface ExtraTool {
  readonly name: string;
  readonly description: string;
  /** A zod schema, or one of the AI SDK's `jsonSchema()`. */
  readonly input: FlexibleSchema<unknown>;
  /** What the model is given; an object as JSON. @throws anything: the model is told that it failed */
  run(input: unknown, options: { readonly signal?: AbortSignal | undefined }): Promise<unknown>;
  /** The command that a call runs, when it runs one: it is what its output is described by. */
  command?(input: unknown): string | undefined;
}

interface ToolContext {
  readonly memory: ScopedMemory;
  readonly sessionId: string;
  readonly agentId: string;
  /** What the user said, and what is kept now is taken from. */
  readonly messageId: string | undefined;
  /** Exactly those that the agent has; `*`: all of `extra`. */
  readonly enabled: readonly string[];
  readonly extra: readonly ExtraTool[];
  /** Takes the keys of large outputs that were kept, by the id of the call. */
  readonly captured: Map<string, string>;
  readonly onFailed: (tool: string, error: unknown) => void;
  /** What a tool writes. @throws when the turn may not write any more */
  readonly write: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** What a tool forgets. It waits for all writes, and cannot be one. */
  readonly forget: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

const FORGETTING: ToolName = 'forget_memory';

/** What the agent may call, always in the same order. */
export async function modelTools(context: ToolContext): Promise<ToolSet> {
  const { memory, sessionId, agentId, messageId, enabled, onFailed, write, forget } = context;
  const [{ tool }, { memoryTools }] = await Promise.all([import('ai'), import('longhand/ai-sdk')]);
  // Refuses an agent that the principal may not reach.
  await memory.agent(agentId);
  const scope = { ...(await memory.toolScope(sessionId)), agentId, messageId };
  // Their output is not captured: it is in the store already, some of it is private to the agent, and a search that
  // found earlier searches would find less and less.
  const set: ToolSet = memoryTools(scope, {
    names: enabled,
    call: async ({ name }, run) => {
      try {
        return await (name === FORGETTING ? forget : write)(run);
      } catch (error) {
        onFailed(name, error);
        throw new Error('The memory cannot be reached at the moment. Nothing was changed.');
      }
    },
  });
  const hasAll = enabled.includes(ALL_EXTRA_TOOLS);
  for (const extra of context.extra.filter(({ name }) => hasAll || enabled.includes(name))) {
    set[extra.name] = tool({
      description: extra.description,
      inputSchema: extra.input,
      execute: (input: unknown, { toolCallId, abortSignal }) =>
        runExtraTool(extra, input, { toolCallId, abortSignal }, context),
    });
  }
  return set;
}

/** The tools as they are described to the model. */
export async function definitionsOf(tools: ToolSet): Promise<readonly ToolDefinition[]> {
  const { asSchema } = await import('ai');
  const definitions: ToolDefinition[] = [];
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    const input_schema = (await asSchema(inputSchema).jsonSchema) as unknown as JsonObject;
    const told = typeof description === 'string' ? { description } : {};
    definitions.push({ name, ...told, input_schema });
  }
  return definitions;
}

async function runExtraTool(
  extra: ExtraTool,
  input: unknown,
  {
    toolCallId,
    abortSignal,
  }: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  { memory, sessionId, agentId, messageId, captured, onFailed, write }: ToolContext,
): Promise<string> {
  let output: string;
  let status = 'success';
  try {
    output = toText(await extra.run(input, { signal: abortSignal }));
  } catch (error) {
    onFailed(extra.name, error);
    // A tool's error is output too, and may be as long.
    output = error instanceof Error ? error.message : String(error);
    status = 'error';
  }
  const command = extra.command?.(input);
  const { text, detail } = await write(() =>
    memory.captureToolOutput(sessionId, {
      output,
      toolName: extra.name,
      agentId,
      status,
      ...(command === undefined ? {} : { command }),
      ...(messageId === undefined ? {} : { messageId }),
    }),
  );
  if (detail !== undefined) captured.set(toolCallId, detail.memory_key);
  if (status === 'error') throw new Error(text);
  return text;
}

export function toText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
