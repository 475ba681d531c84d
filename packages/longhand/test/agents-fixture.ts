import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { resolveConfig } from '../src/core/config.ts';
import { createIdMaker } from '../src/core/ids.ts';
import { Metrics } from '../src/core/metrics.ts';
import { currentSchema } from '../src/core/schema.ts';
import { type EventFacts, FileStore, type LogStore, MemoryStore } from '../src/index.ts';
import { AgentLogs } from '../src/layers/agent-logs.ts';
import { Agents } from '../src/layers/agents.ts';
import { Journal } from '../src/layers/journal.ts';
import type { Workshop } from '../src/layers/workshop.ts';
import { FakeClock } from '../src/testing/index.ts';

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
  const events: EventFacts[] = [];
  const workshop: Workshop = {
    store,
    config: resolveConfig([]),
    clock,
    makeId: createIdMaker(),
    emit: (event) => events.push(event),
    metrics: new Metrics(),
    schema: currentSchema,
  };
  const logs = new AgentLogs(workshop);
  return { store, agents: new Agents(workshop, logs), journal: new Journal(workshop, logs), clock, events };
}

/** The folder of a file store, gone with the test. */
export function newRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return join(folder, 'store');
}

export function openFiles(root = newRoot()): FileStore {
  const store = new FileStore({ root });
  onTestFinished(() => store.close());
  return store;
}

/** Each test of a layer runs on each of them. */
export const STORES: readonly (readonly [string, () => LogStore])[] = [
  ['memory', () => new MemoryStore()],
  ['files', () => openFiles()],
];
