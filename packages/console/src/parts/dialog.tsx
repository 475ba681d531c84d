import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { ErrorBox } from './error-box.tsx';

export interface DialogProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** Stands below the content and stays in sight. */
  readonly foot?: ReactNode;
  readonly isWide?: boolean;
  /** It has no button that closes it: there is nothing to go back to. */
  readonly isRequired?: boolean;
}

/** A modal dialog of the browser's own. It is open for as long as it is rendered. */
export function Dialog({ title, children, onClose, foot, isWide, isRequired }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current!;
    if (!dialog.open) dialog.showModal();
    // The browser would begin with the button that closes it.
    dialog.querySelector<HTMLElement>('.dialog-body :is(input, textarea, select)')?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog is-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        // The parts inside have cancellations of their own, such as those of a file chooser.
        if (event.target !== ref.current) return;
        event.preventDefault();
        if (!isRequired) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!isRequired && (
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <X size={18} />
          </button>
        )}
      </header>
      <div className="dialog-body">{children}</div>
      {foot !== undefined && <footer>{foot}</footer>}
    </dialog>
  );
}

export interface ConfirmProps {
  readonly question: string;
  readonly children?: ReactNode;
  readonly action: string;
  readonly isReady?: boolean;
  /** When it fails, the dialog stays and says why. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { question, children, action, isReady = true, onConfirm, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = (): void => {
    setBusy(true);
    setError(undefined);
    void onConfirm()
      .then(onClose, setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog
      title={question}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={isBusy || !isReady} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && <ErrorBox error={error} what="This was not done" />}
    </Dialog>
  );
}
