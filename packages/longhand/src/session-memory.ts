import type { TimeRange } from './core/day-range.ts';
import { ValidationError } from './core/errors.ts';
import type { MemoryChanges } from './core/memory-changes.ts';
import { type CheckedQuery, type FoundMemory, type MemoryQuery, parseQuery } from './core/query.ts';
import type { MemoryEntry, MemoryType, NewMemory } from './core/records.ts';
import type { SessionSettings } from './core/session-options.ts';
import { parseTimeZone } from './core/time-zone.ts';
import type { FadingMemory, FadingOptions } from './layers/memories/fading.ts';
import type {
  CompactionOptions,
  CompactionReport,
  IndexReport,
  SessionStats,
} from './layers/memories/maintenance.ts';
import type { DeleteByTimeOptions, DeleteByTopicOptions, DeleteOptions } from './layers/memories/memories.ts';
import type { Session } from './layers/memories/session.ts';
import { type ExportFormat, exportSession } from './layers/memories/session-export.ts';
import { type OpenSession, refuseUnknownOptions } from './layers/memories/sessions.ts';
import type { MemoryPage, MemorySearch } from './layers/search/memory-search.ts';
import type { SessionOwner } from './layers/session-ref.ts';
import { addMemories, updateMemory } from './layers/users/add-memories.ts';
import type { Opened } from './open-manager.ts';
import type { StoreLifecycle } from './store-lifecycle.ts';

/** Whose sessions are reached, and where the days of the caller begin and end. */
interface MemoryScope {
  /** `undefined` for the owner of the store, who reaches all sessions. @throws ValidationError SCOPE_MISSING */
  readonly owner: () => SessionOwner | undefined;
  /** `undefined` where the store's own setting holds. */
  readonly timeZone: string | undefined;
}

/**
 * What can be done with one session and its memories: the same for the owner of the store (`MemoryManager`) and for one
 * principal (`ScopedMemory`), to whom a session of another user is not there.
 */
export abstract class SessionMemory {
  readonly #store: StoreLifecycle;
  readonly #scope: MemoryScope;

