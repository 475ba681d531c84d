import { DEFAULT_DECAY_CONFIG, type DecayConfig, type TypeDecayConfig } from '../../core/decay-config.ts';
import { type DecayOverride, MEMORY_TYPES, type MemoryType } from '../../core/records.ts';

/**
 * How a memory fades.
 *
 *   decay factor   = max(floor, 2^(−age / half life))           1 when new
 *   recency boost  = 1 + 0.5 × 2^(−hours since touched / 24)    1.5 when just written or read
 *   base relevance = importance × decay factor × recency boost
 *
 * Nothing of this is stored: it follows from the log, the configuration and the moment of asking. The curve belongs to the type
 * of the memory. A session may set one half life for all its types that decay; a type that the configuration exempts (a
 * preference, by default) stays exempt. Two refinements are off by default:
 *
 *   reinforcement  multiplies the half life by 1 + (max − 1) × (1 − 2^(−accesses / 5))
 *   related        moves the age towards that of the freshest direct relative by `share`; ages are shared, not factors, so that
 *                  each type keeps its curve and circles need no order of evaluation
 */

export const MS_PER_HOUR = 3_600_000;

/** For a type that is told to decay and has no half life by default. */
const SLOWEST_HALF_LIFE_HOURS = DEFAULT_DECAY_CONFIG.type_specific.decision.half_life_hours;

/** After so many uses half of the possible reinforcement is reached. */
const ACCESSES_TO_HALF_REINFORCEMENT = 5;

export const MAX_RECENCY_BONUS = 0.5;

/** After 54 halvings the bonus is less than the last bit of 1. */
const RECENCY_GONE_HOURS = 54 * 24;

const RECENCY_HALF_LIFE_HOURS = 24;

/** Compaction under size pressure drops entries whose base relevance is below this. */
export const COMPACTION_RELEVANCE_THRESHOLD = 0.05;

/** A resolved configuration, ready to be evaluated millions of times. Comes from `resolveDecayPolicy`. */
export interface DecayPolicy {
  /** Decay per millisecond (ln 2 / half life) of each type; 0 for one that does not decay. */
  readonly ratePerMs: { readonly [Type in MemoryType]: number };
  /** The same rates in the order of `MEMORY_TYPES`, for indexes that hold a type as its position. */
  readonly ratePerMsByTypeIndex: readonly number[];
  readonly minDecayFactor: number;
  /** 1 when use does not slow decay. */
  readonly maxHalfLifeMultiplier: number;
  /** 0 when related memories decay alone. */
  readonly relatedShare: number;
}

/** What decay needs to know of a memory. */
export interface DecayInput {
  readonly type: MemoryType;
  readonly timestampMs: number;
  /** How often it was used; counts only under a policy with reinforcement. Default 0. */
  readonly accessCount?: number;
  /** The newest timestamp among direct relatives; counts only under a policy that relates. Default: none. */
  readonly freshestRelatedMs?: number;
}

/**
 * Lays a session's override over the global configuration, and both over the defaults.
 *
 * @throws RangeError naming the key, for a half life that is not positive, a floor or share outside 0…1, or a
 * multiplier below 1. A half life of Infinity is allowed and means "never".
 */
export function resolveDecayPolicy(config: DecayConfig = {}, override: DecayOverride = {}): DecayPolicy {
  const isEnabled = override.enabled ?? config.enabled ?? DEFAULT_DECAY_CONFIG.enabled;
  const rateOf = (type: MemoryType): number => {
    const halfLifeHours = halfLifeHoursOf(type, config, override);
    return isEnabled ? Math.LN2 / (halfLifeHours * MS_PER_HOUR) : 0;
  };
  const ratePerMs = {
    conversation: rateOf('conversation'),
    decision: rateOf('decision'),
    finding: rateOf('finding'),
    preference: rateOf('preference'),
  };
  const reinforcement = { ...DEFAULT_DECAY_CONFIG.reinforcement, ...config.reinforcement };
  const related = { ...DEFAULT_DECAY_CONFIG.related, ...config.related };
  const maxHalfLifeMultiplier = within(
    reinforcement.max_half_life_multiplier,
    [1, Number.MAX_VALUE],
    'decay.reinforcement.max_half_life_multiplier',
  );
  const relatedShare = within(related.share, [0, 1], 'decay.related.share');
  const floor = override.min_decay_factor ?? config.min_decay_factor ?? DEFAULT_DECAY_CONFIG.min_decay_factor;
  return {
    ratePerMs,
    ratePerMsByTypeIndex: MEMORY_TYPES.map((type) => ratePerMs[type]),
    minDecayFactor: within(floor, [0, 1], 'decay.min_decay_factor'),
    maxHalfLifeMultiplier: reinforcement.enabled ? maxHalfLifeMultiplier : 1,
    relatedShare: related.enabled ? relatedShare : 0,
  };
}

