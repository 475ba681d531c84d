import type { LogLine } from '../../core/line.ts';
import { BEFORE_FIRST_LINE, orderAfter } from '../../core/line-order.ts';
import type { Damage } from '../../core/log-decoder.ts';
import { parseJson } from '../../core/parse-json.ts';
import { type DeleteRecord, isMemoryEntry, type LogRecord, type MemoryEntry } from '../../core/records.ts';
import { type Schema, versionOf } from '../../core/schema.ts';
import type { LogSlice } from '../../core/store.ts';
import { applyOwner, applySessionRecord, type Session } from './session.ts';
import { EPOCH, parseStoredRecord } from './stored-record.ts';

/** A memory with its line, which is the last of its id. */
export interface FoldedEntry {
  readonly entry: MemoryEntry;
  readonly line: LogLine;
  /** Its place in the order of the log: that of its first line, so that it stays where it is when it is corrected. */
  readonly order: number;
  /** Later records changed it: it is no longer what its line says. */
  readonly isChanged?: boolean;
}

interface FoldedRecord {
  readonly record: LogRecord;
  readonly line: LogLine;
  /** The line's place in the order of the log. */
  readonly order: number;
}

/** A whole log, checked and understood: the ground for statistics, exports, projections and compaction. */
export interface SessionFold {
  /** Which incarnation of the log it is of. */
  readonly incarnation: string;
  /** Another one when the log has been rewritten since. */
  readonly generation: string;
  readonly session: Session | undefined;
  /** The live memories in the order of the log. */
  readonly entries: readonly FoldedEntry[];
  readonly deletes: readonly { readonly record: DeleteRecord; readonly line: LogLine }[];
  readonly deletedIds: ReadonlySet<string>;
  /** Every record with its line, live or not, in the order of the log. */
  readonly records: readonly FoldedRecord[];
  readonly damage: readonly Damage[];
  /** Lines without a checksum. */
  readonly unverified: number;
  readonly oldestVersion: number;
  readonly lastCompaction: string | undefined;
  readonly migratedAt: string | undefined;
  /** The place of the last line in the order of the log. */
  readonly lastOrder: number;
  /** Where the last whole line ends, and how many bytes lie behind it. */
  readonly endOffset: number;
  readonly unfinishedBytes: number;
}

/** @param slice a whole log, read with `check: 'full'` */
export function foldSession(sessionId: string, slice: LogSlice, schema: Schema): SessionFold {
  const records: FoldedRecord[] = [];
  const deletes: { record: DeleteRecord; line: LogLine }[] = [];
  const live = new Map<string, FoldedEntry>();
  const deletedIds = new Set<string>();
  const damage: Damage[] = [...slice.damage];
  let session: Session | undefined;
  let unverified = 0;
  let order = BEFORE_FIRST_LINE;
  let oldestVersion = schema.version;
  const opening = Buffer.from(`{"schema_version":${schema.version},`);
  let lastCompaction: string | undefined;
  let migratedAt: string | undefined;

  for (const line of slice.lines) {
    order = orderAfter(order, line.seq);
    const record = parseStoredRecord(line, { sessionId, schema, createdAt: session?.created_at ?? EPOCH });
    if (record === undefined) {
      damage.push({ kind: 'schema', line });
      continue;
    }
    if (!line.hasChecksumField) unverified++;
    oldestVersion = Math.min(oldestVersion, storedVersion(line, opening, schema));
    records.push({ record, line, order });
    if (isMemoryEntry(record)) {
      const first = live.get(record.id)?.order ?? order;
      if (!deletedIds.has(record.id)) live.set(record.id, { entry: record, line, order: first });
      continue;
    }
    switch (record.record) {
      case 'session':
        session = applySessionRecord(session, record);
        break;
      case 'delete':
        deletes.push({ record, line });
        for (const id of record.ids) {
          deletedIds.add(id);
          live.delete(id);
        }
        break;
      case 'importance': {
        const changed = live.get(record.id);
        if (changed === undefined) break;
        const entry = { ...changed.entry, importance: record.importance };
        live.set(record.id, { ...changed, entry, isChanged: true });
        break;
      }
      case 'access':
        break;
      case 'compaction':
        session = applyOwner(session, sessionId, record);
        lastCompaction = record.timestamp;
        migratedAt = record.migrated_from === undefined ? record.migrated_at : record.timestamp;
        break;
    }
  }
  const { incarnation, position, unfinishedBytes } = slice;
  const said = { session, entries: [...live.values()], deletes, deletedIds, records };
  const facts = { damage, unverified, oldestVersion, lastCompaction, migratedAt, lastOrder: order };
  const end = { generation: position.generation, endOffset: position.at, unfinishedBytes };
  return { incarnation, ...said, ...facts, ...end };
}

/** Memories that have several lines: they were corrected, or a person copied them. */
export function saidAgain(records: readonly FoldedRecord[]): ReadonlySet<string> {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const { record } of records) {
    if (!isMemoryEntry(record)) continue;
    if (once.has(record.id)) again.add(record.id);
    else once.add(record.id);
  }
  return again;
}

/** Nearly every line begins with the current version, and need not be parsed a second time. */
function storedVersion(line: LogLine, opening: Uint8Array, schema: Schema): number {
  if (line.beginsWith(opening)) return schema.version;
  return versionOf(parseJson(line.text) as Record<string, unknown>, schema);
}
