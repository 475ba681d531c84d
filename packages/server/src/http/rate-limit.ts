import { RequestError } from './problem.ts';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Callers that are remembered at once; who has been quiet for longest is forgotten, with a full bucket. */
const CALLERS_IN_MEMORY = 10_000;
const MINUTE_MS = 60_000;

/** A bucket of requests for each caller, which fills up evenly over a minute. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perMinute 0: no limit */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** @throws RequestError RATE_LIMITED when the caller has used up what there is */
  take(caller: string): void {
    if (this.#perMinute === 0) return;
    const bucket = this.#fill(caller);
    if (bucket.tokens < 1) throw this.#refusal(bucket);
    bucket.tokens--;
  }

  #fill(caller: string): Bucket {
    const nowMs = this.#now();
    const known = this.#buckets.get(caller);
    const bucket = known ?? { tokens: this.#perMinute, filledAtMs: nowMs };
    const gained = ((nowMs - bucket.filledAtMs) / MINUTE_MS) * this.#perMinute;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + gained);
    bucket.filledAtMs = nowMs;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > CALLERS_IN_MEMORY) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }

  #refusal({ tokens }: Bucket): RequestError {
    const seconds = Math.ceil(((1 - tokens) / this.#perMinute) * 60);
    return new RequestError('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }
}
