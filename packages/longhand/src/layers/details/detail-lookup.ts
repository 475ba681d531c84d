import { NotFoundError } from '../../core/errors.ts';
import { parseName, parseSessionId } from '../../core/ids.ts';
import { parseMemoryKey } from '../../core/memory-ref.ts';
import type { OpenBlob } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import { addressOf, type Sessions } from '../memories/sessions.ts';
import { type AnySession, refOf, type SessionRef } from '../session-ref.ts';
import { damaged } from './detail-reader.ts';
import type { KeptDetail } from './detail-records.ts';
import type { DetailSearch } from './detail-search.ts';
import { type IsGone, UserDetails } from './user-details.ts';

const USERS_IN_MEMORY = 64;
/** Whose index of details is held: it may take as much memory as their text. */
const INDEXES_IN_MEMORY = 8;

/** Whose details are meant, and which one: a key of another user is a key that does not exist. */
export class DetailLookup {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #isGone: IsGone | undefined;
  readonly #users = new LeastRecentlyUsed<UserDetails>(USERS_IN_MEMORY);
  readonly #searches = new LeastRecentlyUsed<DetailSearch>(INDEXES_IN_MEMORY);

  constructor(context: LayerContext, sessions: Sessions, isGone?: IsGone) {
    this.#context = context;
    this.#sessions = sessions;
    this.#isGone = isGone;
  }

  ofUser(userId: string): UserDetails {
    const known = this.#users.get(parseName(userId, 'user id'));
    if (known !== undefined) return known;
    const details = new UserDetails(this.#context, userId, this.#isGone);
    this.#users.set(userId, details);
    this.#searches.delete(userId);
    return details;
  }

  /** By what the session's log says now: a session that was removed may have been created again for another user. */
  async ofSession(session: AnySession): Promise<UserDetails> {
    parseSessionId(refOf(session).sessionId);
    return this.ofUser((await this.#sessions.current(session)).session.user_id);
  }

  async searchOf(userId: string): Promise<DetailSearch> {
    const details = this.ofUser(userId);
    let search = this.#searches.get(userId);
    if (search === undefined) {
      // Loaded with the first search: most processes never search.
      const { DetailSearch } = await import('./detail-search.ts');
      search = new DetailSearch(this.#context, details);
      this.#searches.set(userId, search);
    }
    return search;
  }

  /** @throws NotFoundError DETAIL_NOT_FOUND */
  async find(userId: string, key: string): Promise<KeptDetail> {
    const nowMs = this.#context.clock.now();
    const detail = await this.ofUser(userId).find(parseMemoryKey(key), nowMs);
    if (detail === undefined) throw detailNotFound(key);
    return detail;
  }

  /** The same for a caller that changes it, with the session that keeps it. @throws NotFoundError as `find` */
  async findKept(
    userId: string,
    key: string,
  ): Promise<{ readonly detail: KeptDetail; readonly session: SessionRef }> {
    const { session_id, memory_key } = await this.find(userId, key);
    const details = this.ofUser(userId);
    const log = details.logOf(session_id);
    const state = await log.current();
    const [incarnation, detail] = [log.incarnationOf(state), state.byKey.get(memory_key)];
    // Between the two looks another process may have redacted it, which leaves it under its key with another value.
    if (incarnation === undefined || !detail || !details.isShown(detail, this.#context.clock.now()))
      throw detailNotFound(key);
    return { detail, session: { sessionId: session_id, incarnation } };
  }

  /**
   * The value of a detail, for the caller to close, with the detail as it is now: a redaction gives it another value and
   * removes the old one. @throws NotFoundError DETAIL_NOT_FOUND, CorruptionError
   */
  async open(detail: KeptDetail): Promise<{ readonly detail: KeptDetail; readonly blob: OpenBlob }> {
    const blob = await this.#context.store.openBlob(addressOf(detail.session_id), detail.blob);
    if (blob !== undefined) return { detail, blob };
    if (!(await this.isReplaced(detail))) throw damaged(detail);
    return this.open(await this.find(detail.user_id, detail.memory_key));
  }

  /** Whether the detail has another value since it was found. @throws NotFoundError DETAIL_NOT_FOUND */
  async isReplaced({ user_id, session_id, memory_key, blob }: KeptDetail): Promise<boolean> {
    // The process that redacts notifies others last, so the session's log itself is read.
    await this.ofUser(user_id).refresh(session_id);
    return (await this.find(user_id, memory_key)).blob !== blob;
  }
}

export function detailNotFound(key: string): NotFoundError {
  return new NotFoundError(
    'DETAIL_NOT_FOUND',
    `There is no detail with the key ${key}, or it has expired. Search for it with a few words.`,
    { details: { memory_key: key } },
  );
}
