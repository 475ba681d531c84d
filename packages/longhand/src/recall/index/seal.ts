/**
 * Turns a tail into the contents of a segment: live documents sorted by session, and the postings of each term. The
 * occurrences are counted and then placed, document by document (a counting sort), so that only documents and terms
 * have to be sorted.
 */

import { DocumentTable, type SessionRun } from './document-table.ts';
import { BESIDE, GAP, WRITTEN_MARK } from './lexicon.ts';
import { PostingBuilder } from './posting-builder.ts';
import type { SegmentSource, TermPostings } from './segment-writer.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { Tail } from './tail.ts';
import { reorderRows } from './vector-rows.ts';

export function sealTail(tail: Tail, registry: SessionRegistry): SegmentSource {
  const documents = liveDocuments(tail, registry);
  const table = new DocumentTable();
  const renumbered = new Int32Array(tail.count).fill(-1);
  for (const document of documents) {
    renumbered[document] = table.count;
    table.addCopy(tail, document, tail.author[document]!);
  }
  const sessionOf = (position: number): string => registry.ids[tail.session[documents[position]!]!]!;
  const terms = gather(tail, documents);
  const vectors = reorderRows([tail.vectorRows], [renumbered], table.count);
  return { table, sessions: sessionRuns(table, sessionOf), authors: tail.authors, terms, vectors };
}

/** By code units, as everything in a segment is sorted. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function liveDocuments({ count, dead, session, order }: Tail, { ids }: SessionRegistry): Int32Array {
  const live: number[] = [];
  for (let document = 0; document < count; document++) if (dead?.[document] !== 1) live.push(document);
  live.sort((left, right) => {
    const [a, b] = [session[left]!, session[right]!];
    return a === b ? order[left]! - order[right]! : compareTexts(ids[a]!, ids[b]!);
  });
  return Int32Array.from(live);
}

/** The stretches of the sessions in a sorted table. */
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
  const wordCount = tail.lexicon.terms.length;
  /** Words, then labels. */
  const names = [...tail.lexicon.terms, ...tail.labelTerms];
  const occurrences = new Occurrences(names.length);
  walk(tail, documents, occurrences, false);
  occurrences.startPlacing();
  walk(tail, documents, occurrences, true);
  const numbers = new Map(occurrences.used().map((term) => [names[term]!, term]));
  const builder = new PostingBuilder();
  // Without a comparator, `sort` compares code units and is several times faster.
  for (const name of [...numbers.keys()].sort()) {
    const term = numbers.get(name)!;
    occurrences.copyTo(builder, term);
    yield builder.build(name, term < wordCount && !name.startsWith(WRITTEN_MARK));
  }
}

/** Goes through all words and labels of some documents, to count or to place them. */
function walk(tail: Tail, documents: Int32Array, occurrences: Occurrences, places: boolean): void {
  const { cells, stream, terms } = tail.lexicon;
  const firstLabelTerm = terms.length;
  for (let position = 0; position < documents.length; position++) {
    const document = documents[position]!;
    const lastWord = tail.streamStarts[document + 1]!;
    for (let at = tail.streamStarts[document]!, place = 0; at < lastWord; at++, place++) {
      let word = stream[at]!;
      if (word === GAP) continue;
      if (word < GAP) {
        word = BESIDE - word;
        place--;
      }
      const term = cells[word & ~1]!;
      const written = cells[word | 1]!;
      if (places) {
        occurrences.place(term, position, place);
        if (written !== -1) occurrences.place(written, position, 0);
      } else {
        occurrences.count(term);
        if (written !== -1) occurrences.count(written);
      }
    }
    const lastLabel = tail.labelStarts[document + 1]!;
    for (let at = tail.labelStarts[document]!; at < lastLabel; at++) {
      const term = firstLabelTerm + tail.labels[at]!;
      if (places) occurrences.place(term, position, 0);
      else occurrences.count(term);
    }
  }
}

/** The occurrences of each term: adjacent pairs of document and position. */
class Occurrences {
  /** Term → where its pairs begin; holds the counts first. */
  #starts: Int32Array;
  #cursors = new Int32Array(0);
  #pairs = new Int32Array(0);

  constructor(termCount: number) {
    this.#starts = new Int32Array(termCount + 1);
  }

  count(term: number): void {
    this.#starts[term + 1]! += 2;
  }

  startPlacing(): void {
    for (let term = 1; term < this.#starts.length; term++) this.#starts[term]! += this.#starts[term - 1]!;
    this.#cursors = this.#starts.slice();
    this.#pairs = new Int32Array(this.#starts.at(-1)!);
  }

  place(term: number, document: number, position: number): void {
    const cursor = this.#cursors[term]!;
    this.#pairs[cursor] = document;
    this.#pairs[cursor + 1] = position;
    this.#cursors[term] = cursor + 2;
  }

  /** Terms with at least one occurrence. */
  used(): number[] {
    const terms: number[] = [];
    for (let term = 0; term + 1 < this.#starts.length; term++) {
      if (this.#starts[term + 1]! > this.#starts[term]!) terms.push(term);
    }
    return terms;
  }

  copyTo(builder: PostingBuilder, term: number): void {
    const end = this.#starts[term + 1]!;
    for (let at = this.#starts[term]!; at < end; at += 2) builder.add(this.#pairs[at]!, this.#pairs[at + 1]!);
  }
}
