/**
 * Frames of a segment that were read, by their place.
 *
 * Two generations: what is asked for stands in the young one. When that has taken half of the room, it becomes
 * the old one, and what was in the old one and not asked for meanwhile is forgotten. So a hit moves nothing, as
 * a list in the order of use would, and hits are what queries are made of.
 */
export class FrameCache {
  readonly #maxBytes: number;
  #young = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #youngBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(offset: number): Uint8Array | undefined {
    const young = this.#young.get(offset);
    if (young !== undefined) return young;
    const old = this.#old.get(offset);
    if (old !== undefined) this.set(offset, old);
    return old;
  }

  set(offset: number, bytes: Uint8Array): void {
    if (this.#youngBytes + bytes.length > this.#maxBytes / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(offset, bytes);
    this.#youngBytes += bytes.length;
  }
}
