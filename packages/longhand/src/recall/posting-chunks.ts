/**
 * Postings that grow: each term has a chain of chunks in one pool, small ones first, each twice as long as
 * the one before it. A query reads a term's postings from few places, and a rare term wastes little.
 *
 * A posting is one number: the document in the upper bits, the frequency (255 means 255 or more) in the lower
 * eight. A chunk begins with the start and the end of the chunk before it.
 */

import { grown } from './lexicon.ts';
import { type ListedPostings, NO_POSTINGS } from './postings.ts';

const HEADER = 2;
const FIRST_CHUNK = 4;
const LONGEST_CHUNK = 512;

export class PostingChunks {
  /** Term → how many postings it has. */
  counts = new Int32Array(1024);
  /** Term → start of its last chunk, where the next posting goes, and where the chunk ends. */
  #starts = new Int32Array(1024);
  #cursors = new Int32Array(1024);
  #ends = new Int32Array(1024);
  #pool = new Int32Array(1 << 14);
  #used = 1;

  /** Counts one occurrence of a term in a document. Documents come in rising order. */
  add(term: number, document: number): void {
    if (term >= this.counts.length) this.#growTerms(term + 1);
    let cursor = this.#cursors[term]!;
    if (cursor !== 0) {
      const last = this.#pool[cursor - 1]!;
      if (last >>> 8 === document) {
        if ((last & 255) !== 255) this.#pool[cursor - 1] = last + 1;
        return;
      }
    }
    if (cursor === this.#ends[term]) cursor = this.#newChunk(term);
    this.#pool[cursor] = (document << 8) | 1;
    this.#cursors[term] = cursor + 1;
    this.counts[term]!++;
  }

  #growTerms(needed: number): void {
    this.counts = grown(this.counts, needed);
    this.#starts = grown(this.#starts, needed);
    this.#cursors = grown(this.#cursors, needed);
    this.#ends = grown(this.#ends, needed);
  }

  #newChunk(term: number): number {
    const [start, end] = [this.#starts[term]!, this.#ends[term]!];
    const room = end === 0 ? FIRST_CHUNK : Math.min(LONGEST_CHUNK, 2 * (end - start - HEADER));
    const next = this.#used;
    this.#used += HEADER + room;
    this.#pool = grown(this.#pool, this.#used);
    this.#pool[next] = start;
    this.#pool[next + 1] = end;
    this.#starts[term] = next;
    this.#ends[term] = next + HEADER + room;
    return next + HEADER;
  }

  /** The postings of a term, without documents that `dead` marks. */
  list(term: number, dead: Uint8Array | undefined): ListedPostings {
    const count = this.counts[term] ?? 0;
    if (count === 0) return NO_POSTINGS;
    const documents = new Int32Array(count);
    const frequencies = new Uint8Array(count);
    const pool = this.#pool;
    let to = count;
    let start = this.#starts[term]!;
    let end = this.#cursors[term]!;
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
