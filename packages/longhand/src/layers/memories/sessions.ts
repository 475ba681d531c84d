import {
  CorruptionError,
  type ErrorCode,
  LonghandError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { parseName, parseSessionId } from '../../core/ids.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import { isCurrent, readAfter, readLog } from '../../core/read-log.ts';
import type { SessionRecord } from '../../core/records.ts';
import { LOCAL_ACCOUNT } from '../../core/scopes.ts';
import { parseSessionSettings, type SessionSettings } from '../../core/session-options.ts';
import {
  type LogPosition,
  type LogSlice,
  type LogStore,
  logNotFound,
  type NamePage,
  type SessionAddress,
  UNCHANGED,
} from '../../core/store.ts';
import { formatTimestamp, parseTimestamp } from '../../core/timestamps.ts';
import { type DecayPolicy, resolveDecayPolicy } from '../../recall/ranking/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import {
  type AnySession,
  isSessionGone,
  opening,
  refOf,
  requireMeant,
  type SessionOwner,
  type SessionRef,
} from '../session-ref.ts';
import type { Session } from './session.ts';
import { foldSession, type SessionFold } from './session-fold.ts';
import { SessionView } from './session-view.ts';
import { type DamagedLine, sessionsWithoutLog, TroubleReports } from './trouble-reports.ts';

/** Sessions whose places are kept in memory; beyond it, the one used longest ago is read again when needed. */
const VIEWS_IN_MEMORY = 64;

const ORIGINS_IN_MEMORY = 10_000;
/** The first record as it mostly is, and with room for generous settings. */
const FIRST_RECORD_BYTES = [4_096, 65_536];
const SESSIONS_IN_USE = 1_024;
const NAMES_OF_A_PAGE = 256;
/** Why one session cannot be read, which is no reason to refuse a list of all. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'SCHEMA_TOO_NEW',
  'UNSAFE_PATH',
  'ACCESS_DENIED',
  'INVALID_ID',
]);

export interface CreateSessionOptions extends SessionSettings {
  /** 1 to 64 letters, digits, underscores or hyphens; made up when left out. */
  readonly session_id?: string;
  /** `local` when left out. */
  readonly account_id?: string;
  /** When it began, of one that comes from elsewhere: a date or ISO 8601. Now when left out, and for a time to come. */
  readonly created_at?: Date | string;
}

/** A session as it was seen at one moment: what its records said, and the incarnation that its log was in. */
export interface OpenSession extends SessionRef {
  /** @throws CorruptionError CORRUPT_SESSION when its records do not tell whose it is */
  readonly session: Session;
}

/** Of a new session, beside its settings. */
const OPTIONS_AT_CREATION = ['session_id', 'account_id', 'created_at'] as const;

/** The life of sessions, and the views that follow their logs. */
export class Sessions {
  readonly #context: LayerContext;
  readonly #views: LeastRecentlyUsed<SessionView>;
  readonly #origins = new LeastRecentlyUsed<OpenSession>(ORIGINS_IN_MEMORY);
  readonly #inUse = new LeastRecentlyUsed<true>(SESSIONS_IN_USE);
  readonly #trouble: TroubleReports;
  #counted: ReadonlyMap<string, CountedSession> = new Map();
  /** A session is replaced, never changed, when its settings are: so each object has one policy. */
  readonly #policies = new WeakMap<Session, DecayPolicy>();

  constructor(context: LayerContext) {
    this.#context = context;
    this.#trouble = new TroubleReports(context);
    this.#views = new LeastRecentlyUsed(context.config.performance.index_in_memory ? VIEWS_IN_MEMORY : 0);
  }

