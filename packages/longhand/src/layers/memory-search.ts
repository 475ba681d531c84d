import { CorruptionError, NotFoundError, ValidationError } from '../core/errors.ts';
import type { CheckedQuery, Explanation, FoundMemory } from '../core/query.ts';
import type { MemoryEntry } from '../core/records.ts';
import type { LogSlice } from '../core/store.ts';
import { resolveDecayPolicy } from '../recall/decay.ts';
import {
  QueryError,
  RecallIndex,
  type SearchHit,
  type SearchRequest,
  type SessionHit,
  search,
  searchSessions,
} from '../recall/index.ts';
import { parseWithin } from '../recall/time-expression.ts';
import type { Accesses } from './accesses.ts';
import { LeastRecentlyUsed } from './least-recently-used.ts';
import type { Memories } from './memories.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import { addressOf, type Sessions } from './sessions.ts';
import { UserIndex } from './user-index.ts';
import type { Workshop } from './workshop.ts';

/** Users whose index is held at the same time; beyond it, the one asked for longest ago is opened again. */
const INDEXES_IN_MEMORY = 32;
const DEFAULT_LIMIT_WITH_TEXT = 10;

export interface MemoryPage {
  readonly memories: readonly FoundMemory[];
  /** There may be more behind this. */
  readonly nextCursor?: string;
}

export interface SessionSearchOptions {
  /** Default 10. */
  readonly limit?: number;
  /** The moment of asking, when it is not now, in milliseconds. */
  readonly nowMs?: number;
}

/** For whom a query is answered. */
interface Asked {
  readonly sessionId: string;
  readonly userId: string;
  readonly agents: readonly string[];
}

/** Finding memories: the query's scope, its index, its hits, and their texts. Never across users. */
export class MemorySearch {
  readonly #workshop: Workshop;
  readonly #sessions: Sessions;
  readonly #memories: Memories;
  readonly #accesses: Accesses;
  readonly #indexes = new LeastRecentlyUsed<UserIndex>(INDEXES_IN_MEMORY);

  constructor(workshop: Workshop, sessions: Sessions, memories: Memories, accesses: Accesses) {
    this.#workshop = workshop;
    this.#sessions = sessions;
    this.#memories = memories;
    this.#accesses = accesses;
  }

  /** @throws ValidationError INVALID_QUERY */
  async page(sessionId: string, query: CheckedQuery): Promise<MemoryPage> {
    const asked = await this.#askedOf(sessionId, query);
    if (query.asOfMs !== undefined) return this.#pageAsOf(asked, query, query.asOfMs);
    const userIndex = this.#indexOf(asked.userId);
    const request = this.#requestOf(asked, query);
    const { hits, nextCursor } = await userIndex.use((index) =>
      refusing(() => search(index, { ...request, policyOfSession: userIndex.policies })),
    );
    const memories: FoundMemory[] = [];
    for (const hit of hits) {
      const entry = await this.#entryOf(userIndex, hit);
      if (entry === undefined) continue;
      memories.push(toFound(entry, hit, query.explain));
      // A question about another moment is no use of the memory now.
      if (query.nowMs === undefined) this.#accesses.note(hit.sessionId, hit.id);
    }
    return nextCursor === undefined ? { memories } : { memories, nextCursor };
  }

  /** The sessions of a user in which a text was talked about, best first. */
  async sessions(
    userId: string,
    text: string,
    options: SessionSearchOptions,
  ): Promise<readonly SessionHit[]> {
    const { clock } = this.#workshop;
    const { limit, nowMs = clock.now() } = options;
    const userIndex = this.#indexOf(userId);
    return userIndex.use((index) =>
      refusing(() => searchSessions(index, { text, nowMs, ...(limit === undefined ? {} : { limit }) })),
    );
  }

  /** Brings the indexes in use to the disk. */
  async flush(): Promise<void> {
    for (const userId of this.#indexes.keys()) await this.#indexes.get(userId)!.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    for (const userId of this.#indexes.keys()) {
      await this.#indexes.get(userId)!.close();
      this.#indexes.delete(userId);
    }
  }

  #indexOf(userId: string): UserIndex {
    let index = this.#indexes.get(userId);
    if (index === undefined) {
      index = new UserIndex(this.#workshop, userId);
      this.#indexes.set(userId, index);
    }
    return index;
  }

