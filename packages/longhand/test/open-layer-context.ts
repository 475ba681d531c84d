import type { Clock } from '../src/core/clock.ts';
import { type PartialConfig, resolveConfig } from '../src/core/config.ts';
import type { EventFacts } from '../src/core/events.ts';
import { createIdMaker } from '../src/core/ids.ts';
import { Metrics } from '../src/core/metrics.ts';
import { currentSchema } from '../src/core/schema.ts';
import type { LogStore } from '../src/core/store.ts';
import { DEFAULT_INDEX_LIMITS, type LayerContext } from '../src/layers/layer-context.ts';
import { FakeClock } from '../src/testing/index.ts';

/** What the layers of one process work with, and what it tells. */
export function openLayerContext(
  store: LogStore,
  config: PartialConfig = {},
  clock: Clock = new FakeClock(),
): { readonly context: LayerContext; readonly events: EventFacts[] } {
  const events: EventFacts[] = [];
  const context: LayerContext = {
    store,
    config: resolveConfig([{ name: 'the test', value: config }]),
    clock,
    makeId: createIdMaker(),
    emit: (event) => events.push(event),
    metrics: new Metrics(),
    schema: currentSchema,
    indexLimits: DEFAULT_INDEX_LIMITS,
    loadWords: async () => undefined,
    loadTable: async () => undefined,
  };
  return { context, events };
}
