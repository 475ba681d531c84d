import type { Clock } from '../../core/clock.ts';
import type { Message } from '../../core/messages.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';

/** What is kept of a session's latest messages. Plain JSON, so that it can lie in another process. */
export interface StoredWindow {
  readonly messages: readonly Message[];
  /** The transcript's last erasure when it was stored: a window from before another one is void. */
  readonly erasure_id: string | null;
  /** Whose session it was, and since when: one that was made anew under the same id begins with nothing. */
  readonly session?: string;
}

/**
 * Where windows are kept: a cache, which may lose any of them at any time. Whoever keeps them for several
 * processes takes the last one that was set; a session is served by one turn at a time.
 */
export interface WindowStore {
  /** `undefined` when there is none, or its time has passed. */
  get(sessionId: string): Promise<StoredWindow | undefined>;
  /** @param expiresInMs counted from now */
  set(sessionId: string, window: StoredWindow, expiresInMs: number): Promise<void>;
  delete(sessionId: string): Promise<void>;
}

const WINDOWS_IN_MEMORY = 1_000;

/** In this process, for the sessions used last. */
export class InProcessWindows implements WindowStore {
  readonly #clock: Clock;
  readonly #windows: LeastRecentlyUsed<{ readonly window: StoredWindow; readonly expiresAtMs: number }>;

  /** @param capacity sessions; 1,000 when left out */
  constructor(clock: Clock, capacity = WINDOWS_IN_MEMORY) {
    this.#clock = clock;
    this.#windows = new LeastRecentlyUsed(capacity);
  }

  async get(sessionId: string): Promise<StoredWindow | undefined> {
    const kept = this.#windows.get(sessionId);
    if (kept === undefined || this.#clock.monotonic() < kept.expiresAtMs) return kept?.window;
    this.#windows.delete(sessionId);
    return undefined;
  }

  async set(sessionId: string, window: StoredWindow, expiresInMs: number): Promise<void> {
    this.#windows.set(sessionId, { window, expiresAtMs: this.#clock.monotonic() + expiresInMs });
  }

  async delete(sessionId: string): Promise<void> {
    this.#windows.delete(sessionId);
  }
}
