import type { AccessRecord } from '../../core/records.ts';
import { failureOf } from '../failures.ts';
import { BYTES_PER_MEGABYTE, type LayerContext } from '../layer-context.ts';
import { isSessionGone, opening, type SessionRef } from '../session-ref.ts';
import { addressOf, type Sessions } from './sessions.ts';

/**
 * Which memories were used. A read never writes a use: uses are gathered here and become one record in
 * the log of their session now and then. Until then they change no score, so that a score depends on the log
 * alone and every process gives the same.
 */
const FLUSH_AFTER_MS = 60_000;
/** Memories of a session in one record. What is used beyond it within the time is not noted: hints take little room. */
const MEMORIES_A_RECORD = 1_000;

interface Uses {
  readonly userId: string;
  /** Memory id → how many times. */
  readonly counts: Map<string, number>;
}

export class Accesses {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  #uses = new Map<string, Uses>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(context: LayerContext, sessions: Sessions) {
    this.#context = context;
    this.#sessions = sessions;
  }

  /** @param userId whose memory it was: what is another's session by the time it is written down takes no note of it */
  note(sessionId: string, memoryId: string, userId: string): void {
    let uses = this.#uses.get(sessionId);
    if (uses?.userId !== userId) {
      uses = { userId, counts: new Map() };
      this.#uses.set(sessionId, uses);
    }
    const { counts } = uses;
    const count = counts.get(memoryId) ?? 0;
    if (count === 0 && counts.size >= MEMORIES_A_RECORD) return;
    counts.set(memoryId, count + 1);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_AFTER_MS);
    // What is lost with the process is a hint, not a memory.
    this.#timer.unref();
  }

  /** Writes down what was gathered. A session that cannot take it loses the hint, and an event says so. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = this.#uses;
    this.#uses = new Map();
    this.#flushing = this.#flushing.then(async () => {
      for (const [sessionId, each] of uses) await this.#write(sessionId, each);
    });
    return this.#flushing;
  }

  async #write(sessionId: string, { userId, counts }: Uses): Promise<void> {
    try {
      const owner = { user_id: userId };
      try {
        await this.#append(await this.#sessions.originOf(sessionId, owner), { userId, counts });
      } catch (error) {
        if (!isSessionGone(error)) throw error;
        // It may have been made again for the same user since this process looked at it.
        this.#sessions.forget(sessionId);
        const session = await this.#sessions.open(sessionId, owner);
        // A new session of the same name inherits nothing, not even ids.
        const view = await this.#sessions.current(session);
        const there = new Map([...counts].filter(([id]) => view.placeOf(id) !== undefined));
        if (there.size > 0) await this.#append(session, { userId, counts: there });
      }
    } catch (error) {
      // Deleted since: there is nothing left to have been used.
      if (isSessionGone(error)) return;
      this.#context.emit(failureOf(`session ${sessionId}`, 'note uses', error));
    }
  }

  async #append(session: SessionRef, { userId, counts }: Uses): Promise<void> {
    const { store, clock, config } = this.#context;
    const { max_session_size_mb, compaction_threshold } = config.storage;
    // A hint leaves the last room of a session to memories.
    const maxBytes = Math.floor(max_session_size_mb * BYTES_PER_MEGABYTE * compaction_threshold);
    const record: AccessRecord = {
      ...opening('access', session.sessionId, clock.now()),
      uses: Object.fromEntries(counts),
    };
    await store.append(addressOf(session, userId), [JSON.stringify(record)], { maxBytes });
  }
}
