import { LonghandError } from '../../core/errors.ts';
import { type LogLine, sha256Hex } from '../../core/line.ts';
import { parseNewMemory } from '../../core/new-memory.ts';
import { parseJson } from '../../core/parse-json.ts';
import type { LogRecord, MemoryEntry } from '../../core/records.ts';
import { liftRecord, type RawRecord, type Schema } from '../../core/schema.ts';

/**
 * A line's text as a record.
 *
 * What Longhand wrote and checked is taken as it is. What a person wrote gets the same checks as a memory
 * that is added, and the same defaults: a type and a content are enough. Its id is then made from the line
 * itself, so that it stays the same until compaction writes it down.
 */
export interface RecordContext {
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
  const { seq: _seq, checksum: _checksum, ...raw } = parseJson(line.text) as Record<string, unknown>;
  const record = liftRecord(raw, context.schema);
  if (line.hasChecksumField) return record as unknown as LogRecord;
  if (typeof record.record === 'string')
    return isWhole(record) ? (record as unknown as LogRecord) : undefined;
  return parsePersonsMemory(record, line, context);
}

/** A person may have taken out of a record what it cannot do without. */
function isWhole({ record, timestamp, ids, reason }: RawRecord): boolean {
  if (typeof timestamp !== 'string') return false;
  if (record !== 'delete') return true;
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') && typeof reason === 'string';
}

function parsePersonsMemory(
  record: RawRecord,
  line: LogLine,
  context: RecordContext,
): MemoryEntry | undefined {
  const { schema_version: _version, session_id: _session, decay_factor, ...fields } = record;
  const idOfLine = `mem_${sha256Hex(line.bytes).slice(0, 26)}`;
  try {
    const { entry } = parseNewMemory(
      { timestamp: context.createdAt, ...fields, id: fields.id ?? idOfLine },
      {
        sessionId: context.sessionId,
        nowMs: 0,
        makeId: () => idOfLine,
        decayFactorOf: () => (typeof decay_factor === 'number' ? decay_factor : 1),
      },
    );
    return entry;
  } catch (error) {
    if (LonghandError.isInstance(error)) return undefined;
    throw error;
  }
}
