import { isMemoryId } from '../../core/ids.ts';
import type { LogLine } from '../../core/line.ts';
import { isMemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import type { QuarantinedLine } from '../../core/store.ts';
import { damagedLines } from '../unreadable-lines.ts';
import type { SessionFold } from './session-fold.ts';

/**
 * What becomes of damaged lines at a compaction.
 *
 * A damaged line is kept aside, byte for byte: a person may mend it. But a deletion promises that the text is
 * in no file any more, and wins wherever the line could hold what was deleted. Such a line goes:
 *
 * - when it names a memory that was deleted, at any place of it;
 * - when a deletion by topic or time found it: what its topics and its time were is unknown, so the record
 *   of that deletion names it by its hash;
 * - when any deletion stands behind it and it does not stand for itself. A line stands for itself that closes
 *   with a checksum, so that it was once written whole, and names a memory that no whole line names; or that
 *   holds no memory; or that a person wrote. What is left are torn pieces, which were never acknowledged and
 *   whose text a retry may have stored under another id, and lines whose own name was hit.
 *
 * A copy that was set aside stands behind every deletion up to the last compaction, and before all others.
 */

interface DamageVerdict {
  /** Lines to set aside. */
  readonly quarantine: readonly LogLine[];
  /** Names of copies to remove. */
  readonly forget: readonly string[];
  /** How many damaged lines and copies go for good. */
  readonly discarded: number;
}

export function judgeDamage(
  fold: SessionFold,
  aside: readonly QuarantinedLine[],
  forgetsAll: boolean,
): DamageVerdict {
  if (forgetsAll) {
    const forget = aside.map(({ name }) => name);
    return { quarantine: [], forget, discarded: damagedLines(fold.damage).length + forget.length };
  }
  const wholeIds = new Set(fold.records.flatMap(({ record }) => (isMemoryEntry(record) ? record.id : [])));
  const deletedLines = new Set(fold.deletes.flatMap(({ record }) => record.damaged ?? []));
  const lastDelete = fold.deletes.at(-1)?.line.offset ?? -1;
  const lastCompaction =
    fold.records.findLast(({ record }) => 'record' in record && record.record === 'compaction')?.line
      .offset ?? -1;
  const goes = (line: LogLine, offset: number): boolean =>
    namesAny(line, fold.deletedIds) ||
    deletedLines.has(sha256Hex(line.bytes)) ||
    (offset < lastDelete && !standsForItself(line, wholeIds));

  const lines = damagedLines(fold.damage);
  const quarantine = lines.filter((line) => !goes(line, line.offset));
  const kept = new Set(quarantine);
  const gone = new Set(lines.filter((line) => !kept.has(line)).map((line) => line.text));
  const forget = aside
    // A compaction that was cut short may have copied a line that is still in the log.
    .filter(({ line }) => goes(line, lastCompaction) || gone.has(line.text))
    .map(({ name }) => name);
  return { quarantine, forget, discarded: lines.length - quarantine.length + forget.length };
}

/** The memory that a damaged line names at its beginning, if it does. */
export function damagedId(line: LogLine): string | undefined {
  const id = line.memoryId;
  return id !== undefined && isMemoryId(id) ? id : undefined;
}

const OTHER_RECORD = /^\{"schema_version":\d+,"record":"/;

function standsForItself(line: LogLine, wholeIds: ReadonlySet<string>): boolean {
  if (!line.closesWithChecksum) return line.check() === 'unverified';
  if (OTHER_RECORD.test(line.text)) return true;
  const id = damagedId(line);
  return id !== undefined && !wholeIds.has(id);
}

function namesAny(line: LogLine, ids: ReadonlySet<string>): boolean {
  for (const [, id] of line.text.matchAll(/"id":"([A-Za-z0-9_]{1,32})"/g)) if (ids.has(id!)) return true;
  return false;
}
