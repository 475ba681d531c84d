import { expect, test } from 'vitest';
import { COUNTERS, GAUGES, Metrics, TIMING_BUCKETS_MS, TIMINGS } from './metrics.ts';

test('every name that the requirement gives, and those of the embedder, are there from the start, at zero', () => {
  const { gauges, counters, timings } = new Metrics().snapshot();
  expect(Object.keys(gauges)).toEqual([...GAUGES]);
  expect(Object.keys(counters)).toEqual([...COUNTERS]);
  expect(Object.keys(timings)).toEqual([...TIMINGS]);
  expect([...GAUGES, ...COUNTERS, ...TIMINGS].sort()).toEqual([
    'memory.compaction.count',
    'memory.embedder.duration_ms',
    'memory.embedder.failures.count',
    'memory.embedder.texts.count',
    'memory.entries.total',
    'memory.errors.corruption.count',
    'memory.locks.contention.count',
    'memory.operations.query.duration_ms',
    'memory.operations.write.duration_ms',
    'memory.retention.removed.count',
    'memory.retention.runs.count',
    'memory.sessions.active',
    'memory.size.bytes',
  ]);
  expect([...Object.values(gauges), ...Object.values(counters)].every((value) => value === 0)).toBe(true);
});

test('counts add up, gauges are set, timings fall into buckets that hold all below them', () => {
  const metrics = new Metrics();
  metrics.count('memory.compaction.count');
  metrics.count('memory.compaction.count', 4);
  metrics.set('memory.size.bytes', 7);
  metrics.set('memory.size.bytes', 9);
  for (const ms of [0.05, 0.051, 3, 1_000_000]) metrics.observe('memory.operations.write.duration_ms', ms);
  const { gauges, counters, timings } = metrics.snapshot();
  expect(counters['memory.compaction.count']).toBe(5);
  expect(gauges['memory.size.bytes']).toBe(9);
  const { count, sum, buckets } = timings['memory.operations.write.duration_ms'];
  expect([count, sum]).toEqual([4, 1_000_003.101]);
  expect(buckets).toHaveLength(TIMING_BUCKETS_MS.length + 1);
  const below = (bound: (typeof TIMING_BUCKETS_MS)[number]) => buckets[TIMING_BUCKETS_MS.indexOf(bound)];
  expect([below(0.05), below(0.1), below(2.5), below(5), below(5000), buckets.at(-1)]).toEqual([
    1, 2, 2, 3, 3, 4,
  ]);
});
