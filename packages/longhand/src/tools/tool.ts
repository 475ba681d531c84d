import { z } from 'zod';
import { LonghandError } from '../core/errors.ts';
import type { JsonObject } from '../core/records.ts';
import type { ToolName } from '../core/tool-names.ts';
import { fieldProblemOf } from './field-of-error.ts';
import { issuesOf, problemOfIssue, sentenceOfIssue } from './issue-words.ts';
import type { ToolScope } from './tool-scope.ts';

/**
 * A tool that a model can call, defined once: adapters, MCP and HTTP offer these and nothing of their own, so
 * they cannot drift.
 *
 * A model cannot catch an exception. What it did wrong, and what is not there, comes back as a result with an
 * `error` that it can read; a failure that the model did not cause is thrown, for the program to handle.
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

/** What every tool may give back in place of its result: in words, for programs, and field by field. */
const FAILURE = {
  error: z.string().optional(),
  code: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
};

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
      const parsed = parts.input.safeParse(asMeant(parts.input, input ?? {}));
      if (!parsed.success) return refusedInput(parsed.error, parts.input);
      try {
        return await run(parsed.data, scope);
      } catch (error) {
        if (isForTheModel(error)) return refusedBy(error);
        throw error;
      }
    },
  };
}

/** A tool's parameters for a model, as JSON Schema in the keywords that every client knows. */
export function inputSchemaOf({ input }: Pick<Tool, 'input'>): JsonObject {
  const { $schema: _draft, ...schema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' });
  return schema as JsonObject;
}

/**
 * What models send in other shapes than the schema's, as it is meant. Those with strict schemas send `null` for what they
 * leave out: no parameter means anything by it. Others send one text for a list of texts, and numbers as texts.
 */
function asMeant({ shape }: z.ZodObject, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const given = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, valueMeant(shape[name], value)]));
}

function valueMeant(type: unknown, given: unknown): unknown {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return valueMeant(type.unwrap(), given);
  if (type instanceof z.ZodArray && Array.isArray(given))
    return given.map((one) => valueMeant(type.element, one));
  if (typeof given !== 'string' || given.trim() === '') return given;
  if (type instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
  return type instanceof z.ZodArray && type.element instanceof z.ZodString ? [given] : given;
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

/** Names of fields as the tools have them. */
function refusedBy(error: LonghandError): ToolResult {
  const problem = fieldProblemOf(error);
  if (problem === undefined) return { error: error.message, code: error.code };
  const { field, message, detail } = problem;
  return { error: detail, code: error.code, errors: [{ field, message }] };
}

/** The answer to an input that does not fit: what is wrong, and what can be given. */
export function refusedInput(error: z.ZodError, { shape }: z.ZodObject): ToolResult {
  const names = Object.keys(shape).join(', ');
  const problems = issuesOf(error).flatMap((issue) => {
    // A parameter under a wrong name is refused, not passed over: what it was to say would be lost.
    const { keys = [] } = issue;
    if (keys.length > 0 && issue.path.length === 0) {
      const sentence = `There is no parameter ${keys.join(', ')}; there are: ${names}`;
      return keys.map((field, i) => ({
        field,
        message: 'is no parameter',
        sentence: i === 0 ? sentence : '',
      }));
    }
    const [field, message] = [issue.path.join('.'), problemOfIssue(issue)];
    const meaning =
      message === 'is missing' ? (shape[field] as z.ZodType | undefined)?.description : undefined;
    const sentence = sentenceOfIssue(issue, 'The input');
    return [{ field, message, sentence: meaning === undefined ? sentence : `${sentence}: ${meaning}` }];
  });
  const sentences = problems.filter(({ sentence }) => sentence !== '');
  return {
    error: sentences.map(({ sentence }) => `${sentence}.`).join(' '),
    code: 'INVALID_INPUT',
    errors: problems.map(({ field, message }) => ({ field, message })),
  };
}
