/** What is known of the use of a memory, from the log's access records. */
export interface MemoryUse {
  readonly lastAccessMs?: number;
  readonly accessCount?: number;
}

/**
 * The uses of one session's memories.
 *
 * A ranking asks for hundreds of memories whether they were used, and a segment would have to be read for each of
 * their ids. Segments have a column with a hash of every id instead: a memory whose hash is not among those of
 * the used ones was not used.
 */
export class MemoryUses<Use extends MemoryUse = MemoryUse> {
  readonly #byId = new Map<string, Use>();
  /** Also of those that were deleted since: one too many only costs a look. */
  readonly #hashes = new Set<number>();

  constructor(uses: Iterable<readonly [string, Use]> = []) {
    for (const [id, use] of uses) this.set(id, use);
  }

  set(id: string, use: Use): void {
    this.#byId.set(id, use);
    this.#hashes.add(hashOf(id));
  }

  get(id: string): Use | undefined {
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** False when no memory whose id has this hash was used. */
  mayHold(idHash: number): boolean {
    return this.#hashes.has(idHash);
  }

  [Symbol.iterator](): Iterator<[string, Use]> {
    return this.#byId[Symbol.iterator]();
  }
}

/** A hash of an id, as segments hold it: 31 bits, which the engine keeps without an object. */
export function hashOf(id: string): number {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) & 0x3fff_ffff;
}
