import type { DeleteRecord } from '../../core/records.ts';

/** The reason of every deletion in a session where something was forgotten: a reason may say what is to be gone. */
export const FORGOTTEN = 'forgotten';

/** The lines that a deletion adds to the readable list: which memory, when, why, and no content. */
export function tombstoneLines(record: DeleteRecord): string[] {
  const { timestamp, reason } = record;
  return record.ids.map((id) => JSON.stringify({ id, timestamp, reason }));
}
