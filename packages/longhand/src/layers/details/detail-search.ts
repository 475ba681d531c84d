import { ValidationError } from '../../core/errors.ts';
import type { FoundMemory } from '../../core/query.ts';
import { type MemoryEntry, SCHEMA_VERSION, type TrustTier } from '../../core/records.ts';
import { parseTimeZone } from '../../core/time-zone.ts';
import { resolveDecayPolicy } from '../../recall/decay.ts';
import {
  matchOf,
  QueryError,
  RecallIndex,
  type SearchHit,
  search,
  strengthOfParts,
} from '../../recall/index.ts';
import type { Workshop } from '../workshop.ts';
import type { DetailState, KeptDetail } from './detail-records.ts';
import type { UserDetails } from './user-details.ts';

/**
 * Finding details by what is said about them: description, type, command, and how the value begins. They are
 * ranked by the same rules as memories of a conversation, so that both can stand in one list; but what was stored
 * before and after is no conversation, so for the index each detail is a session of its own. The index is small and
 * lives in memory; before each search it is brought up to what the logs say.
 */
export interface FoundDetail {
  readonly memory_key: string;
  readonly summary: string;
  /** As that of memories: comparable with it. */
  readonly relevance: number;
  /** How well it answers, whatever its age: 0 to 1. */
  readonly match: number;
  readonly session_id: string;
  /** How far the value may be trusted. */
  readonly trust: TrustTier;
}

export interface DetailSearchOptions {
  /** Only of this session; of all sessions of the user when left out. */
  readonly sessionId?: string;
  /** 10 when left out. */
  readonly limit?: number;
  /** Where the days begin and end that the text speaks of. That of the configuration when left out. */
  readonly timeZone?: string;
  /** The memories that they are shown with, as `explain` tells of them. */
  readonly beside?: readonly Pick<FoundMemory, 'explanation'>[];
}

const DEFAULT_LIMIT = 10;
const DEFAULT_IMPORTANCE = 0.5;
const MAX_LIMIT = 1_000;
/** Removed documents stay in the index until they are the most of it: then it is made again. */
const MAX_GONE = 1_000;

interface Indexed {
  readonly state: DetailState;
  readonly revision: number;
  /** When the first of them expires. */
  readonly nextExpiryMs: number;
  readonly blobs: ReadonlyMap<string, string>;
}

export class DetailSearch {
  readonly #workshop: Workshop;
  readonly #details: UserDetails;
  #index = new RecallIndex();
  readonly #sessions = new Map<string, Indexed>();
  #syncedMs = Number.NEGATIVE_INFINITY;

  constructor(workshop: Workshop, details: UserDetails) {
    this.#workshop = workshop;
    this.#details = details;
  }