  /** Agents are settings, which may have changed; the owner is in the first record and cannot. */
  async #askedOf(sessionId: string, { scope }: CheckedQuery): Promise<Asked> {
    if (scope !== 'agent') return { sessionId, userId: await this.#sessions.ownerOf(sessionId), agents: [] };
    const { user_id: userId, agents } = (await this.#sessions.current(sessionId)).session;
    return { sessionId, userId, agents };
  }

  #requestOf(asked: Asked, query: CheckedQuery): SearchRequest {
    const { clock, config } = this.#workshop;
    const nowMs = query.nowMs ?? clock.now();
    const { text, types, tags, minImportance, references, maxDepth, sortBy, cursor } = query;
    const range = rangeOf(query, nowMs);
    return {
      ...withoutUndefined({ text, types, tags, minImportance, references, maxDepth, sortBy, cursor }),
      ...range,
      ...scopeOf(asked, query),
      nowMs,
      policy: resolveDecayPolicy(config.decay),
      limit:
        query.limit ??
        (text === undefined || text.trim() === '' ? Number.MAX_SAFE_INTEGER : DEFAULT_LIMIT_WITH_TEXT),
    };
  }

  /** By its place when the log is still the one that was indexed, else by its id. */
  async #entryOf(userIndex: UserIndex, hit: SearchHit): Promise<MemoryEntry | undefined> {
    const { sessionId, id, place } = hit;
    try {
      const position = userIndex.positionOf(sessionId, place.log);
      if (position !== undefined) {
        const found = await this.#memories.readAt(sessionId, id, { ...place, lineNumber: 0 }, position);
        if (found !== undefined) return { ...found, importance: hit.importance };
      }
      return (await this.#memories.get(sessionId, id)) ?? undefined;
    } catch (error) {
      // Deleted, or damaged since it was indexed: queries skip what is not there.
      if (error instanceof NotFoundError || error instanceof CorruptionError) return undefined;
      throw error;
    }
  }

  /** From the logs themselves, as they were: rare, and worth a reading of all of them. */
  async #pageAsOf(asked: Asked, query: CheckedQuery, asOfMs: number): Promise<MemoryPage> {
    const { store, schema } = this.#workshop;
    const index = new RecallIndex();
    const entries = new Map<string, MemoryEntry>();
    const isWide = query.scope === 'user' || query.scope === 'agent';
    const ids = isWide ? await store.listOfUser(asked.userId) : [asked.sessionId];
    for (const id of ids) {
      const fold = foldAsOf(id, await store.read(addressOf(id)), asOfMs, schema);
      if (fold.session?.user_id !== asked.userId) continue;
      for (const { entry, line } of fold.entries) {
        entries.set(`${id}/${entry.id}`, entry);
        index.add(entry, line.seq ?? line.offset, { log: 0, offset: line.offset, length: line.length });
      }
    }
    const request = this.#requestOf(asked, { ...query, nowMs: query.nowMs ?? asOfMs });
    const { hits, nextCursor } = refusing(() => search(index, request));
    const memories = hits.map((hit) =>
      toFound(entries.get(`${hit.sessionId}/${hit.id}`)!, hit, query.explain),
    );
    return nextCursor === undefined ? { memories } : { memories, nextCursor };
  }
}

/** The log as far as it went at a moment: records from later had not been written. */
function foldAsOf(
  sessionId: string,
  slice: LogSlice,
  asOfMs: number,
  schema: Workshop['schema'],
): SessionFold {
  const whole = foldSession(sessionId, slice, schema);
  const lines = whole.records
    .filter(({ record }) => Date.parse(record.timestamp) <= asOfMs)
    .map(({ line }) => line);
  return foldSession(sessionId, { ...slice, lines }, schema);
}

function scopeOf(
  asked: Asked,
  { scope = 'session' }: CheckedQuery,
): Pick<SearchRequest, 'sessions' | 'agents'> {
  switch (scope) {
    case 'session':
      return { sessions: [asked.sessionId] };
    case 'user':
      return {};
    case 'agent':
      if (asked.agents.length > 0) return { agents: asked.agents };
      throw new ValidationError(
        'INVALID_QUERY',
        `Session ${asked.sessionId} has no agent, so the scope agent is empty.`,
      );
  }
}

function rangeOf(
  { startMs, endMs, within }: CheckedQuery,
  nowMs: number,
): { startMs?: number; endMs?: number } {
  const range = withoutUndefined({ startMs, endMs });
  if (within === undefined) return range;
  const parsed = parseWithin(within, nowMs);
  if (!parsed.ok) throw new ValidationError('INVALID_QUERY', parsed.message);
  return {
    startMs: Math.max(parsed.range.startMs, startMs ?? Number.NEGATIVE_INFINITY),
    endMs: Math.min(parsed.range.endMs, endMs ?? Number.POSITIVE_INFINITY),
  };
}

function toFound(entry: MemoryEntry, hit: SearchHit, explain = false): FoundMemory {
  const found = { ...entry, relevance: hit.relevance };
  if (!explain) return found;
  const { importance, decay, recency, match, matchParts } = hit;
  const explanation: Explanation = {
    importance,
    decay,
    recency,
    match,
    ...(matchParts === undefined ? {} : { match_parts: { ...matchParts } }),
  };
  return { ...found, explanation };
}

function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof QueryError)
      throw new ValidationError('INVALID_QUERY', error.message, { cause: error });
    throw error;
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
