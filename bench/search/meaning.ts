import { type Goal, goal } from '../result.ts';

/**
 * Whether a run compares words alone or meaning too, by the vectors of `longhand-vectors`, and what it has to reach. Each
 * part of the benchmark runs in a process of its own, so one setting holds for all of it.
 */
interface Limits {
  /** Text query of 5,000 against the fastest other, of 100,000 against SQLite, and of 1,000,000 in ms. */
  readonly small: number;
  readonly large: number;
  readonly hugeMs: number | undefined;
  /** Against MiniSearch, and until the last entry is found, against SQLite. */
  readonly indexing: number;
  readonly untilFound: number | undefined;
  readonly memoryMegabytes: number;
  readonly cold: number;
}

const WORDS: Limits = {
  ...{ small: 1 / 3, large: 1 / 5, hugeMs: 15, indexing: 6, untilFound: 1.5 },
  ...{ memoryMegabytes: 150, cold: 2.5 },
};
const VECTORS: Limits = {
  ...{ small: 0.8, large: 1, hugeMs: undefined, indexing: 2, untilFound: undefined },
  ...{ memoryMegabytes: 180, cold: 4 },
};

let isSemantic = false;

export function compareMeaning(): void {
  isSemantic = true;
}

/** The option of `MemoryManager`. */
export function semanticOption(): { readonly semantic: boolean } {
  return { semantic: isSemantic };
}

export function limits(): Limits {
  return isSemantic ? VECTORS : WORDS;
}

/** Behind the name of a goal. */
export function suffix(): string {
  return isSemantic ? ', with vectors' : '';
}

/** A goal where there is a limit for it. */
export function goalsWith(
  limit: number | undefined,
  make: (limit: number) => Parameters<typeof goal>[0],
): Goal[] {
  return limit === undefined ? [] : [goal(make(limit))];
}
