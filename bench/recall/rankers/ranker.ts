import type { Haystack, Hit, Question, View } from '../haystack.ts';

/** Something that finds turns and sessions of a haystack. */
export interface Ranker {
  readonly name: string;
  readonly open: (haystack: Haystack, options: OpenOptions) => Promise<OpenRanker>;
}

export interface OpenOptions {
  readonly views: readonly View[];
  /** Whether hits have to tell how well they match, where the ranker can. */
  readonly needsMatch: boolean;
}

export interface OpenRanker {
  /** The best, at most `DEPTH`; `undefined` for a view that the ranker does not have. */
  readonly rank: (question: Question, view: View) => Promise<readonly Hit[]> | undefined;
  readonly close: () => Promise<void>;
}

/** How many are asked for. The deepest measure is R@20. */
export const DEPTH = 20;
