import type { StoreConfig } from './core/config.ts';
import { IOError } from './core/errors.ts';
import type { LayerContext } from './layers/layer-context.ts';
import { refreshing } from './layers/memories/refresher.ts';
import { Repeated } from './layers/repeated.ts';
import { liftSession } from './layers/users/add-memories.ts';
import type { Layers } from './layers.ts';
import type { MemoryManagerOptions } from './manager-options.ts';
import { type Opened, type OpeningNeeds, openManager } from './open-manager.ts';

/** A command that is over in a moment does not pay for the others' retention. */
const FIRST_PRUNE_MS = 1_000;

/** The store of a memory manager, with all that works on it: opened with the first use, and held until `close`. */
export class StoreLifecycle {
  readonly #options: MemoryManagerOptions;
  readonly #needs: Omit<OpeningNeeds, 'layers'>;
  #layers: Promise<Layers> | undefined;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  readonly #upkeep: Repeated[] = [];
  readonly #ending = new AbortController();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: MemoryManagerOptions, needs: Omit<OpeningNeeds, 'layers'>) {
    this.#options = options;
    this.#needs = needs;
  }

  /** What is open already costs no await; `undefined` before that, and after `close`. */
  get ready(): Opened | undefined {
    return this.#isClosed ? undefined : this.#opened;
  }

  /** @throws IOError STORE_CLOSED, and whatever keeps the store from being opened */
  async use(): Promise<Opened> {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The memory manager is closed.');
    if (this.#opened !== undefined) return this.#opened;
    this.#opening ??= this.#open();
    try {
      this.#opened = await this.#opening;
    } catch (error) {
      // A folder that was missing a right may be mended: the next call tries again.
      this.#opening = undefined;
      throw error;
    }
    return this.#opened;
  }

  /** All layers beside the memories of sessions, loaded with the first use. */
  async layers(): Promise<Layers> {
    const opened = await this.use();
    this.#layers ??= import('./layers.ts').then(({ Layers }) => new Layers(opened, this.#options));
    return this.#layers;
  }

  /** A session of an earlier schema is lifted before it is written to. */
  async useForWriting(sessionId: string): Promise<Opened> {
    const opened = await this.use();
    await liftSession(opened, sessionId);
    return opened;
  }

  /** Takes away what has had its time. */
  async expire({ context }: Opened, sessionId: string): Promise<void> {
    if (await mayHaveExpired(context, sessionId)) await (await this.layers()).retention.expire(sessionId);
  }

  /** Lets go of the store when all that was given to it is written. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #open(): Promise<Opened> {
    const opened = await openManager(this.#options, { ...this.#needs, layers: () => this.layers() });
    this.#upkeep.push(refreshing(opened, (id) => this.expire(opened, id)));
    const { config } = opened.context;
    const intervalMs = config.retention.interval_minutes * 60_000;
    if (hasExpiry(config) && intervalMs > 0) {
      const { signal } = this.#ending;
      const prune = async (): Promise<void> => {
        if (!signal.aborted) await (await this.layers()).retention.pruneIfDue(signal);
      };
      this.#upkeep.push(new Repeated(prune, intervalMs, Math.min(intervalMs, FIRST_PRUNE_MS)));
    }
    return opened;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#ending.abort();
    if (this.#opening === undefined) return;
    const { maintenance, accesses, search, context } = await this.#opening;
    await Promise.all(this.#upkeep.map((work) => work.stop()));
    (await this.#layers)?.close();
    await maintenance.pressure.settle();
    await accesses.flush();
    await search.close();
    await context.store.close();
  }
}

/** Whether anything is kept for a time only. */
function hasExpiry({ transcript, details }: StoreConfig): boolean {
  return transcript.retain_days > 0 || details.expire_after_days > 0;
}

/** Whether `Retention` may have something to take away of a session: listing values removes drafts of writers that died. */
async function mayHaveExpired({ store, config }: LayerContext, sessionId: string): Promise<boolean> {
  const values = await store.list('blob', sessionId);
  return values.length > 0 || hasExpiry(config);
}
