import { encodeLineAt, LINE_OVERHEAD_BYTES } from '../../core/line.ts';

/** Holds the largest write that requests are joined into. Pages that were never written to take no memory. */
const PIECE_BYTES = 1_048_576;
/** About as much as a busy log writes between two syncs. */
const MAX_FREE_PIECES = 12;
/** The most bytes that a character of a text takes. */
const BYTES_PER_CHARACTER = 3;
const NEWLINE = 0x0a;

interface Piece {
  readonly bytes: Buffer;
  /** Taken, and not given back. */
  keptBytes: number;
}

/**
 * Where records become lines on their way into a log, one after the other in a piece of memory that many writes
 * share. The caller that takes lines may keep them until it gives them back, which is when they are on the disk
 * (`syncer.ts`). A piece whose lines were all given back is used again: ten busy processes then write a tenth more
 * than with fresh memory, which the kernel has to clear and the garbage collector to follow. Lines that are never
 * given back cost no more than that: their piece goes with them.
 */
export class LineBuffer {
  readonly #pieces = new WeakMap<ArrayBufferLike, Piece>();
  readonly #free: Piece[] = [];
  #piece: Piece = { bytes: Buffer.alloc(0), keptBytes: 0 };
  /** Of what was not taken yet. */
  #start = 0;
  #end = 0;
  /** Lines that were made elsewhere, as long as there are no others: then they need not be copied. */
  #readyMade: Buffer | undefined;

  /** Bytes that were not taken yet. */
  get length(): number {
    return this.#readyMade?.length ?? this.#end - this.#start;
  }

  /** Drops what was not taken. */
  clear(): void {
    this.#readyMade = undefined;
    if (this.#piece.keptBytes === 0) this.#start = 0;
    this.#end = this.#start;
  }

  /** Records as lines, numbered from `firstSeq` on. */
  addRecords(bodies: readonly string[], firstSeq: number, withChecksum: boolean): void {
    this.#reserve(roomFor(bodies));
    const { bytes } = this.#piece;
    let seq = firstSeq;
    for (const body of bodies) this.#end = encodeLineAt(bytes, this.#end, body, seq++, withChecksum);
  }

  /** Lines that were made before. */
  addLines(lines: Buffer): void {
    if (this.length === 0) this.#readyMade = lines;
    else this.#copy(lines);
  }

  addNewline(): void {
    this.#reserve(1);
    this.#piece.bytes[this.#end++] = NEWLINE;
  }

  /** Drops all but the first bytes, which end where something was added. */
  cutTo(length: number): void {
    if (this.#readyMade === undefined) this.#end = this.#start + length;
    else if (length === 0) this.#readyMade = undefined;
  }

  take(): Buffer {
    if (this.#readyMade !== undefined) {
      const taken = this.#readyMade;
      this.#readyMade = undefined;
      return taken;
    }
    const taken = this.#piece.bytes.subarray(this.#start, this.#end);
    this.#piece.keptBytes += taken.length;
    this.#start = this.#end;
    return taken;
  }

  /** The caller no longer reads these. Once for what `take` gave; bytes of other origin are left alone. */
  giveBack(taken: Buffer): void {
    const piece = this.#pieces.get(taken.buffer);
    if (piece === undefined || taken.length === 0) return;
    piece.keptBytes -= taken.length;
    if (piece !== this.#piece) this.#reuse(piece);
  }

  #copy(lines: Buffer): void {
    this.#reserve(lines.length);
    this.#end += lines.copy(this.#piece.bytes, this.#end);
  }

  #reserve(bytes: number): void {
    if (this.#readyMade !== undefined) {
      const lines = this.#readyMade;
      this.#readyMade = undefined;
      this.#copy(lines);
    }
    if (this.#end + bytes <= this.#piece.bytes.length) return;
    const full = this.#piece;
    const { length } = this;
    const next = this.#nextPiece(length + bytes);
    full.bytes.copy(next.bytes, 0, this.#start, this.#end);
    this.#piece = next;
    this.#start = 0;
    this.#end = length;
    this.#reuse(full);
  }

  #nextPiece(bytes: number): Piece {
    const free = bytes <= PIECE_BYTES ? this.#free.pop() : undefined;
    if (free !== undefined) return free;
    const piece = { bytes: Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes)), keptBytes: 0 };
    this.#pieces.set(piece.bytes.buffer, piece);
    return piece;
  }

  #reuse(piece: Piece): void {
    const isUsual = piece.bytes.length === PIECE_BYTES && this.#free.length < MAX_FREE_PIECES;
    if (piece.keptBytes === 0 && isUsual) this.#free.push(piece);
  }
}

/** A guess that is never too small; counted when the guess would waste much. */
function roomFor(bodies: readonly string[]): number {
  let characters = 0;
  for (const body of bodies) characters += body.length;
  const overhead = bodies.length * LINE_OVERHEAD_BYTES;
  const most = characters * BYTES_PER_CHARACTER + overhead;
  if (most < PIECE_BYTES / 4) return most;
  return bodies.reduce((sum, body) => sum + Buffer.byteLength(body), overhead);
}

/** One for all logs: lines are made and taken without a pause in between. */
export const sharedLines = new LineBuffer();
