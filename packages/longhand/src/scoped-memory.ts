import type { Context, ContextRequest } from './context/assemble-context.ts';
import { NotFoundError, ValidationError } from './core/errors.ts';
import type { ArchivedMessage, Message } from './core/messages.ts';
import { type FoundMemory, isAboutText, type MemoryQuery, parseQuery } from './core/query.ts';
import type { NewMemory } from './core/records.ts';
import type { Principal, ScopeOptions } from './core/scopes.ts';
import type { SessionSettings } from './core/session-options.ts';
import { logNotFound, type NamePage } from './core/store.ts';
import { parseTimeZone } from './core/time-zone.ts';
import type {
  CapturedOutput,
  Detail,
  DetailPage,
  NewDetailValue,
  ToolOutput,
} from './layers/details/index.ts';
import type { Agent, Viewer } from './layers/journal/index.ts';
import {
  type ChangedSessions,
  changedSessions,
  type SessionsMark,
} from './layers/memories/changed-sessions.ts';
import type { Session } from './layers/memories/session.ts';
import { continues, idsContinuing } from './layers/memories/session-rollover.ts';
import { type CreateSessionOptions, refuseUnknownOptions } from './layers/memories/sessions.ts';
import type { UnreadableSession } from './layers/memories/unreadable-sessions.ts';
import type { IndexState } from './layers/search/index-verification.ts';
import type { MemoryPage } from './layers/search/memory-search.ts';
import { isSessionGone, type SessionOwner, type SessionRef } from './layers/session-ref.ts';
import type { Remembered } from './layers/users/remember.ts';
import type { Layers } from './layers.ts';
import type { ForgetRequest, ForgetWhat } from './privacy/forget-request.ts';
import type { Receipt } from './privacy/receipts.ts';
import type { RedactionRequest } from './privacy/redaction.ts';
import type { ErasureCheck } from './privacy/verify-erased.ts';
import {
  AGENT_METHODS,
  type Bound,
  type BoundTwice,
  bind,
  conversationIn,
  DETAIL_METHODS,
  JOURNAL_METHODS,
  NOTES_METHODS,
  type ScopedConversation,
} from './scoped-layers.ts';
import { SessionMemory } from './session-memory.ts';
import type { StoreLifecycle } from './store-lifecycle.ts';
import type { ToolScope } from './tools/index.ts';
import type { FoundMessages } from './tools/search-transcripts.ts';
import type { RememberedMemory, RememberOptions } from './tools/shown-memory.ts';

export type { ScopedConversation } from './scoped-layers.ts';
export type { RememberedMemory, RememberOptions };

/** How to recall, beside the text. */
export type RecallOptions = Omit<MemoryQuery, 'text' | 'scope'>;

/** How to search for sessions, beside the text. */
export type SessionSearch = Pick<MemoryQuery, 'limit' | 'now' | 'timeZone' | 'includeReplaced'>;

/** How to assemble a context, beside whose it is and what is said; in the user's session of the day without a session. */
export type ContextOptions = Partial<Omit<ContextRequest, 'user' | 'messages'>>;

/**
 * The memory as one principal sees it: it cannot reach what it does not name, and what belongs to another principal
 * does not exist for it. A server uses nothing else.
 *
 * - A *user* reaches their own sessions, their notes and what is about them.
 * - An *agent* reaches its own journal and core, and its notes on the user it works for.
 * - A principal that names no agent acts for the account and may manage all its agents.
 * - Of journal and core, a *member* sees and changes their own entries; an *admin* all of them.
 */
export class ScopedMemory extends SessionMemory {
  readonly #store: StoreLifecycle;
  readonly principal: Principal;
  /** Where the caller's days begin and end; `undefined` where the store's own setting holds. */
  readonly timeZone: string | undefined;
  readonly #options: ScopeOptions;
  readonly #viewer: Viewer;

