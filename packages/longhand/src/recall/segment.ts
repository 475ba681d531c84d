/**
 * Reads a segment piece by piece. Opening reads the header; the first lookup reads the sparse index; the
 * first ranking reads the columns it needs. Everything else is read when a query asks for it and remembered
 * within a bound.
 */

import { MEMORY_TYPES } from '../core/records.ts';
import { ByteReader, checksumOf, decodeText, encodeText, seedOf } from './bytes.ts';
import type { DocumentPlace, SessionRun } from './document-table.ts';
import { frameMemory } from './frame-memory.ts';
import type { TermWalk } from './part.ts';
import { RecentlyUsed } from './recently-used.ts';
import {
  CHECKSUM_BYTES,
  type FramePlace,
  HEADER_BYTES,
  ROW_BYTES,
  ROWS_PER_BLOCK,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  SegmentDamage,
  type SegmentHeader,
  type SegmentReader,
} from './segment-format.ts';

/** Where a term's postings lie. */
export interface TermPlace {
  /** Documents that hold the term, dead ones included. */
  readonly count: number;
  readonly postings: FramePlace;
  /** Length 0 for terms without positions. */
  readonly positions: FramePlace;
}

/** What is known of a document apart from its columns. Its place is part of it: one object less to fetch. */
export interface DocumentRow extends DocumentPlace {
  readonly id: string;
  readonly order: number;
  readonly references: readonly string[];
}

interface Sparse {
  readonly firstTerms: readonly string[];
  /** Where each block begins, and where the last one ends. */
  readonly bounds: Float64Array;
}

/** Rows that were found lately, as objects: some 250 bytes each. The next query finds many of them again. */
const ROWS_KEPT = 8_192;
/** Terms whose place was looked up lately, those that are not there included: people ask on about one subject. */
const TERMS_KEPT = 2_048;

/** Behind every letter that a term can go on with. */
const LAST_LETTER = '\uffff';

export class Segment {
  readonly header: SegmentHeader;
  readonly documentCount: number;
  #reader: SegmentReader;
  /** Frames in the shared memory, by their offset, and the generation that the young ones are of. */
  #young = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #generation = frameMemory.generation;
  #rows = new RecentlyUsed<number, DocumentRow>(ROWS_KEPT);
  #places = new RecentlyUsed<string, TermPlace | null>(TERMS_KEPT);
  #sparse: Sparse | undefined;
  #sessions: readonly SessionRun[] | undefined;
  #authors: readonly string[] | undefined;
  #rowBounds: Float64Array | undefined;
  #time: Float64Array | undefined;
  #importance: Float64Array | undefined;
  #length: Int32Array | undefined;
  #author: Int32Array | undefined;
  #kind: Uint8Array | undefined;
  #idHash: Int32Array | undefined;

