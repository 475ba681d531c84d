import { join } from 'node:path';
import { ConcurrencyError } from '../../core/errors.ts';
import { type FileSystem, O_CREAT, O_RDWR, openPrivate } from './file-system.ts';
import { LOCK_ANCHOR, LOCK_BYTE } from './lock.ts';

/** Holds the lock of an open file until the function it gives is called, which closes it; `undefined` when it is held. */
export function holdIfFree(fileSystem: FileSystem, fd: number): (() => void) | undefined {
  // Closing releases the lock.
  const release = (): void => fileSystem.close(fd);
  let isOurs = false;
  try {
    isOurs = fileSystem.tryLock(fd, LOCK_BYTE);
  } finally {
    if (!isOurs) release();
  }
  return isOurs ? release : undefined;
}

/** What is done under it takes a millisecond; a process that holds the lock for two seconds has been stopped. */
const TRIES = 200;
const PAUSE_MS = 10;

/**
 * Runs short work while holding a folder's lock, without opening a log. The lock is the one that the logs of the
 * folder use (`lock.ts`).
 * @throws ConcurrencyError LOCK_TIMEOUT; ENOENT when the folder is gone
 */
export async function whileFolderIsLocked<Result>(
  fileSystem: FileSystem,
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = join(folder, LOCK_ANCHOR);
  for (let tries = 1; tries <= TRIES; tries++) {
    const { fd, status } = openPrivate(fileSystem, path, O_RDWR | O_CREAT);
    try {
      if (fileSystem.tryLock(fd, LOCK_BYTE)) {
        // The folder may have been removed, and made again, while we waited for the lock of the old one.
        if (fileSystem.stat(path)?.inode === status.inode) return await work();
      }
    } finally {
      // Closing releases the lock.
      fileSystem.close(fd);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new ConcurrencyError('LOCK_TIMEOUT', `Another process has been writing in ${folder} for too long.`);
}
