import { LogLine } from './line.ts';
import { parseJson } from './parse-json.ts';

/**
 * Bytes of a log into lines: the one place that decides what counts as written. Pure, so that every
 * truncation and every flipped bit can be tried on it.
 *
 * - A line ends with `\n`; a `\r` before it (a person's editor) does not belong to the line. Blank lines
 *   are nothing.
 * - What follows the last newline is a line when it is whole, else a write that has not finished or never
 *   will: it stays unread, and the next writer closes it with a newline. When it goes on behind a whole line, the
 *   newline of that was hit: it counts, and what goes on stays unread.
 * - A line that fails its check is damage: skipped, counted, reported, never rewritten. When the newline
 *   between two lines was hit, both are found again by trying the places where a line could begin.
 * - `seq` rises strictly. A step back means that two writers once wrote at the same time.
 */

export type DamageKind = 'checksum' | 'torn' | 'sequence' | 'schema';

export interface Damage {
  readonly kind: DamageKind;
  /** The bytes as they stand in the log. */
  readonly line: LogLine;
}

/** Where a reading stopped. */
export interface DecodePosition {
  readonly offset: number;
  readonly lineNumber: number;
  readonly lastSeq: number;
}

interface Decoded {
  readonly lines: readonly LogLine[];
  readonly damage: readonly Damage[];
  readonly position: DecodePosition;
  /** Bytes after the position that are no whole line. */
  readonly unfinishedBytes: number;
}

interface DecodeOptions {
  /**
   * `full` checks every line. `light` trusts lines that begin like a memory, for callers that check each
   * line when they use it; everything else is still checked.
   */
  readonly check: 'full' | 'light';
}

export const START: DecodePosition = { offset: 0, lineNumber: 0, lastSeq: 0 };

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CLOSING_BRACE = 0x7d;
const LINE_OPENING = Buffer.from('{"schema_version":');
/** Damage that joins more lines than this is beyond a flipped newline; the bound keeps the search linear. */
const MAX_SALVAGE_STARTS = 8;

/** What some editors put at the front of a file. It belongs to no line. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** @param bytes what the log holds from `from.offset` on @internal */
export function decodeLog(bytes: Buffer, from: DecodePosition, options: DecodeOptions): Decoded {
  const lines: LogLine[] = [];
  const damage: Damage[] = [];
  let lineNumber = from.lineNumber;
  let lastSeq = from.lastSeq;
  let at =
    from.offset === 0 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
      ? BYTE_ORDER_MARK.length
      : 0;

  const accept = (line: LogLine): void => {
    lines.push(line);
    if (options.check === 'light') return;
    const seq = line.seq;
    if (seq === undefined) return;
    if (seq <= lastSeq) damage.push({ kind: 'sequence', line });
    lastSeq = Math.max(lastSeq, seq);
  };

  while (at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at);
    const isUnfinished = newline < 0;
    const next = isUnfinished ? bytes.length : newline + 1;
    let end = isUnfinished ? bytes.length : newline;
    if (end > at && bytes[end - 1] === CARRIAGE_RETURN) end--;

    if (end > at) {
      const line = new LogLine(bytes, at, end, from.offset + at, lineNumber + 1);
      if (isAcceptable(line, options)) {
        accept(line);
      } else {
        const found = salvage(bytes, at, end, from.offset, lineNumber + 1);
        if (isUnfinished) {
          if (hasOutgrown(found, from.offset + at)) {
            accept(found[0]!);
            at += found[0]!.length;
          }
          break;
        }
        for (const whole of found) accept(whole);
        damage.push({ kind: bytes[end - 1] === CLOSING_BRACE ? 'checksum' : 'torn', line });
      }
    }
    // Newlines count, not lines: a whole line that lacks its newline is taken, and counted by the reading
    // that starts with the newline which a writer adds.
    if (!isUnfinished) lineNumber++;
    at = next;
  }

  if (options.check === 'light' && lines.length > 0) {
    lastSeq = Math.max(lastSeq, lines.at(-1)!.seq ?? lastSeq);
  }
  return {
    lines,
    damage,
    position: { offset: from.offset + at, lineNumber, lastSeq },
    unfinishedBytes: bytes.length - at,
  };
}

function isAcceptable(line: LogLine, options: DecodeOptions): boolean {
  const looksWhole = options.check === 'light' && line.hasChecksumField && line.memoryId !== undefined;
  // Two lines that lost the newline between them have the right ends too.
  if (looksWhole && line.bytes.indexOf(LINE_OPENING, 1) < 0) return true;
  return line.check() !== 'damaged';
}

/**
 * Whether an unfinished line begins with a whole one, and goes on behind it: a line that is being written never does.
 * The whole one is taken at once, because the next writer closes the rest with a newline, and must know of its number
 * before that.
 */
function hasOutgrown([first]: readonly LogLine[], offset: number): boolean {
  if (first?.offset !== offset) return false;
  try {
    // A part of a line can have a checksum of its own, when its content was made to look like one, but is no object.
    parseJson(first.text);
    return true;
  } catch {
    return false;
  }
}

/** Whole, verified lines inside a line that is damaged. */
function salvage(bytes: Buffer, start: number, end: number, base: number, lineNumber: number): LogLine[] {
  const starts = [start];
  // Inside this line alone, here and below: a search through the rest of the log for every damaged line would make
  // a file of garbage cost its square.
  const piece = bytes.subarray(start, end);
  for (let at = piece.indexOf(LINE_OPENING, 1); at >= 0; at = piece.indexOf(LINE_OPENING, at + 1)) {
    if (starts.length === MAX_SALVAGE_STARTS) break;
    // A line can only begin right after another's end, or one (damaged) byte further. The other may have been read
    // before, without the byte.
    if (at === 1 || piece[at - 1] === CLOSING_BRACE || piece[at - 2] === CLOSING_BRACE)
      starts.push(start + at);
  }
  const found: LogLine[] = [];
  for (const [i, from] of starts.entries()) {
    for (let until = i + 1; until <= starts.length; until++) {
      const line = verifiedLine(bytes, from, starts[until] ?? end, base, lineNumber);
      if (line === undefined) continue;
      found.push(line);
      break;
    }
  }
  return found;
}

function verifiedLine(
  bytes: Buffer,
  start: number,
  nextStart: number,
  base: number,
  lineNumber: number,
): LogLine | undefined {
  const length = bytes.subarray(start, nextStart).lastIndexOf(CLOSING_BRACE) + 1;
  const line = new LogLine(bytes, start, start + length, base + start, lineNumber);
  return line.hasChecksumField && line.check() === 'verified' ? line : undefined;
}

/**
 * The lines that hold a text, each with bytes of its own. Not checked, not numbered.
 * @param offset where the bytes start in their log
 * @internal
 */
export function findLines(bytes: Buffer, text: string, offset: number): LogLine[] {
  const found: LogLine[] = [];
  for (let at = bytes.indexOf(text); at >= 0; ) {
    const start = bytes.lastIndexOf(NEWLINE, at) + 1;
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    found.push(new LogLine(Buffer.from(bytes.subarray(start, end)), 0, end - start, offset + start, 0));
    at = bytes.indexOf(text, end);
  }
  return found;
}
