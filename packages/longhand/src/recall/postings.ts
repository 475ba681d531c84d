/**
 * The live postings of a term in one part of the index.
 *
 * A segment without dead documents hands out the bytes as they lie on disk, and scoring decodes them as it
 * goes. In every other case (a tail, a segment with dead documents, the terms of a wildcard together) the
 * postings are written out first, without the dead: only so is the number of documents, which the weight of
 * the term depends on, that of the live ones.
 */

export interface RawPostings {
  readonly kind: 'raw';
  readonly count: number;
  /** Distances between documents, then a byte of frequency for each. */
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

/** The place of a number among rising ones, the first `count` of an array, or of the first that is greater. */
export function placeOf(rising: Int32Array, wanted: number, count = rising.length): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Reads a segment's postings (as scoring does itself, in match.ts): the documents of `count` postings, rising, into
 * an array that has room for them. Their frequencies are the last `count` bytes, as they lie.
 */
function readDocuments(bytes: Uint8Array, count: number, documents: Int32Array): void {
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
}

/** Writes postings out, without the documents that `dead` marks. */
export function listPostings(bytes: Uint8Array, count: number, dead: Uint8Array | undefined): ListedPostings {
  const documents = new Int32Array(count);
  readDocuments(bytes, count, documents);
  const frequencies = bytes.subarray(bytes.length - count);
  if (dead === undefined) return { kind: 'listed', count, documents, frequencies };
  const keptFrequencies = new Uint8Array(count);
  let kept = 0;
  for (let posting = 0; posting < count; posting++) {
    const document = documents[posting]!;
    if (dead[document] === 1) continue;
    documents[kept] = document;
    keptFrequencies[kept++] = frequencies[posting]!;
  }
  return {
    kind: 'listed',
    count: kept,
    documents: documents.subarray(0, kept),
    frequencies: keptFrequencies.subarray(0, kept),
  };
}

/** The document numbers of postings, rising. */
export function documentsOf(postings: Postings): Int32Array {
  return listed(postings).documents;
}

/** How often a document is said to hold the term; 0 when it is not among the postings. */
export function frequencyIn(postings: Postings, document: number): number {
  const { documents, frequencies } = listed(postings);
  const at = placeOf(documents, document);
  return documents[at] === document ? frequencies[at]! : 0;
}

/** Postings written out. */
export function listed(postings: Postings): ListedPostings {
  return postings.kind === 'listed' ? postings : listPostings(postings.bytes, postings.count, undefined);
}

/** Postings of documents, rising, that hold something once. */
export function listedOnce(documents: Int32Array): ListedPostings {
  const frequencies = new Uint8Array(documents.length).fill(1);
  return { kind: 'listed', count: documents.length, documents, frequencies };
}

/** So many lists are joined to a longer one; of more, all are put into a table. */
const MAX_FEW_LISTS = 4;
/** And together they have at most one in so many of its documents. */
const FEW_SHARE = 8;

/** Several postings as one; a document's frequency is the highest that it has in any of them. */
export function unionPostings(all: readonly Postings[], documentCount: number): ListedPostings {
  const [longest, ...others] = all
    .filter(({ count }) => count > 0)
    .toSorted((left, right) => right.count - left.count);
  if (longest === undefined) return NO_POSTINGS;
  if (others.length === 0) return listed(longest);
  const count = others.reduce((sum, each) => sum + each.count, 0);
  // A word and another way of writing it: one of both is rare.
  if (others.length <= MAX_FEW_LISTS && count * FEW_SHARE <= longest.count)
    return withFew(longest, others.map(listed).reduce(withFew));
  return unionByTable([longest, ...others], documentCount);
}

/** Joined from the end, in the array that the many are written to: what stands between two of the few is moved as a whole. */
function withFew(many: Postings, few: ListedPostings): ListedPostings {
  const documents = new Int32Array(many.count + few.count);
  const frequencies = new Uint8Array(documents.length);
  if (many.kind === 'listed') {
    documents.set(many.documents);
    frequencies.set(many.frequencies);
  } else {
    readDocuments(many.bytes, many.count, documents);
    frequencies.set(many.bytes.subarray(many.bytes.length - many.count));
  }
  let left = many.count;
  let start = documents.length;
  for (let posting = few.count - 1; posting >= 0; posting--) {
    const document = few.documents[posting]!;
    const place = placeOf(documents, document, left);
    const isInBoth = place < left && documents[place] === document;
    const frequency = Math.max(few.frequencies[posting]!, isInBoth ? frequencies[place]! : 0);
    const behind = isInBoth ? place + 1 : place;
    start -= left - behind;
    documents.copyWithin(start, behind, left);
    frequencies.copyWithin(start, behind, left);
    left = place;
    documents[--start] = document;
    frequencies[start] = frequency;
  }
  start -= left;
  documents.copyWithin(start, 0, left);
  frequencies.copyWithin(start, 0, left);
  return {
    kind: 'listed',
    count: documents.length - start,
    documents: documents.subarray(start),
    frequencies: frequencies.subarray(start),
  };
}

function unionByTable(all: readonly Postings[], documentCount: number): ListedPostings {
  const frequencies = new Uint8Array(documentCount);
  let count = 0;
  for (const postings of all) {
    const each = listed(postings);
    for (let posting = 0; posting < each.count; posting++) {
      const document = each.documents[posting]!;
      const known = frequencies[document]!;
      if (known === 0) count++;
      frequencies[document] = Math.max(known, each.frequencies[posting]!);
    }
  }
  const documents = new Int32Array(count);
  const kept = new Uint8Array(count);
  let next = 0;
  for (let document = 0; next < count; document++) {
    const frequency = frequencies[document]!;
    if (frequency === 0) continue;
    documents[next] = document;
    kept[next++] = frequency;
  }
  return { kind: 'listed', count, documents, frequencies: kept };
}
