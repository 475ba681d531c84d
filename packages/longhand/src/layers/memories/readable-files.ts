import { METADATA_DOCUMENT } from '../../core/owner-in-metadata.ts';
import type { LogSize } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import { isSessionGone } from '../session-ref.ts';
import {
  INDEX_DOCUMENT,
  type IndexInput,
  type ProjectionInput,
  renderIndex,
  renderMetadata,
  renderOmittedIndex,
  type SummaryFields,
} from './projections.ts';
import type { Session } from './session.ts';
import type { SessionFold } from './session-fold.ts';
import { addressOf, isUnreadable, type Sessions } from './sessions.ts';
import type { SizeLimits } from './size-limits.ts';
import type { Snapshots } from './snapshots.ts';
import { tombstoneLines } from './stored-record.ts';

/** `undefined` when there is nothing that could have been summarised. */
export type SummaryReader = (sessionId: string) => Promise<SummaryFields | undefined>;

/**
 * The files of a session that people read beside its log: `index.json`, `metadata.json`, `tombstones.jsonl`, and the
 * session's part of the store's lists. All of them are made from the log, and may be made again at any time.
 *
 * Forgetting rewrites the log first and then these files. So what was read before a rewrite is never written after
 * it: it would bring back what was forgotten, with the receipt already given.
 */
export class ReadableFiles {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #snapshots: Snapshots;
  readonly #limits: SizeLimits;
  readonly #summaryOf: SummaryReader;

  constructor(
    context: LayerContext,
    sessions: Sessions,
    snapshots: Snapshots,
    limits: SizeLimits,
    summaryOf: SummaryReader,
  ) {
    this.#context = context;
    this.#sessions = sessions;
    this.#snapshots = snapshots;
    this.#limits = limits;
    this.#summaryOf = summaryOf;
  }

  /** Adds what is missing to the list of deletions, and the session to the list of its user. */
  async mendLists(sessionId: string, fold: SessionFold): Promise<void> {
    const { store } = this.#context;
    const present = new Set(
      (await store.readDocument(addressOf(sessionId), 'tombstones.jsonl'))?.split('\n'),
    );
    const missing = fold.deletes
      .flatMap(({ record }) => tombstoneLines(record))
      .filter((line) => !present.has(line));
    const session = { sessionId, incarnation: fold.incarnation };
    const { user_id: userId } = (await this.#sessions.current(session)).session;
    await store.append(addressOf(session, userId), [], { tombstones: missing });
  }

  /**
   * Rewrites `index.json`, `metadata.json` and the session's part of the store's lists. What is about a session
   * that was deleted since is refused, and what was read before a rewrite is read again. The lists belong to no session,
   * and nothing holds them still while the log is looked at: they are mended at once.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async write(sessionId: string, fold: SessionFold): Promise<void> {
    for (let read = fold; ; read = await this.#sessions.readFold(sessionId)) {
      if ((await this.#write(sessionId, read)) && (await this.#isOf(sessionId, read))) return;
      await this.#snapshots.remove(sessionId);
    }
  }

  /** Whether the log is in the same incarnation still, and has not been rewritten. */
  async #isOf(sessionId: string, { incarnation, generation }: SessionFold): Promise<boolean> {
    try {
      const view = await this.#sessions.current(sessionId);
      return view.incarnation === incarnation && view.position?.generation === generation;
    } catch (error) {
      if (isSessionGone(error) || isUnreadable(error)) return false;
      throw error;
    }
  }

  /** False when the log has been rewritten since it was read. */
  async #write(sessionId: string, fold: SessionFold): Promise<boolean> {
    const { store, clock, config } = this.#context;
    const { incarnation, generation } = fold;
    const address = addressOf({ sessionId, incarnation });
    const { session } = await this.#sessions.current({ sessionId, incarnation });
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
    const fitted = this.#fittedIndex(input, session, size);
    if (!(await store.writeDocument(address, INDEX_DOCUMENT, fitted, { generation }))) return false;
    const sizeBytes = size.log + size.tombstones + Buffer.byteLength(fitted);
    await this.#snapshots.put(sessionId, {
      userId: session.user_id,
      entries: fold.entries,
      sizeBytes,
      isCurrent: () => this.#isOf(sessionId, fold),
    });
    // Last: it says of which compaction all of them are, and so whether the process that rewrote the log has finished.
    const metadata = renderMetadata({ ...input, sizeBytes });
    return store.writeDocument(address, METADATA_DOCUMENT, metadata, { generation });
  }

  /** The size of a session when `index.json` has been written for a log as it is read, or would be. */
  sizeWithIndex(session: Session, fold: SessionFold, size: LogSize): number {
    const input = { fold, policy: this.#sessions.policyOf(session), nowMs: this.#context.clock.now() };
    return size.log + size.tombstones + Buffer.byteLength(this.#fittedIndex(input, session, size));
  }

  /** Up to the size at which the session would compact: an index is no reason to. */
  #fittedIndex(input: IndexInput, session: Session, { log, tombstones }: LogSize): string {
    const index = renderIndex(input);
    const bytes = log + tombstones + Buffer.byteLength(index);
    return bytes <= this.#limits.thresholdBytes(session) ? index : renderOmittedIndex(input.nowMs);
  }

  /** What is made from the memories must not be in the way of a memory. Whether that gave any room. */
  async dropIndex(sessionId: string): Promise<boolean> {
    const { store, clock } = this.#context;
    const omitted = renderOmittedIndex(clock.now());
    const { index } = await store.size(addressOf(sessionId));
    if (index <= omitted.length) return false;
    await store.writeDocument(addressOf(sessionId), INDEX_DOCUMENT, omitted);
    return true;
  }
}
