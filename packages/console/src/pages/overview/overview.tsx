import './overview.css';
import type { OutputOf } from 'longhand/client';
import { Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useParam } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { Entry } from '../../parts/entry.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { entryOf, type Memory } from '../../parts/memory-fields.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { relativeTime } from '../../parts/times.tsx';
import { TypeIcon } from '../../parts/type-icon.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Health } from './health.tsx';
import { WeeklyChart } from './weekly-chart.tsx';

type Analytics = OutputOf<'analytics'>;

const RECENT = 8;
const FADING = 5;
/** Those that have faded come first, and say nothing of next week. */
const LOOKED_AT = 50;

// What floats is loaded when it is first opened: the first page stays small.
const Floating = lazy(async () => ({ default: (await import('../../parts/floating.tsx')).Floating }));

/** What is remembered, at a glance. */
export function Overview(): ReactNode {
  const { data, error, refetch } = useAnswer('analytics', { weeks: 26, topics: 8, limit: LOOKED_AT });
  const [opened, open] = useParam('open');
  const [isAdding, setAdding] = useState(false);
  const canWrite = useCanWrite();
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The overview could not be read" onRetry={refetch} />;
  if (data === undefined) return <PageLoading />;
  return (
    <>
      <PageHead title="Overview">
        {canWrite && (
          <button type="button" className="button is-main" onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden /> Add a memory
          </button>
        )}
      </PageHead>
      {data.total === 0 && <FirstSteps />}
      <Figures analytics={data} />
      {data.total > 0 && (
        <>
          <div className="overview-row">
            <section className="card">
              <h2>What was remembered, week by week</h2>
              <WeeklyChart weeks={data.weeks} />
            </section>
            <Fading fading={data.fading} onOpen={open} />
          </div>
          <div className="overview-row">
            <Topics topics={data.topics} />
            <Health analytics={data} />
          </div>
          <Recent onOpen={open} />
        </>
      )}
      {(opened !== undefined || isAdding) && (
        <Suspense>
          <Floating
            opened={opened}
            isAdding={isAdding}
            onOpen={open}
            onClose={() => {
              open(undefined);
              setAdding(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

function Figures({ analytics }: { readonly analytics: Analytics }): ReactNode {
  const { total, weeks, sizes } = analytics;
  const { data: agents } = useAnswerPages('listAgents', { limit: 500 }, (page) => page.agents);
  const { start: _, ...week } = weeks.at(-1) ?? { start: '' };
  const thisWeek = Object.values(week).reduce((sum, one) => sum + one, 0);
  const kept = (layer: 'journal' | 'core'): number =>
    (agents?.items ?? []).reduce((sum, { memories_count }) => sum + memories_count[layer], 0);
  const nearest = Math.max(0, ...sizes.largest.map((one) => one.bytes / one.limit_bytes));
  return (
    <dl className="figures">
      <Figure name="Memories" value={count(total)} about={`+ ${count(thisWeek)} this week`} />
      <Figure
        name="Journal and core"
        value={`${count(kept('journal'))} · ${count(kept('core'))}`}
        about={`of ${counted(agents?.items.length ?? 0, 'agent')}`}
      />
      <Figure
        name="Sessions"
        value={count(sizes.sessions)}
        about={`${counted(analytics.types.conversation, 'turn')} remembered`}
      />
      <Figure
        name="Stored"
        value={bytes(sizes.bytes)}
        about={
          nearest > 0.75 ? `a session is ${Math.round(nearest * 100)} % full` : 'no session is near its limit'
        }
      />
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

interface FadingProps {
  readonly fading: Analytics['fading'];
  readonly onOpen: (place: string) => void;
}

function Fading({ fading, onOpen }: FadingProps): ReactNode {
  const now = new Date().toISOString();
  const coming = fading.filter(({ fades_at }) => fades_at > now).slice(0, FADING);
  return (
    <section className="card">
      <h2>Fades next week</h2>
      {coming.length === 0 && <p className="hint">Nothing falls out of reach within a week.</p>}
      <ul className="fading">
        {coming.map(({ id, session_id, type, text, relevance, fades_at }) => (
          <li key={id}>
            <TypeIcon type={type} size={16} />
            <button
              type="button"
              className="entry-text"
              dir="auto"
              onClick={() => onOpen(`${session_id}/${id}`)}
            >
              {text}
            </button>
            <span className="hint" title={`Relevance now: ${relevance.toFixed(2)}`}>
              {relativeTime(fades_at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SPARK_WIDTH = 150;
const SPARK_HEIGHT = 34;

/** The commonest tags, each as a row of bars on a scale of its own. */
function Topics({ topics }: { readonly topics: Analytics['topics'] }): ReactNode {
  return (
    <section className="card">
      <h2>Topics over time</h2>
      {topics.length === 0 && <p className="hint">Tags of memories show here.</p>}
      <ul className="topics">
        {topics.map(({ tag, total, weeks }) => {
          const most = Math.max(1, ...weeks);
          const step = SPARK_WIDTH / weeks.length;
          return (
            <li key={tag}>
              <Link href={addressOf(['search'], { tag })}>
                <span className="spread">
                  <span dir="auto">{tag}</span>
                  <small>{count(total)}</small>
                </span>
                <svg viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`} preserveAspectRatio="none" aria-hidden>
                  {weeks.map((value, week) => {
                    const height = (value / most) * (SPARK_HEIGHT - 1);
                    return (
                      <rect
                        // biome-ignore lint/suspicious/noArrayIndexKey: a week has no other name here
                        key={week}
                        x={week * step}
                        y={SPARK_HEIGHT - height}
                        width={Math.max(1, step - 1)}
                        height={height}
                      />
                    );
                  })}
                </svg>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The newest memories. What comes in meanwhile waits behind a button: nothing jumps while a person reads. */
function Recent({ onOpen }: { readonly onOpen: (place: string) => void }): ReactNode {
  const { data, error, refetch } = useAnswer('search', {
    ...{ text: '*', sort_by: 'time', limit: RECENT, details: false },
  });
  const [held, setHeld] = useState<readonly Memory[]>();
  const newest = data?.memories ?? [];
  const shown = held ?? newest;
  if (held === undefined && newest.length > 0) setHeld(newest);
  const known = new Set(shown.map(({ id }) => id));
  const oldest = shown.at(-1)?.timestamp ?? '';
  const more = newest.filter(({ id, timestamp }) => !known.has(id) && timestamp >= oldest).length;
  // What was changed or forgotten is shown at once.
  const current = new Map(newest.map((memory) => [memory.id, memory]));
  return (
    <section className="card">
      <div className="spread">
        <h2>Recent</h2>
        {more > 0 && (
          <button type="button" className="chip" onClick={() => setHeld(newest)}>
            {more} new
          </button>
        )}
        <Link href="/search">All</Link>
      </div>
      {error !== null && data === undefined && (
        <ErrorBox error={error} what="The newest memories could not be read" onRetry={refetch} />
      )}
      <ul>
        {shown
          .filter(({ id }) => current.has(id) || more > 0)
          .map((memory) => (
            <li key={memory.id}>
              <Entry
                entry={entryOf(current.get(memory.id) ?? memory)}
                onOpen={() => onOpen(`${memory.session_id}/${memory.id}`)}
              />
            </li>
          ))}
      </ul>
    </section>
  );
}
