/**
 * Postings that grow: each term has a chain of chunks in one pool, each chunk twice as long as the one before it. A rare
 * term wastes little, and a frequent one is read from few places.
 *
 * A posting is one number: the document, then 8 bits of frequency (255 means 255 or more). A chunk begins with the
 * start and the end of the chunk before it.
 */

import { grown } from './columns.ts';
import { type ListedPostings, NO_POSTINGS } from './postings.ts';

const HEADER = 2;
const FIRST_CHUNK = 4;
const LONGEST_CHUNK = 512;

/** The cells of a term: the number of postings, where the next one goes, where the last chunk ends and starts. */
const [COUNT, CURSOR, END, START, CELLS] = [0, 1, 2, 3, 4] as const;

export class PostingChunks {
  // The cells of a term share a cache line: adding spends its time waiting for them.
  #cells = new Int32Array(CELLS * 64);
  #pool = new Int32Array(1 << 9);
  #used = 1;

  count(term: number): number {
    return this.#cells[CELLS * term + COUNT] ?? 0;
  }

  /** Counts one occurrence of a term in a document. Documents come in rising order. */
  add(term: number, document: number): void {
    const at = CELLS * term;
    if (at >= this.#cells.length) this.#cells = grown(this.#cells, at + CELLS);
    const cells = this.#cells;
    let cursor = cells[at + CURSOR]!;
    if (cursor !== 0) {
      const last = this.#pool[cursor - 1]!;
      if (last >>> 8 === document) {
        if ((last & 255) !== 255) this.#pool[cursor - 1] = last + 1;
        return;
      }
    }
    if (cursor === cells[at + END]) cursor = this.#newChunk(at);
    this.#pool[cursor] = (document << 8) | 1;
    cells[at + CURSOR] = cursor + 1;
    cells[at + COUNT]!++;
  }

  #newChunk(at: number): number {
    const cells = this.#cells;
    const [start, end] = [cells[at + START]!, cells[at + END]!];
    const room = end === 0 ? FIRST_CHUNK : Math.min(LONGEST_CHUNK, 2 * (end - start - HEADER));
    const next = this.#used;
    this.#used += HEADER + room;
    this.#pool = grown(this.#pool, this.#used);
    this.#pool[next] = start;
    this.#pool[next + 1] = end;
    cells[at + START] = next;
    cells[at + END] = next + HEADER + room;
    return next + HEADER;
  }

  /** The postings of a term, without documents that `dead` marks. */
  list(term: number, dead: Uint8Array | undefined): ListedPostings {
    const count = this.count(term);
    if (count === 0) return NO_POSTINGS;
    const documents = new Int32Array(count);
    const frequencies = new Uint8Array(count);
    const pool = this.#pool;
    let to = count;
    let start = this.#cells[CELLS * term + START]!;
    let end = this.#cells[CELLS * term + CURSOR]!;
    while (start !== 0) {
      for (let at = end - 1; at >= start + HEADER; at--) {
        const posting = pool[at]!;
        const document = posting >>> 8;
        if (dead !== undefined && dead[document] === 1) continue;
        documents[--to] = document;
        frequencies[to] = posting & 255;
      }
      end = pool[start + 1]!;
      start = pool[start]!;
    }
    return {
      kind: 'listed',
      count: count - to,
      documents: documents.subarray(to),
      frequencies: frequencies.subarray(to),
    };
  }
}
