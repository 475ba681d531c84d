import { NotFoundError } from '../core/errors.ts';
import { logNotFound } from '../core/store.ts';
import { addressOf, cannotBeRead } from '../layers/memories/sessions.ts';
import type { ErasurePlan, SeenSession } from './erasure-plan.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/** How many pieces of each kind: all that a preview or a receipt needs to say. */
export interface PieceCounts {
  readonly sessions: number;
  /**
   * Of sessions, also such that were deleted before and still stood in a file; journal and core memories that were named
   * by their ids, or taken from a message that goes.
   */
  readonly memories: number;
  readonly messages: number;
  readonly details: number;
  /** Documents of notes, gone as a whole or in part. */
  readonly notes: number;
  /** Lines of those that lose some of them. */
  readonly note_lines: number;
  readonly agents: number;
  /**
   * When there are any: lines that cannot be read, and go because they may hold what is meant. What they said is
   * unknown; one that still says which memory it was is counted as that memory when it is named.
   */
  readonly damaged_lines?: number;
  /**
   * When there are any: sessions that cannot be read, wholly or in part. What could not be read in them is not counted.
   * One that goes as a whole goes all the same; of one that is meant in part nothing does, and `forget` says so.
   */
  readonly unread_sessions?: number;
}

/** What would go, and of which time when a time was chosen. */
export interface ForgetPreview extends PieceCounts {
  /** The moments that are meant, both included. */
  readonly time_range?: { readonly start: string; readonly end: string };
}

export async function countPieces(layers: PrivacyLayers, plan: ErasurePlan): Promise<PieceCounts> {
  const counts = {
    sessions: plan.wholeSessions.length,
    memories: plan.journals.reduce((sum, { ids }) => sum + ids.length, 0),
    messages: 0,
    details: 0,
    notes: 0,
    note_lines: 0,
    agents: plan.agents.length,
  };
  for (const { pieces, outdated } of plan.sessions) {
    counts.memories += pieces.memories.length + outdated.length;
    counts.messages += pieces.transcript.length;
    counts.details += pieces.details.length;
  }
  let unread = plan.unread.length;
  for (const session of plan.wholeSessions) {
    try {
      const { isRead, ...counted } = await countSession(layers, session);
      for (const kind of ['memories', 'messages', 'details'] as const) counts[kind] += counted[kind];
      if (!isRead) unread++;
    } catch (error) {
      // Gone since it was listed, or never there.
      if (!(error instanceof NotFoundError)) throw error;
      counts.sessions--;
    }
  }
  let damaged = [...plan.sessions, ...plan.journals].reduce((sum, each) => sum + each.unreadLines.count, 0);
  for (const { lines } of plan.notes) {
    if (lines === undefined || lines.size > 0) counts.notes++;
    else damaged++;
    counts.note_lines += lines?.size ?? 0;
  }
  return {
    ...counts,
    ...(damaged === 0 ? {} : { damaged_lines: damaged }),
    ...(unread === 0 ? {} : { unread_sessions: unread }),
  };
}

/** @throws NotFoundError SESSION_NOT_FOUND when it is gone, or in another incarnation */
async function countSession(
  { maintenance, transcripts, details }: PrivacyLayers,
  { sessionId, incarnation, owner, memories: known }: SeenSession,
): Promise<Pick<PieceCounts, 'memories' | 'messages' | 'details'> & { readonly isRead: boolean }> {
  let isRead = true;
  const orNone = async (count: () => Promise<number>): Promise<number> => {
    try {
      return await count();
    } catch (error) {
      if (!cannotBeRead(error)) throw error;
      isRead = false;
      return 0;
    }
  };
  const fold = async (): Promise<number> => {
    const { entries, incarnation: seen } = await maintenance.fold(sessionId);
    if ((incarnation ?? seen) !== seen) throw logNotFound(addressOf(sessionId));
    return entries.length;
  };
  const counted = {
    memories: known ?? (await orNone(fold)),
    messages: await orNone(async () => (await transcripts.glance(sessionId)).present),
    details: await orNone(async () => (await details.keptInSession(sessionId, owner)).length),
  };
  return { ...counted, isRead };
}
