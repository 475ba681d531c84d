import type { Details } from '../layers/details/index.ts';
import type { Agents, Journal } from '../layers/journal/index.ts';
import type { Layer } from '../layers/layer.ts';
import type { NotesLayer } from '../layers/notes/index.ts';
import type { Summaries } from '../layers/summary/index.ts';
import type { Transcripts } from '../layers/transcript/index.ts';
import type { SessionRemoval } from '../layers/users/session-removal.ts';
import type { UserParts } from '../layers/users/user-parts.ts';
import type { Windows } from '../layers/window/index.ts';

/** Everything that may hold something about a user. */
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
