import { systemErrorCode } from '../../core/errors.ts';
import type { FileSystem } from './file-system.ts';

/**
 * What is different on Windows, for a file system that is Linux's otherwise: a folder cannot be synced (its entries
 * are in the journal), a file that another process, such as a virus scanner, has open cannot be replaced at that
 * moment, and the time of a write may show only when the file is closed.
 */

/** About a second in all. */
const RENAME_PAUSES_MS = [1, 2, 5, 10, 20, 50, 100, 200, 300, 300];
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** The file system as this platform has it. */
export function onPlatform(fileSystem: FileSystem, platform: NodeJS.Platform): FileSystem {
  return platform === 'win32' ? asOnWindows(fileSystem) : fileSystem;
}

export function asOnWindows(fileSystem: FileSystem, pause: (ms: number) => void = pauseThread): FileSystem {
  return {
    ...fileSystem,
    stat: (path) => {
      const status = fileSystem.stat(path);
      return status === undefined ? undefined : { ...status, modifyTimeMs: undefined };
    },
    fstat: (fd) => ({ ...fileSystem.fstat(fd), modifyTimeMs: undefined }),
    rename: (from, to) => {
      for (const pauseMs of RENAME_PAUSES_MS) {
        try {
          fileSystem.rename(from, to);
          return;
        } catch (error) {
          if (!isBusy(error)) throw error;
          pause(pauseMs);
        }
      }
      fileSystem.rename(from, to);
    },
    syncDirectory: async (path) => {
      try {
        await fileSystem.syncDirectory(path);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    },
  };
}

function isBusy(error: unknown): boolean {
  return BUSY.has(systemErrorCode(error) ?? '');
}

/** Renaming is one call, done while a lock is held: nothing else may happen in between. */
function pauseThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
