import {
  ArrowUpToLine,
  BookOpen,
  Brain,
  Ellipsis,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Trash,
  TriangleAlert,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useParam } from '../../api/address.ts';
import { useAct, useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Field } from '../../parts/field.tsx';
import { useRowKeys } from '../../parts/keys.tsx';
import { Menu, MenuButton } from '../../parts/menu.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { Segments } from '../../parts/segments.tsx';
import { exactTime, minuteOf } from '../../parts/times.tsx';
import { failed, toast } from '../../parts/toast.tsx';
import { TrustBadge } from '../../parts/trust-badge.tsx';
import { EditMemory, type PrivateMemory } from './edit-memory.tsx';

const FILTERS = { all: 'All', core: 'Core', journal: 'Journal', expired: 'Expired' } as const;

/** The journal and the core of an agent, newest first. */
export function AgentMemory({ agentId }: { readonly agentId: string }): ReactNode {
  const [text, setText] = useParam('q');
  const [filter, setFilter] = useParam('show');
  const [edited, setEdited] = useState<PrivateMemory | 'new'>();
  const [going, setGoing] = useState<PrivateMemory>();
  const remove = useAct('deleteAgentMemory');
  const canWrite = useCanWrite();
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useAnswerPages(
    'listAgentMemories',
    {
      agent_id: agentId,
      include_expired: true,
      limit: 100,
      ...(text === undefined ? {} : { text }),
      ...(filter === 'core' ? { type: 'core' } : filter === undefined ? {} : { type: 'journal' }),
    },
    ({ memories }) => memories,
    { keepsShowing: true },
  );
  const memories = data?.items.filter(({ expired }) => filter !== 'expired' || expired);
  const isNarrowed = text !== undefined || filter !== undefined;
  // The newest are read first, and what has expired is old: it may be on a later page only.
  const isLookingFurther = memories?.length === 0 && hasNextPage;
  useEffect(() => {
    if (isLookingFurther && !isFetching) void fetchNextPage();
  }, [isLookingFurther, isFetching, fetchNextPage]);
  const pin = usePin();
  const forWriters = (act: (memory: PrivateMemory) => void) => (canWrite ? act : undefined);
  const [current, help] = useRowKeys(memories ?? [], {
    e: ['edit, with its history', forWriters(setEdited)],
    p: ['pin, or unpin', forWriters(pin)],
    Delete: ['delete…', forWriters(setGoing)],
  });
  return (
    <section className="card memory-card" aria-labelledby="agent-memory">
      <div className="spread">
        <h2 id="agent-memory">Agent Memory</h2>
        {canWrite && (
          <Button onClick={() => setEdited('new')}>
            <Plus size={15} /> Add
          </Button>
        )}
      </div>
      <p className="card-about">
        Review and manage this agent's memories. Core memories are permanent; journal entries fade after a
        week.
      </p>
      <div className="memory-filters">
        <Field
          type="search"
          aria-label="Search in this agent's memories"
          placeholder="Search"
          value={text ?? ''}
          onWrite={setText}
        />
        <Segments label="Show" options={FILTERS} chosen={filter} onChoose={setFilter} />
      </div>
      {error !== null && <ErrorBox error={error} what="The memories could not be read" onRetry={refetch} />}
      {(memories === undefined || isLookingFurther) && error === null && <RowsLoading />}
      {memories?.length === 0 &&
        !isLookingFurther &&
        (isNarrowed ? (
          <EmptyState text="Nothing with these filters.">
            <Button onClick={() => (text === undefined ? setFilter(undefined) : setText(undefined))}>
              {text === undefined ? 'Show all' : 'Drop the search'}
            </Button>
          </EmptyState>
        ) : (
          <EmptyState text="This agent has no memories yet. Memories will appear here as the agent creates them using save_to_journal or save_to_core tools." />
        ))}
      {memories !== undefined && memories.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
        <ul className="private-memories" tabIndex={0} aria-label="Memories">
          {memories.map((memory, at) => (
            <li key={memory.id}>
              <Row
                memory={memory}
                isCurrent={at === current}
                onPin={() => pin(memory)}
                onEdit={() => setEdited(memory)}
                onDelete={() => setGoing(memory)}
              />
            </li>
          ))}
          {hasNextPage && (
            <li>
              <Button onClick={() => void fetchNextPage()}>Show older ones</Button>
            </li>
          )}
        </ul>
      )}
      {help}
      {edited !== undefined && (
        <EditMemory agentId={agentId} memory={edited} onClose={() => setEdited(undefined)} />
      )}
      {going !== undefined && (
        <Confirm
          question="Delete this memory permanently?"
          action="Delete"
          onClose={() => setGoing(undefined)}
          onConfirm={async () => {
            await remove.mutateAsync({ agent_id: agentId, memory_id: going.id });
            toast('Memory deleted');
          }}
        >
          <p className="text quoted" dir="auto">
            {going.content}
          </p>
        </Confirm>
      )}
    </section>
  );
}

