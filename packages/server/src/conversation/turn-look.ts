import { AsyncLocalStorage } from 'node:async_hooks';
import type { Layers } from 'longhand';

type Snapshot = ReturnType<typeof AsyncLocalStorage.snapshot>;

/**
 * The look at the store that pieces of a turn have in common, so that a database is asked once for all of them. A turn
 * takes as long as its model: what is decided after that is decided from a new look.
 */
export class TurnLook {
  readonly #layers: Pick<Layers, 'look'>;
  readonly #userIds: readonly string[];
  #within: Promise<Snapshot> | undefined;
  #end: () => void = () => undefined;

  constructor(layers: Pick<Layers, 'look'>, userId: string | undefined) {
    this.#layers = layers;
    this.#userIds = userId === undefined ? [] : [userId];
  }

  /** As a part of the look that there is, or of a new one. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#within ??= this.#begin();
    return (await this.#within)(work);
  }

  /** What runs next sees what was committed before it. */
  end(): void {
    this.#within = undefined;
    this.#end();
  }

  async #begin(): Promise<Snapshot> {
    const begun = Promise.withResolvers<Snapshot>();
    const ended = Promise.withResolvers<void>();
    this.#end = ended.resolve;
    const hold = async (): Promise<void> => {
      begun.resolve(AsyncLocalStorage.snapshot());
      await ended.promise;
    };
    this.#layers.look(this.#userIds, hold).catch(begun.reject);
    return begun.promise;
  }
}
