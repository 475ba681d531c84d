import { LonghandError } from '../../core/errors.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import type { LogStore } from '../../core/store.ts';

/**
 * The sessions of a user, or of anybody, whose log is gone while other files of theirs are there. Whose one was,
 * `metadata.json` tells, and without it the user's change file: another's session of this id may have been there before.
 */
export async function sessionsWithoutLog(store: LogStore, userId?: string): Promise<readonly string[]> {
  const ids = (await store.folder?.listWithoutLog('session')) ?? [];
  if (userId === undefined || ids.length === 0) return ids;
  const named = new Set((await store.follow(userId)).sessionIds);
  const found: string[] = [];
  for (const id of ids) {
    const owner = await ownerBeside(store, id);
    if (owner === userId || (owner === undefined && named.has(id))) found.push(id);
  }
  return found;
}

/** Whose session it is, as `metadata.json` says; `undefined` when that tells nothing. */
export async function ownerBeside(store: LogStore, id: string): Promise<string | undefined> {
  try {
    const metadata = await store.readDocument({ kind: 'session', id }, METADATA_DOCUMENT);
    return parseOwner(id, metadata)?.user_id;
  } catch (error) {
    // Something else in its place tells nothing.
    if (LonghandError.isInstance(error)) return undefined;
    throw error;
  }
}
