import { DEFAULT_DECAY_CONFIG as DECAY, type TypeDecayConfig } from './decay-config.ts';
import { ValidationError } from './errors.ts';
import type { MemoryType } from './records.ts';
import { DEFAULT_SHARES, overDefaults, type ShareOptions } from './shares.ts';
import type { Durability } from './store.ts';
import { isTimeZone, TIME_ZONE_FORMS, UTC } from './time-zone.ts';

/** What a setting may be, and is when nothing is said. */
interface Rule<Value = unknown> {
  readonly fallback: Value;
  readonly says: string;
  readonly allows: (value: unknown) => boolean;
}
type Rules = { readonly [key: string]: Rule | Rules };
type ValuesOf<Given> =
  Given extends Rule<infer Value> ? Value : { readonly [Key in keyof Given]: ValuesOf<Given[Key]> };

const number = (fallback: number, min: number, max = Number.POSITIVE_INFINITY): Rule<number> => ({
  fallback,
  says: max === Number.POSITIVE_INFINITY ? `a number of at least ${min}` : `a number from ${min} to ${max}`,
  allows: (value) => typeof value === 'number' && value >= min && value <= max,
});
const whole = (fallback: number, min: number, max?: number): Rule<number> => {
  const rule = number(fallback, min, max);
  return {
    ...rule,
    says: `${rule.says}, whole`,
    allows: (value) => Number.isInteger(value) && rule.allows(value),
  };
};
const flag = (fallback: boolean): Rule<boolean> => ({
  fallback,
  says: 'true or false',
  allows: (value) => typeof value === 'boolean',
});
const oneOf = <Value extends string>(...values: readonly [Value, ...Value[]]): Rule<Value> => ({
  fallback: values[0],
  says: values.map((value) => JSON.stringify(value)).join(' or '),
  allows: (value) => values.includes(value as Value),
});
const typeDecay = (type: MemoryType) => {
  const { half_life_hours, decay_enabled }: TypeDecayConfig = DECAY.type_specific[type];
  // The shortest half life that makes sense is far above this; it keeps rates finite.
  const halfLife: Rule<number | undefined> = { ...number(0, 0.001), fallback: half_life_hours };
  return { half_life_hours: halfLife, decay_enabled: { ...flag(true), fallback: decay_enabled } };
};

const RULES = {
  version: oneOf('1.0'),
  time_zone: { fallback: UTC as string, says: TIME_ZONE_FORMS, allows: isTimeZone },
  semantic: flag(true),
  storage: {
    root_directory: {
      fallback: undefined as string | undefined,
      says: 'a text',
      allows: (value: unknown) => typeof value === 'string' && value !== '',
    },
    max_session_size_mb: number(10, 0.01, 100_000),
    compaction_threshold: number(0.9, 0.1, 1),
    auto_compact: flag(true),
    durability: oneOf<Durability>('buffered', 'group', 'strict'),
    trim_metadata_after_days: number(0, 0),
    allow_network_file_system: flag(false),
  },
  concurrency: {
    lock_timeout_ms: whole(5_000, 1, 600_000),
    max_retries: whole(3, 0, 100),
    retry_backoff_ms: whole(100, 0, 60_000),
  },
  decay: {
    enabled: flag(DECAY.enabled),
    update_interval_minutes: number(DECAY.update_interval_minutes, 0.01, 525_600),
    type_specific: {
      conversation: typeDecay('conversation'),
      decision: typeDecay('decision'),
      finding: typeDecay('finding'),
      preference: typeDecay('preference'),
    },
    min_decay_factor: number(DECAY.min_decay_factor, 0, 1),
    reinforcement: {
      enabled: flag(DECAY.reinforcement.enabled),
      max_half_life_multiplier: number(DECAY.reinforcement.max_half_life_multiplier, 1),
    },
    related: { enabled: flag(DECAY.related.enabled), share: number(DECAY.related.share, 0, 1) },
  },
  performance: {
    cache_size: whole(100, 0, 1_000_000),
    batch_write_interval_ms: whole(1_000, 1, 60_000),
    index_in_memory: flag(true),
  },
  integrity: { enable_checksums: flag(true), checksum_algorithm: oneOf('sha256') },
  summary: { enabled: flag(false), threshold: whole(40, 1, 100_000), keep_last: whole(12, 0, 100_000) },
  window: {
    max_messages: whole(10, 1, 10_000),
    max_turns: whole(0, 0, 10_000),
    idle_minutes: number(60, 0.01, 525_600),
  },
  details: {
    capture_above_tokens: whole(500, 1, 1_000_000),
    quota_mb: number(1_024, 0.01, 1_000_000),
    expire_after_days: number(0, 0),
  },
  transcript: { retain_days: number(0, 0) },
  retention: { interval_minutes: number(60, 0, 525_600) },
  notes: { keep_versions: whole(100, 1, 100_000), max_kb: number(256, 1, 10_240) },
  context: {
    budget_tokens: whole(8_000, 64, 10_000_000),
    standing_tokens: whole(1_500, 0, 10_000_000),
    sections: {
      fallback: undefined as ShareOptions | undefined,
      says: `an object that gives some of ${Object.keys(DEFAULT_SHARES).join(', ')} a floor, a ceiling or both, from 0 to 1, the floor not above the ceiling`,
      allows: (value: unknown) => overDefaults(value) !== undefined,
    },
  },
} satisfies Rules;

