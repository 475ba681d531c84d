/**
 * Bytes in and out of a segment: varints, texts, and the checksum of each frame.
 *
 * The checksum takes four bytes at a time. Each step is a bijection of the sum so far and of the four bytes, so a change
 * within four bytes is always detected; any other escapes with a chance of one in four billion.
 */

import { grown } from './columns.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: false });

/** The checksum of `bytes[start…end)`: 32 bits, unsigned. */
export function checksumOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let sum = (seed ^ 0x9e3779b9 ^ (end - start)) | 0;
  const words = (end - start) >> 2;
  const from = bytes.byteOffset + start;
  // In a cold process, an Int32Array is several times faster than a DataView, even after a copy.
  const isAligned = (from & 3) === 0;
  const view = isAligned
    ? new Int32Array(bytes.buffer, from, words)
    : new Int32Array(new Uint8Array(bytes.subarray(start, start + 4 * words)).buffer);
  for (let at = 0; at < words; at++) {
    sum = Math.imul(sum ^ view[at]!, 0x85ebca6b);
    sum ^= sum >>> 15;
  }
  for (let at = start + words * 4; at < end; at++) {
    sum = Math.imul(sum ^ bytes[at]!, 0xc2b2ae35);
    sum ^= sum >>> 13;
  }
  return sum >>> 0;
}

/** A byte buffer that grows. */
export class ByteWriter {
  bytes: Uint8Array;
  #view: DataView;
  length = 0;
  /** Of the checksums of all frames so far. */
  digest = 0;

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** A view of what was written. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    this.bytes = grown(this.bytes, needed);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Any whole number from 0 to 2^53. */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest >= 0x8000_0000) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.#view.setUint32(this.length, value, true);
    this.length += 4;
  }

  float64(value: number): void {
    this.reserve(8);
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  text(value: string): void {
    const bytes = encodeText(value);
    this.varint(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Writes a number of texts, and the texts. */
  list(texts: readonly string[]): void {
    this.varint(texts.length);
    for (const text of texts) this.text(text);
  }

  /** Writes the checksum of what was written since `start`. */
  endFrame(start: number): void {
    const sum = checksumOf(this.bytes, start, this.length, seedOf(start));
    this.digest = Math.imul(this.digest ^ sum, 0x85ebca6b) >>> 0;
    this.uint32(sum);
  }
}

/** Ties a checksum to an offset, so that a frame read from the wrong place does not pass. */
export function seedOf(offset: number): number {
  return (offset % 4_294_967_296) ^ Math.floor(offset / 4_294_967_296);
}

/** Reads what `ByteWriter` wrote. Varints past the end are 0: frames are checked before they are read. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  uint32(): number {
    const value = this.view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  float64(): number {
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  float64s(count: number): Float64Array {
    const start = this.at;
    this.at += 8 * count;
    // A copy, for alignment. `slice` would not do: that of a Buffer is a view.
    return new Float64Array(new Uint8Array(this.bytes.subarray(start, this.at)).buffer);
  }

  text(): string {
    const length = this.varint();
    const start = this.at;
    this.at += length;
    return decodeText(this.bytes, start, this.at);
  }

  list(): string[] {
    const texts: string[] = [];
    for (let left = this.varint(); left > 0; left--) texts.push(this.text());
    return texts;
  }
}

/** UTF-8. Short ASCII texts are faster without the encoder. */
export function encodeText(value: string): Uint8Array {
  const bytes = new Uint8Array(value.length);
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code >= 128) return encoder.encode(value);
    bytes[at] = code;
  }
  return bytes;
}

/** UTF-8. Short ASCII texts are faster without the decoder. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 48) return decoder.decode(bytes.subarray(start, end));
  let text = '';
  for (let at = start; at < end; at++) {
    const code = bytes[at] ?? 0;
    if (code >= 128) return decoder.decode(bytes.subarray(start, end));
    text += String.fromCharCode(code);
  }
  return text;
}
