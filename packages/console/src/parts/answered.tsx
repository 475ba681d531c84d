import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.tsx';
import { RowsLoading } from './page-loading.tsx';

export interface AnsweredProps<Data> {
  readonly asked: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** What could not be done: "The keys could not be read". */
  readonly what: string;
  /** How many rows the shape of it has. */
  readonly rows?: number;
  readonly children: (data: NonNullable<Data>) => ReactNode;
}

/** An answer when it is there; before that the shape of it, or what went wrong. */
export function Answered<Data>({ asked, what, rows = 5, children }: AnsweredProps<Data>): ReactNode {
  const { data, error, refetch } = asked;
  if (data !== undefined && data !== null) return children(data);
  return error === null ? <RowsLoading rows={rows} /> : <ErrorBox {...{ error, what }} onRetry={refetch} />;
}
