/**
 * A block of vectors: those of some memories, in columns, as it is written to a file and held in memory.
 *
 * A row does not hold the memory's id but two hashes of it (one of them is the one that segments hold as a column),
 * and two of the text that the vector was made from. For each session a block says which generation of its log the
 * rows were made from: a log that was rewritten since may hold other texts, and until that has been looked at the rows
 * do not count.
 *
 *   magic, version, dimensions, rows, length of the description, checksum of all behind it: 4 bytes each
 *   description: JSON with the embedder's identity and the sessions, filled up with spaces to 4 bytes
 *   columns of 4 bytes: session, id, id again, text, text again, squares
 *   the values, one byte each
 */

import { checksumOf } from '../bytes.ts';
import { SegmentDamage } from '../segment-format.ts';
import type { ContentHash } from './embedding-text.ts';
import type { QuantisedVector } from './quantise.ts';
import { idKey, textKey } from './vector-key.ts';

const MAGIC = 0x3156_484c;
const VERSION = 1;
/** Length of the header, which holds the checksum of what is behind it. */
export const BLOCK_HEADER_BYTES = 24;
const CHECKSUM_AT = 20;
const COLUMNS = 6;

/** The sessions of a block. */
export interface BlockSession {
  readonly id: string;
  /** Of the log that the rows were made from, or last compared with. */
  readonly generation: string;
}

/** A vector to be put into a block. */
export interface NewRow extends QuantisedVector {
  readonly sessionId: string;
  readonly generation: string;
  readonly idHash: number;
  readonly idCheck: number;
  readonly content: ContentHash;
}

export class VectorBlock {
  readonly identity: string;
  readonly dimensions: number;
  readonly sessions: readonly BlockSession[];
  /** Position in `sessions`. */
  readonly session: Uint32Array;
  readonly idHash: Uint32Array;
  readonly idCheck: Uint32Array;
  readonly contentHigh: Uint32Array;
  readonly contentLow: Uint32Array;
  readonly squares: Uint32Array;
  readonly values: Int8Array;
  readonly count: number;

  /** @throws SegmentDamage for bytes that are no block of this version, or were harmed */
  constructor(bytes: Uint8Array) {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
    const { buffer, byteOffset, length } = aligned;
    if (length < BLOCK_HEADER_BYTES) throw new SegmentDamage('This is no block of vectors.');
    const header = new Uint32Array(buffer, byteOffset, BLOCK_HEADER_BYTES / 4);
    const [magic, version, dimensions = 0, count = 0, described = 0, checksum] = header;
    const columnsAt = BLOCK_HEADER_BYTES + described;
    const valuesAt = columnsAt + count * COLUMNS * 4;
    const isWhole = magic === MAGIC && version === VERSION && length === valuesAt + count * dimensions;
    if (!isWhole || checksum !== checksumOf(aligned, BLOCK_HEADER_BYTES, length, checksumSeed(header))) {
      throw new SegmentDamage('This is no whole block of vectors.');
    }
    const { identity, sessions } = describedIn(aligned.subarray(BLOCK_HEADER_BYTES, columnsAt));
    const column = (number: number): Uint32Array =>
      new Uint32Array(buffer, byteOffset + columnsAt + number * count * 4, count);
    this.identity = identity;
    this.sessions = sessions;
    this.dimensions = dimensions;
    this.count = count;
    this.session = column(0);
    this.idHash = column(1);
    this.idCheck = column(2);
    this.contentHigh = column(3);
    this.contentLow = column(4);
    this.squares = column(5);
    this.values = new Int8Array(buffer, byteOffset + valuesAt, count * dimensions);
  }

  sessionOf(row: number): BlockSession {
    return this.sessions[this.session[row]!]!;
  }

  /** The memory of a row. */
  idKeyOf(row: number): number {
    return idKey(this.idHash[row]!, this.idCheck[row]!);
  }

  /** The text that a row was made from. */
  textKeyOf(row: number): string {
    return textKey({ high: this.contentHigh[row]!, low: this.contentLow[row]! });
  }

