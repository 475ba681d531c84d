import {
  ERROR_CODES,
  type ErrorCode,
  fieldProblemOf,
  issuesOf,
  LonghandError,
  problemOfIssue,
} from 'longhand';
import type { z } from 'zod';
import { meantBy } from '../config/nearest-name.ts';
import { OperationError, type OperationErrorCode } from '../operations/operation-error.ts';
import { fieldsAt } from './field-names.ts';

/**
 * Errors as RFC 9457 problem details. `code` is what programs switch on: a code of the library, or one of the few
 * that only a request can cause. No problem holds the text of a memory, or anything about the inside of the server.
 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode | RequestFault | OperationErrorCode;
  /** The request id. */
  readonly instance?: string;
  /** What is wrong with which field. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly [fact: string]: unknown;
}

/** What can be wrong with a request before the library sees it, and how it is answered. */
const REQUEST_FAULTS = {
  INVALID_REQUEST: 400,
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  SESSION_EXPIRED: 401,
  TICKET_EXPIRED: 401,
  TICKET_INVALID: 401,
  FORBIDDEN: 403,
  CSRF_REJECTED: 403,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_IN_FLIGHT: 409,
  ANSWER_FORGOTTEN: 410,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;
type RequestFault = keyof typeof REQUEST_FAULTS;

/** Answers of a kind; the codes below answer differently. */
const STATUS_OF_KIND: Readonly<Record<(typeof ERROR_CODES)[ErrorCode], number>> = {
  NotFoundError: 404,
  ValidationError: 400,
  ConcurrencyError: 409,
  SizeLimitError: 507,
  IOError: 503,
  CorruptionError: 500,
};
const STATUS_OF_CODE: Partial<Record<ErrorCode, number>> & Record<OperationErrorCode, number> = {
  FORBIDDEN: 403,
  STORAGE_FULL: 507,
  CONTENT_TOO_LARGE: 413,
  SESSION_EXISTS: 409,
  SESSION_DELETED: 410,
  AGENT_EXISTS: 409,
  ID_TAKEN: 409,
  ID_DELETED: 409,
  // Waiting helps here, which a client should hear from the status alone.
  LOCK_TIMEOUT: 503,
  SCHEMA_TOO_NEW: 500,
  INVALID_CONFIG: 500,
  KEY_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  MEMBER_EXISTS: 409,
  LAST_ADMIN: 409,
  MODEL_RATE_LIMITED: 503,
  MODEL_UNAVAILABLE: 503,
  MODEL_REFUSED: 502,
  MODEL_TIMEOUT: 504,
  MODEL_BAD_ANSWER: 502,
  MODEL_EMPTY_ANSWER: 502,
  FORGOTTEN_MEANWHILE: 409,
  ABORTED: 503,
};
/** Seconds after which it may be worth another try. */
const RETRY_AFTER: Partial<Record<string, number>> = {
  MODEL_RATE_LIMITED: 30,
  MODEL_UNAVAILABLE: 5,
  LOCK_TIMEOUT: 1,
};

function statusOf(code: ErrorCode | OperationErrorCode): number {
  return STATUS_OF_CODE[code] ?? STATUS_OF_KIND[ERROR_CODES[code as ErrorCode]];
}

/** A request that is answered with a problem. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly fault: RequestFault;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    fault: RequestFault,
    message: string,
    more: { readonly facts?: Record<string, unknown>; readonly headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.fault = fault;
    this.facts = more.facts ?? {};
    this.headers = more.headers ?? {};
  }
}

/** As many as a reader can mend at a time. */
const TOLD_IN_WORDS = 3;
const TOLD_BY_FIELD = 20;

/**
 * @param schema what can be given, for the names that were meant
 * @param inPath fields that stand in the path, and are not to be given again
 */
export function invalidFields(
  error: z.ZodError,
  schema: z.ZodType,
  inPath: readonly string[] = [],
): RequestError {
  const namesAt = (path: readonly PropertyKey[]): readonly string[] =>
    fieldsAt(schema, path).filter((name) => path.length > 0 || !inPath.includes(name));
  const errors = issuesOf(error).flatMap((issue) => {
    const names = namesAt(issue.path);
    if (issue.keys !== undefined)
      return issue.keys.map((key) => ({
        field: [...issue.path, shortened(key)].join('.'),
        message: `is no field here${meaning(key, names)}`,
      }));
    const message = problemOfIssue(issue);
    const isOfShape = message === 'must be an object' && names.length > 0;
    const shape = isOfShape ? ` with ${names.join(', ')}` : '';
    return [{ field: issue.path.join('.'), message: `${message}${shape}` }];
  });
  const words = errors
    .slice(0, TOLD_IN_WORDS)
    .map(({ field, message }) => `${field === '' ? 'The request' : field} ${message}`)
    .map((sentence) => (sentence.endsWith('?') ? sentence : `${sentence}.`));
  return new RequestError('INVALID_REQUEST', words.join(' '), {
    facts: { errors: errors.slice(0, TOLD_BY_FIELD) },
  });
}

/** Longer ones are no names, and comparing them would take time. */
const LONGEST_NAME = 64;

function shortened(key: string): string {
  return key.length <= LONGEST_NAME ? key : `${key.slice(0, LONGEST_NAME)}…`;
}

function meaning(key: string, names: readonly string[]): string {
  const meant = key.length <= LONGEST_NAME ? meantBy(key, names) : [];
  if (meant.length > 0) return `: ${meant.length === 1 ? 'is' : 'are'} ${meant.join(', ')} meant?`;
  if (names.length === 0) return '';
  return names.length === 1 ? `: there is only ${names[0]}` : `: there are ${names.join(', ')}`;
}

/** What the client is told about an error. An unexpected one reveals nothing. */
export function toProblem(error: unknown, requestId: string): Problem {
  if (LonghandError.isInstance(error)) {
    const { code, message, details } = error;
    const { field: _, ...rest } = details;
    const ofField = fieldProblemOf(error);
    const facts = {
      ...(Object.keys(rest).length === 0 ? {} : { details: shown(rest) }),
      ...(ofField === undefined ? {} : { errors: [{ field: ofField.field, message: ofField.message }] }),
    };
    const detail = ofField?.detail ?? message;
    return problem(code, statusOf(code), isOfDisk(error) ? withoutPaths(detail) : detail, requestId, facts);
  }
  if (error instanceof OperationError) {
    const { code, message, facts } = error;
    return problem(code, statusOf(code), message, requestId, facts);
  }
  if (error instanceof RequestError)
    return problem(error.fault, REQUEST_FAULTS[error.fault], error.message, requestId, error.facts);
  return problem('INTERNAL', 500, 'Something went wrong inside the server. Its log has more.', requestId, {});
}

/** The headers that go with an error. */
export function headersOf(error: unknown, { code }: Problem): Readonly<Record<string, string>> {
  if (error instanceof RequestError) return error.headers;
  const seconds = RETRY_AFTER[code];
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

function problem(
  code: ErrorCode | RequestFault | OperationErrorCode,
  status: number,
  detail: string,
  instance: string,
  facts: Readonly<Record<string, unknown>>,
): Problem {
  const type = `urn:longhand:problem:${code}`;
  return { type, title: titleOf(code), status, detail, code, instance, ...facts };
}

/** `SESSION_NOT_FOUND` → `Session not found`. */
function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** Other errors are about what the caller sent. */
function isOfDisk({ name }: LonghandError): boolean {
  return name === 'IOError' || name === 'CorruptionError';
}

function withoutPaths(message: string): string {
  return message.replaceAll(/(?<![\w/])(?:[A-Za-z]:)?[\\/][^\s'"“”,;)]*[^\s'"“”,;:.)]/g, '…');
}

/** Clients do not see paths of the server's disk. */
function shown(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([key]) => !/path|folder|file|root/i.test(key)));
}
