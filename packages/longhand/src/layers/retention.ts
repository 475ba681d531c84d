import { NotFoundError } from '../core/errors.ts';
import type { Details, KeptDetail } from './details/index.ts';
import { codeOf, failureOf, fieldsOf } from './failures.ts';
import type { LayerContext } from './layer-context.ts';
import { refuseUnknownOptions } from './memories/sessions.ts';
import { prunable, type Transcripts } from './transcript/index.ts';

/**
 * What has been kept for as long as the configuration says goes, in every session of the store, idle ones too.
 *
 * One process at a time does it: the others find it claimed, or done. It works session by session, and each is finished
 * before the next one begins, so a process that is killed leaves nothing half done and the next run does the rest. A
 * session is opened again only when something in it may have had its time since.
 */
export interface PruneOptions {
  /** Only reports what would go. */
  readonly dryRun?: boolean;
  /** How many of the sessions were looked at. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends the run before the next session. */
  readonly signal?: AbortSignal;
}

/** What has gone, or would go, of one session. */
export interface PrunedSession extends PrunedPieces {
  readonly session_id: string;
  /** When the oldest of it was archived or stored. */
  readonly oldest: string;
}

interface PrunedPieces {
  readonly messages: number;
  readonly details: number;
}

export interface PruneReport extends PrunedPieces {
  readonly dry_run: boolean;
  /** Another process is doing it at this moment: then nothing was looked at. */
  readonly is_claimed: boolean;
  /** Those that something has gone from. */
  readonly sessions: readonly PrunedSession[];
  /** Those that could not be pruned, and why. */
  readonly failed: readonly { readonly session_id: string; readonly code: string }[];
}

const DOCUMENT = 'indices/retention.json';
/** Another process may have stored what expires sooner than anything that was there. */
const LOOK_AGAIN_MS = 86_400_000;

export class Retention {
  readonly #context: LayerContext;
  readonly #transcripts: Transcripts;
  readonly #details: Details;
  /** When something in a session may have had its time; sessions that were not looked at are not in it. */
  readonly #dueMs = new Map<string, number>();

  constructor(context: LayerContext, transcripts: Transcripts, details: Details) {
    this.#context = context;
    this.#transcripts = transcripts;
    this.#details = details;
  }

  /** Prunes every session, and reports what went. @throws ValidationError INVALID_OPTION, the signal's reason */
  prune(options: PruneOptions = {}): Promise<PruneReport> {
    refuseUnknownOptions(options, ['dryRun', 'onProgress', 'signal']);
    return this.#pruneAlone(options);
  }

  /** The same, unless a process has done it within the interval and under the same settings. Tells of its failures. */
  async pruneIfDue(signal: AbortSignal): Promise<void> {
    try {
      await this.#pruneAlone({ signal }, true);
    } catch (error) {
      // A store that this process may only read is pruned by those that may write to it.
      if (!signal.aborted && codeOf(error) !== 'ACCESS_DENIED')
        this.#context.emit(failureOf('all sessions', 'prune', error));
    }
  }

  async #pruneAlone(options: PruneOptions, onlyIfDue = false): Promise<PruneReport> {
    if (options.dryRun) return this.#pruneAll(options);
    const release = await this.#context.store.claim('retention');
    if (release === undefined) return { ...NOTHING, is_claimed: true };
    try {
      return onlyIfDue && (await this.#isDone()) ? NOTHING : await this.#pruneAll(options);
    } finally {
      release();
    }
  }

