import { MEMORY_TYPES } from '../../core/records.ts';
import { KIND_TYPE_MASK } from '../analysis/index.ts';
import { ByteWriter, encodeText } from './bytes.ts';
import type { DocumentTable, SessionRun } from './document-table.ts';
import { hashOf } from './memory-uses.ts';
import {
  COLUMN_NAMES,
  type FramePlace,
  HEADER_BYTES,
  ROW_BYTES,
  ROWS_PER_BLOCK,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  TERMS_PER_BLOCK,
} from './segment-format.ts';
import type { VectorRows } from './vector-rows.ts';

/** A term of a segment to be written. The arrays are valid until the next term is asked for. */
export interface TermPostings {
  readonly term: string;
  readonly count: number;
  /** Rising, as far as `count`. */
  readonly documents: Int32Array;
  /** Of each document, not capped. */
  readonly frequencies: Int32Array;
  /** Of each document one after the other, rising in each; `undefined` for terms without positions. */
  readonly positions: Int32Array | undefined;
}

/** The contents of a segment: documents sorted by session and order, terms sorted by code units. */
export interface SegmentSource {
  readonly table: DocumentTable;
  readonly sessions: readonly SessionRun[];
  readonly authors: readonly string[];
  readonly terms: Iterable<TermPostings>;
  /** Stored in a sidecar file. */
  readonly vectors: VectorRows | undefined;
}

export function encodeSegment(source: SegmentSource): Uint8Array {
  const out = new ByteWriter(1 << 16);
  out.reserve(HEADER_BYTES);
  out.length = HEADER_BYTES;
  const dictionary = writeTerms(out, source.terms);
  const { table } = source;
  const idHash = Int32Array.from(table.ids, hashOf);
  const columns = COLUMN_NAMES.map((name) =>
    writeColumn(out, (name === 'idHash' ? idHash : table[name]).subarray(0, table.count)),
  );
  const rowIndex = writeRows(out, table);
  const sessions = writeSessions(out, source.sessions);
  const authors = frame(out, () => out.list(source.authors));
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
  // The authors' frame follows that of the sessions and ends the segment.
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
  // A block lies behind the postings of all its terms: blocks are collected and written later.
  const blocks: ByteWriter[] = [];
  const firstTerms: string[] = [];
  let block = new ByteWriter(0);
  let previous: Uint8Array = new Uint8Array(0);
  let termCount = 0;
  for (const postings of terms) {
    const term = encodeText(postings.term);
    if (termCount % TERMS_PER_BLOCK === 0) {
      block = new ByteWriter();
      block.varint(out.length);
      blocks.push(block);
      firstTerms.push(postings.term);
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
    termCount++;
  }
  const places = blocks.map(({ written }) => frame(out, () => out.raw(written)));
  const sparse = frame(out, () => {
    writeBounds(out, places);
    writeTexts(out, firstTerms);
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
  writeRising(out, documents, 0, count);
  out.reserve(count);
  const { bytes, length } = out;
  for (let posting = 0; posting < count; posting++)
    bytes[length + posting] = Math.min(frequencies[posting]!, 255);
  out.length += count;
  out.endFrame(start);
}

function writePositions(out: ByteWriter, { frequencies, count }: TermPostings, positions: Int32Array): void {
  const start = out.length;
  let next = 0;
  for (let posting = 0; posting < count; posting++) {
    const frequency = frequencies[posting]!;
    out.varint(frequency);
    writeRising(out, positions, next, next + frequency);
    next += frequency;
  }
  out.endFrame(start);
}

/** Writes the distances between rising numbers. Inlines `varint`: sealing spends much of its time here. */
function writeRising(out: ByteWriter, numbers: Int32Array, from: number, to: number): void {
  out.reserve((to - from) * 5);
  const { bytes } = out;
  let at = out.length;
  let previous = 0;
  for (let each = from; each < to; each++) {
    let distance = numbers[each]! - previous;
    previous = numbers[each]!;
    while (distance >= 128) {
      bytes[at++] = (distance & 127) | 128;
      distance >>>= 7;
    }
    bytes[at++] = distance;
  }
  out.length = at;
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
  const texts = new ByteWriter();
  const textsAt = (last - first) * ROW_BYTES;
  for (let row = first; row < last; row++) {
    out.float64(table.order[row]!);
    out.float64(table.log[row]!);
    out.float64(table.offset[row]!);
    out.float64(table.size[row]!);
    out.uint32(textsAt + texts.length);
    texts.text(table.ids[row]!);
    texts.list(table.references[row]!);
  }
  out.raw(texts.written);
}

function writeSessions(out: ByteWriter, sessions: readonly SessionRun[]): FramePlace {
  return frame(out, () => {
    out.uint32(sessions.length);
    for (const name of ['end', 'length', 'firstOrder', 'lastOrder'] as const) {
      for (const run of sessions) out.float64(run[name]);
    }
    writeTexts(
      out,
      Array.from(sessions, ({ id }) => id),
    );
  });
}

/** Writes where adjacent frames begin, and where the last one ends. */
function writeBounds(out: ByteWriter, places: readonly FramePlace[]): void {
  for (const { offset } of places) out.float64(offset);
  const last = places.at(-1);
  out.float64(last ? last.offset + last.length : 0);
}

/** JSON, because a cold process parses it many times faster than it reads texts one by one. */
function writeTexts(out: ByteWriter, texts: readonly string[]): void {
  out.raw(encodeText(JSON.stringify(texts)));
}
