import { describe, expect, test } from 'vitest';
import { configKeys, resolveConfig, type StoreConfig } from './config.ts';

const resolve = (value: unknown): StoreConfig => resolveConfig([{ name: 'config.json', value }]);

/** `{ a: { b: value } }` for `a.b`. */
function nested(key: string, value: unknown): unknown {
  return key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
}
function at(config: StoreConfig, key: string): unknown {
  return key.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], config);
}

const notNumbers = ['1', Number.NaN, null, true, {}, []];
const notFlags = ['true', 0, null, {}, []];
const notTexts = ['', 7, null, {}, []];

/** Every key: its default, what it takes, what it refuses. */
const KEYS: readonly (readonly [
  key: string,
  fallback: unknown,
  taken: readonly unknown[],
  refused: readonly unknown[],
])[] = [
  ['version', '1.0', ['1.0'], ['1', '2.0', 1, null]],
  ['time_zone', 'UTC', ['UTC', 'system', 'Europe/Berlin'], ['', 'Mars/Olympus', 'today', 1, null]],
  ['semantic', true, [true, false], [0, 'yes', null]],
  ['storage.root_directory', undefined, ['./memory', '/data'], notTexts],
  ['storage.max_session_size_mb', 10, [0.01, 25, 100_000], [0, -1, 100_001, ...notNumbers]],
  ['storage.compaction_threshold', 0.9, [0.1, 0.5, 1], [0, 0.09, 1.1, 90, ...notNumbers]],
  ['storage.auto_compact', true, [true, false], notFlags],
  ['storage.durability', 'buffered', ['buffered', 'group', 'strict'], ['fast', '', null, true]],
  ['storage.trim_metadata_after_days', 0, [0, 0.5, 365], [-1, ...notNumbers]],
  ['storage.allow_network_file_system', false, [true, false], notFlags],
  ['concurrency.lock_timeout_ms', 5_000, [1, 600_000], [0, 1.5, 600_001, ...notNumbers]],
  ['concurrency.max_retries', 3, [0, 100], [-1, 2.5, 101, ...notNumbers]],
  ['concurrency.retry_backoff_ms', 100, [0, 60_000], [-1, 0.5, 60_001, ...notNumbers]],
  ['decay.enabled', true, [true, false], notFlags],
  ['decay.update_interval_minutes', 60, [0.01, 525_600], [0, 525_601, ...notNumbers]],
  [
    'decay.type_specific.conversation.half_life_hours',
    168,
    [0.001, 1e9, Number.POSITIVE_INFINITY],
    [0, -1, ...notNumbers],
  ],
  ['decay.type_specific.conversation.decay_enabled', undefined, [true, false], notFlags],
  ['decay.type_specific.decision.half_life_hours', 720, [1], [0, ...notNumbers]],
  ['decay.type_specific.decision.decay_enabled', undefined, [true, false], notFlags],
  ['decay.type_specific.finding.half_life_hours', 336, [1], [0, ...notNumbers]],
  ['decay.type_specific.finding.decay_enabled', undefined, [true, false], notFlags],
  ['decay.type_specific.preference.half_life_hours', undefined, [1], [0, ...notNumbers]],
  ['decay.type_specific.preference.decay_enabled', false, [true, false], notFlags],
  ['decay.min_decay_factor', 0.1, [0, 1], [-0.1, 1.1, ...notNumbers]],
  ['decay.reinforcement.enabled', false, [true, false], notFlags],
  ['decay.reinforcement.max_half_life_multiplier', 3, [1, 10], [0.9, ...notNumbers]],
  ['decay.related.enabled', false, [true, false], notFlags],
  ['decay.related.share', 0.5, [0, 1], [-0.1, 1.1, ...notNumbers]],
  ['performance.cache_size', 100, [0, 1_000_000], [-1, 1.5, 1_000_001, ...notNumbers]],
  ['performance.batch_write_interval_ms', 1_000, [1, 60_000], [0, 1.5, 60_001, ...notNumbers]],
  ['performance.index_in_memory', true, [true, false], notFlags],
  ['integrity.enable_checksums', true, [true, false], notFlags],
  ['integrity.checksum_algorithm', 'sha256', ['sha256'], ['md5', '', null, true]],
  ['summary.enabled', false, [true, false], notFlags],
  ['summary.threshold', 40, [13, 100_000], [0, 40.5, 100_001, ...notNumbers]],
  ['summary.keep_last', 12, [0, 39], [-1, 1.5, 100_001, ...notNumbers]],
  ['window.max_messages', 10, [1, 10_000], [0, 1.5, 10_001, ...notNumbers]],
  ['window.max_turns', 0, [0, 10_000], [-1, 1.5, 10_001, ...notNumbers]],
  ['window.idle_minutes', 60, [0.01, 525_600], [0, 525_601, ...notNumbers]],
  ['details.capture_above_tokens', 500, [1, 1_000_000], [0, 1.5, 1_000_001, ...notNumbers]],
  ['details.quota_mb', 1_024, [0.01, 1_000_000], [0, 1_000_001, ...notNumbers]],
  ['details.expire_after_days', 0, [0, 0.5, 365], [-1, ...notNumbers]],
  ['retention.interval_minutes', 60, [0, 0.01, 525_600], [-1, 525_601, ...notNumbers]],
  ['transcript.retain_days', 0, [0, 0.5, 365], [-1, ...notNumbers]],
  ['notes.keep_versions', 100, [1, 100_000], [0, 1.5, 100_001, ...notNumbers]],
  ['notes.max_kb', 256, [1, 10_240], [0.5, 10_241, ...notNumbers]],
  ['context.budget_tokens', 8_000, [64, 10_000_000], [63, 64.5, 10_000_001, ...notNumbers]],
  ['context.standing_tokens', 1_500, [0, 10_000_000], [-1, 64.5, 10_000_001, ...notNumbers]],
  [
    'context.sections',
    undefined,
    [{}, { notes: { ceiling: 0.3 } }, { memories: { floor: 0.1, ceiling: 0.1 } }],
    [[], null, 'notes', { attic: {} }, { notes: 1 }, { notes: { floor: 0.5 } }, { notes: { ceiling: 1.1 } }],
  ],
];

