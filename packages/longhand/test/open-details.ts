import { describeContent } from '../src/adapters/summarisers/extractive-description.ts';
import type { PartialConfig } from '../src/core/config.ts';
import type { Summariser } from '../src/core/summariser.ts';
import type { EventFacts, LogStore } from '../src/index.ts';
import { Details } from '../src/layers/details/details.ts';
import type { LayerContext } from '../src/layers/layer-context.ts';
import { Sessions } from '../src/layers/memories/sessions.ts';
import { FakeClock } from '../src/testing/index.ts';
import { FOUR_CHARACTERS } from '../src/testing/memory-conformance.ts';
import { openLayerContext } from './open-layer-context.ts';

export interface OpenedDetails {
  readonly details: Details;
  readonly sessions: Sessions;
  readonly clock: FakeClock;
  readonly events: EventFacts[];
  readonly context: LayerContext;
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
  const { context, events } = openLayerContext(store, config, clock);
  const sessions = new Sessions(context);
  const details = new Details(context, {
    sessions,
    tokens: () => FOUR_CHARACTERS,
    extract: describeContent,
    summariser,
    ...(describeTimeoutMs === undefined ? {} : { describeTimeoutMs }),
  });
  return { details, sessions, clock, events, context };
}

/** The places of a store that hold a text. */
export async function placesHolding(store: LogStore, text: string): Promise<string[]> {
  const found = new Set<string>();
  let carry = '';
  for await (const { place, offset, bytes } of store.scan()) {
    const piece = Buffer.from(bytes).toString('latin1');
    carry = (offset === 0 ? '' : carry) + piece;
    if (carry.includes(text) || place.includes(text)) found.add(place);
    carry = carry.slice(-text.length);
  }
  return [...found];
}
