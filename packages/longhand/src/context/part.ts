import type { TokenCounter } from '../core/token-counter.ts';
import type { Section } from './budget.ts';
import type { ManifestPiece, NearMiss } from './manifest.ts';

/** A stretch of the front, with what it is made of. */
export interface Part {
  readonly section: Section;
  readonly role: 'system' | 'user';
  readonly text: string;
  readonly pieces: readonly ManifestPiece[];
  /** Follows the part before without a blank line: it stands where a placeholder of the prompt stood. */
  readonly isInline?: boolean;
}

/** What stands at the beginning of the prompt on every turn. */
export interface Front {
  readonly parts: readonly Part[];
  readonly misses: readonly NearMiss[];
}

export interface Room {
  readonly limit: number;
  readonly counter: TokenCounter;
}

/** What fits, in the order of the list: a small piece goes in behind a large one that does not fit. */
export function fitInto<Item>(
  items: readonly Item[],
  roomTokens: number,
  tokensOf: (item: Item) => number,
): ReadonlySet<Item> {
  let left = roomTokens;
  const kept = new Set<Item>();
  for (const item of items) {
    const tokens = tokensOf(item);
    if (tokens > left) continue;
    left -= tokens;
    kept.add(item);
  }
  return kept;
}
