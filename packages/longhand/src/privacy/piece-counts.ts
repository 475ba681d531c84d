import { NotFoundError } from '../core/errors.ts';
import type { ErasurePlan } from './erasure-plan.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/** How many pieces of each kind: all that a preview or a receipt needs to say. */
export interface PieceCounts {
  readonly sessions: number;
  /** Of sessions; journal and core memories that were named by their ids, or taken from a message that goes. */
  readonly memories: number;
  readonly messages: number;
  readonly details: number;
  /** Documents of notes, gone as a whole or in part. */
  readonly notes: number;
  /** Lines of those that lose some of them. */
  readonly note_lines: number;
  readonly agents: number;
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
  for (const { memories, messages, details } of plan.sessions) {
    counts.memories += memories.length;
    counts.messages += messages.length;
    counts.details += details.length;
  }
  for (const { sessionId, life } of plan.wholeSessions) {
    try {
      const count = async () => ({
        memories: (await layers.maintenance.fold(sessionId)).entries.length,
        messages: await layers.transcripts.count(sessionId),
        details: (await layers.details.keptInSession(sessionId)).length,
      });
      const counted = await (life === undefined ? count() : layers.sessions.within(sessionId, life, count));
      counts.memories += counted.memories;
      counts.messages += counted.messages;
      counts.details += counted.details;
    } catch (error) {
      // Gone since it was listed, or never there.
      if (!(error instanceof NotFoundError)) throw error;
      counts.sessions--;
    }
  }
  for (const { lines } of plan.notes) {
    if (lines === undefined || lines.size > 0) counts.notes++;
    counts.note_lines += lines?.size ?? 0;
  }
  return counts;
}
