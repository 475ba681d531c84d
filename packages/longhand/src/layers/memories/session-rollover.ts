import { LonghandError, NotFoundError, SizeLimitError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Provenance } from '../../core/records.ts';
import type { SessionSettings } from '../../core/session-options.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { logNotFound } from '../../core/store.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import type { SessionOwner } from '../session-ref.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type Sessions } from './sessions.ts';

/** More attempts at one write than there are writers that could take the room away each time. */
const MAX_TRIES = 100;
/** Numbers in a row that are others'. */
const MAX_NUMBERS = 100;
const SESSIONS_REMEMBERED = 1_024;
/** No date and no number at the end of an id looks like this: `cli-2026-11-16` is continued in `cli-2026-11-16--2`. */
const MARK = '--';
const CONTINUATION = /^(.+)--(\d{1,5})$/;
/** So many characters of an id stay when it has no room for a number. */
const KEPT_OF_BASE = 32;
/** As later parts of a session were once named. Such ids may be anything, so nothing goes on in them any more. */
const EARLIER_FORM = /^(.+)-(\d{1,5})$/;

/**
 * A full session never ends a conversation: it rolls over to another one of the same user, with the same settings,
 * whose id is the first one's with a number appended, so that every process finds the same one. Numbers that another
 * user has taken are passed over.
 *
 * An id can be used again, by any user, after its session was deleted in any process. So what is cached here is never
 * trusted: before each write the owner of the session that is written to is read from its log as it is now, and a
 * rollover counts only for the incarnation that it was noted for.
 */
