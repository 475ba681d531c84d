import { randomUUID } from 'node:crypto';
import { type ArchivedMessage, LIMITS, parseBatch, ValidationError } from 'longhand';
import type { ChatImage, ChatRequest } from './chat.ts';

/**
 * The messages of a request, with ids and timestamps. They are checked by the transcript's own rules before anything
 * is acknowledged: what is acknowledged can be archived.
 * @throws ValidationError INVALID_MESSAGE, INVALID_TEXT, INVALID_ID, INVALID_TIMESTAMP, CONTENT_TOO_LARGE
 */
export function parseNewMessages({ new_messages }: ChatRequest): readonly ArchivedMessage[] {
  const { messages, leftOut } = parseBatch(new_messages, { nowMs: Date.now(), makeMessageId });
  if (leftOut > 0) {
    throw new ValidationError(
      'INVALID_MESSAGE',
      'New messages are those of users and assistants, with a text.',
    );
  }
  if (messages.at(-1)?.role !== 'user') {
    throw new ValidationError(
      'INVALID_MESSAGE',
      'There is nothing to answer: the last new message must be a user’s.',
    );
  }
  if (new Set(messages.map(({ id }) => id)).size < messages.length) {
    throw new ValidationError('INVALID_MESSAGE', 'Two of the new messages have the same id.');
  }
  return messages;
}

function makeMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

const MAX_IMAGES = 16;
const IMAGE_TYPE = /^image\/[a-z0-9.+-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** @throws ValidationError INVALID_MESSAGE */
export function parseImages(images: readonly ChatImage[] = []): readonly ChatImage[] {
  if (images.length > MAX_IMAGES) {
    throw new ValidationError('INVALID_MESSAGE', `At most ${MAX_IMAGES} images can be shown at once.`);
  }
  for (const [at, { data, media_type }] of images.entries()) {
    const isFit =
      typeof data === 'string' ? BASE64.test(data) : data instanceof Uint8Array && data.length > 0;
    if (isFit && IMAGE_TYPE.test(media_type)) continue;
    throw new ValidationError(
      'INVALID_MESSAGE',
      `Image ${at + 1} must have its data in base64 and a media_type such as image/png.`,
    );
  }
  return images;
}

/** What a model says, in a form that can be kept: models can say anything. */
export function keepableAnswer(answer: string): string {
  const text = answer.replaceAll('\0', '').toWellFormed();
  if (Buffer.byteLength(text) <= LIMITS.messageBytes) return text;
  // A character has at most three bytes for each of its code units.
  return `${text.slice(0, Math.floor(LIMITS.messageBytes / 3) - 1)}…`.toWellFormed();
}
