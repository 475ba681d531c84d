/**
 * Memory for the frames that segments cache: one fixed amount for the whole process, reused. If each frame had its own
 * array, a process with many segments would use as much for each of them, and garbage collection would come late.
 *
 * Frames go into the young generation. When it is full it becomes the old one, and the memory of the old one is reused;
 * segments copy the frames that are still asked for. That happens between queries only (`turn`), so a frame stays valid
 * until its user yields.
 */

/** A larger frame is not cached. */
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECES_A_GENERATION = 3;

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
