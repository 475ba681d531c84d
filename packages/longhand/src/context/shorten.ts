import { formatMemoryRef, isMemoryKey, keyNamedBy, toDescriptionLine } from '../core/memory-ref.ts';
import type { ToolCall } from '../core/messages.ts';
import type { JsonObject, JsonValue } from '../core/records.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { isMemoryTool } from '../core/tool-names.ts';
import { capturedArgumentsKey, capturedMessageKey } from '../layers/details/index.ts';
import { fairShare, makePreview, sizeOf } from './excerpt.ts';
import { fence } from './fence.ts';
import type { StoredMessage } from './sources.ts';
import type { Unit } from './units.ts';

/**
 * What stands in the place of a text that is too long: a line that says so, its beginning and its end.
 *
 * The line is a placeholder, and the whole text is kept behind it. What the memory's own tools gave or were given is in
 * the store already: the page of a value refers to that value, and the rest can be asked for again. Kept once more, a
 * page that was retrieved would be shortened, kept and retrieved without end; and what an agent has for itself alone
 * would become a detail of the user's.
 */
export interface Fitting {
  readonly counter: TokenCounter;
  readonly sessionId: string;
  /** Keys of texts that could not be kept: their previews refer to nothing. */
  readonly unkept: Pick<ReadonlyMap<string, string>, 'has'>;
}

/** A text that a preview stands for. */
export interface Capture {
  readonly key: string;
  readonly text: string;
  readonly kind: 'output' | 'message' | 'arguments';
  /** The message that it was in. */
  readonly message: StoredMessage;
  /** The id of the user's message that an exchange with a tool answers. */
  readonly promptId: string | undefined;
  /** The tool, or who spoke. */
  readonly name: string | undefined;
}

export interface Shortened<Shown> {
  readonly shown: Shown;
  readonly capture: Capture | undefined;
}

/** @param maxTokens of the content as it is sent, fence included */
export function shortenContent(
  { messages, origins, promptId }: Unit,
  at: number,
  maxTokens: number,
  fitting: Fitting,
): Shortened<string> {
  const { counter, sessionId } = fitting;
  const { message, label } = origins[at]!;
  const { role, content: text } = message;
  const isOutput = role === 'tool';
  const call = origins[0]!.message.tool_calls?.find(({ id }) => id === message.tool_call_id);
  const name = (isOutput ? call?.name : undefined) ?? message.name;
  let line: string;
  let capture: Capture | undefined;
  if (isOutput && isMemoryTool(name)) line = lineOfMemoryTool(name, call?.arguments, text);
  else {
    const key = capturedMessageKey(sessionId, role, text);
    const kind = isOutput ? 'output' : 'message';
    capture = { key, text, kind, message, promptId: isOutput ? promptId : undefined, name };
    line = lineOf(capture, isOutput ? 'tool output' : 'message', fitting);
  }
  const frame = label === undefined ? 0 : counter.count(messages[at]!.content) - counter.count(text);
  const preview = makePreview(text, line, maxTokens - frame, counter);
  return { shown: label === undefined ? preview : fence(label, preview), capture };
}

function lineOf({ key, text }: Capture, what: string, { unkept }: Fitting): string {
  if (unkept.has(key)) return `[${what}, shortened here, ${sizeOf(text)}; the whole could not be kept]`;
  return formatMemoryRef(key, `${what}, shortened here, ${sizeOf(text)}`);
}

function lineOfMemoryTool(tool: string, input: JsonObject | undefined, text: string): string {
  const named = input?.memory_key ?? input?.id;
  const key = tool === 'retrieve_memory' && typeof named === 'string' ? keyNamedBy(named) : undefined;
  if (isMemoryKey(key))
    return formatMemoryRef(key, `what was retrieved of it, shortened here, ${sizeOf(text)}`);
  return `[shortened here, ${sizeOf(text)}; ${tool} gives it again, ask for less]`;
}

/**
 * The arguments of a call with previews in the place of the large ones; a single line when there is no room for their
 * names. All of them are kept together, as JSON.
 */
export function shortenArguments(
  { origins, promptId }: Unit,
  at: number,
  call: ToolCall,
  maxTokens: number,
  fitting: Fitting,
): Shortened<JsonObject> {
  const { counter, sessionId } = fitting;
  const text = JSON.stringify(call.arguments);
  if (isMemoryTool(call.name)) {
    const line = `[shortened here, ${sizeOf(text)}; ${call.name} was given all of it]`;
    return { shown: previewEach(call.arguments, line, maxTokens, counter), capture: undefined };
  }
  const name = toDescriptionLine(call.name, TOOL_NAME_CHARACTERS);
  const { message } = origins[at]!;
  const key = capturedArgumentsKey(sessionId, text);
  const capture: Capture = { key, text, kind: 'arguments', message, promptId, name };
  const line = lineOf(capture, `arguments of ${name.replace(/[[\]]/g, '')}`, fitting);
  return { shown: previewEach(call.arguments, line, maxTokens, counter), capture };
}

const TOOL_NAME_CHARACTERS = 64;

/** Marks of JSON make a preview a little longer than it was as a text. */
const TIGHTER = [1, 0.75, 0.5, 0] as const;

function previewEach(input: JsonObject, line: string, maxTokens: number, counter: TokenCounter): JsonObject {
  // A name and a value take more than a token: nothing is weighed that cannot fit.
  if (Object.keys(input).length > maxTokens) return { shortened: line };
  const entries = Object.entries(input).map(([name, value]) => ({
    name,
    value,
    tokens: counter.count(JSON.stringify({ [name]: value })),
  }));
  const most = fairShare(
    entries.map(({ tokens }) => tokens),
    maxTokens,
  );
  for (const factor of TIGHTER) {
    const shown = Object.fromEntries(
      entries.map(({ name, value, tokens }): [string, JsonValue] => {
        if (tokens <= most) return [name, value];
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return [name, makePreview(text, line, Math.floor(most * factor) - counter.count(name), counter)];
      }),
    );
    if (counter.count(JSON.stringify(shown)) <= maxTokens) return shown;
  }
  return { shortened: line };
}
