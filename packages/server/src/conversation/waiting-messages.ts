import {
  type ArchivedMessage,
  type ExternalScope,
  type MemoryManager,
  NotFoundError,
  type Session,
} from 'longhand';
import { hasCode } from '../has-code.ts';
import { atMost } from './at-most.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import { Notices } from './notices.ts';
import type { SharedTurns } from './shared-turns.ts';
import type { Spool, Waiting } from './spool.ts';
import { isSameSession, type SpooledSession } from './spooled-session.ts';
import { nameOf } from './turn-gate.ts';
import { WriteBehind, type WriteBehindOptions } from './write-behind.ts';

/**
 * The messages that are acknowledged and not archived yet, of this process and, when something is to be forgotten or
 * exported, of the others that share its folder or its database. On a database each server archives its own when another
 * one asks (`shared-turns.ts`); the rest is about processes that share a folder.
 *
 * Any process may archive what another one holds: the transcript keeps each message once. So forgetting, redacting,
 * counting and exporting first archive everything that waits, from every spool, and then work on the transcript
 * alone. What is forgotten there leaves its id behind, so a message that still waits elsewhere is known to be old, and
 * neither shown nor archived again. A notice tells the other processes to look (`notices.ts`); they take out of
 * their files what does not wait any more, and the forgetting is done when they have.
 */
interface WaitingMessagesOptions
  extends Pick<WriteBehindOptions, 'everyMessages' | 'everySeconds' | 'onArchived'> {
  readonly spool: Spool;
  readonly shared?: SharedTurns | undefined;
  readonly onEvent?: ConversationListener;
}

interface ArchiveFailure {
  readonly code: string;
  readonly failed_at: string;
}

/** Messages that are acknowledged and not archived yet. */
export interface Backlog {
  readonly messages: number;
  /** When the oldest of them was said; `null` when none waits. */
  readonly oldest: string | null;
  /** The sessions whose messages this process could not archive when it last tried. */
  readonly failed: readonly ({ readonly session_id: string } & ArchiveFailure)[];
}

/** How soon a process sees that another one has forgotten something. */
const LOOK_INTERVAL_MS = 250;
/** How long a forgetting waits for the other processes to see it. A stopped process sees it when it resumes. */
const OTHERS_WAIT_MS = 5_000;
const OTHERS_LOOK_MS = 25;

