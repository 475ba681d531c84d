import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { queries } from '../api/hooks.ts';
import { session, signIn } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { whatWentWrong } from '../parts/what-went-wrong.ts';

/** What a person without a session sees. */
export function SignInPage(): ReactNode {
  return (
    <main className="lonely">
      <div className="sign-in">
        <p className="word-mark">Longhand</p>
        <h1>Sign in</h1>
        <SignInForm />
      </div>
    </main>
  );
}

/** Over a page that may hold unsaved work: it stays as it is, and its requests can be made again. */
export function SignInAgain(): ReactNode {
  return (
    <Dialog
      title="Sign in again"
      isRequired
      onClose={() => session.setState({ me: undefined, state: 'out' })}
    >
      <p>
        Your session is over. What you have written on this page is still there, and can be saved when you are
        back.
      </p>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm(): ReactNode {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(key.trim());
      await queries.invalidateQueries();
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field
        label="API key or token"
        className="field mono"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        required
        autoFocus
        value={key}
        onWrite={setKey}
        aria-describedby={`${id}-hint`}
        aria-invalid={error !== undefined}
      />
      <p id={`${id}-hint`} className="hint">
        A key begins with <code>lh_</code>. The server showed one when it first started; administrators make
        more under Privacy, or with <code>longhand keys create</code>. It is exchanged for a session and is
        not kept in the browser.
      </p>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {whatWentWrong(error)}
        </p>
      )}
      <Button type="submit" look="main" disabled={isBusy || key.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
}
