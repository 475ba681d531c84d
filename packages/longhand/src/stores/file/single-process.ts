import { join } from 'node:path';
import { ConcurrencyError, systemErrorCode } from '../../core/errors.ts';
import { type FileSystem, O_CREAT, O_EXCL, O_WRONLY, openPrivate } from './file-system.ts';
import { readText, removeIfThere, removeQuietly } from './sidecar-files.ts';

const SINGLE_PROCESS_FILE = '.single-process';

/**
 * Keeps other processes out of a store where no kernel locks are available. A killed process leaves its
 * claim behind, and a person has to judge: without the kernel's locks no process can.
 * @returns what gives the claim up
 * @throws ConcurrencyError SINGLE_PROCESS_STORE
 */
export function claimForOneProcess(fileSystem: FileSystem, root: string): () => void {
  const path = join(root, SINGLE_PROCESS_FILE);
  let fd: number;
  try {
    fd = openPrivate(fileSystem, path, O_WRONLY | O_CREAT | O_EXCL).fd;
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    throw new ConcurrencyError(
      'SINGLE_PROCESS_STORE',
      `No kernel locks are available here, so only one process may use ${root}, and process ` +
        `${readText(fileSystem, path)?.trim()} does. If it is gone, remove ${path}; or install koffi.`,
      { cause: error },
    );
  }
  try {
    fileSystem.write(fd, Buffer.from(`${process.pid}\n`));
  } catch (error) {
    removeQuietly(fileSystem, path);
    throw error;
  } finally {
    fileSystem.close(fd);
  }
  return () => removeIfThere(fileSystem, path);
}
