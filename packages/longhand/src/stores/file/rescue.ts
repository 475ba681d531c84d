import type { LogLine } from '../../core/line.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import { readFrom } from './append-whole.ts';
import type { FileSystem } from './file-system.ts';
import { writeLog } from './rewrite.ts';

/**
 * Writes the log anew after a failed sync: what the old file still gives, byte for byte, and what this
 * process wrote since its last good sync, whichever of it the old file has lost, each line at its place in
 * the sequence. Only while holding the lock.
 */
export async function rescueLog(
  fileSystem: FileSystem,
  path: string,
  fd: number,
  unsynced: readonly Buffer[],
): Promise<void> {
  const bytes = readFrom(fileSystem, fd, 0, fileSystem.fstat(fd).size);
  const stored = decodeLog(bytes, START, { check: 'full' }).lines;
  const written = decodeLog(Buffer.concat(unsynced), START, { check: 'full' }).lines;
  // By content, not by number: a damaged number must not pass for a line that is there.
  const present = new Set(stored.map((line) => line.text));
  const lost = written.filter((line) => !present.has(line.text));
  await writeLog(fileSystem, path, weave(bytes, stored, lost));
}

const NEWLINE_CODE = 0x0a;
const NEWLINE = Buffer.from('\n');

function* weave(bytes: Buffer, stored: readonly LogLine[], lost: readonly LogLine[]): Generator<Buffer> {
  let at = 0;
  let next = 0;
  for (const { offset, seq } of stored) {
    if (next === lost.length) break;
    // A line that was salvaged out of a damaged one does not start where another could be put before it.
    const isAtLineStart = offset === 0 || bytes[offset - 1] === NEWLINE_CODE;
    if (seq === undefined || !isAtLineStart || seq < lost[next]!.seq!) continue;
    yield bytes.subarray(at, offset);
    at = offset;
    for (; next < lost.length && lost[next]!.seq! <= seq; next++) yield withNewline(lost[next]!);
  }
  yield bytes.subarray(at);
  if (bytes.length > 0 && bytes.at(-1) !== NEWLINE_CODE) yield NEWLINE;
  for (; next < lost.length; next++) yield withNewline(lost[next]!);
}

function withNewline(line: LogLine): Buffer {
  return Buffer.concat([line.bytes, NEWLINE]);
}
