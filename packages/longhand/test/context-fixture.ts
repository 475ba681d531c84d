import { describeContent } from '../src/adapters/summarisers/extractive-description.ts';
import { extractiveSummariser, extractSummary } from '../src/adapters/summarisers/extractive-summariser.ts';
import { loadTokenCounter } from '../src/adapters/token-counter.ts';
import { assembleContext, type Context, type ContextRequest } from '../src/context/assemble-context.ts';
import type { ContextNeeds } from '../src/context/needs.ts';
import type { PartialConfig } from '../src/core/config.ts';
import type { ArchivedMessage } from '../src/core/messages.ts';
import type { NewMemory } from '../src/core/records.ts';
import type { LogStore } from '../src/core/store.ts';
import { Details } from '../src/layers/details/details.ts';
import { AgentLogs } from '../src/layers/journal/agent-logs.ts';
import { Agents } from '../src/layers/journal/agents.ts';
import { Journal } from '../src/layers/journal/journal.ts';
import { Accesses } from '../src/layers/memories/accesses.ts';
import { Memories } from '../src/layers/memories/memories.ts';
import { Sessions } from '../src/layers/memories/sessions.ts';
import { NotesLayer } from '../src/layers/notes/notes.ts';
import { MemorySearch } from '../src/layers/search/memory-search.ts';
import { Summaries } from '../src/layers/summary/summary.ts';
import { Transcripts } from '../src/layers/transcript/transcript.ts';
import { Windows } from '../src/layers/window/window.ts';
import { FakeClock } from '../src/testing/index.ts';
import { openLayerContext } from './open-layer-context.ts';

export interface House extends ContextNeeds {
  readonly clock: FakeClock;
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly agents: Agents;
  readonly journal: Journal;
  readonly notes: NotesLayer;
  readonly details: Details;
  readonly transcripts: Transcripts;
  readonly summaries: Summaries;
  readonly windows: Windows;
  readonly search: () => Promise<MemorySearch>;
  readonly accesses: Accesses;
  assemble(request: ContextRequest): Promise<Context>;
  remember(sessionId: string, inputs: readonly NewMemory[]): Promise<readonly string[]>;
}

/** All layers on one store, as the facade opens them. */
export async function openHouse(
  store: LogStore,
  config: PartialConfig = {},
  clock = new FakeClock(),
): Promise<House> {
  const counter = await loadTokenCounter();
  const { context } = openLayerContext(store, config, clock);
  const sessions = new Sessions(context);
  const memories = new Memories(context, sessions, async () => undefined);
  const accesses = new Accesses(context, sessions);
  const logs = new AgentLogs(context);
  const transcripts = new Transcripts(context);
  const search = new MemorySearch(context, sessions, memories, accesses, undefined);
  const needs = {
    config: context.config,
    clock,
    counter: () => counter,
    sessions,
    memories,
    accesses,
    agents: new Agents(context, logs),
    journal: new Journal(context, logs),
    notes: new NotesLayer(context),
    details: new Details(context, { sessions, tokens: () => counter, extract: describeContent }),
    transcripts,
    extracts: (messages: readonly ArchivedMessage[]) => extractSummary({ previous: undefined, messages }),
    summaries: new Summaries(context, transcripts, extractiveSummariser),
    windows: new Windows(context, transcripts, {
      sessionOf: (id) => sessions.current(id),
    }),
    search: async () => search,
  };
  return {
    ...needs,
    assemble: (request) => assembleContext(needs, request),
    remember: async (sessionId, inputs) => {
      const view = await sessions.view(sessionId);
      const checked = memories.check(sessionId, view.session, inputs);
      await memories.append(view, checked, Number.MAX_SAFE_INTEGER);
      return checked.map(({ entry }) => entry.id);
    },
  };
}
