/**
 * A segment: an immutable, checksummed stretch of the index, read piece by piece.
 *
 *   header      fixed size: magic, version, counts, the time of the newest document of each type, where
 *               everything is, a digest of all frames' checksums; ends with its own checksum
 *   postings    for each term, one frame of documents and frequencies, and for words one of positions
 *   dictionary  blocks of `TERMS_PER_BLOCK` terms in order, each a frame; terms share prefixes
 *   sparse      one frame: the first term and the place of each block
 *   columns     one frame each: time, importance, length, author, kind, hash of the id
 *   rows        blocks of `ROWS_PER_BLOCK` documents, each a frame: order, place, and where in the frame its
 *               id and references are; then those
 *   row index   one frame: the place of each block of rows
 *   sessions    one frame: id, stretch of documents, length, first and last order
 *   authors     one frame: names
 *
 * Documents are sorted by session id and order, so the turns of a session are neighbours. Every piece that is
 * read on its own is a *frame*: its bytes, then a checksum of them that also depends on where the frame lies.
 * Whoever holds a place got it from a frame that was checked, up to the header. A segment that was cut short
 * or changed is found out when the harmed piece is read, as `SegmentDamage`; it never gives a wrong answer.
 *
 * A postings frame holds the distances between documents as variable-length numbers, then one byte of
 * frequency for each document (255 means 255 or more). A positions frame holds, for each of the documents,
 * the number of positions and the distances between them. Numbers are little-endian.
 */

import { MEMORY_TYPES } from '../core/records.ts';

export const SEGMENT_MAGIC = 0x5347484c;
/** Another number when the words of a memory are others, too: what lies on the disk is then built again. */
export const SEGMENT_VERSION = 5;
/** Magic, version, 4 counts; as 64-bit floats the times, 9 places and a length; digest, checksum. */
export const HEADER_BYTES = 4 * 6 + 8 * (MEMORY_TYPES.length + 19) + 4 + 4;
/** Small enough to scan in microseconds, large enough that the sparse index stays a hundredth of the terms. */
export const TERMS_PER_BLOCK = 64;
export const ROWS_PER_BLOCK = 128;
/** The numbers of a row: order, log, offset and size as 64-bit floats, and where its texts begin. */
export const ROW_BYTES = 8 * 4 + 4;
export const CHECKSUM_BYTES = 4;

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
  readonly time: FramePlace;
  readonly importance: FramePlace;
  readonly length: FramePlace;
  readonly author: FramePlace;
  readonly kind: FramePlace;
  readonly idHash: FramePlace;
  readonly rowIndex: FramePlace;
  readonly sessions: FramePlace;
  /** The author names follow the sessions in the same frame's neighbour. */
  readonly authors: FramePlace;
  /** Of the checksums of all frames: two segments with different contents have different ones. */
  readonly digest: number;
}

/**
 * Gives the bytes of a segment. A read beyond the end gives fewer bytes than asked for. They may be put where there is
 * room for them: whoever gives it does not use it for anything else as long as they are needed.
 */
export interface SegmentReader {
  readonly size: number;
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
}

/** The bytes of a segment are not what was written. The segment has to be built again from the log. */
export class SegmentDamage extends Error {
  override readonly name = 'SegmentDamage';
  readonly code = 'SEGMENT_DAMAGE';
}
