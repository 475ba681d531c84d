import { SizeLimitError } from '../../core/errors.ts';
import type { NewMemory } from '../../core/records.ts';
import type { Appended } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import type { Maintenance } from './maintenance.ts';
import type { Memories } from './memories.ts';
import { isOwnedBy, type SessionOwner, seenBy } from './session-owner.ts';
import type { Sessions } from './sessions.ts';

export interface AddNeeds {
  readonly context: LayerContext;
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly maintenance: Maintenance;
}

export interface AddedMemories {
  readonly ids: readonly string[];
  readonly userId: string;
}

/**
 * Checks memories and adds them with one write, after room was made where that helps. This is the path of every write: what
 * is known already costs no await.
 * @throws ValidationError, SizeLimitError, IOError, NotFoundError SESSION_NOT_FOUND
 */
export async function addMemories(
  { memories, maintenance, sessions, context }: AddNeeds,
  sessionId: string,
  inputs: readonly NewMemory[],
  owner: SessionOwner | undefined,
): Promise<AddedMemories> {
  const known = sessions.known(sessionId);
  let seen =
    known !== undefined && isOwnedBy(known, owner)
      ? seenBy(known, owner)
      : await sessions.see(sessionId, owner);
  const userId = seen.session.user_id;
  const startedAt = context.clock.monotonic();
  const checked = memories.check(sessionId, seen.session, inputs);
  if (checked.length === 0) return { ids: [], userId };
  let appended: Appended | undefined;
  // As `withRoom` does it, without a promise more than the path of every write needs.
  for (let isDone = false; !isDone; ) {
    try {
      appended = await memories.append(sessionId, seen, checked, maintenance.pressure.limitBytes, owner);
      isDone = true;
    } catch (error) {
      if (!(error instanceof SizeLimitError))
        seen = await sessions.seeNext(sessionId, seen.incarnation, owner, error);
      else if (!(await maintenance.pressure.makeRoom(sessionId, error))) throw error;
    }
  }
  const ids: string[] = [];
  for (const { entry } of checked) ids.push(entry.id);
  context.emit({ kind: 'memories-added', session_id: sessionId, ids });
  context.metrics.observe('memory.operations.write.duration_ms', context.clock.monotonic() - startedAt);
  if (appended !== undefined) maintenance.pressure.onGrown(sessionId, seen.session, appended.sizeBytes);
  return { ids, userId };
}
