/** Caches with two generations: of frames, in memory that is used again, and of whatever else was asked for lately. */

/** A larger frame is not cached. */
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECES_A_GENERATION = 3;

/**
 * Memory for the frames that segments cache: one fixed amount for the whole process, reused. If each frame had its own
 * array, a process with many segments would use as much for each of them, and garbage collection would come late.
 *
 * Frames go into the young generation. When it is full it becomes the old one, and the memory of the old one is reused;
 * segments copy the frames that are still asked for. That happens between queries only (`turn`), so a frame stays valid
 * until its user yields.
 */
export class FrameMemory {
  readonly #pieceBytes: number;
  readonly #piecesAGeneration: number;
  /** Rises with each turn. A frame is valid in its own generation and in the next one. */
  generation = 0;
  #young: Uint8Array[] = [];
  #old: Uint8Array[] = [];
  /** To be reused. */
  #spare: Uint8Array[] = [];
  /** How much of the last young piece is taken. */
  #taken: number;
  #isFull = false;

  constructor(pieceBytes = PIECE_BYTES, piecesAGeneration = PIECES_A_GENERATION) {
    this.#pieceBytes = pieceBytes;
    this.#piecesAGeneration = piecesAGeneration;
    this.#taken = pieceBytes;
  }

  /** Room for a frame; `undefined` when there is none until the next turn. */
  take(length: number): Uint8Array | undefined {
    if (length > this.#pieceBytes) return undefined;
    if (this.#taken + length > this.#pieceBytes) {
      if (this.#young.length === this.#piecesAGeneration) {
        this.#isFull = true;
        return undefined;
      }
      this.#young.push(this.#spare.pop() ?? new Uint8Array(this.#pieceBytes));
      this.#taken = 0;
    }
    const start = this.#taken;
    this.#taken += length;
    return this.#young.at(-1)!.subarray(start, this.#taken);
  }

  /** Makes room when there is none left: frames of the old generation become invalid. */
  turn(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.generation++;
    [this.#young, this.#old, this.#spare] = [[], this.#young, this.#old];
    this.#taken = this.#pieceBytes;
  }
}

/** Shared by all segments of this process. */
export const frameMemory = new FrameMemory();

/**
 * A bounded cache with two generations. A lookup moves its entry into the young one. When that takes half of the room it
 * becomes the old one, and the old entries are dropped. A hit in the young generation moves nothing, unlike in an LRU list.
 */
export class RecentlyUsed<Key, Value> {
  readonly #room: number;
  readonly #sizeOf: (value: Value) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngSize = 0;

  /** @param room what all entries may take together; how many there may be when nothing tells what one takes */
  constructor(room: number, sizeOf: (value: Value) => number = () => 1) {
    this.#room = room;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Keeps nothing that takes more than half of the room. */
  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value);
    if (2 * size > this.#room) return;
    const replaced = this.#young.get(key);
    if (replaced !== undefined) this.#youngSize -= this.#sizeOf(replaced);
    if (2 * (this.#youngSize + size) > this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    this.#youngSize += size;
    this.#young.set(key, value);
  }
}
