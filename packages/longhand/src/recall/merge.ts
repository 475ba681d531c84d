/**
 * Several segments into one, without their dead documents.
 *
 * All are sorted by session and order, so a document's new number rises with its old one in each of them: the
 * postings of a term are merged, never sorted, and a term that only one segment knows is copied across.
 */

import { ByteReader } from './bytes.ts';
import { grown } from './columns.ts';
import { DocumentTable } from './document-table.ts';
import { compareTexts, sessionRuns } from './seal.ts';
import type { Segment, TermPlace } from './segment.ts';
import type { SegmentSource, TermPostings } from './segment-writer.ts';

/** A segment with the marks of its dead documents. */
export interface MergeInput {
  readonly segment: Segment;
  /** Document → 1 when dead; `undefined` when all are live. */
  readonly dead: Uint8Array | undefined;
}

interface MergeSide {
  readonly segment: Segment;
  /** Old document → new document, or −1 for a dead one. */
  readonly renumbered: Int32Array;
  readonly terms: Iterator<{ readonly term: string; readonly place: TermPlace }>;
  current: { readonly term: string; readonly place: TermPlace } | undefined;
}

export function mergeSegments(inputs: readonly MergeInput[]): SegmentSource {
  const table = new DocumentTable();
  const authors: string[] = [];
  const authorNumbers = new Map<string, number>();
  const sessionIds: string[] = [];
  const renumbered = inputs.map(({ segment }) => new Int32Array(segment.documentCount).fill(-1));
  const tables = inputs.map(({ segment }) => wholeTable(segment));
  const runs = inputs.flatMap(({ segment }, input) =>
    segment.sessions.map((run) => ({ run, input, next: run.start })),
  );
  runs.sort((left, right) => compareTexts(left.run.id, right.run.id));
  for (let first = 0; first < runs.length; ) {
    let last = first;
    while (last < runs.length && runs[last]!.run.id === runs[first]!.run.id) last++;
    const open = runs.slice(first, last);
    for (;;) {
      let best: (typeof open)[number] | undefined;
      for (const side of open) {
        if (side.next >= side.run.end) continue;
        const isEarlier =
          !best || tables[side.input]!.order[side.next]! < tables[best.input]!.order[best.next]!;
        if (isEarlier) best = side;
      }
      if (!best) break;
      const document = best.next++;
      if (inputs[best.input]!.dead?.[document] === 1) continue;
      const name = inputs[best.input]!.segment.authors[tables[best.input]!.author[document]!]!;
      let author = authorNumbers.get(name);
      if (author === undefined) {
        author = authors.push(name) - 1;
        authorNumbers.set(name, author);
      }
      renumbered[best.input]![document] = table.count;
      sessionIds.push(best.run.id);
      table.copy(tables[best.input]!, document, author);
    }
    first = last;
  }
  const sides = inputs.map(({ segment }, input) => openSide(segment, renumbered[input]!));
  const sessions = sessionRuns(table, (document) => sessionIds[document]!);
  return { table, sessions, authors, terms: mergeTerms(sides) };
}

function wholeTable(segment: Segment): DocumentTable {
  const table = new DocumentTable();
  table.time = Float64Array.from(segment.time);
  table.importance = Float64Array.from(segment.importance);
  table.length = Int32Array.from(segment.length);
  table.author = Int32Array.from(segment.author);
  table.kind = Uint8Array.from(segment.kind);
  const count = segment.documentCount;
  table.order = new Float64Array(count);
  table.log = new Float64Array(count);
  table.offset = new Float64Array(count);
  table.size = new Float64Array(count);
  table.count = count;
  segment.forEachRow((document, row) => {
    table.order[document] = row.order;
    table.log[document] = row.log;
    table.offset[document] = row.offset;
    table.size[document] = row.length;
    table.ids.push(row.id);
    table.references.push(row.references);
  });
  return table;
}

function openSide(segment: Segment, renumbered: Int32Array): MergeSide {
  const terms = segment.termsFrom('');
  return { segment, renumbered, terms, current: terms.next().value ?? undefined };
}

function* mergeTerms(sides: readonly MergeSide[]): Generator<TermPostings> {
  const buffers = new PostingBuffers();
  for (;;) {
    let term: string | undefined;
    for (const { current } of sides) {
      if (current && (term === undefined || current.term < term)) term = current.term;
    }
    if (term === undefined) return;
    const holders = sides.filter((side) => side.current?.term === term);
    buffers.clear();
    for (const side of holders) buffers.append(side);
    for (const side of holders) {
      const next = side.terms.next();
      side.current = next.done ? undefined : next.value;
    }
    if (holders.length > 1) buffers.sort();
    if (buffers.count > 0) yield buffers.postings(term);
  }
}

/** Room for the postings of one term at a time. */
class PostingBuffers {
  count = 0;
  #documents = new Int32Array(1024);
  #frequencies = new Int32Array(1024);
  #positions = new Int32Array(1024);
  #positionCount = 0;
  #hasPositions = false;

  clear(): void {
    this.count = 0;
    this.#positionCount = 0;
    this.#hasPositions = false;
  }

  append({ segment, renumbered, current }: MergeSide): void {
    const { place } = current!;
    const bytes = segment.frame(place.postings);
    const reader = new ByteReader(bytes);
    const frequencyStart = bytes.length - place.count;
    const positions = place.positions.length > 0 ? new ByteReader(segment.frame(place.positions)) : undefined;
    this.#hasPositions ||= positions !== undefined;
    this.#documents = grown(this.#documents, this.count + place.count);
    this.#frequencies = grown(this.#frequencies, this.count + place.count);
    let old = 0;
    for (let posting = 0; posting < place.count; posting++) {
      old += reader.varint();
      const document = renumbered[old]!;
      let frequency = bytes[frequencyStart + posting]!;
      if (positions) {
        frequency = positions.varint();
        if (document !== -1) {
          this.#positions = grown(this.#positions, this.#positionCount + frequency);
        }
        let position = 0;
        for (let left = frequency; left > 0; left--) {
          position += positions.varint();
          if (document !== -1) this.#positions[this.#positionCount++] = position;
        }
      }
      if (document === -1) continue;
      this.#documents[this.count] = document;
      this.#frequencies[this.count++] = frequency;
    }
  }

  /** Puts the postings of several segments in order. */
  sort(): void {
    const documents = this.#documents.slice(0, this.count);
    const frequencies = this.#frequencies.slice(0, this.count);
    const positions = this.#positions.slice(0, this.#positionCount);
    const starts = new Int32Array(this.count + 1);
    for (let at = 0; at < this.count; at++) starts[at + 1] = starts[at]! + frequencies[at]!;
    const sorted = Array.from(documents.keys()).sort((left, right) => documents[left]! - documents[right]!);
    let next = 0;
    for (const [to, from] of sorted.entries()) {
      this.#documents[to] = documents[from]!;
      this.#frequencies[to] = frequencies[from]!;
      if (!this.#hasPositions) continue;
      for (let at = starts[from]!; at < starts[from + 1]!; at++) this.#positions[next++] = positions[at]!;
    }
  }

  postings(term: string): TermPostings {
    return {
      term,
      count: this.count,
      documents: this.#documents,
      frequencies: this.#frequencies,
      positions: this.#hasPositions ? this.#positions : undefined,
    };
  }
}
