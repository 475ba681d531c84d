/** The measures of retrieval, for one question each; shares from 0 to 1. */
export interface Found {
  readonly gold: readonly string[];
  /** What was found, best first. */
  readonly ranked: readonly string[];
}

/** The share of the gold that is among the first k. */
export function recallAt({ gold, ranked }: Found, k: number): number {
  const first = new Set(ranked.slice(0, k));
  return gold.filter((id) => first.has(id)).length / gold.length;
}

/** Whether any of the gold is among the first k. */
export function hitRate(found: Found, k: number): number {
  return recallAt(found, k) > 0 ? 1 : 0;
}

/** Whether all of it is. */
export function allAt(found: Found, k: number): number {
  return recallAt(found, k) === 1 ? 1 : 0;
}

export function ndcg({ gold, ranked }: Found, k: number): number {
  const wanted = new Set(gold);
  const gain = (rank: number): number => 1 / Math.log2(rank + 2);
  let reached = 0;
  ranked.slice(0, k).forEach((id, rank) => {
    if (wanted.has(id)) reached += gain(rank);
  });
  let best = 0;
  for (let rank = 0; rank < Math.min(k, gold.length); rank++) best += gain(rank);
  return reached / best;
}

/** In percent. */
export function mean<Result>(results: readonly Result[], measure: (result: Result) => number): number {
  return (100 * results.reduce((sum, result) => sum + measure(result), 0)) / results.length;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
