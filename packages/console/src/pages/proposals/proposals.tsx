import type { ReactNode } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { Proposals } from '../../parts/proposals.tsx';

/** The review list: what could be merged, replaced, kept for good, or written into the notes. */
export function ProposalsPage(): ReactNode {
  return (
    <>
      <PageHead title="Proposals" />
      <Proposals isPage />
    </>
  );
}
