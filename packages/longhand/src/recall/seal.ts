/**
 * Turns a tail into the material of a segment: live documents in the order of sessions, and for each term its
 * postings and positions. Occurrences are counted (how many has each term?) and then placed, document by
 * document: the work grows with the number of words, and nothing is sorted but documents and terms.
 */

import { grown } from './columns.ts';
import { DocumentTable, type SessionRun } from './document-table.ts';
import { BESIDE, GAP, WRITTEN_MARK } from './lexicon.ts';
import type { SegmentSource, TermPostings } from './segment-writer.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { Tail } from './tail.ts';

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
  const words = new Occurrences(terms.length);
  const labels = new Occurrences(tail.labelTerms.length);
  for (const occurrences of ['count', 'place'] as const) {
    walk(tail, documents, words, labels, occurrences === 'place');
    words.startPlacing();
    labels.startPlacing();
  }
  // Labels begin with signs, some of which sort before words and some behind: both are sorted together. Without
  // a function to compare them, texts are sorted by code units, and several times faster.
  const numbers = new Map<string, number>();
  for (const word of words.used()) numbers.set(terms[word]!, word);
  for (const label of labels.used()) numbers.set(tail.labelTerms[label]!, -1 - label);
  for (const name of [...numbers.keys()].sort()) {
    const term = numbers.get(name)!;
    if (term < 0) yield labels.postings(-1 - term, name, false);
    else yield words.postings(term, name, !name.startsWith(WRITTEN_MARK));
  }
}

/** Goes through all words and labels of some documents, once to count them and once to place them. */
function walk(
  tail: Tail,
  documents: Int32Array,
  words: Occurrences,
  labels: Occurrences,
  places: boolean,
): void {
  const { cells, stream } = tail.lexicon;
  for (let position = 0; position < documents.length; position++) {
    const document = documents[position]!;
    const firstWord = tail.streamStarts[document]!;
    const lastWord = tail.streamStarts[document + 1]!;
    for (let at = firstWord, place = 0; at < lastWord; at++, place++) {
      let word = stream[at]!;
      if (word === GAP) continue;
      if (word < GAP) {
        word = BESIDE - word;
        place--;
      }
      const term = cells[word & ~1]!;
      const written = cells[word | 1]!;
      if (places) {
        words.place(term, position, place);
        if (written !== -1) words.place(written, position, 0);
      } else {
        words.count(term);
        if (written !== -1) words.count(written);
      }
    }
    const lastLabel = tail.labelStarts[document + 1]!;
    for (let at = tail.labelStarts[document]!; at < lastLabel; at++) {
      if (places) labels.place(tail.labels[at]!, position, 0);
      else labels.count(tail.labels[at]!);
    }
  }
}

/** The occurrences of each term, as pairs of document and position that lie next to each other. */
class Occurrences {
  /** Term → where its pairs begin; filled as counts first. */
  #starts: Int32Array;
  #cursors = new Int32Array(0);
  #pairs = new Int32Array(0);
  #documents = new Int32Array(64);
  #frequencies = new Int32Array(64);
  #positions = new Int32Array(64);

  constructor(termCount: number) {
    this.#starts = new Int32Array(termCount + 1);
  }

  count(term: number): void {
    this.#starts[term + 1]! += 2;
  }

  startPlacing(): void {
    if (this.#cursors.length > 0) return;
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

  /** Valid until the next call. */
  postings(term: number, name: string, hasPositions: boolean): TermPostings {
    const pairs = this.#pairs;
    const start = this.#starts[term]!;
    const end = this.#starts[term + 1]!;
    const most = (end - start) / 2;
    this.#documents = grown(this.#documents, most);
    this.#frequencies = grown(this.#frequencies, most);
    this.#positions = grown(this.#positions, most);
    const documents = this.#documents;
    const frequencies = this.#frequencies;
    const positions = this.#positions;
    let count = 0;
    for (let at = start, to = 0; at < end; at += 2, to++) {
      const document = pairs[at]!;
      positions[to] = pairs[at + 1]!;
      if (count > 0 && documents[count - 1] === document) frequencies[count - 1]!++;
      else {
        documents[count] = document;
        frequencies[count++] = 1;
      }
    }
    return {
      term: name,
      count,
      documents,
      frequencies,
      positions: hasPositions ? positions : undefined,
    };
  }
}
