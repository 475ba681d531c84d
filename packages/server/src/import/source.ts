import { hash } from 'node:crypto';
import {
  AUTHORS,
  type Author,
  type ErrorCode,
  LonghandError,
  type MemoryType,
  type Message,
  type NewMemory,
  type Provenance,
  type SessionSettings,
  TRUST_TIERS,
  type TrustTier,
} from 'longhand';
import {
  FieldAccount,
  type Fields,
  memoryOf,
  saysSomething,
  unknownFieldOf,
  unknownFieldOfMemory,
  withoutGaps,
} from './fields.ts';

/**
 * What a file to import may hold, all told apart by their looks:
 *
 * - what `longhand export` writes: lines with a `kind`, a session as one JSON value, or its memories as lines
 * - memories from elsewhere: `{"type": "finding", "content": {…}}`, with a plain text for content too, as lines or as a
 *   list; what mem0 answers with, `{"results": [{"memory": "…"}]}`, is one too
 * - the file of the MCP reference memory server: lines of `entity` and `relation`
 */
export type ImportItem = { readonly place: Place } & (
  | { readonly kind: 'session'; readonly sessionId: string; readonly settings: SessionOrigins }
  | { readonly kind: 'memory'; readonly sessionId?: string; readonly memory: NewMemory }
  | { readonly kind: 'message'; readonly sessionId: string; readonly message: Message }
  | { readonly kind: 'notes'; readonly agentId: string; readonly text: string; readonly author: Provenance }
  | { readonly kind: 'agent_memory'; readonly agentId: string; readonly memory: Fields }
  /** Memories that one which was deleted had replaced, and since when. */
  | {
      readonly kind: 'replaced';
      readonly sessionId: string;
      readonly memories: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'detail'; readonly sessionId: string; readonly detail: Fields; readonly content: Buffer }
  /** A summary, which is rebuilt, or an unknown kind. */
  | { readonly kind: 'passed-over'; readonly what: string }
);

/** How a session was set, and when it began. */
type SessionOrigins = SessionSettings & { readonly created_at?: string };

/** For people: `memory.jsonl, line 3`, `memory.json, entry 7`. */
type Place = string;

const MEMORY_TYPES: readonly unknown[] = ['conversation', 'decision', 'finding', 'preference'];
/** Longer ids would not be taken; these are hex digits of a hash. */
const ID_CHARACTERS = 26;

/** What stands around the memories of a session. Ids that were deleted where it comes from are not deleted here. */
const AROUND_LIST = [
  ...['version', 'exported_at', 'session', 'memories', 'results', 'deletions', 'replaced', 'damaged_lines'],
];
/** Pieces of a user that are no memories. */
const OF_USER: readonly unknown[] = ['session', 'detail', 'notes'];

/** What was refused, where, and why. Nothing was imported. */
export class ImportRefusal extends LonghandError {
  /** @param code of the error that it was refused with */
  constructor(place: Place, reason: string, code: ErrorCode = 'INVALID_ENTRY', cause?: unknown) {
    super(code, `${place}: ${reason} Nothing was imported.`, { cause });
    // Whatever it was refused with: the file is to blame.
    this.name = 'ValidationError';
  }
}

/** Whose files are told apart. */
export const IMPORT_FORMATS = ['longhand', 'mem0', 'mcp_memory', 'memories'] as const;
type ImportFormat = (typeof IMPORT_FORMATS)[number];

interface ParsedImport {
  readonly items: readonly ImportItem[];
  /** By its first line or entry. */
  readonly format: ImportFormat;
  /** What of it cannot be kept as it is there. */
  readonly account: FieldAccount;
}

/**
 * @param file for messages
 * @param userId for whom it is brought in
 * @throws ImportRefusal naming the line or entry that makes no sense
 */
export function parseImport(text: string, file: string, userId: string): ParsedImport {
  const items: ImportItem[] = [];
  const account = new FieldAccount(userId);
  let format: ImportFormat | undefined;
  let open: { readonly place: Place; readonly detail: Fields; readonly pieces: Buffer[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { place, detail, pieces } = open;
    const content = Buffer.concat(pieces);
    if (typeof detail.size_bytes === 'number' && detail.size_bytes !== content.length)
      throw new ImportRefusal(place, 'The value of this detail is not whole in the file.');
    items.push({ place, kind: 'detail', sessionId: String(detail.session_id), detail, content });
    open = undefined;
  };
  for (const { place, value } of wholeValue(text, file, account) ?? linesOf(text, file)) {
    const fields = objectAt(place, value);
    format ??= formatOf(fields);
    if (fields.kind === 'detail_content' && open !== undefined) {
      open.pieces.push(Buffer.from(String(fields.base64), 'base64'));
      continue;
    }
    // What was exported of a damaged value is not to be relied on.
    if (fields.kind === 'damage' && open !== undefined && fields.memory_key === open.detail.memory_key)
      open = undefined;
    close();
    // The first line of an export describes what follows, and is not itself an item.
    if (fields.kind === 'export') continue;
    refuseUnknownField(place, fields);
    if (OF_USER.includes(fields.kind)) account.noteUser(fields);
    if (fields.kind === 'detail') open = { place, detail: fields, pieces: [] };
    else items.push(itemOf(place, fields, account));
  }
  close();
  return { items, format: format ?? 'memories', account };
}

function formatOf({ kind, schema_version, type, content, memory }: Fields): ImportFormat {
  if (typeof kind === 'string' || schema_version !== undefined) return 'longhand';
  if (type === 'entity' || type === 'relation') return 'mcp_memory';
  return typeof memory === 'string' && content === undefined ? 'mem0' : 'memories';
}

function refuseUnknownField(place: Place, fields: Fields): void {
  const { kind } = fields;
  const reason = typeof kind === 'string' ? unknownFieldOf(kind, fields) : undefined;
  if (reason !== undefined) throw new ImportRefusal(place, reason);
}

interface Entry {
  readonly place: Place;
  readonly value: unknown;
}

function linesOf(text: string, file: string): readonly Entry[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const place = `${file}, line ${i + 1}`;
    try {
      return [{ place, value: JSON.parse(line) as unknown }];
    } catch (cause) {
      throw new ImportRefusal(place, 'This is not JSON.', undefined, cause);
    }
  });
}

