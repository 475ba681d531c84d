import type { Clock } from '../core/clock.ts';
import type { StoreConfig } from '../core/config.ts';
import type { ArchivedMessage } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { Details } from '../layers/details/index.ts';
import type { Agents, Journal } from '../layers/journal/index.ts';
import type { Accesses } from '../layers/memories/accesses.ts';
import type { Sessions } from '../layers/memories/sessions.ts';
import type { NotesLayer } from '../layers/notes/index.ts';
import type { MemorySearch } from '../layers/search/memory-search.ts';
import type { Summaries } from '../layers/summary/index.ts';
import type { Transcripts } from '../layers/transcript/index.ts';
import type { Windows } from '../layers/window/index.ts';

/** The few methods of the layers that a context is gathered with. */
export interface ContextNeeds {
  readonly config: Pick<StoreConfig, 'context' | 'summary' | 'time_zone'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Loaded with the first context, as a rule. */
  readonly counter: () => TokenCounter | Promise<TokenCounter>;
  readonly sessions: Pick<Sessions, 'current'>;
  readonly agents: Pick<Agents, 'get'>;
  readonly journal: Pick<Journal, 'forPrompt' | 'whiteboard'>;
  readonly notes: Pick<NotesLayer, 'readForPrompt'>;
  readonly details: Pick<Details, 'search' | 'list' | 'holds' | 'keep'>;
  readonly summaries: Pick<Summaries, 'inUse'>;
  /** A synopsis without a model, of messages that no summary covers yet. */
  readonly extracts: (messages: readonly ArchivedMessage[]) => string;
  readonly transcripts: Pick<Transcripts, 'state' | 'latest'>;
  readonly windows: Pick<Windows, 'read'>;
  readonly search: () => Promise<Pick<MemorySearch, 'page' | 'pageOfUser' | 'lastChange'>>;
  /** Told which memories a prompt has made use of. */
  readonly accesses?: Pick<Accesses, 'note'> | undefined;
}
