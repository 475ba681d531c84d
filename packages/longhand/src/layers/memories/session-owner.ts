import { NotFoundError } from '../../core/errors.ts';
import { logNotFound } from '../../core/store.ts';
import type { Session } from './session.ts';

/**
 * Whose a session must be.
 *
 * Whoever writes for somebody makes sure that the session is theirs. That is read from the log before the write, and a
 * log can be removed and made again in between, for somebody else, under the same name. So what was looked at is named
 * in the write, by its incarnation (`SessionAddress`), and the store refuses it under the lock when that is over. Then the
 * session is looked at again: a new incarnation of the same owner takes the write, that of another is not there.
 */
export interface SessionOwner {
  readonly user_id: string;
  /** Any account when left out. */
  readonly account_id?: string;
}

/** One incarnation of a session, whoever's it is. */
export interface Incarnation {
  readonly incarnation: string;
}

/** Which session an id must stand for: one of an owner's, or the very one that somebody has looked at before. */
export type MeantSession = SessionOwner | Incarnation;

/** A session as it was seen in one moment: what its records said, and in which incarnation its log was. */
export interface SeenSession {
  readonly session: Session;
  readonly incarnation: string;
}

/** A session of somebody else answers as if it were not there. @throws NotFoundError SESSION_NOT_FOUND */
export function requireOwner(view: SeenSession, owner: MeantSession | undefined): void {
  if (!isOwnedBy(view, owner)) throw logNotFound({ kind: 'session', id: view.session.id });
}

/** By anybody, when no owner is named: then it may even be damaged beyond telling whose it is. */
export function isOwnedBy(view: SeenSession, owner: MeantSession | undefined): boolean {
  if (owner === undefined) return true;
  if ('incarnation' in owner) return view.incarnation === owner.incarnation;
  const { user_id, account_id } = view.session;
  return user_id === owner.user_id && account_id === (owner.account_id ?? account_id);
}

/** Both at once, and kept: a view goes on to the next incarnation when somebody else looks. @throws as `requireOwner` */
export function seenBy(view: SeenSession, owner: MeantSession | undefined): SeenSession {
  requireOwner(view, owner);
  const { session, incarnation } = view;
  return { session, incarnation };
}

/** The session is gone, or another one by now. */
export function isSessionGone(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && error.code === 'SESSION_NOT_FOUND';
}
