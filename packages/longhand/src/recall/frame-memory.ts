/**
 * The memory in which segments keep the frames that were asked for lately: one for all of them, of a fixed size, and
 * used again and again. With arrays of their own, frames that are forgotten would be collected late, and a process with
 * many segments would take as much for each of them.
 *
 * Two generations, as in `RecentlyUsed`: frames are put into the young one. When that is full it becomes the old one,
 * and the memory of the old one is written over; what was asked for meanwhile has been copied. That happens between
 * queries alone (`turn`), so that whoever works with a frame can rely on it until it lets go of the thread.
 */

/** Of one piece of the memory, taken when it is needed. A larger frame is not kept. */
const PIECE_BYTES = 4 * 1024 * 1024;
const PIECES_A_GENERATION = 3;

export class FrameMemory {
  readonly #pieceBytes: number;
  readonly #piecesAGeneration: number;
  #generation = 0;
  #young: Uint8Array[] = [];
  #old: Uint8Array[] = [];
  /** To be written over. */
  #spare: Uint8Array[] = [];
  /** How much of the last young piece is taken. */
  #taken: number;
  #isFull = false;

  constructor(pieceBytes = PIECE_BYTES, piecesAGeneration = PIECES_A_GENERATION) {
    this.#pieceBytes = pieceBytes;
    this.#piecesAGeneration = piecesAGeneration;
    this.#taken = pieceBytes;
  }

  /** Rises with each turn: what was put in one generation is there until the end of the next. */
  get generation(): number {
    return this.#generation;
  }

  /** Room for a frame; `undefined` when there is none before the next turn. */
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

  /** Makes room when there is none left. Frames that were given out before may be written over from now on. */
  turn(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#generation++;
    [this.#young, this.#old, this.#spare] = [[], this.#young, this.#old];
    this.#taken = this.#pieceBytes;
  }
}

/** Of all segments of this process. */
export const frameMemory = new FrameMemory();
