import { NotFoundError } from '../core/errors.ts';
import type { Unreadable } from '../layers/unreadable-lines.ts';
import type { Lineage, OutlinedSession } from './lineage.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import type { Piece, SessionOutline } from './session-outline.ts';

/**
 * What agents have noted for themselves, in journal and core. It belongs to the agent, and no request about a user or a
 * session can name it. But what notes the message that it was taken from goes when that message does: otherwise the
 * agent would go on saying what the user has asked to be forgotten. It does not take the message with it.
 */

/** Journal and core memories of an agent, by their ids. */
export interface JournalErasure {
  readonly agentId: string;
  readonly ids: readonly string[];
  readonly unreadable: Unreadable;
  /** They are not named by the request, and go with what is. */
  readonly isTakenAlong: boolean;
}

/** The outlines, each with what agents took from the session. */
export async function withPrivatePieces(
  { workshop: { store }, journal }: PrivacyLayers,
  outlines: readonly SessionOutline[],
): Promise<readonly SessionOutline[]> {
  const bySession = new Map(
    outlines.map((outline) => [outline.sessionId, { outline, pieces: [] as Piece[] }]),
  );
  for (const agentId of await store.list('agent')) {
    for (const { id, provenance } of await journal.sources(agentId).catch(ifGone)) {
      const { session_id: sessionId = '', message_id: messageId } = provenance ?? {};
      const origin = bySession.get(sessionId);
      if (origin === undefined || messageId === undefined) continue;
      const isChosen = origin.outline.choice.isNamed(messageId);
      origin.pieces.push({
        kind: 'private',
        sessionId,
        originId: sessionId,
        agentId,
        id,
        messageId,
        isChosen,
        takesSource: false,
      });
    }
  }
  return Array.from(bySession.values(), ({ outline, pieces }) =>
    pieces.length === 0 ? outline : { ...outline, pieces: [...outline.pieces, ...pieces] },
  );
}

/** What of it goes, and what cannot be read of the agents that took part where a message goes. */
export async function planTakenAlong(
  { journal }: PrivacyLayers,
  sessions: readonly OutlinedSession[],
  { pieces, messages, messageIds }: Lineage,
): Promise<readonly JournalErasure[]> {
  const idsOf = new Map<string, string[]>();
  for (const { outline } of sessions)
    if (messages.has(outline.sessionId)) for (const agent of outline.agentsEver) idsOf.set(agent, []);
  for (const { agentId, id } of pieces)
    if (agentId !== undefined) idsOf.set(agentId, [...(idsOf.get(agentId) ?? []), id]);
  const whole = sessions.flatMap(({ outline }) => (outline.role === 'whole' ? [outline.sessionId] : []));
  const names = new Set([...messageIds, ...whole]);
  const planned: JournalErasure[] = [];
  for (const [agentId, ids] of idsOf) {
    const unreadable = { names, takesTorn: ids.length > 0 };
    const isNeeded = ids.length > 0 || (await journal.unreadable(agentId, unreadable)).isThere;
    if (isNeeded) planned.push({ agentId, ids, unreadable, isTakenAlong: true });
  }
  return planned;
}

/** All that agents took from these sessions, for those who forget them whole. */
export async function planTakenFrom(
  { workshop: { store }, journal }: PrivacyLayers,
  sessionIds: readonly string[],
): Promise<readonly JournalErasure[]> {
  const from = new Set(sessionIds);
  const planned: JournalErasure[] = [];
  for (const agentId of await store.list('agent')) {
    const ids = (await journal.sources(agentId).catch(ifGone)).flatMap(({ id, provenance }) =>
      provenance?.message_id !== undefined && from.has(provenance.session_id ?? '') ? [id] : [],
    );
    const unreadable = { names: from, takesTorn: ids.length > 0 };
    const isNeeded = ids.length > 0 || (await journal.unreadable(agentId, unreadable)).isThere;
    if (isNeeded) planned.push({ agentId, ids, unreadable, isTakenAlong: true });
  }
  return planned;
}

function ifGone(error: unknown): readonly [] {
  if (error instanceof NotFoundError) return [];
  throw error;
}
