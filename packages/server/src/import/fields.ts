import type { JsonObject, JsonValue, NewMemory } from 'longhand';
import { nearestOf } from '../config/nearest-name.ts';

/**
 * The fields of what is imported. Nothing is dropped in silence: a field of Longhand is taken, one that other products
 * use is put where it means the same, one that means nothing here is counted, and an unknown one is refused, for it is
 * probably a typing mistake.
 *
 *     memory, a text                  → content, when there is none
 *     created_at                      → timestamp, when there is none
 *     role                            → content.role
 *     metadata                        → content.metadata
 *     agent_id, run_id, updated_at, … → content.metadata, under their names
 *     user_id                         → nothing when it is this user; counted when it is another
 *     hash, score, embedding, …       → counted
 *     an id that is a UUID            → the same without hyphens, which ids here have not
 */
export type Fields = Readonly<Record<string, unknown>>;

/** What of a file cannot be kept as it is there. */
export class FieldAccount {
  readonly #userId: string;
  /** Fields that mean nothing here, and how often they were there. */
  readonly leftOut = new Map<string, number>();
  /** Users that pieces name who are not the one that they are kept for, and how many do. */
  readonly otherUsers = new Map<string, number>();

  constructor(userId: string) {
    this.#userId = userId;
  }

  leaveOut(field: string): void {
    this.leftOut.set(field, (this.leftOut.get(field) ?? 0) + 1);
  }

  noteUser({ user_id }: Fields): void {
    if (typeof user_id !== 'string' || user_id === this.#userId) return;
    this.otherUsers.set(user_id, (this.otherUsers.get(user_id) ?? 0) + 1);
  }
}

const OF_MEMORY = [
  ...['type', 'content', 'id', 'timestamp', 'importance', 'decay_factor', 'tags', 'references'],
  ...['replaces', 'provenance', 'confirmed_at'],
];
/** What a line of a log or an export has beside those. */
const AROUND_MEMORY = ['kind', 'schema_version', 'session_id', 'seq', 'checksum'];
const TO_METADATA = [
  ...['agent_id', 'app_id', 'run_id', 'actor_id', 'updated_at', 'created_at', 'categories'],
  ...['expiration_date', 'source', 'title', 'immutable', 'owner', 'organization', 'input', 'memory'],
];
const TO_PLACES = ['created_at', 'role', 'metadata', 'user_id'];
const MEANINGLESS = ['hash', 'score', 'relevance', 'embedding', 'vector'];

const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  session: [
    ...['kind', 'id', 'user_id', 'account_id', 'created_at', 'agents', 'preferences', 'decay_config'],
    'compaction_config',
  ],
  message: [
    ...['kind', 'session_id', 'id', 'role', 'sender', 'content', 'text', 'name', 'timestamp', 'provenance'],
    ...['cut_off', 'tool_calls', 'tool_call_id'],
  ],
  replaced: ['kind', 'session_id', 'memories'],
  agent_memory: [
    ...['kind', 'id', 'agent_id', 'memory_type', 'content', 'created_at', 'updated_at', 'pinned', 'expired'],
    ...['share_memory', 'provenance', 'history'],
  ],
  notes: ['kind', 'user_id', 'agent_id', 'text', 'version', 'updated_at', 'trust', 'versions'],
  detail: [
    ...['kind', 'memory_key', 'session_id', 'agent_id', 'user_id', 'memory_type', 'summary'],
    ...['summary_method', 'content_metadata', 'created_at', 'expires_at', 'is_active', 'size_bytes', 'lines'],
    ...['is_utf8', 'provenance'],
  ],
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is a memory by its looks: it says something. */
export function saysSomething({ content, memory }: Fields): boolean {
  return content !== undefined || typeof memory === 'string';
}

/** What is wrong with the fields of a line of an export; `undefined` when nothing is. */
export function unknownFieldOf(kind: string, fields: Fields): string | undefined {
  const known = FIELDS_OF[kind];
  const unknown = known && Object.keys(fields).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : sentenceAbout(`A line of the kind ${kind}`, unknown, known!);
}

/** The same for a memory. A field that is null says nothing. */
export function unknownFieldOfMemory(fields: Fields): string | undefined {
  const known = [...OF_MEMORY, ...AROUND_MEMORY, ...TO_METADATA, ...TO_PLACES, ...MEANINGLESS];
  const unknown = Object.keys(fields).find((name) => !known.includes(name) && fields[name] !== null);
  return unknown === undefined ? undefined : sentenceAbout('A memory', unknown, OF_MEMORY);
}

function sentenceAbout(what: string, field: string, known: readonly string[]): string {
  const near = nearestOf(field, known);
  const hint = near === undefined ? `It has: ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `${what} has no field ${JSON.stringify(field.slice(0, 40))}. ${hint}`;
}

/** The memory in a line, from any of the products that are known. */
export function memoryOf(given: Fields, account: FieldAccount): NewMemory {
  const fields = withoutGaps(given);
  account.noteUser(fields);
  for (const name of MEANINGLESS) if (name in fields) account.leaveOut(name);
  const own = Object.fromEntries(OF_MEMORY.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  if (typeof own.id === 'string' && UUID.test(own.id)) own.id = own.id.replaceAll('-', '');
  const placed = new Set<string>();
  // What has a decay factor comes from Longhand; of others it says when the record was changed, and not the memory.
  if ('decay_factor' in fields && 'updated_at' in fields) {
    own.updated_at = fields.updated_at;
    placed.add('updated_at');
  }
  for (const [theirs, ours] of [
    ['created_at', 'timestamp'],
    ['memory', 'content'],
  ] as const) {
    if (ours in fields || !(theirs in fields)) continue;
    own[ours] = fields[theirs];
    placed.add(theirs);
  }
  const others = TO_METADATA.filter((name) => name in fields && !placed.has(name));
  const beside = { ...('role' in fields ? { role: fields.role } : {}), ...metadataOf(fields, others) };
  const names = Object.keys(beside);
  if (names.length === 0) return own as unknown as NewMemory;
  const isText = typeof own.content === 'string';
  const content = (isText ? { text: own.content } : own.content) as JsonObject;
  // What the content says itself counts.
  for (const name of names) if (name in Object(content)) account.leaveOut(name);
  const type = own.type ?? (isText ? ('role' in fields ? 'conversation' : 'finding') : undefined);
  const whole = typeof content === 'object' ? { ...beside, ...content } : content;
  return { ...own, ...(type === undefined ? {} : { type }), content: whole } as unknown as NewMemory;
}

/** As `{ metadata }`; nothing when there is none. */
function metadataOf(fields: Fields, others: readonly string[]): { readonly metadata?: JsonValue } {
  const { metadata } = fields;
  const isObject = typeof metadata === 'object' && !Array.isArray(metadata);
  const given = metadata === undefined ? {} : isObject ? metadata : { metadata };
  const all = { ...Object.fromEntries(others.map((name) => [name, fields[name]])), ...given };
  return Object.keys(all).length === 0 ? {} : { metadata: all as JsonObject };
}

export function withoutGaps(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
