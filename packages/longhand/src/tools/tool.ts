import { z } from 'zod';
import { LonghandError } from '../core/errors.ts';
import type { JsonObject } from '../core/records.ts';
import type { ToolName } from '../core/tool-names.ts';
import type { ToolScope } from './tool-scope.ts';

/**
 * A tool that a model can call, defined once: adapters, MCP and HTTP offer these and nothing of their own, so
 * they cannot drift.
 *
 * A model cannot catch an exception. What it did wrong, and what is not there, comes back as a result with an
 * `error` that it can read; trouble that is not the model's doing is thrown, for the program to deal with.
 */
export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  run(input: unknown, scope: ToolScope): Promise<ToolResult>;
}

/** What a client may want to know before it lets a model call the tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False: no tool here reaches beyond the memory. */
  readonly openWorldHint: false;
}

export type ToolResult = JsonObject & { readonly error?: string };

/** What every tool may give back in place of its result. */
const FAILURE = { error: z.string().optional(), code: z.string().optional() };

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodRawShape> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Omit<ToolAnnotations, 'openWorldHint'>;
  readonly run: (input: z.output<Input>, scope: ToolScope) => Promise<JsonObject>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodRawShape>({
  run,
  output,
  annotations,
  ...parts
}: ToolParts<Input, Output>): Tool {
  const optional = Object.fromEntries(Object.entries(output).map(([key, type]) => [key, z.optional(type)]));
  return {
    ...parts,
    output: z.object({ ...optional, ...FAILURE }),
    annotations: { ...annotations, openWorldHint: false },
    run: async (input, scope) => {
      const parsed = parts.input.safeParse(input ?? {});
      if (!parsed.success) {
        return { error: describeIssues(parsed.error, Object.keys(parts.input.shape)), code: 'INVALID_INPUT' };
      }
      try {
        return await run(parsed.data, scope);
      } catch (error) {
        if (isForTheModel(error)) return { error: error.message, code: error.code };
        throw error;
      }
    },
  };
}

/** What the model can mend by calling again, differently or later. */
const READABLE = new Set([
  'ValidationError',
  'NotFoundError',
  'ConcurrencyError',
  'SizeLimitError',
  'CorruptionError',
]);

function isForTheModel(error: unknown): error is LonghandError {
  return LonghandError.isInstance(error) && READABLE.has(error.name);
}

/** A parameter under a wrong name is refused, not passed over: what it was to say would be lost. */
function describeIssues(error: z.ZodError, known: readonly string[]): string {
  return error.issues
    .map((issue) => {
      if (issue.code === 'unrecognized_keys')
        return `There is no parameter ${issue.keys.join(', ')}; there are: ${known.join(', ')}`;
      return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
    })
    .join('; ');
}
