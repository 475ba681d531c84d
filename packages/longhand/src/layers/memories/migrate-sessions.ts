import { type ErrorCode, LonghandError } from '../../core/errors.ts';
import type { LogStore } from '../../core/store.ts';
import type { Maintenance } from './maintenance.ts';

/** What `migrateSessions` did. */
export interface MigrationReport {
  /** The ids of the sessions that were rewritten. */
  readonly migrated: readonly string[];
  /** Those that could not be, and why. */
  readonly failed: readonly { readonly session_id: string; readonly code: ErrorCode }[];
}

/** Lifts every session of a store to the current schema. One that cannot be lifted keeps no other from its turn. */
export async function migrateSessions(
  store: LogStore,
  maintenance: Maintenance,
  onProgress?: (done: number, total: number) => void,
): Promise<MigrationReport> {
  const ids = await store.list('session');
  const migrated: string[] = [];
  const failed: { session_id: string; code: ErrorCode }[] = [];
  for (const [i, id] of ids.entries()) {
    try {
      if (await maintenance.migrate(id)) migrated.push(id);
    } catch (error) {
      if (!LonghandError.isInstance(error) || error.code === 'STORE_CLOSED') throw error;
      // One that is gone since it was listed needs no lifting.
      if (error.code !== 'SESSION_NOT_FOUND') failed.push({ session_id: id, code: error.code });
    }
    onProgress?.(i + 1, ids.length);
  }
  return { migrated, failed };
}
