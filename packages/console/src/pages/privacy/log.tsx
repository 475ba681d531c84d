import { Eraser, KeyRound, type LucideIcon, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { inNumbers } from '../../parts/going.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { minuteOf } from '../../parts/times.tsx';

interface Act {
  readonly time: string;
  readonly icon: LucideIcon;
  readonly text: ReactNode;
}

/** What was forgotten, and what admins have done about keys and members, newest first. */
export function Log(): ReactNode {
  const receipts = useAnswer('listReceipts', { limit: 100 });
  const keys = useAnswer('listKeys', {});
  const members = useAnswer('listMembers', {});
  const failure = [receipts, keys, members].find(({ error, data }) => error !== null && data === undefined);
  if (failure !== undefined)
    return <ErrorBox error={failure.error} what="The log could not be read" onRetry={failure.refetch} />;
  if (receipts.data === undefined || keys.data === undefined || members.data === undefined)
    return <RowsLoading />;
  const acts: Act[] = [
    ...receipts.data.receipts.map((receipt) => ({
      time: receipt.timestamp,
      icon: Eraser,
      text: `Forgotten, of a ${receipt.scope} by ${receipt.selection}: ${inNumbers(receipt.pieces)}`,
    })),
    ...keys.data.keys.flatMap(({ label, created_at, revoked_at }) => [
      {
        time: created_at,
        icon: KeyRound,
        text: (
          <>
            Key made: <bdi>{label}</bdi>
          </>
        ),
      },
      ...(revoked_at === null
        ? []
        : [
            {
              time: revoked_at,
              icon: KeyRound,
              text: (
                <>
                  Key revoked: <bdi>{label}</bdi>
                </>
              ),
            },
          ]),
    ]),
    ...members.data.members.map(({ user_id, role, created_at }) => ({
      time: created_at,
      icon: UserRound,
      text: (
        <>
          Member added: <bdi>{user_id}</bdi>, now {role}
        </>
      ),
    })),
  ].sort((a, b) => b.time.localeCompare(a.time));
  if (acts.length === 0)
    return <EmptyState text="Nothing was forgotten, and no key or member was added yet." />;
  return (
    <ol className="log">
      {acts.map(({ time, icon: Icon, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: acts have no ids of their own
        <li key={at}>
          <time dateTime={time}>{minuteOf(time)}</time>
          <Icon size={16} strokeWidth={1.6} aria-hidden />
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
