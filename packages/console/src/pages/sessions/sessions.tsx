import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Field } from '../../parts/field.tsx';
import './sessions.css';
import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useFilters, useNameInPath } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useReadingOn } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { useRowKeys } from '../../parts/keys.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
import { Outdated } from '../../parts/outdated.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { SessionPage } from './session-page.tsx';

type Session = OutputOf<'listChatSessions'>['sessions'][number];

/** All sessions, or one of them. */
export function Sessions(): ReactNode {
  const id = useNameInPath();
  return id === undefined ? <SessionList /> : <SessionPage key={id} sessionId={id} />;
}

const NO_FILTERS = { q: undefined, agent: undefined, after: undefined, before: undefined };

function SessionList(): ReactNode {
  const [filters, change] = useFilters();
  const [, navigate] = useLocation();
  const asked = useAnswerPages('listChatSessions', { limit: 100 }, ({ sessions }) => sessions);
  // All are read: the server gives them by their names, and they are shown by their times.
  const isReading = useReadingOn(asked, true);
  const items = asked.data?.items ?? [];
  const [agent, text, after, before] = ['agent', 'q', 'after', 'before'].map(
    (name) => filters.get(name) ?? '',
  );
  const agents = [...new Set(items.flatMap((session) => session.agents))].sort();
  const shown = items
    .filter(
      ({ session_id, summary, agents, last_activity_at }) =>
        (!agent || agents.includes(agent)) &&
        (!text || `${session_id} ${summary ?? ''}`.toLowerCase().includes(text.toLowerCase())) &&
        (!after || last_activity_at >= after) &&
        // A day is meant to its end.
        (!before || last_activity_at.slice(0, 10) <= before),
    )
    .toSorted((left, right) => right.last_activity_at.localeCompare(left.last_activity_at));
  const [current, keyHelp] = useRowKeys(shown, {
    Enter: ['open', ({ session_id }) => navigate(addressOf(['sessions', session_id]))],
  });
  return (
    <>
      <PageHead title="Sessions" />
      <Answered asked={asked} what="The sessions could not be read">
        {() =>
          items.length === 0 ? (
            <EmptyState text="No sessions yet." />
          ) : (
            <>
              <div className="session-filters">
                <Field
                  type="search"
                  aria-label="Search in names and summaries"
                  placeholder="Name or summary"
                  value={text}
                  onWrite={(text) => change({ q: text })}
                />
                <Choice
                  aria-label="Agent"
                  value={agent}
                  options={[['', 'All agents'], ...agents.map((name) => [name] as const)]}
                  onChoose={(name) => change({ agent: name })}
                />
                {(['after', 'before'] as const).map((name) => (
                  <label key={name} className="row-label">
                    {name === 'after' ? 'from' : 'to'}
                    <input
                      type="date"
                      className="field"
                      value={filters.get(name) ?? ''}
                      onChange={({ target }) => change({ [name]: target.value })}
                    />
                  </label>
                ))}
              </div>
              <div className="spread session-head">
                <p className="hint" role="status">
                  {shown.length < items.length && `${count(shown.length)} of `}
                  {counted(items.length, 'session')}
                  {isReading && ' read, and more are coming'}
                </p>
                <Outdated asked={asked} />
              </div>
              {shown.length === 0 && !isReading && (
                <EmptyState text="Nothing with these filters.">
                  <Button onClick={() => change(NO_FILTERS)}>Drop the filters</Button>
                </EmptyState>
              )}
              <EntryList
                label="Sessions"
                items={shown}
                keyOf={({ session_id }) => session_id}
                rowHeight={76}
                current={current}
                render={(session, isCurrent) => <SessionRow session={session} isCurrent={isCurrent} />}
              />
            </>
          )
        }
      </Answered>
      {keyHelp}
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
