import { checksumOf } from '../../longhand/src/recall/index/bytes.ts';
import {
  forEachWord,
  MOST,
  TABLE_FORMAT,
  TABLE_HEADER_BYTES,
  TABLE_ID_AT,
  TABLE_MAGIC,
} from '../../longhand/src/recall/vectors/word-vectors.ts';

export interface TableWord {
  readonly word: string;
  readonly vector: Float32Array;
}

/** The bytes of a table, as `recall/vectors/word-vectors.ts` reads them. @param id 16 hex digits */
export function encodeTable(words: readonly TableWord[], id: string): Uint8Array {
  const dimensions = words[0]!.vector.length;
  const slotCount = 2 ** Math.ceil(Math.log2(words.length * 1.4));
  const rowsAt = TABLE_HEADER_BYTES + 2 * slotCount + 8 * words.length;
  const bytes = new Uint8Array(rowsAt + words.length * dimensions);
  const slots = new Uint16Array(bytes.buffer, TABLE_HEADER_BYTES, slotCount);
  const hashes = new Int32Array(bytes.buffer, TABLE_HEADER_BYTES + 2 * slotCount, words.length);
  const scales = new Float32Array(bytes.buffer, rowsAt - 4 * words.length, words.length);
  const rows = new Int8Array(bytes.buffer, rowsAt);
  for (const [number, { word, vector }] of words.entries()) {
    forEachWord(word, (hash) => {
      hashes[number] = hash;
      return false;
    });
    let slot = hashes[number]! & (slotCount - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = number + 1;
    scales[number] = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / MOST;
    for (const [at, value] of vector.entries())
      rows[number * dimensions + at] = Math.round(value / scales[number]!);
  }
  bytes.set(new TextEncoder().encode(id.slice(0, TABLE_HEADER_BYTES - TABLE_ID_AT)), TABLE_ID_AT);
  const checksum = checksumOf(bytes, TABLE_ID_AT, bytes.length, 0);
  new Uint32Array(bytes.buffer, 0, TABLE_ID_AT / 4).set([
    TABLE_MAGIC,
    TABLE_FORMAT,
    dimensions,
    words.length,
    slotCount,
    checksum,
  ]);
  return bytes;
}
