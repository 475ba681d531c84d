import type { EventKind, LonghandEvent, ScopedMemory } from 'longhand';
import type { Services } from '../services.ts';
import { PushStream } from './sse.ts';

/**
 * `/api/events`: tells a client what others change, so that it can look again. It tells that something changed and
 * where, never what it says.
 *
 * What this process does is told at once. What other processes do to the user's sessions is noticed within about a
 * second, by one look at the user's change file, and told as `session-changed`; what they, or people with an editor,
 * do to notes is noticed by watching the notes of the account's agents.
 */
const ANNOUNCED: ReadonlySet<EventKind> = new Set<EventKind>([
  'session-created',
  'session-updated',
  'session-deleted',
  'session-closed',
  'memories-added',
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
/** What this process has told of a session within this time is not told again as another's change. */
const OWN_CHANGE_MS = 3_000;
const WATCHED_AGENTS = 32;
const SESSIONS_IN_MEMORY = 10_000;

export interface ChangeEvent {
  readonly event: string;
  readonly data: unknown;
}

export class ChangeFeed {
  readonly #services: Services;
  readonly #memory: ScopedMemory;
  readonly #stream = new PushStream<ChangeEvent>();
  readonly #isOwn = new Map<string, boolean>();
  readonly #toldAtMs = new Map<string, number>();
  readonly #endings: (() => void)[] = [];
  #telling: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(services: Services, memory: ScopedMemory) {
    this.#services = services;
    this.#memory = memory;
  }

  /** @throws ValidationError SCOPE_MISSING when the caller names no user */
  async start(): Promise<AsyncIterable<ChangeEvent>> {
    let { mark } = await this.#memory.changedSessions();
    this.#endings.push(this.#services.manager.subscribe((event) => this.#onEvent(event)));
    await this.#watchNotes();
    let isLooking = false;
    const timer = setInterval(async () => {
      if (isLooking) return;
      isLooking = true;
      try {
        const changes = await this.#memory.changedSessions(mark);
        mark = changes.mark;
        for (const id of changes.sessionIds)
          if (!this.#wasTold(id)) this.#tell('session-changed', { session_id: id });
      } catch {
        // The store tells of its own trouble; the next look may see more.
      } finally {
        isLooking = false;
      }
    }, LOOK_INTERVAL_MS).unref();
    this.#endings.push(() => clearInterval(timer));
    this.#tell('ready', {});
    return this.#stream;
  }

  end(): void {
    this.#isEnded = true;
    for (const end of this.#endings.splice(0)) end();
    this.#stream.end();
  }

  async #watchNotes(): Promise<void> {
    const { agent_id } = this.#memory.principal;
    const agents =
      agent_id === undefined
        ? (await (await this.#memory.agents()).list()).slice(0, WATCHED_AGENTS).map(({ id }) => id)
        : [agent_id];
    for (const id of agents) {
      const notes = await this.#memory.notesOf(id);
      await notes.read();
      // The change itself comes as an event like all others.
      this.#endings.push(notes.watch(() => undefined));
    }
  }

  /** In order, although some need a look at whose they are. */
  #onEvent(event: LonghandEvent): void {
    if (!ANNOUNCED.has(event.kind)) return;
    this.#telling = this.#telling.then(async () => {
      if (this.#isEnded || !(await this.#concerns(event))) return;
      const { kind, ...data } = event;
      if ('session_id' in event) this.#toldAtMs.set(event.session_id, performance.now());
      this.#tell(kind, data);
    });
  }

  async #concerns(event: LonghandEvent): Promise<boolean> {
    const { user_id, agent_id } = this.#memory.principal;
    if ('agent_id' in event && agent_id !== undefined && event.agent_id !== agent_id) return false;
    if ('user_id' in event) return event.user_id === user_id;
    return 'session_id' in event ? this.#owns(event.session_id) : true;
  }

  async #owns(sessionId: string): Promise<boolean> {
    const known = this.#isOwn.get(sessionId);
    if (known !== undefined) return known;
    const isOwn = await this.#memory.loadSession(sessionId).then(
      () => true,
      // Not theirs, gone, or not readable now: nothing to announce to them.
      () => false,
    );
    if (this.#isOwn.size >= SESSIONS_IN_MEMORY) this.#isOwn.clear();
    this.#isOwn.set(sessionId, isOwn);
    return isOwn;
  }

  #wasTold(sessionId: string): boolean {
    const nowMs = performance.now();
    for (const [id, atMs] of this.#toldAtMs) if (nowMs - atMs > OWN_CHANGE_MS) this.#toldAtMs.delete(id);
    return this.#toldAtMs.has(sessionId);
  }

  #tell(event: string, data: unknown): void {
    this.#stream.push({ event, data });
  }
}
