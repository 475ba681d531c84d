/** Counters and timings. Kept in process; a server turns the snapshot into Prometheus text with `_` for `.`. */
export const GAUGES = ['memory.sessions.active', 'memory.entries.total', 'memory.size.bytes'] as const;
export const COUNTERS = [
  'memory.locks.contention.count',
  'memory.compaction.count',
  'memory.errors.corruption.count',
  'memory.retention.runs.count',
  'memory.retention.removed.count',
  'memory.embedder.texts.count',
  'memory.embedder.failures.count',
] as const;
export const TIMINGS = [
  'memory.operations.write.duration_ms',
  'memory.operations.query.duration_ms',
  'memory.embedder.duration_ms',
] as const;

type Gauge = (typeof GAUGES)[number];
type Counter = (typeof COUNTERS)[number];
type Timing = (typeof TIMINGS)[number];

/** Upper bounds of the histogram's buckets, in milliseconds; the last bucket has none. */
export const TIMING_BUCKETS_MS = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000,
] as const;

interface TimingSnapshot {
  readonly count: number;
  readonly sum: number;
  /** Observations at or below each bound of `TIMING_BUCKETS_MS`, then all of them. */
  readonly buckets: readonly number[];
}

export interface MetricsSnapshot {
  readonly gauges: Readonly<Record<Gauge, number>>;
  readonly counters: Readonly<Record<Counter, number>>;
  readonly timings: Readonly<Record<Timing, TimingSnapshot>>;
}

export class Metrics {
  readonly #gauges = new Map<Gauge, number>(GAUGES.map((name) => [name, 0]));
  readonly #counters = new Map<Counter, number>(COUNTERS.map((name) => [name, 0]));
  readonly #timings = new Map<Timing, { count: number; sum: number; buckets: number[] }>(
    TIMINGS.map((name) => [name, { count: 0, sum: 0, buckets: TIMING_BUCKETS_MS.map(() => 0) }]),
  );

  set(name: Gauge, value: number): void {
    this.#gauges.set(name, value);
  }

  count(name: Counter, by = 1): void {
    this.#counters.set(name, this.#counters.get(name)! + by);
  }

  observe(name: Timing, ms: number): void {
    const timing = this.#timings.get(name)!;
    timing.count++;
    timing.sum += ms;
    let bucket = 0;
    while (bucket < TIMING_BUCKETS_MS.length && ms > TIMING_BUCKETS_MS[bucket]!) bucket++;
    if (bucket < TIMING_BUCKETS_MS.length) timing.buckets[bucket]!++;
  }

  snapshot(): MetricsSnapshot {
    const timings = [...this.#timings].map(([name, { count, sum, buckets }]) => {
      let total = 0;
      const cumulative = buckets.map((inBucket) => {
        total += inBucket;
        return total;
      });
      return [name, { count, sum, buckets: [...cumulative, count] }];
    });
    return {
      gauges: Object.fromEntries(this.#gauges) as Record<Gauge, number>,
      counters: Object.fromEntries(this.#counters) as Record<Counter, number>,
      timings: Object.fromEntries(timings) as Record<Timing, TimingSnapshot>,
    };
  }
}
