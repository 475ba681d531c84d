import { type ErrorCode, LonghandError } from '../../core/errors.ts';
import { parseSessionId } from '../../core/ids.ts';
import { METADATA_DOCUMENT } from '../../core/owner-in-metadata.ts';
import { linesSetAside } from '../../core/read-log.ts';
import { isMemoryEntry } from '../../core/records.ts';
import type { LogSize } from '../../core/store.ts';
import { fieldsOf } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import type { SessionOwner, SessionRef } from '../session-ref.ts';
import { damagedLines } from '../unreadable-lines.ts';
import type { PlannedCompaction } from './compaction.ts';
import { type CompactionReport, Compactor } from './compactor.ts';
import { countTypes } from './projections.ts';
import { ReadableFiles, type SummaryReader } from './readable-files.ts';
import { replacementsIn } from './replacements.ts';
import type { SessionFold } from './session-fold.ts';
import { addressOf, type Sessions } from './sessions.ts';
import { SizeLimits } from './size-limits.ts';
import { SizePressure } from './size-pressure.ts';
import type { Snapshots } from './snapshots.ts';

export type { CompactionReport } from './compactor.ts';

export interface CompactionOptions {
  /** Report what would go, and change nothing. The report is that of a compaction at this moment. */
  readonly dryRun?: boolean;
  /** Also drop memories whose relevance has faded below 0.05. Default false; automatic under size pressure. */
  readonly dropFaded?: boolean;
  /**
   * Leave a log alone that has nothing to take out, to mend or to lift: a rewrite would only make it longer. Default
   * false.
   */
  readonly onlyIfNeeded?: boolean;
}

export interface IndexReport {
  readonly session_id: string;
  readonly entries: number;
  readonly damaged_lines: number;
  readonly unverified_lines: number;
}

export interface SessionStats {
  readonly session_id: string;
  /** Who owns it and since when; `undefined` when the record that says so is damaged. */
  readonly user_id: string | undefined;
  readonly created_at: string | undefined;
  /** When the oldest of its memories is of, which may be long before it was made; `undefined` without any. */
  readonly first_memory_at: string | undefined;
  readonly total_entries: number;
  readonly total_size_bytes: number;
  readonly size: LogSize;
  readonly limit_bytes: number;
  readonly statistics: Readonly<Record<string, number>>;
  readonly deleted: number;
  /** Bytes of deleted memories that are in the log until a compaction. Records of deletions stay behind it too. */
  readonly deleted_bytes: number;
  /** Memories, in whatever session, that its memories have replaced. */
  readonly replaced: number;
  readonly corruption: Readonly<Record<'checksum' | 'torn' | 'sequence' | 'schema', number>>;
  /** Damaged lines that compactions have taken out of the log and keep aside in `corrupt/`. */
  readonly quarantined: number;
  readonly unverified: number;
  /** Writes that are held in memory because the store fails at the moment. */
  readonly pending_writes: number;
  readonly schema_version: number;
  readonly last_compaction: string | undefined;
}

/** What `migrateSessions` did. */
export interface MigrationReport {
  /** The ids of the sessions that were rewritten. */
  readonly migrated: readonly string[];
  /** Those that could not be, and why. */
  readonly failed: readonly { readonly session_id: string; readonly code: ErrorCode }[];
}

/** Keeping sessions small, checked and readable. */
export class Maintenance {
  /** Keeps sessions within their limit automatically. */
  readonly pressure: SizePressure;
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #files: ReadableFiles;
  readonly #compactor: Compactor;

