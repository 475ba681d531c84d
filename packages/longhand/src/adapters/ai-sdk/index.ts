import type { Schema, ToolSet } from 'ai';
import {
  inputSchemaOf,
  TOOLS,
  type Tool,
  type ToolResult,
  type ToolScope,
  toolsNamed,
} from '../../tools/index.ts';

interface MemoryToolsOptions {
  /** Which tools; those that every agent is offered when left out. They always come in the same order, so that a provider's cache of them holds. */
  readonly names?: readonly string[];
  /** Runs each call, for programs that count, lock or log: it has to call `run`. */
  readonly call?: (tool: Tool, run: () => Promise<ToolResult>) => Promise<ToolResult>;
}

/** How the AI SDK knows a schema, whichever copy of it is installed: nothing of it has to be loaded for this. */
const SCHEMA = Symbol.for('vercel.ai.schema');

/**
 * The memory's tools for the AI SDK: `generateText({ …, tools: memoryTools(scope) })`.
 * What a model can mend comes back as a result with an `error`; other trouble is thrown, and the SDK hands it on.
 * @param scope whom the tools work for: `await memory.as(principal).toolScope(sessionId)`
 */
export function memoryTools(
  scope: ToolScope,
  { names, call = (_tool, run) => run() }: MemoryToolsOptions = {},
): ToolSet {
  const tools = names === undefined ? TOOLS : toolsNamed(names);
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema: schemaOf(tool),
        execute: (input: unknown) => call(tool, () => tool.run(input, scope)),
      },
    ]),
  );
}

function schemaOf(tool: Tool): Schema<unknown> {
  const schema = {
    [SCHEMA]: true,
    _type: undefined,
    jsonSchema: inputSchemaOf(tool),
    // An input that does not fit goes to the tool, which tells the model in its own words what is wrong with it.
    validate: (value: unknown) => ({ success: true, value: tool.input.safeParse(value).data ?? value }),
  };
  return schema as unknown as Schema<unknown>;
}
