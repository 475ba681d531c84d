import { LonghandError, ValidationError } from '../../core/errors.ts';
import { SCHEMA_VERSION, type TrustTier } from '../../core/records.ts';
import { parseTimeZone } from '../../core/time-zone.ts';
import { type IndexedEntry, termOf, wholeWordsOf } from '../../recall/analysis/index.ts';
import { RecallIndex, type SearchHit, type SegmentReader, search } from '../../recall/index.ts';
import { resolveDecayPolicy, wordMeaning } from '../../recall/ranking/index.ts';
import { refusing } from '../search/text-search.ts';
import type { Workshop } from '../workshop.ts';
import type { DetailState, KeptDetail } from './detail-records.ts';
import { STRETCH_BYTES } from './detail-scan.ts';
import { withReadingBuffer } from './reading-buffer.ts';
import { type TextStretch, TextStretches } from './text-stretches.ts';
import type { UserDetails } from './user-details.ts';

/**
 * Finding details by what is said about them (description, type, command, tool) and by all of their text. They are ranked by the
 * same rules as memories. A large text holds every word somewhere, and a long document counts little, so the text is indexed in
 * stretches, each with the description, and the best stretch stands for the detail.
 *
 * The index lives in memory. Before each search it is brought up to what the logs say: each value is read once, in pieces, and
 * what was read is sealed into compact segments as it grows.
 */
export interface FoundDetail {
  readonly memory_key: string;
  readonly summary: string;
  /** As that of memories. `inOneMeasure` makes the two comparable. */
  readonly relevance: number;
  /** How much of what was asked for it holds, as that of memories: 0 to 1. */
  readonly match: number;
  /** First and last line of the passage that matches best; left out where the description alone matches, or all of a short value. */
  readonly lines?: readonly [number, number];
  readonly session_id: string;
  /** How far the value may be trusted. */
  readonly trust: TrustTier;
}

/** Found details, and the strength that their relevances are relative to. */
export interface DetailPage {
  readonly details: readonly FoundDetail[];
  readonly strongest?: number;
}

export interface DetailSearchOptions {
  /** Only of this session; of all sessions of the user when left out. */
  readonly sessionId?: string | undefined;
  /** 10 when left out. */
  readonly limit?: number | undefined;
  /** Only details whose `match` is at least this. */
  readonly minMatch?: number | undefined;
  /** Where the days begin and end that the text speaks of. That of the configuration when left out. */
  readonly timeZone?: string | undefined;
}

const DEFAULT_LIMIT = 10;
const DEFAULT_IMPORTANCE = 0.5;
const MAX_LIMIT = 1_000;
/** Stretches in the tail of the index before it is sealed: about two megabytes of text. */
const SEAL_AT = 4_096;
/** Removed stretches stay in the index until they are the most of it, and so many. */
const MAX_GONE = 4_096;
/**
 * All of the text that an index holds for a user: a megabyte of text takes up to two of memory, and a tenth of a second. Beyond
 * it, the beginning of a value is searched.
 */
const MAX_TEXT_BYTES = 67_108_864;

interface Session {
  readonly state: DetailState;
  readonly revision: number;
  /** When the first of its details expires. */
  readonly nextExpiryMs: number;
  /** What the index holds of it, by key. */
  readonly taken: Map<string, Taken>;
}

interface Taken {
  readonly blob: string;
  stretches: number;
  textBytes: number;
}

