import { ValidationError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { parseMemoryKey, toDescriptionLine } from '../../core/memory-ref.ts';
import { parseProvenanceFields } from '../../core/new-memory.ts';
import {
  type Author,
  type JsonObject,
  MEMORY_TYPES,
  type MemoryType,
  type Provenance,
  type TrustTier,
} from '../../core/records.ts';
import type { ByteChunks } from '../../core/store.ts';
import { checkJson, findTextFault } from '../../core/text.ts';
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
  /** A tool's output that nobody vouches for, when left out. */
  readonly provenance?: Partial<Provenance>;
}

export interface CheckedValue {
  readonly chunks: ByteChunks;
  readonly description: string | undefined;
  readonly type: string;
  readonly metadata: JsonObject;
  readonly agentId: string | null;
  readonly ownKey: string | undefined;
  readonly provenance: Provenance;
}

const FIELDS = ['content', 'description', 'type', 'metadata', 'agentId', 'key', 'provenance'];
const DEFAULT_TYPE = 'detail';
/** These belong to the layer of the same name. */
const AGENT_LAYERS = ['journal', 'core'];

/** What tools bring in from outside is trusted by nobody unless somebody says so. */
const TRUST_OF: Readonly<Record<Author, TrustTier>> = {
  user: 'owner',
  assistant: 'agent',
  tool: 'untrusted',
  import: 'external',
  system: 'owner',
};

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
    provenance: parseProvenance(value.provenance, agentId),
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
export function parseDetailType(value: unknown): string {
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

function parseProvenance(value: unknown, agentId: string | undefined): Provenance {
  const given = value === undefined ? {} : parseProvenanceFields(value);
  const author = given.author ?? 'tool';
  return {
    author,
    trust: given.trust ?? TRUST_OF[author],
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...Object.fromEntries(Object.entries(given).filter(([, field]) => field !== undefined)),
  };
}

const KEY_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 10;

/** `command_output_7k2m9x4qpa`: what it is, and 50 random bits. */
export function makeMemoryKey(type: string): string {
  const slug = (type.match(/[a-z0-9]+/g) ?? [DEFAULT_TYPE]).join('_');
  let key = `${slug.slice(0, LIMITS.memoryKeyCharacters - RANDOM_CHARACTERS - 1)}_`;
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS)))
    key += KEY_ALPHABET[byte & 31];
  return key;
}

function invalid(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason}.`);
}
