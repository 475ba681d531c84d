import { type ReactNode, useState } from 'react';
import { useParam } from '../../api/address.ts';
import { useAnswerPages } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { useKeys } from '../../parts/keys.tsx';
import { entryOf } from '../../parts/memory-fields.tsx';
import { placeOf } from '../../parts/memory-peek.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';

export interface OfSessionProps {
  readonly sessionId: string;
  readonly onOpen: (place: string) => void;
}

const TYPES = ['conversation', 'decision', 'finding', 'preference'] as const;

/** What was kept of the session, newest first. */
export function SessionMemories({ sessionId, onOpen }: OfSessionProps): ReactNode {
  const [type, setType] = useParam('type');
  const [current, setCurrent] = useState(-1);
  const known = TYPES.find((one) => one === type);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAnswerPages(
    'listMemories',
    {
      ...{ session_id: sessionId, sort_by: 'time', include_replaced: true, limit: 100 },
      ...(known === undefined ? {} : { type: known }),
    },
    ({ memories }) => memories,
    { keepsShowing: true },
  );
  const items = data?.items ?? [];
  const move = (by: number): void => setCurrent((now) => Math.max(0, Math.min(items.length - 1, now + by)));
  const at = items[current];
  useKeys({ j: () => move(1), k: () => move(-1), Enter: at && (() => onOpen(placeOf(at))) });
  const replaced = new Set(items.flatMap(({ replaces = [] }) => replaces));
  return (
    <>
      <fieldset className="segments" aria-label="Type">
        <button type="button" aria-pressed={known === undefined} onClick={() => setType(undefined)}>
          All
        </button>
        {TYPES.map((one) => (
          <button key={one} type="button" aria-pressed={known === one} onClick={() => setType(one)}>
            {one}
          </button>
        ))}
      </fieldset>
      {error !== null && <ErrorBox error={error} what="The memories could not be read" onRetry={refetch} />}
      {data === undefined && error === null && <RowsLoading />}
      {data !== undefined && items.length === 0 && (
        <EmptyState
          text={known === undefined ? 'Nothing was remembered here yet.' : 'Nothing of this type.'}
        />
      )}
      {items.length > 0 && (
        <EntryList
          label="Memories of the session"
          items={items}
          keyOf={({ id }) => id}
          current={current}
          onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          render={(memory, isCurrent) => (
            <Entry
              entry={{
                ...entryOf(memory),
                place: memory.provenance.agent_id,
                isExpired: replaced.has(memory.id),
                ...(replaced.has(memory.id) ? { note: 'replaced' } : {}),
              }}
              isCurrent={isCurrent}
              onOpen={() => onOpen(placeOf(memory))}
              aside={<span title="Importance">{memory.importance.toFixed(2)}</span>}
            />
          )}
        />
      )}
    </>
  );
}
