import type { DecideRewrite, Rewritten } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import type { SessionRef } from '../session-ref.ts';
import {
  type CompactionChoice,
  type DroppedEntry,
  type PlannedCompaction,
  planCompaction,
} from './compaction.ts';
import type { ReadableFiles } from './readable-files.ts';
import type { Session } from './session.ts';
import { foldSession } from './session-fold.ts';
import { addressOf, type Sessions } from './sessions.ts';

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
  /** To the microsecond. */
  readonly duration_ms: number;
}

/** How a session is to be compacted. */
interface CompactionOrder extends Partial<Pick<CompactionChoice, 'dropFaded' | 'forgetsDamaged'>> {
  /** Decides what stays, from the log as it is under the lock. `planCompaction` when left out. */
  readonly plan?: typeof planCompaction;
  /** Whether a plan is carried out; a plan that is not changes nothing. Any is, when left out. */
  readonly isWanted?: (planned: PlannedCompaction) => boolean;
  /** Tells the size that the session would have, when the plan is not carried out. */
  readonly isRehearsal?: boolean;
}

/** Rewrites a session's log as a plan says, and everything that was made from it. */
export class Compactor {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #files: ReadableFiles;
  readonly #purge: (userId: string) => Promise<void>;

  /** @param purge takes what a compaction dropped out of the user's search index too */
  constructor(
    context: LayerContext,
    sessions: Sessions,
    files: ReadableFiles,
    purge: (userId: string) => Promise<void>,
  ) {
    this.#context = context;
    this.#sessions = sessions;
    this.#files = files;
    this.#purge = purge;
  }

  /** @throws NotFoundError SESSION_NOT_FOUND also when the incarnation is over */
  async compact(ref: SessionRef, order: CompactionOrder = {}): Promise<CompactionReport> {
    const { sessionId } = ref;
    const { session } = await this.#sessions.current(ref);
    const { store, clock, emit, schema } = this.#context;
    const { plan = planCompaction, isWanted = () => true } = order;
    const startedAt = clock.monotonic();
    const choice = this.#choiceOf(session, order);
    let planned: PlannedCompaction | undefined;
    let entriesBefore = 0;
    let isDone = false;
    const decide: DecideRewrite = (slice, aside) => {
      const fold = foldSession(sessionId, slice, schema);
      planned = plan(fold, aside, choice);
      // Deleted memories that are still in the log count as there.
      entriesBefore =
        fold.entries.length + planned.dropped.filter(({ reason }) => reason === 'deleted').length;
      isDone = isWanted(planned);
      if (isDone) emit({ kind: 'compaction-started', session_id: sessionId });
      return { ...planned.plan, dryRun: !isDone };
    };
    // What was chosen is about the session that was seen.
    const rewritten = await store.rewrite(addressOf(ref), decide);
    const bytesAfter = isDone
      ? await this.#follow(ref, session)
      : this.#rehearsed(sessionId, session, rewritten, order);
    const { dropped, trimmed, quarantined, discarded } = planned!;
    const report: CompactionReport = {
      session_id: sessionId,
      entries_before: entriesBefore,
      entries_after: entriesBefore - dropped.length,
      bytes_before: rewritten.sizeBefore.total,
      bytes_after: bytesAfter,
      dropped,
      trimmed,
      quarantined,
      discarded,
      duration_ms: toWholeMicroseconds(clock.monotonic() - startedAt),
    };
    const { dropped: _dropped, trimmed: _trimmed, ...facts } = report;
    if (isDone) emit({ kind: 'compaction-finished', ...facts });
    return report;
  }

  /** The size that the session would have. */
  #rehearsed(
    sessionId: string,
    session: Session,
    { sizeAfter, rehearsal }: Rewritten,
    { isRehearsal }: CompactionOrder,
  ): number {
    if (!isRehearsal || rehearsal === undefined) return sizeAfter.total;
    const { slice, size } = rehearsal;
    return this.#files.sizeWithIndex(session, foldSession(sessionId, slice, this.#context.schema), size);
  }

  /**
   * For a log that stays as it is: an earlier compaction may have been killed before it came to what is made from the
   * log. Files that people read are brought up to date where there are some. The size of the session after it.
   */
  async catchUp(sessionId: string): Promise<number> {
    const { store } = this.#context;
    await this.#purge((await this.#sessions.current(sessionId)).session.user_id);
    if ((await store.size(addressOf(sessionId))).index > 0) {
      await this.#files.write(sessionId, await this.#sessions.readFold(sessionId));
    }
    return (await store.size(addressOf(sessionId))).total;
  }

  #choiceOf(session: Session, order: CompactionOrder): CompactionChoice {
    const { clock, config } = this.#context;
    return {
      session,
      nowMs: clock.now(),
      policy: this.#sessions.policyOf(session),
      dropFaded: order.dropFaded ?? false,
      forgetsDamaged: order.forgetsDamaged ?? false,
      trimMetadataAfterDays: config.storage.trim_metadata_after_days,
    };
  }

  /** Takes everything that is made from the log to where the log is now. The size of the session after it. */
  async #follow(ref: SessionRef, { user_id: userId }: Session): Promise<number> {
    const { sessionId } = ref;
    const { store, metrics } = this.#context;
    metrics.count('memory.compaction.count');
    // The places of the memories have changed, and some may be gone: this notifies the followers of the log.
    await store.append(addressOf(ref, userId), []);
    // Also when nothing went now: an earlier compaction may have been killed before it came to this.
    await this.#purge(userId);
    await this.#files.write(sessionId, await this.#sessions.readFold(sessionId));
    return (await store.size(addressOf(sessionId))).total;
  }
}

/** What lies behind them is the noise of subtracting. */
function toWholeMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
