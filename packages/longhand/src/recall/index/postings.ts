/**
 * The live postings of a term in one part of the index.
 *
 * A segment without dead documents hands out the bytes of the frame, and scoring decodes them as it goes. Otherwise
 * they are listed without the dead: the weight of a term depends on the number of live documents that hold it.
 */

interface RawPostings {
  readonly kind: 'raw';
  readonly count: number;
  /** The distances between documents, then a byte of frequency for each. */
  readonly bytes: Uint8Array;
}

export interface ListedPostings {
  readonly kind: 'listed';
  readonly count: number;
  /** Rising. */
  readonly documents: Int32Array;
  /** 255 means 255 or more. */
  readonly frequencies: Uint8Array;
}

export type Postings = RawPostings | ListedPostings;

export const NO_POSTINGS: ListedPostings = {
  kind: 'listed',
  count: 0,
  documents: new Int32Array(0),
  frequencies: new Uint8Array(0),
};

/** The index of the first of some rising numbers that is not below `wanted`. */
export function placeOf(rising: Int32Array, wanted: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Decodes the postings of a segment, without the documents that `dead` marks. Scoring has its own loop, in match.ts. */
export function listPostings(bytes: Uint8Array, count: number, dead: Uint8Array | undefined): ListedPostings {
  const documents = new Int32Array(count);
  let at = 0;
  let document = 0;
  for (let posting = 0; posting < count; posting++) {
    let byte = bytes[at++]!;
    if (byte < 128) document += byte;
    else {
      let distance = byte & 127;
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = bytes[at++]!;
        distance |= (byte & 127) << shift;
      }
      document += distance;
    }
    documents[posting] = document;
  }
  const frequencies = bytes.subarray(bytes.length - count);
  if (dead === undefined) return { kind: 'listed', count, documents, frequencies };
  const liveFrequencies = new Uint8Array(count);
  let live = 0;
  for (let posting = 0; posting < count; posting++) {
    if (dead[documents[posting]!] === 1) continue;
    documents[live] = documents[posting]!;
    liveFrequencies[live++] = frequencies[posting]!;
  }
  return {
    kind: 'listed',
    count: live,
    documents: documents.subarray(0, live),
    frequencies: liveFrequencies.subarray(0, live),
  };
}

export function listed(postings: Postings): ListedPostings {
  return postings.kind === 'listed' ? postings : listPostings(postings.bytes, postings.count, undefined);
}

/** The document numbers of postings, rising. */
export function documentsOf(postings: Postings): Int32Array {
  return listed(postings).documents;
}

/** The frequency of the term in a document; 0 when it is not among the postings. */
export function frequencyIn(postings: Postings, document: number): number {
  const { documents, frequencies } = listed(postings);
  const at = placeOf(documents, document);
  return documents[at] === document ? frequencies[at]! : 0;
}

/** Postings with a frequency of 1. @param documents rising */
export function listedOnce(documents: Int32Array): ListedPostings {
  const frequencies = new Uint8Array(documents.length).fill(1);
  return { kind: 'listed', count: documents.length, documents, frequencies };
}

/** The union of several postings; a document has the highest of its frequencies. */
export function unionPostings(all: readonly Postings[], documentCount: number): ListedPostings {
  const held = all.filter(({ count }) => count > 0);
  if (held.length < 2) return listed(held[0] ?? NO_POSTINGS);
  const highest = new Uint8Array(documentCount);
  let count = 0;
  for (const postings of held) {
    const { documents, frequencies } = listed(postings);
    for (let posting = 0; posting < documents.length; posting++) {
      const document = documents[posting]!;
      const known = highest[document]!;
      if (known === 0) count++;
      highest[document] = Math.max(known, frequencies[posting]!);
    }
  }
  const documents = new Int32Array(count);
  const frequencies = new Uint8Array(count);
  let next = 0;
  for (let document = 0; next < count; document++) {
    const frequency = highest[document]!;
    if (frequency === 0) continue;
    documents[next] = document;
    frequencies[next++] = frequency;
  }
  return { kind: 'listed', count, documents, frequencies };
}
