import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEMORY_TYPES } from '../../core/records.ts';
import {
  COMPACTION_RELEVANCE_THRESHOLD,
  decayFactor,
  MS_PER_HOUR,
  recencyBoost,
  resolveDecayPolicy,
} from './decay.ts';
import { type FadingInput, fadesBelowAtMs, previewFading } from './preview.ts';

const NOW = Date.UTC(2026, 0, 10);
const MS_PER_DAY = 24 * MS_PER_HOUR;
const policy = resolveDecayPolicy();
const memory = (id: string, over: Partial<FadingInput> = {}): FadingInput => ({
  id,
  type: 'conversation',
  timestampMs: NOW,
  importance: 0.4,
  ...over,
});

describe('fadesBelowAtMs', () => {
  it('is three half lives for an importance of eight times the threshold, once the recency boost is spent', () => {
    const fadesAtMs = fadesBelowAtMs(memory('a'), policy, 0.05, NOW) ?? Number.NaN;
    expect((fadesAtMs - NOW) / MS_PER_DAY).toBeCloseTo(21, 2);
  });

  it('is never for what the floor keeps up, for preferences, and without decay', () => {
    expect(fadesBelowAtMs(memory('a', { importance: 0.5 }), policy, 0.05, NOW)).toBeUndefined();
    expect(fadesBelowAtMs(memory('a', { type: 'preference' }), policy, 0.3, NOW)).toBeUndefined();
    expect(fadesBelowAtMs(memory('a'), resolveDecayPolicy({ enabled: false }), 0.3, NOW)).toBeUndefined();
  });

  it('is now for what is below already', () => {
    expect(fadesBelowAtMs(memory('a', { timestampMs: 0 }), policy, 0.05, NOW)).toBe(NOW);
  });

  it('follows the recency boost where nothing else falls', () => {
    // 0.4 × (1 + 0.5 × 2^−days) is 0.5 after one day, and below it a millisecond later.
    expect(fadesBelowAtMs(memory('a', { type: 'preference' }), policy, 0.5, NOW)).toBe(NOW + MS_PER_DAY + 1);
  });

  it('comes later for a memory that was used, where use counts', () => {
    const reinforced = resolveDecayPolicy({ reinforcement: { enabled: true } });
    const unused = fadesBelowAtMs(memory('a'), reinforced, 0.05, NOW) ?? Number.NaN;
    const used = fadesBelowAtMs(memory('a', { accessCount: 5 }), reinforced, 0.05, NOW) ?? Number.NaN;
    expect((used - NOW) / (unused - NOW)).toBeCloseTo(2, 2);
  });
});

describe('previewFading', () => {
  it('lists what fades first, then what never does, equal moments by id', () => {
    const entries = [
      memory('never', { type: 'preference' }),
      memory('late', { type: 'decision' }),
      memory('twin-b'),
      memory('twin-a'),
      memory('faded', { timestampMs: 0 }),
    ];
    const forecasts = previewFading(entries, policy, COMPACTION_RELEVANCE_THRESHOLD, NOW);
    expect(forecasts.map(({ id }) => id)).toEqual(['faded', 'twin-a', 'twin-b', 'late', 'never']);
    expect(forecasts[0]).toMatchObject({ fadesAtMs: NOW });
    expect(forecasts[1]?.relevance).toBeCloseTo(0.6, 12);
    expect(forecasts[4]?.fadesAtMs).toBeUndefined();
    expect(previewFading([], policy, 0.05, NOW)).toEqual([]);
  });
});

describe('properties', () => {
  const anyTime = fc.integer({ min: 0, max: 4e12 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const anyPolicy = fc
    .record({
      half_life_hours: fc.integer({ min: 1, max: 100_000 }),
      min_decay_factor: share,
      isRefined: fc.boolean(),
    })
    .map(({ isRefined, ...override }) =>
      resolveDecayPolicy(
        { reinforcement: { enabled: isRefined }, related: { enabled: isRefined } },
        override,
      ),
    );
  const anyMemory: fc.Arbitrary<FadingInput> = fc.record({
    id: fc.string(),
    type: fc.constantFrom(...MEMORY_TYPES),
    timestampMs: anyTime,
    importance: share,
    lastTouchedMs: anyTime,
    accessCount: fc.nat({ max: 100 }),
    freshestRelatedMs: anyTime,
  });

  it('name the very millisecond at which the ranking formula crosses the threshold', () => {
    fc.assert(
      fc.property(anyMemory, anyPolicy, share, anyTime, (entry, anyDecay, threshold, nowMs) => {
        const relevance = (atMs: number): number =>
          entry.importance *
          decayFactor(entry, anyDecay, atMs) *
          recencyBoost(entry.lastTouchedMs ?? entry.timestampMs, atMs);
        const fadesAtMs = fadesBelowAtMs(entry, anyDecay, threshold, nowMs);
        if (fadesAtMs === undefined) {
          for (const laterMs of [0, 1e9, 1e12, 1e15]) {
            expect(relevance(nowMs + laterMs)).toBeGreaterThanOrEqual(threshold);
          }
        } else {
          expect(fadesAtMs).toBeGreaterThanOrEqual(nowMs);
          expect(relevance(fadesAtMs)).toBeLessThan(threshold);
          if (fadesAtMs > nowMs) expect(relevance(fadesAtMs - 1)).toBeGreaterThanOrEqual(threshold);
        }
      }),
    );
  });

  it('sort by moment and keep every entry', () => {
    fc.assert(
      fc.property(fc.array(anyMemory), anyPolicy, share, anyTime, (entries, anyDecay, threshold, nowMs) => {
        const forecasts = previewFading(entries, anyDecay, threshold, nowMs);
        expect(forecasts.map(({ id }) => id).sort()).toEqual(entries.map(({ id }) => id).sort());
        const moments = forecasts.map(({ fadesAtMs }) => fadesAtMs ?? Number.MAX_VALUE);
        expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      }),
    );
  });
});
