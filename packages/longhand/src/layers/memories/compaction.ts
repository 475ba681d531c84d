import type { StoreConfig } from '../../core/config.ts';
import { LINE_OVERHEAD_BYTES, type LogLine } from '../../core/line.ts';
import {
  type AccessRecord,
  type CompactionRecord,
  type JsonObject,
  type LogRecord,
  type MemoryEntry,
  SCHEMA_VERSION,
} from '../../core/records.ts';
import type { KeptLine, QuarantinedLine, RewritePlan } from '../../core/store.ts';
import {
  baseRelevance,
  COMPACTION_RELEVANCE_THRESHOLD,
  type DecayPolicy,
  decayFactor,
  lastTouchedMs,
  recencyBoost,
} from '../../recall/ranking/index.ts';
import { opening } from '../session-ref.ts';
import { damagedLines } from '../unreadable-lines.ts';
import { judgeDamage } from './damaged-lines.ts';
import { foldedRecord, type Session } from './session.ts';
import type { FoldedEntry, SessionFold } from './session-fold.ts';
import { FORGOTTEN, tombstoneLines } from './stored-record.ts';
import { freshestRelatives, gatherUses, isAccess, type Use } from './uses.ts';

/**
 * What a compaction keeps.
 *
 * Deleted memories go, with every byte of theirs. Faded ones go only when asked, or when the session is
 * running out of room: those whose relevance has fallen below the threshold, except preferences, what replaces another, and
 * what a kept memory refers to, however many steps away. Records of deletions stay: they hold no content,
 * and keep an id from coming back. The session's settings become one record at the front. A last record closes
 * the new log, so that sequence numbers go on rising: where there is nothing to take out, to mend or to lift, a rewrite
 * would only make the log longer.
 */
export interface CompactionChoice {
  /** Whose it is and how it is set, from wherever that is still known. */
  readonly session: Session;
  readonly nowMs: number;
  readonly policy: DecayPolicy;
  readonly dropFaded: boolean;
  /** Damaged lines may hold what is to be forgotten: they go, with copies of earlier ones and reasons of deletions. */
  readonly forgetsDamaged: boolean;
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
  readonly discarded: number;
  /** Whether there is something to take out, to mend or to lift. If not, a rewrite would only make the log longer. */
  readonly isNeeded: boolean;
  /** About how much shorter the log becomes; below 0 when it becomes longer. */
  readonly freedBytes: number;
}

const MS_PER_DAY = 86_400_000;

function isSettings(record: LogRecord): boolean {
  return 'record' in record && record.record === 'session';
}

export function planCompaction(
  fold: SessionFold,
  aside: readonly QuarantinedLine[],
  choice: CompactionChoice,
): PlannedCompaction {
  const uses = gatherUses(fold.records);
  const faded = choice.dropFaded ? findFaded(fold.entries, uses, choice) : new Set<string>();
  const live = new Map(fold.entries.map((folded) => [folded.entry.id, folded]));
  const kept = new Set(fold.entries.map(({ entry }) => entry.id).filter((id) => !faded.has(id)));
  const keep: KeptLine[] = [];
  const dropped: DroppedEntry[] = [];
  const trimmed: string[] = [];
  const settings = fold.records.filter(({ record }) => isSettings(record));
  // As it stands, when it is the only one and where it should be.
  const keepsSettings = settings.length === 1 && settings[0]!.line === fold.records[0]!.line;

  for (const { record, line, order } of fold.records) {
    // Whatever stays keeps its place: pages that have begun go on from a place.
    const isNewLine = fold.oldestVersion < SCHEMA_VERSION || !line.hasChecksumField || line.seq !== order;
    const migratedBody = isNewLine ? JSON.stringify(record) : undefined;
    if (isAccess(record)) {
      const latest = takeLatest(record, uses, kept);
      if (latest !== undefined)
        keep.push(withBody(line, order, latest === record ? migratedBody : JSON.stringify(latest)));
    } else if ('record' in record) {
      // A change of importance is written into the memory itself; an old closing record has done its work.
      if (record.record === 'delete') {
        const silent = choice.forgetsDamaged && record.reason !== FORGOTTEN;
        const body = silent ? JSON.stringify({ ...record, reason: FORGOTTEN }) : migratedBody;
        keep.push(withBody(line, order, body));
      } else if (isSettings(record) && keepsSettings) keep.push(withBody(line, order, migratedBody));
    } else if (!live.has(record.id)) {
      dropped.push({ id: record.id, reason: 'deleted' });
    } else if (live.get(record.id)!.order !== order) {
      // A later line of a memory: what it says is written where the memory first stood.
    } else if (faded.has(record.id)) {
      dropped.push({ id: record.id, reason: 'faded' });
    } else {
      const { entry, line: last, isChanged } = live.get(record.id)!;
      const slim = trimMetadata(entry, choice);
      if (slim !== undefined) trimmed.push(record.id);
      const changed = slim ?? (isChanged || last !== line ? entry : undefined);
      keep.push(withBody(line, order, changed === undefined ? migratedBody : JSON.stringify(changed)));
    }
  }

  const { quarantine, forget, discarded } = judgeDamage(fold, aside, choice.forgetsDamaged);
  const closing: CompactionRecord = {
    ...opening('compaction', choice.session.id, choice.nowMs),
    user_id: choice.session.user_id,
    account_id: choice.session.account_id,
    created_at: choice.session.created_at,
    dropped: dropped.length,
    ...(fold.oldestVersion < SCHEMA_VERSION ? { migrated_from: fold.oldestVersion } : {}),
    ...(fold.migratedAt === undefined ? {} : { migrated_at: fold.migratedAt }),
  };
  const prepend = keepsSettings ? [] : [JSON.stringify(foldedRecord(choice.session))];
  const append = [JSON.stringify(closing)];
  const mustGo = dropped.length + trimmed.length + fold.damage.length + discarded;
  const mustMend = fold.unverified + (fold.oldestVersion < SCHEMA_VERSION ? 1 : 0);
  const freedBytes = bytesOf(fold) - bytesAfter(keep, [...prepend, ...append]);
  return {
    dropped,
    trimmed,
    quarantined: quarantine.length,
    discarded,
    isNeeded: mustGo + mustMend > 0 || freedBytes > 0,
    freedBytes,
    plan: {
      prepend,
      keep,
      append,
      tombstones: fold.deletes.flatMap(({ record }) =>
        tombstoneLines(choice.forgetsDamaged ? { ...record, reason: FORGOTTEN } : record),
      ),
      quarantine,
      forget,
    },
  };
}

