import type { DocumentPlace, MemoryUses } from '../index/index.ts';
import type { DecayPolicy } from './decay.ts';
import type { MemoryFilter } from './filter.ts';
import type { MeasureMeaning } from './similarity.ts';
import type { MatchParts } from './strength.ts';

export type SortKey = 'relevance' | 'match' | 'time' | 'importance';

export interface SearchRequest extends MemoryFilter {
  /** What to look for; without it all that passes the filter is found. */
  readonly text?: string | undefined;
  /** How near memories are to it in meaning, when there is an embedder. */
  readonly meaning?: MeasureMeaning | undefined;
  /** The moment of asking: ages, and times in the text, count from here. */
  readonly nowMs: number;
  /** Where it is asked, which decides when days begin: a name that `isTimeZone` knows. Default UTC. */
  readonly timeZone?: string | undefined;
  readonly policy: DecayPolicy;
  /** Policies of sessions that have one of their own. */
  readonly policyOfSession?: ReadonlyMap<string, DecayPolicy> | undefined;
  readonly usesOfSession?: ReadonlyMap<string, MemoryUses> | undefined;
  /** Default `relevance`. */
  readonly sortBy?: SortKey | undefined;
  /** Default 10. 0 gives nothing. */
  readonly limit?: number | undefined;
  /** Only hits with at least this `match`. */
  readonly minMatch?: number | undefined;
  /** Whether one hit stands for all that say the same; only with a text, by relevance or match. Default false. */
  readonly collapse?: boolean | undefined;
  /**
   * Each session is one text and its documents are passages of it: the best passage stands for all, and a word is as rare as
   * the texts that hold it. For one page, by relevance or match. Default false.
   */
  readonly passages?: boolean | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
  /** The index holds what is dated until this moment: pages of another one are another search's. */
  readonly asOfMs?: number | undefined;
  /** Whether memories that others have replaced are found too: pages of the other kind are another search's. */
  readonly includeReplaced?: boolean | undefined;
  /** The caller will not ask for the next page. */
  readonly withoutCursor?: boolean | undefined;
  /** Give the parts of each match. */
  readonly explain?: boolean | 'factors' | undefined;
}

/** A found memory with everything that its rank came from. */
export interface SearchHit {
  readonly id: string;
  readonly sessionId: string;
  readonly place: DocumentPlace;
  readonly timestampMs: number;
  readonly relevance: number;
  readonly importance: number;
  readonly decay: number;
  readonly recency: number;
  /** How good the match is beside the strongest, 0 to 1; 1 without a text. */
  readonly quality: number;
  /** What it holds of all that is asked for, 0 to 1; 1 without a text. */
  readonly match: number;
  /** What the quality comes from; 0 without a text. */
  readonly strength: number;
  /** Hits that say the same, for which this one stands: they are not given. */
  readonly duplicates: number;
  /** With `explain`: what the match is made of; without a text there is none. */
  readonly matchParts?: MatchParts;
  /** With `explain`: the words of the text that it holds, and those of them that only the date of the memory holds. */
  readonly matchedWords?: readonly string[];
  readonly matchedByDate?: readonly string[];
  /** With `explain`: words of the text that are in no memory, and words of this one that they were taken for; if any. */
  readonly takenFor?: Readonly<Record<string, readonly string[]>>;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** There may be more behind this. */
  readonly nextCursor?: string;
  /**
   * With a text: the strength that the qualities are relative to, in a measure that two searches have in common: without what
   * the best session adds, and where a time is all that was found, what that time adds to the strength of words.
   */
  readonly strongest?: number;
}

const FILTERS = [
  ...['types', 'tags', 'startMs', 'endMs', 'minImportance', 'references', 'sessions', 'authors', 'agents'],
] as readonly (keyof MemoryFilter)[];

/** Tells queries apart, for cursors. */
export function fingerprint(request: SearchRequest): string {
  const { text, sortBy, maxDepth, referencesFrom, asOfMs, timeZone, minMatch, collapse } = request;
  const filters = FILTERS.map((field) =>
    field === 'sessions' ? [...(request.sessions ?? [])] : request[field],
  );
  const asked = JSON.stringify([
    ...[text, sortBy, maxDepth, referencesFrom, asOfMs, timeZone, minMatch, collapse],
    ...[request.includeReplaced, request.sessions === undefined],
    filters,
  ]);
  let sum = 0;
  for (let at = 0; at < asked.length; at++) sum = (Math.imul(sum, 31) + asked.charCodeAt(at)) | 0;
  return (sum >>> 0).toString(36);
}
