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
 * Any of the calls that read may throw `SegmentDamage`: build that segment again from the log.
 * A memory changes (its importance, say) by `remove` and `add` with the same `seq`; uses come by `noteUse` and
 * follow their memory through seals and merges.
 *
 * The way of a query, by file: query-text (words, phrases, wildcards) → query-terms (names, postings) → match
 * (scores of words) → strength (conversation, session, author, time) and freshness (decay, recency) → candidates
 * (the best by what stands in a memory alone) → search (order, pages). The way of a memory: entry-text → lexicon → tail → seal → segment-writer; merge.
 */

export { QueryError } from './analysis/index.ts';
export type { DocumentPlace } from './index/index.ts';
export {
  type FoundMemory,
  frameMemory,
  type MemoryUse,
  MemoryUses,
  type OpenSegment,
  RecallIndex,
  SegmentDamage,
  type SegmentReader,
} from './index/index.ts';
export type { MemoryFilter, SearchHit, SearchPage, SearchRequest, SortKey } from './ranking/index.ts';
export {
  matchQuality,
  momentOfCursor,
  type SessionHit,
  type SessionSearchRequest,
  search,
  searchSessions,
} from './ranking/index.ts';
