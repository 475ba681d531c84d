import { LonghandError, SizeLimitError } from '../../core/errors.ts';
import type { LogSize, QuarantinedLine } from '../../core/store.ts';
import { BYTES_PER_MEGABYTE, type Workshop } from '../workshop.ts';
import {
  type CompactionChoice,
  type DroppedEntry,
  type PlannedCompaction,
  planCompaction,
} from './compaction.ts';
import { damagedLines } from './damaged-lines.ts';
import {
  countTypes,
  INDEX_DOCUMENT,
  METADATA_DOCUMENT,
  type ProjectionInput,
  renderIndex,
  renderMetadata,
  renderOmittedIndex,
  type SummaryFields,
} from './projections.ts';
import type { Session } from './session.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type Sessions } from './sessions.ts';
import type { Snapshots } from './snapshots.ts';
import { tombstoneLines } from './tombstones.ts';

export interface CompactionOptions {
  /** Report what would go, and change nothing. */
  readonly dryRun?: boolean;
  /** Also drop memories whose relevance has faded below 0.05. Default false; automatic under size pressure. */
  readonly dropFaded?: boolean;
}

export interface CompactionReport {
  readonly session_id: string;
  readonly entries_before: number;
  readonly entries_after: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
  readonly dropped: readonly DroppedEntry[];
  /** Entries that lost their `content.metadata`. */
  readonly trimmed: readonly string[];
  /** Damaged lines that were copied to `corrupt/`. */
  readonly quarantined: number;
  /** Damaged lines, and copies of such, that went for good, because they could hold what was deleted. */
  readonly discarded: number;
  readonly duration_ms: number;
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
  readonly total_entries: number;
  readonly total_size_bytes: number;
  readonly size: LogSize;
  readonly limit_bytes: number;
  readonly statistics: Readonly<Record<string, number>>;
  readonly deleted: number;
  readonly corruption: Readonly<Record<'checksum' | 'torn' | 'sequence' | 'schema', number>>;
  /** Damaged lines that compactions have taken out of the log and keep aside in `corrupt/`. */
  readonly quarantined: number;
  readonly unverified: number;
  /** Writes that are held in memory because the store fails at the moment. */
  readonly pending_writes: number;
  readonly schema_version: number;
  readonly last_compaction: string | undefined;
}

/** `undefined` when there is nothing that could have been summarised. */
export type SummaryReader = (sessionId: string) => Promise<SummaryFields | undefined>;

/** A compaction that starts by itself does so again only after the session has grown by this share. */
const GROWTH_BEFORE_NEXT = 0.02;

/** Memories fade with time: where nothing could be freed, it is tried again after this. */
const STUCK_MS = 60_000;

interface CompactionAsked {
  readonly dropFaded?: boolean | 'when-needed';
  readonly forgetsDamaged?: boolean;
}

/** What a session looked like when nothing could be freed. */
interface Pressure {
  readonly epoch: number;
  readonly looseRecords: number;
  readonly logBytes: number;
  readonly atMs: number;
}

/** Keeping sessions small, checked and readable. */
export class Maintenance {
  /** Of a session. */
  readonly limitBytes: number;
  readonly #workshop: Workshop;
  readonly #sessions: Sessions;
  readonly #snapshots: Snapshots;
  readonly #purge: (userId: string) => Promise<void>;
  readonly #summaryOf: SummaryReader;
  /** The size at which each session last compacted by itself. */
  readonly #compactedAt = new Map<string, number>();
  readonly #stuck = new Map<string, Pressure>();
  readonly #running = new Map<string, Promise<void>>();

  /**
   * @param purge takes what a compaction dropped out of the user's search index too
   * @param summaryOf for the readable projection
   */
  constructor(
    workshop: Workshop,
    sessions: Sessions,
    snapshots: Snapshots,
    purge: (userId: string) => Promise<void>,
    summaryOf: SummaryReader = async () => undefined,
  ) {
    this.#purge = purge;
    this.#summaryOf = summaryOf;
    this.#workshop = workshop;
    this.#sessions = sessions;
    this.#snapshots = snapshots;
    this.limitBytes = Math.floor(workshop.config.storage.max_session_size_mb * BYTES_PER_MEGABYTE);
  }

