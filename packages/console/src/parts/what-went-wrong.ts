import { ProblemError } from 'longhand/client';

/** In words for people. The server's own sentences are written for them. */
export function whatWentWrong(error: unknown): string {
  if (error instanceof TypeError) return 'The server cannot be reached.';
  if (!(error instanceof ProblemError)) return error instanceof Error ? error.message : String(error);
  const wait = error.retryAfter === undefined ? '' : ` Try again in ${error.retryAfter} s.`;
  const role =
    error.status === 403 && !error.message.includes('needs') ? ' This needs an admin of the account.' : '';
  return `${error.message}${role}${wait}`;
}