export class WaitingMessages {
  readonly #spool: Spool;
  readonly #shared: SharedTurns | undefined;
  readonly #onEvent: ConversationListener;
  readonly #writeBehind: WriteBehind;
  readonly #notices: Notices;
  /** Why the messages of a session could not be archived when it was last tried. */
  readonly #failed = new Map<string, ArchiveFailure>();
  #manager: MemoryManager | undefined;
  #seenNotice = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor({ spool, shared, onEvent, ...timing }: WaitingMessagesOptions) {
    this.#spool = spool;
    this.#shared = shared;
    this.#onEvent = (event) => {
      if (event.kind === 'archive-failed')
        this.#failed.set(event.session_id, { code: event.code, failed_at: new Date().toISOString() });
      onEvent?.(event);
    };
    this.#notices = new Notices(spool.directory, 'forgotten-');
    this.#writeBehind = new WriteBehind({
      ...timing,
      spool,
      archive: (session, messages) => this.#archiveFor(session, messages),
      onEvent: this.#onEvent,
      onArchived: (sessionId) => {
        this.#failed.delete(sessionId);
        timing.onArchived?.(sessionId);
      },
    });
  }

  /** What waits of a user, or of all, in every spool of this folder. */
  backlog(userId?: string): Backlog {
    const scope = userId === undefined ? {} : { user: userId };
    const waiting = [...this.#waiting(scope), ...this.#elsewhere(scope)];
    const times = waiting.flatMap(({ messages }) => messages.map(({ timestamp }) => timestamp)).sort();
    const failed = [...new Set(waiting.map(({ session }) => session.id))].flatMap((session_id) => {
      const failure = this.#failed.get(session_id);
      return failure === undefined ? [] : [{ session_id, ...failure }];
    });
    return { messages: times.length, oldest: times[0] ?? null, failed };
  }

  /** Done when what an earlier process left behind is archived; callers need not wait for it. */
  async start(manager: MemoryManager): Promise<void> {
    this.#manager = manager;
    this.#unsubscribe = manager.subscribe((event) => {
      if (event.kind !== 'session-deleted') return;
      this.#spool.drop(event.session_id);
      void this.#leaveNotice(event.user_id);
      // A server that holds some of it tries to archive it, and finds that there is nowhere to put it.
      this.#shared?.gather({ session: event.session_id }).catch((error: unknown) => {
        this.#onEvent({ kind: 'notice-failed', code: codeOf(error) });
      });
    });
    this.#seenNotice = this.#notices.latest();
    if (this.#shared === undefined)
      this.#timer = setInterval(() => this.#lookForNotice(), LOOK_INTERVAL_MS).unref();
    await this.#writeBehind.recover();
  }

  /** As `Spool.append`. @throws NotFoundError SESSION_NOT_FOUND too, when the session has gone since it was loaded */
  async append(session: SpooledSession, messages: readonly ArchivedMessage[]): Promise<void> {
    await this.refuseOther(session);
    await this.#spool.append(session, messages);
  }

  /** Those of this process for this very session, oldest first. What another process has archived waits no more. */
  async unarchived(session: Session): Promise<readonly ArchivedMessage[]> {
    const messages = this.#spool.unarchived(session);
    if (messages.length === 0) return messages;
    const state = await (await this.#layers()).transcripts.state(session.id);
    return messages.filter(({ id }) => !state.has(id));
  }

  count(sessionId: string): number {
    return this.#spool.count(sessionId);
  }

  note(sessionId: string): void {
    this.#writeBehind.note(sessionId);
  }

  /** Drops messages that the transcript has. */
  settle(session: SpooledSession, ids: Iterable<string>): void {
    this.#spool.settle(session, ids);
  }

  /** Archives what this process holds of a session. @throws what the store throws */
  archive(sessionId: string): Promise<void> {
    return this.#writeBehind.archive(sessionId);
  }

  /** Archives everything that this process holds, and leaves to the next time what the store does not take, or not in time. */
  archiveAll(withinMs?: number): Promise<void> {
    return this.#writeBehind.recover(withinMs);
  }

  compact(): void {
    this.#spool.compact();
  }

  /** Another text after each forgetting, by any process, that may concern this user. */
  async forgettings(userId: string | undefined): Promise<string> {
    if (this.#shared !== undefined) return this.#shared.notices(userId);
    return this.#notices.latest(userId === undefined ? undefined : [nameOf({ user: userId }), nameOf({})]);
  }

  async gather(scope: ExternalScope, { isWhole }: { readonly isWhole: boolean }): Promise<void> {
    const failures: unknown[] = [];
    this.#spool.takeOver();
    for (const id of new Set(this.#waiting(scope).map(({ session }) => session.id))) {
      await this.#writeBehind.archive(id).catch((error: unknown) => failures.push(error));
    }
    await this.#shared?.gather(scope).catch((error: unknown) => failures.push(error));
    for (const waiting of this.#elsewhere(scope)) {
      await this.#takeIn(waiting).catch((error: unknown) => failures.push(error));
    }
    this.#spool.compact();
    if (failures.length > 0 && !isWhole) throw failures[0];
  }

  async erased(scope: ExternalScope): Promise<void> {
    this.#spool.clearDamaged(({ session_id, user_id }) => {
      if (scope.agent !== undefined) return true;
      if (scope.session !== undefined) return session_id === undefined || session_id === scope.session;
      return user_id === undefined || user_id === scope.user;
    });
    await this.#leaveNotice(scope.user);
    await this.#letGo(scope);
    const endMs = performance.now() + OTHERS_WAIT_MS;
    for (;;) {
      const left = await this.#countOld(this.#elsewhere(scope));
      if (left === 0) return;
      if (performance.now() > endMs) {
        this.#onEvent({ kind: 'spool-not-cleared', messages: left });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, OTHERS_LOOK_MS));
      // Its process may have been killed: then it is for us to clear.
      this.#spool.takeOver();
      await this.#letGo(scope);
    }
  }

  /** What cannot be archived within this time waits in the file for the next start. */
  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    if (this.#looking !== undefined) await atMost(withinMs, this.#looking);
    if (this.#manager !== undefined) await this.#writeBehind.close(withinMs);
    this.#unsubscribe();
    const messages = this.#spool.sessionIds.reduce((sum, id) => sum + this.#spool.count(id), 0);
    if (messages > 0) this.#onEvent({ kind: 'spool-left', messages });
    await this.#spool.close();
  }

  #waiting(scope: ExternalScope): readonly Waiting[] {
    return this.#spool.waiting().filter(({ session }) => isWithin(session, scope));
  }

  #elsewhere(scope: ExternalScope): readonly Waiting[] {
    const groups: { session: SpooledSession; messages: ArchivedMessage[] }[] = [];
    for (const { session, message } of this.#spool.others()) {
      if (!isWithin(session, scope)) continue;
      const known = groups.find((group) => isSameSession(group.session, session));
      if (known === undefined) groups.push({ session, messages: [message] });
      else known.messages.push(message);
    }
    return groups;
  }

  /** Archives what another process holds, and leaves it to that process to see that it is done. */
  async #takeIn({ session, messages }: Waiting): Promise<void> {
    const isOld = await this.#oldOf(session);
    const fresh = messages.filter(({ id }) => !isOld(id));
    if (fresh.length === 0) return;
    try {
      await this.#archiveFor(session, fresh);
    } catch (error) {
      if (isGone(error)) return;
      this.#onEvent({ kind: 'archive-failed', session_id: session.id, code: codeOf(error) });
      throw error;
    }
  }

  /** Takes out of the own file what does not wait any more. */
  async #letGo(scope: ExternalScope): Promise<void> {
    for (const { session, messages } of this.#waiting(scope)) {
      const isOld = await this.#oldOf(session);
      this.#spool.settle(
        session,
        messages.map(({ id }) => id).filter((id) => isOld(id)),
      );
    }
    this.#spool.compact();
  }

  async #countOld(groups: readonly Waiting[]): Promise<number> {
    let count = 0;
    for (const { session, messages } of groups) {
      const isOld = await this.#oldOf(session);
      count += messages.filter(({ id }) => isOld(id)).length;
    }
    return count;
  }

  /** Tells which messages do not wait any more: archived, forgotten, or of a session that is gone. */
  async #oldOf(session: SpooledSession): Promise<(id: string) => boolean> {
    try {
      await this.refuseOther(session);
      const state = await (await this.#layers()).transcripts.state(session.id);
      return (id) => state.has(id);
    } catch (error) {
      // The state of a session that cannot be read at the moment is unknown: what waits for it stays.
      return () => isGone(error);
    }
  }

  /** The messages that a killed server left behind may have been answered by another one since. */
  #archiveFor(session: SpooledSession, messages: readonly ArchivedMessage[]): Promise<void> {
    const work = (): Promise<void> => this.#archiveNow(session, messages);
    const parties = { user: session.user_id, session: session.id, agents: [] };
    return this.#shared === undefined ? work() : this.#shared.holding(parties, work);
  }

  async #archiveNow(session: SpooledSession, messages: readonly ArchivedMessage[]): Promise<void> {
    const layers = await this.#layers();
    const { transcripts } = layers;
    await layers.look([session.user_id], async () => {
      await this.refuseOther(session);
      await transcripts.archive(session.id, messages);
    });
    try {
      await this.refuseOther(session);
    } catch (error) {
      // Deleted and made again between the two looks: messages of the old incarnation do not belong in the new one.
      if (isGone(error)) {
        const ids = messages.map(({ id }) => id);
        await transcripts.forget(session.id, ids).catch((failure: unknown) => {
          if (!isGone(failure)) throw failure;
        });
      }
      throw error;
    }
  }

  /** @throws NotFoundError SESSION_NOT_FOUND when the session is gone, also when another one has its id */
  async refuseOther(session: SpooledSession): Promise<void> {
    if (isSameSession(await this.#manager!.loadSession(session.id), session)) return;
    throw new NotFoundError('SESSION_NOT_FOUND', `There is no session ${session.id} of that time.`);
  }

  #lookForNotice(): void {
    if (this.#looking !== undefined || this.#spool.sessionIds.length === 0) return;
    const notice = this.#notices.latest();
    if (notice === this.#seenNotice) return;
    this.#seenNotice = notice;
    this.#looking = this.#letGo({}).finally(() => {
      this.#looking = undefined;
    });
  }

  /** Without it the others look when they next archive, and the forgetting that waits for them says so. */
  async #leaveNotice(userId: string | undefined): Promise<void> {
    try {
      if (this.#shared === undefined)
        this.#notices.leave(nameOf(userId === undefined ? {} : { user: userId }));
      else await this.#shared.leaveNotice(userId);
    } catch (error) {
      this.#onEvent({ kind: 'notice-failed', code: codeOf(error) });
    }
  }

  #layers() {
    return this.#manager!.layers();
  }
}

/** A scope without a user covers all users. An agent may have spoken in any session. */
function isWithin({ id, user_id }: SpooledSession, { session, user }: ExternalScope): boolean {
  if (session !== undefined) return id === session;
  return user === undefined || user_id === user;
}

function isGone(error: unknown): boolean {
  return hasCode(error, 'SESSION_NOT_FOUND');
}
