import './details.css';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useFilters, useNameInPath } from '../../api/address.ts';
import { useAnswerPages } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { useKeys } from '../../parts/keys.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { DetailViewer } from './detail-viewer.tsx';

/** Large outputs, which prompts show as a line. */
export function Details(): ReactNode {
  const key = useNameInPath();
  return key === undefined ? <DetailList /> : <DetailViewer key={key} memoryKey={key} />;
}

function DetailList(): ReactNode {
  const [params, change] = useFilters();
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState(-1);
  const [type, session, state] = ['type', 'session', 'state'].map((name) => params.get(name) ?? '');
  const { data, error, refetch, hasNextPage, fetchNextPage } = useAnswerPages(
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
  const items = data?.items ?? [];
  const isFiltered = Boolean(type || session || state);
  const open = (memory_key: string): void => navigate(addressOf(['details', memory_key]));
  useKeys({
    j: () => setCurrent(Math.min(items.length - 1, current + 1)),
    k: () => setCurrent(Math.max(0, current - 1)),
    Enter: items[current] && (() => open(items[current]!.memory_key)),
  });
  const types = [
    ...new Set([...items.map(({ memory_type }) => memory_type), ...(type ? [type] : [])]),
  ].sort();
  return (
    <>
      <PageHead title="Details" />
      <div className="row details-filters">
        <select
          className="field"
          aria-label="Type"
          value={type}
          onChange={(event) => change({ type: event.target.value })}
        >
          <option value="">All types</option>
          {types.map((name) => (
            <option key={name} value={name}>
              {name.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
        <select
          className="field"
          aria-label="State"
          value={state}
          onChange={(event) => change({ state: event.target.value })}
        >
          <option value="">Active and inactive</option>
          <option value="active">Active</option>
          <option value="inactive">Inactive</option>
        </select>
        {session && (
          <button type="button" className="button" onClick={() => change({ session: undefined })}>
            Session <bdi>{session}</bdi> ×
          </button>
        )}
      </div>
      {error !== null && data === undefined ? (
        <ErrorBox error={error} what="The details could not be read" onRetry={refetch} />
      ) : data === undefined ? (
        <RowsLoading />
      ) : items.length === 0 ? (
        isFiltered ? (
          <EmptyState text="Nothing with these filters.">
            <button
              type="button"
              className="button"
              onClick={() => change({ type: undefined, session: undefined, state: undefined })}
            >
              Without filters
            </button>
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
                </span>
              }
            />
          )}
        />
      )}
    </>
  );
}
