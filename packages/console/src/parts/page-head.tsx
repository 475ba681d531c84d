import type { ReactNode } from 'react';
import { useSession } from '../api/hooks.ts';

export interface PageHeadProps {
  readonly title: ReactNode;
  /** One line; of whom the page is about when left out. */
  readonly about?: ReactNode;
  /** At most two buttons. */
  readonly children?: ReactNode;
}

export function PageHead({ title, about, children }: PageHeadProps): ReactNode {
  return (
    <div className="page-head">
      <div>
        <h1 dir="auto">{title}</h1>
        <p className="about">{about ?? <ScopeLine />}</p>
      </div>
      {children !== undefined && <div className="page-actions">{children}</div>}
    </div>
  );
}

/** "me in local · agent planner" */
export function ScopeLine(): ReactNode {
  const { me, scope } = useSession();
  return (
    <>
      <bdi>{scope.user ?? me?.user_id ?? 'all users'}</bdi> in <bdi>{me?.account_id}</bdi>
      {scope.agent !== undefined && (
        <>
          {' · agent '}
          <bdi>{scope.agent}</bdi>
        </>
      )}
    </>
  );
}
