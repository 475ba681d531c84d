/**
 * Where a page ended: the last memory of it, and the moment that relevance was computed for, so that all pages
 * of one search see the same decay. The next page begins behind that memory wherever it stands by then, or,
 * if it is gone, behind the place where it stood.
 */

import { QueryError } from './query-text.ts';

/** The last moment that a date can hold. */
const MAX_DATE_MS = 8.64e15;

export interface Cursor {
  /** What the results are sorted by, and a checksum of the query, so that a cursor is not used for another. */
  readonly query: string;
  readonly nowMs: number;
  /** How many results came before. */
  readonly seen: number;
  readonly sessionId: string;
  readonly id: string;
  readonly key: number;
  readonly timestampMs: number;
  readonly order: number;
}

export function writeCursor(cursor: Cursor): string {
  const { query, nowMs, seen, sessionId, id, key, timestampMs, order } = cursor;
  const fields = [query, nowMs, seen, sessionId, id, Number.isFinite(key) ? key : null, timestampMs, order];
  return btoa(encodeURIComponent(JSON.stringify(fields)));
}

/** @throws QueryError for a text that is no cursor, or that belongs to another query. */
export function readCursor(text: string, query: string): Cursor {
  const [givenQuery, nowMs, seen, sessionId, id, key, timestampMs, order] = parse(text);
  const isCursor =
    typeof givenQuery === 'string' &&
    isMoment(nowMs) &&
    typeof seen === 'number' &&
    seen >= 0 &&
    typeof sessionId === 'string' &&
    typeof id === 'string' &&
    (typeof key === 'number' || key === null) &&
    typeof timestampMs === 'number' &&
    typeof order === 'number';
  if (!isCursor) throw new QueryError('The cursor is not one that a search gave. Start from the first page.');
  if (givenQuery !== query) {
    throw new QueryError('The cursor belongs to another query. Start from the first page.');
  }
  return {
    query,
    nowMs,
    seen,
    sessionId,
    id,
    key: key ?? Number.NEGATIVE_INFINITY,
    timestampMs,
    order,
  };
}

/** The moment that the pages of a cursor's search are answered for; `undefined` for a text that is no cursor. */
export function momentOfCursor(text: string): number | undefined {
  const [, nowMs] = parse(text);
  return isMoment(nowMs) ? nowMs : undefined;
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_DATE_MS;
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(atob(text)));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
