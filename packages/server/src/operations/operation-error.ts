/** What only the server can have to say; everything else is an error of the library. */
export type OperationErrorCode = 'KEY_NOT_FOUND' | 'FORBIDDEN' | 'MODEL_FAILED';

/** An operation that could not be done, for a reason that the caller may read. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly code: OperationErrorCode;

  constructor(code: OperationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
