import { ProblemError } from 'longhand/client';
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { failed } from './toast.tsx';

export interface CopyButtonProps {
  /** Or how to get it, when it is not here yet. */
  readonly text: string | (() => Promise<string>);
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      setCopied(true);
    } catch (error) {
      if (error instanceof ProblemError) return failed(error);
      failed(new Error('This browser does not let the page copy. Select the text instead.'));
    }
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
      onClick={() => void copy()}
    >
      <Icon size={15} />
    </button>
  );
}
