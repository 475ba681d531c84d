import { createRandom, shuffle } from './random.ts';

/** One side of a comparison. */
export interface Turn {
  readonly name: string;
  /** Timed operations in each round. */
  readonly operations: number;
  /** Not timed, before the turn of each round. */
  readonly prepare?: (round: number) => unknown;
  /** Counts over all rounds, so that every call can use other data. */
  readonly operation: (index: number) => unknown;
  /** Not timed, after the turn of each round: what the operations started comes to its end. */
  readonly settle?: () => unknown;
}

export interface RoundOptions {
  readonly rounds: number;
  /** Rounds before them whose times are thrown away. */
  readonly warmUpRounds: number;
}

/**
 * Lets all sides take turns, in an order that is shuffled each round.
 * @returns milliseconds by name, round and operation
 */
export async function interleave(
  turns: readonly Turn[],
  { rounds, warmUpRounds }: RoundOptions,
): Promise<ReadonlyMap<string, readonly (readonly number[])[]>> {
  const random = createRandom(1);
  const times = new Map<string, number[][]>(turns.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const turn of shuffle(turns, random)) {
      await turn.prepare?.(round);
      const samples = await timeTurn(turn, (round + warmUpRounds) * turn.operations);
      await turn.settle?.();
      if (round >= 0) times.get(turn.name)!.push(samples);
    }
  }
  return times;
}

async function timeTurn({ operation, operations }: Turn, firstIndex: number): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < operations; i++) {
    const startedAt = performance.now();
    const pending = operation(firstIndex + i);
    // Those that work synchronously do not pay for a promise.
    if (pending instanceof Promise) await pending;
    samples.push(performance.now() - startedAt);
  }
  return samples;
}
