import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { useAct, useAnswer } from '../api/hooks.ts';
import { Answered } from './answered.tsx';
import { Confirm } from './dialog.tsx';
import { GoingList, inNumbers } from './going.tsx';
import { counted } from './numbers.ts';
import { toast } from './toast.tsx';

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
      isReady={data !== undefined}
      onClose={onClose}
      onConfirm={() =>
        // Heard of also when what was forgotten is gone by then, and the page that showed it with this dialog.
        forget
          .mutateAsync(session === undefined ? { ids } : { session_id: session, everything: true })
          .then(({ pieces }) => {
            toast(`Forgotten: ${inNumbers(pieces)}`);
            onForgotten();
          })
      }
    >
      <p>The texts leave every file, and cannot be brought back. A receipt without their content is kept.</p>
      <Answered asked={preview} what="What would go could not be read" rows={2}>
        {(going) => <Going preview={going} />}
      </Answered>
    </Confirm>
  );
}

/** What goes, in words and in numbers. */
export function Going({ preview }: { readonly preview: OutputOf<'previewForgetting'> }): ReactNode {
  const { items, items_left_out = 0 } = preview;
  return (
    <>
      <p className="label">
        {items.length === 0 ? 'There is nothing to forget.' : `${inNumbers(preview)} will go:`}
      </p>
      <GoingList items={items} />
      {items_left_out > 0 && <p className="hint">and {counted(items_left_out, 'more text')}</p>}
    </>
  );
}
