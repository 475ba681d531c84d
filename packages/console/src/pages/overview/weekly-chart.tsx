import { area, curveMonotoneX, stack } from 'd3-shape';
import type { OutputOf } from 'longhand/client';
import type { MouseEvent, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf } from '../../api/address.ts';
import { MEMORY_TYPES } from '../../parts/memory-fields.tsx';
import { count } from '../../parts/numbers.ts';
import { useWidth } from '../../parts/use-width.ts';

type Week = OutputOf<'analytics'>['weeks'][number];

const HEIGHT = 256;
const FOOT = 22;
const DAY_MS = 86_400_000;

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** How much of each type, stacked. The weeks before the first memory are left out. */
export function WeeklyChart({ weeks }: { readonly weeks: readonly Week[] }): ReactNode {
  const [frame, width] = useWidth<HTMLElement>();
  const [, navigate] = useLocation();
  const sum = (week: Week): number => MEMORY_TYPES.reduce((total, type) => total + week[type], 0);
  const first = weeks.findIndex((week) => sum(week) > 0);
  // Two weeks at least: one alone would have no width.
  const shown = weeks.slice(Math.max(0, Math.min(first - 1, weeks.length - 2)));
  const most = Math.max(1, ...shown.map(sum));
  const x = (at: number): number => (at / (shown.length - 1)) * width;
  const y = (value: number): number => HEIGHT - FOOT - (value / most) * (HEIGHT - FOOT - 18);
  const layers = stack<Week, (typeof MEMORY_TYPES)[number]>().keys(MEMORY_TYPES)([...shown]);
  const shape = area<(typeof layers)[number][number]>()
    .x((_, at) => x(at))
    .y0(([from]) => y(from))
    .y1(([, to]) => y(to))
    .curve(curveMonotoneX);
  /** What was remembered of a type in the week that was clicked at. */
  const show = (type: string, { nativeEvent: { offsetX } }: MouseEvent): void => {
    const after =
      shown[Math.min(shown.length - 1, Math.round((offsetX / width) * (shown.length - 1)))]!.start;
    const before = new Date(Date.parse(after) + 6 * DAY_MS).toISOString().slice(0, 10);
    navigate(addressOf(['search'], { type, after, before }));
  };
  const every = Math.ceil(shown.length / Math.max(2, Math.floor(width / 90)));
  return (
    <figure ref={frame} className="weekly">
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={inWords(shown)}>
          <line x1={0} x2={width} y1={y(most)} y2={y(most)} className="grid" />
          <line x1={0} x2={width} y1={y(most / 2)} y2={y(most / 2)} className="grid" />
          {layers.map((layer) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the legend below has links
            <path
              key={layer.key}
              d={shape(layer) ?? ''}
              className={`area is-${layer.key}`}
              onClick={(event) => show(layer.key, event)}
            />
          ))}
          <text x={0} y={y(most) - 4}>
            {count(most)}
          </text>
          {shown.map(({ start }, at) =>
            (shown.length - 1 - at) % every === 0 && x(at) > 18 ? (
              <text
                key={start}
                x={x(at)}
                y={HEIGHT - 5}
                textAnchor={at === shown.length - 1 ? 'end' : 'middle'}
              >
                {DAY.format(new Date(start))}
              </text>
            ) : null,
          )}
        </svg>
      )}
      <figcaption className="legend">
        {MEMORY_TYPES.map((type) => (
          <Link key={type} className={`is-${type}`} href={addressOf(['search'], { type })}>
            {type}
          </Link>
        ))}
      </figcaption>
    </figure>
  );
}

function inWords(weeks: readonly Week[]): string {
  const totals = MEMORY_TYPES.map(
    (type) => `${count(weeks.reduce((sum, week) => sum + week[type], 0))} of type ${type}`,
  );
  return `In ${weeks.length} weeks: ${totals.join(', ')}`;
}