  /** All rows, as they can be put into another block. */
  rows(): NewRow[] {
    return Array.from({ length: this.count }, (_, row) => this.row(row));
  }

  /** A row as it can be put into another block. */
  row(row: number, generation = this.sessionOf(row).generation): NewRow {
    const { dimensions } = this;
    return {
      sessionId: this.sessionOf(row).id,
      generation,
      idHash: this.idHash[row]!,
      idCheck: this.idCheck[row]!,
      content: { high: this.contentHigh[row]!, low: this.contentLow[row]! },
      values: this.values.subarray(row * dimensions, (row + 1) * dimensions),
      squares: this.squares[row]!,
    };
  }
}

function describedIn(bytes: Uint8Array): {
  readonly identity: string;
  readonly sessions: readonly BlockSession[];
} {
  const { identity, sessions } = JSON.parse(new TextDecoder().decode(bytes)) as {
    readonly identity: string;
    readonly sessions: readonly (readonly [string, string])[];
  };
  return { identity, sessions: sessions.map(([id, generation]) => ({ id, generation })) };
}

/**
 * The sessions of a block, from its head alone and so without a look at its checksum: enough to tell whether a closer
 * look is due. @throws SegmentDamage
 */
export function readBlockSessions(
  read: (offset: number, length: number) => Uint8Array,
): readonly BlockSession[] {
  const bytes = new Uint8Array(read(0, BLOCK_HEADER_BYTES));
  if (bytes.length < BLOCK_HEADER_BYTES) throw new SegmentDamage('This is no block of vectors.');
  const [magic, version, , , described = 0] = new Uint32Array(bytes.buffer);
  if (magic !== MAGIC || version !== VERSION) throw new SegmentDamage('This is no block of vectors.');
  try {
    return describedIn(read(BLOCK_HEADER_BYTES, described)).sessions;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    throw new SegmentDamage('This is no whole block of vectors.');
  }
}

/** What the header says belongs to what is checked. */
function checksumSeed(header: Uint32Array): number {
  return header[2]! ^ Math.imul(header[3]!, 0x85eb_ca6b) ^ header[4]!;
}

/** The bytes of a block. */
export function encodeBlock(identity: string, dimensions: number, rows: readonly NewRow[]): Uint8Array {
  const sessions = new Map<string, number>();
  for (const row of rows) {
    const key = sessionKey(row);
    if (!sessions.has(key)) sessions.set(key, sessions.size);
  }
  const described = new TextEncoder().encode(
    JSON.stringify({ identity, sessions: [...sessions.keys()].map((key) => JSON.parse(key) as unknown) }),
  );
  const describedBytes = Math.ceil(described.length / 4) * 4;
  const columnsAt = BLOCK_HEADER_BYTES + describedBytes;
  const valuesAt = columnsAt + rows.length * COLUMNS * 4;
  const bytes = new Uint8Array(valuesAt + rows.length * dimensions);
  bytes.fill(0x20, BLOCK_HEADER_BYTES, columnsAt);
  bytes.set(described, BLOCK_HEADER_BYTES);
  const columns = new Uint32Array(bytes.buffer, columnsAt, rows.length * COLUMNS);
  const values = new Int8Array(bytes.buffer, valuesAt);
  for (const [at, row] of rows.entries()) {
    const cells = [
      sessions.get(sessionKey(row))!,
      row.idHash,
      row.idCheck,
      row.content.high,
      row.content.low,
      row.squares,
    ];
    for (const [number, cell] of cells.entries()) columns[number * rows.length + at] = cell;
    values.set(row.values, at * dimensions);
  }
  const header = new Uint32Array(bytes.buffer, 0, BLOCK_HEADER_BYTES / 4);
  header.set([MAGIC, VERSION, dimensions, rows.length, describedBytes]);
  header[CHECKSUM_AT / 4] = checksumOf(bytes, BLOCK_HEADER_BYTES, bytes.length, checksumSeed(header));
  return bytes;
}

function sessionKey({ sessionId, generation }: NewRow): string {
  return JSON.stringify([sessionId, generation]);
}