/** A session that was exported as one JSON value, a list of memories, or JSON that is written over several lines. */
function wholeValue(text: string, file: string, account: FieldAccount): readonly Entry[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { memories, results, session, replaced } = (value ?? {}) as Fields;
  const list = Array.isArray(value) ? value : (memories ?? results);
  // One object alone may be a file of one line as well.
  if (!Array.isArray(list)) return text.trim().includes('\n') ? [{ place: file, value }] : undefined;
  if (!Array.isArray(value))
    for (const name of Object.keys(withoutGaps(value as Fields)))
      if (!AROUND_LIST.includes(name)) account.leaveOut(name);
  const entries = list.map((one: unknown, i) => ({ place: `${file}, entry ${i + 1}`, value: one }));
  if (typeof session !== 'object' || session === null) return entries;
  const { id: session_id } = session as Fields;
  return [
    { place: `${file}, session`, value: { ...session, kind: 'session' } },
    ...entries,
    ...(replaced === undefined
      ? []
      : [{ place: `${file}, replaced`, value: { kind: 'replaced', session_id, memories: replaced } }]),
  ];
}

function objectAt(place: Place, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ImportRefusal(place, 'This is not a JSON object.');
}

function itemOf(place: Place, fields: Fields, account: FieldAccount): ImportItem {
  const { kind, session_id, ...rest } = fields;
  const isMemory = MEMORY_TYPES.includes(fields.type) || saysSomething(fields);
  if (kind === 'memory' || (kind === undefined && isMemory)) return memoryItem(place, fields, account);
  if (kind === 'session') return sessionItem(place, fields);
  if (kind === 'message')
    return { place, kind, sessionId: String(session_id), message: rest as unknown as Message };
  if (kind === 'notes') return notesItem(place, fields);
  if (kind === 'agent_memory') {
    account.noteUser((fields.provenance ?? {}) as Fields);
    return { place, kind, agentId: String(fields.agent_id), memory: withoutGaps(fields) };
  }
  if (kind === 'replaced')
    return { place, kind, sessionId: String(session_id), memories: Object(fields.memories) };
  if (typeof kind === 'string') return { place, kind: 'passed-over', what: kind };
  if (fields.type === 'entity' || fields.type === 'relation') return graphItem(place, fields, account);
  throw new ImportRefusal(
    place,
    'This is neither a memory nor part of an export. A memory has a content, such as {"type":"finding","content":"…"}.',
  );
}

function sessionItem(place: Place, fields: Fields): ImportItem {
  const { id, created_at, agents, preferences, decay_config, compaction_config } = fields;
  const given = { created_at, agents, preferences, decay_config, compaction_config };
  return { place, kind: 'session', sessionId: String(id), settings: withoutGaps(given) };
}

/** The author is that of the last version, and the trust that of the whole text: an import raises no trust. */
function notesItem(place: Place, { agent_id, text, trust, versions }: Fields): ImportItem {
  const last: unknown = Array.isArray(versions) ? versions.at(-1)?.author : undefined;
  const given = (typeof last === 'object' && last !== null ? last : {}) as Fields;
  const isAuthor = AUTHORS.includes(given.author as Author);
  const isTier = TRUST_TIERS.includes(trust as TrustTier);
  const { agent_id: writer, source } = isAuthor ? given : { agent_id: undefined, source: 'import' };
  const author = {
    author: isAuthor ? (given.author as Author) : 'import',
    trust: isTier ? (trust as TrustTier) : 'external',
    ...(typeof writer === 'string' ? { agent_id: writer } : {}),
    ...(typeof source === 'string' ? { source } : {}),
  } as const;
  return { place, kind: 'notes', agentId: String(agent_id), text: String(text), author };
}

function memoryItem(place: Place, fields: Fields, account: FieldAccount): ImportItem {
  const reason = unknownFieldOfMemory(fields);
  if (reason !== undefined) throw new ImportRefusal(place, reason);
  const { session_id } = fields;
  return {
    place,
    kind: 'memory',
    ...(session_id === undefined || session_id === null ? {} : { sessionId: String(session_id) }),
    memory: memoryOf(fields, account),
  };
}

const OF_GRAPH = ['type', 'name', 'entityType', 'observations', 'from', 'to', 'relationType'];

/** An entity's observations as one finding; a relation as a sentence. The id comes from the text: twice is once. */
function graphItem(place: Place, fields: Fields, account: FieldAccount): ImportItem {
  for (const name of Object.keys(withoutGaps(fields))) if (!OF_GRAPH.includes(name)) account.leaveOut(name);
  const given: readonly unknown[] = Array.isArray(fields.observations) ? fields.observations : [];
  const observations = given.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  const text =
    fields.type === 'entity'
      ? [`${fields.name} (${fields.entityType})`, ...observations].join('\n')
      : `${fields.from} ${fields.relationType} ${fields.to}`;
  const type: MemoryType = 'finding';
  return {
    place,
    kind: 'memory',
    memory: {
      type,
      id: `mem_${hash('sha256', text).slice(0, ID_CHARACTERS)}`,
      content: { text },
      provenance: { author: 'import', trust: 'external', source: 'server-memory' },
    },
  };
}
