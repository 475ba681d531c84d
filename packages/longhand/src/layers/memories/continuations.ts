import { LonghandError, NotFoundError, SizeLimitError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Provenance } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { logNotFound } from '../../core/store.ts';
import { addressOf, type Sessions } from './sessions.ts';

/** Full sessions that follow one another; more than that is a mistake, not a conversation. */
const MAX_CONTINUATIONS = 10_000;
const CONTINUATION = /^(.+)-(\d{1,5})$/;

/**
 * A full session never ends a conversation: what it has no room for goes on in another one of the same user, with the
 * same settings, whose id is the first one's with a number behind it, so that every process finds the same one.
 */
export class Continuations {
  readonly #sessions: Sessions;
  /** Where a full session went on, so that it is not asked again and again. */
  readonly #continuedIn = new Map<string, string>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /**
   * Does the work in the session, or in the first of those after it that have room.
   * @param canGoOn whether another session would help against the error; always when left out
   * @throws NotFoundError SESSION_NOT_FOUND also for a session of another user
   */
  async withRoom<Result>(
    userId: string,
    sessionId: string,
    work: (sessionId: string) => Promise<Result>,
    canGoOn: (error: SizeLimitError) => boolean = () => true,
  ): Promise<Result> {
    await this.requireOwner(userId, sessionId);
    let current = this.#continuedIn.get(sessionId) ?? sessionId;
    for (let tries = 0; tries < MAX_CONTINUATIONS; tries++) {
      try {
        return await work(current);
      } catch (error) {
        if (error instanceof SizeLimitError && canGoOn(error)) {
          current = await this.#continue(userId, current);
          this.#continuedIn.set(sessionId, current);
        } else if (error instanceof NotFoundError && current !== sessionId) {
          // Somebody has deleted the one that it went on in.
          current = sessionId;
          this.#continuedIn.delete(sessionId);
        } else throw error;
      }
    }
    throw new Error(`${sessionId} has been continued ${MAX_CONTINUATIONS} times.`);
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  async requireOwner(userId: string, sessionId: string): Promise<void> {
    if ((await this.#sessions.ownerOf(sessionId)) !== userId) throw logNotFound(addressOf(sessionId));
  }

  async #continue(userId: string, sessionId: string): Promise<string> {
    const { agents, preferences, decay_config, compaction_config } = (await this.#sessions.view(sessionId))
      .session;
    const next = continuationOf(sessionId);
    try {
      await this.#sessions.create(userId, {
        session_id: next,
        agents,
        preferences,
        decay_config,
        compaction_config,
      });
    } catch (error) {
      // Another process was faster, or was here before.
      if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
      await this.requireOwner(userId, next);
    }
    return next;
  }
}

/** `chat` → `chat-2` → `chat-3`. An id that has no room for a number is shortened to a hash of itself. */
function continuationOf(sessionId: string): string {
  const { base, number } = partsOf(sessionId);
  const next = `${base}-${number + 1}`;
  return next.length <= LIMITS.sessionIdCharacters ? next : `${shortened(base)}-${number + 1}`;
}

/** Whether the other one may hold what the session had no room for. */
export function mayContinue(sessionId: string, other: string): boolean {
  const [first, later] = [partsOf(sessionId), partsOf(other)];
  const isOfFamily = later.base === first.base || later.base === shortened(first.base);
  return isOfFamily && later.number > first.number;
}

/** What goes on in another session notes where it comes from: it goes when that session does. */
export function takenFrom<Taken extends { readonly provenance?: Partial<Provenance> }>(
  sessionId: string,
  current: string,
  taken: Taken,
): Taken {
  if (current === sessionId) return taken;
  return { ...taken, provenance: { session_id: sessionId, ...taken.provenance } };
}

function partsOf(sessionId: string): { readonly base: string; readonly number: number } {
  const [, base = sessionId, number = '1'] = CONTINUATION.exec(sessionId) ?? [];
  return { base, number: Number(number) };
}

function shortened(base: string): string {
  return `${base.slice(0, 32)}${sha256Hex(base).slice(0, 24)}`;
}
