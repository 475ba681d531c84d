import { Eraser, KeyRound, type LucideIcon, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { inNumbers } from '../../parts/going.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { minuteOf } from '../../parts/times.tsx';

type Act = readonly [time: string, icon: LucideIcon, words: string, name?: string];

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
    ...receipts.data.receipts.map(({ timestamp, scope, selection, pieces }): Act => {
      return [timestamp, Eraser, `Forgotten, of a ${scope} by ${selection}: ${inNumbers(pieces)}`];
    }),
    ...keys.data.keys.flatMap(({ label, created_at, revoked_at }): Act[] => [
      [created_at, KeyRound, 'Key made:', label],
      ...(revoked_at === null ? [] : [[revoked_at, KeyRound, 'Key revoked:', label] as const]),
    ]),
    ...members.data.members.map(
      ({ user_id, role, created_at }): Act => [created_at, UserRound, `Member added, now ${role}:`, user_id],
    ),
  ].sort(([a], [b]) => b.localeCompare(a));
  if (acts.length === 0)
    return <EmptyState text="Nothing was forgotten, and no key or member was added yet." />;
  return (
    <ol className="log">
      {acts.map(([time, Icon, words, name], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: acts have no ids of their own
        <li key={at}>
          <time dateTime={time}>{minuteOf(time)}</time>
          <Icon size={16} />
          <span>
            {words} <bdi>{name}</bdi>
          </span>
        </li>
      ))}
    </ol>
  );
}
