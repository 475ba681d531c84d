import { LonghandError, NotFoundError } from '../../core/errors.ts';
import { MAX_TIMER_MS } from '../../core/limits.ts';
import { METADATA_DOCUMENT } from '../../core/owner-in-metadata.ts';
import type { Workshop } from '../workshop.ts';
import type { Maintenance } from './maintenance.ts';
import { addressOf, type Sessions } from './sessions.ts';

/** Keeps the stored relevance of the sessions in use from growing old. Nothing waits for it. */
export class Refresher {
  readonly #workshop: Workshop;
  readonly #sessions: Sessions;
  readonly #maintenance: Maintenance;
  readonly #expire: (sessionId: string) => Promise<void>;
  readonly #intervalMs: number;
  readonly #timer: NodeJS.Timeout;
  #refreshing: Promise<void> = Promise.resolve();

  /** @param expire takes away what a session has kept for its time */
  constructor(
    workshop: Workshop,
    sessions: Sessions,
    maintenance: Maintenance,
    expire: (sessionId: string) => Promise<void>,
  ) {
    this.#workshop = workshop;
    this.#sessions = sessions;
    this.#maintenance = maintenance;
    this.#expire = expire;
    this.#intervalMs = workshop.config.decay.update_interval_minutes * 60_000;
    this.#timer = setInterval(
      () => {
        this.#refreshing = this.#refreshing.then(() => this.#refreshAll());
      },
      Math.min(this.#intervalMs, MAX_TIMER_MS),
    );
    this.#timer.unref();
  }

  /** No further one begins; settles when the one under way is done. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    for (const id of this.#sessions.active) {
      try {
        await this.#refresh(id);
      } catch (error) {
        // One session that another process deleted, or that is damaged, keeps no other from its turn.
        if (error instanceof NotFoundError) this.#sessions.forget(id);
        const reason = LonghandError.isInstance(error) ? error.code : String(error);
        this.#workshop.emit({ kind: 'io-failed', log: `session ${id}`, operation: 'refresh', reason });
      }
    }
  }

  async #refresh(sessionId: string): Promise<void> {
    const { store, clock } = this.#workshop;
    const metadata = await store.readDocument(addressOf(sessionId), METADATA_DOCUMENT);
    if (isFresh(metadata, clock.now() - this.#intervalMs)) return;
    await this.#expire(sessionId);
    await this.#maintenance.rebuildIndex(sessionId);
  }
}

/** Whether another process refreshed it lately. A projection that cannot be read is none. */
function isFresh(metadata: string | undefined, sinceMs: number): boolean {
  try {
    const { last_decay_update } = JSON.parse(metadata ?? '{}') as { last_decay_update?: string };
    return Date.parse(last_decay_update ?? '') > sinceMs;
  } catch {
    return false;
  }
}
