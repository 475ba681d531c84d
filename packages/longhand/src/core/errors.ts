/**
 * One family of errors. Every error has a class that says what kind of trouble it is, a stable `code` that
 * programs can switch on, and a message that says what happened, where, and what to do next. Messages never
 * hold the text of a memory. `docs/errors.md` lists the codes, and a test keeps it equal to this table.
 */

const BRAND = Symbol.for('longhand.error');

export const ERROR_CODES = {
  LOCK_TIMEOUT: 'ConcurrencyError',
  SINGLE_PROCESS_STORE: 'ConcurrencyError',
  NOTES_CONFLICT: 'ConcurrencyError',
  SESSION_FULL: 'SizeLimitError',
  DETAIL_QUOTA: 'SizeLimitError',
  CORRUPT_ENTRY: 'CorruptionError',
  CORRUPT_SESSION: 'CorruptionError',
  STORAGE_FULL: 'IOError',
  IO_FAILED: 'IOError',
  WRITE_BUFFER_FULL: 'IOError',
  READ_ONLY: 'IOError',
  UNSAFE_PATH: 'IOError',
  ACCESS_DENIED: 'IOError',
  STORAGE_ROOT_UNUSABLE: 'IOError',
  LOCKS_UNAVAILABLE: 'IOError',
  STORE_CLOSED: 'IOError',
  EMBEDDER_FAILED: 'IOError',
  INVALID_ID: 'ValidationError',
  INVALID_NAME: 'ValidationError',
  INVALID_ENTRY: 'ValidationError',
  INVALID_CONTENT: 'ValidationError',
  INVALID_TEXT: 'ValidationError',
  INVALID_TIMESTAMP: 'ValidationError',
  INVALID_TAG: 'ValidationError',
  INVALID_OPTION: 'ValidationError',
  INVALID_CONFIG: 'ValidationError',
  INVALID_QUERY: 'ValidationError',
  INVALID_MESSAGE: 'ValidationError',
  SCOPE_MISSING: 'ValidationError',
  FORBIDDEN: 'ValidationError',
  BUDGET_TOO_SMALL: 'ValidationError',
  CONTENT_TOO_LARGE: 'ValidationError',
  CONTENT_TOO_DEEP: 'ValidationError',
  ID_TAKEN: 'ValidationError',
  ID_DELETED: 'ValidationError',
  SESSION_EXISTS: 'ValidationError',
  AGENT_EXISTS: 'ValidationError',
  SCHEMA_TOO_NEW: 'ValidationError',
  NODE_TOO_OLD: 'ValidationError',
  SESSION_NOT_FOUND: 'NotFoundError',
  SESSION_DELETED: 'NotFoundError',
  MEMORY_NOT_FOUND: 'NotFoundError',
  AGENT_NOT_FOUND: 'NotFoundError',
  DETAIL_NOT_FOUND: 'NotFoundError',
  SECTION_NOT_FOUND: 'NotFoundError',
  VERSION_NOT_FOUND: 'NotFoundError',
  PROPOSAL_NOT_FOUND: 'NotFoundError',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
type CodeOf<Name extends string> = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code] extends Name ? Code : never;
}[ErrorCode];

interface ErrorOptions {
  readonly cause?: unknown;
  /** Facts for programs: sizes, ids, paths, the holder of a lock. Never memory text. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class LonghandError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;
  /** Survives two installed copies of the package, where `instanceof` does not. */
  readonly [BRAND] = true;

  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.name = ERROR_CODES[code];
  }

  static isInstance(error: unknown): error is LonghandError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }
}

/** Another process held a lock for too long. */
export class ConcurrencyError extends LonghandError<CodeOf<'ConcurrencyError'>> {}

/** A session is full and compaction could not make room. `details` holds the size statistics. */
export class SizeLimitError extends LonghandError<CodeOf<'SizeLimitError'>> {}

/** Stored bytes are not what was written. */
export class CorruptionError extends LonghandError<CodeOf<'CorruptionError'>> {}

/** The file system or the database refused. Nothing that failed this way was acknowledged. */
export class IOError extends LonghandError<CodeOf<'IOError'>> {}

/** The caller asked for something that cannot be. Nothing was changed. */
export class ValidationError extends LonghandError<CodeOf<'ValidationError'>> {}

/** The thing that was named does not exist, or is not the caller's to see. */
export class NotFoundError extends LonghandError<CodeOf<'NotFoundError'>> {}

/** For `catch`: what was listed a moment ago may be gone. */
export function ifGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

/** The code of a system error: `ENOSPC`, `EIO`, … `undefined` for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
