/**
 * All that the model of search shares with the source: how texts, queries and times are read, which have tests of their own, and
 * the weights. What is made of it, the model computes on its own.
 */

export * from '../../src/recall/analysis/edit-distance.ts';
export * from '../../src/recall/analysis/entry-text.ts';
export * from '../../src/recall/analysis/query-text.ts';
export * from '../../src/recall/analysis/stopwords.ts';
export * from '../../src/recall/analysis/stopwords.ts';
export * from '../../src/recall/analysis/term-names.ts';
export * as weights from '../../src/recall/analysis/weights.ts';
export * from '../../src/recall/analysis/words.ts';
export { tagCovers } from '../../src/recall/index/tag-match.ts';
export type { TextVectors } from '../../src/recall/index/vector-rows.ts';
export type { MemoryFilter } from '../../src/recall/ranking/filter.ts';
export type * from '../../src/recall/ranking/search-request.ts';
export type * from '../../src/recall/ranking/search-sessions.ts';
export type { MatchParts } from '../../src/recall/ranking/strength.ts';
export * as time from '../../src/time/index.ts';
