import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A reader of sessions that was written from docs/file-format.md alone, and shares nothing with the library. If the
 * page is wrong or silent about something, this reader and the library disagree.
 */

export interface ReadMemory {
  readonly id: string;
  readonly type: string;
  readonly content: unknown;
  readonly importance: number;
  readonly tags: readonly string[];
  readonly uses: number;
}

interface Line {
  readonly seq: number | undefined;
  readonly value: Record<string, unknown>;
}

const CLOSING_BYTES = 86;
/** `,"seq":` and the digits of the largest number. */
const SEQ_BYTES = 23;
const KINDS = new Set(['session', 'delete', 'access', 'importance', 'compaction']);

export function readSession(root: string, sessionId: string): { owner: string; memories: ReadMemory[] } {
  const lines = linesOf(readFileSync(join(root, 'sessions', sessionId, 'memory.jsonl')));
  for (const { value } of lines) if (Number(value.schema_version ?? 1) > 1) throw new Error('too new');
  const deleted = new Set(
    lines.flatMap(({ value }) => (value.record === 'delete' ? (value.ids as string[]) : [])),
  );
  const live = new Map<string, ReadMemory>();
  const uses = new Map<string, number>();
  let owner = '';
  for (const { value } of lines.filter(isKnown)) {
    if (value.record === undefined) {
      const id = value.id as string;
      live.delete(id);
      if (!deleted.has(id)) live.set(id, { ...(value as unknown as ReadMemory), uses: 0 });
    } else if (value.record === 'importance') {
      const memory = live.get(value.id as string);
      if (memory) live.set(memory.id, { ...memory, importance: value.importance as number });
    } else if (value.record === 'access') {
      for (const [id, count] of Object.entries(value.uses as Record<string, number>)) {
        uses.set(id, (uses.get(id) ?? 0) + count);
      }
    } else if (owner === '' && typeof value.user_id === 'string') {
      owner = value.user_id;
    }
  }
  const memories = [...live.values()].map((memory) => ({ ...memory, uses: uses.get(memory.id) ?? 0 }));
  return { owner, memories };
}

function isKnown({ value }: Line): boolean {
  return value.record === undefined || KINDS.has(value.record as string);
}

function linesOf(bytes: Buffer): Line[] {
  const start = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  const lines: Line[] = [];
  for (let at = start; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at);
    const next = newline < 0 ? bytes.length : newline + 1;
    let end = newline < 0 ? bytes.length : newline;
    if (end > at && bytes[end - 1] === 0x0d) end--;
    const line = bytes.subarray(at, end);
    if (line.length > 0) {
      const read = readLine(line);
      if (read) lines.push(read);
      else lines.push(...wholeLinesInside(line));
    }
    at = next;
  }
  return lines;
}

function readLine(line: Buffer): Line | undefined {
  const closing = line.subarray(-CLOSING_BYTES).toString('latin1');
  const sum = /^,"checksum":"sha256:([0-9a-f]{64})"}$/.exec(closing)?.[1];
  const before = line.subarray(-CLOSING_BYTES - SEQ_BYTES, -CLOSING_BYTES).toString('latin1');
  if (sum !== undefined && /,"seq":\d+$/.test(before)) {
    const covered = line.subarray(0, -CLOSING_BYTES);
    if (createHash('sha256').update(covered).digest('hex') !== sum) return undefined;
    const value = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
    return { seq: value.seq as number, value };
  }
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const last = Object.values(value).at(-1);
    const { checksum, ...entry } = value as Record<string, unknown>;
    if (checksum !== undefined && !isOfAnotherProgram(entry, checksum)) return undefined;
    if (checksum === undefined && typeof last === 'string' && last.length === 71) return undefined;
    const read = asPersonsMemory(entry, line);
    return read && { seq: undefined, value: read };
  } catch {
    return undefined;
  }
}

const SEED_FIELDS = 'id session_id timestamp type content importance decay_factor tags references'.split(' ');

function isOfAnotherProgram(entry: Record<string, unknown>, checksum: unknown): boolean {
  const names = Object.keys(entry);
  if (names.includes('id') && names.every((name) => SEED_FIELDS.includes(name))) return true;
  const canonical = JSON.stringify(entry, names.sort());
  return checksum === `sha256:${createHash('sha256').update(canonical).digest('hex')}`;
}

const TYPES = ['conversation', 'decision', 'finding', 'preference'];
const FIELDS =
  'schema_version id session_id timestamp type content importance decay_factor tags references provenance seq';

/** Only what the lives in the test can bring about is checked: a type, a content, no other fields, whole text. */
function asPersonsMemory(value: Record<string, unknown>, line: Buffer): Record<string, unknown> | undefined {
  if (value.record !== undefined) return value;
  const { type, content } = value;
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  if (!TYPES.includes(type as string) || !isObject) return undefined;
  if (Object.keys(value).some((key) => !FIELDS.split(' ').includes(key))) return undefined;
  if (!JSON.stringify(value).isWellFormed() || /\\ud[89a-f]/.test(JSON.stringify(value))) return undefined;
  const id = `mem_${createHash('sha256').update(line).digest('hex').slice(0, 26)}`;
  return { id, importance: 0.5, tags: [], references: [], ...value };
}

/** A damaged newline joins two lines. */
function wholeLinesInside(line: Buffer): Line[] {
  const opening = Buffer.from('{"schema_version":');
  const starts = [0];
  for (let at = line.indexOf(opening, 1); at > 0; at = line.indexOf(opening, at + 1)) {
    if (at === 1 || line[at - 1] === 0x7d || line[at - 2] === 0x7d) starts.push(at);
  }
  const found: Line[] = [];
  for (const [i, from] of starts.entries()) {
    for (const until of [...starts.slice(i + 1), line.length]) {
      const piece = line.subarray(from, until);
      const read = readLine(piece.subarray(0, piece.lastIndexOf(0x7d) + 1));
      if (read?.seq === undefined) continue;
      found.push(read);
      break;
    }
  }
  return found;
}