  /** @throws SegmentDamage when the bytes are no segment of this version, or are cut short. */
  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.header = this.#readHeader();
    this.documentCount = this.header.documentCount;
  }

  /** Tells segments with different contents apart. */
  get digest(): number {
    return this.header.digest;
  }

  #readHeader(): SegmentHeader {
    const bytes = this.#reader.read(0, HEADER_BYTES);
    const reader = new ByteReader(bytes);
    if (bytes.length !== HEADER_BYTES || reader.uint32() !== SEGMENT_MAGIC) {
      throw new SegmentDamage('This is not an index segment.');
    }
    const version = reader.uint32();
    if (version !== SEGMENT_VERSION) {
      throw new SegmentDamage(
        `The index segment has version ${version}; this is version ${SEGMENT_VERSION}.`,
      );
    }
    checkFrame(bytes, 0);
    const place = (): FramePlace => ({ offset: reader.float64(), length: reader.float64() });
    const [documentCount, termCount] = [reader.uint32(), reader.uint32()];
    const [blockCount, rowBlockCount] = [reader.uint32(), reader.uint32()];
    const newestMs = reader.float64s(MEMORY_TYPES.length);
    const sparse = place();
    const [time, importance, length] = [place(), place(), place()];
    const [author, kind, idHash] = [place(), place(), place()];
    const rowIndex = place();
    const sessions = place();
    const authors = { offset: sessions.offset + sessions.length, length: reader.float64() };
    const digest = reader.uint32();
    if (authors.offset + authors.length !== this.#reader.size) {
      throw new SegmentDamage('The index segment does not have the size that it was written with.');
    }
    const columns = { time, importance, length, author, kind, idHash };
    return {
      documentCount,
      termCount,
      blockCount,
      rowBlockCount,
      newestMs,
      sparse,
      ...columns,
      rowIndex,
      sessions,
      authors,
      digest,
    };
  }

  /** The bytes of a frame without its checksum, checked. */
  #read(place: FramePlace, into?: Uint8Array): Uint8Array {
    const bytes = this.#reader.read(place.offset, place.length, into);
    if (bytes.length !== place.length) throw new SegmentDamage('The index segment was cut short.');
    checkFrame(bytes, place.offset);
    return bytes.subarray(0, place.length - CHECKSUM_BYTES);
  }

  /** A frame that may be asked for again. Whoever lets go of the thread asks again. */
  frame(place: FramePlace): Uint8Array {
    if (this.#generation !== frameMemory.generation) this.#followGeneration();
    const young = this.#young.get(place.offset);
    if (young !== undefined) return young;
    const old = this.#old.get(place.offset);
    const room = frameMemory.take(old?.length ?? place.length);
    if (room === undefined) return old ?? this.#read(place);
    if (old !== undefined) room.set(old);
    const bytes = old === undefined ? this.#read(place, room) : room;
    this.#young.set(place.offset, bytes);
    return bytes;
  }

  #followGeneration(): void {
    const { generation } = frameMemory;
    this.#old = generation === this.#generation + 1 ? this.#young : new Map();
    this.#young = new Map();
    this.#generation = generation;
  }

  get sessions(): readonly SessionRun[] {
    this.#sessions ??= this.#readSessions();
    return this.#sessions;
  }

  #readSessions(): SessionRun[] {
    const reader = new ByteReader(this.#read(this.header.sessions));
    const count = reader.uint32();
    const [ends, lengths] = [reader.float64s(count), reader.float64s(count)];
    const [firstOrders, lastOrders] = [reader.float64s(count), reader.float64s(count)];
    return readTexts(reader).map((id, run) => ({
      id,
      start: run === 0 ? 0 : ends[run - 1]!,
      end: ends[run]!,
      length: lengths[run]!,
      firstOrder: firstOrders[run]!,
      lastOrder: lastOrders[run]!,
    }));
  }

  get authors(): readonly string[] {
    if (!this.#authors) {
      const reader = new ByteReader(this.#read(this.header.authors));
      const authors: string[] = [];
      for (let left = reader.varint(); left > 0; left--) authors.push(reader.text());
      this.#authors = authors;
    }
    return this.#authors;
  }

  get time(): Float64Array {
    this.#time ??= float64sOf(this.#column(this.header.time));
    return this.#time;
  }

  get importance(): Float64Array {
    this.#importance ??= float64sOf(this.#column(this.header.importance));
    return this.#importance;
  }

  get length(): Int32Array {
    this.#length ??= int32sOf(this.#column(this.header.length));
    return this.#length;
  }

  get author(): Int32Array {
    this.#author ??= int32sOf(this.#column(this.header.author));
    return this.#author;
  }

  get kind(): Uint8Array {
    this.#kind ??= this.#column(this.header.kind);
    return this.#kind;
  }

  get idHash(): Int32Array {
    this.#idHash ??= int32sOf(this.#column(this.header.idHash));
    return this.#idHash;
  }

  /** The bytes of a column at an address that typed arrays can begin at: as they were read, as a rule. */
  #column(place: FramePlace): Uint8Array {
    const bytes = this.#read(place);
    return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  }

  #sparseIndex(): Sparse {
    if (this.#sparse) return this.#sparse;
    const reader = new ByteReader(this.#read(this.header.sparse));
    const bounds = reader.float64s(this.header.blockCount + 1);
    this.#sparse = { bounds, firstTerms: readTexts(reader) };
    return this.#sparse;
  }

  /** The last block whose first term is not behind `term`, or −1. */
  #blockOf(term: string): number {
    const { firstTerms } = this.#sparseIndex();
    let low = 0;
    let high = firstTerms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstTerms[middle]! <= term) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Where a term's postings are, or `undefined` when no document holds it. */
  find(term: string): TermPlace | undefined {
    const known = this.#places.get(term);
    if (known !== undefined) return known ?? undefined;
    const place = this.#lookUp(term);
    this.#places.set(term, place ?? null);
    return place;
  }

  #lookUp(term: string): TermPlace | undefined {
    const block = this.#blockOf(term);
    if (block === -1) return undefined;
    const reader = new ByteReader(this.frame(between(this.#sparseIndex().bounds, block)));
    const wanted = encodeText(term);
    const { bytes } = reader;
    let offset = reader.varint();
    // `matched` is how much of `wanted` the current term begins with.
    let matched = 0;
    let isExact = false;
    while (reader.at < bytes.length) {
      const shared = reader.varint();
      const suffix = reader.varint();
      if (shared <= matched) {
        matched = shared;
        while (
          matched - shared < suffix &&
          matched < wanted.length &&
          bytes[reader.at + matched - shared] === wanted[matched]
        ) {
          matched++;
        }
        isExact = matched === wanted.length && shared + suffix === wanted.length;
      } else isExact = false;
      reader.at += suffix;
      const count = reader.varint();
      const postingsLength = reader.varint();
      const positionsLength = reader.varint();
      if (isExact) {
        return {
          count,
          postings: { offset, length: postingsLength },
          positions: { offset: offset + postingsLength, length: positionsLength },
        };
      }
      offset += postingsLength + positionsLength;
    }
    return undefined;
  }

  /** All terms that begin with `prefix`, in order. */
  *termsFrom(prefix: string): TermWalk<{ readonly term: string; readonly place: TermPlace }> {
    const { bounds } = this.#sparseIndex();
    for (let block = Math.max(0, this.#blockOf(prefix)); block < this.header.blockCount; block++) {
      const reader = new ByteReader(this.frame(between(bounds, block)));
      let offset = reader.varint();
      let current = new Uint8Array(64);
      // How the last term begins, when no others are wanted that begin so.
      let unwanted = '';
      let unwantedBytes = Number.POSITIVE_INFINITY;
      while (reader.at < reader.bytes.length) {
        const shared = reader.varint();
        const suffix = reader.varint();
        if (shared + suffix > current.length) {
          const wider = new Uint8Array((shared + suffix) * 2);
          wider.set(current);
          current = wider;
        }
        current.set(reader.bytes.subarray(reader.at, reader.at + suffix), shared);
        reader.at += suffix;
        const count = reader.varint();
        const [start, postingsLength, positionsLength] = [offset, reader.varint(), reader.varint()];
        offset += postingsLength + positionsLength;
        if (shared >= unwantedBytes) continue;
        const term = decodeText(current, 0, shared + suffix);
        if (term.startsWith(prefix)) {
          const postings = { offset: start, length: postingsLength };
          const positions = { offset: start + postingsLength, length: positionsLength };
          unwanted = term.slice(0, (yield { term, place: { count, postings, positions } }) ?? 0);
          unwantedBytes = unwanted === '' ? Number.POSITIVE_INFINITY : encodeText(unwanted).length;
        } else if (term > prefix) return;
      }
      // The blocks that hold nothing else are not read.
      if (unwanted !== '') block = Math.max(block, this.#blockOf(unwanted + LAST_LETTER) - 1);
    }
  }

  /** A document's row. */
  row(document: number): DocumentRow {
    const known = this.#rows.get(document);
    if (known !== undefined) return known;
    const row = this.#readRow(document);
    this.#rows.set(document, row);
    return row;
  }

  #readRow(document: number): DocumentRow {
    const block = Math.floor(document / ROWS_PER_BLOCK);
    const reader = new ByteReader(this.frame(this.#rowFrame(block)));
    reader.at = (document - block * ROWS_PER_BLOCK) * ROW_BYTES;
    const order = reader.float64();
    const log = reader.float64();
    const offset = reader.float64();
    const length = reader.float64();
    reader.at = reader.uint32();
    return { id: reader.text(), order, log, offset, length, references: readReferences(reader) };
  }

  /** All rows in order: one pass over each block. */
  forEachRow(visit: (document: number, row: DocumentRow) => void): void {
    for (let block = 0; block < this.header.rowBlockCount; block++) {
      const first = block * ROWS_PER_BLOCK;
      const inBlock = Math.min(ROWS_PER_BLOCK, this.documentCount - first);
      const numbers = new ByteReader(this.#read(this.#rowFrame(block)));
      const texts = new ByteReader(numbers.bytes, inBlock * ROW_BYTES);
      for (let document = first; document < first + inBlock; document++) {
        const order = numbers.float64();
        const log = numbers.float64();
        const offset = numbers.float64();
        const length = numbers.float64();
        numbers.at += 4;
        const id = texts.text();
        visit(document, { id, order, log, offset, length, references: readReferences(texts) });
      }
    }
  }

  /** The order of a document in its session. */
  orderOf(document: number): number {
    const block = Math.floor(document / ROWS_PER_BLOCK);
    const bytes = this.frame(this.#rowFrame(block));
    return new ByteReader(bytes, (document - block * ROWS_PER_BLOCK) * ROW_BYTES).float64();
  }

  #rowFrame(block: number): FramePlace {
    this.#rowBounds ??= new ByteReader(this.#read(this.header.rowIndex)).float64s(
      this.header.rowBlockCount + 1,
    );
    return between(this.#rowBounds, block);
  }
}

function float64sOf({ buffer, byteOffset, length }: Uint8Array): Float64Array {
  return new Float64Array(buffer, byteOffset, length / Float64Array.BYTES_PER_ELEMENT);
}

function int32sOf({ buffer, byteOffset, length }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
}

/** The frame from one bound to the next. */
function between(bounds: Float64Array, block: number): FramePlace {
  return { offset: bounds[block]!, length: bounds[block + 1]! - bounds[block]! };
}

/** The texts that fill the rest of a frame. */
function readTexts(reader: ByteReader): string[] {
  return JSON.parse(decodeText(reader.bytes, reader.at, reader.bytes.length)) as string[];
}

function readReferences(reader: ByteReader): string[] {
  const references: string[] = [];
  for (let left = reader.varint(); left > 0; left--) references.push(reader.text());
  return references;
}

function checkFrame(bytes: Uint8Array, offset: number): void {
  const end = bytes.length - CHECKSUM_BYTES;
  const stored = end >= 0 ? new ByteReader(bytes, end).uint32() : -1;
  if (end < 0 || stored !== checksumOf(bytes, 0, end, seedOf(offset))) {
    throw new SegmentDamage('A part of the index segment does not match its checksum.');
  }
}
