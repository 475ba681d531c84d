import type { StoreConfig } from '../core/config.ts';
import type { LogLine } from '../core/line.ts';
import type { CompactionRecord, JsonObject, MemoryEntry } from '../core/records.ts';
import { SCHEMA_VERSION } from '../core/records.ts';
import type { RewritePlan } from '../core/store.ts';
import {
  baseRelevance,
  COMPACTION_RELEVANCE_THRESHOLD,
  type DecayPolicy,
  decayFactor,
  recencyBoost,
} from '../recall/decay.ts';
import type { FoldedEntry, SessionFold } from './session-fold.ts';
import { tombstoneLines } from './tombstones.ts';

/**
 * What a compaction keeps.
 *
 * Deleted memories go, with every byte of theirs. Faded ones go only when asked, or when the session is
 * running out of room: those whose relevance has fallen below the threshold, except preferences, and except
 * what a kept memory refers to, however many steps away. Records of deletions stay: they hold no content,
 * and keep an id from coming back. A last record closes the new log, so that sequence numbers go on rising.
 */
export interface CompactionChoice {
  readonly sessionId: string;
  readonly nowMs: number;
  readonly policy: DecayPolicy;
  readonly dropFaded: boolean;
  /** 0 leaves metadata alone. */
  readonly trimMetadataAfterDays: StoreConfig['storage']['trim_metadata_after_days'];
}

export interface DroppedEntry {
  readonly id: string;
  readonly reason: 'deleted' | 'faded';
}

export interface PlannedCompaction {
  readonly plan: RewritePlan;
  readonly dropped: readonly DroppedEntry[];
  readonly trimmed: readonly string[];
  readonly quarantined: number;
}

const MS_PER_DAY = 86_400_000;

export function planCompaction(fold: SessionFold, choice: CompactionChoice): PlannedCompaction {
  const faded = choice.dropFaded ? findFaded(fold.entries, choice) : new Set<string>();
  const live = new Set(fold.entries.map(({ line }) => line));
  const keep: { line: LogLine; body?: string }[] = [];
  const dropped: DroppedEntry[] = [];
  const trimmed: string[] = [];

  for (const { record, line } of fold.records) {
    const migratedBody =
      fold.oldestVersion < SCHEMA_VERSION || !line.hasChecksumField ? JSON.stringify(record) : undefined;
    if ('record' in record) {
      if (record.record !== 'compaction') keep.push(withBody(line, migratedBody));
    } else if (!live.has(line)) {
      // A second line of a memory that lives (a retry over a damaged line) is no memory that is lost.
      if (fold.deletedIds.has(record.id)) dropped.push({ id: record.id, reason: 'deleted' });
    } else if (faded.has(record.id)) {
      dropped.push({ id: record.id, reason: 'faded' });
    } else {
      const slim = trimMetadata(record, choice);
      if (slim !== undefined) trimmed.push(record.id);
      keep.push(withBody(line, slim === undefined ? migratedBody : JSON.stringify(slim)));
    }
  }

  const damagedLines = fold.damage.filter(({ kind }) => kind !== 'sequence').map(({ line }) => line);
  const quarantine = damagedLines.filter((line) => !fold.deletedIds.has(line.memoryId ?? ''));
  const closing: CompactionRecord = {
    schema_version: SCHEMA_VERSION,
    record: 'compaction',
    session_id: choice.sessionId,
    timestamp: new Date(choice.nowMs).toISOString(),
    dropped: dropped.length,
    ...(fold.oldestVersion < SCHEMA_VERSION ? { migrated_from: fold.oldestVersion } : {}),
    ...(fold.migratedAt === undefined ? {} : { migrated_at: fold.migratedAt }),
  };
  return {
    dropped,
    trimmed,
    quarantined: quarantine.length,
    plan: {
      keep,
      append: [JSON.stringify(closing)],
      tombstones: fold.deletes.flatMap(({ record }) => tombstoneLines(record)),
      quarantine,
      forget: fold.deletedIds,
    },
  };
}

/** What a memory is worth without a question, now. */
export function currentRelevance(entry: MemoryEntry, policy: DecayPolicy, nowMs: number): number {
  const timestampMs = Date.parse(entry.timestamp);
  const decay = decayFactor({ type: entry.type, timestampMs }, policy, nowMs);
  return baseRelevance(entry.importance, decay, recencyBoost(timestampMs, nowMs));
}

function findFaded(entries: readonly FoldedEntry[], choice: CompactionChoice): Set<string> {
  const faded = new Set<string>();
  const byId = new Map(entries.map(({ entry }) => [entry.id, entry]));
  for (const { entry } of entries) {
    if (entry.type === 'preference') continue;
    if (currentRelevance(entry, choice.policy, choice.nowMs) < COMPACTION_RELEVANCE_THRESHOLD)
      faded.add(entry.id);
  }
  const pending = entries
    .filter(({ entry }) => !faded.has(entry.id))
    .flatMap(({ entry }) => entry.references);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (faded.delete(id)) pending.push(...byId.get(id)!.references);
  }
  return faded;
}

/** The entry without `content.metadata`, when it is old enough and has some. */
function trimMetadata(entry: MemoryEntry, choice: CompactionChoice): MemoryEntry | undefined {
  const { trimMetadataAfterDays: days, nowMs } = choice;
  if (days === 0 || entry.content.metadata === undefined) return undefined;
  if (nowMs - Date.parse(entry.timestamp) < days * MS_PER_DAY) return undefined;
  const { metadata: _metadata, ...content } = entry.content;
  return { ...entry, content: content as JsonObject };
}

function withBody(line: LogLine, body: string | undefined): { line: LogLine; body?: string } {
  return body === undefined ? { line } : { line, body };
}