function usePin(): (memory: PrivateMemory) => void {
  const { mutate } = useAct('updateAgentMemory');
  return function pin({ agent_id, id, pinned }) {
    const done = (after: PrivateMemory) =>
      toast(pinned ? 'No longer pinned' : 'Pinned', { undo: () => pin(after) });
    mutate({ agent_id, memory_id: id, pinned: !pinned }, { onSuccess: done, onError: failed });
  };
}

interface RowProps {
  readonly memory: PrivateMemory;
  readonly isCurrent: boolean;
  readonly onPin: () => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function Row({ memory, isCurrent, onPin, onEdit, onDelete }: RowProps): ReactNode {
  const { id, agent_id, memory_type, content, created_at, expired, pinned, share_memory, provenance } =
    memory;
  const update = useAct('updateAgentMemory');
  const canWrite = useCanWrite();
  const isCore = memory_type === 'core';
  const Icon = isCore ? Brain : BookOpen;
  const promote = (): void =>
    update.mutate(
      { agent_id, memory_id: id, memory_type: 'core' },
      { onSuccess: () => toast('Moved to the core'), onError: failed },
    );
  const name = ['private-memory', expired && 'is-expired', isCurrent && 'is-current'];
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) row.current!.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <div ref={row} className={name.filter(Boolean).join(' ')}>
      <Icon size={18} className={isCore ? 'is-accent' : 'is-muted'} aria-hidden />
      <div className="private-memory-main">
        <p className="private-memory-facts">
          <b className={isCore ? 'is-accent' : undefined}>{memory_type}</b>
          <time dateTime={created_at} title={exactTime(created_at)}>
            {minuteOf(created_at)}
          </time>
          {expired && (
            <span className="warn row-tight">
              <TriangleAlert size={12} /> expired
            </span>
          )}
          {pinned && (
            <span className="row-tight">
              <Pin size={12} /> pinned
            </span>
          )}
          {share_memory && <span>for all users</span>}
          {provenance.trust !== 'agent' && <TrustBadge trust={provenance.trust} />}
        </p>
        <p className="private-memory-text" dir="auto">
          {content}
        </p>
      </div>
      {canWrite && (
        <div className="private-memory-acts">
          <Menu label="More for this memory" trigger={<Ellipsis size={16} />}>
            <MenuButton icon={Pencil} onChoose={onEdit}>
              Edit and history…
            </MenuButton>
            <MenuButton icon={pinned ? PinOff : Pin} onChoose={onPin}>
              {pinned ? 'Unpin' : 'Pin'}
            </MenuButton>
            {!isCore && (
              <MenuButton icon={ArrowUpToLine} onChoose={promote}>
                Move to the core
              </MenuButton>
            )}
          </Menu>
          <button
            type="button"
            className="icon-button is-danger"
            aria-label="Delete this memory"
            title="Delete this memory"
            onClick={onDelete}
          >
            <Trash size={16} />
          </button>
        </div>
      )}
    </div>
  );
}
