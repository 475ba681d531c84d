import type { Details } from '../layers/details/details.ts';
import type { Agents } from '../layers/journal/agents.ts';
import type { Journal } from '../layers/journal/journal.ts';
import type { Layer } from '../layers/layer.ts';
import type { LayerContext } from '../layers/layer-context.ts';
import type { Maintenance } from '../layers/memories/maintenance.ts';
import type { Memories } from '../layers/memories/memories.ts';
import type { SessionRemoval } from '../layers/memories/session-removal.ts';
import type { Sessions } from '../layers/memories/sessions.ts';
import type { NotesLayer } from '../layers/notes/notes.ts';
import type { MemorySearch } from '../layers/search/memory-search.ts';
import type { Summaries } from '../layers/summary/summary.ts';
import type { Transcripts } from '../layers/transcript/transcript.ts';
import type { Windows } from '../layers/window/window.ts';

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
  readonly removal: SessionRemoval;
  /** Loaded by the first caller that needs it. */
  readonly search: { load(): Promise<MemorySearch> };
}
