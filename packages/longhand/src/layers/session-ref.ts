import { NotFoundError } from '../core/errors.ts';
import { SCHEMA_VERSION } from '../core/records.ts';
import { logNotFound } from '../core/store.ts';

/**
 * The very session that a caller has looked at.
 *
 * A session can be removed and made again under the same id, for another user, between a look and a write. So a write
 * names the incarnation that was looked at, and the store refuses it, under its lock, when that is over.
 * `Sessions.open` gives a reference to a session of an owner; `Sessions.on` opens it again when it was refused.
 */
export interface SessionRef {
  readonly sessionId: string;
  readonly incarnation: string;
}

/** A reference, or an id, which stands for the session that has it at the moment. */
export type AnySession = string | { readonly sessionId: string; readonly incarnation?: string | undefined };

/** Whose a session must be. */
export interface SessionOwner {
  readonly user_id: string;
  /** Any account when left out. */
  readonly account_id?: string;
}

/** An id as a reference that insists on no incarnation. */
export function refOf(session: AnySession): Exclude<AnySession, string> {
  return typeof session === 'object' && session !== null ? session : { sessionId: session };
}

/** @throws NotFoundError SESSION_NOT_FOUND when the session is in another incarnation than the one that is meant */
export function requireMeant(session: AnySession, incarnation: string | undefined): void {
  const { sessionId, incarnation: meant = incarnation } = refOf(session);
  if (meant !== incarnation) throw logNotFound({ kind: 'session', id: sessionId });
}

/** The session is gone, or another one by now. */
export function isSessionGone(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && error.code === 'SESSION_NOT_FOUND';
}

/** What every record of a session's logs begins with. */
export function opening<Kind extends string>(record: Kind, sessionId: string, nowMs: number) {
  const timestamp = new Date(nowMs).toISOString();
  return { schema_version: SCHEMA_VERSION, record, session_id: sessionId, timestamp };
}
