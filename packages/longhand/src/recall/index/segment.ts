/**
 * Reads a segment piece by piece. Opening reads the header, the first lookup reads the sparse index, and everything
 * else is read when a query asks for it. Frames, rows and places of terms are cached within a bound.
 */

import { MEMORY_TYPES } from '../../core/records.ts';
import { ByteReader, checksumOf, decodeText, encodeText, seedOf } from './bytes.ts';
import { frameMemory, RecentlyUsed } from './caches.ts';
import { grown } from './columns.ts';
import type { DocumentRow, SessionRun } from './document-table.ts';
import type { TermWalk } from './part.ts';
import {
  CHECKSUM_BYTES,
  COLUMN_NAMES,
  COLUMN_TYPES,
  type ColumnName,
  type FramePlace,
  HEADER_BYTES,
  ROW_BYTES,
  ROWS_PER_BLOCK,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  type SegmentColumns,
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

/** The first term of each block; where each block begins, and where the last one ends. */
type Sparse = { readonly firstTerms: readonly string[]; readonly bounds: Float64Array };

/** Some 250 bytes each. Successive queries find many of the same rows. */
const ROWS_KEPT = 8_192;
/** Also remembers terms that are not there. */
const TERMS_KEPT = 2_048;

/** Sorts after every letter that can continue a term. */
const LAST_LETTER = '\uffff';

export class Segment {
  readonly header: SegmentHeader;
  readonly documentCount: number;
  #reader: SegmentReader;
  /** Cached frames by their offset: those of the current generation of the frame memory, and of the one before. */
  #young = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #generation = frameMemory.generation;
  #rows = new RecentlyUsed<number, DocumentRow>(ROWS_KEPT);
  #places = new RecentlyUsed<string, TermPlace | null>(TERMS_KEPT);
  #sparse: Sparse | undefined;
  #sessions: readonly SessionRun[] | undefined;
  #authors: readonly string[] | undefined;
  #rowBounds: Float64Array | undefined;

  /** @throws SegmentDamage when the bytes are not a whole segment of this version */
  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.header = this.#readHeader();
    this.documentCount = this.header.documentCount;
  }

  /** Differs between segments with different contents. */
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
    const header = {
      documentCount: reader.uint32(),
      termCount: reader.uint32(),
      blockCount: reader.uint32(),
      rowBlockCount: reader.uint32(),
      newestMs: reader.float64s(MEMORY_TYPES.length),
      sparse: place(),
      columns: Object.fromEntries(COLUMN_NAMES.map((name) => [name, place()])) as SegmentHeader['columns'],
      rowIndex: place(),
      sessions: place(),
    };
    const { sessions } = header;
    const authors = { offset: sessions.offset + sessions.length, length: reader.float64() };
    if (authors.offset + authors.length !== this.#reader.size) {
      throw new SegmentDamage('The index segment does not have the size that it was written with.');
    }
    return { ...header, authors, digest: reader.uint32() };
  }

  /** The bytes of a frame without its checksum. @throws SegmentDamage */
  #read(place: FramePlace, into?: Uint8Array): Uint8Array {
    const bytes = this.#reader.read(place.offset, place.length, into);
    if (bytes.length !== place.length) throw new SegmentDamage('The index segment was cut short.');
    checkFrame(bytes, place.offset);
    return bytes.subarray(0, place.length - CHECKSUM_BYTES);
  }

  /** A cached frame. It is valid until the caller yields: after an `await` it has to ask again. */
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
    this.#authors ??= new ByteReader(this.#read(this.header.authors)).list();
    return this.#authors;
  }

  /** Reads a column. The caller keeps it. */
  column<Name extends ColumnName>(name: Name): SegmentColumns[Name] {
    const bytes = this.#read(this.header.columns[name]);
    const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
    const Type = COLUMN_TYPES[name];
    if (bytes.length !== this.documentCount * Type.BYTES_PER_ELEMENT) {
      throw new SegmentDamage('A column of the index segment has the wrong length.');
    }
    return new Type(buffer, byteOffset, this.documentCount);
  }

  #sparseIndex(): Sparse {
    if (this.#sparse) return this.#sparse;
    const reader = new ByteReader(this.#read(this.header.sparse));
    const bounds = reader.float64s(this.header.blockCount + 1);
    this.#sparse = { bounds, firstTerms: readTexts(reader) };
    return this.#sparse;
  }

  /** The only block that can hold a term, or −1 when the term sorts before all of them. */
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
    /** How many bytes of `wanted` the current term begins with. */
    let matched = 0;
    while (reader.at < bytes.length) {
      const shared = reader.varint();
      const suffix = reader.varint();
      const length = shared + suffix;
      // A term that shares more than that with the one before it differs from `wanted` in the same place.
      if (shared <= matched) {
        const end = Math.min(length, wanted.length);
        const suffixAt = reader.at - shared;
        for (matched = shared; matched < end && bytes[suffixAt + matched] === wanted[matched]; ) matched++;
      }
      reader.at += suffix;
      const count = reader.varint();
      const [postings, positions] = [reader.varint(), reader.varint()];
      if (matched === length && length === wanted.length) return placeAt(offset, count, postings, positions);
      offset += postings + positions;
    }
    return undefined;
  }

  /** All terms that begin with `prefix`, in order. */
  *termsFrom(prefix: string): TermWalk<{ readonly term: string; readonly place: TermPlace }> {
    const { bounds } = this.#sparseIndex();
    for (let block = Math.max(0, this.#blockOf(prefix)); block < this.header.blockCount; block++) {
      const reader = new ByteReader(this.frame(between(bounds, block)));
      let offset = reader.varint();
      let current: Uint8Array = new Uint8Array(64);
      // The beginning of the last term, when the caller skips the others that begin so.
      let unwanted = '';
      let unwantedBytes = Number.POSITIVE_INFINITY;
      while (reader.at < reader.bytes.length) {
        const shared = reader.varint();
        const suffix = reader.varint();
        current = grown(current, shared + suffix);
        current.set(reader.bytes.subarray(reader.at, reader.at + suffix), shared);
        reader.at += suffix;
        const count = reader.varint();
        const [start, postings, positions] = [offset, reader.varint(), reader.varint()];
        offset += postings + positions;
        if (shared >= unwantedBytes) continue;
        const term = decodeText(current, 0, shared + suffix);
        if (term.startsWith(prefix)) {
          const place = placeAt(start, count, postings, positions);
          unwanted = term.slice(0, (yield { term, place }) ?? 0);
          unwantedBytes = unwanted === '' ? Number.POSITIVE_INFINITY : encodeText(unwanted).length;
        } else if (term > prefix) return;
      }
      // Blocks with skipped terms alone are not read.
      if (unwanted !== '') block = Math.max(block, this.#blockOf(unwanted + LAST_LETTER) - 1);
    }
  }

  row(document: number): DocumentRow {
    const known = this.#rows.get(document);
    if (known !== undefined) return known;
    const block = Math.floor(document / ROWS_PER_BLOCK);
    const row = readRow(new ByteReader(this.frame(this.#rowFrame(block))), document % ROWS_PER_BLOCK);
    this.#rows.set(document, row);
    return row;
  }

  /** Visits all rows in order, without caching them. */
  forEachRow(visit: (document: number, row: DocumentRow) => void): void {
    for (let first = 0; first < this.documentCount; first += ROWS_PER_BLOCK) {
      const reader = new ByteReader(this.#read(this.#rowFrame(first / ROWS_PER_BLOCK)));
      const last = Math.min(this.documentCount, first + ROWS_PER_BLOCK);
      for (let document = first; document < last; document++)
        visit(document, readRow(reader, document - first));
    }
  }

  orderOf(document: number): number {
    const bytes = this.frame(this.#rowFrame(Math.floor(document / ROWS_PER_BLOCK)));
    return new ByteReader(bytes, (document % ROWS_PER_BLOCK) * ROW_BYTES).float64();
  }

  #rowFrame(block: number): FramePlace {
    this.#rowBounds ??= new ByteReader(this.#read(this.header.rowIndex)).float64s(
      this.header.rowBlockCount + 1,
    );
    return between(this.#rowBounds, block);
  }
}

/** @param postings the length of that frame, as `positions` is of the next one */
function placeAt(offset: number, count: number, postings: number, positions: number): TermPlace {
  return {
    count,
    postings: { offset, length: postings },
    positions: { offset: offset + postings, length: positions },
  };
}

/** The frame from one bound to the next. */
function between(bounds: Float64Array, block: number): FramePlace {
  return { offset: bounds[block]!, length: bounds[block + 1]! - bounds[block]! };
}

/** @param row its position in the block */
function readRow(reader: ByteReader, row: number): DocumentRow {
  reader.at = row * ROW_BYTES;
  const [order, log] = [reader.float64(), reader.float64()];
  const [offset, length] = [reader.float64(), reader.float64()];
  reader.at = reader.uint32();
  return { id: reader.text(), order, log, offset, length, references: reader.list() };
}

/** The texts that fill the rest of a frame. */
function readTexts(reader: ByteReader): string[] {
  return JSON.parse(decodeText(reader.bytes, reader.at, reader.bytes.length)) as string[];
}

function checkFrame(bytes: Uint8Array, offset: number): void {
  const end = bytes.length - CHECKSUM_BYTES;
  const stored = end >= 0 ? new ByteReader(bytes, end).uint32() : -1;
  if (end < 0 || stored !== checksumOf(bytes, 0, end, seedOf(offset))) {
    throw new SegmentDamage('A part of the index segment does not match its checksum.');
  }
}
