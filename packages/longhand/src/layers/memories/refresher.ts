import { LonghandError, NotFoundError } from '../../core/errors.ts';
import { METADATA_DOCUMENT } from '../../core/owner-in-metadata.ts';
import type { LayerContext } from '../layer-context.ts';
import { Repeated } from '../repeated.ts';
import type { Maintenance } from './maintenance.ts';
import { addressOf, type Sessions } from './sessions.ts';

/**
 * Keeps the stored relevance of the sessions in use from growing old.
 * @param expire takes away what a session has kept for its time
 */
export function refreshing(
  { context, sessions, maintenance }: RefresherNeeds,
  expire: (sessionId: string) => Promise<void>,
): Repeated {
  const { store, clock, config, emit } = context;
  const intervalMs = config.decay.update_interval_minutes * 60_000;
  const refresh = async (sessionId: string): Promise<void> => {
    const metadata = await store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    if (isFresh(metadata, clock.now() - intervalMs)) return;
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
        const reason = LonghandError.isInstance(error) ? error.code : String(error);
        emit({ kind: 'io-failed', log: `session ${id}`, operation: 'refresh', reason });
      }
    }
  };
  return new Repeated(refreshAll, intervalMs);
}

interface RefresherNeeds {
  readonly context: LayerContext;
  readonly sessions: Sessions;
  readonly maintenance: Maintenance;
}

/** Whether another process refreshed it lately. A projection that cannot be read is none. */
function isFresh(metadata: string | undefined, sinceMs: number): boolean {
  try {
    const { last_decay_update } = JSON.parse(metadata ?? '{}') as { last_decay_update?: string };
    return Date.parse(last_decay_update ?? '') > sinceMs;
  } catch {
    return false;
  }
}
