import { CorruptionError, ValidationError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';
import type { TrustTier } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import type { OpenBlob } from '../../core/store.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import { readLines } from './detail-lines.ts';
import { type FoundLine, findLines } from './detail-matches.ts';
import type { KeptDetail } from './detail-records.ts';
import { isContinuation, withReadingBuffer } from './detail-scan.ts';
import { followJsonPointer } from './json-pointer.ts';

/**
 * The ways to read a value: whole, a page, a range of lines, the lines that hold a word, a place in JSON. None
 * answers with more than a megabyte, whatever the value's size, and all but JSON read with a small buffer.
 *
 * Pages are cut by bytes, so that their number follows from the size alone. A page begins where its share of the
 * bytes begins, or a little before: at the last line that begins in the second half of the share before it, or
 * else at a character. All pages one after the other are the value, byte for byte.
 */
export interface RetrieveOptions {
  /** Counts from 1. */
  readonly page?: number;
  /** In bytes; 16,384 when left out. Pages may be up to half as long again, or half as short. */
  readonly pageSize?: number;
  /**
   * When nothing else is asked for: a value of more bytes than this comes as its first page, of this size. A megabyte,
   * and a page of the usual size, when left out.
   */
  readonly wholeUpTo?: number;
  /** First and last line, counted from 1; the last may lie behind the end. */
  readonly lines?: readonly [number, number];
  /** A word or phrase; upper and lower case do not matter. */
  readonly search?: string;
  /** Lines to show before and after each line with `search`; 2 when left out. */
  readonly context?: number;
  /** Lines with `search` to show; 50 when left out. All are counted. */
  readonly limit?: number;
  /** RFC 6901: `/items/0/name`. */
  readonly pointer?: string;
}

/** A value, or the part of it that was asked for. */
export interface RetrievedDetail {
  readonly memory_key: string;
  readonly content: string;
  readonly part: 'whole' | 'page' | 'lines' | 'search' | 'pointer';
  /** There is more of what was asked for than an answer holds. */
  readonly is_truncated: boolean;
  readonly size_bytes: number;
  readonly total_lines: number;
  /** False: bytes that are no text are shown as `�`. */
  readonly is_utf8: boolean;
  /** How far the value may be trusted. */
  readonly trust: TrustTier;
  readonly page?: number;
  readonly total_pages?: number;
  /** The lines that the content holds, first and last. */
  readonly lines?: readonly [number, number];
  readonly matches?: readonly Pick<FoundLine, 'line' | 'text'>[];
  /** Lines that hold what was searched for, shown or not. */
  readonly total_matches?: number;
}

const OPTIONS = ['page', 'pageSize', 'wholeUpTo', 'lines', 'search', 'context', 'limit', 'pointer'];
const WAYS = ['page', 'lines', 'search', 'pointer'] as const;
/** Ways that look at a part of the value alone. */
const PARTS = ['page', 'pageSize', 'lines', 'search'] as const;
const DEFAULT_PAGE_BYTES = 16_384;
const MIN_PAGE_BYTES = 16;
/** A page may be half as long again as its size, and must fit into an answer. */
const MAX_PAGE_BYTES = 524_288;
const DEFAULT_CONTEXT_LINES = 2;
const MAX_CONTEXT_LINES = 20;
const DEFAULT_MATCHES = 50;
/** Each may keep the piece of the value that it was found in: 64 kB. */
const MAX_MATCHES = 200;
const NEWLINE = 0x0a;

/** @throws ValidationError INVALID_OPTION */
export function checkRetrieveOptions(options: RetrieveOptions): void {
  refuseUnknownOptions(options, OPTIONS);
  const ways = WAYS.filter((way) => options[way] !== undefined);
  if (ways.length > 1) throw invalid(`${ways.join(' and ')} cannot be asked for at once: give one of them`);
  const { page, pageSize, wholeUpTo, lines, search, context, limit, pointer } = options;
  checkWhole('page', page, 1, Number.MAX_SAFE_INTEGER);
  checkWhole('pageSize', pageSize, MIN_PAGE_BYTES, MAX_PAGE_BYTES);
  checkWhole('wholeUpTo', wholeUpTo, MIN_PAGE_BYTES, MAX_PAGE_BYTES);
  checkWhole('context', context, 0, MAX_CONTEXT_LINES);
  checkWhole('limit', limit, 1, MAX_MATCHES);
  if (lines !== undefined) {
    const [from, to] = Array.isArray(lines) && lines.length === 2 ? lines : [0, 0];
    checkWhole('the first line', from, 1, Number.MAX_SAFE_INTEGER);
    checkWhole('the last line', to, from, Number.MAX_SAFE_INTEGER);
  }
  if (pointer !== undefined && typeof pointer !== 'string') throw invalid('pointer must be a text');
  if (search === undefined) return;
  const isSearchable = typeof search === 'string' && search.trim() !== '' && !/[\r\n]/.test(search);
  if (!isSearchable || search.length > LIMITS.detailSearchCharacters) {
    throw invalid(
      `search must be a text of one line, of at most ${LIMITS.detailSearchCharacters} characters`,
    );
  }
}

/** Whether the answer is read from a part of the value: the value's checksum alone does not cover it then. */
export function readsAPart({ size_bytes }: KeptDetail, options: RetrieveOptions): boolean {
  const { wholeUpTo = LIMITS.detailAnswerBytes } = options;
  return PARTS.some((way) => options[way] !== undefined) || size_bytes > wholeUpTo;
}

/** @throws ValidationError INVALID_OPTION, CorruptionError CORRUPT_ENTRY */
export async function readDetail(
  blob: OpenBlob,
  detail: KeptDetail,
  options: RetrieveOptions,
): Promise<RetrievedDetail> {
  if (blob.size !== detail.size_bytes) throw damaged(detail);
  const { page, pageSize, wholeUpTo, lines, search, pointer } = options;
  if (lines !== undefined)
    return { ...about(detail), part: 'lines', ...(await readLines(blob, detail, lines)) };
  if (search !== undefined) return readMatches(blob, detail, search, options);
  if (pointer !== undefined) return readPointer(blob, detail, pointer);
  if (page !== undefined || pageSize !== undefined) return readPage(blob, detail, page, pageSize);
  // Asked for whole, and too large: the beginning, and word of the rest.
  if (detail.size_bytes > (wholeUpTo ?? LIMITS.detailAnswerBytes))
    return { ...(await readPage(blob, detail, 1, wholeUpTo)), is_truncated: true };
  const content = await readWhole(blob, detail);
  return { ...about(detail), part: 'whole', content, is_truncated: false };
}

type About = Pick<RetrievedDetail, 'memory_key' | 'size_bytes' | 'total_lines' | 'is_utf8' | 'trust'>;

function about({ memory_key, size_bytes, lines, is_utf8, provenance }: KeptDetail): About {
  return { memory_key, size_bytes, total_lines: lines, is_utf8, trust: provenance?.trust ?? 'untrusted' };
}

async function readWhole(blob: OpenBlob, detail: KeptDetail): Promise<string> {
  const bytes = await blob.read(0, blob.size);
  if (sha256Hex(bytes) !== detail.digest) throw damaged(detail);
  return showText(bytes);
}

async function readPage(
  blob: OpenBlob,
  detail: KeptDetail,
  page = 1,
  pageSize = DEFAULT_PAGE_BYTES,
): Promise<RetrievedDetail> {
  const total_pages = Math.max(1, Math.ceil(detail.size_bytes / pageSize));
  if (page > total_pages) throw invalid(`page must be at most ${total_pages}`, { total_pages });
  const content = await withReadingBuffer(async (buffer) => {
    const start = await pageStart(blob, (page - 1) * pageSize, pageSize, buffer);
    const end = page === total_pages ? blob.size : await pageStart(blob, page * pageSize, pageSize, buffer);
    return showText(await blob.read(start, end - start, buffer));
  });
  return { ...about(detail), part: 'page', content, is_truncated: false, page, total_pages };
}

async function pageStart(
  blob: OpenBlob,
  share: number,
  pageSize: number,
  buffer: Uint8Array,
): Promise<number> {
  if (share === 0) return 0;
  const from = Math.max(0, share - (pageSize >> 1));
  // With the byte at the share itself, which may stand inside a character.
  const bytes = await blob.read(from, share - from + 1, buffer);
  const newline = bytes.lastIndexOf(NEWLINE, share - from - 1);
  if (newline >= 0) return from + newline + 1;
  let back = 0;
  while (back < 3 && isContinuation(bytes[share - from - back])) back++;
  return isContinuation(bytes[share - from - back]) ? share : share - back;
}

async function readMatches(
  blob: OpenBlob,
  detail: KeptDetail,
  search: string,
  { context = DEFAULT_CONTEXT_LINES, limit = DEFAULT_MATCHES }: RetrieveOptions,
): Promise<RetrievedDetail> {
  const { shown, total } = await findLines(blob, search, context, limit);
  const matches = shown.filter(({ isMatch }) => isMatch).map(({ line, text }) => ({ line, text }));
  return {
    ...about(detail),
    part: 'search',
    content: renderLines(shown),
    is_truncated: total > matches.length,
    matches,
    total_matches: total,
  };
}

/** As `grep` shows it: `12: ` before a line that matches, `11- ` before one beside it, `--` between places. */
function renderLines(lines: readonly FoundLine[]): string {
  let text = '';
  let before = 0;
  for (const { line, isMatch, text: said } of lines) {
    if (before > 0 && line > before + 1) text += '--\n';
    text += `${line}${isMatch ? ':' : '-'} ${said}\n`;
    before = line;
  }
  return text;
}

async function readPointer(blob: OpenBlob, detail: KeptDetail, pointer: string): Promise<RetrievedDetail> {
  if (detail.size_bytes > LIMITS.detailJsonBytes) {
    throw invalid(
      `a pointer works in values of up to ${LIMITS.detailJsonBytes} bytes, and this one has ${detail.size_bytes}: ` +
        'read it by pages or lines, or search in it',
    );
  }
  const text = await readWhole(blob, detail);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid('a pointer needs a JSON value, and this value is not JSON', {}, error);
  }
  const found = followJsonPointer(value, pointer);
  const shown = typeof found === 'string' ? found : JSON.stringify(found, undefined, 2);
  const content = cutText(shown, LIMITS.detailAnswerBytes);
  return { ...about(detail), part: 'pointer', content, is_truncated: content.length < shown.length };
}

/** A text cut to so many code units, between characters. */
function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Without taking a byte order mark away: the pages of a value add up to all of it. */
function showText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function checkWhole(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return;
  const bound = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw invalid(`${name} must be a whole number ${bound}`);
}

function invalid(reason: string, details: Record<string, unknown> = {}, cause?: unknown): ValidationError {
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return new ValidationError('INVALID_OPTION', message, { details, cause });
}

export function damaged({ memory_key, session_id }: KeptDetail): CorruptionError {
  return new CorruptionError(
    'CORRUPT_ENTRY',
    `The value of ${memory_key} in session ${session_id} is missing or is not what was stored.`,
    { details: { memory_key, session_id } },
  );
}
