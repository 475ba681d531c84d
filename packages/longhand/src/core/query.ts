import { type DayRange, isReversed, parseDayRange, type TimeRange } from './day-range.ts';
import { ValidationError } from './errors.ts';
import { parseMemoryId } from './ids.ts';
import { LIMITS } from './limits.ts';
import { MEMORY_TYPES, type MemoryEntry, type MemoryType } from './records.ts';
import { parseTimeZone } from './time-zone.ts';
import { parseTimestamp } from './timestamps.ts';

/** Which memories, and in which order. Every field narrows; without any, all of the scope are meant. */
export interface MemoryQuery {
  /** Words, "phrases" and wild*cards. */
  readonly text?: string;
  readonly types?: readonly MemoryType[];
  readonly tags?: {
    readonly include?: readonly string[];
    readonly exclude?: readonly string[];
    /** Whether all of `include` are needed (default) or any of them. */
    readonly mode?: 'all' | 'any';
    /** Only the tags themselves, not what lies under them. */
    readonly exact?: boolean;
  };
  /** Both ends belong to it. */
  readonly timeRange?: Partial<TimeRange>;
  /** A range in words: `last week`, `24h`, `P7D`, `since 2026-01-01`. */
  readonly within?: string;
  readonly minImportance?: number;
  /** With a text: only memories whose `match` is at least this, 0 to 1. */
  readonly minMatch?: number;
  /** With a text: one memory stands for those that say the same, counted in `duplicates`. Default true. */
  readonly collapse?: boolean;
  /** Memories that refer to one of these, or that one of these refers to. */
  readonly references?: readonly string[];
  /** How many references away. Default 1. */
  readonly maxDepth?: number;
  /** This session (default), all sessions of its user, or what its agents wrote in them. */
  readonly scope?: 'session' | 'user' | 'agent';
  /** Default `relevance`. */
  readonly sortBy?: 'relevance' | 'match' | 'time' | 'importance';
  /** Default 10 with a text, else no limit. */
  readonly limit?: number;
  readonly cursor?: string;
  readonly explain?: boolean;
  /** Answer from what was known at that moment. */
  readonly asOf?: Date | string;
  /** Also give memories that others have replaced. */
  readonly includeReplaced?: boolean;
  /** The moment of asking, when it is not now. */
  readonly now?: Date | string;
  /** Where `today` and `last Monday` begin and end: an IANA name, `UTC` or `system`. The setting `time_zone` when left out. */
  readonly timeZone?: string;
}

export interface FoundMemory extends MemoryEntry {
  /** importance × decay × recency × match quality: what sorts. */
  readonly relevance: number;
  /** With a text: how much of what was asked for the memory holds, 0 to 1. It compares across queries, and never sorts. */
  readonly match?: number;
  /** Memories that say the same, for which this one stands; none when left out. */
  readonly duplicates?: number;
  readonly explanation?: Explanation;
}

export interface Explanation {
  readonly importance: number;
  readonly decay: number;
  readonly recency: number;
  /** How good the match is beside the best one found: 1 for the best, and without a text. */
  readonly match_quality: number;
  /** What the strength of the match is made of; see docs/scoring.md. */
  readonly match_parts?: Readonly<Record<string, number>>;
  /** The words of the text that the memory holds, in small letters and not stemmed. */
  readonly matched_words?: readonly string[];
  /** Those of them that only the day holds on which it was written; if any. */
  readonly matched_by_date?: readonly string[];
  /** Words of the text that are in no memory of the user, and words of this one that they were taken for, as they stand in it; if any. */
  readonly taken_for?: Readonly<Record<string, readonly string[]>>;
}

/** A query that has been checked. Times are milliseconds. */
export interface CheckedQuery extends DayRange, Omit<MemoryQuery, 'timeRange' | 'asOf' | 'now' | 'explain'> {
  /** `factors` leaves out the words and the parts of the match, which take as long as the search. */
  readonly explain?: boolean | 'factors';
  readonly asOfMs?: number;
  readonly nowMs?: number;
  /** The memory that `text` was taken from, when memories like it are asked for. */
  readonly like?: { readonly sessionId: string; readonly memoryId: string };
}

/** A blank text and a lone star ask for nothing in particular. */
export function isAboutText({ text }: Pick<MemoryQuery, 'text'>): boolean {
  return text !== undefined && !/^[\s*]*$/.test(text);
}

const FIELDS = (
  'text types tags timeRange within minImportance minMatch collapse references maxDepth scope sortBy ' +
  'limit cursor explain asOf includeReplaced now timeZone'
).split(' ');
const MAX_DEPTH = 100;

