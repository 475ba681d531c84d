import { ValidationError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { parseMemoryKey, toDescriptionLine } from '../../core/memory-ref.ts';
import { parseProvenance, TRUST_OF } from '../../core/new-memory.ts';
import { type JsonObject, MEMORY_TYPES, type MemoryType, type Provenance } from '../../core/records.ts';
import type { ByteChunks } from '../../core/store.ts';
import { checkJson, findTextFault } from '../../core/text.ts';
import { formatTimestamp, parseTimestamp } from '../../core/timestamps.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import { textChunks } from './detail-scan.ts';

/** What a caller hands over to be kept. Everything but the content has a default. */
export interface NewDetailValue {
  /** A text, or bytes as they come. Bytes need not be text. */
  readonly content: string | ByteChunks;
  /** One line for the placeholder; made from the content when left out. */
  readonly description?: string;
  /** Such as `command_output`, `file_content`, `user_preference`; `detail` when left out. */
  readonly type?: string;
  /** Anything that is known of it; `command` and `status` are understood. */
  readonly metadata?: JsonObject;
  readonly agentId?: string;
  /** Brings its own key: storing the same value again is then a no-op. */
  readonly key?: string;
  /** An untrusted tool's output when left out. */
  readonly provenance?: Partial<Provenance>;
  /** What an export says of it; a value that is new leaves it out. */
  readonly origins?: DetailOrigins;
}

/** How a detail was, where it comes from. */
export interface DetailOrigins {
  /** A date or an ISO 8601 string; now when left out. */
  readonly created_at?: string | Date;
  /** ISO 8601; `null` is never. As `details.expire_after_days` says when left out. */
  readonly expires_at?: string | null;
  /** True when left out. */
  readonly is_active?: boolean;
  /** Who wrote the description; `caller` when left out. */
  readonly summary_method?: string;
}

interface CheckedOrigins {
  readonly createdAtMs: number | undefined;
  readonly expiresAt: string | null | undefined;
  readonly isActive: boolean;
  readonly descriptionMethod: string | undefined;
}

export interface CheckedValue {
  readonly chunks: ByteChunks;
  readonly description: string | undefined;
  readonly type: string;
  readonly metadata: JsonObject;
  readonly agentId: string | null;
  readonly ownKey: string | undefined;
  readonly provenance: Provenance;
  readonly origins: CheckedOrigins;
}

const FIELDS = ['content', 'description', 'type', 'metadata', 'agentId', 'key', 'provenance', 'origins'];
const ORIGINS_FIELDS = ['created_at', 'expires_at', 'is_active', 'summary_method'];
const METHOD_CHARACTERS = 100;
const DEFAULT_TYPE = 'detail';
/** These belong to the layer of the same name. */
const AGENT_LAYERS = ['journal', 'core'];

/** What tools bring in from outside is untrusted unless the caller says otherwise. */
const TRUST_OF_VALUES = { ...TRUST_OF, tool: 'untrusted' } as const;

/** @throws ValidationError INVALID_OPTION, INVALID_TEXT, INVALID_CONTENT, INVALID_ID, INVALID_NAME, INVALID_ENTRY */
export function parseDetailValue(value: NewDetailValue): CheckedValue {
  refuseUnknownOptions(value, FIELDS);
  const { content, description, agentId, key } = value;
  return {
    chunks: parseContent(content),
    description: parseDescription(description),
    type: parseDetailType(value.type),
    metadata: parseMetadata(value.metadata),
    agentId: agentId === undefined ? null : parseName(agentId, 'agent id'),
    ownKey: key === undefined ? undefined : parseMemoryKey(key),
    provenance: {
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...parseProvenance(value.provenance, 'tool', TRUST_OF_VALUES),
    },
    origins: parseOrigins(value.origins ?? {}),
  };
}

function parseOrigins(origins: DetailOrigins): CheckedOrigins {
  refuseUnknownOptions(origins, ORIGINS_FIELDS);
  const { created_at, expires_at, is_active = true, summary_method } = origins;
  if (typeof is_active !== 'boolean') throw invalid('is_active must be true or false');
  const isMethod = typeof summary_method === 'string' && summary_method.length <= METHOD_CHARACTERS;
  if (summary_method !== undefined && (!isMethod || findTextFault(summary_method) !== undefined))
    throw invalid(`The summary_method must be a text of at most ${METHOD_CHARACTERS} characters`);
  return {
    createdAtMs: created_at === undefined ? undefined : parseTimestamp(created_at, 'created_at'),
    expiresAt:
      expires_at === undefined || expires_at === null
        ? expires_at
        : formatTimestamp(parseTimestamp(expires_at, 'expires_at')),
    isActive: is_active,
    descriptionMethod: summary_method,
  };
}

function parseContent(content: unknown): ByteChunks {
  if (typeof content === 'string') {
    // Bytes may be anything. A text that UTF-8 cannot express would come back as another one.
    if (content.isWellFormed()) return { [Symbol.iterator]: () => textChunks(content) };
    throw new ValidationError('INVALID_TEXT', 'The content holds half of a surrogate pair.');
  }
  if (content instanceof Uint8Array) return [content];
  const isChunks =
    typeof content === 'object' &&
    content !== null &&
    (Symbol.iterator in content || Symbol.asyncIterator in content);
  if (isChunks) return content as ByteChunks;
  throw new ValidationError('INVALID_CONTENT', 'The content must be a text or chunks of bytes.');
}

function parseDescription(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw invalid('The description must be a text');
  const line = toDescriptionLine(value);
  return line === '' ? undefined : line;
}

/**
 * A type as it is kept: lower case, words joined by `_`.
 * @throws ValidationError INVALID_OPTION for no text, and for the types of other layers
 */
function parseDetailType(value: unknown): string {
  const type = value === undefined ? DEFAULT_TYPE : normaliseType(value);
  if (AGENT_LAYERS.includes(type))
    throw invalid(`The type ${type} is an agent’s own memory. Save it with save_to_${type}`);
  if (isMemoryType(type))
    throw invalid(`The type ${type} is that of a memory. Add it with addMemory or store_memory`);
  return type;
}

export function isMemoryType(type: string): type is MemoryType {
  return (MEMORY_TYPES as readonly string[]).includes(type);
}

/** `Command output` → `command_output`, `Decision` → `decision`. @throws ValidationError INVALID_OPTION */
export function normaliseType(value: unknown): string {
  const limit = LIMITS.memoryTypeCharacters;
  if (typeof value !== 'string' || value.length > limit || findTextFault(value) !== undefined)
    throw invalid(`The type must be a text of at most ${limit} characters`);
  const words = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const type = words.join('_');
  if (type === '') throw invalid('The type must have a letter or a digit');
  return type;
}

function parseMetadata(value: unknown): JsonObject {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The metadata must be an object');
  checkJson(value, 'metadata');
  if (JSON.stringify(value).length > LIMITS.detailMetadataCharacters)
    throw invalid(`The metadata must be at most ${LIMITS.detailMetadataCharacters} characters as JSON`);
  return value as JsonObject;
}

const KEY_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 10;

/** `command_output_7k2m9x4qpa`: what it is, and 50 random bits. */
export function makeMemoryKey(type: string): string {
  const slug = (type.match(/[a-z0-9]+/g) ?? [DEFAULT_TYPE]).join('_');
  let key = `${slug.slice(0, LIMITS.memoryTypeCharacters)}_`;
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS)))
    key += KEY_ALPHABET[byte & 31];
  return key;
}

function invalid(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason}.`);
}
