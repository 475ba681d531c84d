import './sessions.css';
import type { OutputOf } from 'longhand/client';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useFilters, useNameInPath } from '../../api/address.ts';
import { useAnswer, useAnswerPages } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { KeyHelp, useKeys } from '../../parts/keys.tsx';
import { bytes, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { SessionPage } from './session-page.tsx';

type Session = OutputOf<'listChatSessions'>['sessions'][number];

const KEYS = { 'j k': 'next, previous', Enter: 'open' };

/** All sessions, or one of them. */
export function Sessions(): ReactNode {
  const id = useNameInPath();
  return id === undefined ? <SessionList /> : <SessionPage key={id} sessionId={id} />;
}

function SessionList(): ReactNode {
  const [filters, change] = useFilters();
  const [current, setCurrent] = useState(-1);
  const [isHelpShown, setHelpShown] = useState(false);
  const [, navigate] = useLocation();
  const asked = useAnswerPages('listChatSessions', { limit: 500 }, ({ sessions }) => sessions);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = asked;
  const [agent, text, after, before] = ['agent', 'q', 'after', 'before'].map(
    (name) => filters.get(name) ?? '',
  );
  const agents = [...new Set(data?.items.flatMap((session) => session.agents))].sort();
  const shown = (data?.items ?? [])
    .filter(
      ({ session_id, summary, agents, last_activity_at }) =>
        (!agent || agents.includes(agent)) &&
        (!text || `${session_id} ${summary ?? ''}`.toLowerCase().includes(text.toLowerCase())) &&
        (!after || last_activity_at >= after) &&
        // A day is meant to its end.
        (!before || last_activity_at.slice(0, 10) <= before),
    )
    .toSorted((left, right) => right.last_activity_at.localeCompare(left.last_activity_at));
  const move = (by: number): void => setCurrent((now) => Math.max(0, Math.min(shown.length - 1, now + by)));
  const at = shown[current];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: at && (() => navigate(addressOf(['sessions', at.session_id]))),
    '?': () => setHelpShown(true),
  });
  return (
    <>
      <PageHead title="Sessions" />
      {error !== null && <ErrorBox error={error} what="The sessions could not be read" onRetry={refetch} />}
      {data === undefined && error === null && <RowsLoading />}
      {data !== undefined && data.items.length === 0 && <EmptyState text="No sessions yet." />}
      {data !== undefined && data.items.length > 0 && (
        <div className="session-filters">
          <input
            type="search"
            className="field"
            aria-label="Search in names and summaries"
            placeholder="Name or summary"
            dir="auto"
            value={text}
            onChange={({ target }) => change({ q: target.value })}
          />
          <select
            className="field"
            aria-label="Agent"
            value={agent}
            onChange={({ target }) => change({ agent: target.value })}
          >
            <option value="">All agents</option>
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <label className="row-label">
            from
            <input
              type="date"
              className="field"
              value={after}
              onChange={({ target }) => change({ after: target.value })}
            />
          </label>
          <label className="row-label">
            to
            <input
              type="date"
              className="field"
              value={before}
              onChange={({ target }) => change({ before: target.value })}
            />
          </label>
        </div>
      )}
      {data !== undefined && data.items.length > 0 && shown.length === 0 && (
        <EmptyState text="Nothing with these filters.">
          <button
            type="button"
            className="button"
            onClick={() => change({ q: undefined, agent: undefined, after: undefined, before: undefined })}
          >
            Drop the filters
          </button>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <EntryList
          label="Sessions"
          items={shown}
          keyOf={({ session_id }) => session_id}
          rowHeight={76}
          current={current}
          onEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
          render={(session, isCurrent) => <SessionRow session={session} isCurrent={isCurrent} />}
        />
      )}
      {isHelpShown && <KeyHelp keys={KEYS} onClose={() => setHelpShown(false)} />}
    </>
  );
}

/** Asks for its figures when it comes into sight. */
function SessionRow({
  session,
  isCurrent,
}: {
  readonly session: Session;
  readonly isCurrent: boolean;
}): ReactNode {
  const { session_id, agents, last_activity_at, summary } = session;
  const { data: stats } = useAnswer('getSessionStats', { session_id });
  const { data: first } = useAnswer('listChatMessages', { session_id, limit: 1 });
  const words = first?.messages[0]?.content ?? summary;
  return (
    <Link
      className={isCurrent ? 'entry session-row is-current' : 'entry session-row'}
      href={addressOf(['sessions', session_id])}
    >
      <span className="entry-main">
        <span className="session-words" dir="auto">
          {words ?? session_id}
        </span>
        <span className="entry-facts">
          <span className="entry-place">{session_id}</span>
          {agents.length > 0 && <span dir="auto">{agents.join(', ')}</span>}
          <RelativeTime time={last_activity_at} />
        </span>
      </span>
      {stats !== undefined && (
        <span className="session-figures">
          <span>{counted(stats.total_entries, 'memory', 'memories')}</span>
          <span
            className="session-size"
            title={`${bytes(stats.total_size_bytes)} of ${bytes(stats.limit_bytes)}`}
          >
            {bytes(stats.total_size_bytes)}
            <ProgressBar label="Size" value={stats.total_size_bytes} max={stats.limit_bytes} />
          </span>
        </span>
      )}
    </Link>
  );
}
