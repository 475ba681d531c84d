import type { Services } from '../services.ts';
import { RequestError } from './problem.ts';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Callers that are remembered at once; who has been quiet for longest is forgotten, with a full bucket. */
const CALLERS_IN_MEMORY = 10_000;
const MINUTE_MS = 60_000;

/** A bucket of requests for each caller, which fills up evenly over a minute; with Redis, one for all servers together. */
export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  readonly #shared: NonNullable<Services['redis']>['limits'] | undefined;
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param name tells the limits of a server apart
   * @param perMinute 0: no limit
   */
  constructor(name: string, perMinute: number, shared?: NonNullable<Services['redis']>['limits']) {
    this.#name = name;
    this.#perMinute = perMinute;
    this.#shared = shared;
  }

  /** @throws RequestError RATE_LIMITED when the caller has used up what there is */
  async take(caller: string): Promise<void> {
    if (this.#perMinute === 0) return;
    const shared = await this.#shared?.take(this.#name, caller, this.#perMinute);
    const waitMs = shared ?? this.#takeHere(caller);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    throw new RequestError('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  /** How long until there is one again, in milliseconds; 0 when one was taken. */
  #takeHere(caller: string): number {
    const nowMs = performance.now();
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#perMinute, filledAtMs: nowMs };
    const gained = ((nowMs - bucket.filledAtMs) / MINUTE_MS) * this.#perMinute;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + gained);
    bucket.filledAtMs = nowMs;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > CALLERS_IN_MEMORY) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (bucket.tokens < 1) return ((1 - bucket.tokens) / this.#perMinute) * MINUTE_MS;
    bucket.tokens--;
    return 0;
  }
}
