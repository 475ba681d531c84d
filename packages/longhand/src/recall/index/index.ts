/** Terms to postings: the segments and the tail of a user's index. Other rooms import from here alone. */

export { checksumOf } from './bytes.ts';
export { frameMemory, RecentlyUsed } from './caches.ts';
export { grown } from './columns.ts';
export type { DocumentPlace } from './document-table.ts';
export { WRITTEN_MARK } from './lexicon.ts';
export { hashOf, type MemoryUse, MemoryUses } from './memory-uses.ts';
export type { Part } from './part.ts';
export {
  documentsOf,
  frequencyIn,
  listed,
  listedOnce,
  type Postings,
  placeOf,
  unionPostings,
} from './postings.ts';
export { type DocumentRef, type FoundMemory, type OpenSegment, RecallIndex } from './recall-index.ts';
export { reverseReferences } from './references.ts';
export { Segment } from './segment.ts';
export { SegmentDamage, type SegmentReader } from './segment-format.ts';
export type { SessionRegistry } from './session-registry.ts';
export { resolveTagFilter, type TagQuery, tagCovers } from './tag-match.ts';
export { encodeRows, KnownRows, readRows, type TextVectors, type VectorRows } from './vector-rows.ts';
