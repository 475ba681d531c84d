import type { NotesPieces } from '../layers/layer.ts';
import type { Selection } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/** @param beforeMs notes that were begun later are not meant */
export async function planNotes(
  { notes }: PrivacyLayers,
  userId: string,
  what: Selection,
  beforeMs: number | undefined,
): Promise<readonly NotesPieces[]> {
  const planned: NotesPieces[] = [];
  for (const agentId of await notes.list(userId)) {
    if (what.by === 'everything') {
      if (await wereBegunBefore(notes, userId, agentId, beforeMs))
        planned.push({ userId, agentId, lines: undefined });
    } else if (what.by === 'time') {
      const noted = await notes.linesNoted(userId, agentId);
      const isMeant = ([, ms]: readonly [string, number]): boolean => ms >= what.startMs && ms <= what.endMs;
      const lines = new Set([...noted].filter(isMeant).map(([line]) => line));
      if (lines.size > 0 || (await notes.isDamaged(userId, agentId)))
        planned.push({ userId, agentId, lines });
    } else if (what.by === 'ids' && what.noteLines?.has(agentId)) {
      planned.push({ userId, agentId, lines: what.noteLines.get(agentId) });
    }
  }
  return planned;
}

/** The notes of an agent on everybody. */
export async function planNotesOfAgent(
  { context: { store }, notes }: PrivacyLayers,
  agentId: string,
  beforeMs: number | undefined,
): Promise<readonly NotesPieces[]> {
  const planned: NotesPieces[] = [];
  for (const userId of await store.list('user')) {
    if (!(await store.list('notes', userId)).includes(agentId)) continue;
    if (await wereBegunBefore(notes, userId, agentId, beforeMs))
      planned.push({ userId, agentId, lines: undefined });
  }
  return planned;
}

async function wereBegunBefore(
  notes: PrivacyLayers['notes'],
  userId: string,
  agentId: string,
  beforeMs: number | undefined,
): Promise<boolean> {
  if (beforeMs === undefined) return true;
  const [oldest] = await notes.versions(userId, agentId);
  return oldest === undefined || Date.parse(oldest.timestamp) <= beforeMs;
}
