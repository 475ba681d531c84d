import { LonghandError } from '../../core/errors.ts';
import { LOCAL_ACCOUNT } from '../../core/scopes.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { SessionRollover } from '../memories/session-rollover.ts';
import type { Sessions } from '../memories/sessions.ts';
import type { SessionOwner } from '../session-ref.ts';

const OWNER_CHARACTERS = 16;

/**
 * The session of a user for a day, made when there is none: a caller that names no session finds a day's memories together.
 * Every process gives the same one. When another user has taken its id, or it cannot be read, it is the one that would
 * continue it.
 */
export async function sessionOfDay(sessions: Sessions, owner: SessionOwner, nowMs: number): Promise<string> {
  const { user_id: userId, account_id: accountId = LOCAL_ACCOUNT } = owner;
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const id = `day-${day}-${sha256Hex(JSON.stringify([accountId, userId])).slice(0, OWNER_CHARACTERS)}`;
  const isOwn = async (): Promise<boolean> => {
    const session = await sessions.sessionIfReadable(id);
    return session?.user_id === userId && session.account_id === accountId;
  };
  if (await isOwn()) return id;
  try {
    return (await sessions.create(userId, { session_id: id, account_id: accountId })).id;
  } catch (error) {
    if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
  }
  // Another process was faster, or it is not this user's.
  return (await isOwn()) ? id : new SessionRollover(sessions).after({ userId, accountId }, id, {});
}
