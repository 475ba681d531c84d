import type { MemoryEntry, ScopedMemory, Session } from 'longhand';
import { hasCode } from '../has-code.ts';

/** What a session holds, as far as a file that is brought in can meet it. */
export interface SessionContents {
  readonly session: Session;
  readonly memories: readonly MemoryEntry[];
  readonly deletedIds: readonly string[];
}

/** `undefined` when this user has no such session. */
export async function contentsOf(
  memory: ScopedMemory,
  sessionId: string,
): Promise<SessionContents | undefined> {
  try {
    const { session, memories, deletions } = JSON.parse(await memory.exportSession(sessionId, 'json')) as {
      readonly session: Session;
      readonly memories: readonly MemoryEntry[];
      readonly deletions: readonly { readonly id: string }[];
    };
    return { session, memories, deletedIds: deletions.map(({ id }) => id) };
  } catch (error) {
    if (hasCode(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Where memories are that came without a session, whichever day it was. */
const OF_IMPORTS = /^import-\d{4}-\d{2}-\d{2}(-|$)/;

/**
 * The sessions of a user in which a memory for this one may be already: itself, those that it went on in when it was
 * full, and for a day's session of imports those of other days, so that a file that is imported twice is there once.
 */
export async function familyOf(memory: ScopedMemory, sessionId: string): Promise<readonly string[]> {
  const others = OF_IMPORTS.test(sessionId)
    ? (await memory.listSessions()).filter(({ id }) => OF_IMPORTS.test(id))
    : await memory.continuationsOf(sessionId);
  return [...new Set([sessionId, ...others.map(({ id }) => id)])];
}

/** In which of some sessions each memory is, by its id. */
export interface KnownMemory {
  readonly sessionId: string;
  readonly isDeleted: boolean;
}

export async function knownIn(
  memory: ScopedMemory,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, KnownMemory>> {
  const known = new Map<string, KnownMemory>();
  for (const sessionId of sessionIds) {
    const contents = await contentsOf(memory, sessionId);
    for (const id of contents?.deletedIds ?? [])
      if (!known.has(id)) known.set(id, { sessionId, isDeleted: true });
    // One that is there counts before one that was deleted elsewhere.
    for (const { id } of contents?.memories ?? []) {
      if (known.get(id)?.isDeleted !== false) known.set(id, { sessionId, isDeleted: false });
    }
  }
  return known;
}
