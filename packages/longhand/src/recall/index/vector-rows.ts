/**
 * The vectors of a segment's documents, in their order, in a sidecar file. A text without known words has zeros.
 *
 *   magic, version, dimensions, rows, checksum of all that follows: 4 bytes each, little-endian
 *   id of the table of words: 16 characters; 4 spare bytes
 *   the rows, `dimensions` signed bytes each
 */

import { checksumOf } from './bytes.ts';
import { SegmentDamage, type SegmentReader } from './segment-format.ts';

const MAGIC = 0x5256_484c;
const VERSION = 1;
const HEADER_BYTES = 40;
const CHECKED_FROM = 20;
const ID_CHARACTERS = 16;

/** A table of words that gives texts vectors. */
export interface TextVectors {
  /** 16 characters, different for each table. */
  readonly id: string;
  readonly dimensions: number;
  /** Writes the vector of some texts together into `row`, of length `dimensions`. */
  read(texts: Iterable<string>, row: Int8Array): void;
  /** Whether the table has a word, which is then no typo. */
  knows(word: string): boolean;
}

export interface VectorRows {
  /** The id of the table of words. Vectors of different tables cannot be compared. */
  readonly table: string;
  readonly dimensions: number;
  readonly values: Int8Array;
}

/**
 * Puts the rows of documents in a new order. `undefined` unless all sources have vectors of the same table of words.
 * @param renumbered for each source: old document → new document, or −1
 */
export function reorderRows(
  sources: readonly (VectorRows | undefined)[],
  renumbered: readonly Int32Array[],
  count: number,
): VectorRows | undefined {
  const [first] = sources;
  if (first === undefined || sources.some((rows) => rows?.table !== first.table)) return undefined;
  const { table, dimensions } = first;
  const values = new Int8Array(count * dimensions);
  for (const [source, rows] of sources.entries()) {
    for (const [old, document] of renumbered[source]!.entries()) {
      if (document === -1) continue;
      values.set(rows!.values.subarray(old * dimensions, (old + 1) * dimensions), document * dimensions);
    }
  }
  return { table, dimensions, values };
}

/** @returns the bytes, and a digest that tells this file from another one of the same name */
export function encodeRows({ table, dimensions, values }: VectorRows): {
  readonly bytes: Uint8Array;
  readonly digest: number;
} {
  const bytes = new Uint8Array(HEADER_BYTES + values.length);
  for (let at = 0; at < ID_CHARACTERS; at++) bytes[CHECKED_FROM + at] = table.charCodeAt(at);
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.length), HEADER_BYTES);
  const digest = checksumOf(bytes, CHECKED_FROM, bytes.length, dimensions);
  const header = [MAGIC, VERSION, dimensions, values.length / dimensions, digest];
  new Uint32Array(bytes.buffer, 0, header.length).set(header);
  return { bytes, digest };
}

/** @throws SegmentDamage for a damaged file, or one of another version */
export function readRows(reader: SegmentReader): VectorRows & { readonly digest: number } {
  const read = reader.read(0, reader.size, new Uint8Array(reader.size));
  const bytes = read.byteOffset % 4 === 0 ? read : read.slice();
  const isHeaded = bytes.length >= HEADER_BYTES;
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, isHeaded ? CHECKED_FROM / 4 : 0);
  const [magic, version, dimensions = 0, count = 0, digest = 0] = header;
  const isWhole =
    magic === MAGIC && version === VERSION && bytes.length === HEADER_BYTES + count * dimensions;
  if (!isWhole || digest !== checksumOf(bytes, CHECKED_FROM, bytes.length, dimensions))
    throw new SegmentDamage('These are no whole vectors of a segment.');
  const table = String.fromCharCode(...bytes.subarray(CHECKED_FROM, CHECKED_FROM + ID_CHARACTERS));
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, count * dimensions);
  return { table, dimensions, values, digest };
}

/** The vectors of known texts, to tell whether files hold others. */
export class KnownRows {
  readonly #words: TextVectors;
  readonly #row: Int8Array;
  readonly #keys = new Set<string>();

  constructor(words: TextVectors) {
    this.#words = words;
    this.#row = new Int8Array(words.dimensions);
    this.add([]);
  }

  add(texts: Iterable<string>): void {
    this.#words.read(texts, this.#row);
    this.#keys.add(this.#row.join());
  }

  /** Whether all vectors of a file are of these texts; false for a file that is damaged or of another table. */
  hold(bytes: Uint8Array): boolean {
    const { id, dimensions } = this.#words;
    try {
      const { table, values } = readRows({ size: bytes.length, read: () => bytes });
      for (let at = 0; table === id && at < values.length; at += dimensions)
        if (!this.#keys.has(values.subarray(at, at + dimensions).join())) return false;
      return table === id;
    } catch (error) {
      if (error instanceof SegmentDamage) return false;
      throw error;
    }
  }
}
