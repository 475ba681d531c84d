import { useQuery } from '@tanstack/react-query';
import { curveMonotoneX, line } from 'd3-shape';
import { type ReactNode, useMemo, useState } from 'react';
import { useParam } from '../../api/address.ts';
import { useAnswer, useCall } from '../../api/hooks.ts';
import { scopeKey } from '../../api/session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { entryOf, type FoundMemory, MEMORY_TYPES, placeOf } from '../../parts/memory-fields.tsx';
import { MemoryMenu } from '../../parts/memory-menu.tsx';
import { counted } from '../../parts/numbers.ts';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { useWidth } from '../../parts/use-width.ts';
import type { OfSessionProps } from './session-memories.tsx';

/** The days that are asked for; the curve goes through them. */
const DAYS = [0, 3, 7, 14, 30, 60, 90] as const;
const MOST_DAYS = 90;
/** So many of the newest memories are looked at. */
const LOOKED_AT = 200;
/** Compaction may take out what is below it. */
const FADED = 0.05;
const DAY_MS = 86_400_000;
const HEIGHT = 220;
const MARGIN = { left: 34, right: 12, top: 10, bottom: 24 };

/** Every memory of the session as it would be recalled at another moment; asking so is no use of it. */
function askedAt(sessionId: string, moment: number) {
  const now = new Date(moment).toISOString();
  return {
    ...{ text: '*', session_id: sessionId, sort_by: 'time' as const, limit: LOOKED_AT, details: false, now },
    collapse: false,
  };
}

/** How what is remembered fades when it is left alone. */
export function Decay({ sessionId }: OfSessionProps): ReactNode {
  const [param, setParam] = useParam('days');
  const [, open] = useParam('open');
  const days = Math.max(0, Math.min(MOST_DAYS, Math.round(Number(param ?? 7)) || 0));
  const [now] = useState(Date.now);
  const call = useCall();
  const { data, error, refetch } = useQuery({
    queryKey: ['decay', sessionId, scopeKey()],
    queryFn: ({ signal }) =>
      Promise.all(DAYS.map((day) => call('search', askedAt(sessionId, now + day * DAY_MS), { signal }))),
  });
  const { data: then } = useAnswer('search', askedAt(sessionId, now + days * DAY_MS), { keepsShowing: true });
  if (error !== null && data === undefined)
    return <ErrorBox error={error} what="What fades could not be read" onRetry={refetch} />;
  if (data === undefined) return <RowsLoading />;
  const today = data[0]!.memories;
  if (today.length === 0) return <EmptyState text="Nothing was remembered here yet." />;
  const later = new Map(then?.memories.map(({ id, relevance }) => [id, relevance]));
  const falling = today
    .map((memory) => ({ memory, left: later.get(memory.id) ?? memory.relevance }))
    .filter(({ memory, left }) => left < memory.relevance * 0.95)
    .sort((one, other) => one.left / one.memory.relevance - other.left / other.memory.relevance);
  const gone = falling.filter(({ left }) => left < FADED).length;
  return (
    <>
      <Curves found={data.map(({ memories }) => memories)} days={days} />
      <label className="decay-slider">
        <span>
          In <b>{counted(days, 'day')}</b>
        </span>
        <input
          type="range"
          min={0}
          max={MOST_DAYS}
          value={days}
          onChange={({ target }) => setParam(target.value)}
        />
      </label>
      <p className="label">
        {falling.length === 0
          ? 'Nothing loses more than a twentieth by then.'
          : `${counted(falling.length, 'memory fades', 'memories fade')}${gone === 0 ? '' : `, ${gone} of them below ${FADED}`}:`}
      </p>
      <ul>
        {falling.slice(0, 50).map(({ memory, left }) => (
          <li key={memory.id}>
            <Entry
              entry={{ ...entryOf(memory), place: memory.provenance.agent_id, isExpired: left < FADED }}
              onOpen={() => open(placeOf(memory))}
              aside={
                <>
                  <span title="Relevance now, and then">
                    {memory.relevance.toFixed(2)} → {left.toFixed(2)}
                  </span>
                  <MemoryMenu memory={memory} />
                </>
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface CurvesProps {
  /** What is found at each of the days. */
  readonly found: readonly (readonly FoundMemory[])[];
  readonly days: number;
}

/** The mean relevance of each type over the next days, and a line at the chosen one. */
function Curves({ found, days }: CurvesProps): ReactNode {
  const [frame, width] = useWidth<HTMLElement>();
  const curves = useMemo(
    () =>
      MEMORY_TYPES.flatMap((type) => {
        const values = found.map((memories) => {
          const own = memories.filter((memory) => memory.type === type);
          return own.reduce((sum, { relevance }) => sum + relevance, 0) / own.length;
        });
        return Number.isNaN(values[0]) ? [] : [{ type, values }];
      }),
    [found],
  );
  const top = Math.max(0.2, ...curves.flatMap(({ values }) => values));
  const x = (day: number): number => MARGIN.left + (day / MOST_DAYS) * (width - MARGIN.left - MARGIN.right);
  const y = (value: number): number =>
    HEIGHT - MARGIN.bottom - (value / top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const path = line<number>((_, at) => x(DAYS[at]!), y).curve(curveMonotoneX);
  return (
    <figure ref={frame} className="chart">
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Mean relevance of each type over ${MOST_DAYS} days`}
        >
          {[0, top / 2, top].map((value) => (
            <g key={value}>
              <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} className="grid" />
              <text x={MARGIN.left - 8} y={y(value) + 4} textAnchor="end">
                {value.toFixed(1)}
              </text>
            </g>
          ))}
          {[0, 30, 60, 90].map((day) => (
            <text
              key={day}
              x={x(day)}
              y={HEIGHT - 6}
              textAnchor={day === 0 ? 'start' : day === 90 ? 'end' : 'middle'}
            >
              {day === 0 ? 'now' : `${day} days`}
            </text>
          ))}
          <line x1={x(days)} x2={x(days)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} className="chosen" />
          {curves.map(({ type, values }) => (
            <path key={type} d={path(values) ?? ''} className={`curve is-${type}`} />
          ))}
        </svg>
      )}
      <figcaption className="legend">
        {curves.map(({ type }) => (
          <span key={type} className={`is-${type}`}>
            {type}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
