import { ifGone } from '../core/errors.ts';
import type { Erasure } from '../layers/layer.ts';
import type { ErasurePlan } from './erasure-plan.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * Carries out a plan. Each step rewrites the files that it concerns before the next one begins, so what has been
 * erased when a crash comes is erased, and asking again does the rest: what goes along with something goes before it,
 * because it is found by it. A session that was deleted since is gone, and one that has its name by now is another.
 */
export async function erase({ all }: PrivacyLayers, plan: ErasurePlan): Promise<void> {
  for (const step of stepsOf(plan)) {
    try {
      for (const layer of all) await layer.erase?.(step);
    } catch (error) {
      ifGone(error);
    }
  }
}

function* stepsOf({ leftovers, user: userId, ...plan }: ErasurePlan): Generator<Erasure> {
  for (const journal of plan.journals) yield { kind: 'journal', ...journal };
  const alongFirst = plan.sessions.toSorted(
    (left, right) => Math.sign(right.takenAlong.length) - Math.sign(left.takenAlong.length),
  );
  for (const session of alongFirst) yield { kind: 'pieces', leftovers, ...session };
  const last = plan.wholeSessions.at(-1);
  // With the last one, readers hear of all that are gone, and the index is cleared of them: once, not for each.
  for (const session of plan.wholeSessions)
    yield { kind: 'session', goingUser: session === last ? undefined : userId, ...session };
  for (const session of plan.otherSessions) yield { kind: 'leftovers', leftovers, ...session };
  for (const notes of plan.notes) yield { kind: 'notes', ...notes };
  for (const agentId of plan.agents) yield { kind: 'agent', agentId };
  if (userId !== undefined) yield { kind: 'user', userId };
}
