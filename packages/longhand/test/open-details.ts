import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PartialConfig, resolveConfig } from '../src/core/config.ts';
import { createIdMaker } from '../src/core/ids.ts';
import { Metrics } from '../src/core/metrics.ts';
import { currentSchema } from '../src/core/schema.ts';
import type { Summariser } from '../src/core/summariser.ts';
import { type EventFacts, FileStore, type LogStore, MemoryStore } from '../src/index.ts';
import { Details } from '../src/layers/details.ts';
import { Sessions } from '../src/layers/sessions.ts';
import type { Workshop } from '../src/layers/workshop.ts';
import { FakeClock } from '../src/testing/index.ts';
import { lasting } from '../src/testing/lasting-store.ts';

/** Where details are tried, from within a test: each call opens what was stored before, as another process would. */
export const STORES: readonly (readonly [string, () => () => LogStore])[] = [
  [
    'memory',
    () => {
      const store = lasting(new MemoryStore());
      return () => store;
    },
  ],
  [
    'file',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
      const stores: FileStore[] = [];
      onTestFinished(async () => {
        for (const store of stores) await store.close();
        rmSync(folder, { recursive: true, force: true });
      });
      return () => {
        stores.push(new FileStore({ root: join(folder, 'store') }));
        return stores.at(-1)!;
      };
    },
  ],
];

/** A token is four characters: plain, and quick to reason about. */
export const FOUR_CHARACTERS = { name: 'four', count: (text: string) => Math.ceil(text.length / 4) };

export interface OpenedDetails {
  readonly details: Details;
  readonly sessions: Sessions;
  readonly clock: FakeClock;
  readonly events: EventFacts[];
  readonly workshop: Workshop;
}

export function openDetails(
  store: LogStore,
  options: {
    readonly config?: PartialConfig;
    readonly clock?: FakeClock;
    readonly summariser?: Summariser;
    readonly describeTimeoutMs?: number;
  } = {},
): OpenedDetails {
  const { config, clock = new FakeClock(), summariser, describeTimeoutMs } = options;
  const events: EventFacts[] = [];
  const workshop: Workshop = {
    store,
    config: resolveConfig([{ name: 'the test', value: config }]),
    clock,
    makeId: createIdMaker(),
    emit: (event) => events.push(event),
    metrics: new Metrics(),
    schema: currentSchema,
  };
  const sessions = new Sessions(workshop);
  const details = new Details(workshop, {
    sessions,
    tokens: () => FOUR_CHARACTERS,
    summariser,
    ...(describeTimeoutMs === undefined ? {} : { describeTimeoutMs }),
  });
  return { details, sessions, clock, events, workshop };
}

/** The places of a store that hold a text. */
export async function placesHolding(store: LogStore, text: string): Promise<string[]> {
  const found = new Set<string>();
  let carry = '';
  for await (const { place, offset, bytes } of store.everything()) {
    const piece = Buffer.from(bytes).toString('latin1');
    carry = (offset === 0 ? '' : carry) + piece;
    if (carry.includes(text) || place.includes(text)) found.add(place);
    carry = carry.slice(-text.length);
  }
  return [...found];
}
