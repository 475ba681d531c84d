import { type ListedPostings, NO_POSTINGS } from './postings.ts';

/** Postings that grow. A posting is one number: the document, then 8 bits of frequency (255 means 255 or more). */
export class PostingLists {
  readonly #lists = new Map<number, number[]>();

  /** Counts one occurrence of a term in a document. Documents come in rising order. */
  add(term: number, document: number): void {
    const list = this.#lists.get(term);
    if (list === undefined) {
      this.#lists.set(term, [(document << 8) | 1]);
      return;
    }
    const last = list[list.length - 1]!;
    if (last >>> 8 !== document) list.push((document << 8) | 1);
    else if ((last & 255) !== 255) list[list.length - 1] = last + 1;
  }

  /** The postings of a term, without documents that `dead` marks. */
  list(term: number, dead: Uint8Array | undefined): ListedPostings {
    const list = this.#lists.get(term);
    if (list === undefined) return NO_POSTINGS;
    const live = dead === undefined ? list : list.filter((posting) => dead[posting >>> 8] !== 1);
    const documents = new Int32Array(live.length);
    const frequencies = new Uint8Array(live.length);
    for (let at = 0; at < live.length; at++) {
      documents[at] = live[at]! >>> 8;
      frequencies[at] = live[at]! & 255;
    }
    return { kind: 'listed', count: live.length, documents, frequencies };
  }
}
