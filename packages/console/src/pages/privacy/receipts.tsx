import type { ReactNode } from 'react';
import { useParam } from '../../api/address.ts';
import { useAnswerPages } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { inNumbers } from '../../parts/going.tsx';
import { PeekPanel } from '../../parts/peek-panel.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { ReceiptCard } from './receipt-card.tsx';

/** What was forgotten when: each with a way to verify it and to take it along. */
export function Receipts(): ReactNode {
  const asked = useAnswerPages('listReceipts', { limit: 50 }, ({ receipts }) => receipts);
  const { hasNextPage, fetchNextPage } = asked;
  const [open, setOpen] = useParam('receipt');
  return (
    <Answered asked={asked} what="The receipts could not be read">
      {({ items }) => {
        if (items.length === 0) return <EmptyState text="Nothing has been forgotten yet." />;
        const shown = items.find(({ receipt_id }) => receipt_id === open);
        return (
          <>
            <table className="list-table">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">Forgotten</th>
                  <th scope="col">Receipt</th>
                </tr>
              </thead>
              <tbody>
                {items.map((receipt) => (
                  <tr key={receipt.receipt_id}>
                    <td>
                      <RelativeTime time={receipt.timestamp} />
                    </td>
                    <td>
                      of a {receipt.scope}, by {receipt.selection}
                    </td>
                    <td>{inNumbers(receipt.pieces)}</td>
                    <td>
                      <Button
                        look="link"
                        className="mono"
                        onClick={() => setOpen(receipt.receipt_id ?? undefined)}
                      >
                        {receipt.receipt_id}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {hasNextPage && (
              <Button className="more" onClick={() => void fetchNextPage()}>
                Older ones
              </Button>
            )}
            {shown !== undefined && (
              <PeekPanel title="Receipt" onClose={() => setOpen(undefined)}>
                <ReceiptCard receipt={shown} />
                <p className="hint">
                  A receipt holds no content: names and ids stand in it as SHA-256, so that only those who
                  know them can recognise them.
                </p>
              </PeekPanel>
            )}
          </>
        );
      }}
    </Answered>
  );
}