export class DetailSearch {
  readonly #workshop: Workshop;
  readonly #details: UserDetails;
  #index = new RecallIndex();
  readonly #sessions = new Map<string, Session>();
  #syncedMs = Number.NEGATIVE_INFINITY;
  #textBytes = 0;
  #gone = 0;
  /** The search before: they take turns, because reading values takes time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(workshop: Workshop, details: UserDetails) {
    this.#workshop = workshop;
    this.#details = details;
  }

  /** Best first. @throws ValidationError INVALID_QUERY */
  async search(text: string, options: DetailSearchOptions = {}): Promise<DetailPage> {
    const { clock, config } = this.#workshop;
    const { sessionId, limit = DEFAULT_LIMIT, minMatch, timeZone = config.time_zone } = options;
    parseTimeZone(timeZone, 'timeZone', 'INVALID_QUERY');
    if (typeof text !== 'string' || text.trim() === '')
      throw refused('The text to search for is missing.', 'text');
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
      throw refused(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`, 'limit');
    const nowMs = clock.now();
    const states = await this.#details.states();
    const turn = this.#turn.then(async () => {
      // Nothing is indexed yet.
      if (this.#sessions.size === 0) this.#index = new RecallIndex(await this.#workshop.loadWords());
      await this.#sync(states, nowMs);
      // From here on nothing is awaited: index and states belong together. Most users have no details, and every search asks.
      if (this.#index.count === 0) return { details: [] };
      this.#index.takeVectors();
      const request = {
        text,
        meaning: wordMeaning(text),
        nowMs,
        timeZone,
        limit,
        minMatch,
        passages: true,
        withoutCursor: true,
        explain: true,
        policy: resolveDecayPolicy(config.decay),
        ...(sessionId === undefined ? {} : { sessions: this.#standInsOf(sessionId) }),
      };
      const { hits, ...page } = refusing(() => search(this.#index, request));
      return { ...page, details: hits.map((hit) => toFound(hit, states)) };
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #standInsOf(sessionId: string): string[] {
    return [...(this.#sessions.get(sessionId)?.taken.keys() ?? [])].map((key) => standIn(sessionId, key));
  }

  /** While values are read, details may come and go. */
  async #sync(states: ReadonlyMap<string, DetailState>, nowMs: number): Promise<void> {
    for (;;) {
      const missing = this.#compare(states, nowMs);
      if (missing.length === 0) break;
      // The newest are read in full, should there not be room for all.
      for (const detail of missing.toSorted((a, b) => (a.created_at > b.created_at ? -1 : 1)))
        await this.#take(detail);
    }
    if (this.#gone > this.#index.count + MAX_GONE) this.#dropGone();
  }

  /** Takes out of the index what is not shown any more, and says what it lacks. */
  #compare(states: ReadonlyMap<string, DetailState>, nowMs: number): KeptDetail[] {
    const missing: KeptDetail[] = [];
    // A clock that was set back makes expired details count again.
    const isSetBack = nowMs < this.#syncedMs;
    this.#syncedMs = nowMs;
    for (const [sessionId, state] of states) {
      const known = this.#sessions.get(sessionId);
      const isCurrent =
        known?.state === state && known.revision === state.revision && nowMs < known.nextExpiryMs;
      if (isCurrent && !isSetBack) continue;
      const shown = [...state.byKey.values()].filter(
        (detail) => detail.is_active && this.#details.isShown(detail, nowMs),
      );
      const taken = known?.taken ?? new Map<string, Taken>();
      const blobs = new Set(shown.map(({ blob }) => blob));
      for (const [key, { blob }] of taken) if (!blobs.has(blob)) this.#remove(sessionId, key, taken);
      missing.push(...shown.filter(({ memory_key }) => !taken.has(memory_key)));
      const expiries = shown.map(({ expires_at }) =>
        expires_at === null ? Infinity : Date.parse(expires_at),
      );
      const nextExpiryMs = expiries.reduce((first, each) => Math.min(first, each), Infinity);
      this.#sessions.set(sessionId, { state, revision: state.revision, nextExpiryMs, taken });
    }
    for (const [sessionId, { taken }] of this.#sessions) {
      if (states.has(sessionId)) continue;
      for (const key of taken.keys()) this.#remove(sessionId, key, taken);
      this.#sessions.delete(sessionId);
    }
    return missing;
  }

  #remove(sessionId: string, key: string, taken: Map<string, Taken>): void {
    const { stretches, textBytes } = taken.get(key)!;
    this.#index.removeSession(standIn(sessionId, key));
    this.#gone += stretches;
    this.#textBytes -= textBytes;
    taken.delete(key);
  }

  async #take(detail: KeptDetail): Promise<void> {
    const { session_id, memory_key, blob, is_utf8 } = detail;
    const taken: Taken = { blob, stretches: 0, textBytes: 0 };
    // From the start, so that it is taken out again whatever happens.
    this.#sessions.get(session_id)?.taken.set(memory_key, taken);
    try {
      if (is_utf8) await this.#takeText(detail, taken);
    } catch (error) {
      // What was said about it is searched all the same.
      const reason = LonghandError.isInstance(error) ? error.code : String(error);
      this.#workshop.emit({ kind: 'io-failed', log: `details of ${session_id}`, operation: 'read', reason });
    }
    if (taken.stretches === 0) this.#add(detail, taken, { text: '', firstLine: 1, lastLine: 1 });
  }

  async #takeText(detail: KeptDetail, taken: Taken): Promise<void> {
    // A value that was lost is found by its description.
    const value = await this.#workshop.store.openBlob(detail.session_id, detail.blob);
    if (value === undefined) return;
    const stretches = new TextStretches();
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    try {
      await withReadingBuffer(async (buffer) => {
        for (let offset = 0; offset < value.size; ) {
          const bytes = await value.read(offset, STRETCH_BYTES, buffer);
          if (bytes.length === 0 || (offset === 0 && bytes.includes(0))) return;
          offset += bytes.length;
          taken.textBytes += bytes.length;
          this.#textBytes += bytes.length;
          const piece = decoder.decode(bytes, { stream: true });
          for (const stretch of stretches.add(piece)) this.#add(detail, taken, stretch);
          if (this.#textBytes > MAX_TEXT_BYTES) break;
        }
        for (const stretch of stretches.finish()) this.#add(detail, taken, stretch);
      });
    } finally {
      value.close();
    }
  }

  #add(detail: KeptDetail, taken: Taken, stretch: TextStretch): void {
    const number = taken.stretches++;
    const place = { log: 0, offset: stretch.firstLine, length: stretch.lastLine };
    this.#index.add(toEntry(detail, number, stretch.text), number, place);
    if (this.#index.tailSize >= SEAL_AT) this.#index.replaceTail(readerOf(this.#index.sealTail()));
  }

  #dropGone(): void {
    this.#gone = 0;
    this.#index.replaceTail(readerOf(this.#index.sealTail()));
    const segments = [...this.#index.segments];
    this.#index.replaceSegments(segments, readerOf(this.#index.mergeSegments(segments)));
  }
}

function readerOf(bytes: Uint8Array): SegmentReader {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

function toFound(hit: SearchHit, states: ReadonlyMap<string, DetailState>): FoundDetail {
  const [session_id = '', memory_key = ''] = hit.sessionId.split(SEPARATOR);
  const detail = states.get(session_id)!.byKey.get(memory_key)!;
  const { summary, provenance, lines } = detail;
  const { relevance, match, place } = hit;
  const described = new Set(wholeWordsOf(descriptionOf(detail).join(' ')).map(termOf));
  const isInText = hit.matchedWords?.some((word) => !described.has(termOf(word))) === true;
  const passage = [place.offset, place.length] as const;
  return {
    memory_key,
    summary,
    relevance,
    match,
    ...(isInText && passage[1] - passage[0] + 1 < lines ? { lines: passage } : {}),
    session_id,
    // A record that a person has cut short says nothing of its trust.
    trust: provenance?.trust ?? 'untrusted',
  };
}

/** Session ids and keys do not hold it. */
const SEPARATOR = '/';

/** For the index each detail is a session of its own. */
function standIn(sessionId: string, key: string): string {
  return `${sessionId}${SEPARATOR}${key}`;
}

function descriptionOf({ summary, memory_type, content_metadata }: KeptDetail): string[] {
  const { command, tool } = content_metadata;
  const texts = [summary, memory_type.replaceAll('_', ' '), command, tool];
  return texts.filter((text) => typeof text === 'string');
}

/** A stretch of a detail as the index takes it, with what is said about the detail. */
function toEntry(detail: KeptDetail, number: number, text: string): IndexedEntry {
  return {
    schema_version: SCHEMA_VERSION,
    id: String(number),
    session_id: standIn(detail.session_id, detail.memory_key),
    timestamp: detail.created_at,
    type: 'finding',
    passage: number === 0 ? 'opening' : 'later',
    // A key that is no word of its own: another one would be found in every detail.
    content: { texts: [...descriptionOf(detail), text] },
    importance: DEFAULT_IMPORTANCE,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: detail.provenance,
  };
}

function refused(message: string, field: string): ValidationError {
  return new ValidationError('INVALID_QUERY', message, { details: { field } });
}
