/**
 * Merges several segments into one, without their dead documents. All are sorted by session and order, so the new
 * numbers of a segment's documents rise with the old ones, and the postings of a term are merged in one pass.
 */

import { ByteReader } from './bytes.ts';
import { DocumentTable } from './document-table.ts';
import { PostingBuilder } from './posting-builder.ts';
import { compareTexts, sessionRuns } from './seal.ts';
import type { Segment, TermPlace } from './segment.ts';
import type { SegmentPart } from './segment-part.ts';
import type { SegmentSource, TermPostings } from './segment-writer.ts';
import { reorderRows, type VectorRows } from './vector-rows.ts';

interface MergeInput {
  readonly part: SegmentPart;
  readonly vectors: VectorRows | undefined;
}

export function mergeSegments(inputs: readonly MergeInput[]): SegmentSource {
  const table = new DocumentTable();
  const authors = new Map<string, number>();
  const sessionIds: string[] = [];
  /** For each input: old document → new document, or −1 for a dead one. */
  const renumbered = inputs.map(({ part }) => new Int32Array(part.count).fill(-1));
  const tables = inputs.map(({ part }) => tableOf(part));
  const runs = inputs.flatMap(({ part }, input) => part.segment.sessions.map((run) => ({ ...run, input })));
  runs.sort((left, right) => compareTexts(left.id, right.id));
  for (let first = 0, last = 0; first < runs.length; first = last) {
    const { id } = runs[first]!;
    while (runs[last]?.id === id) last++;
    const live: { readonly input: number; readonly document: number; readonly order: number }[] = [];
    for (const { input, start, end } of runs.slice(first, last)) {
      const { dead } = inputs[input]!.part;
      for (let document = start; document < end; document++) {
        if (dead?.[document] !== 1) live.push({ input, document, order: tables[input]!.order[document]! });
      }
    }
    live.sort((left, right) => left.order - right.order);
    for (const { input, document } of live) {
      const { part } = inputs[input]!;
      const name = part.authors[part.author[document]!]!;
      if (!authors.has(name)) authors.set(name, authors.size);
      renumbered[input]![document] = table.count;
      sessionIds.push(id);
      table.addCopy(tables[input]!, document, authors.get(name)!);
    }
  }
  const terms = mergeTerms(inputs.map(({ part }, input) => openSide(part.segment, renumbered[input]!)));
  const sessions = sessionRuns(table, (document) => sessionIds[document]!);
  const vectors = reorderRows(
    inputs.map((input) => input.vectors),
    renumbered,
    table.count,
  );
  return { table, sessions, authors: [...authors.keys()], terms, vectors };
}

function tableOf({ segment, time, importance, length, author, kind, textHash }: SegmentPart): DocumentTable {
  const table = new DocumentTable();
  segment.forEachRow((_, row) => table.addRow(row));
  return Object.assign(table, { time, importance, length, author, kind, textHash });
}

interface HeldTerm {
  readonly term: string;
  readonly place: TermPlace;
}

interface MergeSide {
  readonly segment: Segment;
  readonly renumbered: Int32Array;
  readonly terms: Iterator<HeldTerm, void>;
  current: HeldTerm | undefined;
}

function openSide(segment: Segment, renumbered: Int32Array): MergeSide {
  const terms = segment.termsFrom('');
  return { segment, renumbered, terms, current: terms.next().value ?? undefined };
}

function* mergeTerms(sides: readonly MergeSide[]): Generator<TermPostings> {
  const builder = new PostingBuilder();
  for (;;) {
    let term: string | undefined;
    for (const { current } of sides) {
      if (current && (term === undefined || current.term < term)) term = current.term;
    }
    if (term === undefined) return;
    const holders = sides.filter(({ current }) => current?.term === term);
    let cursors = holders.map((side) => new PostingCursor(side, side.current!.place));
    const hasPositions = cursors.some((cursor) => cursor.hasPositions);
    while (cursors.length > 0) {
      let least = cursors[0]!;
      for (const cursor of cursors) if (cursor.document < least.document) least = cursor;
      if (!least.moveTo(builder)) cursors = cursors.filter((cursor) => cursor !== least);
    }
    const postings = builder.build(term, hasPositions);
    if (postings.count > 0) yield postings;
    for (const side of holders) side.current = side.terms.next().value ?? undefined;
  }
}

/** Walks the postings of a term in one segment. */
class PostingCursor {
  /** The new number of the current document; −1 when it is dead. */
  document = -1;
  readonly hasPositions: boolean;
  readonly #renumbered: Int32Array;
  readonly #documents: ByteReader;
  readonly #positions: ByteReader | undefined;
  #old = 0;
  /** Where the frequencies of the documents that are left lie. */
  #frequencyAt: number;

  constructor({ segment, renumbered }: MergeSide, { count, postings, positions }: TermPlace) {
    this.#renumbered = renumbered;
    this.#documents = new ByteReader(segment.frame(postings));
    this.hasPositions = positions.length > 0;
    this.#positions = this.hasPositions ? new ByteReader(segment.frame(positions)) : undefined;
    this.#frequencyAt = this.#documents.bytes.length - count;
    this.#next();
  }

  #next(): void {
    this.#old += this.#documents.varint();
    this.document = this.#renumbered[this.#old]!;
  }

  /** Adds the current document, unless it is dead, and goes to the next one; false at the end. */
  moveTo(builder: PostingBuilder): boolean {
    const { document } = this;
    const positions = this.#positions;
    const { bytes } = this.#documents;
    const frequency = positions ? positions.varint() : bytes[this.#frequencyAt]!;
    let position = 0;
    for (let left = frequency; left > 0; left--) {
      if (positions) position += positions.varint();
      if (document !== -1) builder.add(document, position);
    }
    if (++this.#frequencyAt === bytes.length) return false;
    this.#next();
    return true;
  }
}
