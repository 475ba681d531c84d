import { findMemoryRefs } from '../../core/memory-ref.ts';
import { memoryText } from '../../core/memory-text.ts';
import type { Message } from '../../core/messages.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import type { Detail } from './detail-records.ts';

/**
 * Messages that were too long for a prompt are kept as details, under a key made from the session and from what they
 * say: each text is kept once, however many prompts of the session it was too long for. The session is part of the
 * key, because what one session keeps must not go when another one is forgotten. Such a detail holds a message word for
 * word, so whoever forgets the message must find it, by the id that it notes or, for a message that had none yet, by its
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
 * The messages that a detail was captured from by itself, as a copy or as what came of them. What somebody has chosen to
 * keep names its message in its provenance alone, and is none of these.
 */
export function capturedFrom(detail: Detail): readonly string[] {
  const { message_id } = detail.content_metadata;
  const prompt = promptId(detail);
  return [...(typeof message_id === 'string' ? [message_id] : []), ...(prompt === undefined ? [] : [prompt])];
}

/**
 * Tells what was captured by itself from messages of a session.
 * @param isGone tells of further messages, by their ids
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
