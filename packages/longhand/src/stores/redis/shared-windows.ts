import type { Redis } from './redis.ts';

/** Where a process keeps windows of its own. */
interface WindowsHere<Window> {
  get(sessionId: string): Promise<Window | undefined>;
  set(sessionId: string, window: Window, expiresInMs: number): Promise<void>;
  delete(sessionId: string): Promise<void>;
}

/**
 * The windows of conversations, for all servers: in Redis, and in this process for when Redis is gone or was emptied. Any
 * of them may be old. The reader compares it with the transcript.
 */
export class SharedWindows<Window extends { readonly version: number }> implements WindowsHere<Window> {
  readonly #redis: Redis;
  readonly #here: WindowsHere<Window>;

  constructor(redis: Redis, here: WindowsHere<Window>) {
    this.#redis = redis;
    this.#here = here;
  }

  async get(sessionId: string): Promise<Window | undefined> {
    const [text, here] = await Promise.all([
      this.#redis.call('GET', this.#redis.key('window', sessionId)),
      this.#here.get(sessionId),
    ]);
    const shared = typeof text === 'string' ? parsed<Window>(text) : undefined;
    return (shared?.version ?? 0) >= (here?.version ?? 0) ? shared : here;
  }

  async set(sessionId: string, window: Window, expiresInMs: number): Promise<void> {
    const expiry = ['PX', String(Math.ceil(expiresInMs))];
    await this.#here.set(sessionId, window, expiresInMs);
    await this.#redis.call('SET', this.#redis.key('window', sessionId), JSON.stringify(window), ...expiry);
  }

  async delete(sessionId: string): Promise<void> {
    await this.#here.delete(sessionId);
    await this.#redis.call('DEL', this.#redis.key('window', sessionId));
  }
}

/** Nothing of what another program has put there. */
function parsed<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
