import { type FormEvent, type ReactNode, useState } from 'react';
import { useFilters } from '../api/address.ts';
import { useAnswer, useIsAdmin, useSession } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { Choice } from './choice.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { PageHead } from './page-head.tsx';

/** Shown when the key speaks for no user in particular. */
export function ScopeChooser(): ReactNode {
  return (
    <>
      <PageHead
        title="Whose memory?"
        about="Your key speaks for all users. Choose the one whose memory is shown."
      />
      <div className="card narrow">
        <ScopeForm />
      </div>
    </>
  );
}

export function ScopeDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Whose memory" onClose={onClose}>
      <ScopeForm onDone={onClose} />
    </Dialog>
  );
}

export function ScopeForm({ onDone }: { readonly onDone?: () => void }): ReactNode {
  const { me, scope } = useSession();
  const isAdmin = useIsAdmin();
  const [, change] = useFilters();
  const [user, setUser] = useState(scope.user ?? me?.user_id ?? '');
  const [agent, setAgent] = useState(scope.agent ?? '');
  const { data: members } = useAnswer('listMembers', {}, { isOn: isAdmin });
  const { data: agents } = useAnswer('listAgents', {});
  if (!isAdmin)
    return (
      <p>
        You see the memory of <b dir="auto">{me?.user_id}</b> in the account{' '}
        <b dir="auto">{me?.account_id}</b>. Only administrators can look at that of others.
      </p>
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const own = me?.user_id === user.trim();
    change({ as: own ? undefined : user.trim(), by: agent || undefined });
    onDone?.();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field
        label="User"
        required
        autoComplete="off"
        known={members?.members.map(({ user_id }) => user_id)}
        value={user}
        onWrite={setUser}
      />
      <Choice
        label="Agent"
        value={agent}
        options={[['', 'All agents'], ...(agents?.agents ?? []).map(({ name }) => [name] as const)]}
        onChoose={setAgent}
      />
      <Button type="submit" look="main">
        Show
      </Button>
    </form>
  );
}
