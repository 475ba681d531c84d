import { NotFoundError } from '../../core/errors.ts';
import { METADATA_DOCUMENT } from '../../core/owner-in-metadata.ts';
import { failureOf, fieldsOf } from '../failures.ts';
import { Repeated } from '../repeated.ts';
import type { SessionParts } from './session-parts.ts';
import { addressOf } from './sessions.ts';

/**
 * Keeps the stored relevance of the sessions in use from growing old.
 * @param expire takes away what a session has kept for its time
 */
export function refreshing(
  { context, sessions, maintenance }: Pick<SessionParts, 'context' | 'sessions' | 'maintenance'>,
  expire: (sessionId: string) => Promise<void>,
): Repeated {
  const { store, clock, config, emit } = context;
  const intervalMs = config.decay.update_interval_minutes * 60_000;
  const refresh = async (sessionId: string): Promise<void> => {
    const metadata = await store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    // Another process may have refreshed it lately.
    if (Date.parse(String(fieldsOf(metadata).last_decay_update)) > clock.now() - intervalMs) return;
    await expire(sessionId);
    await maintenance.rebuildIndex(sessionId);
  };
  const refreshAll = async (): Promise<void> => {
    for (const id of sessions.active) {
      try {
        await refresh(id);
      } catch (error) {
        // One session that another process deleted, or that is damaged, keeps no other from its turn.
        if (error instanceof NotFoundError) sessions.forget(id);
        emit(failureOf(`session ${id}`, 'refresh', error));
      }
    }
  };
  return new Repeated(refreshAll, intervalMs);
}
