import { LonghandError, NotFoundError } from '../../core/errors.ts';
import { SCHEMA_VERSION } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { isSessionGone, type SessionOwner, type SessionRef } from '../session-ref.ts';
import type { Sessions } from './sessions.ts';

/**
 * The sessions that were deleted or forgotten, as marks in the account's ledger that name neither them nor their users. A
 * client may still hold messages of one and send them when it comes back: they must not make the session again.
 */
export class GoneSessions {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #ledger: FollowedLog<Set<string>>;

  constructor(context: LayerContext, sessions: Sessions, accountId: string) {
    this.#context = context;
    this.#sessions = sessions;
    const address = { kind: 'ledger', id: accountId } as const;
    this.#ledger = new FollowedLog<Set<string>>(context, address, {
      start: () => new Set(),
      apply: (marks, { fields: { record, subject } }) => {
        if (record === 'session-gone') marks.add(String(subject));
      },
    });
  }

  /** Before the session goes: a process that is killed in between has at most marked one that is still there. */
  async note(sessionId: string, users: readonly string[]): Promise<void> {
    const timestamp = new Date(this.#context.clock.now()).toISOString();
    const marks = users.map((userId) => markOf(sessionId, userId));
    if (marks.length === 0) return;
    await this.#ledger.change((known) =>
      marks
        .filter((subject) => !known.has(subject))
        .map((subject) => ({ schema_version: SCHEMA_VERSION, record: 'session-gone', timestamp, subject })),
    );
  }

  /**
   * The owner's session, which is made when there has never been one of this id.
   * @param check throws before a session is made for nothing
   * @throws NotFoundError SESSION_NOT_FOUND when it is another user's, SESSION_DELETED when the owner's is gone
   */
  async seeOrNew(sessionId: string, owner: Required<SessionOwner>, check: () => void): Promise<SessionRef> {
    try {
      return await this.#sessions.open(sessionId, owner);
    } catch (error) {
      if (!isSessionGone(error)) throw error;
      if ((await this.#ledger.current()).has(markOf(sessionId, owner.user_id))) throw deleted(sessionId);
      check();
      const { user_id, account_id } = owner;
      await this.#sessions.create(user_id, { session_id: sessionId, account_id }).catch(ifTaken);
      return this.#sessions.open(sessionId, owner);
    }
  }
}

function markOf(sessionId: string, userId: string): string {
  return `sha256:${sha256Hex(`session ${sessionId}\n${userId}`)}`;
}

/** By another user, or by another process of the same one in the same moment: the next look tells. */
function ifTaken(error: unknown): void {
  if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
}

function deleted(sessionId: string): NotFoundError {
  return new NotFoundError(
    'SESSION_DELETED',
    `Session ${sessionId} was deleted or forgotten, and what was said in it stays gone. Go on in another session.`,
    { details: { session: sessionId } },
  );
}