/** Infinity for a type that does not decay. */
function halfLifeHoursOf(type: MemoryType, config: DecayConfig, override: DecayOverride): number {
  const fallback: TypeDecayConfig = DEFAULT_DECAY_CONFIG.type_specific[type];
  const given = config.type_specific?.[type];
  const typeKey = `decay.type_specific.${type}.half_life_hours`;
  const ofType = positive(
    given?.half_life_hours ?? fallback.half_life_hours ?? SLOWEST_HALF_LIFE_HOURS,
    typeKey,
  );
  const ofSession = positive(override.half_life_hours ?? ofType, 'decay_config.half_life_hours');
  // Naming a half life for a type is saying that it decays, unless the same block says that it does not.
  const decays =
    given?.decay_enabled ?? (given?.half_life_hours !== undefined || fallback.decay_enabled !== false);
  return decays ? ofSession : Number.POSITIVE_INFINITY;
}

/**
 * The share of its importance that a memory has kept, from the policy's floor to 1. A timestamp in the future
 * counts as now.
 */
export function decayFactor(entry: DecayInput, policy: DecayPolicy, nowMs: number): number {
  let ratePerMs = policy.ratePerMs[entry.type];
  if (policy.maxHalfLifeMultiplier > 1) {
    ratePerMs /= halfLifeMultiplier(entry.accessCount ?? 0, policy.maxHalfLifeMultiplier);
  }
  const ageMs = nowMs - effectiveTimestampMs(entry, policy, nowMs);
  return decayFactorOfAge(ageMs, ratePerMs, policy.minDecayFactor);
}

/** The curve itself, for loops over columns: no refinements. A negative age counts as 0. */
export function decayFactorOfAge(ageMs: number, ratePerMs: number, minDecayFactor: number): number {
  if (!(ageMs > 0)) return 1;
  const halvings = ratePerMs * ageMs;
  // e^−x is below 1 / (1 + x): most of what is old needs no exponential.
  if ((1 + halvings) * minDecayFactor >= 1) return minDecayFactor;
  return Math.max(minDecayFactor, Math.exp(-halvings));
}

/** How much longer the half life of a memory is after so many uses: 1 for none, towards `max` for many. */
export function halfLifeMultiplier(accessCount: number, max: number): number {
  return 1 + (max - 1) * (1 - 2 ** (-Math.max(0, accessCount) / ACCESSES_TO_HALF_REINFORCEMENT));
}

/** The moment from which an entry's age counts: its own timestamp, or one nearer to a fresher relative's. */
function effectiveTimestampMs(entry: DecayInput, policy: DecayPolicy, nowMs: number): number {
  if (policy.relatedShare === 0 || entry.freshestRelatedMs === undefined) return entry.timestampMs;
  const relatedMs = Math.min(entry.freshestRelatedMs, nowMs);
  if (relatedMs <= entry.timestampMs) return entry.timestampMs;
  return entry.timestampMs + policy.relatedShare * (relatedMs - entry.timestampMs);
}

/** When a memory was last used or written, whichever is later: a time may have been corrected, or lie in the future. */
export function lastTouchedMs(
  timestampMs: number,
  use: { readonly lastAccessMs: number } | undefined,
): number {
  return use === undefined ? timestampMs : Math.max(timestampMs, use.lastAccessMs);
}

/**
 * The bonus for what was written or read lately: 1.5 at the moment itself, 1.25 a day later, towards 1. A touch
 * in the future counts as now.
 *
 * @param touchedMs see `lastTouchedMs`
 */
export function recencyBoost(touchedMs: number, nowMs: number): number {
  const hours = Math.max(0, nowMs - touchedMs) / MS_PER_HOUR;
  if (hours > RECENCY_GONE_HOURS) return 1;
  return 1 + MAX_RECENCY_BONUS * 2 ** (-hours / RECENCY_HALF_LIFE_HOURS);
}

/** What a memory is worth before any query, 0 to 1.5: the parts multiplied. */
export function baseRelevance(importance: number, decay: number, recency: number): number {
  return importance * decay * recency;
}

function positive(value: number, key: string): number {
  if (value > 0) return value;
  throw new RangeError(`${key} must be greater than 0`);
}

function within(value: number, [low, high]: readonly [number, number], key: string): number {
  if (value >= low && value <= high) return value;
  throw new RangeError(
    high === 1 ? `${key} must be between ${low} and ${high}` : `${key} must be at least ${low}`,
  );
}
