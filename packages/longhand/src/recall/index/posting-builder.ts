import { grown } from './columns.ts';
import type { TermPostings } from './segment-writer.ts';

/** Builds the postings of one term at a time from its occurrences. */
export class PostingBuilder {
  #count = 0;
  #occurrences = 0;
  #documents = new Int32Array(1024);
  #frequencies = new Int32Array(1024);
  #positions = new Int32Array(1024);

  /** Adds an occurrence. Occurrences come sorted by document, then by position. */
  add(document: number, position: number): void {
    if (this.#occurrences === this.#positions.length) this.#grow();
    this.#positions[this.#occurrences++] = position;
    const last = this.#count - 1;
    if (last >= 0 && this.#documents[last] === document) this.#frequencies[last]!++;
    else {
      this.#documents[this.#count] = document;
      this.#frequencies[this.#count++] = 1;
    }
  }

  #grow(): void {
    this.#documents = grown(this.#documents, this.#occurrences + 1);
    this.#frequencies = grown(this.#frequencies, this.#occurrences + 1);
    this.#positions = grown(this.#positions, this.#occurrences + 1);
  }

  /** The postings of what was added since the last call. They are valid until more is added. */
  build(term: string, hasPositions: boolean): TermPostings {
    const count = this.#count;
    this.#count = 0;
    this.#occurrences = 0;
    const positions = hasPositions ? this.#positions : undefined;
    return { term, count, documents: this.#documents, frequencies: this.#frequencies, positions };
  }
}
