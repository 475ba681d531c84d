import { setTimeout as delay } from 'node:timers/promises';
import type { EventKind, LonghandEvent, ScopedMemory, SessionsMark } from 'longhand';
import { agentIdsOf } from '../operations/access.ts';
import type { Services } from '../services.ts';
import { PushStream } from './sse.ts';

/**
 * `/api/events` notifies a client of what others change, so that it can look again. An event says that something
 * changed and where, never what it says.
 *
 * Changes that this process makes are reported at once. Changes that other processes make to the user's sessions are
 * noticed within about a second, by one look at the user's change file, or at once when they announce them, and
 * reported as `session-changed`. Changes to notes, by other processes or by people with an editor, are noticed by
 * watching the notes of the account's agents, later agents included.
 *
 * `ready` is the first event, and all others came after it: a client that looks when it gets `ready` sees every earlier
 * change.
 *
 * The id of an event is a position in the user's history of changes. A client that reconnects with `Last-Event-ID` gets
 * the sessions that have changed since then; notes and agents have no such history, and `may_have_missed` asks the
 * client to read them again. Without a readable position, or with very many changes, it asks to read everything again.
 */
const ANNOUNCED: ReadonlySet<EventKind> = new Set<EventKind>([
  'session-created',
  'session-updated',
  'session-deleted',
  'session-closed',
  'memories-added',
  'memory-updated',
  'memories-deleted',
  'agent-created',
  'agent-updated',
  'agent-deleted',
  'agent-memories-changed',
  'notes-changed',
  'detail-stored',
  'details-removed',
  'transcript-archived',
  'transcript-pruned',
  'summary-updated',
]);
const LOOK_INTERVAL_MS = 1_000;
/** While other servers announce what they change, few looks are for what was not announced. */
const TICKS_PER_LOOK = 5;
/** A change to a session that this process reported within this time is not reported again as another's. */
const OWN_CHANGE_MS = 3_000;
/** A change of our own may be seen in the file before it is reported: the feed waits this long for the report. */
const SETTLE_MS = 250;
/** How many looks apart the agents are listed, for those that other processes have made. */
const LOOKS_PER_LISTING = 5;
/** Each costs two looks at a file a second. */
const WATCHED_AGENTS = 256;
const SESSIONS_IN_MEMORY = 10_000;
/** A client that has missed more does better to read its lists again. */
const MOST_MISSED = 500;

interface ChangeEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export class ChangeFeed {
  readonly #services: Services;
  readonly #memory: ScopedMemory;
  readonly #stream = new PushStream<ChangeEvent>();
  /** When a session of an id was last made or removed in this process, in the count of events. */
  readonly #changedHandsAt = new Map<string, number>();
  #seen = 0;
  readonly #toldAtMs = new Map<string, number>();
  readonly #endings: (() => void)[] = [];
  readonly #watchedAgents = new Set<string>();
  /** The notes that are being read for the first time, with the version that comes of it. */
  readonly #beingRead = new Map<string, Promise<number>>();
  #mark: SessionsMark | undefined;
  readonly #ready = Promise.withResolvers<void>();
  #telling: Promise<void> = this.#ready.promise;
  #isEnded = false;

  constructor(services: Services, memory: ScopedMemory) {
    this.#services = services;
    this.#memory = memory;
  }