  async #isDone(): Promise<boolean> {
    const { store, clock, config } = this.#context;
    const { finished_at, settings } = fieldsOf(await store.readDocument(undefined, DOCUMENT));
    const sinceMs = clock.now() - Date.parse(String(finished_at));
    const isRecent = sinceMs >= 0 && sinceMs < config.retention.interval_minutes * 60_000;
    return isRecent && settings === this.#settings;
  }

  async #pruneAll({ dryRun = false, onProgress, signal }: PruneOptions): Promise<PruneReport> {
    const { store, clock, emit, metrics } = this.#context;
    const startedAt = clock.monotonic();
    const sessions: PrunedSession[] = [];
    const failed: { session_id: string; code: string }[] = [];
    const counted = new Set<string>();
    const ids = await store.list('session');
    for (const [done, id] of ids.entries()) {
      signal?.throwIfAborted();
      try {
        const pruned = await this.#pruneOne(id, dryRun, counted);
        if (pruned !== undefined) sessions.push(pruned);
      } catch (error) {
        // One that was deleted since it was listed is gone, and one that fails keeps no other from its turn.
        if (!(error instanceof NotFoundError)) failed.push({ session_id: id, code: codeOf(error) });
      }
      onProgress?.(done + 1, ids.length);
    }
    const sum = (name: keyof PrunedPieces): number => sessions.reduce((total, each) => total + each[name], 0);
    const [messages, details] = [sum('messages'), sum('details')];
    if (!dryRun) {
      const listed = new Set(ids);
      for (const id of this.#dueMs.keys()) if (!listed.has(id)) this.#dueMs.delete(id);
      const finished_at = new Date(clock.now()).toISOString();
      const counts = { sessions: sessions.length, messages, details, failed: failed.length };
      const text = JSON.stringify({ version: 1, finished_at, settings: this.#settings, ...counts }, null, 2);
      await store.writeDocument(undefined, DOCUMENT, `${text}\n`);
      metrics.count('memory.retention.runs.count');
      metrics.count('memory.retention.removed.count', messages + details);
      emit({ kind: 'retention-finished', ...counts, duration_ms: clock.monotonic() - startedAt });
    }
    return { dry_run: dryRun, is_claimed: false, messages, details, sessions, failed };
  }

  /** @param counted the values of details that the run has counted: one may be found from two sessions */
  async #pruneOne(id: string, dryRun: boolean, counted: Set<string>): Promise<PrunedSession | undefined> {
    const { store, clock } = this.#context;
    const nowMs = clock.now();
    if ((this.#dueMs.get(id) ?? 0) > nowMs) return undefined;
    const transcript = await this.#transcripts.glance(id);
    const beforeMs = this.#transcripts.expiredBeforeMs;
    const batches = prunable(transcript, beforeMs);
    const isTouched = batches.length > 0 || (await store.list('blob', id)).length > 0;
    const removed = isTouched ? await this.expire(id, dryRun) : NONE_EXPIRED;
    // What is archived from now on is due later than this.
    const nextMs = Math.min(transcript.oldestMs, nowMs) + nowMs - beforeMs;
    if (!dryRun) this.#dueMs.set(id, Math.min(nextMs, removed.nextMs, nowMs + LOOK_AGAIN_MS));
    const details = removed.details.filter(({ blob }) => !counted.has(blob));
    for (const { blob } of details) counted.add(blob);
    const { messages } = removed;
    if (messages + details.length === 0) return undefined;
    const times = [...batches.map((part) => part.archivedAt), ...details.map((each) => each.created_at)];
    return { session_id: id, messages, details: details.length, oldest: times.sort()[0]! };
  }

  /** Removes the messages and details of a session that have been kept for their time, or only finds them. */
  async expire(sessionId: string, dryRun = false): Promise<ExpiredPieces> {
    const [transcripts, details, nowMs] = [this.#transcripts, this.#details, this.#context.clock.now()];
    const beforeMs = transcripts.expiredBeforeMs;
    const state = await transcripts.state(sessionId);
    const incarnation = transcripts.log(sessionId).incarnationOf(state);
    const isGone = (id: string): boolean => state.isGone(id);
    const going = await transcripts.archivedBefore(sessionId, beforeMs);
    // First: what was captured from messages is found by them.
    const captured = await details.forgetCaptures({ sessionId, incarnation }, going, { isGone, dryRun });
    const expired = await details.expire(sessionId, nowMs, dryRun);
    if (!dryRun) await transcripts.prune(sessionId, beforeMs);
    const next = (await details.keptInSession(sessionId)).map(({ expires_at }) =>
      Date.parse(expires_at ?? ''),
    );
    return {
      messages: going.length,
      details: [...new Map([...captured, ...expired].map((detail) => [detail.blob, detail])).values()],
      nextMs: Math.min(...next.filter((ms) => ms > nowMs)),
    };
  }

  /** What has been kept for how long depends on these. */
  get #settings(): string {
    const { transcript, details } = this.#context.config;
    return `transcript ${transcript.retain_days}, details ${details.expire_after_days}`;
  }
}

interface ExpiredPieces {
  readonly messages: number;
  readonly details: readonly KeptDetail[];
  /** When the next detail expires. */
  readonly nextMs: number;
}

const NONE_EXPIRED: ExpiredPieces = { messages: 0, details: [], nextMs: Number.POSITIVE_INFINITY };
const NOTHING: PruneReport = {
  ...{ dry_run: false, is_claimed: false, messages: 0, details: 0 },
  ...{ sessions: [], failed: [] },
};
