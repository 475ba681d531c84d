import type { ChangeMark } from '../../core/store.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import { timeInWords } from '../search/time-in-words.ts';
import { type DetailState, detailFold, type KeptDetail } from './detail-records.ts';
import { capturedFrom } from './tool-capture.ts';

/** Whether a message of a session is gone, or has passed its retention. */
export type IsGone = (sessionId: string, messageId: string) => Promise<boolean>;

/**
 * The details of one user, in whatever session. The user's change file tells which sessions have news; only their logs
 * are looked at. What a record says of its owner is checked too: a session id can be used again, by another user.
 */
export class UserDetails {
  readonly #context: LayerContext;
  readonly userId: string;
  readonly #isGone: IsGone | undefined;
  readonly #logs = new Map<string, FollowedLog<DetailState>>();
  readonly #states = new Map<string, DetailState>();
  #mark: ChangeMark | undefined;
  /** Of the session that was looked at last and has none: it is looked at with every search until another is used. */
  #empty: FollowedLog<DetailState> | undefined;
  /** A look that has not begun. */
  #next: Promise<ReadonlyMap<string, DetailState>> | undefined;

  constructor(context: LayerContext, userId: string, isGone?: IsGone) {
    this.#context = context;
    this.#isGone = isGone;
    this.userId = userId;
  }

  logOf(sessionId: string): FollowedLog<DetailState> {
    let log = this.#logs.get(sessionId);
    if (log === undefined) {
      const isEmpty = this.#empty?.address.id === sessionId;
      log = isEmpty
        ? this.#empty!
        : new FollowedLog(this.#context, { kind: 'details', id: sessionId }, detailFold);
      this.#logs.set(sessionId, log);
    }
    return log;
  }

  /**
   * What each session holds as of now, by session id; those without details are left out. Those who ask at the same
   * time share a look: one that begins after all of them have asked.
   */
  states(): Promise<ReadonlyMap<string, DetailState>> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = undefined;
      return this.#look();
    });
    return this.#next;
  }

  async #look(): Promise<ReadonlyMap<string, DetailState>> {
    const { sessionIds, mark } = await this.#context.store.follow(this.userId, this.#mark);
    // Another history than the one that was followed: the user may have been removed with all sessions.
    const isOther = this.#mark !== undefined && this.#mark.generation !== mark.generation;
    const looked = isOther ? new Set([...sessionIds, ...this.#states.keys()]) : sessionIds;
    const without = await this.#withoutLog([...looked].filter((sessionId) => !this.#states.has(sessionId)));
    for (const sessionId of looked) if (!without.has(sessionId)) await this.refresh(sessionId);
    this.#mark = mark;
    return this.#states;
  }

  /** Most sessions have no log of details: all are asked about with one call. */
  async #withoutLog(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (sessionIds.length < 2) return new Set();
    const answers = await this.#context.store.read(
      sessionIds.map((id) => ({ log: { kind: 'details', id }, maxBytes: 1 })),
    );
    return new Set(sessionIds.filter((_, at) => answers[at] === undefined));
  }

  /** `undefined` when the user has no such detail, or it has expired. */
  async find(key: string, nowMs: number): Promise<KeptDetail | undefined> {
    for (const state of (await this.states()).values()) {
      const detail = state.byKey.get(key);
      if (detail && this.isShown(detail, nowMs) && !(await this.isPast(detail))) return detail;
    }
    return undefined;
  }

  /** Whether it is this user's, and has not expired. */
  isShown({ user_id, expires_at }: KeptDetail, nowMs: number): boolean {
    return user_id === this.userId && (expires_at === null || Date.parse(expires_at) > nowMs);
  }

  /** Whether it was captured from a message that has passed its retention, and only waits to be removed with it. */
  async isPast(detail: KeptDetail): Promise<boolean> {
    const saidIn = detail.provenance?.session_id ?? detail.session_id;
    const sources = this.#context.config.transcript.retain_days === 0 ? [] : capturedFrom(detail);
    for (const id of sources) if (await this.#isGone?.(saidIn, id)) return true;
    return false;
  }

  /** What one session holds as of now. Most sessions have no details: nothing is kept for them. */
  async stateOf(sessionId: string): Promise<DetailState> {
    const log = this.logOf(sessionId);
    const state = await log.current();
    if (state.byKey.size > 0) return state;
    this.#empty = log;
    this.#logs.delete(sessionId);
    return state;
  }

  /** Reads what a session holds, whether or not its change was told. */
  async refresh(sessionId: string): Promise<void> {
    const state = await this.stateOf(sessionId);
    if (state.byKey.size > 0) this.#states.set(sessionId, state);
    else this.#states.delete(sessionId);
  }
}

export interface ListDetailsOptions {
  readonly sessionId?: string;
  readonly type?: string;
  /** Only of this time in words. */
  readonly within?: string | undefined;
  readonly timeZone?: string | undefined;
  /** Only active, or only inactive ones; both when left out. */
  readonly isActive?: boolean;
  /** All when left out. */
  readonly limit?: number;
}

const LIST_OPTIONS = ['sessionId', 'type', 'within', 'timeZone', 'isActive', 'limit'];

/** Whether a detail was kept at a time in words; any when left out. @throws ValidationError INVALID_QUERY */
export function keptWithin(within: string | undefined, nowMs: number, timeZone: string) {
  const { startMs, endMs } =
    within === undefined ? { startMs: -Infinity, endMs: Infinity } : timeInWords(within, nowMs, timeZone);
  return ({ created_at }: KeptDetail): boolean =>
    Date.parse(created_at) >= startMs && Date.parse(created_at) <= endMs;
}

/** Newest first. @throws ValidationError INVALID_OPTION */
export async function listDetails(
  details: UserDetails,
  options: ListDetailsOptions,
  nowMs: number,
  zone: string,
): Promise<readonly KeptDetail[]> {
  refuseUnknownOptions(options, LIST_OPTIONS);
  const { sessionId, type, isActive, limit = Number.POSITIVE_INFINITY } = options;
  const isInTime = keptWithin(options.within, nowMs, options.timeZone ?? zone);
  const found: KeptDetail[] = [];
  for (const [id, { byKey }] of await details.states()) {
    if (sessionId !== undefined && id !== sessionId) continue;
    for (const detail of byKey.values()) {
      const isWanted =
        (type === undefined || detail.memory_type === type) &&
        (isActive === undefined || detail.is_active === isActive);
      const isShown = isWanted && isInTime(detail) && details.isShown(detail, nowMs);
      if (isShown && !(await details.isPast(detail))) found.push(detail);
    }
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** At the same moment by session and place in its log, so that all processes agree. */
export function newestFirst(left: KeptDetail, right: KeptDetail): number {
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? 1 : -1;
  if (left.session_id !== right.session_id) return left.session_id < right.session_id ? -1 : 1;
  return right.order - left.order;
}
