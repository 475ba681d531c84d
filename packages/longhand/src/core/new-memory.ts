import { ValidationError } from './errors.ts';
import { type IdMaker, parseMemoryId, parseName, parseSessionId } from './ids.ts';
import { lazily } from './lazily.ts';
import { LIMITS } from './limits.ts';
import type { Author, JsonObject, MemoryEntry, MemoryType, Provenance, TrustTier } from './records.ts';
import { AUTHORS, MEMORY_TYPES, SCHEMA_VERSION, TRUST_TIERS } from './records.ts';
import { checkJson, findTextFault } from './text.ts';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';

/** A memory that has been checked, with the JSON text that goes into the log. */
export interface CheckedMemory {
  readonly entry: MemoryEntry;
  readonly body: string;
  /** The caller brought the id: adding it again is a retry. */
  readonly hasOwnId: boolean;
  /** It was kept before, as its decay factor tells: it comes from an export. */
  readonly wasKept: boolean;
}

export interface MemoryDefaults {
  readonly sessionId: string;
  readonly nowMs: number;
  readonly makeId: IdMaker;
  /** The decay factor of a memory of this age, for the record. */
  readonly decayFactorOf: (type: MemoryType, timestampMs: number) => number;
  /** A person wrote it there: no caller can be asked to add a missing field. */
  readonly isInLog?: boolean;
}

const FIELDS = new Set(
  (
    'type content id timestamp importance tags references replaces provenance decay_factor ' +
    'confirmed_at updated_at'
  ).split(' '),
);
const DEFAULT_IMPORTANCE = 0.5;
/** Without a type, a memory is something that was found out. */
const DEFAULT_TYPE: MemoryType = 'finding';

/** @throws ValidationError naming the field */
export function parseNewMemory(input: unknown, defaults: MemoryDefaults): CheckedMemory {
  const fields = parseFields(input);
  if (fields.content === undefined) throw contentMissing(fields.type);
  // The file format asks for a type: a reader of it need not know the default.
  const hasDefault = fields.type === undefined && defaults.isInLog !== true;
  const type = hasDefault ? DEFAULT_TYPE : parseType(fields.type);
  const content = parseContent(fields.content);
  // One that was kept before, as its decay factor tells, or that stands in a log, is taken as it is.
  const wasKept = defaults.isInLog === true || fields.decay_factor !== undefined;
  if (!wasKept && !holdsSomething(content)) throw contentEmpty();
  const timestampMs = fields.timestamp === undefined ? defaults.nowMs : parseTimestamp(fields.timestamp);
  const hasOwnId = fields.id !== undefined;
  // In the order of the file format.
  const replaces = parseReferences(fields.replaces, 'replaces');
  const entry: MemoryEntry = {
    schema_version: SCHEMA_VERSION,
    id: hasOwnId ? parseMemoryId(fields.id) : defaults.makeId('mem_', defaults.nowMs),
    session_id: defaults.sessionId,
    timestamp: formatTimestamp(timestampMs),
    type,
    content,
    importance: fields.importance === undefined ? DEFAULT_IMPORTANCE : parseImportance(fields.importance),
    decay_factor: parseDecayFactor(fields.decay_factor) ?? defaults.decayFactorOf(type, timestampMs),
    tags: parseTags(fields.tags),
    references: parseReferences(fields.references, 'references'),
    ...(replaces.length === 0 ? undefined : { replaces }),
    provenance: parseProvenance(fields.provenance, authorOf(content)),
    ...timeNamed('confirmed_at', fields.confirmed_at),
    ...timeNamed('updated_at', fields.updated_at),
  };
  if (replaces.includes(entry.id)) {
    throw new ValidationError('INVALID_ENTRY', `Memory ${entry.id} cannot replace itself.`);
  }
  const body = JSON.stringify(entry);
  // Cheap first: no text has more bytes than three for each of its characters.
  if (body.length * 3 > LIMITS.contentBytes) checkContentSize(content);
  return { entry, body, hasOwnId, wasKept };
}

function parseFields(input: unknown): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ValidationError('INVALID_ENTRY', 'A memory must be an object with a type and a content.');
  }
  for (const key of Object.keys(input)) {
    if (FIELDS.has(key)) continue;
    throw new ValidationError(
      'INVALID_ENTRY',
      `A memory has no field ${JSON.stringify(key.slice(0, 40))}. It has: ${[...FIELDS].join(', ')}.`,
    );
  }
  return input as Record<string, unknown>;
}

function parseType(value: unknown): MemoryType {
  if (MEMORY_TYPES.includes(value as MemoryType)) return value as MemoryType;
  throw new ValidationError(
    'INVALID_ENTRY',
    `The type of a memory must be one of ${MEMORY_TYPES.join(', ')}.`,
  );
}

function parseContent(value: unknown): JsonObject {
  if (typeof value === 'string') return parseContent(textContent(value));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ValidationError(
      'INVALID_CONTENT',
      "The content must be a text, or an object such as { message: '…' }.",
    );
  }
  checkJson(value, 'content');
  return value as JsonObject;
}

function contentMissing(type: unknown): ValidationError {
  return new ValidationError(
    type === undefined ? 'INVALID_ENTRY' : 'INVALID_CONTENT',
    "A memory needs a content: a text, or an object such as { message: '…' }.",
  );
}

function contentEmpty(): ValidationError {
  return new ValidationError(
    'INVALID_CONTENT',
    'The content has nothing in it to remember: it must hold at least one text, number, true or false.',
  );
}

