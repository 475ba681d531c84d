import type { ChangeMark } from '../../core/store.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { type DetailState, detailFold, type KeptDetail } from './detail-records.ts';

/**
 * The details of one user, in whatever session. The user's change file tells which sessions have news; only their logs
 * are looked at. What a record says of its owner is checked too: a session id can be used again, by another user.
 */
export class UserDetails {
  readonly #context: LayerContext;
  readonly userId: string;
  readonly #logs = new Map<string, FollowedLog<DetailState>>();
  readonly #states = new Map<string, DetailState>();
  #mark: ChangeMark | undefined;
  /** Of the session that was looked at last and has none: it is looked at with every search until another is used. */
  #empty: FollowedLog<DetailState> | undefined;
  /** A look that has not begun. */
  #next: Promise<ReadonlyMap<string, DetailState>> | undefined;

  constructor(context: LayerContext, userId: string) {
    this.#context = context;
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
    for (const sessionId of looked) await this.#take(sessionId);
    this.#mark = mark;
    return this.#states;
  }

  /** `undefined` when the user has no such detail, or it has expired. */
  async find(key: string, nowMs: number): Promise<KeptDetail | undefined> {
    for (const state of (await this.states()).values()) {
      const detail = state.byKey.get(key);
      if (detail !== undefined && this.isShown(detail, nowMs)) return detail;
    }
    return undefined;
  }

  /** Whether it is this user's, and has not expired. */
  isShown({ user_id, expires_at }: KeptDetail, nowMs: number): boolean {
    return user_id === this.userId && (expires_at === null || Date.parse(expires_at) > nowMs);
  }

  async #take(sessionId: string): Promise<void> {
    const log = this.logOf(sessionId);
    const state = await log.current();
    if (state.byKey.size > 0) {
      this.#states.set(sessionId, state);
      return;
    }
    // Most sessions have none: nothing is kept for them.
    this.#empty = log;
    this.#states.delete(sessionId);
    this.#logs.delete(sessionId);
  }
}
