import { ValidationError } from '../../core/errors.ts';
import { replacedByDeleted } from './replacements.ts';
import type { SessionFold } from './session-fold.ts';
import type { SessionParts } from './session-parts.ts';

export type ExportFormat = 'json' | 'jsonl';

/** @throws ValidationError INVALID_OPTION, NotFoundError SESSION_NOT_FOUND */
export async function exportSession(
  needs: SessionParts,
  sessionId: string,
  format: ExportFormat,
): Promise<string> {
  if (format !== 'json' && format !== 'jsonl') {
    throw new ValidationError('INVALID_OPTION', 'A session can be exported as json or jsonl.');
  }
  const { maintenance, context } = needs;
  const fold = await maintenance.fold(sessionId);
  const damagedLines = await maintenance.countDamaged(sessionId, fold);
  if (damagedLines > 0)
    context.emit({ kind: 'export-incomplete', session_id: sessionId, damaged_lines: damagedLines });
  return renderExport(fold, format, damagedLines, context.clock.now());
}

/**
 * Everything a session holds, for leaving with it. `jsonl` is the live memories, one a line; `json` has the
 * session's settings, the list of deletions and the number of damaged lines that are missing from it too.
 */
function renderExport(fold: SessionFold, format: ExportFormat, damagedLines: number, nowMs: number): string {
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
      replaced: replacedByDeleted(fold),
      damaged_lines: damagedLines,
    },
    null,
    2,
  )}\n`;
}
