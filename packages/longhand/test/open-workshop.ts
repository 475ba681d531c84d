import type { Clock } from '../src/core/clock.ts';
import { type PartialConfig, resolveConfig } from '../src/core/config.ts';
import type { EventFacts } from '../src/core/events.ts';
import { createIdMaker } from '../src/core/ids.ts';
import { Metrics } from '../src/core/metrics.ts';
import { currentSchema } from '../src/core/schema.ts';
import type { LogStore } from '../src/core/store.ts';
import type { Workshop } from '../src/layers/workshop.ts';
import { FakeClock } from '../src/testing/index.ts';

/** What the layers of one process work with, and what it tells. */
export function openWorkshop(
  store: LogStore,
  config: PartialConfig = {},
  clock: Clock = new FakeClock(),
): { readonly workshop: Workshop; readonly events: EventFacts[] } {
  const events: EventFacts[] = [];
  const workshop: Workshop = {
    store,
    config: resolveConfig([{ name: 'the test', value: config }]),
    clock,
    makeId: createIdMaker(),
    emit: (event) => events.push(event),
    metrics: new Metrics(),
    schema: currentSchema,
    loadWords: async () => undefined,
    loadTable: async () => undefined,
  };
  return { workshop, events };
}