export class SessionRollover {
  readonly #sessions: Sessions;
  /** Where a full session went on, so that it is not asked again and again. */
  readonly #continuedIn = new LeastRecentlyUsed<Continued>(SESSIONS_REMEMBERED);

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /**
   * Does the work in the session, or in the one that continues it.
   * @param canGoOn whether another session would help against the error of this one; always when left out
   * @throws NotFoundError SESSION_NOT_FOUND also for a session of another user; SizeLimitError when no session helps
   */
  async withRoom<Result>(
    userId: string,
    sessionId: string,
    work: (sessionId: string) => Promise<Result>,
    canGoOn: (error: SizeLimitError, sessionId: string) => boolean | Promise<boolean> = () => true,
  ): Promise<Result> {
    const owner = ownerIn(await this.#requireOwner(userId, sessionId));
    let current = await this.#remembered(owner, sessionId);
    let hasStartedAgain = false;
    for (let tries = 1; ; tries++) {
      try {
        return await work(current);
      } catch (error) {
        if (error instanceof SizeLimitError && tries < MAX_TRIES && (await canGoOn(error, current))) {
          const next = await this.#next(owner, sessionId, current);
          if (next === undefined) throw error;
          current = next;
          await this.#remember(sessionId, current);
        } else if (current !== sessionId && !hasStartedAgain && (await this.#isGone(owner, current, error))) {
          hasStartedAgain = true;
          this.#continuedIn.delete(sessionId);
          await this.#requireOwner(userId, sessionId);
          current = sessionId;
        } else throw error;
      }
    }
  }

  /**
   * Where to go on instead of a session that is there and cannot be read, as after one that is full. A lost log must not
   * end a day.
   * @param settings of the new one, when it has to be made: those of the other cannot be read either
   * @throws NotFoundError SESSION_NOT_FOUND when there is no number left
   */
  async after(owner: SessionOwner, sessionId: string, settings: SessionSettings): Promise<string> {
    const next = (await this.#last(owner, sessionId)) ?? (await this.#create(owner, sessionId, settings));
    if (next === undefined) throw logNotFound(addressOf(sessionId));
    return next;
  }

  /** The session and those that continue it, first to last, as far as they are the user's own. */
  async chainOf(userId: string, sessionId: string): Promise<readonly string[]> {
    const owner = ownerIn(await this.#requireOwner(userId, sessionId));
    return [sessionId, ...(await this.#later(owner, sessionId))];
  }

  /** As of now, whichever process has changed it. @throws NotFoundError SESSION_NOT_FOUND */
  async #requireOwner(userId: string, sessionId: string): Promise<SessionView> {
    const view = await this.#sessions.current(sessionId);
    if (view.session.user_id !== userId) throw logNotFound(addressOf(sessionId));
    return view;
  }

  async #remembered(owner: SessionOwner, sessionId: string): Promise<string> {
    const known = this.#continuedIn.get(sessionId);
    if (known === undefined) return sessionId;
    const isOfThis = known.asOf === stateOf(await this.#sessions.current(sessionId));
    if (isOfThis && (await this.#isOwn(owner, known.current))) return known.current;
    this.#continuedIn.delete(sessionId);
    return sessionId;
  }

  async #remember(sessionId: string, current: string): Promise<void> {
    const asOf = stateOf(await this.#sessions.current(sessionId));
    this.#continuedIn.set(sessionId, { current, asOf });
  }

  async #isOwn(owner: SessionOwner, sessionId: string): Promise<boolean> {
    return (await this.#sessions.readable([sessionId], owner)).length > 0;
  }

  /** Whether the only fault is that the session was deleted while it was written to. */
  async #isGone(owner: SessionOwner, sessionId: string, error: unknown): Promise<boolean> {
    const isMissing = error instanceof NotFoundError && error.code === 'SESSION_NOT_FOUND';
    return isMissing && !(await this.#isOwn(owner, sessionId));
  }

  /** Where to go on: in the last one that there is, and after that in a new one. `undefined`: nowhere. */
  async #next(owner: SessionOwner, sessionId: string, current: string): Promise<string | undefined> {
    const last = current === sessionId ? await this.#last(owner, sessionId) : undefined;
    if (last !== undefined) return last;
    const { agents, preferences, decay_config, compaction_config } = (await this.#sessions.view(current))
      .session;
    return this.#create(owner, current, { agents, preferences, decay_config, compaction_config });
  }

  async #last(owner: SessionOwner, sessionId: string): Promise<string | undefined> {
    return (await this.#later(owner, sessionId)).at(-1);
  }

  async #later(owner: SessionOwner, sessionId: string): Promise<readonly string[]> {
    const later: string[] = [];
    for (const other of await idsContinuing(this.#sessions, owner.user_id, sessionId))
      if (continues(sessionId, other) && (await this.#isOwn(owner, other))) later.push(other);
    return later.sort((left, right) => partsOf(left).number - partsOf(right).number);
  }

  async #create(
    owner: SessionOwner,
    current: string,
    settings: SessionSettings,
  ): Promise<string | undefined> {
    let next = current;
    for (let tries = 0; tries < MAX_NUMBERS; tries++) {
      next = continuationOf(next);
      try {
        await this.#sessions.create(owner.user_id, {
          session_id: next,
          ...(owner.account_id === undefined ? {} : { account_id: owner.account_id }),
          ...settings,
        });
        return next;
      } catch (error) {
        if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
        // Another process was faster; or it is another user's, and the next number is tried.
        if (await this.#isOwn(owner, next)) return next;
      }
    }
    return undefined;
  }
}

interface Continued {
  readonly current: string;
  /** What the session was like: when it has changed hands or was rewritten since, it may have room again. */
  readonly asOf: string;
}

/** The account of a session whose first record is lost is unknown. */
function ownerIn({ session: { user_id, account_id } }: SessionView): SessionOwner {
  return account_id === '' ? { user_id } : { user_id, account_id };
}

function stateOf({ incarnation, position }: SessionView): string {
  return `${incarnation} ${position?.generation}`;
}

/** `chat` → `chat--2` → `chat--3`. An id that has no room for a number is shortened to a hash of itself. */
function continuationOf(sessionId: string): string {
  const { base, number } = partsOf(sessionId);
  const end = `${MARK}${number + 1}`;
  const hasRoom = base.length + end.length <= LIMITS.sessionIdCharacters;
  return `${hasRoom ? base : shortened(base)}${end}`;
}

/** Whether the other one continues the session, by its name. */
export function continues(sessionId: string, other: string): boolean {
  return isLater(partsOf(sessionId), partsOf(other));
}

/** The session that this one continues, as far as its name tells; itself when it continues none. */
export function firstOf(sessionId: string): string {
  return partsOf(sessionId).base;
}

/**
 * Whether the other one may hold what the session had no room for: it continues it, or has a name of the earlier form.
 * Only what notes the session in its provenance is the session's.
 */
function mayContinue(sessionId: string, other: string): boolean {
  if (continues(sessionId, other)) return true;
  return isLater(partsOf(sessionId, EARLIER_FORM), partsOf(other, EARLIER_FORM));
}

function isLater(first: Parts, later: Parts): boolean {
  const isOfFamily = later.base === first.base || later.base === shortened(first.base);
  return isOfFamily && later.number > first.number;
}

/** The sessions of a user that may continue one. Looks only at those whose ids begin as its own does. */
export async function idsContinuing(
  sessions: Pick<Sessions, 'idsOfUser'>,
  userId: string,
  sessionId: string,
): Promise<readonly string[]> {
  const bases = [partsOf(sessionId).base.length, partsOf(sessionId, EARLIER_FORM).base.length];
  const prefix = sessionId.slice(0, Math.min(KEPT_OF_BASE, ...bases));
  return (await sessions.idsOfUser(userId, prefix)).filter((other) => mayContinue(sessionId, other));
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

interface Parts {
  readonly base: string;
  readonly number: number;
}

function partsOf(sessionId: string, form = CONTINUATION): Parts {
  const [, base = sessionId, number = '1'] = form.exec(sessionId) ?? [];
  return { base, number: Number(number) };
}

function shortened(base: string): string {
  return `${base.slice(0, KEPT_OF_BASE)}${sha256Hex(base).slice(0, 24)}`;
}
