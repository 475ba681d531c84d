import type { Clock } from '../../../core/clock.ts';
import { type Embedder, embedChecked, embedderFailed, isRefusal } from '../../../core/embedder.ts';
import { LonghandError } from '../../../core/errors.ts';
import type { Emit } from '../../../core/events.ts';
import type { Metrics } from '../../../core/metrics.ts';
import { type QuantisedVector, quantise } from '../../../recall/vectors/index.ts';
import { within } from '../../failures.ts';
import { LeastRecentlyUsed } from '../../least-recently-used.ts';

/**
 * The one way to the embedder, for queries and for memories.
 *
 * An embedder that fails is left alone for a while, longer each time: no question waits for something that was not there
 * a moment ago. A question waits only so long; what comes later is kept for the next caller that asks the same.
 */

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** Questions whose vectors are kept: the pages of one search, and what an agent asks again. */
const QUERIES_KEPT = 128;
/** What every embedder takes that works at all. */
const PLAIN_TEXT = 'text';

/** The vector of a question, or why there is none. */
type AskedVector =
  | { readonly vector: QuantisedVector }
  | { readonly vector?: never; readonly reason: 'late' | 'failed' };

interface GateNeeds {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly metrics: Metrics;
}

export class EmbedderGate {
  readonly embedder: Embedder;
  readonly #needs: GateNeeds;
  readonly #waitMs: number;
  readonly #asked = new LeastRecentlyUsed<Promise<QuantisedVector>>(QUERIES_KEPT);
  readonly #closing = new AbortController();
  #failures = 0;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  /** @param waitMs how long a question waits for its vector */
  constructor(embedder: Embedder, waitMs: number, needs: GateNeeds) {
    this.embedder = embedder;
    this.#waitMs = waitMs;
    this.#needs = needs;
  }

  /** How long the embedder is still left alone, in milliseconds; 0 when it can be asked. */
  get restMs(): number {
    return Math.max(0, this.#restUntilMs - this.#needs.clock.monotonic());
  }

  /** The vector of a question. Never throws, and waits no longer than it should. */
  async ask(text: string): Promise<AskedVector> {
    let asking = this.#asked.get(text);
    if (asking === undefined) {
      if (this.restMs > 0) return { reason: 'failed' };
      asking = this.embed([text], 'query', this.#closing.signal).then(([vector]) => vector!);
      this.#asked.set(text, asking);
      asking.catch(() => this.#asked.delete(text));
    }
    const answered = asking.then(
      (vector): AskedVector => ({ vector }),
      (): AskedVector => ({ reason: 'failed' }),
    );
    return within<AskedVector, AskedVector>(this.#waitMs, answered, { reason: 'late' });
  }

  /** @throws IOError EMBEDDER_FAILED also while it is left alone; with `details.refused` when the texts are why */
  async embed(
    texts: readonly string[],
    kind: 'query' | 'document',
    signal: AbortSignal,
  ): Promise<readonly QuantisedVector[]> {
    const { clock, metrics } = this.#needs;
    if (this.restMs > 0) throw embedderFailed('has failed, and is left alone for a moment');
    const startedAt = clock.monotonic();
    try {
      const vectors = await embedChecked(this.embedder, texts, { kind, signal });
      metrics.count('memory.embedder.texts.count', texts.length);
      metrics.observe('memory.embedder.duration_ms', clock.monotonic() - startedAt);
      this.#noteSuccess();
      return vectors.map(quantise);
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = kind === 'document' && isRefusal(error) ? await this.#explain(error, signal) : error;
      this.#noteFailure(failure, kind);
      throw LonghandError.isInstance(failure) ? failure : ofTheFamily(failure);
    }
  }

  /**
   * An endpoint says the same of a text that it cannot take and of a model that it does not have. Memories must not
   * count as refused, and go without a vector for good, because of a mistyped name: one plain text tells the two
   * apart.
   */
  async #explain(refusal: unknown, signal: AbortSignal): Promise<unknown> {
    try {
      await embedChecked(this.embedder, [PLAIN_TEXT], { kind: 'document', signal });
      return refusal;
    } catch (cause) {
      if (!isRefusal(cause)) return cause;
      return embedderFailed('refuses every text: is it set up rightly?', { cause });
    }
  }

  #noteSuccess(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#needs.emit({ kind: 'embedder-recovered' });
  }

  #noteFailure(error: unknown, operation: 'query' | 'document'): void {
    const { clock, emit, metrics } = this.#needs;
    metrics.count('memory.embedder.failures.count');
    // Texts that are refused say nothing about the next ones.
    if (!isRefusal(error)) {
      this.#restUntilMs = clock.monotonic() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#failures);
      this.#failures++;
    }
    // An error from elsewhere may hold the text that it was about.
    const reason = LonghandError.isInstance(error)
      ? error.message
      : ((error as Error | null)?.name ?? 'unknown');
    emit({ kind: 'embedder-failed', operation, reason });
  }

  /** Calls off what is asked at the moment. */
  close(): void {
    this.#closing.abort();
  }
}

/** An embedder of another program throws what it likes. What it says stays in the cause: it may hold the texts. */
function ofTheFamily(cause: unknown): LonghandError {
  const details = isRefusal(cause) ? { refused: true } : {};
  return embedderFailed(isRefusal(cause) ? 'refused a text' : 'failed', { cause, details });
}
