import type { MemoryEntry } from '../src/core/records.ts';
import { RecallIndex } from '../src/recall/index/recall-index.ts';

/** An index of turns, each in a session of its own. @param written text → when it was written */
export function indexOfTurns(written: Readonly<Record<string, string>>): RecallIndex {
  const index = new RecallIndex();
  for (const [order, [text, timestamp]] of Object.entries(written).entries()) {
    const entry: MemoryEntry = {
      schema_version: 1,
      id: `mem_${order}`,
      session_id: `sess_${order}`,
      timestamp,
      type: 'conversation',
      content: { message: text },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    };
    index.add(entry, order + 1, { log: 0, offset: order, length: 1 });
  }
  return index;
}
