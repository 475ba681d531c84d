import { ValidationError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { OpenBlob } from '../../core/store.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';
import type { KeptDetail } from './detail-records.ts';
import { isContinuation, withReadingBuffer } from './detail-scan.ts';

/**
 * Lines of a large value by their numbers. The line marks of its record lead to the stretch in which the first
 * line begins; from there the bytes are read until the last one ends, or the answer is full.
 */
interface LineRange {
  readonly content: string;
  /** First and last; the last may be cut short when the answer is full. */
  readonly lines: readonly [number, number];
  readonly is_truncated: boolean;
}

const NEWLINE = 0x0a;

/** @throws ValidationError INVALID_OPTION when the value has no such line */
export async function readLines(
  blob: OpenBlob,
  detail: KeptDetail,
  [from, to]: readonly [number, number],
): Promise<LineRange> {
  if (from > detail.lines) {
    throw new ValidationError(
      'INVALID_OPTION',
      `There is no line ${from}: the value has ${detail.lines} lines.`,
      { details: { total_lines: detail.lines } },
    );
  }
  const start = await withReadingBuffer((buffer) => startOfLine(blob, detail, from, buffer));
  const last = Math.min(to, detail.lines);
  const { bytes, lineEnds, isFull } = await readUntil(blob, start, last - from + 1);
  const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return { content, lines: [from, Math.min(last, from + lineEnds)], is_truncated: isFull };
}

async function startOfLine(
  blob: OpenBlob,
  { line_marks }: KeptDetail,
  line: number,
  buffer: Uint8Array,
): Promise<number> {
  let missing = line - 1;
  let offset = 0;
  if (line_marks !== undefined) {
    for (const ends of line_marks.line_ends) {
      // The line end that is looked for may be the last one of this stretch.
      if (ends >= missing) break;
      missing -= ends;
      offset += line_marks.every_bytes;
    }
  }
  while (missing > 0) {
    const bytes = await blob.read(offset, STRETCH_BYTES, buffer);
    // Only when line ends have vanished since the value was stored.
    if (bytes.length === 0) return offset;
    let at = 0;
    while (missing > 0) {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0) break;
      at = newline + 1;
      missing--;
    }
    offset += missing === 0 ? at : bytes.length;
  }
  return offset;
}

interface ReadBytes {
  readonly bytes: Uint8Array;
  /** Lines that ended, without the last one that was wanted. */
  readonly lineEnds: number;
  readonly isFull: boolean;
}

async function readUntil(blob: OpenBlob, start: number, wantedLines: number): Promise<ReadBytes> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let lineEnds = 0;
  while (start + length < blob.size) {
    const room = LIMITS.detailAnswerBytes - length;
    if (room === 0) return { bytes: withoutTornCharacter(Buffer.concat(parts)), lineEnds, isFull: true };
    const bytes = await blob.read(start + length, Math.min(STRETCH_BYTES, room));
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      if (lineEnds + 1 === wantedLines) {
        parts.push(bytes.subarray(0, at + 1));
        return { bytes: Buffer.concat(parts), lineEnds, isFull: false };
      }
      lineEnds++;
    }
    parts.push(bytes);
    length += bytes.length;
  }
  return { bytes: Buffer.concat(parts), lineEnds, isFull: false };
}

function withoutTornCharacter(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end--;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}
