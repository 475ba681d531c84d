import type { ErrorCode } from 'longhand';
import type { ModelFailureCode } from '../conversation/model-failure.ts';

/** What only the server can have to say; everything else is an error of the library. */
export type OperationErrorCode =
  | 'KEY_NOT_FOUND'
  | 'MEMBER_NOT_FOUND'
  | 'MEMBER_EXISTS'
  | 'LAST_ADMIN'
  | ModelFailureCode;

/** An operation that could not be done, for a reason that the caller may read. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly code: OperationErrorCode | ErrorCode;
  /** What a program needs to go on from there. Holds nothing that the caller may not see. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    code: OperationErrorCode | ErrorCode,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}