  /** Best first. @throws ValidationError INVALID_QUERY */
  async search(text: string, options: DetailSearchOptions = {}): Promise<readonly FoundDetail[]> {
    const { clock, config } = this.#workshop;
    const { sessionId, limit = DEFAULT_LIMIT, timeZone = config.time_zone, beside = [] } = options;
    parseTimeZone(timeZone, 'timeZone', 'INVALID_QUERY');
    if (typeof text !== 'string' || text.trim() === '')
      throw refused('The text to search for is missing.', 'text');
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
      throw refused(`The limit must be a whole number from 1 to ${MAX_LIMIT}.`, 'limit');
    const nowMs = clock.now();
    const states = await this.#details.states();
    // From here on nothing is awaited: index and states belong together.
    this.#sync(states, nowMs);
    // Most users have none, and every search of theirs asks.
    if (this.#index.count === 0) return [];
    const request = {
      text,
      nowMs,
      timeZone,
      limit,
      explain: beside.length > 0,
      policy: resolveDecayPolicy(config.decay),
      ...(sessionId === undefined ? {} : { sessions: this.#standInsOf(sessionId) }),
    };
    const strongest = Math.max(
      0,
      ...beside.map(({ explanation }) => strengthOfParts(explanation?.match_parts ?? {})),
    );
    return searching(() => search(this.#index, request)).hits.map((hit) => {
      const share = shareBeside(hit, strongest);
      const session_id = hit.sessionId.slice(0, hit.sessionId.indexOf(SEPARATOR));
      const { summary, provenance } = states.get(session_id)!.byKey.get(hit.id)!;
      // A record that a person has cut short says nothing of its trust.
      const trust = provenance?.trust ?? 'untrusted';
      const relevance = share * hit.relevance;
      return { memory_key: hit.id, summary, relevance, match: share * hit.match, session_id, trust };
    });
  }

  #standInsOf(sessionId: string): string[] {
    return [...(this.#sessions.get(sessionId)?.blobs.keys() ?? [])].map((key) => standIn(sessionId, key));
  }

  #sync(states: ReadonlyMap<string, DetailState>, nowMs: number): void {
    if (this.#index.tailCount > 2 * this.#index.count + MAX_GONE) {
      this.#index = new RecallIndex();
      this.#sessions.clear();
    }
    // A clock that was set back makes expired details count again.
    const isSetBack = nowMs < this.#syncedMs;
    this.#syncedMs = nowMs;
    for (const [sessionId, state] of states) {
      const indexed = this.#sessions.get(sessionId);
      const isCurrent =
        indexed?.state === state && indexed.revision === state.revision && nowMs < indexed.nextExpiryMs;
      if (!isCurrent || isSetBack) this.#syncSession(sessionId, state, indexed, nowMs);
    }
    for (const [sessionId, { blobs }] of this.#sessions) {
      if (states.has(sessionId)) continue;
      for (const key of blobs.keys()) this.#index.remove(standIn(sessionId, key), key);
      this.#sessions.delete(sessionId);
    }
  }

  #syncSession(sessionId: string, state: DetailState, indexed: Indexed | undefined, nowMs: number): void {
    const blobs = new Map<string, string>();
    let nextExpiryMs = Number.POSITIVE_INFINITY;
    const added: KeptDetail[] = [];
    for (const detail of state.byKey.values()) {
      if (!detail.is_active || !this.#details.isShown(detail, nowMs)) continue;
      blobs.set(detail.memory_key, detail.blob);
      if (detail.expires_at !== null) nextExpiryMs = Math.min(nextExpiryMs, Date.parse(detail.expires_at));
      if (indexed?.blobs.get(detail.memory_key) !== detail.blob) added.push(detail);
    }
    for (const [key, blob] of indexed?.blobs ?? [])
      if (blobs.get(key) !== blob) this.#index.remove(standIn(sessionId, key), key);
    for (const detail of added)
      this.#index.add(toEntry(detail), detail.order, { log: 0, offset: 0, length: 0 });
    this.#sessions.set(sessionId, { state, revision: state.revision, nextExpiryMs, blobs });
  }
}

/**
 * What is left of a detail beside memories. Words are rare or common in details by themselves, and their strengths stay apart.
 * A detail without any word of the question is there for its time alone, which says the same of both: where plans are asked for
 * ("What do I have today?"), what was merely stored today stands behind a memory that speaks of today, as it does among memories.
 */
function shareBeside({ match, matchParts }: SearchHit, strongest: number): number {
  if (matchParts === undefined || matchParts.words > 0) return 1;
  const strength = strengthOfParts({ ...matchParts });
  return strength < strongest ? matchOf(strength, strongest) / match : 1;
}

/** Session ids and keys do not hold it. */
const SEPARATOR = '/';

function standIn(sessionId: string, key: string): string {
  return `${sessionId}${SEPARATOR}${key}`;
}

/** A detail as the index takes it: what is said about it, by nobody in particular. */
function toEntry(detail: KeptDetail): MemoryEntry {
  const { command, tool } = detail.content_metadata;
  const texts = [detail.summary, detail.memory_type.replaceAll('_', ' '), command, tool, detail.excerpt];
  return {
    schema_version: SCHEMA_VERSION,
    id: detail.memory_key,
    session_id: standIn(detail.session_id, detail.memory_key),
    timestamp: detail.created_at,
    type: 'conversation',
    // A key that is no word of its own: another one would be found in every detail.
    content: { texts: texts.filter((text) => typeof text === 'string') },
    importance: DEFAULT_IMPORTANCE,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: detail.provenance,
  };
}

function searching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof QueryError) throw refused(error.message, error.field, error);
    throw error;
  }
}

function refused(message: string, field: string, cause?: unknown): ValidationError {
  return new ValidationError('INVALID_QUERY', message, { cause, details: { field } });
}
