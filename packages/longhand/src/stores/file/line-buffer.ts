import { encodeLineAt, LINE_OVERHEAD_BYTES } from '../../core/line.ts';

/** Room for a few dozen lines. Larger pieces come from the system one by one, and cost more than they save. */
const PIECE_BYTES = 65_536;
/** The most bytes that a character of a text takes. */
const BYTES_PER_CHARACTER = 3;
/** Beyond it, counting a text's bytes costs less than the room that a guess would waste. */
const LONG_CHARACTERS = 4_096;
const NEWLINE = 0x0a;

/**
 * Where records become lines on their way into a log, one behind the other in a piece of memory that many writes
 * share. What `take` gave out is never touched again: it is kept until it is on the disk (`syncer.ts`), and a piece
 * goes when nobody keeps any of it.
 */
export class LineBuffer {
  #piece = Buffer.alloc(0);
  /** Of what was not taken yet. */
  #start = 0;
  #end = 0;

  /** Bytes that were not taken yet. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Records as lines, numbered from `firstSeq` on. */
  addRecords(bodies: readonly string[], firstSeq: number, withChecksum: boolean): void {
    let room = 0;
    for (const body of bodies) room += LINE_OVERHEAD_BYTES + mostBytesOf(body);
    this.#reserve(room);
    let seq = firstSeq;
    for (const body of bodies) this.#end = encodeLineAt(this.#piece, this.#end, body, seq++, withChecksum);
  }

  addLines(lines: Buffer): void {
    this.#reserve(lines.length);
    this.#end += lines.copy(this.#piece, this.#end);
  }

  addNewline(): void {
    this.#reserve(1);
    this.#piece[this.#end++] = NEWLINE;
  }

  /** Drops all but the first bytes. */
  cutTo(length: number): void {
    this.#end = this.#start + length;
  }

  take(): Buffer {
    const taken = this.#piece.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return taken;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#piece.length) return;
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, 2 * length + bytes));
    this.#piece.copy(larger, 0, this.#start, this.#end);
    this.#piece = larger;
    this.#start = 0;
    this.#end = length;
  }
}

function mostBytesOf(text: string): number {
  return text.length > LONG_CHARACTERS ? Buffer.byteLength(text) : text.length * BYTES_PER_CHARACTER;
}
