import type { ReactNode } from 'react';
import { useFilters, useParam } from '../../api/address.ts';
import { useAnswerPages } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { useRowKeys } from '../../parts/keys.tsx';
import { entryOf, MEMORY_TYPES, type Memory, placeOf } from '../../parts/memory-fields.tsx';
import { MemoryMenu } from '../../parts/memory-menu.tsx';
import { Outdated } from '../../parts/outdated.tsx';
import { Segments } from '../../parts/segments.tsx';

export interface OfSessionProps {
  readonly sessionId: string;
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const THIS_YEAR = new Date().getFullYear();

/** `Wed, Nov 18`; of other years with the year. */
function dayOf({ timestamp }: Memory): string {
  const day = new Date(timestamp);
  const year = day.getFullYear() === THIS_YEAR ? {} : { year: 'numeric' as const };
  return day.toLocaleDateString('en', { ...DAY, ...year });
}

/** What was kept of the session, newest first: as a list, or along the days. */
export function SessionMemories({ sessionId }: OfSessionProps): ReactNode {
  const [type, setType] = useParam('type');
  const [view, setView] = useParam('view');
  const [, change] = useFilters();
  const known = MEMORY_TYPES.find((one) => one === type);
  const asked = useAnswerPages(
    'listMemories',
    {
      ...{ session_id: sessionId, sort_by: 'time', include_replaced: true, limit: 100 },
      ...(known === undefined ? {} : { type: known }),
    },
    ({ memories }) => memories,
    { keepsShowing: true },
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = asked;
  const items = asked.data?.items ?? [];
  const open = (memory: Memory): void => change({ open: placeOf(memory) });
  const [current, keyHelp] = useRowKeys(items, { Enter: ['open', open] });
  const replaced = new Set(items.flatMap(({ replaces = [] }) => replaces));
  const firstOfDay = (at: number): boolean => at === 0 || dayOf(items[at - 1]!) !== dayOf(items[at]!);
  return (
    <>
      <div className="row memories-head">
        <Segments
          label="Type"
          options={{ all: 'All', ...Object.fromEntries(MEMORY_TYPES.map((one) => [one, one])) }}
          chosen={known}
          onChoose={setType}
        />
        <Segments label="View" options={{ list: 'List', days: 'By day' }} chosen={view} onChoose={setView} />
        <Outdated asked={asked} />
      </div>
      <Answered asked={asked} what="The memories could not be read">
        {() =>
          items.length === 0 ? (
            <EmptyState
              text={known === undefined ? 'Nothing was remembered here yet.' : 'Nothing of this type.'}
            />
          ) : (
            <EntryList
              label="Memories of the session"
              items={items}
              keyOf={({ id }) => id}
              current={current}
              onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
              render={(memory, isCurrent, at) => (
                <div className={view === 'days' ? 'on-day' : undefined}>
                  {view === 'days' && (
                    <time dateTime={memory.timestamp}>{firstOfDay(at) && dayOf(memory)}</time>
                  )}
                  <Entry
                    entry={{
                      ...entryOf(memory),
                      place: memory.provenance.agent_id,
                      isExpired: replaced.has(memory.id),
                      ...(replaced.has(memory.id) ? { note: 'replaced' } : {}),
                    }}
                    isCurrent={isCurrent}
                    onOpen={() => open(memory)}
                    aside={
                      <>
                        <span title="Importance">{memory.importance.toFixed(2)}</span>
                        <MemoryMenu memory={memory} />
                      </>
                    }
                  />
                </div>
              )}
            />
          )
        }
      </Answered>
      {keyHelp}
    </>
  );
}
