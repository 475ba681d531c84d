/**
 * Recall: from a memory to its words, from a question to the memories that answer it.
 *
 * The room is pure. It has no clock and touches no file: the moment of asking comes with the query, and the
 * bytes of a segment through a `SegmentReader`. The layer above keeps the log and the files; this is its part:
 *
 *   const index = new RecallIndex();
 *   index.openSegment(reader, deadDocuments);        // for each segment file; reads the header alone
 *   index.add(entry, seq, { log, offset, length });  // what the log holds beyond the segments
 *   index.remove(sessionId, id);                     // works on tail and segments alike
 *
 *   const page = search(index, { text, nowMs, policy, limit: 10 });   // hits carry their place in the log
 *   const sessions = searchSessions(index, { text, nowMs });
 *
 *   const bytes = index.sealTail();                  // write them to a file, then
 *   const opened = index.replaceTail(reader);        // nothing may be added or removed in between
 *   const merged = index.mergeSegments(some);        // the same for several segments, without their dead
 *   index.replaceSegments(some, reader);
 *   opened.deadDocuments;                            // to be kept beside the segment's file
 *
 * Any of the calls that read may throw `SegmentDamage`: close that segment and build it again from the log.
 * A memory changes (its importance, say) by `remove` and `add` with the same `seq`; uses come by `noteUse` and
 * follow their memory through seals and merges.
 *
 * The way of a query, by file: query-text (words, phrases, wildcards) → query-terms (names, postings) → match
 * (scores of words) → strength (conversation, session, author, time) and freshness (decay, recency) → candidates
 * (the best by what stands in a memory alone) → search (order, pages). The way of a memory: entry-text → lexicon → tail → seal → segment-writer; merge.
 */

export { momentOfCursor } from './cursor.ts';
export type { DocumentPlace } from './document-table.ts';
export type { MemoryFilter } from './filter.ts';
export { frameMemory } from './frame-memory.ts';
export { type MemoryUse, MemoryUses } from './memory-uses.ts';
export { QueryError } from './query-text.ts';
export { type FoundMemory, type OpenSegment, RecallIndex } from './recall-index.ts';
export { search } from './search.ts';
export type { SearchHit, SearchPage, SearchRequest, SortKey } from './search-request.ts';
export { type SessionHit, type SessionSearchRequest, searchSessions } from './search-sessions.ts';
export { SegmentDamage, type SegmentReader } from './segment-format.ts';
export { matchOf, strengthOfParts } from './strength.ts';
