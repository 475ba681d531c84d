import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DECAY_CONFIG, type DecayConfig } from '../../core/decay-config.ts';
import { type DecayOverride, MEMORY_TYPES, type MemoryType } from '../../core/records.ts';
import {
  baseRelevance,
  COMPACTION_RELEVANCE_THRESHOLD,
  decayFactor,
  decayFactorOfAge,
  halfLifeMultiplier,
  lastTouchedMs,
  MS_PER_HOUR,
  recencyBoost,
  resolveDecayPolicy,
} from './decay.ts';

const NOW = Date.UTC(2026, 0, 10);
const hoursAgo = (hours: number): number => NOW - hours * MS_PER_HOUR;

describe('decayFactor', () => {
  const policy = resolveDecayPolicy();

  it('halves each type after its own half life', () => {
    for (const [type, hours] of [
      ['conversation', 168],
      ['decision', 720],
      ['finding', 336],
    ] as const) {
      expect(decayFactor({ type, timestampMs: hoursAgo(hours) }, policy, NOW)).toBeCloseTo(0.5, 12);
      expect(decayFactor({ type, timestampMs: hoursAgo(2 * hours) }, policy, NOW)).toBeCloseTo(0.25, 12);
    }
  });

  it('never fades a preference', () => {
    expect(decayFactor({ type: 'preference', timestampMs: 0 }, policy, NOW)).toBe(1);
  });

  it('stops at the floor', () => {
    expect(decayFactor({ type: 'conversation', timestampMs: 0 }, policy, NOW)).toBe(0.1);
  });

  it('takes a timestamp in the future as now', () => {
    expect(decayFactor({ type: 'conversation', timestampMs: NOW + 1e9 }, policy, NOW)).toBe(1);
  });

  it('is 1 when decay is off', () => {
    const off = resolveDecayPolicy({ enabled: false });
    expect(decayFactor({ type: 'conversation', timestampMs: 0 }, off, NOW)).toBe(1);
  });
});

