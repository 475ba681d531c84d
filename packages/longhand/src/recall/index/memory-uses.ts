/** From the log's access records. */
export interface MemoryUse {
  readonly lastAccessMs: number;
  readonly accessCount: number;
}

/**
 * The uses of one session's memories. Ranking asks for hundreds of memories whether they were used. Segments hold a
 * hash of every id as a column, so that a memory's id is only read when its hash is among those of used memories.
 */
export class MemoryUses {
  #byId = new Map<string, MemoryUse>();
  /** Deleted ids stay: a hash too many only costs a lookup. */
  readonly #hashes = new Set<number>();
  /** Parsed at first use: a process that starts needs the uses of few sessions. */
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
    this.#parse();
    this.#byId.set(id, use);
    this.#hashes.add(hashOf(id));
  }

  get(id: string): MemoryUse | undefined {
    this.#parse();
    return this.#byId.get(id);
  }

  delete(id: string): void {
    this.#parse();
    this.#byId.delete(id);
  }

  /** False when no used memory has this hash. */
  mayHold(idHash: number): boolean {
    if (this.#unread !== '') this.#parse();
    return this.#hashes.has(idHash);
  }

  /** For `fromText`. Leaves out what is not an id: ids are letters, digits and underscores. */
  get text(): string {
    if (this.#unread !== '') return this.#unread;
    let text = '';
    for (const [id, { lastAccessMs, accessCount }] of this.#byId) {
      if (/^\w+$/.test(id)) text += `${id} ${lastAccessMs} ${accessCount},`;
    }
    return text;
  }

  #parse(): void {
    const text = this.#unread;
    this.#unread = '';
    for (let at = 0; at < text.length; at = text.indexOf(',', at) + 1) {
      const [id, lastAccessMs, accessCount] = text.slice(at, text.indexOf(',', at)).split(' ');
      this.set(id!, { lastAccessMs: Number(lastAccessMs), accessCount: Number(accessCount) });
    }
  }
}

/** The hash of an id, as segments hold it: a small integer, which V8 stores without an object. */
export function hashOf(id: string): number {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) & 0x3fff_ffff;
}
