import './privacy.css';
import type { ReactNode } from 'react';
import { useIsAdmin } from '../../api/hooks.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Access } from './access.tsx';
import { Export, Import } from './export-import.tsx';
import { Forget } from './forget.tsx';
import { Log } from './log.tsx';
import { Receipts } from './receipts.tsx';

/** What can be forgotten, taken along and brought in, and who may do so. */
export function Privacy(): ReactNode {
  const isAdmin = useIsAdmin();
  const forAdmins = [
    { id: 'receipts', label: 'Receipts', content: () => <Receipts /> },
    { id: 'access', label: 'Access', content: () => <Access /> },
    { id: 'log', label: 'Log', content: () => <Log /> },
  ];
  return (
    <>
      <PageHead title="Privacy" />
      <Tabs
        label="Privacy"
        tabs={[
          { id: 'forget', label: 'Forget', content: () => <Forget /> },
          { id: 'export', label: 'Export', content: () => <Export /> },
          { id: 'import', label: 'Import', content: () => <Import /> },
          ...forAdmins.map((tab) => (isAdmin ? tab : { ...tab, content: () => <NeedsAdmin /> })),
        ]}
      />
    </>
  );
}

function NeedsAdmin(): ReactNode {
  return (
    <p className="notice" role="status">
      This needs the role <b>admin</b>: it is about the whole account. Sign in with such a key, or ask an
      admin of the account.
    </p>
  );
}
