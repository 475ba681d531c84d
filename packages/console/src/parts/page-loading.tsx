import type { ReactNode } from 'react';

/** The shape of a page. It shows itself after 200 ms, so that a quick answer does not flicker. */
export function PageLoading(): ReactNode {
  return (
    <div className="page-loading" role="status" aria-label="Loading">
      <i className="is-title" />
      <i />
      <i className="is-tall" />
    </div>
  );
}

/** The shape of a list. */
export function RowsLoading({ rows = 5 }: { readonly rows?: number }): ReactNode {
  return (
    <div className="page-loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <i key={row} className="is-row" />
      ))}
    </div>
  );
}
