import type { FoundMemory } from '../../core/query.ts';
import { matchQuality } from '../../recall/ranking/index.ts';
import type { MemoryPage } from '../search/memory-search.ts';
import type { DetailPage } from './detail-search.ts';

/**
 * Memories and details that were found by the same text, in one measure: the match qualities of both are relative to the strongest
 * of all, so that one list can be sorted by relevance.
 */
export function inOneMeasure(
  found: Pick<MemoryPage, 'memories' | 'strongest'>,
  beside: DetailPage,
): Omit<DetailPage, 'strongest'> & { readonly memories: readonly FoundMemory[] } {
  const strongest = Math.max(found.strongest ?? 0, beside.strongest ?? 0);
  const ofMemories = matchQuality(found.strongest ?? strongest, strongest);
  const ofDetails = matchQuality(beside.strongest ?? strongest, strongest);
  const memories = found.memories.map((memory) => {
    const { relevance, explanation } = memory;
    if (explanation === undefined) return { ...memory, relevance: ofMemories * relevance };
    const match_quality = ofMemories * explanation.match_quality;
    return { ...memory, relevance: ofMemories * relevance, explanation: { ...explanation, match_quality } };
  });
  const { strongest: _own, ...page } = beside;
  const details = page.details.map((detail) => ({ ...detail, relevance: ofDetails * detail.relevance }));
  return { ...page, memories, details };
}