  /**
   * @param lastEventId the last event that the caller has seen, when it has listened before
   * @throws ValidationError SCOPE_MISSING when the caller names no user
   */
  async start(lastEventId?: string): Promise<AsyncIterable<ChangeEvent>> {
    const { mark } = await this.#memory.changedSessions();
    this.#mark = mark;
    const missed = await this.#missedSince(lastEventId);
    this.#endings.push(this.#services.manager.subscribe((event) => this.#onEvent(event)));
    for (const id of await agentIdsOf(this.#memory)) await this.#watchNotes(id);
    const news = this.#services.redis?.news;
    let [isLooking, isToLook] = [false, false];
    let looks = 0;
    const look = async (): Promise<void> => {
      isToLook = isLooking;
      if (isLooking) return;
      isLooking = true;
      try {
        const changes = await this.#memory.changedSessions(this.#mark);
        this.#mark = changes.mark;
        if (++looks % LOOKS_PER_LISTING === 0) await this.#watchNewAgents();
        if (changes.sessionIds.length > 0) await delay(SETTLE_MS, undefined, { ref: false });
        for (const id of changes.sessionIds)
          if (!this.#wasTold(id)) this.#tell('session-changed', { session_id: id });
      } catch {
        // The store reports its own failures; the next look may see more.
      } finally {
        isLooking = false;
        if (isToLook) void look();
      }
    };
    let ticks = 0;
    const timer = setInterval(() => {
      if (!news?.areHeard || ++ticks % TICKS_PER_LOOK === 0) void look();
    }, LOOK_INTERVAL_MS).unref();
    const isOwn = (user: string | undefined) => user === this.#memory.principal.user_id;
    const deafen = news?.listen(({ user }) => void (isOwn(user) && look()));
    this.#endings.push(
      () => clearInterval(timer),
      () => deafen?.(),
    );
    const resumed = missed === undefined ? {} : { resumed: true };
    this.#tell('ready', lastEventId === undefined ? {} : { may_have_missed: true, ...resumed });
    for (const id of missed ?? []) this.#tell('session-changed', { session_id: id });
    this.#ready.resolve();
    return this.#stream;
  }

  end(): void {
    this.#isEnded = true;
    for (const end of this.#endings.splice(0)) end();
    this.#stream.end();
  }

  /** The sessions with news since an event; `undefined` when that cannot be told, or they are too many. */
  async #missedSince(lastEventId: string | undefined): Promise<readonly string[] | undefined> {
    const since = lastEventId === undefined ? undefined : markIn(lastEventId);
    if (since === undefined) return undefined;
    const { sessionIds } = await this.#memory.changedSessions(since);
    return sessionIds.length > MOST_MISSED ? undefined : sessionIds;
  }

  /** The version of the notes as it was before; `undefined` when they are watched already, or cannot be. */
  async #watchNotes(agentId: string): Promise<number | undefined> {
    if (this.#watchedAgents.has(agentId) || this.#watchedAgents.size >= WATCHED_AGENTS) return undefined;
    this.#watchedAgents.add(agentId);
    const notes = await this.#memory.notesOf(agentId);
    const reading = notes.read().then(
      ({ version }) => version,
      // For example, a person has saved notes that cannot be read. The watch reports when they can be read again.
      () => 0,
    );
    this.#beingRead.set(agentId, reading);
    const version = await reading;
    this.#beingRead.delete(agentId);
    // The feed may have ended in the meantime, and this watch would then never end.
    if (this.#isEnded) return undefined;
    // The change itself comes as an event like all others.
    this.#endings.push(notes.watch(() => undefined));
    return version;
  }

  /** Notes that are there when their agent is first seen were written before this feed watched them. */
  async #watchNewAgents(): Promise<void> {
    const { user_id } = this.#memory.principal;
    for (const agent_id of await agentIdsOf(this.#memory)) {
      const version = (await this.#watchNotes(agent_id)) ?? 0;
      if (version > 0) this.#tell('notes-changed', { user_id, agent_id, version });
    }
  }

  /** In order, although some need a look at whose they are. */
  #onEvent(event: LonghandEvent): void {
    if (!ANNOUNCED.has(event.kind)) return;
    const at = ++this.#seen;
    if (event.kind === 'session-created' || event.kind === 'session-deleted')
      this.#noteHands(event.session_id, at);
    // Changes that others made to notes before the feed began are noticed by the first read, and are not reported.
    const reading = event.kind === 'notes-changed' ? this.#beingRead.get(event.agent_id) : undefined;
    this.#telling = this.#telling.then(async () => {
      if (this.#isEnded || !(await this.#concerns(event, at))) return;
      if (reading !== undefined && 'version' in event && event.version <= (await reading)) return;
      const { kind, level: _level, ...data } = event;
      if (kind === 'agent-created') await this.#watchNotes(event.agent_id).catch(() => undefined);
      if ('session_id' in event) this.#toldAtMs.set(event.session_id, performance.now());
      this.#tell(kind, data);
    });
  }

  async #concerns(event: LonghandEvent, at: number): Promise<boolean> {
    const { user_id, agent_id } = this.#memory.principal;
    if ('agent_id' in event && agent_id !== undefined && event.agent_id !== agent_id) return false;
    if ('user_id' in event) return event.user_id === user_id;
    return 'session_id' in event ? this.#owns(event.session_id, at) : true;
  }

  /** Whose it is now is not remembered: an id may be another user's the next time. */
  async #owns(sessionId: string, at: number): Promise<boolean> {
    const isOwn = await this.#memory.loadSession(sessionId).then(
      () => true,
      // Not theirs, gone, or not readable now: nothing to announce to them.
      () => false,
    );
    // A change to an earlier incarnation was reported to its owner, or is gone with that session.
    return isOwn && (this.#changedHandsAt.get(sessionId) ?? 0) <= at;
  }

  #noteHands(sessionId: string, at: number): void {
    if (this.#changedHandsAt.size >= SESSIONS_IN_MEMORY) this.#changedHandsAt.clear();
    this.#changedHandsAt.set(sessionId, at);
  }

  #wasTold(sessionId: string): boolean {
    const nowMs = performance.now();
    for (const [id, atMs] of this.#toldAtMs) if (nowMs - atMs > OWN_CHANGE_MS) this.#toldAtMs.delete(id);
    return this.#toldAtMs.has(sessionId);
  }

  #tell(event: string, data: unknown): void {
    this.#stream.push({ id: idOf(this.#mark!), event, data });
  }
}

function idOf({ changes, lastBytes }: SessionsMark): string {
  const { generation, offset, lastId } = changes;
  return Buffer.from(JSON.stringify([generation, offset, lastId, lastBytes])).toString('base64url');
}

/** `undefined` when this server did not give it. */
function markIn(eventId: string): SessionsMark | undefined {
  try {
    const [generation, offset, lastId, lastBytes] = JSON.parse(Buffer.from(eventId, 'base64url').toString());
    const isMark = typeof generation === 'string' && typeof lastId === 'string';
    if (!isMark || !Number.isSafeInteger(offset) || !Number.isSafeInteger(lastBytes)) return undefined;
    return { changes: { generation, offset, lastId }, lastBytes };
  } catch {
    return undefined;
  }
}
