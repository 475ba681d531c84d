import { hashOf } from './manifest.ts';

/**
 * Where the conversation in the prompt begins, when not all of it fits.
 *
 * Dropping the oldest message on each turn would change the front of the conversation on each turn, and a provider's
 * prompt cache would never hold. So messages leave in chunks, as with the marks of a ruler: every message has a rank
 * that depends on its own identity alone, half of them 0, a quarter 1, an eighth 2 and so on. Of all beginnings that
 * fit and that leave the room filled to the half, the one of the highest rank is taken. It stays the beginning until it no
 * longer fits; then the prompt skips ahead to the next mark. No state is kept, so the same log gives the same cut, in
 * every process.
 */
const FILLED_AT_LEAST = 0.5;

export interface CutItem {
  /** Names it for good: the id, or what it says. */
  readonly identity: string;
  readonly tokens: number;
  /** A good place to begin: a user's message. */
  readonly isOpening: boolean;
}

/**
 * The index of the first item to keep; `items.length` when none fits.
 * @param from the closest that fits, a mark of the ruler, or a mark unless all of them fit
 */
export function findCut(
  items: readonly CutItem[],
  roomTokens: number,
  from: 'closest' | 'mark' | 'all',
): number {
  let first = items.length;
  let tokens = 0;
  const behind: number[] = [];
  while (first > 0 && tokens + items[first - 1]!.tokens <= roomTokens) {
    first--;
    tokens += items[first]!.tokens;
    behind[first] = tokens;
  }
  if (from === 'closest' || (first === 0 && from === 'all')) return first;
  const wanted = Math.min(tokens, roomTokens * FILLED_AT_LEAST);
  let best = first;
  let bestRank = -1;
  for (let at = first; at < items.length && behind[at]! >= wanted; at++) {
    const rank = rankOf(items[at]!.identity) + (items[at]!.isOpening ? OPENING_BONUS : 0);
    if (rank <= bestRank) continue;
    best = at;
    bestRank = rank;
  }
  return best;
}

/** Above every rank: an opening always goes before another message. */
const OPENING_BONUS = 64;

/** How many zeros a hash ends with. */
function rankOf(identity: string): number {
  const bits = Number.parseInt(hashOf(identity).slice(0, 8), 16);
  return 31 - Math.clz32((bits & -bits) >>> 0 || 0x8000_0000);
}
