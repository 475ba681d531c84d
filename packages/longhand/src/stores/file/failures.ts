import { IOError, LonghandError } from '../../core/errors.ts';
import { describeLog, type LogAddress, logNotFound } from '../../core/store.ts';
import { systemErrorCode } from './file-system.ts';

/** The disk, the quota or the process's limit is full: waiting does not help, making room does. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** Asking again will get the same answer. */
const FINAL = new Set(['EROFS', 'EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'EISDIR']);

/** A write that took fewer bytes than it was given. The system says why only at the next one: full. */
export class ShortWrite extends Error {
  readonly code = 'ENOSPC';
  constructor(written: number, wanted: number) {
    super(`The system took ${written} of ${wanted} bytes.`);
  }
}

/** Whether a failure may pass by itself, so that a write is worth keeping for another try. */
export function mayPass(error: unknown): boolean {
  const code = systemErrorCode(error);
  if (LonghandError.isInstance(error) || code === undefined) return false;
  return !FULL.has(code) && !FINAL.has(code) && code !== 'ENOENT';
}

export function isFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code !== undefined && FULL.has(code);
}

/** A system error in the family's terms. Errors of the family pass through. */
export function toLonghandError(error: unknown, log: LogAddress, operation: string): LonghandError {
  if (LonghandError.isInstance(error)) return error;
  const code = systemErrorCode(error);
  const details = { log: describeLog(log), operation, system_code: code };
  if (code === 'ENOENT') return logNotFound(log);
  if (isFull(error)) {
    return new IOError(
      'STORAGE_FULL',
      `No room on the disk to ${operation} ${describeLog(log)} (${code}). Nothing was stored; make room and try again.`,
      { cause: error, details },
    );
  }
  if (code === 'ELOOP' || code === 'ENOTDIR') {
    return new IOError(
      'UNSAFE_PATH',
      `A part of the path of ${describeLog(log)} is a symbolic link or not a folder, which Longhand does not follow.`,
      { cause: error, details },
    );
  }
  return new IOError(
    'IO_FAILED',
    `Could not ${operation} ${describeLog(log)}: ${code ?? 'unknown failure'}.`,
    {
      cause: error,
      details,
    },
  );
}
