import { LonghandError, ValidationError } from '../../core/errors.ts';
import { type LogLine, recordIn } from '../../core/line.ts';
import { parseNewMemory } from '../../core/new-memory.ts';
import type { DeleteRecord, LogRecord, MemoryEntry } from '../../core/records.ts';
import { liftRecord, type RawRecord, type Schema } from '../../core/schema.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { unlessRefused } from '../failures.ts';

/**
 * A line's text as a record.
 *
 * What Longhand wrote and checked is taken as it is. What a person wrote gets the same checks as a memory
 * that is added, and the same defaults: a type and a content are enough. Its id is then made from the line
 * itself, so that it stays the same until compaction writes it down.
 */
interface RecordContext {
  readonly sessionId: string;
  readonly schema: Schema;
  /** For lines without a time of their own: when the session was created. */
  readonly createdAt: string;
}

/** For a line before the record that creates the session: there should be none. */
export const EPOCH = new Date(0).toISOString();

/**
 * `undefined` when the line is whole but is no record.
 * @throws ValidationError SCHEMA_TOO_NEW
 */
export function parseStoredRecord(line: LogLine, context: RecordContext): LogRecord | undefined {
  const lifted = liftRecord(recordIn(line.text), context.schema);
  // The folder is the session, whatever a copied log calls itself.
  const isCopied = lifted.session_id !== undefined && lifted.session_id !== context.sessionId;
  const record = isCopied ? { ...lifted, session_id: context.sessionId } : lifted;
  if (record.record === undefined) {
    if (line.hasChecksumField) return record as unknown as LogRecord;
    return unlessRefused(() => memoryOfPerson(record, line, context));
  }
  const isWhole = WHOLE[record.record as LogRecordKind];
  // Of an unknown kind: passing over it would be a way of losing it.
  if (isWhole === undefined) return undefined;
  return line.hasChecksumField || isWhole(record) ? (record as unknown as LogRecord) : undefined;
}

/** Why a line that is whole cannot be used, as a sentence for people; `undefined` when it can. */
export function problemOfRecord(line: LogLine, context: RecordContext): string | undefined {
  try {
    if (parseStoredRecord(line, context) !== undefined) return undefined;
    const { record, ...raw } = recordIn(line.text);
    if (record === undefined) memoryOfPerson(liftRecord(raw, context.schema), line, context);
    const isKnown = WHOLE[record as LogRecordKind] !== undefined;
    return isKnown ? 'A field that the record needs is missing or wrong.' : 'The kind of record is unknown.';
  } catch (error) {
    if (LonghandError.isInstance(error)) return error.message;
    throw error;
  }
}

type LogRecordKind = Exclude<LogRecord, MemoryEntry>['record'];

const isText = (value: unknown): boolean => typeof value === 'string';

/** What a record cannot do without: a person may have taken it out. */
const WHOLE: Readonly<Record<LogRecordKind, (record: RawRecord) => boolean>> = Object.assign(
  Object.create(null) as object,
  {
    session: ({ timestamp }: RawRecord) => isText(timestamp),
    compaction: ({ timestamp }: RawRecord) => isText(timestamp),
    delete: ({ timestamp, ids, reason }: RawRecord) =>
      isText(timestamp) && Array.isArray(ids) && ids.every(isText) && isText(reason),
    importance: ({ timestamp, id, importance }: RawRecord) =>
      isText(timestamp) && isText(id) && typeof importance === 'number' && importance >= 0 && importance <= 1,
    access: ({ timestamp, uses }: RawRecord) =>
      isText(timestamp) &&
      typeof uses === 'object' &&
      uses !== null &&
      Object.values(uses).every((count) => typeof count === 'number'),
  },
);

/** @throws ValidationError or SizeLimitError as for a memory that is added */
function memoryOfPerson(record: RawRecord, line: LogLine, context: RecordContext): MemoryEntry {
  const { schema_version: _version, session_id: _session, decay_factor, ...fields } = record;
  // The file format has objects alone: a reader of it need not know what a plain text would be.
  if (typeof fields.content === 'string') {
    throw new ValidationError('INVALID_CONTENT', "The content must be an object, such as { text: '…' }.");
  }
  const idOfLine = `mem_${sha256Hex(line.bytes).slice(0, 26)}`;
  const { entry } = parseNewMemory(
    { timestamp: context.createdAt, ...fields, id: fields.id ?? idOfLine },
    {
      sessionId: context.sessionId,
      nowMs: 0,
      makeId: () => idOfLine,
      decayFactorOf: () => (typeof decay_factor === 'number' ? decay_factor : 1),
      isInLog: true,
    },
  );
  return entry;
}

/** A memory's line, checked before, as the object that callers get. */
export function parseMemoryText(text: string, sessionId: string): MemoryEntry {
  const entry = recordIn(text) as unknown as MemoryEntry;
  // A log that was copied to another session's folder belongs to that one.
  return entry.session_id === sessionId ? entry : { ...entry, session_id: sessionId };
}

/**
 * One memory of a session that this process has not read yet.
 *
 * A process that starts, reads one memory and ends need not know where all the others stand. Whatever could
 * concern the memory names its id: its own line, a deletion, a changed importance, a memory that refers to it. So
 * the lines that hold the id are enough, when they leave no doubt: one whole line is the memory's own, and all
 * others are whole memories too. With anything else (a deletion, damage, a line that a person wrote, no line at
 * all) only a reading of the whole log can tell, and this gives `undefined`.
 */
export function onlyLineOf(id: string, lines: readonly LogLine[]): LogLine | undefined {
  let own: LogLine | undefined;
  for (const line of lines) {
    const memoryId = line.hasChecksumField ? line.memoryId : undefined;
    if (memoryId === undefined || line.check() !== 'verified') return undefined;
    if (memoryId !== id) continue;
    if (own !== undefined) return undefined;
    own = line;
  }
  return own;
}

/** How an id stands in a record. */
export function quoted(id: string): string {
  return `"${id}"`;
}

/** The reason of every deletion in a session where something was forgotten: a reason may say what is to be gone. */
export const FORGOTTEN = 'forgotten';

/** The lines that a deletion adds to the readable list: which memory, when, why, and no content. */
export function tombstoneLines(record: DeleteRecord): string[] {
  const { timestamp, reason } = record;
  return record.ids.map((id) => JSON.stringify({ id, timestamp, reason }));
}
