/** The value below which this share (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('There are no samples to take a percentile of.');
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

export interface Summary {
  readonly samples: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export function summarise(samples: readonly number[]): Summary {
  return {
    samples: samples.length,
    p50: median(samples),
    p95: percentile(samples, 0.95),
    p99: percentile(samples, 0.99),
    max: percentile(samples, 1),
  };
}

/** One quantity against another, measured in the same rounds. */
export interface Ratio {
  /** Median over the rounds. */
  readonly value: number;
  /** A tenth of the rounds lie below. */
  readonly low: number;
  /** A tenth of the rounds lie above. */
  readonly high: number;
  readonly rounds: number;
}

/**
 * The medians of each round divided by each other. Whatever else the machine does during a round slows both
 * sides, so the ratio holds where the times themselves do not.
 */
export function ratioOverRounds(
  above: readonly (readonly number[])[],
  below: readonly (readonly number[])[],
): Ratio {
  const ratios = above.map((samples, round) => median(samples) / median(below[round]!));
  return {
    value: median(ratios),
    low: percentile(ratios, 0.1),
    high: percentile(ratios, 0.9),
    rounds: ratios.length,
  };
}