describe('resolveDecayPolicy', () => {
  const halfLifeHours = (type: MemoryType, config?: DecayConfig, override?: DecayOverride): number =>
    Math.LN2 / resolveDecayPolicy(config, override).ratePerMs[type] / MS_PER_HOUR;

  it('lets a session set one half life for all its types that decay', () => {
    for (const type of ['conversation', 'decision', 'finding'] as const) {
      expect(halfLifeHours(type, {}, { half_life_hours: 48 })).toBeCloseTo(48, 9);
    }
    expect(halfLifeHours('preference', {}, { half_life_hours: 48 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps the rates per type when the session sets only other keys', () => {
    expect(halfLifeHours('decision', {}, { enabled: true, min_decay_factor: 0.2 })).toBeCloseTo(720, 9);
  });

  it('lets preferences decay only when the configuration names them', () => {
    const never = Number.POSITIVE_INFINITY;
    expect(halfLifeHours('preference', { type_specific: { preference: {} } })).toBe(never);
    expect(halfLifeHours('preference', { type_specific: { preference: { decay_enabled: true } } })).toBe(720);
    const named = { type_specific: { preference: { half_life_hours: 9000 } } };
    expect(halfLifeHours('preference', named)).toBeCloseTo(9000, 9);
    expect(halfLifeHours('preference', named, { half_life_hours: 48 })).toBeCloseTo(48, 9);
    const refused = { type_specific: { preference: { half_life_hours: 9000, decay_enabled: false } } };
    expect(halfLifeHours('preference', refused)).toBe(never);
  });

  it('exempts any type that the configuration exempts, whatever the session says', () => {
    const config = { type_specific: { decision: { decay_enabled: false } } };
    expect(halfLifeHours('decision', config, { half_life_hours: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('lets a session switch decay off and on again', () => {
    expect(resolveDecayPolicy({}, { enabled: false }).ratePerMs.conversation).toBe(0);
    expect(resolveDecayPolicy({ enabled: false }, { enabled: true }).ratePerMs.conversation).toBeGreaterThan(
      0,
    );
  });

  it('gives the rates by position of the type as well', () => {
    const policy = resolveDecayPolicy();
    MEMORY_TYPES.forEach((type, index) => {
      expect(policy.ratePerMsByTypeIndex[index]).toBe(policy.ratePerMs[type]);
    });
  });

  it('fills whatever is left out with the default', () => {
    expect(resolveDecayPolicy({})).toEqual(resolveDecayPolicy(DEFAULT_DECAY_CONFIG));
  });

  it('refuses values that make no curve, naming the key', () => {
    const bad: readonly [DecayConfig, DecayOverride, string][] = [
      [
        { type_specific: { finding: { half_life_hours: 0 } } },
        {},
        'decay.type_specific.finding.half_life_hours',
      ],
      [{}, { half_life_hours: Number.NaN }, 'decay_config.half_life_hours'],
      [{ min_decay_factor: 1.1 }, {}, 'decay.min_decay_factor'],
      [{}, { min_decay_factor: -0.1 }, 'decay.min_decay_factor'],
      [{ related: { share: 2 } }, {}, 'decay.related.share'],
      [{ reinforcement: { max_half_life_multiplier: 0.5 } }, {}, 'max_half_life_multiplier'],
    ];
    for (const [config, override, key] of bad) {
      expect(() => resolveDecayPolicy(config, override)).toThrow(key);
    }
  });
});

describe('reinforcement by use', () => {
  const policy = resolveDecayPolicy({ reinforcement: { enabled: true, max_half_life_multiplier: 3 } });
  const factor = (accessCount: number): number =>
    decayFactor({ type: 'conversation', timestampMs: hoursAgo(168), accessCount }, policy, NOW);

  it('changes nothing for an unused memory, and nothing at all by default', () => {
    expect(factor(0)).toBeCloseTo(0.5, 12);
    const entry = { type: 'conversation', timestampMs: hoursAgo(168), accessCount: 1000 } as const;
    expect(decayFactor(entry, resolveDecayPolicy(), NOW)).toBeCloseTo(0.5, 12);
  });

  it('stretches the half life by half of the possible after five uses, and never beyond it', () => {
    expect(halfLifeMultiplier(5, 3)).toBe(2);
    expect(factor(5)).toBeCloseTo(2 ** -0.5, 12);
    expect(factor(1e9)).toBeCloseTo(2 ** (-1 / 3), 12);
  });
});

describe('related memories', () => {
  const policy = resolveDecayPolicy({ related: { enabled: true } });
  const factor = (freshestRelatedMs: number): number =>
    decayFactor({ type: 'conversation', timestampMs: hoursAgo(336), freshestRelatedMs }, policy, NOW);

  it('count as half way as old as a fresher relative', () => {
    expect(factor(NOW)).toBeCloseTo(0.5, 12);
    expect(factor(hoursAgo(168))).toBeCloseTo(2 ** -1.5, 12);
  });

  it('take nothing from an older relative, and from one in the future no more than from one of now', () => {
    expect(factor(0)).toBeCloseTo(0.25, 12);
    expect(factor(NOW + 1e12)).toBe(factor(NOW));
  });

  it('decay alone by default', () => {
    const entry = { type: 'conversation', timestampMs: hoursAgo(336), freshestRelatedMs: NOW } as const;
    expect(decayFactor(entry, resolveDecayPolicy(), NOW)).toBeCloseTo(0.25, 12);
  });
});

describe('lastTouchedMs', () => {
  it('is the later one of writing and use: a time may lie ahead, or have been corrected', () => {
    const use = { lastAccessMs: hoursAgo(5) };
    expect(lastTouchedMs(hoursAgo(9), undefined)).toBe(hoursAgo(9));
    expect(lastTouchedMs(hoursAgo(9), use)).toBe(hoursAgo(5));
    expect(lastTouchedMs(hoursAgo(1), use)).toBe(hoursAgo(1));
  });
});

describe('recencyBoost', () => {
  it('is half as much again at the moment itself and halves its bonus every day', () => {
    expect(recencyBoost(NOW, NOW)).toBe(1.5);
    expect(recencyBoost(hoursAgo(24), NOW)).toBe(1.25);
    expect(recencyBoost(hoursAgo(48), NOW)).toBe(1.125);
    expect(recencyBoost(0, NOW)).toBe(1);
    expect(recencyBoost(NOW + 5, NOW)).toBe(1.5);
  });
});

describe('properties', () => {
  const anyConfig: fc.Arbitrary<DecayConfig> = fc.record(
    {
      enabled: fc.boolean(),
      min_decay_factor: fc.double({ min: 0, max: 1, noNaN: true }),
      reinforcement: fc.record({
        enabled: fc.boolean(),
        max_half_life_multiplier: fc.double({ min: 1, max: 100, noNaN: true }),
      }),
      related: fc.record({ enabled: fc.boolean(), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    { requiredKeys: [] },
  );
  const anyOverride: fc.Arbitrary<DecayOverride> = fc.record(
    { enabled: fc.boolean(), half_life_hours: fc.double({ min: 0.01, max: 1e6, noNaN: true }) },
    { requiredKeys: [] },
  );
  const anyTime = fc.integer({ min: 0, max: 4e12 });
  const anyEntry = fc.record({
    type: fc.constantFrom(...MEMORY_TYPES),
    timestampMs: anyTime,
    accessCount: fc.nat(),
    freshestRelatedMs: anyTime,
  });

  it('agree with the formula written out', () => {
    fc.assert(
      fc.property(anyConfig, anyOverride, anyEntry, anyTime, (config, override, entry, nowMs) => {
        const halfLives = { conversation: 168, decision: 720, finding: 336, preference: undefined };
        const base = halfLives[entry.type];
        let expected = 1;
        let slack = 1e-9;
        if ((override.enabled ?? config.enabled ?? true) && base !== undefined) {
          let halfLife = override.half_life_hours ?? base;
          const { reinforcement, related } = config;
          if (reinforcement?.enabled) {
            const max = reinforcement.max_half_life_multiplier ?? 3;
            halfLife *= max - (max - 1) * 2 ** (-entry.accessCount / 5);
          }
          let hours = Math.max(0, nowMs - entry.timestampMs) / 3_600_000;
          // The last bit of an age of many half-lives counts when nearly all of it is taken off again.
          slack += 16 * Number.EPSILON * (hours / halfLife);
          if (related?.enabled) {
            const relatedHours = Math.max(0, nowMs - entry.freshestRelatedMs) / 3_600_000;
            hours -= (related.share ?? 0.5) * Math.max(0, hours - relatedHours);
          }
          expected = Math.max(config.min_decay_factor ?? 0.1, 0.5 ** (hours / halfLife));
        }
        const found = decayFactor(entry, resolveDecayPolicy(config, override), nowMs);
        expect(Math.abs(found - expected)).toBeLessThan(slack);
      }),
    );
  });

  it('come to the floor where the curve does, and not before', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 8, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (halfLives, floor) => {
          const factor = decayFactorOfAge(halfLives * 1_000, Math.LN2 / 1_000, floor);
          expect(factor).toBeCloseTo(Math.max(floor, 0.5 ** halfLives), 12);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('keep the factor between floor and 1 and never let it rise with time', () => {
    fc.assert(
      fc.property(
        anyConfig,
        anyOverride,
        anyEntry,
        anyTime,
        fc.nat(),
        (config, override, entry, nowMs, laterMs) => {
          const policy = resolveDecayPolicy(config, override);
          const factor = decayFactor({ type: entry.type, timestampMs: entry.timestampMs }, policy, nowMs);
          expect(factor).toBeGreaterThanOrEqual(policy.minDecayFactor);
          expect(factor).toBeLessThanOrEqual(1);
          expect(decayFactor(entry, policy, nowMs)).toBeGreaterThanOrEqual(factor * (1 - 1e-9));
          const later = decayFactor(
            { type: entry.type, timestampMs: entry.timestampMs },
            policy,
            nowMs + laterMs,
          );
          expect(later).toBeLessThanOrEqual(factor);
        },
      ),
    );
  });

  it('keep a memory of importance 0.5 or more above the compaction threshold by default', () => {
    const policy = resolveDecayPolicy();
    fc.assert(
      fc.property(
        anyEntry,
        anyTime,
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        (entry, nowMs, importance) => {
          const decay = decayFactor(entry, policy, nowMs);
          const relevance = baseRelevance(importance, decay, recencyBoost(entry.timestampMs, nowMs));
          expect(relevance).toBeGreaterThanOrEqual(COMPACTION_RELEVANCE_THRESHOLD);
          expect(relevance).toBeLessThanOrEqual(1.5);
        },
      ),
    );
  });
});
