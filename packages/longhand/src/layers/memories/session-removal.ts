import { linesHolding, readLog } from '../../core/read-log.ts';
import type { LogStore } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import type { MemorySearch } from '../search/memory-search.ts';
import { quoted } from './first-look.ts';
import type { GoneSessions } from './gone-sessions.ts';
import type { Memories } from './memories.ts';
import { replacedBy } from './replacements.ts';
import { foldSession } from './session-fold.ts';
import { mayContinue } from './session-rollover.ts';
import { addressOf, type Sessions } from './sessions.ts';
import type { Snapshots } from './snapshots.ts';

export interface SessionRemovalNeeds {
  readonly context: LayerContext;
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly snapshots: Snapshots;
  readonly gone: GoneSessions;
  readonly search: () => Promise<MemorySearch>;
  /** Takes out of other sessions, and of the journals of agents, what was taken from this one. */
  readonly deleteTaken: (
    sessionId: string,
    userId: string | undefined,
    others: readonly string[],
  ) => Promise<void>;
}

export interface SessionRemovalOptions {
  /** That the session must be in, when one is named: another one is left alone. */
  readonly incarnation?: string | undefined;
  /** Whose other sessions go too: their change file and index are cleared with the last one, which is removed without this. */
  readonly goingUser?: string | undefined;
}

/**
 * Removes a session with all that is kept of it elsewhere, what goes along first: whoever is killed in between, or
 * refused, asks again, and finds it by the session that is still there. False when there was none.
 */
export async function removeSession(
  needs: SessionRemovalNeeds,
  sessionId: string,
  { incarnation, goingUser }: SessionRemovalOptions,
): Promise<boolean> {
  const { context, sessions, snapshots, gone, search, deleteTaken } = needs;
  const { store } = context;
  const view = await sessions.glanceIfReadable(sessionId);
  if (incarnation !== undefined && view !== undefined && view.incarnation !== incarnation) return false;
  const users = view?.hasSession ? [view.session.user_id] : await usersNaming(store, sessionId);
  const userId = users.length === 1 ? users[0] : undefined;
  const isUserGoing = userId !== undefined && userId === goingUser;
  const ofUser = userId === undefined || isUserGoing ? [] : await store.list('session', userId);
  const others = ofUser.filter((other) => mayContinue(sessionId, other));
  const agents = await store.list('agent');
  if (others.length + agents.length > 0) await deleteTaken(sessionId, userId, others);
  if (view !== undefined && userId !== undefined && !isUserGoing)
    await keepReplaced(needs, userId, sessionId);
  await gone.note(sessionId, users);
  // First, so that a crash between the two leaves a session unlisted, not one listed that is gone.
  await snapshots.remove(sessionId);
  const isRemoved = await sessions.remove(sessionId, { incarnation, userId, isUserGoing });
  // Again, because another process may have listed it in between, when it was still there.
  if (isRemoved) await snapshots.remove(sessionId);
  const staying = isRemoved ? users.filter((user) => user !== goingUser) : [];
  for (const user of staying) await (await search()).purge(user);
  // Whoever removed it before may have been killed in between.
  if (!isRemoved && view === undefined) await (await search()).purgeRemoved(sessionId);
  return isRemoved;
}

/** What the session's memories have replaced in other sessions stays replaced: an old text does not come back to prompts. */
async function keepReplaced(
  { context: { store, schema }, memories, search }: SessionRemovalNeeds,
  userId: string,
  sessionId: string,
): Promise<void> {
  // Most sessions replace nothing, and are not worth a look into the index.
  const holding = (name: string) => linesHolding(store, addressOf(sessionId), quoted(name));
  if ((await Promise.all(['replaces', 'replaced'].map(holding))).flat().length === 0) return;
  const elsewhere = await (await search()).replacedElsewhere(userId, sessionId);
  if (elsewhere.size === 0) return;
  const { entries, deletes } = foldSession(sessionId, await readLog(store, addressOf(sessionId)), schema);
  const since: Record<string, string> = replacedBy(entries.map(({ entry }) => entry));
  for (const { record } of deletes) Object.assign(since, record.replaced);
  for (const [other, ids] of elsewhere) {
    const replaced = Object.fromEntries(ids.map((id) => [id, since[id]!]));
    await memories.keepReplaced(other, replaced, { user_id: userId });
  }
}

/** For a session that does not tell whose it is: those whose it may be. Their search index may hold its words. */
async function usersNaming(store: LogStore, sessionId: string): Promise<readonly string[]> {
  const users: string[] = [];
  for (const userId of await store.list('user'))
    if ((await store.list('session', userId)).includes(sessionId)) users.push(userId);
  return users;
}
