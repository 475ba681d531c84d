import type { OutputOf } from 'longhand/client';
import { Check, Download, ShieldCheck, TriangleAlert } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useAct, useIsAdmin } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { inNumbers } from '../../parts/going.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { saveFile } from '../../parts/save-file.ts';
import { exactTime } from '../../parts/times.tsx';

type Receipt = OutputOf<'forget'>;

/** What was forgotten, without its content. @param words that were in it, where the page still knows them */
export function ReceiptCard({
  receipt,
  words = '',
}: {
  readonly receipt: Receipt;
  readonly words?: string;
}): ReactNode {
  const {
    receipt_id,
    timestamp,
    scope,
    selection,
    selected,
    taken_along,
    not_found = [],
    still_held = [],
  } = receipt;
  const [isVerifying, setVerifying] = useState(false);
  const isAdmin = useIsAdmin();
  if (receipt_id === null) return <p className="hint">No receipt is kept, as nothing was there.</p>;
  const rows: readonly Fact[] = [
    [
      'Receipt',
      <span key="id" className="mono receipt-id">
        {receipt_id}
        <CopyButton text={receipt_id} label="Copy the id of the receipt" />
      </span>,
    ],
    ['When', exactTime(timestamp)],
    [
      'What',
      `of a ${scope}, by ${selection}${selected.length > 0 ? `, ${counted(selected.length, 'name')} as SHA-256` : ''}`,
    ],
    ['Forgotten', inNumbers(receipt.pieces)],
    ['Along with it', taken_along.length > 0 && counted(taken_along.length, 'derived piece')],
    ['Not found', not_found.length > 0 && counted(not_found.length, 'id')],
  ];
  return (
    <div className="receipt">
      <Facts rows={rows} />
      {still_held.length > 0 && (
        <p className="notice">
          <TriangleAlert size={15} /> The files of these tables still hold deleted bytes:{' '}
          {still_held.join(', ')}. Run VACUUM FULL on them when nothing uses them.
        </p>
      )}
      <div className="row">
        <Button onClick={() => saveFile(`receipt-${receipt_id}.json`, JSON.stringify(receipt, null, 2))}>
          <Download size={15} /> Download
        </Button>
        {isAdmin && (
          <Button onClick={() => setVerifying(true)}>
            <ShieldCheck size={15} /> Verify
          </Button>
        )}
      </div>
      {isVerifying && <Verify words={words} onClose={() => setVerifying(false)} />}
    </div>
  );
}

/** A receipt holds no content, so the reader says which words must be gone. */
function Verify({ words, onClose }: { readonly words: string; readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState(words);
  const verify = useAct('verifyErased');
  const id = useId();
  const { data, error, isPending } = verify;
  return (
    <Dialog
      title="Is it gone?"
      onClose={onClose}
      foot={
        <Button type="submit" form={id} look="main" disabled={isPending || text.trim() === ''}>
          {isPending ? 'Looking …' : 'Look for it'}
        </Button>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          verify.mutate({ words: text.split('\n').filter((line) => line.trim() !== '') });
        }}
      >
        <label htmlFor={`${id}-words`}>Words that were in it, a line each</label>
        <textarea
          id={`${id}-words`}
          className="field is-text"
          dir="auto"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <p className="hint">
          A receipt holds no content. Every byte of the store is read for these words; they are not kept.
        </p>
      </form>
      {error !== null && <ErrorBox error={error} what="The store could not be read" />}
      {data !== undefined && (
        <div role="status" className={data.is_erased ? 'verified' : 'verified is-found'}>
          {data.is_erased ? <Check size={18} /> : <TriangleAlert size={18} />}
          <div>
            <b>{data.is_erased ? 'Gone.' : `Still in ${counted(data.found, 'place')}.`}</b>{' '}
            {bytes(data.bytes_scanned)} in {counted(data.files_scanned, 'file')} were read.
            {data.places.length > 0 && (
              <ul>
                {data.places.slice(0, 10).map(({ place, offset }) => (
                  <li key={`${place} ${offset}`}>
                    <code>{place}</code>, byte {offset}
                  </li>
                ))}
              </ul>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}
