import type { Session } from 'longhand';

/**
 * Which session a message belongs to. An id alone does not say: a session can be deleted by any process, and another
 * one, perhaps of another user, be made under the same id. So whatever is kept of a session outside the store is kept
 * with its owner and the time of its making, and belongs to no other.
 */
export type SpooledSession = Pick<Session, 'id' | 'account_id' | 'user_id' | 'created_at'>;

/** What a session is said to have been made at, when its first record is lost and nothing else tells. */
const UNKNOWN_TIME = new Date(0).toISOString();

/** A time that is lost parts nothing: a message that is acknowledged must not go because of a damaged line. */
export function isSameSession(one: SpooledSession, other: SpooledSession): boolean {
  const times = [one.created_at, other.created_at];
  return (
    one.id === other.id &&
    one.account_id === other.account_id &&
    one.user_id === other.user_id &&
    (times[0] === times[1] || times.includes(UNKNOWN_TIME))
  );
}
