/** Postings to scores: search, its filters, decay and pages. Other rooms import from here alone. */

export { momentOfCursor } from './cursor.ts';
export {
  baseRelevance,
  COMPACTION_RELEVANCE_THRESHOLD,
  type DecayPolicy,
  decayFactor,
  lastTouchedMs,
  recencyBoost,
  resolveDecayPolicy,
} from './decay.ts';
export { type FadingInput, previewFading } from './preview.ts';
export { search } from './search.ts';
export type { SearchHit, SearchRequest } from './search-request.ts';
export { type SessionHit, searchSessions } from './search-sessions.ts';
export { embeddedSimilarity, type MeasureMeaning, wordMeaning } from './similarity.ts';
export { matchQuality } from './strength.ts';
