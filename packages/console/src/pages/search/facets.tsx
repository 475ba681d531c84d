import type { ReactNode } from 'react';
import { useFilters } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { inputOf, type Query, queryOf, strongOf, tally } from './query.ts';

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
  const plain = { ...queryOf(new URLSearchParams()), text: query.text, sort: query.sort };
  const { data } = useAnswer(
    'search',
    { ...inputOf(plain, now), explain: false, limit: COUNTED },
    { keepsShowing: true },
  );
  const memories = strongOf(data?.memories ?? [], plain);
  const toggle = (name: string, value: string, isMany = false): void => {
    const chosen = params.getAll(name);
    const others = chosen.filter((one) => one !== value);
    change({ [name]: chosen.includes(value) ? others : isMany ? [...others, value] : value });
  };
  const groups = [
    ['type', 'Type', memories.map(({ type }) => type), 4, true],
    ['tag', 'Tag', memories.flatMap(({ tags }) => tags), 10, true],
    ['agent', 'Agent', memories.map(({ provenance }) => provenance.agent_id), 6],
    ['session', 'Session', memories.map(({ session_id }) => session_id), 6],
    ['trust', 'Trust', memories.map(({ provenance }) => provenance.trust), 4],
  ] as const;
  return (
    <details className="facets" open={matchMedia('(min-width: 760px)').matches}>
      <summary>Narrow</summary>
      {groups.map(([name, label, values, most, isMany = false]) => (
        <Group key={name} label={label}>
          {tally(values, most).map(([value, count]) => (
            <Facet
              key={value}
              isChosen={params.getAll(name).includes(value)}
              onChoose={() => toggle(name, value, isMany)}
              {...{ value, count }}
            />
          ))}
        </Group>
      ))}
      <Group label="Time">
        {TIMES.map(([value, label]) => (
          <Facet
            key={value}
            value={label}
            isChosen={query.within === value}
            onChoose={() => toggle('within', value)}
          />
        ))}
      </Group>
    </details>
  );
}

function Group({ label, children }: { readonly label: string; readonly children: ReactNode[] }): ReactNode {
  if (children.length === 0) return null;
  return (
    <fieldset>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

interface FacetProps {
  readonly value: string;
  readonly count?: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Facet({ value, count, isChosen, onChoose }: FacetProps): ReactNode {
  return (
    <label className="facet">
      <input type="checkbox" checked={isChosen} onChange={onChoose} />
      <span dir="auto">{value}</span>
      {count !== undefined && <small>{count}</small>}
    </label>
  );
}
