/** Sessions of a loaded index that are looked at with each query, until all were. Each costs microseconds. */
const CHECKS_A_QUERY = 16;
/** Once all were, one is looked at with every so many queries. */
const QUERIES_A_CHECK = 4;

/**
 * Which sessions are looked at although the change file does not name them: their logs may have been changed behind its
 * back.
 */
export class SessionChecks {
  readonly #ids: () => Iterable<string>;
  #unchecked: string[] = [];
  /** What has been looked at before: in turns, without end. */
  #turns: Iterator<string> = [].values();
  #queriesSinceCheck = 0;

  /** @param ids of all sessions that are followed */
  constructor(ids: () => Iterable<string>) {
    this.#ids = ids;
  }

  /** Whether the next query looks at any. */
  get isDue(): boolean {
    return this.#unchecked.length > 0 || this.#queriesSinceCheck + 1 >= QUERIES_A_CHECK;
  }

  /** From now on others are followed. @param unchecked those that nobody has looked at, the most urgent first */
  restart(unchecked: readonly string[] = []): void {
    this.#unchecked = [...unchecked];
    this.#turns = [].values();
  }

  /** Before all others. */
  addFirst(sessionId: string): void {
    this.#unchecked.unshift(sessionId);
  }

  /** A query is answered without a look at any. */
  pass(): void {
    this.#queriesSinceCheck++;
  }

  /** Those that a query looks at. */
  take(): readonly string[] {
    if (this.#unchecked.length > 0) return this.#unchecked.splice(0, CHECKS_A_QUERY);
    if (++this.#queriesSinceCheck < QUERIES_A_CHECK) return [];
    this.#queriesSinceCheck = 0;
    const next = this.#turns.next();
    if (!next.done) return [next.value];
    this.#turns = this.#ids()[Symbol.iterator]();
    return [];
  }
}
