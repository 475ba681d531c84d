import { ifGone } from '../core/errors.ts';
import { FORGOTTEN } from '../layers/memories/tombstones.ts';
import type { ErasurePlan } from './erasure-plan.ts';
import type { NotesErasure } from './notes-plan.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import type { OtherSession, SessionErasure } from './session-plan.ts';

/**
 * Carries out a plan. Each step rewrites the files that it concerns before the next one begins, so what has been
 * erased when a crash comes is erased, and asking again does the rest: what goes along with something goes before it,
 * because it is found by it. A session that was deleted since is gone, and one that has its name by now is another.
 */
export async function erase(layers: PrivacyLayers, plan: ErasurePlan): Promise<void> {
  for (const { agentId, ids, unreadable } of plan.journals)
    await layers.journal.forget(agentId, ids, unreadable).catch(ifGone);
  const alongFirst = plan.sessions.toSorted(
    (left, right) => Math.sign(right.takenAlong.length) - Math.sign(left.takenAlong.length),
  );
  for (const session of alongFirst) await eraseInSession(layers, session, plan.leftovers);
  for (const { sessionId, incarnation } of plan.wholeSessions) {
    await layers.windows.drop(sessionId);
    // With the last one, readers hear of all that are gone, and the index is cleared of them: once, not for each.
    const isLast = sessionId === plan.wholeSessions.at(-1)!.sessionId;
    const goingUser = isLast ? undefined : plan.user;
    await layers.removal.remove(sessionId, { incarnation, goingUser }).catch(ifGone);
  }
  for (const session of plan.otherSessions) await finishIn(layers, session, plan.leftovers);
  for (const notes of plan.notes) await eraseNotes(layers, notes);
  for (const agentId of plan.agents) await layers.agents.delete(agentId);
  if (plan.user !== undefined) await layers.context.store.remove({ kind: 'user', id: plan.user });
}

async function eraseInSession(
  layers: PrivacyLayers,
  erasure: SessionErasure,
  leftovers: ErasurePlan['leftovers'],
): Promise<void> {
  const { sessionId, incarnation, memories, messages, details, unreadable, unreadLines, agents } = erasure;
  try {
    await layers.windows.drop(sessionId, { incarnation });
    // From the log as it is now: what this process remembers as deleted may live again, when the record is damaged.
    layers.sessions.forget(sessionId);
    for (const id of memories)
      await layers.memories.delete(sessionId, id, { reason: FORGOTTEN }, { incarnation });
    if (messages.length > 0 || unreadLines.isThere) {
      await layers.transcripts.forget(sessionId, messages, { unreadable, incarnation });
      await layers.summaries.recompute(sessionId);
    }
    await layers.details.forget(sessionId, details, { leftovers, unreadable, incarnation });
    // A full session too: the rewriting that follows makes the record smaller than it was.
    if (agents !== undefined)
      await layers.sessions.update(sessionId, { agents }, Number.POSITIVE_INFINITY, { incarnation });
    // Last, because it writes the readable projections anew, which show the summary.
    await layers.maintenance.erase(sessionId, incarnation);
  } catch (error) {
    ifGone(error);
  }
}

/** What others began and did not come to the end of. */
async function finishIn(
  { context, details, maintenance }: PrivacyLayers,
  { sessionId, incarnation, isUnfinished }: OtherSession,
  leftovers: ErasurePlan['leftovers'],
): Promise<void> {
  try {
    if (isUnfinished) await maintenance.catchUp(sessionId);
    // Listing the values removes the drafts of writers that died.
    const blobs = await context.store.list('blob', sessionId);
    if (blobs.length > 0) await details.forget(sessionId, [], { leftovers, unreadable: 'none', incarnation });
  } catch (error) {
    ifGone(error);
  }
}

async function eraseNotes({ notes }: PrivacyLayers, { userId, agentId, lines }: NotesErasure): Promise<void> {
  if (lines === undefined) await notes.forget(userId, agentId);
  else await notes.forgetText(userId, agentId, (line) => lines.has(line.replace(/\r$/, '')));
}
