import { type AccessRecord, isMemoryEntry, type LogRecord } from '../../core/records.ts';

/** How a memory was used, as far as the log tells. */
export interface Use {
  readonly lastAccessMs: number;
  readonly accessCount: number;
}

/** The use of a memory after one more record. Clocks of several processes may disagree: the latest counts. */
export function addUse(before: Use | undefined, timestampMs: number, count: number): Use {
  return {
    lastAccessMs: Math.max(before?.lastAccessMs ?? timestampMs, timestampMs),
    accessCount: (before?.accessCount ?? 0) + count,
  };
}

export function isAccess(record: LogRecord): record is AccessRecord {
  return !isMemoryEntry(record) && record.record === 'access';
}

/** All uses of a log by memory, also of memories that are gone. */
export function gatherUses(records: Iterable<{ readonly record: LogRecord }>): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const { record } of records) {
    if (!isAccess(record)) continue;
    const timestampMs = Date.parse(record.timestamp);
    for (const [id, count] of Object.entries(record.uses)) {
      uses.set(id, addUse(uses.get(id), timestampMs, count));
    }
  }
  return uses;
}
