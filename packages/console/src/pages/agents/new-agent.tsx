import { type FormEvent, type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../../api/address.ts';
import { useAct } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Field } from '../../parts/field.tsx';

export function NewAgent({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const create = useAct('createAgent');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ name: name.trim() }, { onSuccess: (made) => navigate(addressOf(['agents', made.name])) });
  };
  return (
    <Dialog title="New agent" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Name" required autoComplete="off" value={name} onWrite={setName} />
        <p className="hint">
          The name is also its id: it stands in addresses and file names, and does not change later.
        </p>
        {create.error !== null && <ErrorBox error={create.error} what="The agent was not created" />}
        <Button type="submit" look="main" disabled={create.isPending || name.trim() === ''}>
          Create agent
        </Button>
      </form>
    </Dialog>
  );
}
