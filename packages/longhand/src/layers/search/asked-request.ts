import { ValidationError } from '../../core/errors.ts';
import { type CheckedQuery, isAboutText } from '../../core/query.ts';
import { QueryError } from '../../recall/analysis/index.ts';
import type { DecayPolicy } from '../../recall/ranking/index.ts';
import { momentOfCursor, type SearchRequest } from '../../recall/ranking/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { wholeDays } from '../whole-days.ts';
import { timeInWords } from './time-in-words.ts';

/**
 * From what a caller asks to what the index is asked: names of one become those of the other, scopes become sessions
 * and agents, times in words become a range, and all pages of a search belong to one moment.
 */

/** Of a query with a text that says no limit. */
export const DEFAULT_LIMIT_WITH_TEXT = 10;

/** For whom a query is answered. */
export interface Asked {
  /** `undefined` when all of the user's are meant, whatever there is. */
  readonly sessionId: string | undefined;
  readonly userId: string;
  readonly agents: readonly string[];
}

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** @throws ValidationError INVALID_QUERY */
export function requestOf(
  asked: Asked,
  query: CheckedQuery,
  policy: DecayPolicy,
  { clock, config }: Pick<LayerContext, 'clock' | 'config'>,
): Writable<SearchRequest> {
  // All pages of a search are answered for the moment of the first.
  const startedMs = query.cursor === undefined ? undefined : momentOfCursor(query.cursor);
  if (startedMs !== undefined && query.nowMs !== undefined && startedMs !== query.nowMs) {
    throw new ValidationError('INVALID_QUERY', 'The cursor belongs to a search of another moment.', {
      details: { field: 'cursor' },
    });
  }
  const nowMs = startedMs ?? query.nowMs ?? clock.now();
  const limit = query.limit ?? (isAboutText(query) ? DEFAULT_LIMIT_WITH_TEXT : Number.MAX_SAFE_INTEGER);
  const timeZone = query.timeZone ?? config.time_zone;
  const { startMs, endMs } = rangeOf(query, nowMs, timeZone);
  const { sessions, agents } = scopeOf(asked, query);
  const { types, tags, minImportance, minMatch, collapse = true } = query;
  const { references, maxDepth, cursor, explain, asOfMs, includeReplaced } = query;
  // A text that asks for everything lists the newest first; without a text, what matters most comes first.
  const text = isAboutText(query) ? query.text : undefined;
  const sortBy = query.sortBy ?? (query.text === undefined || text !== undefined ? undefined : 'time');
  // All that may be asked, so that all requests are of one shape: they are read in many places.
  return {
    nowMs,
    timeZone,
    policy,
    limit,
    text,
    types,
    tags,
    minImportance,
    minMatch,
    collapse,
    references,
    // Without a session, ids are looked for in all of them.
    referencesFrom: references && asked.sessionId,
    maxDepth,
    sortBy,
    cursor,
    explain,
    asOfMs,
    includeReplaced,
    replaced: undefined,
    startMs,
    endMs,
    sessions,
    agents,
    meaning: undefined,
    policyOfSession: undefined,
    usesOfSession: undefined,
    withoutCursor: undefined,
  };
}

const WHOLE_USER = { sessions: undefined, agents: undefined };

function scopeOf(
  asked: Asked,
  { scope = 'session' }: CheckedQuery,
): Pick<SearchRequest, 'sessions' | 'agents'> {
  switch (scope) {
    case 'session':
      return { sessions: [asked.sessionId!], agents: undefined };
    case 'user':
      return WHOLE_USER;
    case 'agent':
      if (asked.agents.length > 0) return { sessions: undefined, agents: asked.agents };
      throw new ValidationError(
        'INVALID_QUERY',
        `Session ${asked.sessionId} has no agent, so the scope agent is empty.`,
        { details: { field: 'scope' } },
      );
  }
}

function rangeOf(
  query: CheckedQuery,
  nowMs: number,
  timeZone: string,
): Pick<SearchRequest, 'startMs' | 'endMs'> {
  const { within } = query;
  const { startMs, endMs } = wholeDays(query, timeZone);
  if (startMs !== undefined && endMs !== undefined && startMs > endMs)
    throw new ValidationError('INVALID_QUERY', 'The timeRange starts after its end.', {
      details: { field: 'timeRange' },
    });
  if (within === undefined) return { startMs, endMs };
  const range = timeInWords(within, nowMs, timeZone);
  return {
    startMs: Math.max(range.startMs, startMs ?? Number.NEGATIVE_INFINITY),
    endMs: Math.min(range.endMs, endMs ?? Number.POSITIVE_INFINITY),
  };
}

export function missingText(): ValidationError {
  return new ValidationError('INVALID_QUERY', 'The text to search for is missing.', {
    details: { field: 'text' },
  });
}

/** @throws ValidationError INVALID_QUERY for what a search refuses */
export function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { message, field } = error;
    throw new ValidationError('INVALID_QUERY', message, { cause: error, details: { field } });
  }
}
