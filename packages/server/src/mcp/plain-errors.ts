import {
  type JSONRPCMessage,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { type InputIssue, issuesOf, LonghandError, problemOfIssue, sentenceOfIssue } from 'longhand';
import type { ToolResult } from 'longhand/tools';
import { z } from 'zod';

/**
 * Errors of the protocol, in words and with a code. A tool's own errors are results, which a model can read; what is
 * wrong with a prompt's arguments, a resource's address or the request itself is an error of the protocol. Its message
 * says what to change, and its `data` has the `code` of the library's errors and, field by field, what is wrong.
 */

/** A server whose clients never see the validator's own words; for an unknown name they get the existing ones. */
export class PlainMcpServer extends McpServer {
  readonly #names = { Tool: new Set<string>(), Prompt: new Set<string>() };

  /** Says that a tool or a prompt is there. */
  offers(kind: 'Tool' | 'Prompt', name: string): void {
    this.#names[kind].add(name);
  }

  /** What does not fit the protocol is refused by the SDK, before any code of ours: it is put into words on its way out. */
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#inPlainWords(message), options);
    return super.connect(transport);
  }

  #inPlainWords(message: JSONRPCMessage): JSONRPCMessage {
    if (!('error' in message)) return message;
    const { error } = message;
    const [, kind] = /^(Tool|Prompt) .* not found$/.exec(error.message) ?? [];
    if (kind !== undefined) {
      const names = [...this.#names[kind as 'Tool' | 'Prompt']].join(', ');
      return { ...message, error: { ...error, message: `${error.message}; there are: ${names}.` } };
    }
    const issues = issuesIn(error.message);
    if (issues === undefined) return message;
    const errors = issues.map((issue) => ({ field: issue.path.join('.'), message: problemOfIssue(issue) }));
    const words = issues.map((issue) => `${sentenceOfIssue(issue)}.`).join(' ');
    const data = { code: 'INVALID_INPUT', errors };
    return { ...message, error: { code: ProtocolErrorCode.InvalidParams, message: words, data } };
  }
}

/** What is wrong with an input is the caller's to mend, and no trouble of the server. */
export function asProtocolError(error: unknown): unknown {
  const isTheirs =
    LonghandError.isInstance(error) && ['NotFoundError', 'ValidationError'].includes(error.name);
  if (!isTheirs) return error;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
}

/** The refusal of an input, as a tool would give it. */
export function refused({ error = '', ...data }: ToolResult): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error, data);
}

/** As the SDK puts them into its messages. */
const ISSUES = z
  .array(
    z.looseObject({
      code: z.string(),
      path: z.array(z.union([z.string(), z.number()])),
      message: z.string(),
    }),
  )
  .min(1);

function issuesIn(text: string): readonly InputIssue[] | undefined {
  const start = text.indexOf('[');
  if (start < 0) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
  const parsed = ISSUES.safeParse(json);
  if (!parsed.success) return undefined;
  const issues = parsed.data.map((issue) =>
    issue.path[0] === 'params' ? { ...issue, path: issue.path.slice(1) } : issue,
  );
  return issuesOf({ issues });
}
