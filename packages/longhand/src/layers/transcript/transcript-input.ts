import { ValidationError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { type ArchivedMessage, MESSAGE_ROLES, type MessageRole } from '../../core/messages.ts';
import { parseProvenanceFields, TRUST_OF } from '../../core/new-memory.ts';
import type { JsonObject, Provenance, TrustTier } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { findTextFault } from '../../core/text.ts';
import { parseTimestamp } from '../../core/timestamps.ts';
import { opening } from '../session-ref.ts';
import type { BatchRecord } from './transcript-records.ts';
import type { Part, TranscriptState } from './transcript-state.ts';

/**
 * Turns what clients send into messages that can be kept.
 *
 * A chat client knows `sender: 'user' | 'ai'` and `text`; a model's history knows `role` and `content`, and
 * brings tool traffic along. Both are taken. Fields beyond those of a message are not kept and not refused: a
 * browser sends its batch when the page closes, and no page is left to read an error.
 */

/** A message as a chat client holds it. */
export interface ClientMessage {
  readonly id?: string;
  readonly sender: 'user' | 'ai';
  readonly text: string;
  readonly name?: string;
  readonly timestamp?: string | Date;
  /** Of an answer that is not whole: why. */
  readonly cut_off?: string;
}

export interface ParsedBatch {
  readonly messages: readonly ArchivedMessage[];
  /** System and tool messages, calls of tools, messages without text: no prompt and no final answer. */
  readonly leftOut: number;
  /** The messages that brought no id, by the id that they got, with their positions in the batch. */
  readonly named: ReadonlyMap<string, number>;
}

interface BatchDefaults {
  readonly nowMs: number;
  /** Names the message at this position of the batch, when it brings no id. */
  readonly makeMessageId: (position: number) => string;
}

/** @throws ValidationError INVALID_MESSAGE, INVALID_TEXT, INVALID_TIMESTAMP, CONTENT_TOO_LARGE */
export function parseBatch(input: unknown, defaults: BatchDefaults): ParsedBatch {
  if (!Array.isArray(input)) throw new ValidationError('INVALID_MESSAGE', 'A batch is a list of messages.');
  const messages: ArchivedMessage[] = [];
  const named = new Map<string, number>();
  const makeMessageId = (position: number): string => {
    const id = defaults.makeMessageId(position);
    named.set(id, position);
    return id;
  };
  for (const [position, item] of input.entries()) {
    const message = parseMessage(item, position, { ...defaults, makeMessageId });
    if (message !== undefined) messages.push(message);
  }
  return { messages, leftOut: input.length - messages.length, named };
}

/**
 * The same message of the same batch gets the same id, so that sending the batch again adds nothing.
 * @param attempt above 0 when the ids before it name other messages: the client has used the batch's id twice
 */
export function derivedMessageId(
  sessionId: string,
  batchId: string,
  position: number,
  attempt: number,
): string {
  const parts = attempt === 0 ? [sessionId, batchId, position] : [sessionId, batchId, position, attempt];
  return `msg_${sha256Hex(JSON.stringify(parts)).slice(0, 26)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function isMessageId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= LIMITS.messageIdCharacters &&
    value.isWellFormed() &&
    !CONTROL.test(value)
  );
}

/** @throws ValidationError INVALID_ID */
export function parseMessageId(value: unknown, name = 'message id'): string {
  if (isMessageId(value)) return value;
  throw new ValidationError(
    'INVALID_ID',
    `The ${name} must be a text of 1 to ${LIMITS.messageIdCharacters} characters, without control characters.`,
  );
}

/** The trust of a message without provenance follows from its role. */
export function trustOfMessage({ role, provenance }: ArchivedMessage): TrustTier {
  return provenance?.trust ?? TRUST_OF[role];
}

/** `undefined` for what a transcript leaves out. */
function parseMessage(
  input: unknown,
  position: number,
  { nowMs, makeMessageId }: BatchDefaults,
): ArchivedMessage | undefined {
  const where = `Message ${position + 1}`;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid(where, 'must be an object');
  // A field that is null is one that the client left out.
  const given = Object.entries(input).filter(([, value]) => value !== null);
  const fields: Record<string, unknown> = Object.fromEntries(given);
  const role = parseRole(fields, where);
  const content = parseContent(fields, role, where);
  // What a model says beside a call is no answer yet.
  const isCall = role === 'assistant' && Array.isArray(fields.tool_calls) && fields.tool_calls.length > 0;
  if (role === 'system' || role === 'tool' || isCall || content.trim() === '') return undefined;
  const id = fields.id === undefined ? makeMessageId(position) : parseMessageId(fields.id, `id of ${where}`);
  const timestampMs =
    fields.timestamp === undefined ? nowMs : parseTimestamp(fields.timestamp, `timestamp of ${where}`);
  const provenance = parseProvenance(fields.provenance, role);
  return {
    id,
    role,
    content,
    ...(fields.name === undefined ? {} : { name: parseSpeaker(fields.name, where) }),
    timestamp: new Date(timestampMs).toISOString(),
    ...(provenance === undefined ? {} : { provenance }),
    ...(role === 'assistant' && isReason(fields.cut_off) ? { cut_off: fields.cut_off } : {}),
  };
}

/** A word; anything else is a field that is not kept, like others that a client may have. */
function isReason(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z-]{0,31}$/.test(value);
}

function parseRole({ role, sender }: Record<string, unknown>, where: string): MessageRole {
  const named = role ?? (sender === 'ai' ? 'assistant' : sender);
  if (MESSAGE_ROLES.includes(named as MessageRole)) return named as MessageRole;
  throw invalid(where, `must have one of the roles ${MESSAGE_ROLES.join(', ')}`);
}

function parseContent(
  { content, text, tool_calls }: Record<string, unknown>,
  role: MessageRole,
  where: string,
): string {
  const value = content ?? text;
  // A model that asks for tools often says nothing beside it.
  if (value === undefined) {
    if (role === 'assistant' && Array.isArray(tool_calls)) return '';
    throw invalid(where, 'has no content');
  }
  if (typeof value !== 'string') throw invalid(where, 'must have a text as its content');
  const fault = findTextFault(value);
  if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `${where} ${fault}.`);
  const bytes = Buffer.byteLength(value);
  if (bytes <= LIMITS.messageBytes || role === 'system' || role === 'tool') return value;
  throw new ValidationError(
    'CONTENT_TOO_LARGE',
    `${where} takes ${bytes} bytes; ${LIMITS.messageBytes} are allowed. Store it as a detail and refer to it.`,
    { details: { bytes, limit: LIMITS.messageBytes } },
  );
}

function parseSpeaker(value: unknown, where: string): string {
  const isFit =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= LIMITS.nameCharacters &&
    value.isWellFormed() &&
    !CONTROL.test(value);
  if (isFit) return value;
  throw invalid(where, `must have a name of 1 to ${LIMITS.nameCharacters} characters, or none`);
}

function parseProvenance(value: unknown, role: 'user' | 'assistant'): Provenance | undefined {
  if (value === undefined) return undefined;
  const given = parseProvenanceFields(value);
  const author = given.author ?? role;
  return { ...given, author, trust: given.trust ?? TRUST_OF[author] };
}

function invalid(where: string, reason: string): ValidationError {
  return new ValidationError('INVALID_MESSAGE', `${where} ${reason}.`);
}

export interface ArchiveResult {
  readonly batch_id: string;
  /** Messages that were not there before. */
  readonly archived: number;
  /** Messages that were archived before, or twice in the batch, or that have been forgotten since. */
  readonly duplicates: number;
  /** Tool and system messages, calls of tools, and messages without text. */
  readonly left_out: number;
  /** Ids of the batch that stand for another text already, which stays: these messages were not kept. */
  readonly conflicts: readonly string[];
  /** The earliest and the latest of the prompts and answers that were given; null when there were none. */
  readonly start_timestamp: string | null;
  readonly end_timestamp: string | null;
}

/** What a batch adds to a transcript. A batch without anything new leaves no trace. */
export function decideBatch(
  state: TranscriptState,
  { messages, leftOut }: ParsedBatch,
  batch: { readonly sessionId: string; readonly batchId: string; readonly nowMs: number },
): { readonly result: ArchiveResult; readonly records: readonly JsonObject[] } {
  const fresh = new Map<string, ArchivedMessage>();
  for (const message of messages)
    if (!state.has(message.id) && !fresh.has(message.id)) fresh.set(message.id, message);
  const times = messages.map(({ timestamp }) => timestamp).sort();
  const result: ArchiveResult = {
    batch_id: batch.batchId,
    archived: fresh.size,
    duplicates: messages.length - fresh.size,
    left_out: leftOut,
    conflicts: [],
    start_timestamp: times[0] ?? null,
    end_timestamp: times.at(-1) ?? null,
  };
  const pieces = cut([...fresh.values()]);
  let index = state.nextIndex;
  const records = pieces.map((piece, i): BatchRecord => {
    const first_index = index;
    index += piece.length;
    return {
      ...opening('batch', batch.sessionId, batch.nowMs),
      batch_id: batch.batchId,
      first_index,
      start_timestamp: times[0]!,
      end_timestamp: times.at(-1)!,
      duplicates: result.duplicates,
      left_out: leftOut,
      ...(pieces.length === 1 ? {} : { part: i + 1, parts: pieces.length }),
      messages: piece,
    };
  });
  return { result, records: records as unknown as JsonObject[] };
}

/** What `decideBatch` answered when the batch was archived, and what was added under its id since. */
export function resultOf(batchId: string, parts: readonly Part[]): ArchiveResult {
  const { duplicates, leftOut } = parts[0]!;
  const ends = parts.map(({ endTimestamp }) => endTimestamp).sort();
  return {
    batch_id: batchId,
    archived: parts.reduce((sum, { count }) => sum + count, 0),
    duplicates,
    left_out: leftOut,
    conflicts: [],
    start_timestamp: parts.map(({ startTimestamp }) => startTimestamp).sort()[0]!,
    end_timestamp: ends.at(-1)!,
  };
}

function cut(messages: readonly ArchivedMessage[]): ArchivedMessage[][] {
  const pieces: ArchivedMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message));
    if (bytes + size > LIMITS.batchRecordBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(message);
    bytes += size;
  }
  return pieces;
}