  constructor(store: StoreLifecycle, scope: MemoryScope) {
    this.#store = store;
    this.#scope = scope;
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  async loadSession(sessionId: string): Promise<Session> {
    const { sessions } = await this.#store.use();
    return sessions.load(sessionId, this.#scope.owner());
  }

  /** Changes what is named and leaves the rest; `null` takes a setting back to its default. @throws SizeLimitError */
  updateSession(sessionId: string, changes: SessionSettings): Promise<Session> {
    return this.#write(sessionId, ({ sessions }, session, maxBytes) =>
      sessions.update(session, changes, maxBytes),
    );
  }

  /** Writes the readable projections and releases what is held in memory for the session. */
  async closeSession(sessionId: string): Promise<void> {
    await this.#read(sessionId, async (opened) => {
      await this.#store.expire(opened, sessionId);
      await opened.maintenance.rebuildIndex(sessionId);
    });
    const { sessions, context } = await this.#store.use();
    sessions.forget(sessionId);
    context.emit({ kind: 'session-closed', session_id: sessionId });
  }

  /**
   * Removes the session with everything that it holds, with what it had no room for and the sessions that continue it
   * hold, and with what agents noted from it in journal and core: a later session of this id inherits nothing. False
   * when there was none.
   */
  async deleteSession(sessionId: string): Promise<boolean> {
    return (await this.#store.layers()).removal.removeOf(sessionId, this.#scope.owner());
  }

  /** The id of the memory, once it is stored. @throws ValidationError, SizeLimitError, IOError */
  async addMemory(sessionId: string, memory: NewMemory): Promise<string> {
    // What is open already costs no await.
    const opened = this.#store.ready ?? (await this.#store.use());
    return (await addMemories(opened, sessionId, [memory], this.#scope.owner()))[0]!;
  }

  /** Adds many with one write. They are checked first: one that is wrong keeps all of them out. */
  async addMemories(sessionId: string, memories: readonly NewMemory[]): Promise<readonly string[]> {
    if (!Array.isArray(memories)) {
      throw new ValidationError('INVALID_ENTRY', 'addMemories takes a list of memories.');
    }
    return addMemories(await this.#store.use(), sessionId, memories, this.#scope.owner());
  }

  /** `null` when there is none. @throws CorruptionError CORRUPT_ENTRY when there is, but damaged */
  async getMemory(sessionId: string, memoryId: string): Promise<MemoryEntry | null> {
    const { memories } = await this.#store.use();
    return memories.get(sessionId, memoryId, this.#scope.owner());
  }

  /**
   * The memories that a query asks for, best first, each with its `relevance`, and with its parts when the
   * query says `explain`. @throws ValidationError INVALID_QUERY
   */
  async queryMemories(sessionId: string, query: MemoryQuery = {}): Promise<readonly FoundMemory[]> {
    const owner = this.#scope.owner();
    const found = await this.page(query, (search, checked) =>
      search.page(sessionId, checked, { withCursor: false, owner }),
    );
    return found.memories;
  }

  /** The same, page by page: `nextCursor` is there as long as there may be more. */
  async pageMemories(sessionId: string, query: MemoryQuery = {}): Promise<MemoryPage> {
    const owner = this.#scope.owner();
    return this.page(query, (search, checked) => search.page(sessionId, checked, { owner }));
  }

  /** Everything tagged with the topic or a level under it, most relevant first. */
  searchByTopic(sessionId: string, topic: string): Promise<readonly FoundMemory[]> {
    return this.queryMemories(sessionId, { tags: { include: [topic] } });
  }

  searchByType(sessionId: string, type: MemoryType): Promise<readonly FoundMemory[]> {
    return this.queryMemories(sessionId, { types: [type] });
  }

  /** Everything dated from `start` to `end`, both included, most relevant first. */
  searchByTimeRange(
    sessionId: string,
    start: Date | string,
    end: Date | string,
  ): Promise<readonly FoundMemory[]> {
    return this.queryMemories(sessionId, { timeRange: { start, end } });
  }

  /**
   * The memories that are most like one, best first, without itself: by what they mean when there is an embedder, and
   * by their words. `limit` is 10 when left out, `sortBy` is `match`; the scope and all that narrows are as in queries.
   * @throws NotFoundError MEMORY_NOT_FOUND, ValidationError INVALID_QUERY
   */
  async similarMemories(
    sessionId: string,
    memoryId: string,
    query: Omit<MemoryQuery, 'text' | 'cursor'> = {},
  ): Promise<readonly FoundMemory[]> {
    const owner = this.#scope.owner();
    const { search } = await this.#store.use();
    return (await search.load()).similar(sessionId, memoryId, this.inZone(query), owner);
  }

  /** Changes how important a memory is. @throws NotFoundError MEMORY_NOT_FOUND */
  setImportance(sessionId: string, memoryId: string, importance: number): Promise<void> {
    return this.#write(sessionId, ({ memories }, session, maxBytes) =>
      memories.updates.setImportance(session, memoryId, importance, maxBytes),
    );
  }

  /**
   * Puts a memory right: what the changes name is from now on as they say, all else stays, its id and where it comes
   * from included. The memory as it is now. The text before stays in the log until it is compacted; what must be gone
   * at once is redacted or forgotten.
   * @throws ValidationError, NotFoundError MEMORY_NOT_FOUND, CorruptionError CORRUPT_ENTRY
   */
  async updateMemory(sessionId: string, memoryId: string, changes: MemoryChanges): Promise<MemoryEntry> {
    const owner = this.#scope.owner();
    return updateMemory(await this.#store.use(), sessionId, memoryId, changes, owner);
  }

  /** False when there was no such memory. */
  async deleteMemory(sessionId: string, memoryId: string, options: DeleteOptions = {}): Promise<boolean> {
    refuseUnknownOptions(options, ['reason', 'dryRun']);
    return this.#write(sessionId, ({ memories }, session) => memories.delete(session, memoryId, options));
  }

  /** Deletes what carries the tag or one under it. How many. */
  async deleteMemoriesByTopic(
    sessionId: string,
    topic: string,
    options: DeleteByTopicOptions = {},
  ): Promise<number> {
    refuseUnknownOptions(options, ['reason', 'dryRun', 'exact']);
    return this.#write(sessionId, ({ memories }, session) => memories.deleteByTopic(session, topic, options));
  }

  /**
   * Deletes what is dated from `start` to `end`, both included; days without a time are whole, as in a query. How many.
   * `timeRangeOf` tells which moments are meant. @throws ValidationError INVALID_TIMESTAMP, INVALID_OPTION
   */
  async deleteMemoriesByTimeRange(
    sessionId: string,
    start: Date | string,
    end: Date | string,
    options: DeleteByTimeOptions = {},
  ): Promise<number> {
    refuseUnknownOptions(options, ['reason', 'dryRun', 'timeZone']);
    const { timeZone, ...rest } = this.inZone(options);
    if (timeZone !== undefined) parseTimeZone(timeZone, 'timeZone', 'INVALID_OPTION');
    const { config } = (await this.#store.use()).context;
    const { momentsOf } = await import('./layers/whole-days.ts');
    const { startMs, endMs } = momentsOf({ start, end }, timeZone ?? config.time_zone, '');
    return this.#write(sessionId, ({ memories }, session) =>
      memories.deleteByTimeRange(session, startMs, endMs, rest),
    );
  }

  /**
   * What a time in words (`last week`) or a range with days in it means now: the moments that it begins and ends with,
   * ISO 8601, both of which belong to it. For callers that delete by a time range, and want to show it first.
   * @throws ValidationError INVALID_QUERY for words; INVALID_TIMESTAMP, INVALID_OPTION for a range
   */
  async timeRangeOf(
    time: string | TimeRange,
    options: Pick<MemoryQuery, 'now' | 'timeZone'> = {},
  ): Promise<{ readonly start: string; readonly end: string }> {
    const { timeRangeOf } = await import('./layers/search/time-in-words.ts');
    return timeRangeOf((await this.#store.use()).context, time, this.inZone(options));
  }

  /**
   * Which memories will fall below a relevance, and when, those first that fade first. Meant for showing people
   * what is about to be forgotten, before it is. @throws ValidationError INVALID_OPTION
   */
  async previewFading(sessionId: string, options: FadingOptions = {}): Promise<readonly FadingMemory[]> {
    // With all that understands times in words: few programs ask, and none when it starts.
    const { previewFading } = await import('./layers/memories/fading.ts');
    return this.#read(sessionId, (opened) => previewFading(opened, sessionId, this.inZone(options)));
  }

  /** `json` says in `damaged_lines` how many damaged lines it had to leave out; for both formats an event does. */
  exportSession(sessionId: string, format: ExportFormat = 'json'): Promise<string> {
    return this.#read(sessionId, (opened) => exportSession(opened, sessionId, format));
  }

  /** Takes deleted memories out of the log, and faded ones when asked. Reports what went. */
  async compactSession(sessionId: string, options: CompactionOptions = {}): Promise<CompactionReport> {
    refuseUnknownOptions(options, ['dryRun', 'dropFaded', 'onlyIfNeeded']);
    const { maintenance } = await this.#store.use();
    return maintenance.compact(sessionId, options, this.#scope.owner());
  }

  /** Checks the whole session and writes its projections again. The next search reads it again into its index. */
  rebuildIndex(sessionId: string): Promise<IndexReport> {
    return this.#read(sessionId, async ({ maintenance, sessions, search }) => {
      const report = await maintenance.rebuildIndex(sessionId);
      // The caller has a reason to doubt what is remembered of the log: a person may have changed it in place.
      sessions.forget(sessionId);
      await (await search.load()).doubt(await sessions.ownerOf(sessionId), sessionId);
      return report;
    });
  }

  getSessionStats(sessionId: string): Promise<SessionStats> {
    return this.#read(sessionId, async ({ maintenance, memories }) => ({
      ...(await maintenance.stats(sessionId)),
      pending_writes: memories.pendingWrites(sessionId),
    }));
  }

  /** What names a zone of its own keeps it. What is no object is left to the code that checks it. */
  protected inZone<Asked extends { readonly timeZone?: string | undefined }>(asked: Asked): Asked {
    const { timeZone } = this.#scope;
    if (timeZone === undefined || asked?.timeZone !== undefined) return asked;
    return typeof asked === 'object' && asked !== null ? { ...asked, timeZone } : asked;
  }

  protected async page(
    query: MemoryQuery,
    page: (search: MemorySearch, checked: CheckedQuery) => Promise<MemoryPage>,
  ): Promise<MemoryPage> {
    const checked = parseQuery(this.inZone(query));
    // What is open and loaded already costs no await.
    const { search, context } = this.#store.ready ?? (await this.#store.use());
    const startedAt = context.clock.monotonic();
    const found = await page(search.loaded ?? (await search.load()), checked);
    const tookMs = context.clock.monotonic() - startedAt;
    context.metrics.observe('memory.operations.query.duration_ms', tookMs);
    return found;
  }

  /** A session of an earlier schema is lifted first, and room is made where that helps. */
  async #write<Result>(
    sessionId: string,
    work: (opened: Opened, session: OpenSession, maxBytes: number) => Promise<Result>,
  ): Promise<Result> {
    const owner = this.#scope.owner();
    const opened = await this.#store.useForWriting(sessionId);
    return opened.maintenance.pressure.withRoom(sessionId, owner, (session, maxBytes) =>
      work(opened, session, maxBytes),
    );
  }

  async #read<Result>(sessionId: string, work: (opened: Opened) => Promise<Result>): Promise<Result> {
    const owner = this.#scope.owner();
    const opened = await this.#store.use();
    const { sessions } = opened;
    return sessions.on(sessionId, owner, (session) => sessions.read(session, () => work(opened)));
  }
}
