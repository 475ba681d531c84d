import { ValidationError } from '../../core/errors.ts';
import type { FoundMemory } from '../../core/query.ts';
import { SCHEMA_VERSION, type TrustTier } from '../../core/records.ts';
import { parseTimeZone } from '../../core/time-zone.ts';
import { type IndexedEntry, termOf, wholeWordsOf } from '../../recall/analysis/index.ts';
import { RecallIndex, type SegmentReader } from '../../recall/index/index.ts';
import {
  matchQuality,
  resolveDecayPolicy,
  type SearchHit,
  search,
  wordMeaning,
} from '../../recall/ranking/index.ts';
import { failureOf } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import { addressOf } from '../memories/sessions.ts';
import { missingText, refusing } from '../search/asked-request.ts';
import type { MemoryPage } from '../search/memory-search.ts';
import { Turns } from '../turns.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';
import type { DetailState, KeptDetail } from './detail-records.ts';
import { withReadingBuffer } from './detail-scan.ts';
import { keptWithin, newestFirst, type UserDetails } from './user-details.ts';

/**
 * Finding details by what is said about them (description, type, command, tool) and by all of their text. They are ranked by the
 * same rules as memories. A large text holds every word somewhere, and a long document counts little, so the text is indexed in
 * stretches, each with the description, and the best stretch stands for the detail.
 *
 * The index lives in memory, so its text is bounded: the newest values are searched whole as long as there is room, the others by
 * their beginning, and every answer says how many those are. Which they are follows from the logs, and is the same in every process.
 * Before each search the index is brought up to what the logs say: each value is read once, in pieces, and what was read is sealed
 * into compact segments as it grows.
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

export interface DetailPage {
  readonly details: readonly FoundDetail[];
  /** The strength that their relevances are relative to. */
  readonly strongest?: number;
  /** Of how many details only the beginning was searched; none when left out. */
  readonly partlySearched?: number;
}

export interface DetailSearchOptions {
  /** Only of this session; of all sessions of the user when left out. */
  readonly sessionId?: string | undefined;
  /** Only of these types, and of this time in words. */
  readonly types?: readonly string[] | undefined;
  readonly within?: string | undefined;
  /** 10 when left out. */
  readonly limit?: number | undefined;
  /** Only details whose `match` is at least this. */
  readonly minMatch?: number | undefined;
  /** The time zone of the days that the text refers to. That of the configuration when left out. */
  readonly timeZone?: string | undefined;
}

const DEFAULT_LIMIT = 10;
const DEFAULT_IMPORTANCE = 0.5;
const MAX_LIMIT = 1_000;
/** Stretches in the tail of the index before it is sealed: about two megabytes of text. */
const SEAL_AT = 4_096;
/** Removed stretches stay in the index until they are the most of it, and so many. */
const MAX_GONE = 4_096;
/** Searched of a value that there is no room for. */
const BEGINNING_BYTES = 4_096;

/** What the index holds of a detail. */
interface Taken {
  readonly detail: KeptDetail;
  /** So much of the text is searched. */
  readonly bytes: number;
  stretches: number;
}

export class DetailSearch {
  readonly #context: LayerContext;
  readonly #details: UserDetails;
  #index = new RecallIndex();
  /** By the name that a detail has in the index. */
  readonly #taken = new Map<string, Taken>();
  /** What the index was last compared with, when, and from when on something of it has expired. */
  #seen: readonly (readonly [DetailState, number])[] = [];
  #seenMs = Number.NEGATIVE_INFINITY;
  #nextExpiryMs = Infinity;
  #gone = 0;
  /** Of searches, because reading values takes time. */
  readonly #turns = new Turns();

  constructor(context: LayerContext, details: UserDetails) {
    this.#context = context;
    this.#details = details;
  }

