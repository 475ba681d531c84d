import type { ArchivedMessage } from 'longhand';
import { hasCode } from '../has-code.ts';
import { atMost } from './at-most.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import type { Spool, Waiting } from './spool.ts';
import type { SpooledSession } from './spooled-session.ts';

/**
 * Brings what the spool holds into the transcript, in batches: when a session has many messages waiting, when one has
 * waited for long, when the session is closed, and before the server ends. A batch is one write to the store.
 *
 * Nothing here is on the path of a turn. What cannot be archived stays in the spool and is tried again.
 */
export interface WriteBehindOptions {
  readonly spool: Spool;
  /**
   * One write to the store. Archiving a message twice keeps it once.
   * @throws NotFoundError SESSION_NOT_FOUND when this incarnation of the session is gone
   */
  readonly archive: (session: SpooledSession, messages: readonly ArchivedMessage[]) => Promise<unknown>;
  /** A session with so many messages waiting is archived at once. 40 when left out. */
  readonly everyMessages?: number;
  /** No message waits longer than this. 600 when left out: a chat at the pace of a person then needs few writes. */
  readonly everySeconds?: number;
  /** Called after messages of a session have reached the transcript. */
  readonly onArchived?: (sessionId: string) => void;
  readonly onEvent?: ConversationListener;
}

const DEFAULT_EVERY_MESSAGES = 40;
const DEFAULT_EVERY_SECONDS = 600;
/** A store that is away for a moment is asked again soon. */
const RETRY_MS = 30_000;
/** Node's timers overflow beyond this and would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

export class WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #everyMessages: number;
  readonly #waitMs: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
    this.#everyMessages = options.everyMessages ?? DEFAULT_EVERY_MESSAGES;
    this.#waitMs = Math.min((options.everySeconds ?? DEFAULT_EVERY_SECONDS) * 1_000, MAX_TIMER_MS);
  }

  /** Tells that a session has messages waiting. Returns at once. */
  note(sessionId: string): void {
    const waiting = this.#options.spool.count(sessionId);
    if (waiting === 0 || this.#isClosed) return;
    if (waiting >= this.#everyMessages) this.#inBackground(sessionId);
    else this.#wakeFor(sessionId);
  }

  /**
   * Archives all that waits, also what a process that has ended left behind. Callers need not wait for it.
   * @param withinMs what is not archived by then is left for the next time; no bound when left out
   */
  async recover(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    const endMs = performance.now() + withinMs;
    for (const sessionId of this.#options.spool.sessionIds) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0 || !(await atMost(leftMs, this.#try(sessionId)))) return;
    }
  }

  /**
   * Archives what is waiting of a session; done when it is in the transcript.
   * @throws what the store throws: the messages then stay in the spool
   */
  async archive(sessionId: string): Promise<void> {
    // One under way may have begun before the latest message came.
    await this.#running.get(sessionId)?.catch(() => undefined);
    await this.#start(sessionId);
  }

  /** What could not be archived within this time waits in the spool for the next start. */
  async close(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    const tries = this.#options.spool.sessionIds.map((sessionId) => this.#try(sessionId));
    await atMost(withinMs, Promise.all(tries));
  }

  #wakeFor(sessionId: string, waitMs = this.#waitMs): void {
    if (this.#timers.has(sessionId)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(sessionId);
      this.#inBackground(sessionId);
    }, waitMs).unref();
    this.#timers.set(sessionId, timer);
  }

  #inBackground(sessionId: string): void {
    if (!this.#running.has(sessionId)) void this.#try(sessionId);
  }

  /** A failure is an event, and a reason to try again later. */
  async #try(sessionId: string): Promise<void> {
    try {
      await this.archive(sessionId);
    } catch {
      if (!this.#isClosed) this.#wakeFor(sessionId, Math.min(this.#waitMs, RETRY_MS));
    }
  }

  #start(sessionId: string): Promise<void> {
    const running = this.#running.get(sessionId);
    if (running !== undefined) return running;
    const work = this.#work(sessionId).finally(() => this.#running.delete(sessionId));
    this.#running.set(sessionId, work);
    return work;
  }

  async #work(sessionId: string): Promise<void> {
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
    for (const waiting of this.#options.spool.waiting(sessionId)) await this.#archive(waiting);
    this.note(sessionId);
  }

  async #archive({ session, messages }: Waiting): Promise<void> {
    const { spool, archive, onArchived, onEvent } = this.#options;
    const ids = messages.map(({ id }) => id);
    try {
      await archive(session, messages);
    } catch (error) {
      if (hasCode(error, 'SESSION_NOT_FOUND')) {
        onEvent?.({ kind: 'spool-dropped', session_id: session.id, messages: messages.length });
        spool.settle(session, ids);
        // Messages of a deleted session must stay in no file.
        spool.compact();
        return;
      }
      onEvent?.({ kind: 'archive-failed', session_id: session.id, code: codeOf(error) });
      throw error;
    }
    spool.settle(session, ids);
    onArchived?.(session.id);
  }
}
