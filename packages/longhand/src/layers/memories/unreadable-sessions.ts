import { type ErrorCode, NotFoundError } from '../../core/errors.ts';
import { parseSessionId } from '../../core/ids.ts';
import type { LogStore } from '../../core/store.ts';
import { cannotBeRead, type Sessions } from './sessions.ts';
import { sessionsWithoutLog } from './trouble-reports.ts';

/** A session that should be a user's and is in none of their lists, searches and exports. */
export interface UnreadableSession {
  readonly session_id: string;
  /** `SESSION_NOT_FOUND` when its log is lost. */
  readonly code: ErrorCode;
  /** A sentence for people. */
  readonly reason: string;
}

/**
 * The sessions that a user's change file names and that cannot be read, and those whose log is lost, sorted by id.
 * @param only this one alone: a look at every session of a user takes its time
 */
export async function unreadableSessions(
  store: LogStore,
  sessions: Sessions,
  userId: string,
  only?: string,
): Promise<readonly UnreadableSession[]> {
  const isMeant = (id: string): boolean => only === undefined || id === only;
  const found: UnreadableSession[] = [];
  for (const id of (await store.list('session', userId)).filter(isMeant)) {
    const trouble = await troubleWith(sessions, id);
    if (trouble !== undefined) found.push({ session_id: id, ...trouble });
  }
  const reason = 'Its log is lost, though other files of it are there.';
  for (const id of (await sessionsWithoutLog(store, userId)).filter(isMeant))
    found.push({ session_id: id, code: 'SESSION_NOT_FOUND', reason });
  return found.sort((left, right) => (left.session_id < right.session_id ? -1 : 1));
}

async function troubleWith(
  sessions: Sessions,
  id: string,
): Promise<Omit<UnreadableSession, 'session_id'> | undefined> {
  try {
    void (await sessions.glance(parseSessionId(id))).session;
    return undefined;
  } catch (error) {
    // Another process was faster.
    if (error instanceof NotFoundError) return undefined;
    if (cannotBeRead(error)) return { code: error.code, reason: error.message };
    throw error;
  }
}
