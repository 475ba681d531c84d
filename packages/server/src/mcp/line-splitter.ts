const NEWLINE = 0x0a;

/** A line, without its end; `undefined` stands for one that was longer than the limit, of which nothing was kept. */
export type Line = Uint8Array | undefined;

/**
 * Cuts a stream of bytes into lines. It holds no more than one line and no more of it than the limit: the rest of a
 * longer one is skipped up to its end, and the next line counts again.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Uint8Array): readonly Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** What came after the last line: a line without an end, when there is something of it. */
  end(): readonly Line[] {
    return this.#bytes === 0 && !this.#isTooLong ? [] : [this.#take()];
  }

  #add(part: Uint8Array): void {
    if (this.#isTooLong || part.byteLength === 0) return;
    this.#bytes += part.byteLength;
    this.#isTooLong = this.#bytes > this.#maxBytes;
    if (this.#isTooLong) this.#parts = [];
    else this.#parts.push(part);
  }

  #take(): Line {
    const line = this.#isTooLong ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#isTooLong = false;
    return line;
  }
}
