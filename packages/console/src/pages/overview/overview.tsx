import { Button } from '../../parts/button.tsx';
import './overview.css';
import type { OutputOf } from 'longhand/client';
import { Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useParam } from '../../api/address.ts';
import { useAnswer, useAnswerPages, useCanWrite } from '../../api/hooks.ts';
import { Entry } from '../../parts/entry.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { beginAct, useMemoryAct } from '../../parts/memory-acts.ts';
import { entryOf, type Memory, placeOf } from '../../parts/memory-fields.tsx';
import { MemoryMenu } from '../../parts/memory-menu.tsx';
import { bytes, count, counted } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageLoading } from '../../parts/page-loading.tsx';
import { relativeTime } from '../../parts/times.tsx';
import { TypeIcon } from '../../parts/type-icon.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Health } from './health.tsx';
import { WeeklyChart } from './weekly-chart.tsx';

type Analytics = OutputOf<'analytics'>;
type Shown = Pick<Memory, 'id' | 'session_id' | 'type'> & { readonly text: string };

const RECENT = 8;
const FEW = 5;
/** Those that have faded come first, and say nothing of next week. */
const LOOKED_AT = 50;

// What floats is loaded when it is first opened: the first page stays small.
const Floating = lazy(async () => ({ default: (await import('../../parts/floating.tsx')).Floating }));

/** What is remembered, at a glance. */
export function Overview(): ReactNode {
  const { data, error, refetch } = useAnswer('analytics', { weeks: 26, topics: 8, limit: LOOKED_AT });
  const [opened] = useParam('open');
  const act = useMemoryAct();
  const canWrite = useCanWrite();
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="The overview could not be read" onRetry={refetch} />;
  if (data === undefined) return <PageLoading />;
  return (
    <>
      <PageHead title="Overview">
        {canWrite && (
          <Button look="main" onClick={() => beginAct('add')}>
            <Plus size={16} /> Add a memory
          </Button>
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
            <Fading fading={data.fading} />
          </div>
          <div className="overview-row">
            <Topics topics={data.topics} />
            <Health analytics={data} />
          </div>
          <div className="overview-row">
            <Recent />
            <div className="overview-side">
              <Decisions decisions={data.decisions} />
              <MostUsed used={data.most_used} />
            </div>
          </div>
        </>
      )}
      {(opened !== undefined || act !== undefined) && (
        <Suspense>
          <Floating />
        </Suspense>
      )}
    </>
  );
}

function Figures({ analytics }: { readonly analytics: Analytics }): ReactNode {
  const { total, weeks, sizes, transcript } = analytics;
  const { data: agents } = useAnswerPages('listAgents', { limit: 500 }, (page) => page.agents);
  const { start: _, ...week } = weeks.at(-1) ?? { start: '' };
  const thisWeek = Object.values(week).reduce((sum, one) => sum + one, 0);
  const kept = (layer: 'journal' | 'core'): number =>
    (agents?.items ?? []).reduce((sum, { memories_count }) => sum + memories_count[layer], 0);
  const nearest = Math.max(0, ...sizes.largest.map((one) => one.bytes / one.limit_bytes));
  const figures = [
    ['Memories', count(total), `+ ${count(thisWeek)} this week`],
    [
      'Journal and core',
      `${count(kept('journal'))} · ${count(kept('core'))}`,
      `of ${counted(agents?.items.length ?? 0, 'agent')}`,
    ],
    ['Transcript', count(transcript.messages), `messages in ${counted(transcript.sessions, 'session')}`],
    [
      'Stored',
      bytes(sizes.bytes),
      nearest > 0.75 ? `a session is ${Math.round(nearest * 100)} % full` : 'no session is near its limit',
    ],
  ] as const;
  return (
    <dl className="figures">
      {figures.map(([name, value, about]) => (
        <div key={name} className="card figure">
          <dt>{name}</dt>
          <dd>
            <b>{value}</b>
            <span>{about}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface LinesProps<One> {
  readonly title: string;
  /** Said when there is nothing. */
  readonly none: string;
  readonly memories: readonly One[];
  /** What stands on the right. */
  readonly aside: (one: One) => ReactNode;
}

/** A few memories, a line or two each, that open beside the page. */
function Lines<One extends Shown>({ title, none, memories, aside }: LinesProps<One>): ReactNode {
  const [, open] = useParam('open');
  return (
    <section className="card">
      <h2>{title}</h2>
      {memories.length === 0 && <p className="hint">{none}</p>}
      <ul className="fading">
        {memories.map((one) => (
          <li key={one.id}>
            <TypeIcon type={one.type} size={16} />
            <button
              type="button"
              className="entry-text"
              dir="auto"
              onClick={() => open(`${one.session_id}/${one.id}`)}
            >
              {one.text}
            </button>
            <span className="hint">{aside(one)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fading({ fading }: { readonly fading: Analytics['fading'] }): ReactNode {
  const now = new Date().toISOString();
  return (
    <Lines
      title="Fades next week"
      none="Nothing falls out of reach within a week."
      memories={fading.filter(({ fades_at }) => fades_at > now).slice(0, FEW)}
      aside={({ relevance, loss_percent, fades_at }) => (
        <span title={`Relevance now: ${relevance.toFixed(2)}; out of reach ${relativeTime(fades_at)}`}>
          −{Math.round(loss_percent)} %
        </span>
      )}
    />
  );
}

function Decisions({ decisions }: { readonly decisions: Analytics['decisions'] }): ReactNode {
  return (
    <Lines
      title="Decisions"
      none="What you decide shows here, with what refers to it."
      memories={decisions.slice(0, FEW)}
      aside={({ id, session_id, timestamp, referred_by }) =>
        referred_by.length === 0 ? (
          relativeTime(timestamp)
        ) : (
          <Link href={addressOf(['sessions', session_id], { tab: 'references', from: id })}>
            {counted(referred_by.length, 'refers', 'refer')} to it
          </Link>
        )
      }
    />
  );
}

function MostUsed({ used }: { readonly used: Analytics['most_used'] }): ReactNode {
  return (
    <Lines
      title="Used most"
      none="How often a memory is recalled or stands in a prompt shows here."
      memories={used.slice(0, FEW)}
      aside={({ uses }) => counted(uses, 'time')}
    />
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
function Recent(): ReactNode {
  const [, open] = useParam('open');
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
                onOpen={() => open(placeOf(memory))}
                aside={<MemoryMenu memory={memory} />}
              />
            </li>
          ))}
      </ul>
    </section>
  );
}
