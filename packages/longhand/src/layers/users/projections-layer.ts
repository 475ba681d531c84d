import type { Layer } from '../layer.ts';
import type { SessionRemoval } from './session-removal.ts';
import type { UserParts } from './user-parts.ts';

/**
 * What is made from the logs of sessions: readable files, search index and vectors; and the sessions as such. It is the
 * last of the list: what is made from a log is written when all layers have changed theirs, and what is found by a
 * session goes before it.
 */
export function projectionsLayer(
  { context: { store }, sessions, maintenance }: UserParts,
  removal: SessionRemoval,
): Layer {
  return {
    name: 'projections',
    async erase(erasure) {
      switch (erasure.kind) {
        case 'pieces': {
          const { agents } = erasure;
          // A full session too: the rewriting that follows makes the record smaller than it was.
          if (agents !== undefined) await sessions.update(erasure, { agents }, Number.POSITIVE_INFINITY);
          return maintenance.erase(erasure);
        }
        case 'leftovers':
          return erasure.isUnfinished ? maintenance.catchUp(erasure.sessionId) : undefined;
        case 'session':
          await removal.remove(erasure, erasure.goingUser);
          return;
        case 'user':
          await store.remove({ kind: 'user', id: erasure.userId });
      }
    },
    async verify({ kind, id }, report) {
      if (kind !== 'user') return;
      // Loaded with the first check: it is most of what searches.
      const { verifyIndexes } = await import('../search/index-verification.ts');
      await verifyIndexes(store, id, report);
    },
  };
}
