import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { appendWhole, readFrom } from './append-whole.ts';
import {
  type FileSystem,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
  systemErrorCode,
} from './file-system.ts';

/** The files beside a log. All of them can be made again from it. */
export const INDEX_FILE = 'index.json';
export const TOMBSTONE_FILE = 'tombstones.jsonl';
export const QUARANTINE_FOLDER = 'corrupt';
export const TEMPORARY_ENDING = '.tmp';

/** Adds lines to the readable list of deletions. The bytes it took. Only while holding the lock. */
export function appendTombstones(fileSystem: FileSystem, folder: string, lines: readonly string[]): number {
  const fd = fileSystem.open(join(folder, TOMBSTONE_FILE), O_RDWR | O_APPEND | O_CREAT, 0o600);
  try {
    const { size } = fileSystem.fstat(fd);
    const lastByte = readFrom(fileSystem, fd, size - 1, size);
    const opening = size > 0 && lastByte[0] !== 0x0a ? '\n' : '';
    const bytes = Buffer.from(`${opening}${lines.join('\n')}\n`);
    appendWhole(fileSystem, fd, size, bytes);
    return bytes.length;
  } finally {
    fileSystem.close(fd);
  }
}

/** Adds the lines that are missing, after a crash between a deletion and its entry in the list. */
export function mendTombstones(fileSystem: FileSystem, folder: string, expected: readonly string[]): void {
  const present = new Set(readText(fileSystem, join(folder, TOMBSTONE_FILE))?.split('\n'));
  const missing = expected.filter((line) => !present.has(line));
  if (missing.length > 0) appendTombstones(fileSystem, folder, missing);
}

/** A whole small file; `undefined` when there is none. */
export function readText(fileSystem: FileSystem, path: string): string | undefined {
  let fd: number;
  try {
    fd = fileSystem.open(path, O_RDONLY);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readFrom(fileSystem, fd, 0, fileSystem.fstat(fd).size).toString('utf8');
  } finally {
    fileSystem.close(fd);
  }
}

/** Writes a new file of its own beside `path` and puts it in its place: readers see the old or the new. */
export async function replaceFile(
  fileSystem: FileSystem,
  path: string,
  chunks: Iterable<Buffer>,
  isSynced: boolean,
): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomUUID().slice(0, 8)}${TEMPORARY_ENDING}`;
  const fd = fileSystem.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    try {
      // Whatever the umask.
      fileSystem.setMode(fd, 0o600);
      let size = 0;
      for (const chunk of chunks) {
        appendWhole(fileSystem, fd, size, chunk);
        size += chunk.length;
      }
      if (isSynced) await fileSystem.sync(fd);
    } finally {
      fileSystem.close(fd);
    }
    fileSystem.rename(temporary, path);
  } catch (error) {
    removeIfThere(fileSystem, temporary);
    throw error;
  }
}

export function removeIfThere(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
