import { readLog } from '../../core/read-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import { addressOf, type Sessions } from './sessions.ts';

/** Reads and checks a whole log. What is damaged in it is reported. @throws NotFoundError SESSION_NOT_FOUND */
export async function readFold(
  { store, schema }: LayerContext,
  sessions: Sessions,
  sessionId: string,
): Promise<SessionFold> {
  const slice = await readLog(store, addressOf(sessionId));
  const fold = foldSession(sessionId, slice, schema);
  sessions.reportDamage(sessionId, slice.position.generation, fold.damage);
  return fold;
}
