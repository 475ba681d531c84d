import type { EventFacts, LogStore } from '../src/index.ts';
import { AgentLogs } from '../src/layers/journal/agent-logs.ts';
import { Agents } from '../src/layers/journal/agents.ts';
import { Journal } from '../src/layers/journal/journal.ts';
import { FakeClock } from '../src/testing/index.ts';
import { openLayerContext } from './open-layer-context.ts';

export const DAY_MS = 86_400_000;
export const NOW = '2026-01-10T14:00:00.000Z';

/** The layers of agents on a store. */
export interface AgentDesk {
  readonly store: LogStore;
  readonly agents: Agents;
  readonly journal: Journal;
  readonly clock: FakeClock;
  readonly events: EventFacts[];
}

export function openDesk(store: LogStore, clock = new FakeClock(Date.parse(NOW))): AgentDesk {
  const { context, events } = openLayerContext(store, {}, clock);
  const logs = new AgentLogs(context);
  return { store, agents: new Agents(context, logs), journal: new Journal(context, logs), clock, events };
}
