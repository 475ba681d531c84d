import type { Details } from '../layers/details/details.ts';
import type { Agents } from '../layers/journal/agents.ts';
import type { Journal } from '../layers/journal/journal.ts';
import type { Layer } from '../layers/layer.ts';
import type { NotesLayer } from '../layers/notes/notes.ts';
import type { Summaries } from '../layers/summary/summary.ts';
import type { Transcripts } from '../layers/transcript/transcript.ts';
import type { SessionRemoval } from '../layers/users/session-removal.ts';
import type { UserParts } from '../layers/users/user-parts.ts';
import type { Windows } from '../layers/window/window.ts';

/** Everything that may hold something about somebody. */
export interface PrivacyLayers extends UserParts {
  /** Every layer, for what is done with all of them alike. */
  readonly all: readonly Layer[];
  readonly agents: Agents;
  readonly journal: Journal;
  readonly notes: NotesLayer;
  readonly details: Details;
  readonly transcripts: Transcripts;
  readonly summaries: Summaries;
  readonly windows: Windows;
  readonly removal: SessionRemoval;
}
