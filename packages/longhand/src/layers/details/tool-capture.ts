import { findMemoryRefs, formatMemoryRef, toDescriptionLine, toStatus } from '../../core/memory-ref.ts';
import { memoryText } from '../../core/memory-text.ts';
import type { Message } from '../../core/messages.ts';
import type { JsonObject, MemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import type { TokenCounter } from '../../core/token-counter.ts';
import type { NewDetailValue } from './detail-input.ts';
import type { Detail } from './detail-records.ts';

/**
 * What becomes of a tool's output: short ones go to the model as they are, long ones are stored and leave a line
 * with a placeholder. Whether one is long is a matter of tokens, but counting a huge text takes longer than it is
 * worth: far below and far above the threshold its length decides.
 */
export interface ToolOutput {
  readonly output: string;
  /** The command that was run, when it was one. */
  readonly command?: string;
  readonly toolName?: string;
  readonly agentId?: string;
  /** What the user said that the tool was called for: the output goes when that message does. */
  readonly messageId?: string;
  /** How it ended: `success`, `error`, `exit code 2`. */
  readonly status?: string;
  /** The call that it answers: sent again, the same output is then kept once in a session. */
  readonly callId?: string;
  /** Keep it even when it is short. */
  readonly always?: boolean;
}

export interface CapturedOutput {
  /** What the model is shown: the output itself, or the line that stands for it. */
  readonly text: string;
  /** There when the output was stored. */
  readonly detail?: Detail;
}

/** What it returns was asked for; stored again, it would be asked for again, without end. */
const EXEMPT_TOOL = 'retrieve_memory';
/** A token is at least one byte of UTF-8, and a code unit at most three. */
const MAX_BYTES_PER_CODE_UNIT = 3;
/** No language has so many characters in an average token; a text that has them is large all the same. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const SHOWN_COMMAND_CHARACTERS = 120;
const KEPT_COMMAND_CHARACTERS = 4_000;

export async function isWorthKeeping(
  { output, toolName, always = false }: ToolOutput,
  thresholdTokens: number,
  tokens: () => TokenCounter | Promise<TokenCounter>,
): Promise<boolean> {
  if (toolName === EXEMPT_TOOL || output === '') return false;
  if (always) return true;
  if (output.length * MAX_BYTES_PER_CODE_UNIT <= thresholdTokens) return false;
  if (output.length > thresholdTokens * MAX_CHARACTERS_PER_TOKEN) return true;
  return (await tokens()).count(output) > thresholdTokens;
}

export function toDetailValue(
  sessionId: string,
  { output, command, toolName, agentId, messageId, status, callId }: ToolOutput,
): NewDetailValue & { readonly content: string } {
  const metadata: JsonObject = {
    ...(command === undefined ? {} : { command: keepable(command) }),
    ...(toolName === undefined ? {} : { tool: keepable(toolName) }),
    ...(status === undefined ? {} : { status: keepable(status) }),
    ...(messageId === undefined ? {} : { prompt_id: keepable(messageId) }),
    ...(callId === undefined ? {} : { tool_call_id: keepable(callId) }),
  };
  return {
    ...(callId === undefined ? {} : { key: capturedMessageKey(sessionId, 'tool', output) }),
    // A tool's text may be torn anywhere; what cannot be expressed is shown as a replacement character.
    content: output.toWellFormed(),
    type: command === undefined ? 'tool_output' : 'command_output',
    metadata,
    ...(agentId === undefined ? {} : { agentId }),
    provenance: { author: 'tool', ...(toolName === undefined ? {} : { source: sourceOf(toolName) }) },
  };
}

function keepable(text: string): string {
  return text.slice(0, KEPT_COMMAND_CHARACTERS).replaceAll('\0', '�').toWellFormed();
}

const SOURCE_CHARACTERS = 256;

function sourceOf(toolName: string): string {
  return keepable(toolName).slice(0, SOURCE_CHARACTERS).toWellFormed();
}

/** `Command 'npm install' executed. Logs stored in [MemoryRef: … - …]. Status: Success.` */
export function renderCapture({ command, toolName, status }: ToolOutput, detail: Detail): string {
  const ref = formatMemoryRef(detail.memory_key, detail.summary);
  const happened =
    command !== undefined
      ? `Command '${shown(command)}' executed. Logs stored in ${ref}.`
      : toolName !== undefined
        ? `Tool '${shown(toolName)}' called. Output stored in ${ref}.`
        : `Output stored in ${ref}.`;
  const ending = status === undefined ? '' : toStatus(status);
  return ending === '' ? happened : `${happened} Status: ${ending}.`;
}

/** A command is text from outside too: it can neither break the line nor forge a placeholder. */
function shown(text: string): string {
  return toDescriptionLine(text, SHOWN_COMMAND_CHARACTERS);
}

/**
 * Messages that were too long for a prompt are kept as details, under a key made from the session and from what they
 * say: each text is kept once, however many prompts of the session it was too long for. The session is part of the
 * key, because what one session keeps must not go when another one is forgotten. Such a detail holds a message word for
 * word, so forgetting the message must find it, by the id that it notes or, for a message that had none yet, by its
 * key.
 */
export function capturedMessageKey(sessionId: string, role: Message['role'], text: string): string {
  return keyOf(role === 'tool' ? 'output' : 'message', sessionId, text);
}

/** The same for the arguments of a tool call, as JSON. */
export function capturedArgumentsKey(sessionId: string, text: string): string {
  return keyOf('arguments', sessionId, text);
}

function keyOf(kind: string, sessionId: string, text: string): string {
  // What UTF-8 cannot express is kept as a replacement character.
  return `${kind}_${sha256Hex(`${sessionId}\n${text.toWellFormed()}`).slice(0, 20)}`;
}

/** The message that a detail was made from, as far as it says: it says the same. */
export function sourceMessageId({ content_metadata, provenance }: Detail): string | undefined {
  const { message_id } = content_metadata;
  return typeof message_id === 'string' ? message_id : provenance?.message_id;
}

/** What the user said that a detail came of, the output of a tool as a rule: it says something else. */
export function promptId({ content_metadata: { prompt_id } }: Detail): string | undefined {
  return typeof prompt_id === 'string' ? prompt_id : undefined;
}

/**
 * The messages that a detail was captured from automatically, as a copy or as what came of them. A detail that a caller
 * stored explicitly names its message only in its provenance, and is none of these.
 */
export function capturedFrom(detail: Detail): readonly string[] {
  const { message_id } = detail.content_metadata;
  const prompt = promptId(detail);
  return [...(typeof message_id === 'string' ? [message_id] : []), ...(prompt === undefined ? [] : [prompt])];
}

/**
 * Tells what was captured automatically from messages of a session.
 * @param isGone whether a further message, by its id, is going too
 * @returns asked with a detail and the session that keeps it: the same, or one that continues it
 */
export function capturesOf(
  sessionId: string,
  messages: readonly Pick<Message, 'id' | 'role' | 'content'>[],
  isGone: (messageId: string) => boolean,
): (detail: Detail, keptIn: string) => boolean {
  const ids = new Set(messages.map(({ id }) => id));
  const keys = new Set(messages.map(({ role, content }) => capturedMessageKey(sessionId, role, content)));
  return (detail, keptIn) => {
    if (keys.has(detail.memory_key)) return true;
    const isOfSession = keptIn === sessionId || detail.provenance?.session_id === sessionId;
    return isOfSession && capturedFrom(detail).some((source) => ids.has(source) || isGone(source));
  };
}

/** The key of the detail that a memory is nothing but the placeholder of. */
export function detailOf({ content }: Pick<MemoryEntry, 'content'>): readonly string[] {
  const text = memoryText(content);
  return findMemoryRefs(text).flatMap(({ key, start, end }) => (end - start === text.length ? [key] : []));
}
