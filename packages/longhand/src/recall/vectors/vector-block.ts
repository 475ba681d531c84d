/**
 * A block of vectors, in a file and in memory.
 *
 * A row holds two hashes of the memory's id (the first is the one in segments) and two of the text that the vector was
 * made from. A block names for each session the generation of the log that the rows were made from: after a rewrite of
 * the log the rows do not count until they were compared with it.
 *
 *   magic, version, dimensions, rows, length of the description, checksum of all that follows: 4 bytes each
 *   description: JSON with the embedder's identity and the sessions, padded with spaces to 4 bytes
 *   columns of 4 bytes: session, id, id again, text, text again, squares
 *   the values, one byte each
 */

import { checksumOf, SegmentDamage } from '../index/index.ts';
import type { QuantisedVector } from './quantise.ts';
import { idKey, textKey } from './vector-key.ts';
import type { ContentHash } from './word-vectors.ts';

const MAGIC = 0x3156_484c;
const VERSION = 1;
export const BLOCK_HEADER_BYTES = 24;
const CHECKSUM_AT = 20;
const COLUMNS = 6;

export interface BlockSession {
  readonly id: string;
  /** Of the log that the rows were made from or last compared with. */
  readonly generation: string;
}

export interface NewRow extends QuantisedVector {
  readonly sessionId: string;
  readonly generation: string;
  readonly idHash: number;
  readonly idCheck: number;
  readonly content: ContentHash;
}

interface Description {
  readonly identity: string;
  readonly sessions: readonly (readonly [id: string, generation: string])[];
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

  /** @throws SegmentDamage when the bytes are not an undamaged block of this version */
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

  idKeyOf(row: number): number {
    return idKey(this.idHash[row]!, this.idCheck[row]!);
  }

  textKeyOf(row: number): string {
    return textKey({ high: this.contentHigh[row]!, low: this.contentLow[row]! });
  }

  rows(): NewRow[] {
    return Array.from({ length: this.count }, (_, row) => this.row(row));
  }

  /** A row to be put into another block. */
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

function describedIn(bytes: Uint8Array): Pick<VectorBlock, 'identity' | 'sessions'> {
  const described = JSON.parse(new TextDecoder().decode(bytes)) as Description;
  return {
    identity: described.identity,
    sessions: described.sessions.map(([id, generation]) => ({ id, generation })),
  };
}

/** The sessions of a block, read from its beginning without checking the rest. @throws SegmentDamage */
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

/** The checksum covers the header through its seed. */
function checksumSeed(header: Uint32Array): number {
  return header[2]! ^ Math.imul(header[3]!, 0x85eb_ca6b) ^ header[4]!;
}

export function encodeBlock(identity: string, dimensions: number, rows: readonly NewRow[]): Uint8Array {
  const sessions: Description['sessions'][number][] = [];
  const numbers = new Map<string, number>();
  for (const row of rows) {
    const key = sessionKey(row);
    if (!numbers.has(key)) numbers.set(key, sessions.push([row.sessionId, row.generation]) - 1);
  }
  const described = new TextEncoder().encode(JSON.stringify({ identity, sessions }));
  const describedBytes = Math.ceil(described.length / 4) * 4;
  const columnsAt = BLOCK_HEADER_BYTES + describedBytes;
  const valuesAt = columnsAt + rows.length * COLUMNS * 4;
  const bytes = new Uint8Array(valuesAt + rows.length * dimensions);
  bytes.fill(0x20, BLOCK_HEADER_BYTES, columnsAt);
  bytes.set(described, BLOCK_HEADER_BYTES);
  const columns = new Uint32Array(bytes.buffer, columnsAt, rows.length * COLUMNS);
  const values = new Int8Array(bytes.buffer, valuesAt);
  for (const [at, row] of rows.entries()) {
    const { idHash, idCheck, content, squares } = row;
    const session = numbers.get(sessionKey(row))!;
    for (const [number, cell] of [session, idHash, idCheck, content.high, content.low, squares].entries())
      columns[number * rows.length + at] = cell;
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