  /**
   * @param purge takes what a compaction dropped out of the user's search index too
   * @param summaryOf for the readable projection
   */
  constructor(
    context: LayerContext,
    sessions: Sessions,
    snapshots: Snapshots,
    purge: (userId: string) => Promise<void>,
    summaryOf: SummaryReader = async () => undefined,
  ) {
    const limits = new SizeLimits(context.config);
    this.#context = context;
    this.#sessions = sessions;
    this.#files = new ReadableFiles(context, sessions, snapshots, limits, summaryOf);
    this.#compactor = new Compactor(context, sessions, this.#files, purge);
    this.pressure = new SizePressure(context, sessions, limits, this.#compactor, this.#files);
  }

  async compact(
    sessionId: string,
    options: CompactionOptions,
    owner?: SessionOwner,
  ): Promise<CompactionReport> {
    const { dryRun = false, dropFaded = false, onlyIfNeeded = false } = options;
    let planned: PlannedCompaction | undefined;
    const isWanted = (plan: PlannedCompaction): boolean => {
      planned = plan;
      return !dryRun && (plan.isNeeded || !onlyIfNeeded);
    };
    const order = { dropFaded, isWanted, isRehearsal: dryRun };
    const report = await this.#sessions.on(sessionId, owner, (session) =>
      this.#compactor.compact(session, order),
    );
    if (planned!.isNeeded || !onlyIfNeeded) return report;
    if (dryRun) return { ...report, bytes_after: report.bytes_before };
    return { ...report, bytes_after: await this.#compactor.catchUp(sessionId) };
  }

  /**
   * Takes deleted memories out of every file, and with them whatever cannot be read: what a damaged line said is
   * unknown, and a copy set aside would outlive what was forgotten.
   * @throws NotFoundError SESSION_NOT_FOUND when the incarnation is over
   */
  async erase(session: SessionRef): Promise<void> {
    await this.#compactor.compact(session, { forgetsDamaged: true });
  }

  /** Whether the log was rewritten, and what is made from it was not. */
  async isBehind(sessionId: string, { lastCompaction }: SessionFold): Promise<boolean> {
    if (lastCompaction === undefined) return false;
    const metadata = await this.#context.store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    return fieldsOf(metadata).last_compaction !== lastCompaction;
  }

  /** Then what is gone from the log is taken out there too. */
  async catchUp(sessionId: string): Promise<void> {
    await this.#compactor.catchUp(sessionId);
  }

  /** Rewrites a log of an earlier schema. Whether there was anything to do. */
  async migrate(sessionId: string): Promise<boolean> {
    const view = await this.#sessions.current(sessionId);
    if (!view.needsMigration) return false;
    const from = view.oldestVersion;
    await this.#compactor.compact(await this.#sessions.open(sessionId));
    const { emit, schema } = this.#context;
    emit({ kind: 'schema-migrated', session_id: sessionId, from, to: schema.version });
    return true;
  }

  /** Lifts every session of the store to the current schema. One that cannot be lifted keeps no other from its turn. */
  async migrateAll(onProgress?: (done: number, total: number) => void): Promise<MigrationReport> {
    const ids = await this.#context.store.list('session');
    const migrated: string[] = [];
    const failed: { session_id: string; code: ErrorCode }[] = [];
    for (const [i, id] of ids.entries()) {
      try {
        if (await this.migrate(id)) migrated.push(id);
      } catch (error) {
        if (!LonghandError.isInstance(error) || error.code === 'STORE_CLOSED') throw error;
        // One that is gone since it was listed needs no lifting.
        if (error.code !== 'SESSION_NOT_FOUND') failed.push({ session_id: id, code: error.code });
      }
      onProgress?.(i + 1, ids.length);
    }
    return { migrated, failed };
  }

  /**
   * Checks every line, mends the list of deletions and the user's list of sessions, and rewrites `index.json`,
   * `metadata.json` and the session's part of the store's readable lists.
   */
  async rebuildIndex(sessionId: string): Promise<IndexReport> {
    const fold = await this.#sessions.readFold(sessionId);
    await this.#files.mendLists(sessionId, fold);
    await this.#files.write(sessionId, fold);
    return {
      session_id: sessionId,
      entries: fold.entries.length,
      damaged_lines: fold.damage.length,
      unverified_lines: fold.unverified,
    };
  }

  async stats(sessionId: string): Promise<SessionStats> {
    const { store } = this.#context;
    const fold = await this.fold(sessionId);
    const size = await store.size(addressOf(sessionId));
    const corruption = { checksum: 0, torn: 0, sequence: 0, schema: 0 };
    for (const { kind } of fold.damage) corruption[kind]++;
    const dead = fold.records.filter(({ record }) => isMemoryEntry(record) && fold.deletedIds.has(record.id));
    return {
      session_id: sessionId,
      user_id: fold.session?.user_id || undefined,
      created_at: fold.session?.created_at,
      first_memory_at: firstTimeOf(fold),
      total_entries: fold.entries.length,
      total_size_bytes: size.total,
      size,
      limit_bytes: this.pressure.limitBytes,
      statistics: countTypes(fold.entries),
      deleted: fold.deletedIds.size,
      deleted_bytes: dead.reduce((sum, { line }) => sum + line.length, 0),
      replaced: new Set([...replacementsIn(fold.entries, fold).values()].flat()).size,
      corruption,
      quarantined: (await linesSetAside(store, addressOf(sessionId))).length,
      unverified: fold.unverified,
      pending_writes: store.folder?.pendingWrites(addressOf(sessionId)) ?? 0,
      schema_version: fold.oldestVersion,
      last_compaction: fold.lastCompaction,
    };
  }

  /** Lines that cannot be read, in the log and set aside. */
  async countDamaged(sessionId: string, fold: SessionFold): Promise<number> {
    const aside = await linesSetAside(this.#context.store, addressOf(sessionId));
    return damagedLines(fold.damage).length + aside.length;
  }

  /** The whole log, checked and understood. @throws NotFoundError SESSION_NOT_FOUND */
  async fold(sessionId: string): Promise<SessionFold> {
    return this.#sessions.readFold(parseSessionId(sessionId));
  }
}

/** Timestamps are all written in the same form, and sort as texts. */
function firstTimeOf({ entries }: SessionFold): string | undefined {
  let first: string | undefined;
  for (const { entry } of entries)
    if (first === undefined || entry.timestamp < first) first = entry.timestamp;
  return first;
}
