import { MEMORY_TYPES } from '../core/records.ts';
import { ByteWriter, encodeText } from './bytes.ts';
import type { DocumentTable, SessionRun } from './document-table.ts';
import { KIND_TYPE_MASK } from './entry-text.ts';
import { hashOf } from './memory-uses.ts';
import {
  type FramePlace,
  HEADER_BYTES,
  ROW_BYTES,
  ROWS_PER_BLOCK,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  TERMS_PER_BLOCK,
} from './segment-format.ts';

/** One term on its way into a segment. The arrays are valid until the next term is asked for. */
export interface TermPostings {
  readonly term: string;
  /** How many documents. */
  readonly count: number;
  /** The first `count` are document numbers, rising. */
  readonly documents: Int32Array;
  /** How often the term occurs in each, uncapped. */
  readonly frequencies: Int32Array;
  /** All positions, document by document, rising in each; `undefined` for terms that have none. */
  readonly positions: Int32Array | undefined;
}

/** What a segment is made of: documents sorted by session and order, terms sorted by code units. */
export interface SegmentSource {
  readonly table: DocumentTable;
  readonly sessions: readonly SessionRun[];
  readonly authors: readonly string[];
  readonly terms: Iterable<TermPostings>;
}

/** Writes a segment. */
export function encodeSegment(source: SegmentSource): Uint8Array {
  const out = new ByteWriter(1 << 16);
  out.reserve(HEADER_BYTES);
  out.length = HEADER_BYTES;
  const dictionary = writeTerms(out, source.terms);
  const { table } = source;
  const { time, importance, length, author, kind } = table;
  const idHash = Int32Array.from(table.ids, hashOf);
  const columns = [time, importance, length, author, kind, idHash].map((column) =>
    writeColumn(out, column.subarray(0, table.count)),
  );
  const rowIndex = writeRows(out, table);
  const sessions = writeSessions(out, source.sessions);
  const authors = frame(out, () => {
    out.varint(source.authors.length);
    for (const author of source.authors) out.text(author);
  });
  const { length: end, digest } = out;
  out.length = 0;
  out.uint32(SEGMENT_MAGIC);
  out.uint32(SEGMENT_VERSION);
  out.uint32(table.count);
  out.uint32(dictionary.termCount);
  out.uint32(dictionary.blockCount);
  out.uint32(Math.ceil(table.count / ROWS_PER_BLOCK));
  for (const timeMs of newestByType(table)) out.float64(timeMs);
  for (const place of [dictionary.sparse, ...columns, rowIndex, sessions]) {
    out.float64(place.offset);
    out.float64(place.length);
  }
  // The authors' frame is the last one: its length says where the segment ends.
  out.float64(authors.length);
  out.uint32(digest);
  out.endFrame(0);
  return out.bytes.slice(0, end);
}

function newestByType({ time, kind, count }: DocumentTable): Float64Array {
  const newestMs = new Float64Array(MEMORY_TYPES.length).fill(Number.NEGATIVE_INFINITY);
  for (let document = 0; document < count; document++) {
    const type = kind[document]! & KIND_TYPE_MASK;
    if (time[document]! > newestMs[type]!) newestMs[type] = time[document]!;
  }
  return newestMs;
}

function frame(out: ByteWriter, write: () => void): FramePlace {
  const offset = out.length;
  write();
  out.endFrame(offset);
  return { offset, length: out.length - offset };
}

function writeTerms(
  out: ByteWriter,
  terms: Iterable<TermPostings>,
): { sparse: FramePlace; termCount: number; blockCount: number } {
  // Blocks are collected apart, because a block's place comes after the postings of all its terms.
  const blocks: { readonly firstTerm: string; readonly bytes: Uint8Array }[] = [];
  const block = new ByteWriter(1 << 12);
  let firstTerm = '';
  let previous: Uint8Array = new Uint8Array(0);
  let inBlock = 0;
  let termCount = 0;
  const endBlock = (): void => {
    if (inBlock > 0) blocks.push({ firstTerm, bytes: block.bytes.slice(0, block.length) });
    inBlock = 0;
  };
  for (const postings of terms) {
    const term = encodeText(postings.term);
    if (inBlock === TERMS_PER_BLOCK) endBlock();
    if (inBlock === 0) {
      block.length = 0;
      block.varint(out.length);
      firstTerm = postings.term;
      previous = new Uint8Array(0);
    }
    const shared = sharedPrefix(previous, term);
    const start = out.length;
    writePostings(out, postings);
    const middle = out.length;
    if (postings.positions) writePositions(out, postings, postings.positions);
    block.varint(shared);
    block.varint(term.length - shared);
    block.raw(term.subarray(shared));
    block.varint(postings.count);
    block.varint(middle - start);
    block.varint(out.length - middle);
    previous = term;
    inBlock++;
    termCount++;
  }
  endBlock();
  const places = blocks.map(({ bytes }) => frame(out, () => out.raw(bytes)));
  const sparse = frame(out, () => {
    writeBounds(out, places);
    writeTexts(
      out,
      blocks.map(({ firstTerm: text }) => text),
    );
  });
  return { sparse, termCount, blockCount: blocks.length };
}