  async compact(sessionId: string, options: CompactionOptions): Promise<CompactionReport> {
    const { dryRun = false, dropFaded = false } = options;
    return this.#compact(sessionId, { dropFaded }, () => !dryRun);
  }

  /**
   * Takes deleted memories out of every file, and with them whatever cannot be read: nobody can tell what a damaged
   * line said, and a copy set aside would outlive what was forgotten.
   */
  async erase(sessionId: string): Promise<void> {
    await this.#compact(sessionId, { forgetsDamaged: true }, () => true);
  }

  /** Starts a compaction in the background when the session has reached its threshold and grown since. */
  onGrown(sessionId: string, { compaction_config }: Session, sizeBytes: number): void {
    const { config, emit } = this.#workshop;
    const limit = this.limitBytes;
    const threshold = compaction_config.threshold ?? config.storage.compaction_threshold;
    if (sizeBytes < limit * threshold || this.#running.has(sessionId)) return;
    const lastAt = this.#compactedAt.get(sessionId);
    if (lastAt !== undefined && sizeBytes < lastAt + limit * GROWTH_BEFORE_NEXT) return;
    this.#compactedAt.set(sessionId, sizeBytes);
    emit({ kind: 'size-warning', session_id: sessionId, size_bytes: sizeBytes, limit_bytes: limit });
    if (!(compaction_config.auto_compact ?? config.storage.auto_compact)) return;
    const running = this.makeRoom(sessionId).then(
      () => undefined,
      (error) => {
        const code = LonghandError.isInstance(error) ? error.code : 'UNKNOWN';
        emit({ kind: 'compaction-failed', session_id: sessionId, code });
      },
    );
    this.#running.set(sessionId, running);
    void running.then(() => this.#running.delete(sessionId));
  }

  /**
   * Does what may take the session over its limit, and does it again after room was made.
   * @throws SizeLimitError when there is none to be made
   */
  async withRoom<Result>(sessionId: string, work: (maxBytes: number) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work(this.limitBytes);
      } catch (error) {
        if (!(error instanceof SizeLimitError) || !(await this.makeRoom(sessionId))) throw error;
      }
    }
  }

  /**
   * Compacts under size pressure, or takes the index away. Whether anything could be freed. A session in which
   * nothing could is not read through again before there is a reason.
   */
  async makeRoom(sessionId: string): Promise<boolean> {
    const { config } = this.#workshop;
    const view = await this.#sessions.current(sessionId);
    const { compaction_config } = view.session;
    const mayCompact = compaction_config.auto_compact ?? config.storage.auto_compact;
    if (mayCompact && !this.#isStuck(sessionId, view)) {
      if (await this.#compactUnderPressure(sessionId)) return true;
      this.#stuck.set(sessionId, this.#pressureOf(view));
    }
    return this.#dropIndex(sessionId);
  }

  /** Whether a compaction found nothing to free, and little has happened since. */
  #isStuck(sessionId: string, view: SessionView): boolean {
    const then = this.#stuck.get(sessionId);
    if (then === undefined) return false;
    const now = this.#pressureOf(view);
    return (
      now.epoch === then.epoch &&
      now.looseRecords === then.looseRecords &&
      now.logBytes < then.logBytes + this.limitBytes * GROWTH_BEFORE_NEXT &&
      now.atMs < then.atMs + STUCK_MS
    );
  }

  #pressureOf({ epoch, looseRecords, position }: SessionView): Pressure {
    return { epoch, looseRecords, logBytes: position!.offset, atMs: this.#workshop.clock.monotonic() };
  }

