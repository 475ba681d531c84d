import { formatMemoryRef, isMemoryKey, keyNamedBy, toDescriptionLine } from '../core/memory-ref.ts';
import type { Message, ToolCall } from '../core/messages.ts';
import type { JsonObject, JsonValue, Provenance } from '../core/records.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { TOOL_NAMES } from '../core/tool-names.ts';
import { capturedArgumentsKey, capturedMessageKey } from '../layers/details/captured-message.ts';
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
  readonly role: Message['role'];
  readonly message_id?: string;
  /** What the user said that an exchange with a tool came of. */
  readonly prompt_id?: string;
  /** When it was said. */
  readonly timestamp?: string;
  /** Who said it, or the tool. */
  readonly name?: string;
  /** Where the message says it comes from. */
  readonly provenance?: Provenance;
}

/** @param maxTokens of the content as it is sent, fence included */
export function shortenContent(
  unit: Unit,
  at: number,
  maxTokens: number,
  fitting: Fitting,
): { readonly content: string; readonly capture: Capture | undefined } {
  const { counter } = fitting;
  const { message, label } = unit.origins[at]!;
  const { content: text } = message;
  const frame = label === undefined ? 0 : counter.count(unit.messages[at]!.content) - counter.count(text);
  const { line, capture } = standInFor(unit, message, fitting);
  const preview = makePreview(text, line, maxTokens - frame, counter);
  return { content: label === undefined ? preview : fence(label, preview), capture };
}

interface StandIn {
  readonly line: string;
  readonly capture: Capture | undefined;
}

function standInFor({ origins, promptId }: Unit, message: StoredMessage, fitting: Fitting): StandIn {
  const { role, content: text } = message;
  const call = origins[0]!.message.tool_calls?.find(({ id }) => id === message.tool_call_id);
  const tool = role === 'tool' ? (call?.name ?? message.name) : undefined;
  if (tool !== undefined && isMemoryTool(tool)) {
    return { line: lineOfMemoryTool(tool, call?.arguments, text), capture: undefined };
  }
  const capture: Capture = {
    ...aboutMessage(message),
    ...(tool === undefined ? {} : { name: tool }),
    ...(role !== 'tool' || promptId === undefined ? {} : { prompt_id: promptId }),
    key: capturedMessageKey(fitting.sessionId, role, text),
    kind: role === 'tool' ? 'output' : 'message',
    text,
  };
  return { line: lineOf(capture, role === 'tool' ? 'tool output' : 'message', fitting), capture };
}

function aboutMessage({
  id,
  role,
  name,
  timestamp,
  provenance,
}: StoredMessage): Omit<Capture, 'key' | 'kind' | 'text'> {
  return {
    role,
    ...(id === undefined ? {} : { message_id: id }),
    ...(name === undefined ? {} : { name }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(provenance === undefined ? {} : { provenance }),
  };
}

function lineOf({ key, text }: Capture, what: string, { unkept }: Fitting): string {
  if (unkept.has(key)) return `[${what}, shortened here, ${sizeOf(text)}; the whole could not be kept]`;
  return formatMemoryRef(key, `${what}, shortened here, ${sizeOf(text)}`);
}

function isMemoryTool(name: string): boolean {
  return (TOOL_NAMES as readonly string[]).includes(name);
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
  call: ToolCall,
  message: StoredMessage,
  promptId: string | undefined,
  maxTokens: number,
  fitting: Fitting,
): { readonly shown: JsonObject; readonly capture: Capture | undefined } {
  const { counter, sessionId } = fitting;
  const text = JSON.stringify(call.arguments);
  if (isMemoryTool(call.name)) {
    const line = `[shortened here, ${sizeOf(text)}; ${call.name} was given all of it]`;
    return { shown: previewEach(call.arguments, line, maxTokens, counter), capture: undefined };
  }
  const name = toDescriptionLine(call.name, TOOL_NAME_CHARACTERS);
  const key = capturedArgumentsKey(sessionId, text);
  const asked = promptId === undefined ? {} : { prompt_id: promptId };
  const capture: Capture = { ...aboutMessage(message), ...asked, name, key, kind: 'arguments', text };
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
