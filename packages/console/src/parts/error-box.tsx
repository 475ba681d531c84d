import { ProblemError } from 'longhand/client';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { whatWentWrong } from './what-went-wrong.ts';

export interface ErrorBoxProps {
  readonly error: unknown;
  /** What could not be done: "The memory was not saved". */
  readonly what: string;
  /** What is still there: "Your text is kept". */
  readonly kept?: string;
  readonly onRetry?: () => unknown;
  readonly retryLabel?: string;
}

/** What happened, what was kept, what to do next, and the request's id for the server's log. */
export function ErrorBox({ error, what, kept, onRetry, retryLabel = 'Try again' }: ErrorBoxProps): ReactNode {
  const requestId = error instanceof ProblemError ? error.requestId : undefined;
  return (
    <div className="error-box" role="alert">
      <TriangleAlert size={18} />
      <div>
        <p>
          <b>{what}.</b> {whatWentWrong(error)} {kept}
        </p>
        {error instanceof ProblemError && error.errors.length > 0 && (
          <ul>
            {error.errors.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <code>{field}</code>: {message}
              </li>
            ))}
          </ul>
        )}
        <div className="row">
          {onRetry !== undefined && <Button onClick={() => void onRetry()}>{retryLabel}</Button>}
          {requestId !== undefined && (
            <span className="request-id">
              Request <code>{requestId}</code>
              <CopyButton text={requestId} label="Copy the id of the request" />
            </span>
          )}
        </div>
      </div>
    </div>
  );
}
