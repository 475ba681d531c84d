import type { Details } from '../layers/details/details.ts';
import type { Agents } from '../layers/journal/agents.ts';
import type { Journal } from '../layers/journal/journal.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerContext } from '../layers/layer-context.ts';
import type { Maintenance } from '../layers/memories/maintenance.ts';
import type { Memories } from '../layers/memories/memories.ts';
import type { Sessions } from '../layers/memories/sessions.ts';
import type { NotesLayer } from '../layers/notes/notes.ts';
import type { Summaries } from '../layers/summary/summary.ts';
import type { Transcripts } from '../layers/transcript/transcript.ts';
import type { Windows } from '../layers/window/window.ts';
import type { ForgetRequest, HeldPieces } from './forget-request.ts';

/** Everything that may hold something about somebody. */
export interface PrivacyLayers {
  readonly context: LayerContext;
  /** Every layer, for what is done with all of them alike. */
  readonly all: readonly Layer[];
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly maintenance: Maintenance;
  readonly agents: Agents;
  readonly journal: Journal;
  readonly notes: NotesLayer;
  readonly details: Details;
  readonly transcripts: Transcripts;
  readonly summaries: Summaries;
  readonly windows: Windows;
  /**
   * Removes a session from the store, the readable lists and the search index.
   * @param incarnation that it must be in, when one is named: another one is left alone
   * @param goingUser whose other sessions go too: what is kept of them beside the sessions is cleared with the last one
   */
  deleteSession(sessionId: string, incarnation?: string, goingUser?: string): Promise<boolean>;
  /** What of a user holds a text. */
  holding(request: ForgetRequest): Promise<HeldPieces>;
  /** Takes what is gone out of the user's search index. */
  purgeIndex(userId: string): Promise<void>;
  /** What a killed process left of a session that is gone. @param userId whose it was, when that is known */
  purgeRemoved(sessionId: string, userId?: string): Promise<void>;
}
