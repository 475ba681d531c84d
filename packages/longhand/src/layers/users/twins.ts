import { CorruptionError, ifGone } from '../../core/errors.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { type Memories, saysTheSame } from '../memories/memories.ts';
import type { SessionView } from '../memories/session-view.ts';
import type { Sessions } from '../memories/sessions.ts';
import type { SessionOwner } from '../session-ref.ts';

/**
 * A memory that brings its own id is kept once in a session and all those that continue it.
 *
 * Any of them may still grow, for a session is full only for what is too large for it, and a lock is that of one session.
 * So all of them are looked at before a write, and again after it: of two writers in two sessions at once, at least one
 * sees what the other has written. That one takes the memory out of the later session, and never out of the first that
 * has it: so not both give way. What a process that was killed after its write left undone is done by the next retry of
 * the same memory.
 */
export class Twins {
  readonly #sessions: Sessions;
  readonly #memories: Memories;

  constructor(sessions: Sessions, memories: Memories) {
    this.#sessions = sessions;
    this.#memories = memories;
  }

  /** The session that has each of some memories, or has deleted it when none has it any more. */
  async homesOf(
    owner: SessionOwner,
    ids: readonly string[],
    sessionIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const homes = new Map<string, string>();
    const deleted = new Map<string, string>();
    for (const [sessionId, view] of await this.#viewsOf(sessionIds)) {
      for (const id of ids) {
        if (homes.has(id)) continue;
        if (view.isDeleted(id)) deleted.set(id, sessionId);
        else if ((await this.#wholeIn(owner, sessionId, view, id)) !== undefined) homes.set(id, sessionId);
      }
    }
    return new Map([...deleted, ...homes]);
  }

  /**
   * Takes memories out of all sessions but the first that has them.
   * @param sessionIds first to last
   * @returns where those are that had to leave another session
   */
  async keepFirst(
    owner: SessionOwner,
    ids: readonly string[],
    sessionIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const homes = new Map<string, string>();
    const views = await this.#viewsOf(sessionIds);
    for (const id of ids) {
      const holders = views.filter(([, view]) => view.placeOf(id) !== undefined);
      if (holders.length < 2) continue;
      let first: MemoryEntry | undefined;
      for (const [sessionId, view] of holders) {
        const entry = await this.#wholeIn(owner, sessionId, view, id);
        first ??= entry;
        // Another memory of the same id is a different one: ids are unique only within a session.
        if (first === undefined || entry === undefined || entry === first || !saysTheSame(first, entry))
          continue;
        await this.#leave(owner, entry, first.session_id);
        homes.set(id, first.session_id);
      }
    }
    return homes;
  }

  async #viewsOf(sessionIds: readonly string[]): Promise<readonly (readonly [string, SessionView])[]> {
    const views: [string, SessionView][] = [];
    for (const sessionId of sessionIds) {
      const view = await this.#sessions.current(sessionId).catch(ifGone);
      if (view !== undefined) views.push([sessionId, view]);
    }
    return views;
  }

  async #leave(owner: SessionOwner, { id, session_id }: MemoryEntry, home: string): Promise<void> {
    const reason = `kept in session ${home} at the same time`;
    await this.#sessions
      .on(session_id, owner, (session) => this.#memories.delete(session, id, { reason }))
      .catch(ifGone);
  }

  /** Not one that is damaged: writing it again is what the caller wants. */
  async #wholeIn(
    owner: SessionOwner,
    sessionId: string,
    view: SessionView,
    id: string,
  ): Promise<MemoryEntry | undefined> {
    if (view.placeOf(id) === undefined) return undefined;
    try {
      return (await this.#memories.get(sessionId, id, owner)) ?? undefined;
    } catch (error) {
      if (error instanceof CorruptionError) return undefined;
      return ifGone(error);
    }
  }
}
