import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId } from 'react';

export interface PeekPanelProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly foot?: ReactNode;
}

/** Shows one thing beside the list that it is from; on a phone, over all of it. */
export function PeekPanel({ title, children, onClose, foot }: PeekPanelProps): ReactNode {
  const id = useId();
  useEffect(() => {
    const close = (event: globalThis.KeyboardEvent): void => {
      // A dialog or a menu above it is closed first.
      const isBelow = document.querySelector('dialog[open], [popover]:popover-open') !== null;
      if (event.key === 'Escape' && !event.defaultPrevented && !isBelow) onClose();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <aside className="peek" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          title="Close (Esc)"
          onClick={onClose}
        >
          <X size={18} />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
      <div className="peek-body" tabIndex={0}>
        {children}
      </div>
      {foot !== undefined && <footer>{foot}</footer>}
    </aside>
  );
}
