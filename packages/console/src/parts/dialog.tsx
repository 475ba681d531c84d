import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';

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
            <X size={18} strokeWidth={1.6} aria-hidden />
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
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({
  question,
  children,
  action,
  isBusy = false,
  onConfirm,
  onClose,
}: ConfirmProps): ReactNode {
  return (
    <Dialog
      title={question}
      onClose={onClose}
      foot={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="button is-danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
