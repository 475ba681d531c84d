/**
 * Turns a tail into the material of a segment: live documents in the order of sessions, and for each term its
 * postings and positions. Both are gathered by counting (how many has each term?) and then placing: the
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
  const counts = countTerms(tail, documents);
  const placed = placeTerms(tail, documents, counts);
  const sorted: number[] = [];
  for (let term = 0; term < terms.length; term++) {
    if (placed.postingEnds[term]! > counts.postingStarts[term]!) sorted.push(term);
  }
  sorted.sort((left, right) => compareTexts(terms[left]!, terms[right]!));
  for (const term of sorted) {
    const [start, end] = [counts.postingStarts[term]!, placed.postingEnds[term]!];
    const [firstPosition, lastPosition] = [counts.positionStarts[term]!, placed.positionEnds[term]!];
    yield {
      term: terms[term]!,
      count: end - start,
      documents: placed.documents.subarray(start, end),
      frequencies: placed.frequencies.subarray(start, end),
      positions:
        lastPosition > firstPosition ? placed.positions.subarray(firstPosition, lastPosition) : undefined,
    };
  }
}

interface TermCounts {
  /** Term → where its postings begin; room for as many as the tail knows of, dead ones included. */
  readonly postingStarts: Int32Array;
  readonly positionStarts: Int32Array;
}

function countTerms(tail: Tail, documents: Int32Array): TermCounts {
  const { terms, termOfWord } = tail.lexicon;
  const postingStarts = new Int32Array(terms.length + 1);
  const positionStarts = new Int32Array(terms.length + 1);
  for (const document of documents) {
    const last = tail.streamStarts[document + 1]!;
    for (let at = tail.streamStarts[document]!; at < last; at++) {
      const word = tail.stream[at]!;
      if (word !== GAP) positionStarts[termOfWord[word]! + 1]!++;
    }
  }
  for (let term = 0; term < terms.length; term++) {
    postingStarts[term + 1] = postingStarts[term]! + (tail.postings.counts[term] ?? 0);
    positionStarts[term + 1]! += positionStarts[term]!;
  }
  return { postingStarts, positionStarts };
}

function placeTerms(tail: Tail, documents: Int32Array, { postingStarts, positionStarts }: TermCounts) {
  const { termOfWord, writtenOfWord } = tail.lexicon;
  const postingEnds = postingStarts.slice();
  const positionEnds = positionStarts.slice();
  const placed = new Int32Array(postingStarts.at(-1)!);
  const frequencies = new Int32Array(placed.length);
  const positions = new Int32Array(positionStarts.at(-1)!);
  const post = (term: number, document: number): void => {
    const end = postingEnds[term]!;
    if (end > postingStarts[term]! && placed[end - 1] === document) frequencies[end - 1]!++;
    else {
      placed[end] = document;
      frequencies[end] = 1;
      postingEnds[term] = end + 1;
    }
  };
  for (let position = 0; position < documents.length; position++) {
    const document = documents[position]!;
    const firstWord = tail.streamStarts[document]!;
    const lastWord = tail.streamStarts[document + 1]!;
    for (let at = firstWord; at < lastWord; at++) {
      const word = tail.stream[at]!;
      if (word === GAP) continue;
      const term = termOfWord[word]!;
      post(term, position);
      positions[positionEnds[term]!++] = at - firstWord;
      const written = writtenOfWord[word]!;
      if (written !== -1) post(written, position);
    }
    const lastLabel = tail.labelStarts[document + 1]!;
    for (let at = tail.labelStarts[document]!; at < lastLabel; at++) post(tail.labels[at]!, position);
  }
  return { postingEnds, positionEnds, documents: placed, frequencies, positions };
}
