import type { ReactNode } from 'react';
import { useFilters } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { inputOf, type Query, queryOf, tally } from './query.ts';

/** So many of the best hits are counted. */
const COUNTED = 200;

const TIMES = [
  ['24h', 'last day'],
  ['7d', 'last week'],
  ['30d', 'last month'],
  ['365d', 'last year'],
] as const;

/** What could narrow the search, with how many of the hits have it. */
export function Facets({ query, now }: { readonly query: Query; readonly now: string }): ReactNode {
  const [params, change] = useFilters();
  // Counted without the filters, so that another choice stays in sight.
  const plain = { ...queryOf(new URLSearchParams()), text: query.text };
  const { data } = useAnswer(
    'search',
    { ...inputOf(plain, now), explain: false, details: false, limit: COUNTED },
    { keepsShowing: true },
  );
  const memories = data?.memories ?? [];
  const toggle = (name: string, value: string, isMany = false): void => {
    const chosen = params.getAll(name);
    const others = chosen.filter((one) => one !== value);
    change({ [name]: chosen.includes(value) ? others : isMany ? [...others, value] : value });
  };
  const groups = [
    {
      name: 'type',
      label: 'Type',
      values: tally(
        memories.map(({ type }) => type),
        4,
      ),
      isMany: true,
    },
    {
      name: 'tag',
      label: 'Tag',
      values: tally(
        memories.flatMap(({ tags }) => tags),
        10,
      ),
      isMany: true,
    },
    {
      name: 'agent',
      label: 'Agent',
      values: tally(
        memories.map(({ provenance }) => provenance.agent_id),
        6,
      ),
    },
    {
      name: 'session',
      label: 'Session',
      values: tally(
        memories.map(({ session_id }) => session_id),
        6,
      ),
    },
    {
      name: 'trust',
      label: 'Trust',
      values: tally(
        memories.map(({ provenance }) => provenance.trust),
        4,
      ),
    },
  ];
  return (
    <details className="facets" open={matchMedia('(min-width: 760px)').matches}>
      <summary>Narrow</summary>
      {groups
        .filter(({ values }) => values.length > 0)
        .map(({ name, label, values, isMany = false }) => (
          <fieldset key={name}>
            <legend>{label}</legend>
            {values.map(([value, count]) => (
              <label key={value} className="facet">
                <input
                  type="checkbox"
                  checked={params.getAll(name).includes(value)}
                  onChange={() => toggle(name, value, isMany)}
                />
                <span dir="auto">{value}</span>
                <small>{count}</small>
              </label>
            ))}
          </fieldset>
        ))}
      <fieldset>
        <legend>Time</legend>
        {TIMES.map(([value, label]) => (
          <label key={value} className="facet">
            <input
              type="checkbox"
              checked={query.within === value}
              onChange={() => toggle('within', value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
