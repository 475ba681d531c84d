/**
 * Turns a tail into the material of a segment: live documents in the order of sessions, and for each term its
 * postings and positions. Both are gathered by counting (how many has each term?) and then placing, so the
 * work grows with the number of words and nothing is sorted but documents and terms.
 */

import { DocumentTable, type SessionRun } from './document-table.ts';
import type { SegmentSource, TermPostings } from './segment-writer.ts';
import type { SessionRegistry } from './session-registry.ts';
import { GAP, type Tail } from './tail.ts';

export function sealTail(tail: Tail, registry: SessionRegistry): SegmentSource {
  const documents = liveDocuments(tail, registry);
  const table = new DocumentTable();
  for (const document of documents) table.copy(tail.table, document, tail.table.author[document]!);
  const sessionOf = (position: number): string => registry.ids[tail.session[documents[position]!]!]!;
  const terms = gather(tail, documents);
  return { table, sessions: sessionRuns(table, sessionOf), authors: tail.authors, terms };
}

/** Compares texts by code units, which is the order of every sorted thing in a segment. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function liveDocuments(tail: Tail, registry: SessionRegistry): Int32Array {
  const live: number[] = [];
  for (let document = 0; document < tail.table.count; document++) {
    if (tail.dead[document] === 0) live.push(document);
  }
  const { order } = tail.table;
  live.sort((left, right) => {
    const [a, b] = [tail.session[left]!, tail.session[right]!];
    return a === b ? order[left]! - order[right]! : compareTexts(registry.ids[a]!, registry.ids[b]!);
  });
  return Int32Array.from(live);
}

/** Cuts a sorted table into the stretches of its sessions. */
export function sessionRuns(table: DocumentTable, sessionOf: (document: number) => string): SessionRun[] {
  const runs: SessionRun[] = [];
  let start = 0;
  while (start < table.count) {
    const id = sessionOf(start);
    let end = start;
    let length = 0;
    while (end < table.count && sessionOf(end) === id) length += table.length[end++]!;
    runs.push({ id, start, end, length, firstOrder: table.order[start]!, lastOrder: table.order[end - 1]! });
    start = end;
  }
  return runs;
}

function* gather(tail: Tail, documents: Int32Array): Generator<TermPostings> {
  const { terms } = tail.lexicon;
  const { termOfWord } = tail.lexicon;
  const postingEnds = new Int32Array(terms.length + 1);
  const positionEnds = new Int32Array(terms.length + 1);
  const isWord = new Uint8Array(terms.length);
  for (const document of documents) {
    const last = tail.postingStarts[document + 1]!;
    for (let at = tail.postingStarts[document]!; at < last; at++) postingEnds[tail.postingTerm[at]! + 1]!++;
    const lastWord = tail.streamStarts[document + 1]!;
    for (let at = tail.streamStarts[document]!; at < lastWord; at++) {
      const word = tail.stream[at]!;
      if (word !== GAP) positionEnds[termOfWord[word]! + 1]!++;
    }
  }
  for (let term = 0; term < terms.length; term++) {
    isWord[term] = positionEnds[term + 1]! > 0 ? 1 : 0;
    postingEnds[term + 1]! += postingEnds[term]!;
    positionEnds[term + 1]! += positionEnds[term]!;
  }
  const placed = place(tail, documents, postingEnds, positionEnds);
  const sorted = Array.from({ length: terms.length }, (_, term) => term)
    .filter((term) => placed.postingCursors[term]! > postingEnds[term]!)
    .sort((left, right) => compareTexts(terms[left]!, terms[right]!));
  for (const term of sorted) {
    const [start, end] = [postingEnds[term]!, placed.postingCursors[term]!];
    yield {
      term: terms[term]!,
      count: end - start,
      documents: placed.documents.subarray(start, end),
      frequencies: placed.frequencies.subarray(start, end),
      positions:
        isWord[term] === 1
          ? placed.positions.subarray(positionEnds[term]!, placed.positionCursors[term]!)
          : undefined,
    };
  }
}

function place(tail: Tail, documents: Int32Array, postingStarts: Int32Array, positionStarts: Int32Array) {
  const { termOfWord } = tail.lexicon;
  const postingCursors = postingStarts.slice();
  const positionCursors = positionStarts.slice();
  const placedDocuments = new Int32Array(postingStarts.at(-1)!);
  const frequencies = new Int32Array(placedDocuments.length);
  const positions = new Int32Array(positionStarts.at(-1)!);
  for (let position = 0; position < documents.length; position++) {
    const document = documents[position]!;
    const last = tail.postingStarts[document + 1]!;
    for (let at = tail.postingStarts[document]!; at < last; at++) {
      const to = postingCursors[tail.postingTerm[at]!]!++;
      placedDocuments[to] = position;
      frequencies[to] = tail.postingFrequency[at]!;
    }
    const firstWord = tail.streamStarts[document]!;
    const lastWord = tail.streamStarts[document + 1]!;
    for (let at = firstWord; at < lastWord; at++) {
      const word = tail.stream[at]!;
      if (word !== GAP) positions[positionCursors[termOfWord[word]!]!++] = at - firstWord;
    }
  }
  return { postingCursors, positionCursors, documents: placedDocuments, frequencies, positions };
}
