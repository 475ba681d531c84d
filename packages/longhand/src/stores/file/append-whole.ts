import { CutBackFailed, ShortWrite } from './failures.ts';
import type { FileSystem } from './file-system.ts';

/**
 * Appends all of the bytes with one write, or leaves the file as it was.
 * @throws CutBackFailed when neither worked: the torn piece stays, and the next writer closes it off
 */
export function appendWhole(fileSystem: FileSystem, fd: number, sizeBefore: number, bytes: Buffer): void {
  let failure: unknown;
  try {
    const written = fileSystem.write(fd, bytes);
    if (written === bytes.length) return;
    failure = new ShortWrite(written, bytes.length);
  } catch (error) {
    failure = error;
  }
  try {
    fileSystem.truncate(fd, sizeBefore);
  } catch (error) {
    if (fileSystem.fstat(fd).size !== sizeBefore) throw new CutBackFailed(failure, error);
  }
  throw failure;
}

/**
 * Reads from a position to the end of the file as it was when the reading began.
 * @param into where the bytes are put, if there is room for them
 */
export function readFrom(
  fileSystem: FileSystem,
  fd: number,
  position: number,
  size: number,
  into?: Uint8Array,
): Buffer {
  const wanted = Math.max(0, size - position);
  const bytes =
    into !== undefined && into.length >= wanted
      ? Buffer.from(into.buffer, into.byteOffset, wanted)
      : Buffer.allocUnsafe(wanted);
  let length = 0;
  while (length < bytes.length) {
    const read = fileSystem.read(fd, bytes.subarray(length), position + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