test('the table below holds every key there is', () => {
  expect(KEYS.map(([key]) => key).sort()).toEqual(configKeys().sort());
});

describe.each(KEYS)('%s', (key, fallback, taken, refused) => {
  test('has its default', () => {
    expect(at(resolveConfig([]), key)).toBe(fallback);
    expect(at(resolve({}), key)).toBe(fallback);
    expect(at(resolve(nested(key, undefined)), key)).toBe(fallback);
  });

  test('takes what it can be', () => {
    for (const value of taken) expect(at(resolve(nested(key, value)), key)).toBe(value);
  });

  test('refuses everything else, by its name', () => {
    for (const value of refused) {
      const refusal = { name: 'ValidationError', code: 'INVALID_CONFIG', details: { key } };
      expect(() => resolve(nested(key, value)), `${key} = ${String(value)}`).toThrow(
        expect.objectContaining(refusal),
      );
      expect(() => resolve(nested(key, value))).toThrow(`In config.json: ${key} must be `);
    }
  });
});

test('a summary keeps fewer messages than it takes to make one', () => {
  expect(() => resolve({ summary: { threshold: 12 } })).toThrow(
    'summary.keep_last must be below summary.threshold',
  );
  expect(() => resolve({ summary: { keep_last: 40 } })).toThrow(
    'summary.keep_last must be below summary.threshold',
  );
});

test('the example of the requirement, as a whole file, says what the defaults are', () => {
  const file = {
    version: '1.0',
    storage: { max_session_size_mb: 10, compaction_threshold: 0.9, auto_compact: true },
    concurrency: { lock_timeout_ms: 5_000, max_retries: 3, retry_backoff_ms: 100 },
    decay: {
      enabled: true,
      update_interval_minutes: 60,
      type_specific: {
        conversation: { half_life_hours: 168 },
        decision: { half_life_hours: 720 },
        finding: { half_life_hours: 336 },
        preference: { decay_enabled: false },
      },
      min_decay_factor: 0.1,
    },
    performance: { cache_size: 100, batch_write_interval_ms: 1_000, index_in_memory: true },
    integrity: { enable_checksums: true, checksum_algorithm: 'sha256' },
  };
  expect(resolve(file)).toEqual(resolveConfig([]));
});

test('later layers lie on top of earlier ones, key by key', () => {
  const config = resolveConfig([
    { name: 'config.json', value: { storage: { max_session_size_mb: 5, auto_compact: false } } },
    { name: 'the options', value: { storage: { max_session_size_mb: 7 } } },
    { name: 'nothing', value: undefined },
  ]);
  expect(config.storage).toMatchObject({
    max_session_size_mb: 7,
    auto_compact: false,
    compaction_threshold: 0.9,
  });
});

test.each([
  [{ storge: {} }, 'storge'],
  [{ storage: { max_size: 1 } }, 'storage.max_size'],
  [{ decay: { type_specific: { thought: {} } } }, 'decay.type_specific.thought'],
  [{ storage: JSON.parse('{"__proto__":1}') as unknown }, 'storage.__proto__'],
  [{ toString: 1 }, 'toString'],
])('a key that is no setting is refused by its name: %j', (value, key) => {
  expect(() => resolve(value)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', details: { key } }));
});

test.each([[null], [[]], ['text'], [7], [{ storage: null }], [{ storage: [] }], [{ decay: 'on' }]])(
  'what is no object is refused: %j',
  (value) => {
    expect(() => resolve(value)).toThrow(/must be an object/);
  },
);

test('a preference with a half life decays, unless it is told not to', () => {
  const preferenceOf = (preference: unknown) =>
    resolve({ decay: { type_specific: { preference } } }).decay.type_specific.preference;
  expect(preferenceOf({ half_life_hours: 10 })).toEqual({ half_life_hours: 10, decay_enabled: true });
  expect(preferenceOf({ half_life_hours: 10, decay_enabled: false })).toEqual({
    half_life_hours: 10,
    decay_enabled: false,
  });
  expect(preferenceOf({})).toEqual({ half_life_hours: undefined, decay_enabled: false });
});
