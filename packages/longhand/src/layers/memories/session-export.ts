import type { SessionFold } from './session-fold.ts';

export type ExportFormat = 'json' | 'jsonl';

/**
 * Everything a session holds, for leaving with it. `jsonl` is the live memories, one a line; `json` has the
 * session's settings, the list of deletions and the number of damaged lines that are missing from it too.
 */
export function renderExport(
  fold: SessionFold,
  format: ExportFormat,
  damagedLines: number,
  nowMs: number,
): string {
  const memories = fold.entries.map(({ entry }) => entry);
  if (format === 'jsonl') return memories.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const deletions = fold.deletes.flatMap(({ record }) =>
    record.ids.map((id) => ({ id, timestamp: record.timestamp, reason: record.reason })),
  );
  return `${JSON.stringify(
    {
      version: 1,
      exported_at: new Date(nowMs).toISOString(),
      session: fold.session,
      memories,
      deletions,
      damaged_lines: damagedLines,
    },
    null,
    2,
  )}\n`;
}
