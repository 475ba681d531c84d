import { ifGone } from '../core/errors.ts';
import { type AgentMemorySource, mayBeOf } from '../layers/journal/index.ts';
import type { JournalPieces } from '../layers/layer.ts';
import type { Lineage, OutlinedSession } from './lineage.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import type { OutlinedPiece, SessionOutline } from './session-outline.ts';
import { countLines, namesIn, type UnreadLines } from './session-outline.ts';

/**
 * What agents have noted for themselves, in journal and core. It belongs to the agent, and no request about a user or a
 * session can name it. But what notes the message that it was taken from goes when that message does: otherwise the
 * agent would go on saying what the user has asked to be forgotten. It does not take the message with it. What notes no
 * message, because the client gave none, goes with the session or the user as a whole.
 *
 * A session may be gone, and its id another user's: what notes its user is that user's alone.
 */

export interface JournalErasure extends JournalPieces {
  readonly unreadLines: UnreadLines;
  /** They are not named by the request, and go with what is. */
  readonly isTakenAlong: boolean;
}

/** What is to go of agents' journals and cores. @param names of what is meant, for lines that cannot be read */
export async function planJournals(
  { journal }: PrivacyLayers,
  idsOf: Iterable<readonly [agentId: string, ids: readonly string[]]>,
  names: ReadonlySet<string>,
  isTakenAlong: boolean,
): Promise<JournalErasure[]> {
  const planned: JournalErasure[] = [];
  for (const [agentId, ids] of idsOf) {
    const unreadable = { names, takesTorn: ids.length > 0 };
    const part = await journal.unreadable(agentId, unreadable);
    if (ids.length === 0 && !part.isThere) continue;
    const unreadLines = { count: countLines(part), names: namesIn(part.lines, unreadable) };
    planned.push({ agentId, ids, unreadable, unreadLines, isTakenAlong });
  }
  return planned;
}

/** The outlines, each with what agents took from the session. */
export async function withPrivatePieces(
  { context: { store }, journal }: PrivacyLayers,
  outlines: readonly SessionOutline[],
): Promise<readonly SessionOutline[]> {
  const bySession = new Map(
    outlines.map((outline) => [outline.sessionId, { outline, pieces: [] as OutlinedPiece[] }]),
  );
  for (const agentId of await store.list('agent')) {
    for (const { id, provenance } of (await journal.sources(agentId).catch(ifGone)) ?? []) {
      const { session_id: sessionId = '', message_id: messageId } = provenance ?? {};
      const origin = bySession.get(sessionId);
      if (origin === undefined || !mayBeOf(origin.outline.owner, provenance)) continue;
      const { role, choice } = origin.outline;
      if (messageId === undefined && role !== 'whole') continue;
      const isChosen = messageId === undefined || choice.isNamed(messageId);
      const piece = { sessionId, originId: sessionId, agentId, id, messageId, isChosen };
      origin.pieces.push({ kind: 'private', takesSource: false, ...piece });
    }
  }
  return Array.from(bySession.values(), ({ outline, pieces }) =>
    pieces.length === 0 ? outline : { ...outline, pieces: [...outline.pieces, ...pieces] },
  );
}

/** What of it goes, and what cannot be read of the agents that took part where a message goes. */
export async function planTakenAlong(
  layers: PrivacyLayers,
  sessions: readonly OutlinedSession[],
  { pieces, messages, messageIds }: Lineage,
): Promise<readonly JournalErasure[]> {
  const idsOf = new Map<string, string[]>();
  for (const { outline } of sessions)
    if (messages.has(outline.sessionId)) for (const agent of outline.agentsEver) idsOf.set(agent, []);
  for (const { agentId, id } of pieces)
    if (agentId !== undefined) idsOf.set(agentId, [...(idsOf.get(agentId) ?? []), id]);
  const whole = sessions.flatMap(({ outline }) => (outline.role === 'whole' ? [outline.sessionId] : []));
  return planJournals(layers, idsOf, new Set([...messageIds, ...whole]), true);
}

/** All that agents took from a user who is forgotten whole. @param beforeMs what is newer is not meant */
export async function planTakenFromUser(
  layers: PrivacyLayers,
  userId: string,
  sessionIds: readonly string[],
  beforeMs = Number.POSITIVE_INFINITY,
): Promise<readonly JournalErasure[]> {
  const from = new Set(sessionIds);
  const names = new Set([...sessionIds, userId]);
  const isTaken = ({ provenance, created_at }: AgentMemorySource): boolean => {
    if (from.has(provenance?.session_id ?? '')) return mayBeOf(userId, provenance);
    return provenance?.user_id === userId && !(Date.parse(created_at ?? '') > beforeMs);
  };
  const idsOf = new Map<string, readonly string[]>();
  for (const agentId of await layers.context.store.list('agent')) {
    const sources = (await layers.journal.sources(agentId).catch(ifGone)) ?? [];
    const ids = sources.filter(isTaken).map(({ id }) => id);
    idsOf.set(agentId, ids);
  }
  return planJournals(layers, idsOf, names, true);
}
