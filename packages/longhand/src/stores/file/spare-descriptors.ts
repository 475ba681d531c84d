import { readFileSync } from 'node:fs';
import { type FileSystem, systemErrorCode } from './file-system.ts';

/** The process, or the whole system, has as many files open as it may. */
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);

export function isOutOfDescriptors(error: unknown): boolean {
  return OUT_OF_DESCRIPTORS.has(systemErrorCode(error) ?? '');
}

/** How many files the process may have open; infinitely many where the system does not tell. */
export function descriptorLimit(path = '/proc/self/limits'): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(path, 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * A file system that lets go of files when there is no descriptor left for another, and tries once more. Logs are kept
 * open to be fast, and that is no reason to fail.
 * @param makeRoom closes what nobody uses at this moment. Whether there was any
 */
export function withSpareDescriptors(fileSystem: FileSystem, makeRoom: () => boolean): FileSystem {
  const again = <Result>(call: () => Result, error: unknown): Result => {
    if (isOutOfDescriptors(error) && makeRoom()) return call();
    throw error;
  };
  const trying = <Result>(call: () => Result): Result => {
    try {
      return call();
    } catch (error) {
      return again(call, error);
    }
  };
  const patient: Pick<FileSystem, 'open' | 'list' | 'syncDirectory'> = {
    open: (path, flags, mode) => trying(() => fileSystem.open(path, flags, mode)),
    list: (path) => trying(() => fileSystem.list(path)),
    syncDirectory: (path) => {
      const sync = (): Promise<void> => fileSystem.syncDirectory(path);
      return sync().catch((error) => again(sync, error));
    },
  };
  // All other calls are those of the file system itself, also when a test exchanges them later.
  return Object.assign(Object.create(fileSystem) as FileSystem, patient);
}
