import { NotFoundError } from '../../core/errors.ts';
import { linesHolding, readLog } from '../../core/read-log.ts';
import type { Layer, LeavingSession } from '../layer.ts';
import { replacedBy } from '../memories/replacements.ts';
import { foldSession } from '../memories/session-fold.ts';
import { idsContinuing } from '../memories/session-rollover.ts';
import { addressOf, cannotBeRead, usersNaming } from '../memories/sessions.ts';
import { quoted } from '../memories/stored-record.ts';
import { type AnySession, isSessionGone, refOf, type SessionOwner } from '../session-ref.ts';
import type { UserParts } from './user-parts.ts';

/** Removes sessions with all that is kept of them elsewhere. */
export class SessionRemoval {
  readonly #needs: UserParts;
  readonly #layers: readonly Layer[];

  /** @param layers that may hold elsewhere what was taken from a session */
  constructor(needs: UserParts, layers: readonly Layer[]) {
    this.#needs = needs;
    this.#layers = layers;
  }

  /** One of an owner's, when one is named. @throws NotFoundError SESSION_NOT_FOUND when it is not the owner's */
  async removeOf(sessionId: string, owner: SessionOwner | undefined): Promise<boolean> {
    if (owner === undefined) return this.remove(sessionId);
    try {
      return await this.remove(await this.#needs.sessions.open(sessionId, owner));
    } catch (error) {
      if (isSessionGone(error)) await this.finish(sessionId, owner.user_id);
      throw error;
    }
  }

  /**
   * What goes along goes first: a caller that is killed in between, or refused, asks again, and finds it by the session
   * that is still there. False when there was none, or another one than the one that is meant.
   * @param goingUser whose other sessions go too: their change file and index are cleared with the last one, which is
   * removed without this
   */
  async remove(session: AnySession, goingUser?: string): Promise<boolean> {
    const { sessionId, incarnation } = refOf(session);
    const { context, sessions, snapshots, gone, search } = this.#needs;
    const { store } = context;
    const view = await sessions.glanceIfReadable(sessionId);
    if (incarnation !== undefined && view !== undefined && view.incarnation !== incarnation) return false;
    // Of a session that does not tell whose it is, the index of any of these may hold its words.
    const users = view?.hasSession ? [view.session.user_id] : await usersNaming(store, sessionId);
    const userId = users.length === 1 ? users[0] : undefined;
    const isUserGoing = userId !== undefined && userId === goingUser;
    const others =
      userId === undefined || isUserGoing ? [] : await idsContinuing(sessions, userId, sessionId);
    const from = { sessionId, userId };
    for (const layer of this.#layers) await layer.eraseTaken?.(from);
    for (const other of others) await this.#eraseTaken(from, other);
    if (view !== undefined && userId !== undefined && !isUserGoing)
      await keepReplaced(this.#needs, userId, sessionId);
    await gone.note(sessionId, users);
    // First, so that a crash between the two leaves a session unlisted, not one listed that is gone.
    await snapshots.remove(sessionId);
    const isRemoved = await sessions.remove(session, { userId, isUserGoing });
    // Again, because another process may have listed it in between, when it was still there.
    if (isRemoved) await snapshots.remove(sessionId);
    const staying = isRemoved ? users.filter((user) => user !== goingUser) : [];
    for (const user of staying) await (await search.load()).purge(user);
    // The process that removed it before may have been killed in between.
    if (!isRemoved && view === undefined) await this.finish(sessionId);
    return isRemoved;
  }

  /** A session that is gone, or that cannot be read, keeps no other from being removed. */
  async #eraseTaken(from: LeavingSession, sessionId: string): Promise<void> {
    try {
      const { incarnation } = await this.#needs.sessions.glance(sessionId);
      for (const layer of this.#layers) await layer.eraseTaken?.(from, { sessionId, incarnation });
    } catch (error) {
      if (!(error instanceof NotFoundError || cannotBeRead(error))) throw error;
    }
  }

  /** What a killed process left of a session that is gone. @param userId whose it was, when that is known */
  async finish(sessionId: string, userId?: string): Promise<void> {
    await (await this.#needs.search.load()).purgeRemoved(sessionId, userId);
  }
}

/** What the session's memories have replaced in other sessions stays replaced: an old text does not come back to prompts. */
async function keepReplaced(
  { context: { store, schema }, sessions, memories, search }: UserParts,
  userId: string,
  sessionId: string,
): Promise<void> {
  // Most sessions replace nothing, and are not worth a look into the index.
  const holding = (name: string) => linesHolding(store, addressOf(sessionId), quoted(name));
  if ((await Promise.all(['replaces', 'replaced'].map(holding))).flat().length === 0) return;
  const elsewhere = await (await search.load()).replacedElsewhere(userId, sessionId);
  if (elsewhere.size === 0) return;
  const { entries, deletes } = foldSession(sessionId, await readLog(store, addressOf(sessionId)), schema);
  const since: Record<string, string> = replacedBy(entries.map(({ entry }) => entry));
  for (const { record } of deletes) Object.assign(since, record.replaced);
  for (const [other, ids] of elsewhere) {
    const replaced = Object.fromEntries(ids.map((id) => [id, since[id]!]));
    await sessions.on(other, { user_id: userId }, (session) => memories.keepReplaced(session, replaced));
  }
}