/**
 * `config.json` of a store, as docs/configuration.md explains it. Every key does what it says; a key that is not in this
 * table, or a value that cannot be, stops the start with a message that names it, because a setting that is silently
 * ignored is found out too late. Defaults ← `config.json` ← what the constructor was given.
 */
export interface StoreConfig extends ValuesOf<typeof RULES> {}
export type PartialConfig = { readonly [Section in keyof StoreConfig]?: DeepPartial<StoreConfig[Section]> };
type DeepPartial<T> = T extends object ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> } : T;

/**
 * Lays configurations, each with its name for messages, over the defaults, the later ones on top.
 * @throws ValidationError INVALID_CONFIG naming the key
 */
export function resolveConfig(
  layers: readonly { readonly name: string; readonly value: unknown }[],
): StoreConfig {
  let config = defaultsOf(RULES);
  for (const { name, value } of layers) {
    if (value === undefined) continue;
    config = merge(RULES, config, value, name, '');
  }
  const resolved = config as unknown as StoreConfig;
  if (resolved.summary.keep_last >= resolved.summary.threshold) {
    throw invalid('the configuration', 'summary.keep_last', 'must be below summary.threshold');
  }
  // A preference with a half life is meant to decay, unless the same layer or a later one says otherwise.
  const last = layers.map(preferenceIn).findLast((preference) => preference !== undefined);
  if (last?.half_life_hours !== undefined && last.decay_enabled === undefined) {
    const preference = { ...resolved.decay.type_specific.preference, decay_enabled: true };
    return {
      ...resolved,
      decay: { ...resolved.decay, type_specific: { ...resolved.decay.type_specific, preference } },
    };
  }
  return resolved;
}

function preferenceIn({ value }: { readonly value: unknown }): Partial<TypeDecayConfig> | undefined {
  return (value as PartialConfig | undefined)?.decay?.type_specific?.preference;
}

function isRule(rule: Rule | Rules): rule is Rule {
  return typeof rule.says === 'string';
}

function defaultsOf(rules: Rules): Record<string, unknown> {
  const entries = Object.entries(rules).map(([key, rule]) => [
    key,
    isRule(rule) ? rule.fallback : defaultsOf(rule),
  ]);
  return Object.fromEntries(entries);
}

function merge(
  rules: Rules,
  base: Record<string, unknown>,
  given: unknown,
  layer: string,
  path: string,
): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(layer, path === '' ? 'the configuration' : path, 'must be an object');
  }
  const merged = { ...base };
  for (const [key, value] of Object.entries(given)) {
    const name = path === '' ? key : `${path}.${key}`;
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, key)) {
      throw invalid(layer, name, `is not a setting; there are: ${Object.keys(rules).join(', ')}`);
    }
    const rule = rules[key]!;
    if (!isRule(rule)) {
      merged[key] = merge(rule, base[key] as Record<string, unknown>, value, layer, name);
    } else if (rule.allows(value)) {
      merged[key] = value;
    } else {
      throw invalid(layer, name, `must be ${rule.says}`);
    }
  }
  return merged;
}

function invalid(layer: string, key: string, reason: string): ValidationError {
  return new ValidationError('INVALID_CONFIG', `In ${layer}: ${key} ${reason}.`, { details: { key } });
}

export const DEFAULT_CONFIG: StoreConfig = resolveConfig([]);

/**
 * What the `config.json` of a new store says: the settings that people most often change, with their defaults. A value in
 * it belongs to the store, so it holds when a later version has another default. What is not in it follows the version.
 */
export function newStoreConfig(): string {
  const { version, storage, concurrency, decay, performance, integrity } = DEFAULT_CONFIG;
  const { max_session_size_mb, compaction_threshold, auto_compact } = storage;
  const { enabled, update_interval_minutes, type_specific, min_decay_factor } = decay;
  const settings = {
    version,
    storage: { max_session_size_mb, compaction_threshold, auto_compact },
    concurrency,
    decay: { enabled, update_interval_minutes, type_specific, min_decay_factor },
    performance,
    integrity,
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

export function configKeys(rules: Rules = RULES, path = ''): string[] {
  return Object.entries(rules).flatMap(([key, rule]) =>
    isRule(rule) ? [`${path}${key}`] : configKeys(rule, `${path}${key}.`),
  );
}