function sharedPrefix(left: Uint8Array, right: Uint8Array): number {
  const most = Math.min(left.length, right.length);
  let shared = 0;
  while (shared < most && left[shared] === right[shared]) shared++;
  return shared;
}

function writePostings(out: ByteWriter, { documents, frequencies, count }: TermPostings): void {
  const start = out.length;
  out.reserve(count * 6 + 8);
  const { bytes } = out;
  let at = out.length;
  let previous = 0;
  for (let posting = 0; posting < count; posting++) {
    const document = documents[posting]!;
    let distance = document - previous;
    previous = document;
    while (distance >= 128) {
      bytes[at++] = (distance & 127) | 128;
      distance >>>= 7;
    }
    bytes[at++] = distance;
  }
  for (let posting = 0; posting < count; posting++) {
    const frequency = frequencies[posting]!;
    bytes[at++] = Math.min(frequency, 255);
  }
  out.length = at;
  out.endFrame(start);
}

function writePositions(out: ByteWriter, postings: TermPostings, positions: Int32Array): void {
  const start = out.length;
  let next = 0;
  for (let posting = 0; posting < postings.count; posting++) {
    const frequency = postings.frequencies[posting]!;
    out.varint(frequency);
    out.reserve(frequency * 5);
    const { bytes } = out;
    let at = out.length;
    let previous = 0;
    for (const end = next + frequency; next < end; next++) {
      let distance = positions[next]! - previous;
      previous = positions[next]!;
      while (distance >= 128) {
        bytes[at++] = (distance & 127) | 128;
        distance >>>= 7;
      }
      bytes[at++] = distance;
    }
    out.length = at;
  }
  out.endFrame(start);
}

function writeColumn(out: ByteWriter, column: Float64Array | Int32Array | Uint8Array): FramePlace {
  return frame(out, () => out.raw(new Uint8Array(column.buffer, column.byteOffset, column.byteLength)));
}

function writeRows(out: ByteWriter, table: DocumentTable): FramePlace {
  const places: FramePlace[] = [];
  for (let first = 0; first < table.count; first += ROWS_PER_BLOCK) {
    const last = Math.min(table.count, first + ROWS_PER_BLOCK);
    places.push(frame(out, () => writeRowBlock(out, table, first, last)));
  }
  return frame(out, () => writeBounds(out, places));
}

function writeRowBlock(out: ByteWriter, table: DocumentTable, first: number, last: number): void {
  const start = out.length;
  const numbers = (last - first) * ROW_BYTES;
  out.reserve(numbers);
  out.length += numbers;
  const textStarts: number[] = [];
  for (let row = first; row < last; row++) {
    textStarts.push(out.length - start);
    out.text(table.ids[row]!);
    const references = table.references[row]!;
    out.varint(references.length);
    for (const id of references) out.text(id);
  }
  const end = out.length;
  out.length = start;
  for (let row = first; row < last; row++) {
    out.float64(table.order[row]!);
    out.float64(table.log[row]!);
    out.float64(table.offset[row]!);
    out.float64(table.size[row]!);
    out.uint32(textStarts[row - first]!);
  }
  out.length = end;
}

function writeSessions(out: ByteWriter, sessions: readonly SessionRun[]): FramePlace {
  return frame(out, () => {
    out.uint32(sessions.length);
    for (const numbers of [
      sessions.map(({ end }) => end),
      sessions.map(({ length }) => length),
      sessions.map(({ firstOrder }) => firstOrder),
      sessions.map(({ lastOrder }) => lastOrder),
    ]) {
      for (const number of numbers) out.float64(number);
    }
    writeTexts(
      out,
      sessions.map(({ id }) => id),
    );
  });
}

/** Where frames that follow one another begin, and where the last one ends. */
function writeBounds(out: ByteWriter, places: readonly FramePlace[]): void {
  for (const { offset } of places) out.float64(offset);
  const last = places.at(-1);
  out.float64(last ? last.offset + last.length : 0);
}

/** Many texts at once as JSON: a cold process parses that many times faster than it could read them one by one. */
function writeTexts(out: ByteWriter, texts: readonly string[]): void {
  out.raw(encodeText(JSON.stringify(texts)));
}
