import type { Message } from '../../core/messages.ts';
import { sha256Hex } from '../../core/sha256.ts';
import type { Detail } from './detail-records.ts';

/**
 * Messages that were too long for a prompt are kept as details, under a key made from what they say: each text is
 * kept once, however many prompts it was too long for. Such a detail holds a message word for word, so whoever
 * forgets the message must find it, by the id that it notes or, for a message that had none yet, by its key.
 */
export function capturedMessageKey(role: Message['role'], text: string): string {
  return `${role === 'tool' ? 'output' : 'message'}_${sha256Hex(text).slice(0, 20)}`;
}

/** The message that a detail was made from, as far as it says. */
export function sourceMessageId({ content_metadata, provenance }: Detail): string | undefined {
  const { message_id } = content_metadata;
  return typeof message_id === 'string' ? message_id : provenance.message_id;
}
