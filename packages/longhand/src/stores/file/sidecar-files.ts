import { join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';
import { randomName } from '../../core/ids.ts';
import { mendedTombstones } from '../../core/store.ts';
import { appendWhole, readFrom } from './append-whole.ts';
import {
  type FileSystem,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_WRONLY,
  openPrivate,
} from './file-system.ts';

/** The files beside a log. All of them can be made again from it. */
export const INDEX_FILE = 'index.json';
export const TOMBSTONE_FILE = 'tombstones.jsonl';
export const TEMPORARY_ENDING = '.tmp';

/** Adds lines to the readable list of deletions. Only while holding the lock. */
export function appendTombstones(fileSystem: FileSystem, folder: string, lines: readonly string[]): void {
  const fd = openTombstones(fileSystem, folder);
  try {
    addLines(fileSystem, fd, lines);
  } finally {
    fileSystem.close(fd);
  }
}

/**
 * Adds the lines that are missing, after a crash between a deletion and its entry in the list, and brings
 * the list to the disk. It is rewritten where it disagrees about the same memory.
 */
export async function mendTombstones(
  fileSystem: FileSystem,
  folder: string,
  expected: readonly string[],
): Promise<void> {
  if (expected.length === 0) return;
  const fd = openTombstones(fileSystem, folder);
  try {
    const present = readWhole(fileSystem, fd).toString('utf8').split('\n');
    const lines = mendedTombstones(present, expected);
    const missing = lines.slice(present.length);
    if (present.some((line, i) => lines[i] !== line)) {
      const text = lines.filter((line) => line !== '').map((line) => `${line}\n`);
      return await replaceFile(fileSystem, join(folder, TOMBSTONE_FILE), [Buffer.from(text.join(''))], true);
    }
    if (missing.length > 0) addLines(fileSystem, fd, missing);
    await fileSystem.sync(fd);
  } finally {
    fileSystem.close(fd);
  }
}

function openTombstones(fileSystem: FileSystem, folder: string): number {
  return openPrivate(fileSystem, join(folder, TOMBSTONE_FILE), O_RDWR | O_APPEND | O_CREAT).fd;
}

function addLines(fileSystem: FileSystem, fd: number, lines: readonly string[]): void {
  const { size } = fileSystem.fstat(fd);
  const lastByte = readFrom(fileSystem, fd, Math.max(0, size - 1), size);
  // A torn last line is closed first.
  const opening = size > 0 && lastByte[0] !== 0x0a ? '\n' : '';
  appendWhole(fileSystem, fd, size, Buffer.from(`${opening}${lines.join('\n')}\n`));
}

/** A whole small file; `undefined` when there is none. */
export function readText(fileSystem: FileSystem, path: string): string | undefined {
  return readBytes(fileSystem, path)?.toString('utf8');
}

export function readBytes(fileSystem: FileSystem, path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = fileSystem.open(path, O_RDONLY);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readWhole(fileSystem, fd);
  } finally {
    fileSystem.close(fd);
  }
}

function readWhole(fileSystem: FileSystem, fd: number): Buffer {
  return readFrom(fileSystem, fd, 0, fileSystem.fstat(fd).size);
}

/** Writes a new file of its own beside `path` and puts it in its place: readers see the old or the new. */
export async function replaceFile(
  fileSystem: FileSystem,
  path: string,
  chunks: Iterable<Buffer>,
  isSynced: boolean,
): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomName().slice(0, 8)}${TEMPORARY_ENDING}`;
  try {
    const { fd } = openPrivate(fileSystem, temporary, O_WRONLY | O_CREAT | O_EXCL);
    try {
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
    removeQuietly(fileSystem, temporary);
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

/** For temporary files after a failure: that failure is the news, and the next recovery removes the rest. */
export function removeQuietly(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