/** @throws ValidationError INVALID_QUERY naming the field */
export function parseQuery(input: unknown): CheckedQuery {
  const query = parseObject(input, 'The query', FIELDS) as MemoryQuery;
  const { timeRange, asOf, now, ...rest } = query;
  refuse(query.text !== undefined && typeof query.text !== 'string', 'text must be a text', 'text');
  refuse(query.within !== undefined && typeof query.within !== 'string', 'within must be a text', 'within');
  refuse(query.cursor !== undefined && typeof query.cursor !== 'string', 'cursor must be a text', 'cursor');
  if (query.timeZone !== undefined) parseTimeZone(query.timeZone, 'timeZone', 'INVALID_QUERY');
  oneOf(query.scope, 'scope', ['session', 'user', 'agent']);
  oneOf(query.sortBy, 'sortBy', ['relevance', 'match', 'time', 'importance']);
  for (const field of ['explain', 'collapse', 'includeReplaced'] as const) {
    const value: unknown = query[field];
    refuse(value !== undefined && typeof value !== 'boolean', `${field} must be true or false`, field);
  }
  whole(query.limit, 'limit', 0, Number.MAX_SAFE_INTEGER);
  whole(query.maxDepth, 'maxDepth', 0, MAX_DEPTH);
  for (const field of ['minImportance', 'minMatch'] as const) {
    const value: unknown = query[field];
    const isShare = typeof value === 'number' && value >= 0 && value <= 1;
    refuse(value !== undefined && !isShare, `${field} must be a number from 0 to 1`, field);
  }
  for (const type of list(query.types, 'types')) oneOf(type ?? null, 'types', MEMORY_TYPES);
  for (const id of list(query.references, 'references'))
    asQuery(() => parseMemoryId(id, 'reference'), 'references');
  if (query.tags !== undefined) parseTags(query.tags);
  if (timeRange === undefined && asOf === undefined && now === undefined) return rest;
  return {
    ...rest,
    ...parseRange(timeRange),
    ...moment('asOfMs', asOf, 'asOf'),
    ...moment('nowMs', now, 'now'),
  };
}

function parseTags(input: unknown): void {
  const tags = parseObject(input, 'tags', ['include', 'exclude', 'mode', 'exact']) as NonNullable<
    MemoryQuery['tags']
  >;
  parseTagList(tags.include, 'tags.include');
  parseTagList(tags.exclude, 'tags.exclude');
  oneOf(tags.mode, 'tags.mode', ['all', 'any']);
  refuse(
    tags.exact !== undefined && typeof tags.exact !== 'boolean',
    'tags.exact must be true or false',
    'tags.exact',
  );
}

function parseTagList(tags: unknown, name: string): void {
  for (const tag of list(tags, name))
    refuse(typeof tag !== 'string', `${name} must be a list of texts`, name);
}

function parseRange(input: unknown): DayRange {
  if (input === undefined) return {};
  const { start, end } = parseObject(input, 'timeRange', ['start', 'end']);
  const range = asQuery(() => parseDayRange(start, end, 'timeRange'));
  refuse(isReversed(range), 'timeRange starts after its end', 'timeRange');
  return range;
}

function moment(key: string, value: unknown, name: string): Record<string, number> {
  return value === undefined ? {} : { [key]: asQuery(() => parseTimestamp(value, name), name) };
}

// Reasons are put together when there is something to refuse: every query comes through here.

function parseObject(input: unknown, name: string, fields: readonly string[]): Record<string, unknown> {
  refuse(
    typeof input !== 'object' || input === null || Array.isArray(input),
    `${name} must be an object`,
    name,
  );
  for (const key of Object.keys(input as object)) {
    if (!fields.includes(key)) {
      refuse(
        true,
        `${name} has no ${JSON.stringify(key.slice(0, 40))}; there are: ${fields.join(', ')}`,
        key.slice(0, 40),
      );
    }
  }
  return input as Record<string, unknown>;
}

function list(value: unknown, name: string): readonly unknown[] {
  if (value === undefined) return [];
  const isList = Array.isArray(value) && value.length <= LIMITS.referencesPerMemory;
  refuse(!isList, `${name} must be a list of at most ${LIMITS.referencesPerMemory}`, name);
  return value as readonly unknown[];
}

function oneOf(value: unknown, name: string, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value as string)) return;
  refuse(true, `${name} must be one of ${allowed.join(', ')}`, name);
}

function whole(value: unknown, name: string, min: number, max: number): void {
  if (value === undefined) return;
  const isWhole = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of at least ${min}`;
  refuse(!isWhole, `${name} must be a whole number ${range}`, name);
}

/** Turns another input's own error code into INVALID_QUERY. @param field to report; that of the error when left out */
function asQuery<Value>(parse: () => Value, field?: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const details = { field: field ?? error.details.field };
    throw new ValidationError('INVALID_QUERY', error.message, { cause: error, details });
  }
}

function refuse(isWrong: boolean, reason: string, field: string): void {
  if (isWrong) throw new ValidationError('INVALID_QUERY', `${reason}.`, { details: { field } });
}
