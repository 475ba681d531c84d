import { AsyncLocalStorage } from 'node:async_hooks';
import type { Layers } from 'longhand';

type Snapshot = ReturnType<typeof AsyncLocalStorage.snapshot>;

/** What other servers announce: whose data have changed. May be lost. */
export interface TurnNews {
  readonly areHeard: boolean;
  listen(listener: (news: { readonly user?: string }) => void): () => void;
}

/**
 * The look at the store that pieces of a turn have in common, so that a database is asked once for all of them. A turn
 * takes as long as its model: what is decided after that is decided from a new look.
 */
export class TurnLook {
  readonly #layers: Pick<Layers, 'look'>;
  readonly #userIds: readonly string[];
  readonly #news: TurnNews | undefined;
  #within: Promise<Snapshot> | undefined;
  #isOld = false;
  #hasNews = false;
  #end: () => void = () => undefined;

  /** @param news of the user */
  constructor(layers: Pick<Layers, 'look'>, userId: string | undefined, news?: TurnNews) {
    this.#layers = layers;
    this.#userIds = userId === undefined ? [] : [userId];
    this.#news = news;
  }

  /** As a part of the look that there is, or of a new one. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isOld) this.end();
    return this.#run(work);
  }

  /**
   * What a turn keeps of its answer. The look before the answer will do when no other server has announced a change since:
   * what the gate lets through concerns no forgetting, and what is archived later is checked once more.
   */
  keep<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isOld && (this.#hasNews || !this.#news?.areHeard)) this.end();
    return this.#run(work);
  }

  /** What runs next begins a new look, except what is kept. */
  age(): void {
    this.#isOld = true;
  }

  /** What runs next sees what was committed before it. */
  end(): void {
    this.#within = undefined;
    this.#end();
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#within ??= this.#begin();
    return (await this.#within)(work);
  }

  async #begin(): Promise<Snapshot> {
    const begun = Promise.withResolvers<Snapshot>();
    const ended = Promise.withResolvers<void>();
    const deafen = this.#news?.listen(({ user }) => {
      if (user === this.#userIds[0]) this.#hasNews = true;
    });
    this.#isOld = this.#hasNews = false;
    this.#end = () => {
      deafen?.();
      ended.resolve();
    };
    const hold = async (): Promise<void> => {
      begun.resolve(AsyncLocalStorage.snapshot());
      await ended.promise;
    };
    this.#layers.look(this.#userIds, hold).catch(begun.reject);
    return begun.promise;
  }
}