  /** Best first. @throws ValidationError INVALID_QUERY */
  async search(text: string, options: DetailSearchOptions = {}): Promise<DetailPage> {
    const { clock, config } = this.#context;
    const { sessionId, types, limit = DEFAULT_LIMIT, minMatch, timeZone = config.time_zone } = options;
    parseTimeZone(timeZone, 'timeZone', 'INVALID_QUERY');
    if (typeof text !== 'string' || text.trim() === '') throw missingText();
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
      throw new ValidationError('INVALID_QUERY', `The limit must be a whole number from 1 to ${MAX_LIMIT}.`, {
        details: { field: 'limit' },
      });
    const nowMs = clock.now();
    const isInTime = keptWithin(options.within, nowMs, timeZone);
    const states = await this.#details.states();
    return this.#turns.run(async () => {
      if (this.#taken.size === 0) this.#index = new RecallIndex(await this.#context.loadWords());
      await this.#sync(states, nowMs);
      // From here on nothing is awaited: index and states belong together. Most users have no details, and every search asks.
      const searched = [...this.#taken].filter(([, { detail }]) => {
        const isOfType = types?.includes(detail.memory_type) !== false;
        return isOfType && isInTime(detail) && detail.session_id === (sessionId ?? detail.session_id);
      });
      if (searched.length === 0) return { details: [] };
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
        sessions: searched.length === this.#taken.size ? undefined : searched.map(([name]) => name),
      };
      const { hits, ...page } = refusing(() => search(this.#index, request));
      const partlySearched = searched.filter(
        ([, { detail, bytes }]) => detail.is_utf8 && bytes < detail.size_bytes,
      ).length;
      return {
        ...page,
        details: hits.map((hit) => toFound(hit, states)),
        ...(partlySearched === 0 ? {} : { partlySearched }),
      };
    });
  }

  /** While values are read, details may come and go. */
  async #sync(states: ReadonlyMap<string, DetailState>, nowMs: number): Promise<void> {
    for (;;) {
      const missing = this.#compare([...states.values()], nowMs);
      if (missing.length === 0) break;
      for (const taken of missing) await this.#take(taken);
    }
    if (this.#gone > this.#index.count + MAX_GONE) this.#dropGone();
  }

  /** Takes out of the index what does not belong there any more, and says what it lacks. */
  #compare(states: readonly DetailState[], nowMs: number): Taken[] {
    const isSame = states.every(
      (state, at) => this.#seen[at]?.[0] === state && this.#seen[at][1] === state.revision,
    );
    // A clock that was set back makes expired details count again.
    const isCurrent = nowMs >= this.#seenMs && nowMs < this.#nextExpiryMs;
    this.#seenMs = nowMs;
    if (isSame && isCurrent && states.length === this.#seen.length) return [];
    this.#seen = states.map((state) => [state, state.revision]);
    const wanted = this.#wanted(states, nowMs);
    for (const [name, { detail, bytes, stretches }] of this.#taken) {
      const now = wanted.get(name);
      if (now?.detail.blob === detail.blob && now.bytes === bytes) continue;
      this.#index.removeSession(name);
      this.#gone += stretches;
      this.#taken.delete(name);
    }
    return [...wanted].filter(([name]) => !this.#taken.has(name)).map(([, taken]) => taken);
  }

  /** The newest details whole as long as there is room, of the others the beginning. */
  #wanted(states: readonly DetailState[], nowMs: number): Map<string, Taken> {
    const { maxDetailBytes } = this.#context.indexLimits;
    let room = maxDetailBytes;
    this.#nextExpiryMs = Infinity;
    const wanted = new Map<string, Taken>();
    for (const detail of states.flatMap(({ byKey }) => [...byKey.values()]).sort(newestFirst)) {
      if (!(detail.is_active && this.#details.isShown(detail, nowMs))) continue;
      const { expires_at, is_utf8, size_bytes } = detail;
      if (expires_at !== null) this.#nextExpiryMs = Math.min(this.#nextExpiryMs, Date.parse(expires_at));
      const most = is_utf8 ? Math.min(size_bytes, maxDetailBytes) : 0;
      const bytes = most <= room ? most : Math.min(most, BEGINNING_BYTES);
      if (most <= room) room -= most;
      wanted.set(standIn(detail), { detail, bytes, stretches: 0 });
    }
    return wanted;
  }

  async #take(taken: Taken): Promise<void> {
    const { detail, bytes } = taken;
    // From the start, so that it is taken out again whatever happens.
    this.#taken.set(standIn(detail), taken);
    try {
      if (bytes > 0) await this.#takeText(taken);
    } catch (error) {
      // What was said about it is searched all the same.
      this.#context.emit(failureOf(`details of ${detail.session_id}`, 'read', error));
    }
    if (taken.stretches === 0) this.#add(taken, { text: '', firstLine: 1, lastLine: 1 });
  }

  async #takeText(taken: Taken): Promise<void> {
    const { detail } = taken;
    // A value that was lost is found by its description.
    const value = await this.#context.store.openBlob(addressOf(detail.session_id), detail.blob);
    if (value === undefined) return;
    const stretches = new TextStretches();
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    try {
      await withReadingBuffer(async (buffer) => {
        for (let offset = 0; offset < taken.bytes; ) {
          const bytes = await value.read(offset, Math.min(STRETCH_BYTES, taken.bytes - offset), buffer);
          if (bytes.length === 0 || (offset === 0 && bytes.includes(0))) return;
          offset += bytes.length;
          const piece = decoder.decode(bytes, { stream: true });
          for (const stretch of stretches.add(piece)) this.#add(taken, stretch);
        }
        for (const stretch of stretches.finish()) this.#add(taken, stretch);
      });
    } finally {
      value.close();
    }
  }

  #add(taken: Taken, stretch: TextStretch): void {
    const number = taken.stretches++;
    const place = { log: 0, offset: stretch.firstLine, length: stretch.lastLine };
    this.#index.add(toEntry(taken.detail, number, stretch.text), number, place);
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
function standIn({ session_id, memory_key }: KeptDetail): string {
  return `${session_id}${SEPARATOR}${memory_key}`;
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
    session_id: standIn(detail),
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

/**
 * A text that comes in pieces, cut into stretches of about a hundred words: short enough that a word in them counts nearly
 * as it does in a memory (docs/scoring.md: length), and each known by its lines. The cut is behind a line, or else between words.
 */
export interface TextStretch {
  readonly text: string;
  /** Count from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const STRETCH_CHARACTERS = 600;

export class TextStretches {
  #rest = '';
  #line = 1;

  /** The stretches that are complete with this piece. */
  *add(piece: string): Generator<TextStretch, void> {
    const text = this.#rest + piece;
    let from = 0;
    while (text.length - from > STRETCH_CHARACTERS) {
      const end = cutIn(text, from);
      yield this.#stretch(text.slice(from, end));
      from = end;
    }
    this.#rest = text.slice(from);
  }

  /** What is left at the end. */
  *finish(): Generator<TextStretch, void> {
    if (this.#rest.trim() !== '') yield this.#stretch(this.#rest);
  }

  #stretch(text: string): TextStretch {
    const firstLine = this.#line;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
    return { text, firstLine, lastLine: text.endsWith('\n') ? this.#line - 1 : this.#line };
  }
}

/** In the second half of the stretch that begins at a place. */
function cutIn(text: string, from: number): number {
  const stretch = text.slice(from, from + STRETCH_CHARACTERS);
  for (const separator of ['\n', ' ']) {
    const at = stretch.lastIndexOf(separator);
    if (at >= STRETCH_CHARACTERS / 2) return from + at + 1;
  }
  return from + STRETCH_CHARACTERS;
}

/**
 * Memories and details that were found by the same text, in one measure: the match qualities of both are relative to the strongest
 * of all, so that one list can be sorted by relevance.
 */
export function inOneMeasure(
  found: Pick<MemoryPage, 'memories' | 'strongest'>,
  beside: DetailPage,
): Omit<DetailPage, 'strongest'> & { readonly memories: readonly FoundMemory[] } {
  const strongest = Math.max(found.strongest ?? 0, beside.strongest ?? 0);
  const ofMemories = matchQuality(found.strongest ?? strongest, strongest);
  const ofDetails = matchQuality(beside.strongest ?? strongest, strongest);
  const memories = found.memories.map((memory) => {
    const { relevance, explanation } = memory;
    if (explanation === undefined) return { ...memory, relevance: ofMemories * relevance };
    const match_quality = ofMemories * explanation.match_quality;
    return { ...memory, relevance: ofMemories * relevance, explanation: { ...explanation, match_quality } };
  });
  const { strongest: _own, ...page } = beside;
  const details = page.details.map((detail) => ({ ...detail, relevance: ofDetails * detail.relevance }));
  return { ...page, memories, details };
}
