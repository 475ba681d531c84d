import { LonghandError, SizeLimitError } from '../../core/errors.ts';
import type { QuarantinedLine } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import type { SessionOwner } from '../session-ref.ts';
import { type CompactionChoice, type PlannedCompaction, planCompaction } from './compaction.ts';
import type { Compactor } from './compactor.ts';
import type { ReadableFiles } from './readable-files.ts';
import type { Session } from './session.ts';
import type { SessionFold } from './session-fold.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type OpenSession, type Sessions } from './sessions.ts';
import type { SizeLimits } from './size-limits.ts';

/** Automatic compaction starts again only after the session has grown by this share. */
const GROWTH_BEFORE_NEXT = 0.02;

/** Memories fade with time: where nothing could be freed, it is tried again after this. */
const STUCK_MS = 60_000;

/** What a session looked like when nothing could be freed. */
interface Pressure {
  readonly revision: number;
  readonly looseRecords: number;
  readonly logBytes: number;
  readonly atMs: number;
}

/**
 * What happens when a session grows towards its limit.
 *
 * At its threshold it is compacted in the background, and again whenever it has grown by a further share. A write for
 * which there is no room left compacts it at once, then takes the index away, which can be made again, and is refused
 * only when neither gave room. A session in which nothing can be freed is not read through for every refused write.
 */
export class SizePressure {
  /** Of a session. */
  readonly limitBytes: number;
  readonly #growthBytes: number;
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #limits: SizeLimits;
  readonly #compactor: Compactor;
  readonly #files: ReadableFiles;
  /** The size at which each session was last compacted automatically. */
  readonly #compactedAt = new Map<string, number>();
  readonly #stuck = new Map<string, Pressure>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    context: LayerContext,
    sessions: Sessions,
    limits: SizeLimits,
    compactor: Compactor,
    files: ReadableFiles,
  ) {
    this.limitBytes = limits.limitBytes;
    this.#growthBytes = limits.limitBytes * GROWTH_BEFORE_NEXT;
    this.#context = context;
    this.#sessions = sessions;
    this.#limits = limits;
    this.#compactor = compactor;
    this.#files = files;
  }

  /** Starts a compaction in the background when the session has reached its threshold and grown since. */
  onGrown(sessionId: string, session: Session, sizeBytes: number): void {
    const { emit } = this.#context;
    if (sizeBytes < this.#limits.thresholdBytes(session) || this.#running.has(sessionId)) return;
    const lastAt = this.#compactedAt.get(sessionId);
    if (lastAt !== undefined && sizeBytes < lastAt + this.#growthBytes) return;
    this.#compactedAt.set(sessionId, sizeBytes);
    emit({
      kind: 'size-warning',
      session_id: sessionId,
      size_bytes: sizeBytes,
      limit_bytes: this.limitBytes,
    });
    if (!this.#limits.compactsByItself(session)) return;
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
   * Does what may take a session of an owner over its limit, and does it again after room was made.
   * @throws SizeLimitError when there is none to be made, NotFoundError SESSION_NOT_FOUND
   */
  async withRoom<Result>(
    sessionId: string,
    owner: SessionOwner | undefined,
    work: (session: OpenSession, maxBytes: number) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      try {
        return await this.#sessions.on(sessionId, owner, (session) => work(session, this.limitBytes));
      } catch (error) {
        if (!(error instanceof SizeLimitError) || !(await this.makeRoom(sessionId, error))) throw error;
      }
    }
  }

  /**
   * Compacts under size pressure, or removes the index. Whether there is more room than before.
   * @param refused the write that met the limit: another process may have made room since
   */
  async makeRoom(sessionId: string, refused?: SizeLimitError): Promise<boolean> {
    if (await this.#free(sessionId)) return true;
    if (refused === undefined) return false;
    const { total } = await this.#context.store.size(addressOf(sessionId));
    return total < Number(refused.details.size_bytes);
  }

  /** A session in which nothing could be freed is not read through again before there is a reason. */
  async #free(sessionId: string): Promise<boolean> {
    const view = await this.#sessions.current(sessionId);
    const pressure = await this.#pressureOf(sessionId, view);
    if (this.#limits.compactsByItself(view.session) && !this.#isStuck(sessionId, pressure)) {
      if (await this.#compact(sessionId)) return true;
      this.#stuck.set(sessionId, pressure);
    }
    return this.#files.dropIndex(sessionId);
  }

  /** Settles when no compaction runs in the background. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Whether a compaction found nothing to free, and little has happened since. */
  #isStuck(sessionId: string, now: Pressure): boolean {
    const then = this.#stuck.get(sessionId);
    if (then === undefined) return false;
    return (
      now.revision === then.revision &&
      now.looseRecords === then.looseRecords &&
      now.logBytes < then.logBytes + this.#growthBytes &&
      now.atMs < then.atMs + STUCK_MS
    );
  }

  async #pressureOf(sessionId: string, { revision, looseRecords }: SessionView): Promise<Pressure> {
    const { store, clock } = this.#context;
    const { log: logBytes } = await store.size(addressOf(sessionId));
    return { revision, looseRecords, logBytes, atMs: clock.monotonic() };
  }

  async #compact(sessionId: string): Promise<boolean> {
    let canFree = false;
    const report = await this.#compactor.compact(await this.#sessions.open(sessionId), {
      plan: (fold, aside, choice) => this.#plan(fold, aside, choice),
      isWanted: ({ freedBytes }) => {
        canFree = freedBytes > 0;
        return canFree;
      },
    });
    this.#compactedAt.set(sessionId, report.bytes_after);
    return canFree;
  }

  /** First without what no reader gets any more; faded memories go only when that does not free enough. */
  #plan(fold: SessionFold, aside: readonly QuarantinedLine[], choice: CompactionChoice): PlannedCompaction {
    const planned = planCompaction(fold, aside, { ...choice, dropFaded: false });
    // With room to grow before the next one.
    const isEnough = bytesOf(planned) < this.#limits.thresholdBytes(choice.session) - this.#growthBytes;
    return isEnough ? planned : planCompaction(fold, aside, { ...choice, dropFaded: true });
  }
}

/** About what a session takes after a compaction, without its index, which gives way to memories. */
function bytesOf({ plan }: PlannedCompaction): number {
  const lines = plan.keep.reduce((sum, { line, body }) => sum + (body?.length ?? line.length), 0);
  return (plan.tombstones ?? []).reduce((sum, line) => sum + line.length, lines);
}
