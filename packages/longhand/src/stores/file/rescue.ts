import { encodeLine, encodeLines, type LogLine } from '../../core/line.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import { readFrom } from './append-whole.ts';
import type { FileSystem } from './file-system.ts';
import { writeLog } from './rewrite.ts';
import type { UnsyncedPart } from './syncer.ts';

/**
 * After a failed sync the system may have thrown away what was written since the last good one. The process that
 * wrote it still has it (`syncer.ts`), and brings it back in one of two ways:
 *
 * - The first process to see the failure rewrites the log, with its own lines (`rescueLog`).
 * - Every other process that had written finds a new file in the log's place, made without its lines. Those that the
 *   old file still gives were seen by the process that made the new one, and kept or dropped on purpose. The rest was
 *   lost (`findLost`), and is appended to the new file (`linesToPutBack`).
 */

/**
 * Rewrites the log after a failed sync: what the old file still gives, byte for byte, and what this
 * process wrote since its last good sync, whichever of it the old file has lost, each line at its place in
 * the sequence. Only while holding the lock.
 */
export async function rescueLog(
  fileSystem: FileSystem,
  path: string,
  fd: number,
  unsynced: readonly UnsyncedPart[],
): Promise<void> {
  const bytes = readFrom(fileSystem, fd, 0, fileSystem.fstat(fd).size);
  const stored = decodeLog(bytes, START, { check: 'full' }).lines;
  const written = linesOf(unsynced);
  // By content, not by number: a damaged number must not pass for a line that is there.
  const present = new Set(stored.map((line) => line.text));
  const lost = written.filter((line) => !present.has(line.text));
  await writeLog(fileSystem, path, weave(bytes, stored, lost));
}

/** The unsynced lines that the file lost. Costs one reading of what was written. */
export function findLost(
  fileSystem: FileSystem,
  fd: number,
  unsynced: readonly UnsyncedPart[],
): readonly LogLine[] {
  const isLost = ({ bytes, offset }: UnsyncedPart): boolean =>
    !readFrom(fileSystem, fd, offset, offset + bytes.length).equals(bytes);
  return linesOf(unsynced.filter(isLost));
}

/**
 * The bytes that bring lost lines back, with new numbers, after a log that has other lines by now; none
 * for lines that are there after all. Only while holding the lock.
 */
export function linesToPutBack(
  stored: readonly LogLine[],
  lost: readonly LogLine[],
  lastSeq: number,
  checksums: boolean,
): { readonly bytes: Buffer; readonly lastSeq: number } {
  // Counted, because two records may say the same.
  const present = new Map<string, number>();
  for (const body of stored.map(bodyOf)) present.set(body, (present.get(body) ?? 0) + 1);
  const missing = lost.map(bodyOf).filter((body) => {
    const count = present.get(body) ?? 0;
    present.set(body, count - 1);
    return count <= 0;
  });
  return { bytes: encodeLines(missing, lastSeq + 1, checksums), lastSeq: lastSeq + missing.length };
}

/** The lines of a file that stand behind a place in it. */
export function linesAfter(fileSystem: FileSystem, fd: number, offset: number): readonly LogLine[] {
  const bytes = readFrom(fileSystem, fd, offset, fileSystem.fstat(fd).size);
  return decodeLog(bytes, START, { check: 'full' }).lines;
}

function linesOf(unsynced: readonly UnsyncedPart[]): readonly LogLine[] {
  const bytes = Buffer.concat(unsynced.map((part) => part.bytes));
  return decodeLog(bytes, START, { check: 'full' }).lines;
}

const CLOSING_FIELDS = /,"seq":\d+(?:,"checksum":"sha256:[0-9a-f]{64}")?\}$/;

/** A line as it was before it got its number and its checksum. */
function bodyOf(line: LogLine): string {
  return line.text.replace(CLOSING_FIELDS, '}');
}

const NEWLINE_CODE = 0x0a;
const NEWLINE = Buffer.from('\n');

function* weave(bytes: Buffer, stored: readonly LogLine[], lost: readonly LogLine[]): Generator<Buffer> {
  let at = 0;
  let next = 0;
  // The highest number that was given to a line here. Another process may have given the number of a lost line to
  // one of its own: that one, and what follows it, moves up.
  let highest = 0;
  for (const line of stored) {
    const { offset, seq, length } = line;
    // A line that was salvaged out of a damaged one does not start where another could be put before it.
    const isAtLineStart = offset === 0 || bytes[offset - 1] === NEWLINE_CODE;
    if (seq === undefined || !isAtLineStart) continue;
    const isLostBefore = next < lost.length && lost[next]!.seq! <= seq;
    if (!isLostBefore && seq > highest) continue;
    yield bytes.subarray(at, offset);
    at = offset;
    for (; next < lost.length && lost[next]!.seq! <= seq; next++) {
      highest = Math.max(highest + 1, lost[next]!.seq!);
      yield numbered(lost[next]!, highest);
    }
    if (seq > highest) continue;
    yield numbered(line, ++highest);
    at = Math.min(bytes.length, offset + length + 1);
  }
  yield bytes.subarray(at);
  if (at < bytes.length && bytes.at(-1) !== NEWLINE_CODE) yield NEWLINE;
  for (; next < lost.length; next++) {
    highest = Math.max(highest + 1, lost[next]!.seq!);
    yield numbered(lost[next]!, highest);
  }
}

function numbered(line: LogLine, seq: number): Buffer {
  return line.seq === seq
    ? Buffer.concat([line.bytes, NEWLINE])
    : Buffer.from(encodeLine(bodyOf(line), seq, line.hasChecksumField));
}
