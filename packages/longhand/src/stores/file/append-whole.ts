import { ShortWrite } from './failures.ts';
import type { FileSystem } from './file-system.ts';

/**
 * Appends all of the bytes with one write, or leaves the file as it was. When even cutting back fails, the
 * torn piece stays without a newline, and the next writer closes it off.
 */
export function appendWhole(fileSystem: FileSystem, fd: number, sizeBefore: number, bytes: Buffer): void {
  let written = 0;
  let failure: unknown;
  try {
    written = fileSystem.write(fd, bytes);
    if (written === bytes.length) return;
    failure = new ShortWrite(written, bytes.length);
  } catch (error) {
    failure = error;
  }
  try {
    fileSystem.truncate(fd, sizeBefore);
  } catch (error) {
    failure = new AggregateError([failure, error], 'The write failed, and so did cutting it back.', {
      cause: failure,
    });
    Object.assign(failure as Error, { code: (error as NodeJS.ErrnoException).code });
  }
  throw failure;
}

/** Reads from a position to the end of the file as it was when the reading began. */
export function readFrom(fileSystem: FileSystem, fd: number, position: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, size - position));
  let length = 0;
  while (length < bytes.length) {
    const read = fileSystem.read(fd, bytes.subarray(length), position + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
