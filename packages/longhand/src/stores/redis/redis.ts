import type { RedisClient } from './client.ts';

export interface RedisOptions {
  /** How long a call may take; 100 ms when left out. */
  readonly timeoutMs?: number;
  /** How long after a failure Redis is asked again, and not by a caller; 1 second when left out. */
  readonly retryMs?: number;
  /** Told when Redis is gone, and when it is back. */
  readonly onChange?: (isThere: boolean) => void;
}

/** What a call gives when Redis cannot be asked: everything that Redis holds can be had in another way. */
export const AWAY = Symbol('Redis is away');

const TIMEOUT_MS = 100;
const RETRY_MS = 1_000;
/** A call that waits for this long stands for all: those that come later do without Redis. */
const SLOW_MS = 20;

/**
 * Redis as something that may be gone. A call that fails or takes too long opens the breaker: no caller waits then, and
 * Redis is asked in the background until it answers again.
 *
 * Each key begins with the account, so that no account reads what another one wrote.
 */
export class Redis {
  readonly #client: RedisClient;
  readonly #account: string;
  readonly #timeoutMs: number;
  readonly #retryMs: number;
  readonly #onChange: (isThere: boolean) => void;
  /** When the calls under way began, oldest first. */
  readonly #underWay = new Set<{ readonly atMs: number }>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(client: RedisClient, accountId: string, options: RedisOptions = {}) {
    this.#client = client;
    this.#account = encodeURIComponent(accountId);
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#onChange = options.onChange ?? (() => undefined);
  }

  /** Whether it answered when it was last asked. */
  get isThere(): boolean {
    return this.#timer === undefined && this.#client.isReady;
  }

  /** `acme:longhand:window:sess_1`. */
  key(...parts: readonly string[]): string {
    return [this.#account, 'longhand', ...parts.map(encodeURIComponent)].join(':');
  }

  async call(...command: readonly string[]): Promise<unknown> {
    const [oldest] = this.#underWay;
    if (this.#timer !== undefined || this.#isClosed) return AWAY;
    if (oldest !== undefined && performance.now() - oldest.atMs > SLOW_MS) return AWAY;
    const answer = await this.#ask(command);
    if (answer === AWAY) this.#open();
    return answer;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #ask(command: readonly string[]): Promise<unknown> {
    if (!this.#client.isReady) return AWAY;
    const call = { atMs: performance.now() };
    this.#underWay.add(call);
    const late = Promise.withResolvers<typeof AWAY>();
    const timer = setTimeout(() => late.resolve(AWAY), this.#timeoutMs);
    try {
      return await Promise.race([this.#client.sendCommand(command), late.promise]);
    } catch {
      return AWAY;
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(call);
    }
  }

  #open(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#onChange(false);
    this.#askLater();
  }

  #askLater(): void {
    this.#timer = setTimeout(async () => {
      if ((await this.#ask(['GET', this.key('away')])) === AWAY) {
        if (!this.#isClosed) this.#askLater();
        return;
      }
      this.#timer = undefined;
      this.#onChange(true);
    }, this.#retryMs);
    this.#timer.unref();
  }
}
