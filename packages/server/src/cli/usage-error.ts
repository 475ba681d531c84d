/** The caller's words make no sense. Shown with a pointer to the help page. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** For programs, with `--json`. */
  readonly code: string;
  /** Of the input of an operation, where it is to blame: the command may have an option for it. */
  readonly field: string | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly field?: string }, code = 'USAGE') {
    super(message, options);
    this.code = code;
    this.field = options?.field;
  }
}
