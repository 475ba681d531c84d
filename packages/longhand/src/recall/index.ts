export type { DocumentPlace } from './document-table.ts';
export type { MemoryFilter } from './filter.ts';
export type { MemoryUse } from './part.ts';
export { QueryError } from './query-text.ts';
export { type FoundMemory, type OpenSegment, RecallIndex } from './recall-index.ts';
export { type SearchHit, type SearchPage, type SearchRequest, type SortKey, search } from './search.ts';
export { type SessionHit, type SessionSearchRequest, searchSessions } from './search-sessions.ts';
export { SegmentDamage, type SegmentReader } from './segment-format.ts';
export type { MatchParts } from './strength.ts';
