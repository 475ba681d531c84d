/// <reference lib="esnext.disposable" preserve="true" />
import type { Context, ContextRequest } from './context/assemble-context.ts';
import { systemClock } from './core/clock.ts';
import type { TimeRange } from './core/day-range.ts';
import { NotFoundError, ValidationError } from './core/errors.ts';
import { type Emit, EventHub, type EventListener, type SubscribeOptions } from './core/events.ts';
import { parseName } from './core/ids.ts';
import type { MemoryChanges } from './core/memory-changes.ts';
import { Metrics, type MetricsSnapshot } from './core/metrics.ts';
import { type CheckedQuery, type FoundMemory, type MemoryQuery, parseQuery } from './core/query.ts';
import type { MemoryEntry, MemoryType, NewMemory } from './core/records.ts';
import { LOCAL_ACCOUNT, type Principal, type ScopeOptions } from './core/scopes.ts';
import type { SessionSettings } from './core/session-options.ts';
import type { NamePage } from './core/store.ts';
import { parseTimeZone } from './core/time-zone.ts';
import { addMemories, embedSoon } from './layers/memories/add-memories.ts';
import {
  type ChangedSessions,
  changedSessions,
  type SessionsMark,
} from './layers/memories/changed-sessions.ts';
import type { FadingMemory, FadingOptions } from './layers/memories/fading.ts';
import type {
  CompactionOptions,
  CompactionReport,
  IndexReport,
  SessionStats,
} from './layers/memories/maintenance.ts';
import type { DeleteByTimeOptions, DeleteByTopicOptions, DeleteOptions } from './layers/memories/memories.ts';
import type { MigrationReport } from './layers/memories/migrate-sessions.ts';
import type { Remembered } from './layers/memories/remember.ts';
import type { Session } from './layers/memories/session.ts';
import { type ExportFormat, exportSession } from './layers/memories/session-export.ts';
import { type CreateSessionOptions, refuseUnknownOptions } from './layers/memories/sessions.ts';
import type { UnreadableSession } from './layers/memories/unreadable-sessions.ts';
import type { PruneOptions, PruneReport } from './layers/retention.ts';
import type { MemoryPage, MemorySearch } from './layers/search/memory-search.ts';
import type { VectorUpdate } from './layers/search/vectors/user-vectors.ts';
import type { SessionOwner } from './layers/session-ref.ts';
import type { VerifyReport } from './layers/verification.ts';
import type { Layers } from './layers.ts';
import { checkOptions, type MemoryManagerOptions } from './manager-options.ts';
import type { ForgetWhat } from './privacy/forget-request.ts';
import type { Receipt } from './privacy/receipts.ts';
import { type RememberedMemory, type RememberOptions, ScopedMemory } from './scoped-memory.ts';
import { StoreLifecycle } from './store-lifecycle.ts';

export type { ChangedSessions, SessionsMark } from './layers/memories/changed-sessions.ts';
export type { MigrationReport } from './layers/memories/migrate-sessions.ts';

/** How to recall, beside the text. */
export type RecallOptions = Omit<MemoryQuery, 'text' | 'scope'>;

/** How to search for sessions, beside the text. */
export type SessionSearch = Pick<MemoryQuery, 'limit' | 'now' | 'timeZone' | 'includeReplaced'>;

/** How to assemble a context, beside whose it is and what is said; in the user's session of the day without a session. */
export type ContextOptions = Partial<Omit<ContextRequest, 'user' | 'messages'>>;

/** For whoever acts for somebody: a session that is not the owner's, when one is named, is not there. */
interface OwnedBy {
  readonly owner?: SessionOwner;
}

/**
 * The memory of an agent, as one object. In process it is the trusted owner: it sees every session of its
 * store. It opens the store at the first call and holds it until `close`.
 */
export class MemoryManager implements AsyncDisposable {
  readonly #options: MemoryManagerOptions;
  readonly #events: EventHub;
  readonly #metrics = new Metrics();
  readonly #store: StoreLifecycle;

