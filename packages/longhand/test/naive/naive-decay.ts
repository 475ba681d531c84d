/** How a memory fades: "Decay" and "Recency" in docs/scoring.md, with the values of docs/configuration.md. */

import type { DecayConfig } from '../../src/core/decay-config.ts';
import type { DecayOverride, MemoryType } from '../../src/core/records.ts';

const HOUR_MS = 3_600_000;
const FLOOR = 0.1;
const USES_TO_HALF = 5;
const MOST_TIMES_AS_LONG = 3;
const SHARE_OF_RELATIVES = 0.5;

/** Of the store, and of a session. */
export interface NaiveDecay {
  readonly config?: DecayConfig;
  readonly override?: DecayOverride;
}

export interface FadingMemory {
  readonly type: MemoryType;
  readonly time: number;
  readonly uses: number;
  /** When the memories were written that it refers to or that refer to it. */
  readonly relatives: readonly number[];
}

/** `undefined` for what does not decay. */
function halfLifeHours(type: MemoryType, { config = {}, override = {} }: NaiveDecay): number | undefined {
  const given = config.type_specific?.[type];
  const isExempt =
    given?.decay_enabled === false ||
    (type === 'preference' && given?.decay_enabled !== true && given?.half_life_hours === undefined);
  if (!(override.enabled ?? config.enabled ?? true) || isExempt) return undefined;
  const usual = { conversation: 168, finding: 336, decision: 720, preference: 720 }[type];
  return override.half_life_hours ?? given?.half_life_hours ?? usual;
}

export function naiveDecay(memory: FadingMemory, decay: NaiveDecay, nowMs: number): number {
  const { config = {}, override = {} } = decay;
  const { reinforcement, related } = config;
  const half = halfLifeHours(memory.type, decay);
  if (half === undefined) return 1;
  const most = reinforcement?.enabled ? (reinforcement.max_half_life_multiplier ?? MOST_TIMES_AS_LONG) : 1;
  const timesAsLong = 1 + (most - 1) * (1 - 2 ** (-memory.uses / USES_TO_HALF));
  // A time in the future counts as now.
  const ageOf = (time: number): number => Math.max(0, nowMs - time) / HOUR_MS;
  const own = ageOf(memory.time);
  const youngest = Math.min(own, ...memory.relatives.map(ageOf));
  const share = related?.enabled ? (related.share ?? SHARE_OF_RELATIVES) : 0;
  const age = own - share * (own - youngest);
  const floor = override.min_decay_factor ?? config.min_decay_factor ?? FLOOR;
  return Math.max(floor, 2 ** (-age / (half * timesAsLong)));
}

export function naiveRecency(lastTouched: number, nowMs: number): number {
  return 1 + 0.5 * 2 ** (-Math.max(0, nowMs - lastTouched) / HOUR_MS / 24);
}
