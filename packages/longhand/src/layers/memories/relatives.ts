import type { MemoryEntry } from '../../core/records.ts';
import { reverseReferences } from '../../recall/index/index.ts';
import type { DecayPolicy } from '../../recall/ranking/index.ts';

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
