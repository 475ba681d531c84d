import { type AccessRecord, isMemoryEntry, type LogRecord, type MemoryEntry } from '../../core/records.ts';
import { reverseReferences } from '../../recall/index/index.ts';
import type { DecayPolicy } from '../../recall/ranking/index.ts';

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

/**
 * The newest timestamp among the memories that a memory references or that reference it, and its own, in
 * milliseconds: what `decay.related` counts by. Relatives count as far as they are among the memories given.
 */
export function freshestRelatives(
  entries: Iterable<MemoryEntry>,
  policy: DecayPolicy,
): (entry: MemoryEntry) => number {
  if (policy.relatedShare === 0) return ({ timestamp }) => Date.parse(timestamp);
  const memories = new Map([...entries].map((entry) => [entry.id, entry]));
  const referencedBy = reverseReferences(memories.values());
  return ({ id, timestamp, references }) => {
    let freshestMs = Date.parse(timestamp);
    for (const other of [...references, ...(referencedBy.get(id) ?? [])]) {
      const relative = memories.get(other);
      if (relative !== undefined) freshestMs = Math.max(freshestMs, Date.parse(relative.timestamp));
    }
    return freshestMs;
  };
}
