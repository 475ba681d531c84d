import { RunningDigest } from '../../core/sha256.ts';
import type { ByteChunks } from '../../core/store.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';

/**
 * What is measured of a value while it streams by, so that it is never held whole and never read twice: its size,
 * its lines, whether it is text, its checksum, how it begins and ends, and where its lines stand.
 *
 * Line marks let line 400,000 of a large value be found with one short read: for each stretch of `every_bytes`
 * they tell how many lines end within it. There are at most 1,024 of them. When a value outgrows that, the
 * stretches double in length and the marks are added up in pairs; so a reader that looks for a line reads a thousandth
 * of a large value at most, and the marks take a few kilobytes in its record.
 */
export interface LineMarks {
  readonly every_bytes: number;
  /** Line ends in the first stretch, in the second, …; the last stretch may be short. */
  readonly line_ends: readonly number[];
}

export interface ScannedContent {
  readonly sizeBytes: number;
  /** A last line that does not end counts. */
  readonly lines: number;
  /** `undefined` when the value is one stretch. */
  readonly lineMarks: LineMarks | undefined;
  readonly isUtf8: boolean;
  /** Of SHA-256, in hex. */
  readonly digest: string;
  /** The first bytes as text, cut between characters; all of it when it is short. */
  readonly head: string;
  /** The last bytes as text; overlaps with the head when the value is short. */
  readonly tail: string;
  /** All of it, when it is text and within `WHOLE_BYTES`. */
  readonly whole: string | undefined;
}

const MAX_MARKS = 1_024;
/** What a description is made from. */
const HEAD_BYTES = 8_192;
const TAIL_BYTES = 4_096;
/** Up to here a value is kept while it streams by: enough for most JSON to be described by its keys. */
export const WHOLE_BYTES = 262_144;
const NEWLINE = 0x0a;

export class DetailScan {
  #sizeBytes = 0;
  #lineEnds = 0;
  #lastByte = NEWLINE;
  #everyBytes = STRETCH_BYTES;
  #marks: number[] = [];
  #isUtf8 = true;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #digest = new RunningDigest();
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #tail = new Uint8Array(0);

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** @param bytes at most `STRETCH_BYTES` of them, so that none of the copies that are made is large */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#digest.add(bytes);
    this.#checkText(bytes);
    this.#countLines(bytes);
    this.#keep(bytes);
    this.#sizeBytes += bytes.length;
    this.#lastByte = bytes.at(-1)!;
  }

  finish(): ScannedContent {
    try {
      if (this.#isUtf8) this.#decoder.decode();
    } catch {
      this.#isUtf8 = false;
    }
    const kept = Buffer.concat(this.#kept);
    const isWhole = this.#keptBytes === this.#sizeBytes;
    return {
      sizeBytes: this.#sizeBytes,
      lines: this.#lineEnds + (this.#lastByte === NEWLINE ? 0 : 1),
      lineMarks:
        this.#marks.length > 1 ? { every_bytes: this.#everyBytes, line_ends: this.#marks } : undefined,
      isUtf8: this.#isUtf8,
      digest: this.#digest.hex(),
      head: textOf(kept.subarray(0, HEAD_BYTES), { isCutAtEnd: this.#sizeBytes > HEAD_BYTES }),
      tail: textOf(this.#tail, { isCutAtStart: this.#sizeBytes > this.#tail.length }),
      whole: isWhole && this.#isUtf8 ? textOf(kept) : undefined,
    };
  }

  #checkText(bytes: Uint8Array): void {
    if (!this.#isUtf8) return;
    try {
      this.#decoder.decode(bytes, { stream: true });
    } catch {
      this.#isUtf8 = false;
    }
  }

  #countLines(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const stretch = Math.floor((this.#sizeBytes + from) / this.#everyBytes);
      if (stretch === MAX_MARKS) {
        this.#widenStretches();
        continue;
      }
      const end = Math.min(bytes.length, (stretch + 1) * this.#everyBytes - this.#sizeBytes);
      const ends = countNewlines(bytes, from, end);
      this.#marks[stretch] = (this.#marks[stretch] ?? 0) + ends;
      this.#lineEnds += ends;
      from = end;
    }
  }

  #widenStretches(): void {
    this.#everyBytes *= 2;
    const wide: number[] = [];
    for (const [i, ends] of this.#marks.entries()) wide[i >> 1] = (wide[i >> 1] ?? 0) + ends;
    this.#marks = wide;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#keptBytes < WHOLE_BYTES) {
      const part = bytes.slice(0, WHOLE_BYTES - this.#keptBytes);
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    const last = bytes.subarray(-TAIL_BYTES);
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + last.length - TAIL_BYTES));
    this.#tail = Buffer.concat([before, last]);
  }
}

/** The chunks again, none longer than a stretch, all seen by the scan. */
export async function* scanned(chunks: ByteChunks, scan: DetailScan): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += STRETCH_BYTES) {
      const part = chunk.subarray(from, from + STRETCH_BYTES);
      scan.add(part);
      yield part;
    }
  }
}

const CHARACTERS_AT_A_TIME = 16_384;

/** A text as the chunks of its UTF-8, a piece at a time. */
export function* textChunks(text: string): Generator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + CHARACTERS_AT_A_TIME);
    // Not between the two halves of a character.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    yield encoder.encode(text.slice(from, to));
    from = to;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function countNewlines(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1))
    count++;
  return count;
}

/** Bytes as text; a character that a cut has torn is left out. */
function textOf(
  bytes: Uint8Array,
  { isCutAtStart = false, isCutAtEnd = false }: { isCutAtStart?: boolean; isCutAtEnd?: boolean } = {},
): string {
  let start = 0;
  if (isCutAtStart) while (start < 3 && isContinuation(bytes[start])) start++;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(start), { stream: isCutAtEnd });
}

/** A byte inside a UTF-8 character, not the first of one. */
export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Memory that large values are read into, a stretch at a time. A buffer for each stretch would be collected late: a
 * value of 50 MB then takes up to as much again, though a stretch is done with as soon as it was looked at.
 */
const spare: Uint8Array[] = [];
/** For readings at the same time; more than that make their own. */
const MAX_SPARE = 4;

/** Lends a buffer of `STRETCH_BYTES` until the work is done, to be used again for each of its readings. */
export async function withReadingBuffer<Result>(
  work: (buffer: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const buffer = spare.pop() ?? new Uint8Array(STRETCH_BYTES);
  try {
    return await work(buffer);
  } finally {
    if (spare.length < MAX_SPARE) spare.push(buffer);
  }
}
