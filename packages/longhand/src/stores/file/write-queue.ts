import type { Appended, AppendOptions, Decide, LogAddress } from '../../core/store.ts';

/** One call that waits to be written. */
export interface WriteRequest {
  readonly log: LogAddress;
  readonly bodies: readonly string[];
  /** Gives the bodies while the lock is held, from what the log holds. */
  readonly decide: Decide | undefined;
  readonly options: AppendOptions;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
  /** The lines with the numbers that they are likely to get, made before the lock was taken. */
  prepared?: { readonly firstSeq: number; readonly bytes: Buffer };
}

/** Requests in the order in which they came. Sizes are counted in characters: near enough for its bounds. */
export class WriteQueue {
  #requests: WriteRequest[] = [];
  #characters = 0;
  #charactersTaken = 0;

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  get length(): number {
    return this.#requests.length;
  }

  get characters(): number {
    return this.#characters;
  }

  /** Of what was last taken. */
  get charactersTaken(): number {
    return this.#charactersTaken;
  }

  get records(): number {
    // What a decision will write is not known yet; it stands for one.
    return this.#requests.reduce(
      (sum, { bodies, decide }) => sum + (decide === undefined ? bodies.length : 1),
      0,
    );
  }

  /** In order, as they wait. */
  get waiting(): readonly WriteRequest[] {
    return this.#requests;
  }

  push(request: WriteRequest): void {
    this.#requests.push(request);
    this.#characters += charactersOf(request);
  }

  /** The longest run from the front within both bounds, and at least one request. */
  take(maxRequests: number, maxCharacters: number): WriteRequest[] {
    let count = 0;
    let characters = 0;
    for (const request of this.#requests) {
      const more = charactersOf(request);
      if (count > 0 && (count === maxRequests || characters + more > maxCharacters)) break;
      characters += more;
      count++;
    }
    this.#characters -= characters;
    this.#charactersTaken = characters;
    if (count < this.#requests.length) return this.#requests.splice(0, count);
    const all = this.#requests;
    this.#requests = [];
    return all;
  }

  takeAll(): WriteRequest[] {
    return this.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  putBack(requests: readonly WriteRequest[]): void {
    this.#requests.unshift(...requests);
    for (const request of requests) this.#characters += charactersOf(request);
  }
}

function charactersOf({ bodies }: WriteRequest): number {
  let characters = 0;
  for (const body of bodies) characters += body.length;
  return characters;
}