/** Whether there is a value anywhere in it: names of fields alone, `null` and blank texts remember nothing. */
function holdsSomething(value: unknown): boolean {
  if (typeof value === 'string') return /\S/.test(value);
  if (typeof value !== 'object') return value !== undefined;
  return value !== null && Object.values(value).some(holdsSomething);
}

function textContent(text: string): JsonObject {
  if (text.trim() !== '') return { text };
  throw new ValidationError('INVALID_CONTENT', 'The content must not be a blank text.');
}

function checkContentSize(content: JsonObject): void {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= LIMITS.contentBytes) return;
  throw new ValidationError(
    'CONTENT_TOO_LARGE',
    `The content takes ${bytes} bytes; ${LIMITS.contentBytes} are allowed. Store it as a detail and refer to it.`,
    { details: { bytes, limit: LIMITS.contentBytes } },
  );
}

export function parseImportance(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new ValidationError('INVALID_ENTRY', 'The importance must be a number from 0 to 1.');
}

function parseDecayFactor(value: unknown): number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= 1)) return value;
  throw new ValidationError('INVALID_ENTRY', 'The decay_factor must be a number from 0 to 1.');
}

const tagPattern = lazily(() => /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u);

/** @throws ValidationError INVALID_TAG */
export function parseTag(value: unknown): string {
  if (typeof value === 'string' && value.length <= LIMITS.tagCharacters && tagPattern().test(value))
    return value;
  throw new ValidationError(
    'INVALID_TAG',
    `A tag must be 1 to ${LIMITS.tagCharacters} letters, digits, hyphens or underscores, with dots between levels.`,
  );
}

function parseTags(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > LIMITS.tagsPerMemory) {
    throw new ValidationError('INVALID_TAG', `The tags must be a list of at most ${LIMITS.tagsPerMemory}.`);
  }
  return distinct(value, parseTag);
}

function timeNamed(field: string, value: unknown): { readonly [field: string]: string } | undefined {
  return value === undefined ? undefined : { [field]: formatTimestamp(parseTimestamp(value, field)) };
}

/** An id that leads nowhere is fine: what it names may be added later, or live in another session. */
function parseReferences(value: unknown, field: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > LIMITS.referencesPerMemory) {
    throw new ValidationError(
      'INVALID_ENTRY',
      `${field} must be a list of at most ${LIMITS.referencesPerMemory} memory ids.`,
    );
  }
  return distinct(value, parseReference);
}

function parseReference(value: unknown): string {
  return parseMemoryId(value, 'reference');
}

/** Each once. */
function distinct(values: readonly unknown[], parse: (value: unknown) => string): readonly string[] {
  const texts: string[] = [];
  // Not `map`, which would pass over holes.
  for (const value of values) texts.push(parse(value));
  // Most lists are short, and repeat nothing: a set would cost more than all else.
  const isDistinct = texts.length <= 8 && texts.every((text, i) => texts.indexOf(text) === i);
  return isDistinct ? texts : [...new Set(texts)];
}

/** How far an author is trusted by default. */
export const TRUST_OF: Readonly<Record<Author, TrustTier>> = {
  user: 'owner',
  assistant: 'agent',
  tool: 'external',
  import: 'external',
  system: 'owner',
};

/**
 * @param fallback the author of what names none; the author decides the trust where none is named
 * @throws ValidationError INVALID_ENTRY, INVALID_NAME
 */
export function parseProvenance(value: unknown, fallback: Author, trustOf = TRUST_OF): Provenance {
  if (value === undefined) return { author: fallback, trust: trustOf[fallback] };
  const given = parseProvenanceFields(value);
  const author = given.author ?? fallback;
  return {
    author,
    trust: given.trust ?? trustOf[author],
    ...(given.agent_id === undefined ? undefined : { agent_id: given.agent_id }),
    ...(given.message_id === undefined ? undefined : { message_id: given.message_id }),
    ...(given.session_id === undefined ? undefined : { session_id: given.session_id }),
    ...(given.user_id === undefined ? undefined : { user_id: given.user_id }),
    ...(given.source === undefined ? undefined : { source: given.source }),
  };
}

function authorOf(content: JsonObject): Author {
  return content.role === 'assistant' ? 'assistant' : content.role === 'tool' ? 'tool' : 'user';
}

/** What a caller says of where something comes from. @throws ValidationError INVALID_ENTRY, INVALID_NAME, INVALID_ID */
export function parseProvenanceFields(value: unknown): Partial<Provenance> {
  const refuse = (reason: string): never => {
    throw new ValidationError('INVALID_ENTRY', `The provenance ${reason}.`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be an object');
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    if (key === 'author' && !AUTHORS.includes(field))
      refuse(`names an author that is not ${AUTHORS.join(', ')}`);
    else if (key === 'trust' && !TRUST_TIERS.includes(field))
      refuse(`has a trust that is not ${TRUST_TIERS.join(', ')}`);
    else if (key === 'agent_id') parseName(field, 'agent id');
    else if (key === 'session_id') parseSessionId(field);
    else if (key === 'user_id') parseName(field, 'user id');
    else if (key === 'message_id' || key === 'source') {
      if (typeof field !== 'string' || field.length > 256 || findTextFault(field) !== undefined) {
        refuse(`must have a text of at most 256 characters as ${key}`);
      }
    } else if (key !== 'author' && key !== 'trust')
      refuse(`has no field ${JSON.stringify(key.slice(0, 40))}`);
  }
  return value as Partial<Provenance>;
}
