import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { useAct, useAnswer } from '../api/hooks.ts';
import { Confirm } from './dialog.tsx';
import { ErrorBox } from './error-box.tsx';
import { counted } from './numbers.ts';
import { RowsLoading } from './page-loading.tsx';
import { toast } from './toast.tsx';
import { TypeIcon } from './type-icon.tsx';

export interface ForgetDialogProps {
  readonly ids?: readonly string[];
  /** All of it, in place of ids. */
  readonly session?: string;
  readonly onClose: () => void;
  readonly onForgotten: () => void;
}

/** Shows every text that goes, what was derived from it included, before it asks. */
export function ForgetDialog({ ids = [], session, onClose, onForgotten }: ForgetDialogProps): ReactNode {
  const preview = useAnswer('previewForgetting', session === undefined ? { ids } : { session_id: session });
  const forget = useAct('forget');
  const { data } = preview;
  return (
    <Confirm
      question={
        session !== undefined
          ? 'Forget all of this session?'
          : ids.length === 1
            ? 'Forget this for good?'
            : `Forget ${counted(ids.length, 'memory', 'memories')} for good?`
      }
      action="Forget for good"
      isBusy={forget.isPending || data === undefined}
      onClose={onClose}
      onConfirm={() =>
        forget.mutate(session === undefined ? { ids } : { session_id: session, everything: true }, {
          onSuccess: ({ pieces }) => {
            toast(`Forgotten: ${inNumbers(pieces)}`);
            onForgotten();
          },
        })
      }
    >
      <p>The texts leave every file, and cannot be brought back. A receipt without their content is kept.</p>
      {data === undefined && preview.error === null && <RowsLoading rows={2} />}
      {preview.error !== null && (
        <ErrorBox error={preview.error} what="What would go could not be read" onRetry={preview.refetch} />
      )}
      {data !== undefined && <Going preview={data} />}
      {forget.error !== null && <ErrorBox error={forget.error} what="Nothing was forgotten" />}
    </Confirm>
  );
}

const ICONS = { message: 'transcript', private: 'journal', session: 'summary', memory: 'finding' } as const;

/** What goes, in words and in numbers. */
export function Going({ preview }: { readonly preview: OutputOf<'previewForgetting'> }): ReactNode {
  const { items, items_left_out = 0 } = preview;
  return (
    <>
      <p className="label">
        {items.length === 0 ? 'There is nothing to forget.' : `${inNumbers(preview)} will go:`}
      </p>
      <ul className="going">
        {items.map(({ kind, id, text, reason }) => (
          <li key={`${kind} ${id}`}>
            <TypeIcon type={kind in ICONS ? ICONS[kind as keyof typeof ICONS] : kind} size={16} />
            <div>
              <p className="text" dir="auto">
                {text}
              </p>
              <p className="hint">
                {kind} · {reason}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {items_left_out > 0 && <p className="hint">and {counted(items_left_out, 'more text')}</p>}
    </>
  );
}

type Counts = OutputOf<'forget'>['pieces'];

/** `2 memories, 1 message` */
export function inNumbers(counts: Counts): string {
  const { sessions, memories, messages, details, notes, note_lines, agents } = counts;
  const parts: readonly (readonly [number, string, string?])[] = [
    [sessions, 'session'],
    [memories, 'memory', 'memories'],
    [messages, 'message'],
    [details, 'detail'],
    [notes, 'document of notes', 'documents of notes'],
    [note_lines, 'line of notes', 'lines of notes'],
    [agents, 'agent'],
  ];
  const told = parts.filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  return told.length === 0 ? 'nothing' : told.join(', ');
}