  /** Sessions that this process works with: created, loaded or written to, and neither closed nor deleted. */
  get active(): readonly string[] {
    return [...this.#inUse.keys()];
  }

  async create(userId: string, options: CreateSessionOptions): Promise<Session> {
    const { store, clock, makeId, emit } = this.#context;
    const { session_id, account_id, created_at, ...settings } = options;
    const nowMs = clock.now();
    const begun = created_at === undefined ? nowMs : parseTimestamp(created_at, 'created_at');
    const id = session_id === undefined ? makeId('sess_', nowMs) : parseSessionId(session_id);
    const record: SessionRecord = {
      ...opening('session', id, nowMs),
      user_id: parseName(userId, 'user id'),
      account_id: account_id === undefined ? LOCAL_ACCOUNT : parseName(account_id, 'account id'),
      ...(begun < nowMs ? { created_at: formatTimestamp(begun) } : {}),
      ...parseSessionSettings(settings, OPTIONS_AT_CREATION),
    };
    await store.append(addressOf(id, userId), [JSON.stringify(record)], { create: 'new' });
    // One that another process removed may still be remembered here under this id.
    this.forget(id);
    emit({ kind: 'session-created', session_id: id, user_id: userId });
    return openedBy(await this.view(id), { user_id: userId, account_id: record.account_id! }).session;
  }

  /** Counts what the store holds, for the metrics. A log that has not changed since it was counted is not read again. */
  async measure(): Promise<void> {
    const { store, metrics } = this.#context;
    const counted = new Map<string, CountedSession>();
    for (const id of await store.list('session')) {
      let count = this.#counted.get(id);
      if (count === undefined || !(await isCurrent(store, addressOf(id), count.position))) {
        const view = await this.glanceIfReadable(id);
        count = view?.position && { position: view.position, entries: [...view.liveIds].length };
      }
      if (count !== undefined) counted.set(id, count);
    }
    this.#counted = counted;
    metrics.set('memory.sessions.active', this.active.length);
    metrics.set(
      'memory.entries.total',
      [...counted.values()].reduce((sum, { entries }) => sum + entries, 0),
    );
    metrics.set('memory.size.bytes', (await store.size()).total);
  }

  async load(sessionId: string, owner?: SessionOwner): Promise<Session> {
    const isInUse = this.#inUse.get(sessionId);
    const { session } = await this.open(sessionId, owner);
    if (!isInUse) this.#context.emit({ kind: 'session-loaded', session_id: sessionId });
    return session;
  }

  /**
   * @param maxBytes refuses what would take the session over it
   * @throws SizeLimitError, NotFoundError SESSION_NOT_FOUND
   */
  async update(ref: SessionRef, changes: SessionSettings, maxBytes: number): Promise<Session> {
    const { store, clock, emit } = this.#context;
    const { sessionId } = ref;
    const settings = parseSessionSettings(changes);
    const { user_id, account_id, created_at } = (await this.current(ref)).session;
    const record: SessionRecord = {
      ...opening('session', sessionId, clock.now()),
      user_id,
      account_id,
      created_at,
      ...settings,
    };
    await store.append(addressOf(ref, user_id), [JSON.stringify(record)], { maxBytes });
    emit({ kind: 'session-updated', session_id: sessionId });
    return (await this.current(ref)).session;
  }

  /**
   * Of one owner, or all of the store, sorted by id. Sessions that go while this looks are left out, and so are those that
   * cannot be read, because their first record is damaged, their log is lost, a later version wrote them, or something
   * else was put in their place: an event reports them, and asking for one by its id says what is wrong.
   * @param page costs what it holds, whatever the number of sessions, and reports no lost logs
   */
  async list(owner?: SessionOwner, page?: NamePage): Promise<readonly Session[]> {
    const { store } = this.#context;
    const userId = owner && parseName(owner.user_id, 'user id');
    if (page === undefined) {
      const sessions = await this.readable(await store.list('session', userId), owner);
      for (const id of await sessionsWithoutLog(store, userId)) this.tellUnreadable(id, 'SESSION_NOT_FOUND');
      return sessions;
    }
    const { limit } = page;
    const found: Session[] = [];
    for (let { after } = page; ; ) {
      const ids = await store.list('session', userId, { after, limit });
      found.push(...(await this.readable(ids, owner)));
      after = ids.at(-1);
      if (found.length >= limit || ids.length < limit) return found.slice(0, limit);
    }
  }

  /** Those of them that can be read and are the owner's. */
  async readable(ids: readonly string[], owner: SessionOwner | undefined): Promise<Session[]> {
    const sessions: Session[] = [];
    for (const id of ids) {
      const session = await this.sessionIfReadable(id);
      if (session !== undefined && isOwnedBy({ session }, owner)) sessions.push(session);
    }
    return sessions;
  }

  /** Those that the user's change file names, whatever their owner is now; only those with the prefix, when one is given. */
  async idsOfUser(userId: string, prefix = ''): Promise<readonly string[]> {
    const { store } = this.#context;
    if (prefix === '') return store.list('session', userId);
    const found: string[] = [];
    for (let after = prefix; ; after = found.at(-1)!) {
      const page = await store.list('session', userId, { after, limit: NAMES_OF_A_PAGE });
      found.push(...page.filter((id) => id.startsWith(prefix)));
      if (page.length < NAMES_OF_A_PAGE || !page.at(-1)!.startsWith(prefix)) return found;
    }
  }

  async ownerIfReadable(id: string): Promise<string | undefined> {
    return (await this.sessionIfReadable(id))?.user_id;
  }

  /** As of now; `undefined` when there is none, or its owner cannot be determined. */
  async sessionIfReadable(id: string): Promise<Session | undefined> {
    try {
      return (await this.glanceIfReadable(id))?.session;
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      this.tellUnreadable(id, error.code);
      return undefined;
    }
  }

  /** Tells once that a session is left out. */
  tellUnreadable(id: string, code: ErrorCode): void {
    this.#trouble.unreadable(id, code);
  }

  /** A glance in passing at one of many: `undefined` when it is gone, or cannot be read, which an event reports. */
  async glanceIfReadable(id: string): Promise<SessionView | undefined> {
    try {
      return await this.glance(parseSessionId(id));
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      if (!isUnreadable(error)) throw error;
      this.tellUnreadable(id, error.code);
      return undefined;
    }
  }

  /**
   * @param session another incarnation than the one that is meant is left alone
   * @param meant.userId whose readers are notified when the session itself does not name its owner
   * @param meant.isUserGoing whether they are notified later, with the last session of the user
   * @returns whether there was one to remove
   */
  async remove(ref: AnySession, meant: RemovedSession = {}): Promise<boolean> {
    const { store, emit } = this.#context;
    const { sessionId } = refOf(ref);
    parseSessionId(sessionId);
    const session = await this.sessionIfReadable(sessionId);
    const userId = session?.user_id ?? meant.userId;
    const isRemoved = await store.remove(addressOf(ref, meant.isUserGoing ? undefined : userId));
    this.forget(sessionId);
    if (isRemoved) emit({ kind: 'session-deleted', session_id: sessionId, user_id: session?.user_id });
    return isRemoved;
  }

  /** The view when this process has it already, for the path of every write. */
  known(sessionId: string): SessionView | undefined {
    return this.#views.get(sessionId);
  }

  /** The view as this process knows it: enough for a caller that only appends. @throws NotFoundError */
  async view(sessionId: string): Promise<SessionView> {
    const known = this.#views.get(parseSessionId(sessionId));
    if (known !== undefined) return known;
    const view = await this.glance(sessionId);
    this.#views.set(sessionId, view);
    this.#inUse.set(sessionId, true);
    return view;
  }

  /**
   * A session as it is now, of an owner when one is named.
   * @throws NotFoundError SESSION_NOT_FOUND also when it is not the owner's
   */
  async open(sessionId: string, owner?: SessionOwner): Promise<OpenSession> {
    return openedBy(await this.current(sessionId), owner);
  }

  /**
   * Does work on a session of an owner, of any owner when none is named. It starts with what this process knows of the
   * session. When the store refuses that, because the session was created again since, the work is retried with the new
   * incarnation, if that is the owner's too.
   * @throws NotFoundError SESSION_NOT_FOUND also when the session is not the owner's
   */
  async on<Result>(
    sessionId: string,
    owner: SessionOwner | undefined,
    work: (session: OpenSession) => Promise<Result>,
  ): Promise<Result> {
    const known = this.#views.get(sessionId) ?? (await this.view(sessionId));
    let opened = isOwnedBy(known, owner) ? openedBy(known, owner) : await this.open(sessionId, owner);
    for (;;) {
      try {
        return await work(opened);
      } catch (error) {
        if (!isSessionGone(error)) throw error;
        this.forget(sessionId);
        const next = await this.open(sessionId, owner);
        if (next.incarnation === opened.incarnation) throw error;
        opened = next;
      }
    }
  }

  /**
   * Reads of a session by its id, perhaps in many looks. What was read is given out only if it is all of this incarnation:
   * none comes back, so one that is the same before and after was the same all the time.
   * @throws NotFoundError SESSION_NOT_FOUND when that incarnation is over, before or after
   */
  async read<Result>(session: SessionRef, work: () => Promise<Result>): Promise<Result> {
    await this.current(session);
    const [outcome] = await Promise.allSettled([work()]);
    await this.current(session);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** The view of a session that is only looked at in passing: it evicts no other from the cache. */
  async glance(sessionId: string): Promise<SessionView> {
    const view = this.#views.get(sessionId) ?? new SessionView(sessionId, this.#context.schema);
    await this.#catchUp(sessionId, view);
    if (!view.hasSession) await this.#recoverOwner(sessionId, view);
    return view;
  }

  async #recoverOwner(sessionId: string, view: SessionView): Promise<void> {
    const metadata = await this.#context.store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    const owner = parseOwner(sessionId, metadata);
    if (owner !== undefined) view.adoptOwner(owner);
  }

  /** As `originOf` gives it, if it was asked before: most queries need not wait for it. */
  knownOriginOf(sessionId: string, owner?: SessionOwner): OpenSession | undefined {
    const known = this.#views.get(parseSessionId(sessionId)) ?? this.#origins.get(sessionId);
    return known !== undefined && isOwnedBy(known, owner) ? known : undefined;
  }

  /** Whose session it is. @throws NotFoundError */
  async ownerOf(sessionId: string): Promise<string> {
    return (await this.originOf(sessionId)).session.user_id;
  }

  /**
   * The session as the beginning of its log tells. Owner and incarnation are there and stay the same; settings may have
   * changed since. For callers that need no more: the rest of the log may be megabytes, for each session searched.
   * @throws NotFoundError SESSION_NOT_FOUND also when it is not the owner's
   */
  async originOf(sessionId: string, owner?: SessionOwner): Promise<OpenSession> {
    const known = this.knownOriginOf(sessionId, owner);
    if (known !== undefined) return known;
    const origin = openedBy((await this.#startOf(sessionId)) ?? (await this.current(sessionId)), owner);
    this.#origins.set(sessionId, origin);
    return origin;
  }

  /** As little of a session as says whose it is; `undefined` when its first record is longer than any. */
  async #startOf(sessionId: string): Promise<SessionView | undefined> {
    const { store, schema } = this.#context;
    for (const maxBytes of FIRST_RECORD_BYTES) {
      const start = new SessionView(sessionId, schema);
      start.apply(await readLog(store, addressOf(sessionId), { check: 'light', maxBytes }));
      if (start.hasSession) return start;
    }
    return undefined;
  }

  /** The view with everything that any process has written until now. @throws NotFoundError SESSION_NOT_FOUND */
  async current(session: AnySession): Promise<SessionView> {
    const { sessionId } = refOf(session);
    const view = await this.view(sessionId);
    await this.#catchUp(sessionId, view);
    if (!view.hasSession) await this.#recoverOwner(sessionId, view);
    requireMeant(session, view.incarnation);
    return view;
  }

  /** Reads and checks a whole log. What is damaged in it is reported. @throws NotFoundError SESSION_NOT_FOUND */
  async readFold(sessionId: string): Promise<SessionFold> {
    const { store, schema } = this.#context;
    const slice = await readLog(store, addressOf(sessionId));
    const fold = foldSession(sessionId, slice, schema);
    this.reportDamage(sessionId, slice.position.generation, fold.damage);
    return fold;
  }

  /** Takes in a slice that a transaction was given. */
  applySlice(sessionId: string, view: SessionView, slice: LogSlice): void {
    view.apply(slice);
    this.reportDamage(sessionId, slice.position.generation, [...slice.damage, ...view.takeUnreadable()]);
  }

  /** What this process remembers of a session. */
  forget(sessionId: string): void {
    this.#views.delete(sessionId);
    this.#origins.delete(sessionId);
    this.#inUse.delete(sessionId);
  }

  policyOf(session: Session): DecayPolicy {
    let policy = this.#policies.get(session);
    if (policy === undefined) {
      policy = resolveDecayPolicy(this.#context.config.decay, session.decay_config);
      this.#policies.set(session, policy);
    }
    return policy;
  }

  async #catchUp(sessionId: string, view: SessionView): Promise<void> {
    const { store } = this.#context;
    const { position } = view;
    const slice = await readAfter(store, addressOf(sessionId), position, { check: 'light' });
    if (slice === UNCHANGED) return;
    // Another caller may have caught up in the meantime; then this slice is old news.
    if (view.position !== position) return this.#catchUp(sessionId, view);
    this.applySlice(sessionId, view, slice);
  }

  reportDamage(sessionId: string, generation: string, damage: readonly DamagedLine[]): void {
    this.#trouble.damage(sessionId, generation, damage);
  }
}

/** How many memories a log held, read up to a position. */
type CountedSession = { readonly position: LogPosition; readonly entries: number };

/** Gets the sessions that are removed. */
interface RemovedSession {
  readonly userId?: string | undefined;
  readonly isUserGoing?: boolean;
}

/** Whether one session cannot be read for a reason that concerns it alone. */
export function isUnreadable(error: unknown): error is LonghandError {
  return LonghandError.isInstance(error) && UNREADABLE.has(error.code);
}

/** Also when it is damaged: then it keeps nothing else from being read or erased. */
export function cannotBeRead(error: unknown): error is LonghandError {
  return error instanceof CorruptionError || isUnreadable(error);
}

/** @param userId whose readers are notified of a write */
export function addressOf(session: AnySession, userId?: string): SessionAddress {
  const { sessionId, incarnation } = refOf(session);
  return { kind: 'session', id: sessionId, userId, incarnation };
}

/** The users whose lists name a session: of one that does not tell whose it is, those whose it may be. */
export async function usersNaming(store: LogStore, sessionId: string): Promise<readonly string[]> {
  const users: string[] = [];
  for (const user of await store.list('user'))
    if ((await store.list('session', user)).includes(sessionId)) users.push(user);
  return users;
}

/** True for every owner when none is named: then the owner may even be lost. */
function isOwnedBy(opened: Pick<OpenSession, 'session'>, owner: SessionOwner | undefined): boolean {
  if (owner === undefined) return true;
  const { user_id, account_id } = opened.session;
  return user_id === owner.user_id && account_id === (owner.account_id ?? account_id);
}

/** A view goes on to the next incarnation when another caller looks: this stays. @throws NotFoundError SESSION_NOT_FOUND */
function openedBy(view: SessionView, owner: SessionOwner | undefined): OpenSession {
  const { sessionId, incarnation } = view;
  if (!isOwnedBy(view, owner)) throw logNotFound(addressOf(sessionId));
  if (view.hasSession) return { sessionId, incarnation, session: view.session };
  return {
    sessionId,
    incarnation,
    get session() {
      return view.session;
    },
  };
}

/** @throws ValidationError INVALID_OPTION */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  const other = Object.keys(options).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new ValidationError(
    'INVALID_OPTION',
    `There is no option ${JSON.stringify(other)}; there are: ${known.join(', ')}.`,
  );
}