  /** @throws ValidationError INVALID_OPTION */
  constructor(options: MemoryManagerOptions = {}) {
    checkOptions(options);
    this.#options = options;
    this.#events = new EventHub(options.clock ?? systemClock);
    if (options.onEvent !== undefined) this.#events.subscribe(options.onEvent);
    this.#store = new StoreLifecycle(options, {
      emit: this.#countAndEmit,
      metrics: this.#metrics,
      rooms: () => this.layers(),
    });
  }

  /** Tells what happens inside. Returns the function that ends it. */
  subscribe(listener: EventListener, options?: SubscribeOptions): () => void {
    return this.#events.subscribe(listener, options);
  }

  /** Keeps a text or a memory in the user's session of the day, or confirms what the user has. @throws as `addMemory` */
  async remember(userId: string, memory: RememberedMemory, options?: RememberOptions): Promise<Remembered> {
    return this.as(this.#ownerOf(userId)).remember(memory, options);
  }

  /** The memories of a user that a text asks for, from all sessions, best first. @throws ValidationError INVALID_QUERY */
  async recall(userId: string, text: string, options: RecallOptions = {}): Promise<readonly FoundMemory[]> {
    return (await this.pageMemoriesOfUser(userId, { ...options, text: text ?? null })).memories;
  }

  /** What the model should see this turn: `assembleContext` for the user's session of the day. */
  async context(
    userId: string,
    messages: ContextRequest['messages'],
    options: ContextOptions = {},
  ): Promise<Context> {
    const { userMemories } = await this.layers();
    const session = options.session ?? (await userMemories.sessionOfDay(this.#ownerOf(userId)));
    return this.assembleContext({ ...options, session, user: userId, messages });
  }

  /** Takes what is named of a user out of every file, for good. @throws ValidationError INVALID_OPTION */
  async forget(userId: string, what: ForgetWhat): Promise<Receipt>;
  /** With `dryRun`: what would go, in numbers and in words. */
  async forget(
    userId: string,
    what: ForgetWhat,
    options: { readonly dryRun: true },
  ): ReturnType<Layers['privacy']['preview']>;
  async forget(userId: string, what: ForgetWhat, options: { readonly dryRun?: boolean } = {}) {
    refuseUnknownOptions(options, ['dryRun']);
    const { forgetRequestOf } = await import('./privacy/forget-request.ts');
    const { privacy } = await this.layers();
    const request = forgetRequestOf(userId, what);
    return options.dryRun === true ? privacy.preview(request) : privacy.forget(request);
  }

  #ownerOf(userId: string): Required<SessionOwner> {
    return { user_id: userId, account_id: this.#options.account ?? LOCAL_ACCOUNT };
  }

  /** @throws ValidationError SESSION_EXISTS, INVALID_NAME, INVALID_OPTION */
  async createSession(userId: string, options: CreateSessionOptions = {}): Promise<Session> {
    const { sessions } = await this.#store.use();
    const { account } = this.#options;
    return sessions.create(userId, account === undefined ? options : { account_id: account, ...options });
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  async loadSession(sessionId: string): Promise<Session> {
    const { sessions } = await this.#store.use();
    return sessions.load(sessionId);
  }

  /** Changes what is named and leaves the rest; `null` takes a setting back to its default. @throws SizeLimitError */
  async updateSession(
    sessionId: string,
    changes: SessionSettings,
    { owner }: OwnedBy = {},
  ): Promise<Session> {
    const { sessions, maintenance } = await this.#store.useForWriting(sessionId);
    return maintenance.pressure.withRoom(sessionId, owner, (session, maxBytes) =>
      sessions.update(session, changes, maxBytes),
    );
  }

  /** Sorted by id. Without a user: all of the store. With a page: the first `limit` that come after an id. */
  async listSessions(userId?: string, page?: NamePage): Promise<readonly Session[]> {
    const { sessions } = await this.#store.use();
    return page === undefined ? sessions.list(userId) : sessions.page(userId, page);
  }

  /**
   * The sessions of a user that are in no list, search or export, because they cannot be read or their log is lost.
   * @param only this one alone, which is cheaper
   */
  async unreadableSessions(userId: string, only?: string): Promise<readonly UnreadableSession[]> {
    const { sessions, context } = await this.#store.use();
    const { unreadableSessions } = await import('./layers/memories/unreadable-sessions.ts');
    return unreadableSessions(context.store, sessions, parseName(userId, 'user id'), only);
  }

  /** Writes the readable projections and lets go of what is held in memory for the session. */
  async closeSession(sessionId: string, { owner }: OwnedBy = {}): Promise<void> {
    const opened = await this.#store.use();
    const { sessions, maintenance } = opened;
    const close = async () => {
      await this.#store.expire(opened, sessionId);
      await maintenance.rebuildIndex(sessionId);
    };
    await sessions.on(sessionId, owner, (session) => sessions.read(session, close));
    sessions.forget(sessionId);
    this.#events.emit({ kind: 'session-closed', session_id: sessionId });
  }

  /**
   * Removes the session with everything that it holds, with what it had no room for and the sessions that continue it
   * hold, and with what agents noted from it in journal and core: a later session of this id inherits nothing. False
   * when there was none.
   */
  async deleteSession(sessionId: string, { owner }: OwnedBy = {}): Promise<boolean> {
    return (await this.layers()).removal.removeOf(sessionId, owner);
  }

  /** The id of the memory, once it is stored. @throws ValidationError, SizeLimitError, IOError */
  async addMemory(sessionId: string, memory: NewMemory, { owner }: OwnedBy = {}): Promise<string> {
    // What is open already costs no await.
    const opened = this.#store.ready ?? (await this.#store.use());
    return (await addMemories(opened, sessionId, [memory], owner))[0]!;
  }

  /** Adds many with one write. They are checked first: one that is wrong keeps all of them out. */
  async addMemories(
    sessionId: string,
    memories: readonly NewMemory[],
    { owner }: OwnedBy = {},
  ): Promise<readonly string[]> {
    if (!Array.isArray(memories)) {
      throw new ValidationError('INVALID_ENTRY', 'addMemories takes a list of memories.');
    }
    return addMemories(this.#store.ready ?? (await this.#store.use()), sessionId, memories, owner);
  }

  /**
   * `null` when there is none. A session that is not the `owner`'s, when one is named, is not there.
   * @throws CorruptionError CORRUPT_ENTRY when there is, but damaged
   */
  async getMemory(sessionId: string, memoryId: string, { owner }: OwnedBy = {}): Promise<MemoryEntry | null> {
    const { memories } = await this.#store.use();
    return memories.get(sessionId, memoryId, owner);
  }

  /**
   * The memories that a query asks for, best first, each with its `relevance`, and with its parts when the
   * query says `explain`. @throws ValidationError INVALID_QUERY
   */
  async queryMemories(
    sessionId: string,
    query: MemoryQuery = {},
    { owner }: OwnedBy = {},
  ): Promise<readonly FoundMemory[]> {
    const withoutCursor = { withCursor: false, owner };
    const page = await this.#page(query, (search, checked) => search.page(sessionId, checked, withoutCursor));
    return page.memories;
  }

  /** The same, page by page: `nextCursor` is there as long as there may be more. */
  pageMemories(sessionId: string, query: MemoryQuery = {}, { owner }: OwnedBy = {}): Promise<MemoryPage> {
    return this.#page(query, (search, checked) => search.page(sessionId, checked, { owner }));
  }

  /** The same from all sessions of a user; nothing when the user has none. */
  pageMemoriesOfUser(userId: string, query: Omit<MemoryQuery, 'scope'> = {}): Promise<MemoryPage> {
    return this.#page(query, (search, checked) => search.pageOfUser(parseName(userId, 'user id'), checked));
  }

  async #page(
    query: MemoryQuery,
    page: (search: MemorySearch, checked: CheckedQuery) => Promise<MemoryPage>,
  ): Promise<MemoryPage> {
    const checked = parseQuery(query);
    // What is open and loaded already costs no await.
    const { search, context } = this.#store.ready ?? (await this.#store.use());
    const startedAt = context.clock.monotonic();
    const found = await page(search.loaded ?? (await search.load()), checked);
    this.#metrics.observe('memory.operations.query.duration_ms', context.clock.monotonic() - startedAt);
    return found;
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
    { owner }: OwnedBy = {},
  ): Promise<readonly FoundMemory[]> {
    const { search } = await this.#store.use();
    return (await search.load()).similar(sessionId, memoryId, query, owner);
  }

  /**
   * Makes the vectors of all memories of a user that have none yet, and waits for them: what otherwise happens in the
   * background. @throws IOError EMBEDDER_FAILED, ValidationError INVALID_OPTION without an embedder
   */
  async embedMemories(
    userId: string,
    { onProgress }: { readonly onProgress?: (embedded: number) => void } = {},
  ): Promise<VectorUpdate> {
    const { search, context } = await this.#store.use();
    if (context.embedding === undefined) {
      throw new ValidationError('INVALID_OPTION', 'There is no embedder, or `semantic` is false.');
    }
    return (await search.load()).embed(parseName(userId, 'user id'), onProgress);
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

  /** Where did we talk about …? The user's sessions, best first. */
  async searchSessions(
    userId: string,
    text: string,
    options: SessionSearch = {},
  ): Promise<readonly { readonly session_id: string; readonly relevance: number }[]> {
    refuseUnknownOptions(options, ['limit', 'now', 'timeZone', 'includeReplaced']);
    const user = parseName(userId, 'user id');
    const query = parseQuery({ text: text ?? null, ...options });
    const { search } = await this.#store.use();
    const found = await (await search.load()).sessions(user, text, query);
    return found.map(({ sessionId, relevance }) => ({ session_id: sessionId, relevance }));
  }

  /** Changes how important a memory is. @throws NotFoundError MEMORY_NOT_FOUND */
  async setImportance(
    sessionId: string,
    memoryId: string,
    importance: number,
    { owner }: OwnedBy = {},
  ): Promise<void> {
    const { memories, maintenance } = await this.#store.useForWriting(sessionId);
    return maintenance.pressure.withRoom(sessionId, owner, (session, maxBytes) =>
      memories.corrections.setImportance(session, memoryId, importance, maxBytes),
    );
  }

  /**
   * Puts a memory right: what the changes name is from now on as they say, all else stays, its id and where it comes
   * from included. The memory as it is now. The text before stays in the log until it is compacted; what must be gone
   * at once is redacted or forgotten.
   * @throws ValidationError, NotFoundError MEMORY_NOT_FOUND, CorruptionError CORRUPT_ENTRY
   */
  async updateMemory(
    sessionId: string,
    memoryId: string,
    changes: MemoryChanges,
    { owner }: OwnedBy = {},
  ): Promise<MemoryEntry> {
    const opened = await this.#store.useForWriting(sessionId);
    const { memories, maintenance, context } = opened;
    return maintenance.pressure.withRoom(sessionId, owner, async (session, maxBytes) => {
      const updated = await memories.corrections.update(session, memoryId, changes, maxBytes);
      this.#events.emit({ kind: 'memory-updated', session_id: sessionId, id: updated.id });
      if (context.embedding !== undefined) void embedSoon(opened, session.session.user_id);
      return updated;
    });
  }

  /**
   * What a time in words (`last week`) or a range with days in it means now: the moments that it begins and ends with,
   * ISO 8601, both of which belong to it. For whoever deletes by a time range, and wants to show it first.
   * @throws ValidationError INVALID_QUERY for words; INVALID_TIMESTAMP, INVALID_OPTION for a range
   */
  async timeRangeOf(
    time: string | TimeRange,
    options: Pick<MemoryQuery, 'now' | 'timeZone'> = {},
  ): Promise<{ readonly start: string; readonly end: string }> {
    const { timeRangeOf } = await import('./layers/search/time-in-words.ts');
    return timeRangeOf((await this.#store.use()).context, time, options);
  }

  /**
   * Which memories will fall below a relevance, and when, those first that fade first. Meant for showing people
   * what is about to be forgotten, before it is. @throws ValidationError INVALID_OPTION
   */
  async previewFading(
    sessionId: string,
    options: FadingOptions = {},
    { owner }: OwnedBy = {},
  ): Promise<readonly FadingMemory[]> {
    // With all that understands times in words: few programs ask, and none when it starts.
    const { previewFading } = await import('./layers/memories/fading.ts');
    return previewFading(await this.#store.use(), sessionId, options, owner);
  }

  /** False when there was no such memory. */
  async deleteMemory(
    sessionId: string,
    memoryId: string,
    options: DeleteOptions = {},
    { owner }: OwnedBy = {},
  ): Promise<boolean> {
    refuseUnknownOptions(options, ['reason', 'dryRun']);
    const { memories, sessions } = await this.#store.useForWriting(sessionId);
    return sessions.on(sessionId, owner, (session) => memories.delete(session, memoryId, options));
  }

  /** Deletes what carries the tag or one under it. How many. */
  async deleteMemoriesByTopic(
    sessionId: string,
    topic: string,
    options: DeleteByTopicOptions = {},
    { owner }: OwnedBy = {},
  ): Promise<number> {
    refuseUnknownOptions(options, ['reason', 'dryRun', 'exact']);
    const { memories, sessions } = await this.#store.useForWriting(sessionId);
    return sessions.on(sessionId, owner, (session) => memories.deleteByTopic(session, topic, options));
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
    { owner }: OwnedBy = {},
  ): Promise<number> {
    refuseUnknownOptions(options, ['reason', 'dryRun', 'timeZone']);
    const { timeZone, ...rest } = options;
    if (timeZone !== undefined) parseTimeZone(timeZone, 'timeZone', 'INVALID_OPTION');
    const { config } = (await this.#store.use()).context;
    const { momentsOf } = await import('./layers/whole-days.ts');
    const { startMs, endMs } = momentsOf({ start, end }, timeZone ?? config.time_zone, '');
    const { memories, sessions } = await this.#store.useForWriting(sessionId);
    return sessions.on(sessionId, owner, (session) =>
      memories.deleteByTimeRange(session, startMs, endMs, rest),
    );
  }

  /**
   * `json` says in `damaged_lines` how many damaged lines it had to leave out; for both formats an event does.
   */
  async exportSession(
    sessionId: string,
    format: ExportFormat = 'json',
    { owner }: OwnedBy = {},
  ): Promise<string> {
    return exportSession(await this.#store.use(), sessionId, format, owner);
  }

  /** Takes deleted memories out of the log, and faded ones when asked. Reports what went. */
  async compactSession(
    sessionId: string,
    options: CompactionOptions = {},
    { owner }: OwnedBy = {},
  ): Promise<CompactionReport> {
    refuseUnknownOptions(options, ['dryRun', 'dropFaded', 'onlyIfNeeded']);
    const { maintenance } = await this.#store.use();
    return maintenance.compact(sessionId, options, owner);
  }

  /** Checks the whole session and writes its projections anew. The next search takes it into its index anew. */
  async rebuildIndex(sessionId: string, { owner }: OwnedBy = {}): Promise<IndexReport> {
    const { maintenance, sessions, search } = await this.#store.use();
    const rebuild = async () => {
      const report = await maintenance.rebuildIndex(sessionId);
      // Whoever asks for this has a reason to doubt what is remembered of the log: somebody may have changed it in place.
      sessions.forget(sessionId);
      await (await search.load()).doubt(await sessions.ownerOf(sessionId), sessionId);
      return report;
    };
    return sessions.on(sessionId, owner, (session) => sessions.read(session, rebuild));
  }

  async getSessionStats(sessionId: string, { owner }: OwnedBy = {}): Promise<SessionStats> {
    const { maintenance, memories, sessions } = await this.#store.use();
    const read = async () => ({
      ...(await maintenance.stats(sessionId)),
      pending_writes: memories.pendingWrites(sessionId),
    });
    return sessions.on(sessionId, owner, (session) => sessions.read(session, read));
  }

  /**
   * Lifts every session to the current schema. One that cannot be lifted (damaged, of a later schema, locked for
   * too long) keeps no other from its turn, stays as it is, and is named in the report.
   */
  async migrateSessions(onProgress?: (done: number, total: number) => void): Promise<MigrationReport> {
    const { context, maintenance } = await this.#store.use();
    const { migrateSessions } = await import('./layers/memories/migrate-sessions.ts');
    return migrateSessions(context.store, maintenance, onProgress);
  }

  /**
   * Removes the messages and details of every session that have been kept for as long as the configuration says. What
   * readers see does not change: they have not seen them since their time was over.
   */
  async prune(options: PruneOptions = {}): Promise<PruneReport> {
    return (await this.layers()).retention.prune(options);
  }

  /**
   * Checks every line of every log, every large value and every search index of the store. Changes nothing; damage
   * is in the report.
   */
  async verify(onProgress?: (done: number, total: number) => void): Promise<VerifyReport> {
    return (await this.layers()).verify(onProgress);
  }

  /** Agents, journal, notes, details, transcripts, summaries, windows, privacy and contexts, over the same store. */
  async layers(): Promise<Layers> {
    const opened = await this.#store.use();
    opened.rooms ??= import('./layers.ts').then(({ Layers }) => new Layers(opened, this.#options));
    return opened.rooms;
  }

  /**
   * Takes in the sessions of a user that somebody has put into the store by hand, and that are not listed yet: from now on
   * they are listed and found like all others. It looks into every log that no list of the user's names.
   * @returns their ids, sorted
   */
  async adoptSessions(
    userId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<readonly string[]> {
    const { folder } = (await this.#store.use()).context.store;
    return (await folder?.adoptSessions(parseName(userId, 'user id'), onProgress)) ?? [];
  }

  /**
   * The sessions of a user that any process has written to since a mark; none without a mark. Costs two looks when
   * there is nothing new, whatever the number of sessions.
   */
  async changedSessions(userId: string, since?: SessionsMark): Promise<ChangedSessions> {
    const { context } = await this.#store.use();
    return changedSessions(context.store, parseName(userId, 'user id'), since);
  }

  /** What the model should see this turn, from all layers, under a hard budget, with the reasons. */
  async assembleContext(request: ContextRequest): Promise<Context> {
    return (await this.layers()).assembleContext(request);
  }

  /**
   * The memory as a principal sees it: what it does not name, it cannot reach.
   * @throws NotFoundError SESSION_NOT_FOUND for a principal of another account, ValidationError INVALID_OPTION
   */
  as(principal: Principal, options: ScopeOptions = {}): ScopedMemory {
    refuseUnknownOptions(options, ['timeZone', 'creatableAgents', 'readOnly']);
    if (principal.account_id !== (this.#options.account ?? LOCAL_ACCOUNT)) {
      throw new NotFoundError('SESSION_NOT_FOUND', 'There is nothing of that account in this store.');
    }
    return new ScopedMemory(this, principal, options);
  }

  /** Counters and timings of this process, and the size of the whole store. */
  async metrics(): Promise<MetricsSnapshot> {
    await (await this.#store.use()).sessions.measure();
    return this.#metrics.snapshot();
  }

  /**
   * Writes what was given to the store, finishes compactions, and lets go of it. A second call waits for the first. Calls
   * after it are refused with STORE_CLOSED, and so are those before it that have not come to their write yet: await them.
   */
  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #countAndEmit: Emit = (event) => {
    if (event.kind === 'lock-waited' || event.kind === 'lock-timeout') {
      this.#metrics.count('memory.locks.contention.count');
    }
    this.#events.emit(event);
  };
}
