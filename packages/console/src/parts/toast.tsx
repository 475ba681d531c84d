import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { Button } from './button.tsx';
import { whatWentWrong } from './what-went-wrong.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly undo: (() => unknown) | undefined;
}

const toasts = createStore<{ readonly shown: readonly Toast[]; readonly made: number }>(() => ({
  shown: [],
  made: 0,
}));

/** Tells in the corner what was done. @param undo takes it back, while that is possible */
export function toast(
  text: string,
  { undo, isError = false }: { undo?: () => unknown; isError?: boolean } = {},
): void {
  toasts.setState(({ shown, made }) => ({
    shown: [...shown.slice(-2), { id: made, text, isError, undo }],
    made: made + 1,
  }));
}

/** Tells what went wrong, where nothing on the page can. */
export function failed(error: unknown): void {
  toast(whatWentWrong(error), { isError: true });
}

/** Always there, so that screen readers hear what comes into it. */
export function Toasts(): ReactNode {
  const shown = useStore(toasts, (state) => state.shown);
  return (
    <div className="toasts" role="status">
      {shown.map((one) => (
        <ShownToast key={one.id} toast={one} />
      ))}
    </div>
  );
}

function ShownToast({ toast: { id, text, isError, undo } }: { readonly toast: Toast }): ReactNode {
  const close = (): void =>
    toasts.setState(({ shown }) => ({ shown: shown.filter((other) => other.id !== id) }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: one timer for the life of the toast
  useEffect(() => {
    const timer = setTimeout(close, isError || undo !== undefined ? 10_000 : 5_000);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <div className={isError ? 'toast is-error' : 'toast'}>
      <span dir="auto">{text}</span>
      {undo !== undefined && (
        <Button
          look="link"
          onClick={() => {
            close();
            void undo();
          }}
        >
          Undo
        </Button>
      )}
      <button type="button" className="icon-button" aria-label="Close" onClick={close}>
        <X size={14} />
      </button>
    </div>
  );
}
