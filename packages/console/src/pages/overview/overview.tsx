import './overview.css';
import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';

const RECENT = 8;

/** What is remembered, at a glance. */
export function Overview(): ReactNode {
  const { data, error, refetch } = useAnswer('analytics', {});
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The overview could not be read" onRetry={refetch} />;
  if (data === undefined) return <PageLoading />;
  return (
    <>
      <PageHead title="Overview" />
      <Figures analytics={data} />
      <Recent />
    </>
  );
}

function Figures({ analytics }: { readonly analytics: OutputOf<'analytics'> }): ReactNode {
  const { total, types, weeks, sizes } = analytics;
  const { start: _, ...week } = weeks.at(-1) ?? {
    start: '',
    conversation: 0,
    decision: 0,
    finding: 0,
    preference: 0,
  };
  const thisWeek = Object.values(week).reduce((sum, one) => sum + one, 0);
  return (
    <dl className="figures">
      <Figure name="Memories" value={count(total)} about={`+ ${count(thisWeek)} this week`} />
      <Figure
        name="Facts"
        value={count(types.decision + types.finding + types.preference)}
        about={`${counted(types.decision, 'decision')}, ${counted(types.preference, 'preference')}`}
      />
      <Figure name="Turns of conversation" value={count(types.conversation)} about="kept as memories" />
      <Figure name="Stored" value={bytes(sizes.bytes)} about={`in ${counted(sizes.sessions, 'session')}`} />
    </dl>
  );
}

function Figure({ name, value, about }: Readonly<Record<'name' | 'value' | 'about', string>>): ReactNode {
  return (
    <div className="card figure">
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        <span>{about}</span>
      </dd>
    </div>
  );
}

function Recent(): ReactNode {
  const { data, error, refetch } = useAnswer('search', {
    text: '*',
    sort_by: 'time',
    limit: RECENT,
    details: false,
  });
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The newest memories could not be read" onRetry={refetch} />;
  return (
    <section className="card">
      <h2>Recent</h2>
      {data?.memories.length === 0 && (
        <EmptyState text="Nothing remembered yet.">
          <Link className="button" href="/docs" target="_blank">
            Read how to begin
          </Link>
        </EmptyState>
      )}
      <ul>
        {data?.memories.map(({ id, type, content, timestamp, session_id, tags, provenance }) => (
          <li key={id}>
            <Entry
              entry={{
                type,
                text: String(content.text ?? JSON.stringify(content)),
                time: timestamp,
                place: session_id,
                tags,
                trust: provenance.trust,
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
