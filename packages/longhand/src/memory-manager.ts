/// <reference lib="esnext.disposable" preserve="true" />
import type { Context, ContextRequest } from './context/assemble-context.ts';
import { systemClock } from './core/clock.ts';
import { NotFoundError, ValidationError } from './core/errors.ts';
import { type Emit, EventHub, type EventListener, type SubscribeOptions } from './core/events.ts';
import { parseName } from './core/ids.ts';
import { Metrics, type MetricsSnapshot } from './core/metrics.ts';
import type { FoundMemory, MemoryQuery } from './core/query.ts';
import { LOCAL_ACCOUNT, type Principal, type ScopeOptions } from './core/scopes.ts';
import type { NamePage } from './core/store.ts';
import type { ChangedSessions, SessionsMark } from './layers/memories/changed-sessions.ts';
import type { MigrationReport } from './layers/memories/maintenance.ts';
import type { Session } from './layers/memories/session.ts';
import { type CreateSessionOptions, refuseUnknownOptions } from './layers/memories/sessions.ts';
import type { PruneOptions, PruneReport } from './layers/retention.ts';
import type { MemoryPage } from './layers/search/memory-search.ts';
import type { VectorUpdate } from './layers/search/vectors/user-vectors.ts';
import type { SessionOwner } from './layers/session-ref.ts';
import type { Remembered } from './layers/users/remember.ts';
import type { VerifyReport } from './layers/verification.ts';
import type { Layers } from './layers.ts';
import { checkOptions, type MemoryManagerOptions } from './manager-options.ts';
import type { ForgetWhat } from './privacy/forget-request.ts';
import type { Receipt } from './privacy/receipts.ts';
import {
  type ContextOptions,
  type RecallOptions,
  type RememberedMemory,
  type RememberOptions,
  ScopedMemory,
  type SessionSearch,
} from './scoped-memory.ts';
import { SessionMemory } from './session-memory.ts';
import { StoreLifecycle } from './store-lifecycle.ts';

/**
 * The memory of an agent, as one object. In process it is the trusted owner: it sees every session of its
 * store. It opens the store at the first call and holds it until `close`.
 */
export class MemoryManager extends SessionMemory implements AsyncDisposable {
  readonly #options: MemoryManagerOptions;
  readonly #events: EventHub;
  readonly #metrics: Metrics;
  readonly #store: StoreLifecycle;

  /** @throws ValidationError INVALID_OPTION */
  constructor(options: MemoryManagerOptions = {}) {
    checkOptions(options);
    const events = new EventHub(options.clock ?? systemClock);
    const metrics = new Metrics();
    const emit: Emit = (event) => {
      if (event.kind === 'lock-waited' || event.kind === 'lock-timeout') {
        metrics.count('memory.locks.contention.count');
      }
      events.emit(event);
    };
    const store = new StoreLifecycle(options, { emit, metrics });
    super(store, { owner: () => undefined, timeZone: undefined });
    if (options.onEvent !== undefined) events.subscribe(options.onEvent);
    this.#options = options;
    this.#events = events;
    this.#metrics = metrics;
    this.#store = store;
  }

  /** Tells what happens inside. Returns the function that ends it. */
  subscribe(listener: EventListener, options?: SubscribeOptions): () => void {
    return this.#events.subscribe(listener, options);
  }

  /** Keeps a text or a memory in the user's session of the day, or confirms what the user has. @throws as `addMemory` */
  async remember(userId: string, memory: RememberedMemory, options?: RememberOptions): Promise<Remembered> {
    return this.#of(userId).remember(memory, options);
  }

  /** The memories of a user that a text asks for, from all sessions, best first. @throws ValidationError INVALID_QUERY */
  async recall(userId: string, text: string, options: RecallOptions = {}): Promise<readonly FoundMemory[]> {
    return this.#of(userId).recall(text, options);
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

  #of(userId: string): ScopedMemory {
    return new ScopedMemory(this.#store, this.#ownerOf(parseName(userId, 'user id')));
  }

  /** @throws ValidationError SESSION_EXISTS, INVALID_NAME, INVALID_OPTION */
  async createSession(userId: string, options: CreateSessionOptions = {}): Promise<Session> {
    const { sessions } = await this.#store.use();
    const { account } = this.#options;
    return sessions.create(userId, account === undefined ? options : { account_id: account, ...options });
  }

  /** Sorted by id. Without a user: all of the store. With a page: the first `limit` that come after an id. */
  async listSessions(userId?: string, page?: NamePage): Promise<readonly Session[]> {
    const { sessions } = await this.#store.use();
    return sessions.list(userId === undefined ? undefined : { user_id: userId }, page);
  }

  /** As `pageMemories`, from all sessions of a user; nothing when the user has none. */
  async pageMemoriesOfUser(userId: string, query: Omit<MemoryQuery, 'scope'> = {}): Promise<MemoryPage> {
    return this.#of(userId).search(query);
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

  /** Where did we talk about …? The user's sessions, best first. */
  async searchSessions(
    userId: string,
    text: string,
    options: SessionSearch = {},
  ): Promise<readonly { readonly session_id: string; readonly relevance: number }[]> {
    return this.#of(userId).searchSessions(text, options);
  }

  /**
   * Lifts every session to the current schema. One that cannot be lifted (damaged, of a later schema, locked for
   * too long) keeps no other from its turn, stays as it is, and is named in the report.
   */
  async migrateSessions(onProgress?: (done: number, total: number) => void): Promise<MigrationReport> {
    return (await this.#store.use()).maintenance.migrateAll(onProgress);
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
  layers(): Promise<Layers> {
    return this.#store.layers();
  }

  /**
   * The sessions of a user that any process has written to since a mark; none without a mark. Costs two looks when
   * there is nothing new, whatever the number of sessions.
   */
  async changedSessions(userId: string, since?: SessionsMark): Promise<ChangedSessions> {
    return this.#of(userId).changedSessions(since);
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
    return new ScopedMemory(this.#store, principal, options);
  }

  /** Counters and timings of this process, and the size of the whole store. */
  async metrics(): Promise<MetricsSnapshot> {
    await (await this.#store.use()).sessions.measure();
    return this.#metrics.snapshot();
  }

  /**
   * Writes what was given to the store, finishes compactions, and releases it. A second call waits for the first. Calls
   * after it are refused with STORE_CLOSED, and so are those before it that have not come to their write yet: await them.
   */
  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