/**
 * What of an access record still counts: the memories that were last used then, with all their uses. So the
 * records of a session stay as few as its memories, however often they are used. `undefined` when nothing does.
 */
function takeLatest(
  record: AccessRecord,
  uses: Map<string, Use>,
  kept: ReadonlySet<string>,
): AccessRecord | undefined {
  const timestampMs = Date.parse(record.timestamp);
  const latest: Record<string, number> = Object.create(null) as Record<string, number>;
  for (const id of Object.keys(record.uses)) {
    const use = uses.get(id);
    if (use?.lastAccessMs !== timestampMs || !kept.has(id)) continue;
    latest[id] = use.accessCount;
    uses.delete(id);
  }
  const ids = Object.keys(latest);
  if (ids.length === 0) return undefined;
  const isSame =
    ids.length === Object.keys(record.uses).length && ids.every((id) => latest[id] === record.uses[id]);
  return isSame ? record : { ...record, uses: latest };
}

/** What the memories of a session are worth without a question, now. Relatives count as in queries. */
export function currentRelevances(
  entries: readonly FoldedEntry[],
  uses: ReadonlyMap<string, Use>,
  policy: DecayPolicy,
  nowMs: number,
): (entry: MemoryEntry) => number {
  const freshestRelatedMsOf = freshestRelatives(
    entries.map(({ entry }) => entry),
    policy,
  );
  return (entry) => {
    const use = uses.get(entry.id);
    const timestampMs = Date.parse(entry.timestamp);
    const freshestRelatedMs = freshestRelatedMsOf(entry);
    const decay = decayFactor({ ...use, type: entry.type, timestampMs, freshestRelatedMs }, policy, nowMs);
    return baseRelevance(entry.importance, decay, recencyBoost(lastTouchedMs(timestampMs, use), nowMs));
  };
}

function findFaded(
  entries: readonly FoldedEntry[],
  uses: ReadonlyMap<string, Use>,
  choice: CompactionChoice,
): Set<string> {
  const faded = new Set<string>();
  const byId = new Map(entries.map(({ entry }) => [entry.id, entry]));
  const relevanceOf = currentRelevances(entries, uses, choice.policy, choice.nowMs);
  for (const { entry } of entries) {
    // Without the newer one, the old ones would come back.
    if (entry.type === 'preference' || entry.replaces !== undefined) continue;
    if (relevanceOf(entry) < COMPACTION_RELEVANCE_THRESHOLD) faded.add(entry.id);
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

function bytesOf({ records, damage }: SessionFold): number {
  const lines = [...records.map(({ line }) => line), ...damagedLines(damage)];
  return lines.reduce((sum, { length }) => sum + length, 0);
}

/** About what the log takes when it has been rewritten. */
function bytesAfter(keep: RewritePlan['keep'], added: readonly string[]): number {
  const lengthOf = (body: string): number => Buffer.byteLength(body) + LINE_OVERHEAD_BYTES;
  const kept = keep.reduce(
    (sum, { line, body }) => sum + (body === undefined ? line.length : lengthOf(body)),
    0,
  );
  return added.reduce((sum, body) => sum + lengthOf(body), kept);
}

function withBody(line: LogLine, seq: number, body: string | undefined): KeptLine {
  return body === undefined ? { line } : { line, body, seq };
}
