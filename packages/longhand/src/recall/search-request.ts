import type { DecayPolicy } from './decay.ts';
import type { DocumentPlace } from './document-table.ts';
import type { MemoryFilter } from './filter.ts';
import type { MemoryUses } from './memory-uses.ts';
import type { MatchParts } from './strength.ts';
import type { MeasureMeaning } from './vectors/similarity.ts';

/** What a search is asked, and what it answers. */

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
  /** From the page before. */
  readonly cursor?: string | undefined;
  /** The index holds what is dated until this moment: pages of another one are another search's. */
  readonly asOfMs?: number | undefined;
  /** Nobody will ask for the page behind this one. */
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
  /** 0 to 1; 1 without a text. */
  readonly match: number;
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
}

/** Whether anything but the text narrows the search. */
export function isFiltering(filter: MemoryFilter): boolean {
  return (
    filter.types !== undefined ||
    filter.tags !== undefined ||
    filter.startMs !== undefined ||
    filter.endMs !== undefined ||
    filter.minImportance !== undefined ||
    filter.references !== undefined ||
    filter.sessions !== undefined ||
    filter.authors !== undefined ||
    filter.agents !== undefined
  );
}

/** Tells queries apart, for cursors. */
export function fingerprint(request: SearchRequest): string {
  const { text, types, tags, startMs, endMs, minImportance, references, maxDepth, authors, agents, sortBy } =
    request;
  const sessions = request.sessions && [...request.sessions];
  const asked = JSON.stringify([
    sortBy,
    text,
    types,
    tags,
    startMs,
    endMs,
    minImportance,
    references,
    request.referencesFrom,
    maxDepth,
    sessions,
    authors,
    agents,
    request.asOfMs,
    request.timeZone,
  ]);
  let sum = 0;
  for (let at = 0; at < asked.length; at++) sum = (Math.imul(sum, 31) + asked.charCodeAt(at)) | 0;
  return (sum >>> 0).toString(36);
}
