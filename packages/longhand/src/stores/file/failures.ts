import { IOError, LonghandError, systemErrorCode } from '../../core/errors.ts';
import { describeLog, type LogAddress, logNotFound } from '../../core/store.ts';

/** The process, or the whole system, has as many files open as it may. */
const OUT_OF_DESCRIPTORS = new Set(['EMFILE', 'ENFILE']);

/** The disk, the quota or the process's limit is full: waiting does not help, making room does. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** Asking again will get the same answer. */
const FINAL = new Set([
  ...['EROFS', 'EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'EISDIR', 'ENOENT'],
  ...['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'],
]);

/** A write that took fewer bytes than it was given. The system says why only at the next one: full. */
export class ShortWrite extends Error {
  readonly code = 'ENOSPC';
  constructor(written: number, wanted: number) {
    super(`The system took ${written} of ${wanted} bytes.`);
  }
}

/** Part of a write stands in the file and could not be cut off: writing it again could store it twice. */
export class CutBackFailed extends Error {
  readonly code = 'EIO';
  constructor(writeFailure: unknown, cutFailure: unknown) {
    super('A write failed, and so did cutting it back.', {
      cause: new AggregateError([writeFailure, cutFailure]),
    });
  }
}

/** Other processes keep moving a file away, or its file system gives it another inode at every look. */
export class NeverInPlace extends Error {
  readonly code = 'ESTALE';
  constructor(name: string, tries: number) {
    super(`The file \`${name}\` was gone, or another one, after each of ${tries} tries.`);
  }
}

/** Whether a failure may be temporary, so that a write is worth keeping for a retry. */
export function mayPass(error: unknown): boolean {
  const code = systemErrorCode(error);
  if (LonghandError.isInstance(error) || error instanceof CutBackFailed || code === undefined) return false;
  return !FULL.has(code) && !FINAL.has(code);
}

export function isFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code !== undefined && FULL.has(code);
}

/** For events: the system's code, or the error's name. */
export function reasonOf(error: unknown): string {
  return systemErrorCode(error) ?? (error instanceof Error ? error.name : String(error));
}

/** A system error in the family's terms. Errors of the family pass through. */
export function toLonghandError(error: unknown, log: LogAddress, operation: string): LonghandError {
  if (LonghandError.isInstance(error)) return error;
  if (systemErrorCode(error) === 'ENOENT') return logNotFound(log);
  return toIOError(error, describeLog(log), operation);
}

/** The same for files that are no log: one that is missing is no session that is not there. */
export function toIOError(error: unknown, name: string, operation: string): IOError {
  const code = systemErrorCode(error);
  const options = { cause: error, details: { log: name, operation, system_code: code } };
  if (isFull(error)) {
    return new IOError(
      'STORAGE_FULL',
      `No room on the disk to ${operation} ${name} (${code}). Nothing was stored; make room and try again.`,
      options,
    );
  }
  if (code === 'ELOOP' || code === 'ENOTDIR') {
    return new IOError(
      'UNSAFE_PATH',
      `A part of the path of ${name} is a symbolic link or of the wrong kind, which Longhand does not follow.`,
      options,
    );
  }
  if (code === 'EROFS' || code === 'EBADF') {
    const message = `Could not ${operation} ${name}: the disk can only be read (${code}). Nothing was stored.`;
    return new IOError('ACCESS_DENIED', message, options);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new IOError(
      'ACCESS_DENIED',
      `Could not ${operation} ${name}: the system does not allow it (${code}). Its files must belong to the user who ` +
        'runs Longhand, with the right to read and write.',
      options,
    );
  }
  const advice = adviceFor(error);
  return new IOError('IO_FAILED', `Could not ${operation} ${name}: ${reasonOf(error)}. ${advice}`, options);
}

function adviceFor(error: unknown): string {
  if (error instanceof CutBackFailed) return 'Part of it may be stored: try again with the same ids.';
  if (error instanceof NeverInPlace)
    return `${error.message} See what else works in this folder, and try again.`;
  if (OUT_OF_DESCRIPTORS.has(reasonOf(error)))
    return 'As many files are open as the system allows: close some, or raise the limit (ulimit -n), and try again.';
  return 'Check the disk and try again.';
}

/** A link, a folder or a pipe where a file of ours should be. */
export function notOurs(path: string): Error {
  return Object.assign(new Error(`${path} is not of the kind that it should be.`), { code: 'ELOOP' });
}

/** Runs work; what the system refuses comes out in the family's terms. */
export function guarded<Result>(log: LogAddress, operation: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toLonghandError(error, log, operation);
  }
}

export async function guardedAsync<Result>(
  log: LogAddress,
  operation: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toLonghandError(error, log, operation);
  }
}