  /** @throws ValidationError INVALID_OPTION */
  constructor(store: StoreLifecycle, principal: Principal, options: ScopeOptions = {}) {
    const { timeZone } = options;
    if (timeZone !== undefined) parseTimeZone(timeZone, 'timeZone', 'INVALID_OPTION');
    super(store, { owner: () => this.#owner(), timeZone });
    const { user_id: userId, role = userId === undefined ? 'admin' : 'member' } = principal;
    this.#store = store;
    this.principal = principal;
    this.timeZone = timeZone;
    this.#options = options;
    this.#viewer = { userId, isAdmin: role === 'admin' };
  }

  /** The same memory, asked from another time zone; from this one when left out. @throws ValidationError INVALID_OPTION */
  inTimeZone(timeZone: string | undefined): ScopedMemory {
    if (timeZone === undefined) return this;
    return new ScopedMemory(this.#store, this.principal, { ...this.#options, timeZone });
  }

  asAgent(agentId: string): ScopedMemory {
    return new ScopedMemory(this.#store, { agent_id: agentId, ...this.principal }, this.#options);
  }

  async remember(memory: RememberedMemory, options?: RememberOptions): Promise<Remembered> {
    const whole = (await import('./tools/shown-memory.ts')).memoryOfAnyType(memory, options);
    return (await this.#layers()).userMemories.remember(this.#owner(), whole, options);
  }

  /** The memories of this user that a text asks for, from all sessions, best first. @throws ValidationError INVALID_QUERY */
  async recall(text: string, options: RecallOptions = {}): Promise<readonly FoundMemory[]> {
    return (await this.search({ ...options, text: text ?? null })).memories;
  }

  /** As `assembleContext`; in the session of the day without a session. */
  async context(messages: ContextRequest['messages'], options: ContextOptions = {}): Promise<Context> {
    const session = options.session ?? (await this.sessionOfDay());
    return this.assembleContext({ ...options, session, messages });
  }

  /** The id of this user's session of the day, which is made when there is none. */
  async sessionOfDay(): Promise<string> {
    return (await this.#layers()).userMemories.sessionOfDay(this.#owner());
  }

  async createSession(options: Omit<CreateSessionOptions, 'account_id'> = {}): Promise<Session> {
    const { user_id, account_id } = this.#owner();
    return (await this.#store.use()).sessions.create(user_id, { ...options, account_id });
  }

  /** Sorted by id. With a page: the first `limit` that come after an id; fewer say that there are no more. */
  async listSessions(page?: NamePage): Promise<readonly Session[]> {
    const { sessions } = await this.#store.use();
    return sessions.list(this.#owner(), page);
  }

  /**
   * Takes in the sessions of this user that a person has put into the store by hand, and that are not listed yet: from now on
   * they are listed and found like all others. It looks into every log that no list of the user's names.
   * @returns their ids, sorted
   */
  async adoptSessions(onProgress?: (done: number, total: number) => void): Promise<readonly string[]> {
    const { folder } = (await this.#store.use()).context.store;
    return (await folder?.adoptSessions(this.#user(), onProgress)) ?? [];
  }

  /** The sessions of this user that cannot be read, or whose log is lost. @param only this one alone, which is cheaper */
  async unreadableSessions(only?: string): Promise<readonly UnreadableSession[]> {
    const { sessions, context } = await this.#store.use();
    const { unreadableSessions } = await import('./layers/memories/unreadable-sessions.ts');
    return unreadableSessions(context.store, sessions, this.#user(), only);
  }

  /**
   * The session to go on in when one of this user's cannot be read: the last that continues it, `chat--2` after `chat`,
   * made with these settings when there is none. @throws NotFoundError SESSION_NOT_FOUND when it is none of those
   */
  async continueUnreadable(sessionId: string, settings: SessionSettings = {}): Promise<Session> {
    const [unreadable] = await this.unreadableSessions(sessionId);
    if (unreadable === undefined) throw logNotFound({ kind: 'session', id: sessionId });
    const { userMemories } = await this.#layers();
    return this.loadSession(await userMemories.goOnAfter(this.#owner(), unreadable, settings));
  }

  /**
   * As `addMemories`, for a caller that cannot stop at a full session: it rolls over to the next one of this user,
   * `chat--2` after `chat`, and the memories note where they come from.
   * @returns the session that has taken them
   * @throws SizeLimitError SESSION_FULL when they are too large for an empty session
   */
  async keepMemories(sessionId: string, memories: readonly NewMemory[]): Promise<string> {
    const { userMemories } = await this.#layers();
    return userMemories.addAll(this.#owner(), sessionId, memories);
  }

  /** The sessions of this user that may hold what a session had no room for, by their names; it need not be there itself. */
  async continuationsOf(sessionId: string): Promise<readonly Session[]> {
    const { sessions } = await this.#store.use();
    const owner = this.#owner();
    const ids = await idsContinuing(sessions, owner.user_id, sessionId);
    return sessions.readable(
      ids.filter((id) => continues(sessionId, id)),
      owner,
    );
  }

  async searchSessions(
    text: string,
    options: SessionSearch = {},
  ): Promise<readonly { readonly session_id: string; readonly relevance: number }[]> {
    refuseUnknownOptions(options, ['limit', 'now', 'timeZone', 'includeReplaced']);
    const query = parseQuery({ text: text ?? null, ...this.inZone(options) });
    const { search } = await this.#store.use();
    const found = await (await search.load()).sessions(this.#user(), text, query);
    return found.map(({ sessionId, relevance }) => ({ session_id: sessionId, relevance }));
  }

  /** The messages of this user's sessions that a text asks for, as `searchTranscripts`: the newest sessions first. */
  async searchMessages(text: string, limit?: number): Promise<FoundMessages> {
    const sessions = (await this.listSessions()).toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const ids = sessions.map(({ id }) => id);
    const { searchTranscripts } = await import('./tools/search-transcripts.ts');
    const { context } = await this.#store.use();
    return searchTranscripts(context, (await this.#layers()).transcripts, ids, text, limit);
  }

  /** How far the stored search index of this user has come. */
  async searchIndex(): Promise<IndexState> {
    const { context } = await this.#store.use();
    return (await import('./layers/search/index-verification.ts')).indexState(context.store, this.#user());
  }

  /** Into a session of this user, which is made when there has never been one of this id. @throws NotFoundError SESSION_DELETED */
  async archiveMessages(
    sessionId: string,
    messages: readonly Message[],
    options: { readonly batchId?: string } = {},
  ): Promise<Awaited<ReturnType<Layers['transcripts']['archive']>>> {
    const { transcripts, gone } = await this.#layers();
    const check = () => transcripts.check(messages, options);
    const session = await gone.seeOrNew(sessionId, this.#owner(), check);
    return transcripts.archive(session, messages, options);
  }

  async messages(
    sessionId: string,
    options: Parameters<Layers['transcripts']['messages']>[1] = {},
  ): Promise<readonly ArchivedMessage[]> {
    const { transcripts, sessions } = await this.#layers();
    return sessions.on(sessionId, this.#owner(), (session) =>
      sessions.read(session, () => transcripts.messages(sessionId, options)),
    );
  }

  /**
   * The transcript, summary and window of a session of this user, and of no other. When the session is deleted, they are
   * gone with it: a later session of the same id has its own. @throws NotFoundError SESSION_NOT_FOUND
   */
  async conversation(sessionId: string): Promise<ScopedConversation> {
    const layers = await this.#layers();
    return conversationIn(layers, await layers.sessions.open(sessionId, this.#owner()));
  }

  /** All agents of the account, for a principal that names none. @throws NotFoundError AGENT_NOT_FOUND */
  async agents(): Promise<Pick<Layers['agents'], 'create' | 'list'>> {
    if (this.principal.agent_id !== undefined) throw agentNotFound(this.principal.agent_id);
    return (await this.#layers()).agents.as(this.#viewer);
  }

  async agent(agentId: string): Promise<Bound<Layers['agents'], (typeof AGENT_METHODS)[number]>> {
    this.#mayReach(agentId);
    const agents = (await this.#layers()).agents.as(this.#viewer);
    return {
      ...bind<Bound<Layers['agents'], (typeof AGENT_METHODS)[number]>>(agents, AGENT_METHODS, [agentId]),
      ensure: () => this.#ensureAgent(agents, agentId),
    };
  }

  async #ensureAgent(agents: Layers['agents'], agentId: string): Promise<Agent> {
    const { creatableAgents } = this.#options;
    if (creatableAgents?.includes(agentId) ?? true) return agents.ensure(agentId);
    const agent = await agents.find(agentId);
    if (agent !== undefined) return agent;
    throw agentNotFound(agentId, ' Only an admin can create it.');
  }

  /** The journal and core of an agent: what concerns this user, and for an admin all of it. */
  async journalOf(agentId: string): Promise<Bound<Layers['journal'], (typeof JOURNAL_METHODS)[number]>> {
    this.#mayReach(agentId);
    return bind((await this.#layers()).journal.as(this.#viewer), JOURNAL_METHODS, [agentId]);
  }

  async notesOf(agentId: string): Promise<BoundTwice<Layers['notes'], (typeof NOTES_METHODS)[number]>> {
    this.#mayReach(agentId);
    return bind((await this.#layers()).notes, NOTES_METHODS, [this.#user(), agentId]);
  }

  async details(): Promise<Bound<Layers['details'], (typeof DETAIL_METHODS)[number]>> {
    const { details } = await this.#layers();
    const user = this.#user();
    return {
      ...bind<Bound<Layers['details'], (typeof DETAIL_METHODS)[number]>>(details, DETAIL_METHODS, [user]),
      search: (text, options = {}) => details.search(user, text, this.inZone(options)),
    };
  }

  /** What waits for this user's review. */
  async reviewList(): Promise<Bound<Layers['reviewLists'], 'read' | 'change'>> {
    return bind((await this.#layers()).reviewLists, ['read', 'change'], [this.#user()]);
  }

  async changedSessions(since?: SessionsMark): Promise<ChangedSessions> {
    return changedSessions((await this.#store.use()).context.store, this.#user(), since);
  }

  async storeDetail(sessionId: string, value: NewDetailValue): Promise<Detail> {
    return (await this.#layers()).details.store(sessionId, value, this.#owner());
  }

  /** As `storeDetail`; where the session is full, in the next one of this user. */
  async keepDetail(
    sessionId: string,
    value: NewDetailValue & { readonly content: string | readonly Uint8Array[] },
  ): Promise<Detail> {
    return (await this.#layers()).details.keep(sessionId, value, this.#owner());
  }

  async search(query: Omit<MemoryQuery, 'scope'>, sessionId?: string): Promise<MemoryPage> {
    if (sessionId !== undefined) return this.pageMemories(sessionId, { ...query, scope: 'session' });
    const user = this.#user();
    return this.page(query, (search, checked) => search.pageOfUser(user, checked));
  }

  /** The same with the details that the text finds, in one measure; none where it asks for no words. */
  async searchWithDetails(
    query: Omit<MemoryQuery, 'scope'>,
    sessionId?: string,
  ): Promise<MemoryPage & Partial<Omit<DetailPage, 'strongest'>>> {
    if (!isAboutText(query)) return this.search(query, sessionId);
    const { text = '', limit, minMatch, timeZone } = this.inZone(query);
    const { details } = await this.#layers();
    const { inOneMeasure } = await import('./layers/details/index.ts');
    const [page, beside] = await Promise.all([
      this.search(query, sessionId),
      details.page(this.#user(), text, { limit, minMatch, timeZone, sessionId }),
    ]);
    return { ...page, ...inOneMeasure(page, beside) };
  }

  async captureToolOutput(sessionId: string, output: ToolOutput): Promise<CapturedOutput> {
    if (this.#options.readOnly === true) return { text: output.output };
    return (await this.#layers()).details.captureToolOutput(sessionId, output, this.#owner());
  }

  async assembleContext(request: Omit<ContextRequest, 'user'>): Promise<Context> {
    if (request.agent !== undefined) this.#mayReach(request.agent);
    const layers = await this.#layers();
    const asked = { ...this.inZone(request), user: this.#user() };
    return layers.assembleContext(asked, this.#owner(), this.#options.readOnly);
  }

  async toolScope(sessionId?: string): Promise<ToolScope> {
    if (sessionId !== undefined) await this.loadSession(sessionId);
    const { user_id: userId, agent_id: agentId } = this.principal;
    const { timeZone } = this;
    const layers = await this.#layers();
    const { config } = (await this.#store.use()).context;
    const all = layers.agents.as(this.#viewer);
    const agents = { ensure: (id: string) => this.#ensureAgent(all, id) };
    const { toolLayersOf } = await import('./tools/tool-layers.ts');
    const ofTools = toolLayersOf(layers, agents, this.#viewer, config.context.budget_tokens);
    return { userId, agentId, sessionId, timeZone, layers: ofTools };
  }

  async previewForgetting(asked: ForgetWhat | ForgetRequest): ReturnType<Layers['privacy']['preview']> {
    const request = this.inZone(await this.#forgetRequest(asked));
    const lost = await this.#mayForget(request);
    const { privacy, sessions } = await this.#layers();
    const preview = () => privacy.preview(request);
    if (request.session === undefined || lost !== undefined) return preview();
    return sessions.on(request.session, this.#owner(), (session) => sessions.read(session, preview));
  }

  /** Only what is this user's, or an agent that this principal may look after; of this user, what names no scope. */
  async forget(asked: ForgetWhat | ForgetRequest): Promise<Receipt> {
    const request = this.inZone(await this.#forgetRequest(asked));
    const lost = await this.#mayForget(request);
    const owner = request.session === undefined ? undefined : (lost ?? this.#owner());
    return (await this.#layers()).privacy.forget(request, owner);
  }

  /** Everything about this user, as lines of JSON. For a principal that names no agent. */
  async *exportUser(): AsyncGenerator<string, void> {
    this.#mayAnswerForUser();
    yield* (await this.#layers()).privacy.exportUser(this.#user());
  }

  async redact(request: RedactionRequest): Promise<number> {
    await this.#mayTouch(request);
    const owner = 'session' in request ? this.#owner() : undefined;
    return (await this.#layers()).privacy.redact(request, owner);
  }

  /** What was forgotten in the account, without its content, oldest first. For a principal that names no agent. */
  async receipts(): Promise<readonly Receipt[]> {
    this.#mayAnswerForAccount();
    return (await this.#layers()).privacy.receipts();
  }

  /** Looks for words in every byte of the store. For a principal that names no agent. */
  async verifyErased(words: readonly string[]): Promise<ErasureCheck> {
    this.#mayAnswerForAccount();
    return (await this.#layers()).privacy.verifyErased(words);
  }

  async #forgetRequest(asked: ForgetWhat | ForgetRequest): Promise<ForgetRequest> {
    const { user, session, agent } = (asked ?? {}) as ForgetRequest;
    const { forgetRequestOf } = await import('./privacy/forget-request.ts');
    const isScoped = (user ?? session ?? agent) !== undefined;
    const request = isScoped ? (asked as ForgetRequest) : forgetRequestOf(this.#user(), asked as ForgetWhat);
    const { agent_id: own } = this.principal;
    // An agent reaches its own notes and memories alone.
    return own && request.text && request.user ? { ...request, agent: own } : request;
  }

  /** An agent reaches its own notes on a user alone: all there is about the user is not for it. */
  #mayAnswerForUser(): void {
    const { agent_id } = this.principal;
    if (agent_id === undefined) return;
    throw new ValidationError(
      'SCOPE_MISSING',
      `This concerns what every agent knows of the user, and the principal is bound to the agent ${agent_id}.`,
    );
  }

  #mayAnswerForAccount(): void {
    if (this.principal.agent_id !== undefined) throw agentNotFound(this.principal.agent_id);
  }

  /** The session that is named, when it cannot be read any more and goes as a whole. */
  async #mayForget(request: ForgetRequest): Promise<SessionRef | undefined> {
    const { user, session, ids, text, topic, timeRange } = request;
    const isWhole = (ids ?? text ?? topic ?? timeRange) === undefined;
    if (isWhole && session !== undefined) {
      const { privacy } = await this.#layers();
      const lost = await privacy.lostSessionOf(this.#user(), session);
      if (lost !== undefined) return lost;
    }
    try {
      await this.#mayTouch(request);
    } catch (error) {
      // A retry gets the same answer, and leaves nothing of the session behind.
      if (isWhole && session !== undefined && isSessionGone(error))
        await (await this.#layers()).privacy.finishRemoval(session, this.#user());
      throw error;
    }
    // Memories belong to the user; notes, which go with all the rest, belong to the agent that wrote them.
    if (user !== undefined && (ids ?? text ?? topic) === undefined) this.#mayAnswerForUser();
    return undefined;
  }

  async #mayTouch(request: ForgetRequest & { readonly memory?: string }): Promise<void> {
    const { user, session, agent, ids = [], memory } = request;
    if (user !== undefined && user !== this.#user()) {
      throw new NotFoundError('MEMORY_NOT_FOUND', 'There is nothing of that user here.');
    }
    if (session !== undefined) await this.loadSession(session);
    if (agent === undefined) return;
    this.#mayReach(agent);
    const { journal } = await this.#layers();
    await journal.as(this.#viewer).refuseChange(agent, memory === undefined ? ids : [memory]);
  }

  #user(): string {
    const { user_id } = this.principal;
    if (user_id === undefined) {
      throw new ValidationError(
        'SCOPE_MISSING',
        'This needs a user, and the caller names none. Over HTTP the header longhand-user does, or a key made with --for-user.',
      );
    }
    return user_id;
  }

  #owner(): Required<SessionOwner> {
    return { user_id: this.#user(), account_id: this.principal.account_id };
  }

  #layers(): Promise<Layers> {
    return this.#store.layers();
  }

  #mayReach(agentId: string): void {
    const own = this.principal.agent_id;
    if (own !== undefined && own !== agentId) throw agentNotFound(agentId);
  }
}

function agentNotFound(agentId: string, hint = ''): NotFoundError {
  return new NotFoundError('AGENT_NOT_FOUND', `There is no agent ${agentId}.${hint}`, {
    details: { agent_id: agentId },
  });
}
