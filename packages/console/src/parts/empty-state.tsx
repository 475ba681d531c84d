import type { ReactNode } from 'react';

export interface EmptyStateProps {
  readonly text: ReactNode;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

export function EmptyState({ text, children }: EmptyStateProps): ReactNode {
  return (
    <div className="empty-state">
      <p>{text}</p>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}
