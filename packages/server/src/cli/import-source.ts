import type { MemoryType, Message, NewMemory, SessionSettings } from 'longhand';
import { UsageError } from './command.ts';

/**
 * What a file to import may hold, all told apart by their looks:
 *
 * - what `longhand export` writes: lines with a `kind`, a session as one JSON value, or its memories as lines
 * - lines of memories from elsewhere: `{"type": "finding", "content": {…}}`, with a plain text for content too
 * - the file of the MCP reference memory server: lines of `entity` and `relation`
 */
export type ImportItem =
  | { readonly kind: 'session'; readonly sessionId: string; readonly settings: SessionSettings }
  | { readonly kind: 'memory'; readonly sessionId?: string; readonly memory: NewMemory }
  | { readonly kind: 'message'; readonly sessionId: string; readonly message: Message }
  | { readonly kind: 'notes'; readonly agentId: string; readonly text: string }
  | { readonly kind: 'detail'; readonly sessionId: string; readonly detail: Fields; readonly content: Buffer }
  /** A summary, which is made anew, or what we do not know. */
  | { readonly kind: 'passed-over'; readonly what: string };

type Fields = Readonly<Record<string, unknown>>;

const MEMORY_TYPES: readonly unknown[] = ['conversation', 'decision', 'finding', 'preference'];
/** Longer ids would not be taken; these are hex digits of a hash. */
const ID_CHARACTERS = 26;

/** @throws UsageError naming the line that makes no sense */
export function parseImport(text: string, hashOf: (text: string) => string): ImportItem[] {
  const whole = wholeValue(text);
  if (whole !== undefined) return whole.map((memory) => memoryItem(memory));
  const items: ImportItem[] = [];
  let open: { readonly detail: Fields; readonly pieces: Buffer[] } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const { detail, pieces } = open;
    items.push({
      kind: 'detail',
      sessionId: String(detail.session_id),
      detail,
      content: Buffer.concat(pieces),
    });
    open = undefined;
  };
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = parseLine(line, i + 1);
    if (fields.kind === 'detail_content' && open !== undefined) {
      open.pieces.push(Buffer.from(String(fields.base64), 'base64'));
      continue;
    }
    close();
    // The first line of an export says what follows, and is nothing by itself.
    if (fields.kind === 'export') continue;
    if (fields.kind === 'detail') open = { detail: fields, pieces: [] };
    else items.push(itemOf(fields, i + 1, hashOf));
  }
  close();
  return items;
}

/** A session that was exported as one JSON value, or a list of memories. */
function wholeValue(text: string): readonly Fields[] | undefined {
  try {
    const value = JSON.parse(text) as { readonly memories?: unknown } | unknown[] | null;
    if (Array.isArray(value)) return value as Fields[];
    return Array.isArray(value?.memories) ? (value.memories as Fields[]) : undefined;
  } catch {
    return undefined;
  }
}

function parseLine(line: string, number: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UsageError(`Line ${number} is not JSON. Nothing was imported.`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new UsageError(`Line ${number} is not a JSON object. Nothing was imported.`);
}

function itemOf(fields: Fields, number: number, hashOf: (text: string) => string): ImportItem {
  const { kind, session_id, ...rest } = fields;
  if (kind === 'memory' || (kind === undefined && MEMORY_TYPES.includes(fields.type)))
    return memoryItem(fields);
  if (kind === 'session') return sessionItem(fields);
  if (kind === 'message') return { kind, sessionId: String(session_id), message: rest as unknown as Message };
  if (kind === 'notes') return { kind, agentId: String(fields.agent_id), text: String(fields.text) };
  if (typeof kind === 'string') return { kind: 'passed-over', what: kind };
  if (fields.type === 'entity' || fields.type === 'relation') return graphItem(fields, hashOf);
  throw new UsageError(`Line ${number} is neither a memory nor part of an export. Nothing was imported.`);
}

function sessionItem({ id, agents, preferences, decay_config, compaction_config }: Fields): ImportItem {
  const given = { agents, preferences, decay_config, compaction_config };
  const settings = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return { kind: 'session', sessionId: String(id), settings: Object.fromEntries(settings) };
}

function memoryItem(fields: Fields): ImportItem {
  const { id, type, content, timestamp, importance, tags, references, provenance, session_id } =
    fields as unknown as NewMemory & {
      readonly session_id?: string;
    };
  const given = { id, timestamp, importance, tags, references, provenance };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    kind: 'memory',
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    memory: {
      type,
      content: typeof content === 'string' ? { text: content } : content,
      ...kept,
    } as NewMemory,
  };
}

/** An entity's observations as one finding; a relation as a sentence. The id comes from the text: twice is once. */
function graphItem(fields: Fields, hashOf: (text: string) => string): ImportItem {
  const observations = Array.isArray(fields.observations) ? fields.observations.map(String) : [];
  const text =
    fields.type === 'entity'
      ? [`${fields.name} (${fields.entityType})`, ...observations].join('\n')
      : `${fields.from} ${fields.relationType} ${fields.to}`;
  const type: MemoryType = 'finding';
  return {
    kind: 'memory',
    memory: {
      type,
      id: `mem_${hashOf(text).slice(0, ID_CHARACTERS)}`,
      content: { text },
      provenance: { author: 'import', trust: 'external', source: 'server-memory' },
    },
  };
}
