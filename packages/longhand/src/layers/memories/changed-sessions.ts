import { ifGone } from '../../core/errors.ts';
import type { ChangeMark, LogStore } from '../../core/store.ts';
import { addressOf } from './sessions.ts';

/** How far a user's changes have been seen. */
export interface SessionsMark {
  readonly changes: ChangeMark;
  readonly lastBytes: number;
}

export interface ChangedSessions {
  readonly sessionIds: readonly string[];
  readonly mark: SessionsMark;
}

/** The sessions of a user that any process has written to since a mark; none without a mark. */
export async function changedSessions(
  store: LogStore,
  userId: string,
  since: SessionsMark | undefined,
): Promise<ChangedSessions> {
  const { sessionIds, mark } = await store.follow(userId, since?.changes);
  // The session that was written to last is not noted again: only its size tells.
  const size = mark.lastId === '' ? undefined : await store.size(addressOf(mark.lastId)).catch(ifGone);
  const now = { changes: mark, lastBytes: size?.total ?? 0 };
  const isNews = since !== undefined && JSON.stringify(since) !== JSON.stringify(now);
  return { sessionIds: isNews ? sessionIds : [], mark: now };
}
