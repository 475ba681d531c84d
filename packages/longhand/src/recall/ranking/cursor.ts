/**
 * Where a page ended, and the moment of asking, so that all pages of a search see the same decay.
 *
 * A cursor promises that no memory is given twice and that none which stays is left out, whatever is added or removed between
 * pages. By match or by relevance to a text, every place moves with each memory that is added: the cursor names the hits that
 * were given, by a hash of 48 bits, and the next page holds the best of the others. In every other order a memory keeps its
 * place: the cursor holds the place where the page ended, and the memory that stood there, in case a person has moved it.
 */

import { QueryError } from '../analysis/index.ts';

/** The last moment that a date can hold. */
const MAX_DATE_MS = 8.64e15;
/** Characters of the hash of a memory that was given. */
const HASH_CHARACTERS = 8;
/** Between what both kinds of cursors have and the hashes. In no other place. */
const BEFORE_HASHES = '.';
const HASHES = new RegExp(`^(?:[\\w-]{${HASH_CHARACTERS}})*$`);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The place of a memory in an order that others do not change. */
export interface LastPlace {
  readonly key: number;
  readonly timestampMs: number;
  readonly sessionId: string;
  readonly order: number;
  /** Of the memory that stood there. */
  readonly id: string;
}

export interface Cursor {
  /** A checksum of the query, so that a cursor is not used for another. */
  readonly query: string;
  readonly nowMs: number;
  /** Either the place where the page ended, or the memories that were given. */
  readonly after: LastPlace | ReadonlySet<string>;
}

/** A memory as cursors remember it. */
export function givenHash(sessionId: string, id: string): string {
  const text = `${sessionId}/${id}`;
  let left = 0x811c9dc5;
  let right = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    left = Math.imul(left ^ code, 0x01000193);
    right = Math.imul(right ^ code, 0x85ebca6b);
    right ^= right >>> 13;
  }
  // The upper bits have seen the most mixing.
  return letters(left ^ (left >>> 15)) + letters(right ^ (right >>> 16));
}

function letters(hash: number): string {
  let text = '';
  for (let shift = 0; shift < 24; shift += 6) text += ALPHABET[(hash >>> shift) & 63];
  return text;
}

export function writeCursor({ query, nowMs, after }: Cursor): string {
  if (!isLastPlace(after)) return `${encode([query, nowMs])}${BEFORE_HASHES}${[...after].join('')}`;
  const { key, timestampMs, sessionId, order, id } = after;
  return encode([query, nowMs, Number.isFinite(key) ? key : null, timestampMs, sessionId, order, id]);
}

function encode(fields: readonly unknown[]): string {
  const text = btoa(encodeURIComponent(JSON.stringify(fields)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function isLastPlace(after: Cursor['after']): after is LastPlace {
  return 'key' in after;
}

/** @throws QueryError for a text that is no cursor, or that belongs to another query. */
export function readCursor(text: string, query: string): Cursor {
  const [givenQuery, nowMs, ...place] = parse(text);
  const at = text.indexOf(BEFORE_HASHES);
  const after = at < 0 ? readLastPlace(place) : readGiven(text.slice(at + 1));
  if (typeof givenQuery !== 'string' || !isMoment(nowMs) || after === undefined) {
    throw new QueryError('The cursor is not one that a search gave. Start from the first page.', 'cursor');
  }
  if (givenQuery !== query) {
    throw new QueryError('The cursor belongs to another query. Start from the first page.', 'cursor');
  }
  return { query, nowMs, after };
}

function readGiven(value: string): ReadonlySet<string> | undefined {
  if (!HASHES.test(value)) return undefined;
  const given = new Set<string>();
  for (let at = 0; at < value.length; at += HASH_CHARACTERS) given.add(value.slice(at, at + HASH_CHARACTERS));
  return given;
}

function readLastPlace(place: readonly unknown[]): LastPlace | undefined {
  const [key, timestampMs, sessionId, order, id] = place;
  const isPlace =
    (typeof key === 'number' || key === null) &&
    typeof timestampMs === 'number' &&
    typeof sessionId === 'string' &&
    typeof order === 'number' &&
    typeof id === 'string';
  return isPlace ? { key: key ?? Number.NEGATIVE_INFINITY, timestampMs, sessionId, order, id } : undefined;
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
    const [head = ''] = text.split(BEFORE_HASHES, 1);
    const value: unknown = JSON.parse(
      decodeURIComponent(atob(head.replaceAll('-', '+').replaceAll('_', '/'))),
    );
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