  async #compactUnderPressure(sessionId: string): Promise<boolean> {
    let canFree = false;
    const report = await this.#compact(
      sessionId,
      { dropFaded: 'when-needed' },
      ({ dropped, trimmed, superseded }) => {
        canFree = dropped.length > 0 || trimmed.length > 0 || superseded > 0;
        return canFree;
      },
    );
    this.#compactedAt.set(sessionId, report.bytes_after);
    return canFree;
  }

  /** First without what nobody misses; faded memories go only when that does not make the session small enough. */
  #planUnderPressure(
    fold: SessionFold,
    aside: readonly QuarantinedLine[],
    choice: CompactionChoice,
  ): PlannedCompaction {
    const planned = planCompaction(fold, aside, { ...choice, dropFaded: false });
    const threshold =
      choice.session.compaction_config.threshold ?? this.#workshop.config.storage.compaction_threshold;
    // With room to grow before the next one.
    const isEnough = bytesOf(planned) < this.limitBytes * (threshold - GROWTH_BEFORE_NEXT);
    return isEnough ? planned : planCompaction(fold, aside, { ...choice, dropFaded: true });
  }

  /** What is made from the memories must not be in the way of a memory. */
  async #dropIndex(sessionId: string): Promise<boolean> {
    const { store, clock } = this.#workshop;
    const omitted = renderOmittedIndex(clock.now());
    const { index } = await store.size(addressOf(sessionId));
    if (index <= omitted.length) return false;
    await store.writeDocument(addressOf(sessionId), INDEX_DOCUMENT, omitted);
    return true;
  }

  /**
   * Checks every line, mends the list of deletions and the user's list of sessions, and writes `index.json` and
   * `metadata.json` anew, and the session's part of the store's readable lists.
   */
  async rebuildIndex(sessionId: string): Promise<IndexReport> {
    const fold = await this.#readFold(sessionId);
    await this.#mendLists(sessionId, fold);
    await this.#writeProjections(sessionId, fold);
    return {
      session_id: sessionId,
      entries: fold.entries.length,
      damaged_lines: fold.damage.length,
      unverified_lines: fold.unverified,
    };
  }

  async stats(sessionId: string): Promise<SessionStats> {
    const { store } = this.#workshop;
    const fold = await this.fold(sessionId);
    const size = await store.size(addressOf(sessionId));
    const corruption = { checksum: 0, torn: 0, sequence: 0, schema: 0 };
    for (const { kind } of fold.damage) corruption[kind]++;
    return {
      session_id: sessionId,
      user_id: fold.session?.user_id || undefined,
      created_at: fold.session?.created_at,
      total_entries: fold.entries.length,
      total_size_bytes: size.total,
      size,
      limit_bytes: this.limitBytes,
      statistics: countTypes(fold.entries),
      deleted: fold.deletedIds.size,
      corruption,
      quarantined: (await store.quarantined(addressOf(sessionId))).length,
      unverified: fold.unverified,
      pending_writes: store.pendingWrites(addressOf(sessionId)),
      schema_version: fold.oldestVersion,
      last_compaction: fold.lastCompaction,
    };
  }

  /** Rewrites a log of an earlier schema. Whether there was anything to do. */
  async migrate(sessionId: string): Promise<boolean> {
    const view = await this.#sessions.current(sessionId);
    if (!view.needsMigration) return false;
    const from = view.oldestVersion;
    await this.#compact(sessionId, {}, () => true);
    const { emit, schema } = this.#workshop;
    emit({ kind: 'schema-migrated', session_id: sessionId, from, to: schema.version });
    return true;
  }

  /** Lines that cannot be read, in the log and set aside. */
  async countDamaged(sessionId: string, fold: SessionFold): Promise<number> {
    const aside = await this.#workshop.store.quarantined(addressOf(sessionId));
    return damagedLines(fold.damage).length + aside.length;
  }

  async fold(sessionId: string): Promise<SessionFold> {
    await this.#sessions.current(sessionId);
    return this.#readFold(sessionId);
  }

  /** Settles when no compaction runs in the background. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #compact(
    sessionId: string,
    { dropFaded = false, forgetsDamaged = false }: CompactionAsked,
    isWanted: (planned: PlannedCompaction) => boolean,
  ): Promise<CompactionReport> {
    const { store, clock, config, emit, metrics, schema } = this.#workshop;
    const { session } = await this.#sessions.current(sessionId);
    const startedAt = clock.monotonic();
    const choice = {
      session,
      nowMs: clock.now(),
      policy: this.#sessions.policyOf(session),
      dropFaded: dropFaded === true,
      forgetsDamaged,
      trimMetadataAfterDays: config.storage.trim_metadata_after_days,
    };
    let planned: PlannedCompaction | undefined;
    let entriesBefore = 0;
    let isDone = false;
    const { sizeBefore, sizeAfter } = await store.rewrite(addressOf(sessionId), (slice, aside) => {
      const fold = foldSession(sessionId, slice, schema);
      planned =
        dropFaded === 'when-needed'
          ? this.#planUnderPressure(fold, aside, choice)
          : planCompaction(fold, aside, choice);
      // Deleted memories that are still in the log count as there.
      entriesBefore =
        fold.entries.length + planned.dropped.filter(({ reason }) => reason === 'deleted').length;
      isDone = isWanted(planned);
      if (isDone) emit({ kind: 'compaction-started', session_id: sessionId });
      return { ...planned.plan, dryRun: !isDone };
    });
    let bytesAfter = sizeAfter.total;
    if (isDone) {
      metrics.count('memory.compaction.count');
      // The places of the memories have changed, and some may be gone: whoever follows the log must hear of it.
      await store.append(addressOf(sessionId), [], { userId: session.user_id });
      // Also when nothing went now: an earlier compaction may have been killed before it came to this.
      await this.#purge(session.user_id);
      await this.#writeProjections(sessionId, await this.#readFold(sessionId));
      bytesAfter = (await store.size(addressOf(sessionId))).total;
    }
    const { dropped, trimmed, quarantined, discarded } = planned!;
    const report: CompactionReport = {
      session_id: sessionId,
      entries_before: entriesBefore,
      entries_after: entriesBefore - dropped.length,
      bytes_before: sizeBefore.total,
      bytes_after: bytesAfter,
      dropped,
      trimmed,
      quarantined,
      discarded,
      duration_ms: clock.monotonic() - startedAt,
    };
    if (isDone) {
      const { entries_before, entries_after, bytes_before, bytes_after, duration_ms } = report;
      emit({
        kind: 'compaction-finished',
        session_id: sessionId,
        entries_before,
        entries_after,
        bytes_before,
        bytes_after,
        quarantined,
        discarded,
        duration_ms,
      });
    }
    return report;
  }

  async #readFold(sessionId: string): Promise<SessionFold> {
    const { store, schema } = this.#workshop;
    const slice = await store.read(addressOf(sessionId));
    const fold = foldSession(sessionId, slice, schema);
    this.#sessions.reportDamage(sessionId, slice.position.generation, fold.damage);
    return fold;
  }

  async #mendLists(sessionId: string, fold: SessionFold): Promise<void> {
    const { store } = this.#workshop;
    const present = new Set(
      (await store.readDocument(addressOf(sessionId), 'tombstones.jsonl'))?.split('\n'),
    );
    const missing = fold.deletes
      .flatMap(({ record }) => tombstoneLines(record))
      .filter((line) => !present.has(line));
    const { user_id: userId } = (await this.#sessions.view(sessionId)).session;
    await store.append(addressOf(sessionId), [], { tombstones: missing, userId });
  }

  async #writeProjections(sessionId: string, fold: SessionFold): Promise<void> {
    const { store, clock, config } = this.#workshop;
    const address = addressOf(sessionId);
    const { session } = await this.#sessions.view(sessionId);
    const size = await store.size(address);
    const nowMs = clock.now();
    const { enabled, min_decay_factor, type_specific } = config.decay;
    const decay = {
      enabled,
      half_life_hours: type_specific.conversation.half_life_hours ?? 168,
      min_decay_factor,
    };
    const input: ProjectionInput = {
      fold: { ...fold, session },
      policy: this.#sessions.policyOf(session),
      decay,
      sizeBytes: size.total,
      summary: await this.#summaryOf(sessionId),
      nowMs,
    };
    const index = renderIndex(input);
    const indexBytes = Buffer.byteLength(index);
    // Up to the size at which the session would compact: an index is no reason to.
    const threshold = session.compaction_config.threshold ?? config.storage.compaction_threshold;
    const fits = size.log + size.tombstones + indexBytes <= this.limitBytes * threshold;
    const fitted = fits ? index : renderOmittedIndex(nowMs);
    await store.writeDocument(address, INDEX_DOCUMENT, fitted);
    const sizeBytes = size.log + size.tombstones + Buffer.byteLength(fitted);
    await store.writeDocument(address, METADATA_DOCUMENT, renderMetadata({ ...input, sizeBytes }));
    await this.#snapshots.put(sessionId, { userId: session.user_id, entries: fold.entries, sizeBytes });
  }
}

/** About what a session takes after a compaction, without its index, which gives way to memories. */
function bytesOf({ plan }: PlannedCompaction): number {
  const lines = plan.keep.reduce((sum, { line, body }) => sum + (body?.length ?? line.length), 0);
  return (plan.tombstones ?? []).reduce((sum, line) => sum + line.length, lines);
}
