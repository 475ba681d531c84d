import { parseSessionId } from '../core/ids.ts';
import type { SessionRef } from '../layers/session-ref.ts';
import { wholeSession } from './erasure-plan.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * A session that nobody can read any more, as it is now, if it is a user's as far as can be told: the user's list of
 * sessions names it, and nobody else's does. It can be forgotten as a whole, and nothing else can be done with it.
 * @throws ValidationError INVALID_ID
 */
export async function lostSessionOf(
  layers: PrivacyLayers,
  userId: string,
  sessionId: string,
): Promise<SessionRef | undefined> {
  const { owner, incarnation } = await wholeSession(layers, parseSessionId(sessionId));
  if (owner !== undefined || incarnation === undefined) return undefined;
  const { store } = layers.context;
  for (const other of await store.list('user'))
    if ((await store.list('session', other)).includes(sessionId) !== (other === userId)) return undefined;
  return { sessionId, incarnation };
}
