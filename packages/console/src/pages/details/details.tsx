import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import './details.css';
import type { OutputOf } from 'longhand/client';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useFilters, useNameInPath } from '../../api/address.ts';
import { useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { useRowKeys } from '../../parts/keys.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { DeleteDetail, DetailViewer } from './detail-viewer.tsx';
import { useMentions } from './read-detail.ts';

/** Large outputs, which prompts show as a line. */
export function Details(): ReactNode {
  const key = useNameInPath();
  return key === undefined ? <DetailList /> : <DetailViewer key={key} memoryKey={key} />;
}

function Mentions({ detail }: { readonly detail: OutputOf<'updateDetail'> }): ReactNode {
  const mentions = useMentions(detail);
  return mentions !== undefined && <small>in {counted(mentions, 'message')}</small>;
}

function DetailList(): ReactNode {
  const [params, change] = useFilters();
  const [, navigate] = useLocation();
  const [type, session, state] = ['type', 'session', 'state'].map((name) => params.get(name) ?? '');
  const asked = useAnswerPages(
    'listDetails',
    {
      limit: 50,
      ...(type ? { type } : {}),
      ...(session ? { session_id: session } : {}),
      ...(state === 'inactive' ? { is_active: false } : state === 'active' ? { is_active: true } : {}),
    },
    ({ details }) => details,
    { keepsShowing: true },
  );
  const { data, hasNextPage, fetchNextPage } = asked;
  const items = data?.items ?? [];
  const isFiltered = Boolean(type || session || state);
  const open = (memory_key: string): void => navigate(addressOf(['details', memory_key]));
  const [going, setGoing] = useState<string>();
  const canWrite = useCanWrite();
  const [current, help] = useRowKeys(items, {
    Enter: ['open', ({ memory_key }) => open(memory_key)],
    Delete: ['delete…', canWrite ? ({ memory_key }) => setGoing(memory_key) : undefined],
  });
  const types = [
    ...new Set([...items.map(({ memory_type }) => memory_type), ...(type ? [type] : [])]),
  ].sort();
  return (
    <>
      <PageHead title="Details" />
      {help}
      {going !== undefined && <DeleteDetail memoryKey={going} onClose={() => setGoing(undefined)} />}
      <div className="row details-filters">
        <Choice
          aria-label="Type"
          value={type}
          options={[['', 'All types'], ...types.map((name) => [name, name.replaceAll('_', ' ')] as const)]}
          onChoose={(name) => change({ type: name })}
        />
        <Choice
          aria-label="State"
          value={state}
          options={[
            ['', 'Active and inactive'],
            ['active', 'Active'],
            ['inactive', 'Inactive'],
          ]}
          onChoose={(name) => change({ state: name })}
        />
        {session && (
          <Button onClick={() => change({ session: undefined })}>
            Session <bdi>{session}</bdi> ×
          </Button>
        )}
      </div>
      <Answered asked={asked} what="The details could not be read">
        {() =>
          items.length === 0 ? (
            isFiltered ? (
              <EmptyState text="Nothing with these filters.">
                <Button onClick={() => change({ type: undefined, session: undefined, state: undefined })}>
                  Without filters
                </Button>
              </EmptyState>
            ) : (
              <EmptyState text="Large outputs are kept here, out of the prompt." />
            )
          ) : (
            <EntryList
              label="Details"
              items={items}
              keyOf={({ memory_key }) => memory_key}
              current={current}
              onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
              render={(detail, isCurrent) => (
                <Entry
                  isCurrent={isCurrent}
                  onOpen={() => open(detail.memory_key)}
                  entry={{
                    type: detail.memory_type.replaceAll('_', ' '),
                    text: detail.summary || detail.memory_key,
                    time: detail.created_at,
                    place: (
                      <>
                        <Link href={addressOf(['chat', detail.session_id])}>{detail.session_id}</Link>
                        {detail.agent_id !== null && ` · ${detail.agent_id}`}
                      </>
                    ),
                    trust: detail.provenance.trust,
                    isExpired: detail.expires_at !== null && Date.parse(detail.expires_at) < Date.now(),
                    note: detail.is_active ? undefined : 'inactive',
                  }}
                  aside={
                    <span className="detail-size">
                      <b>{bytes(detail.size_bytes)}</b>
                      {detail.is_utf8 && <small>{counted(detail.lines, 'line')}</small>}
                      <Mentions detail={detail} />
                    </span>
                  }
                />
              )}
            />
          )
        }
      </Answered>
    </>
  );
}
