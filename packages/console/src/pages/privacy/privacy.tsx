import './privacy.css';
import type { ReactNode } from 'react';
import { useIsAdmin, useNeedsUser } from '../../api/hooks.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ScopeForm } from '../../parts/scope-chooser.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Access } from './access.tsx';
import { Export, Import } from './export-import.tsx';
import { Forget } from './forget.tsx';
import { Log } from './log.tsx';
import { Receipts } from './receipts.tsx';

/** What can be forgotten, taken along and brought in, and who may do so. */
export function Privacy(): ReactNode {
  const isAdmin = useIsAdmin();
  const needsUser = useNeedsUser();
  const ofUser = [
    { id: 'forget', label: 'Forget', content: () => <Forget /> },
    { id: 'export', label: 'Export', content: () => <Export /> },
    { id: 'import', label: 'Import', content: () => <Import /> },
  ];
  const forAdmins = [
    { id: 'receipts', label: 'Receipts', what: 'Receipts are', content: () => <Receipts /> },
    { id: 'access', label: 'Access', what: 'Keys and members are', content: () => <Access /> },
    { id: 'log', label: 'Log', what: 'The log is', content: () => <Log /> },
  ];
  return (
    <>
      <PageHead title="Privacy" />
      <Tabs
        label="Privacy"
        tabs={[
          ...ofUser.map((tab) => (needsUser ? { ...tab, content: () => <ScopeForm /> } : tab)),
          ...forAdmins.map(({ what, ...tab }) =>
            isAdmin ? tab : { ...tab, content: () => <NeedsAdmin what={what} /> },
          ),
        ]}
      />
    </>
  );
}

function NeedsAdmin({ what }: { readonly what: string }): ReactNode {
  return (
    <p className="notice" role="status">
      {what} about the whole account, so this needs the role <b>admin</b>. Sign in with such a key, or ask an
      admin of the account. Of what you forget yourself, the receipt is shown as you do it: keep it then.
    </p>
  );
}
