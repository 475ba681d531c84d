import { LonghandError, SizeLimitError } from '../../core/errors.ts';
import type { MemoryChanges } from '../../core/memory-changes.ts';
import type { MemoryEntry, NewMemory } from '../../core/records.ts';
import type { Appended } from '../../core/store.ts';
import type { SessionOwner } from '../session-ref.ts';
import type { UserParts } from './user-parts.ts';

/**
 * Checks memories and adds them with one write, after room was made where that helps. This is the path of every write: what
 * is known already costs no await. Gives their ids.
 * @throws ValidationError, SizeLimitError, IOError, NotFoundError SESSION_NOT_FOUND
 */
export function addMemories(
  needs: UserParts,
  sessionId: string,
  inputs: readonly NewMemory[],
  owner: SessionOwner | undefined,
): Promise<readonly string[]> {
  const { memories, maintenance, sessions, context } = needs;
  return sessions.on(sessionId, owner, async (opened) => {
    if (sessions.known(sessionId)?.needsMigration !== false) await liftSession(needs, sessionId);
    const { session } = opened;
    const startedAt = context.clock.monotonic();
    const checked = memories.check(sessionId, session, inputs);
    if (checked.length === 0) return [];
    let appended: Appended | undefined;
    // As `withRoom` does it, without a promise more than the path of every write needs.
    for (let isDone = false; !isDone; ) {
      try {
        appended = await memories.append(opened, checked, maintenance.pressure.limitBytes);
        isDone = true;
      } catch (error) {
        if (!(error instanceof SizeLimitError)) throw error;
        if (!(await maintenance.pressure.makeRoom(sessionId, error))) throw error;
      }
    }
    const ids: string[] = [];
    for (const { entry } of checked) ids.push(entry.id);
    context.emit({ kind: 'memories-added', session_id: sessionId, ids });
    context.metrics.observe('memory.operations.write.duration_ms', context.clock.monotonic() - startedAt);
    if (appended !== undefined) maintenance.pressure.onGrown(sessionId, session, appended.sizeBytes);
    if (context.embedding !== undefined) void embedSoon(needs, session.user_id);
    return ids;
  });
}

/** @throws ValidationError, SizeLimitError, NotFoundError MEMORY_NOT_FOUND, CorruptionError CORRUPT_ENTRY */
export async function updateMemory(
  needs: UserParts,
  sessionId: string,
  memoryId: string,
  changes: MemoryChanges,
  owner: SessionOwner | undefined,
): Promise<MemoryEntry> {
  const { memories, maintenance, context } = needs;
  await liftSession(needs, sessionId);
  return maintenance.pressure.withRoom(sessionId, owner, async (opened, maxBytes) => {
    const updated = await memories.updates.update(opened, memoryId, changes, maxBytes);
    context.emit({ kind: 'memory-updated', session_id: sessionId, id: updated.id });
    if (context.embedding !== undefined) void embedSoon(needs, opened.session.user_id);
    return updated;
  });
}

/** A session of an earlier schema is lifted before it is written to. */
export async function liftSession(
  { sessions, maintenance }: Pick<UserParts, 'sessions' | 'maintenance'>,
  sessionId: string,
): Promise<void> {
  if ((await sessions.view(sessionId)).needsMigration) await maintenance.migrate(sessionId);
}

/** In the background. The next query makes the vectors too, and reports what fails here. */
async function embedSoon({ search }: Pick<UserParts, 'search'>, userId: string): Promise<void> {
  try {
    await (await search.load()).embedSoon(userId);
  } catch (error) {
    if (!(LonghandError.isInstance(error) && error.code === 'STORE_CLOSED')) throw error;
  }
}
