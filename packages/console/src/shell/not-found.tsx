import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';

export function NotFound(): ReactNode {
  return (
    <>
      <PageHead title="There is no such page" />
      <EmptyState text="The address may be of a page that was renamed, or have a letter too many.">
        <Link className="button" href="/">
          To the overview
        </Link>
      </EmptyState>
    </>
  );
}
