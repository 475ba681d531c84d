/** What is known of the use of a memory, from the log's access records. */
export interface MemoryUse {
  readonly lastAccessMs: number;
  readonly accessCount: number;
}

/**
 * The uses of one session's memories.
 *
 * A ranking asks for hundreds of memories whether they were used, and a segment would have to be read for each of
 * their ids. Segments have a column with a hash of every id instead: a memory whose hash is not among those of
 * the used ones was not used.
 */
export class MemoryUses {
  #byId = new Map<string, MemoryUse>();
  /** Also of those that were deleted since: one too many only costs a look. */
  readonly #hashes = new Set<number>();
  /** What `text` gave, until somebody asks: a process that starts needs the uses of few sessions. */
  #unread = '';

  constructor(uses: Iterable<readonly [string, MemoryUse]> = []) {
    for (const [id, use] of uses) this.set(id, use);
  }

  static fromText(text: string): MemoryUses {
    const uses = new MemoryUses();
    uses.#unread = text;
    return uses;
  }

  set(id: string, use: MemoryUse): void {
    this.#read();
    this.#byId.set(id, use);
    this.#hashes.add(hashOf(id));
  }

  get(id: string): MemoryUse | undefined {
    this.#read();
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#read();
    this.#byId.delete(id);
  }

  /** False when no memory whose id has this hash was used. */
  mayHold(idHash: number): boolean {
    if (this.#unread !== '') this.#read();
    return this.#hashes.has(idHash);
  }

  /** One line for all of them. Ids are letters, digits and underscores; what is under another name is nothing. */
  get text(): string {
    if (this.#unread !== '') return this.#unread;
    let text = '';
    for (const [id, { lastAccessMs, accessCount }] of this.#byId) {
      if (/^\w+$/.test(id)) text += `${id} ${lastAccessMs} ${accessCount},`;
    }
    return text;
  }

  #read(): void {
    const text = this.#unread;
    this.#unread = '';
    for (let at = 0; at < text.length; at = text.indexOf(',', at) + 1) {
      const [id, lastAccessMs, accessCount] = text.slice(at, text.indexOf(',', at)).split(' ');
      this.set(id!, { lastAccessMs: Number(lastAccessMs), accessCount: Number(accessCount) });
    }
  }
}

/** A hash of an id, as segments hold it: 31 bits, which the engine keeps without an object. */
export function hashOf(id: string): number {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) & 0x3fff_ffff;
}
