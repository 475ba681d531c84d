/**
 * A segment: an immutable, checksummed stretch of the index, read piece by piece.
 *
 *   header      fixed size: magic, version, counts, the time of the newest document of each type, where the other
 *               pieces lie, a digest of all frames' checksums, its own checksum
 *   postings    for each term a frame of documents and frequencies, and for words one of positions
 *   dictionary  blocks of `TERMS_PER_BLOCK` terms in order, each a frame; terms share prefixes
 *   sparse      one frame: the first term and the place of each block
 *   columns     one frame each: time, importance, length, author, kind, hash of the text, hash of the id
 *   rows        blocks of `ROWS_PER_BLOCK` documents, each a frame: order, place, and where in the frame the
 *               document's id and references are; then these texts
 *   row index   one frame: the place of each block of rows
 *   sessions    one frame: id, stretch of documents, length, first and last order
 *   authors     one frame: names
 *
 * Documents are sorted by session id and order. A *frame* is a piece that is read on its own: its bytes, then a
 * checksum of them and of the frame's offset. The place of a frame comes from another checked frame or the header, so
 * damage is always found when the damaged piece is read, as `SegmentDamage`.
 *
 * A postings frame holds the distances between documents as varints, then a byte of frequency for each (255 means 255
 * or more). A positions frame holds for each document the number of positions and the distances between them. Numbers
 * are little-endian.
 */

import { MEMORY_TYPES } from '../../core/records.ts';
import type { DocumentColumns } from './document-table.ts';

export const SEGMENT_MAGIC = 0x5347484c;
/** Also raised when the analysis gives a memory other terms: segments of another version are built again. */
export const SEGMENT_VERSION = 9;
/** Magic, version, 4 counts; as 64-bit floats the times, 10 places and a length; digest, checksum. */
export const HEADER_BYTES = 4 * 6 + 8 * (MEMORY_TYPES.length + 21) + 4 + 4;
/** Small enough to scan in microseconds, large enough that the sparse index stays a hundredth of the terms. */
export const TERMS_PER_BLOCK = 64;
export const ROWS_PER_BLOCK = 128;
/** The numbers of a row: order, log, offset and size as 64-bit floats, and where its texts begin. */
export const ROW_BYTES = 8 * 4 + 4;
export const CHECKSUM_BYTES = 4;

export interface SegmentColumns extends DocumentColumns {
  readonly idHash: Int32Array;
}

export type ColumnName = keyof SegmentColumns;

interface ColumnType<Column> {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Column;
  readonly BYTES_PER_ELEMENT: number;
}

/** In the order in which the columns lie in a segment. */
export const COLUMN_TYPES: { readonly [Name in ColumnName]: ColumnType<SegmentColumns[Name]> } = {
  time: Float64Array,
  importance: Float64Array,
  length: Int32Array,
  author: Int32Array,
  kind: Uint8Array,
  textHash: Float64Array,
  idHash: Int32Array,
};
export const COLUMN_NAMES = Object.keys(COLUMN_TYPES) as readonly ColumnName[];

/** A piece of a segment, its checksum included. */
export interface FramePlace {
  readonly offset: number;
  readonly length: number;
}

export interface SegmentHeader {
  readonly documentCount: number;
  readonly termCount: number;
  readonly blockCount: number;
  readonly rowBlockCount: number;
  /** By type; −Infinity for a type that no document has. */
  readonly newestMs: Float64Array;
  readonly sparse: FramePlace;
  readonly columns: Readonly<Record<ColumnName, FramePlace>>;
  readonly rowIndex: FramePlace;
  readonly sessions: FramePlace;
  readonly authors: FramePlace;
  /** Made of the checksums of all frames: segments with different contents have different digests. */
  readonly digest: number;
}

/** Reads the bytes of a segment: fewer than asked for at its end. */
export interface SegmentReader {
  readonly size: number;
  /** @param into room that the reader may use, and that stays untouched as long as the bytes are needed */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
}

/** The bytes of a segment are not what was written. The segment has to be built again from the log. */
export class SegmentDamage extends Error {
  override readonly name = 'SegmentDamage';
  readonly code = 'SEGMENT_DAMAGE';
}
