import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf, useFilters } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { marked } from '../../parts/memory-fields.tsx';
import { Segments } from '../../parts/segments.tsx';
import { RelativeTime } from '../../parts/times.tsx';
import { TrustBadge } from '../../parts/trust-badge.tsx';
import { type Query, strongOf } from './query.ts';

/** The layers beside the memories, in the words of the page. */
const LAYERS = {
  details: 'Details',
  notes: 'Notes',
  core: 'Core',
  journal: 'Journal',
  transcript: 'Messages',
} as const;
type Layer = keyof typeof LAYERS;
type Hit = OutputOf<'searchLayers'>['layers'][number]['hits'][number];

const ALL = Object.keys(LAYERS) as Layer[];
const MOST = 100;

function useLayers(text: string) {
  return useAnswer(
    'searchLayers',
    { text, layers: ALL, limit: MOST },
    { isOn: text !== '', keepsShowing: true },
  );
}

/** Which layer is looked at, with what each of the others has. */
export function LayerChoice({ query }: { readonly query: Query }): ReactNode {
  const { text, layer } = query;
  const [, change] = useFilters();
  const { data } = useLayers(text);
  if (text === '' && layer === undefined) return null;
  const counted = (name: Layer): ReactNode => {
    const searched = data?.layers.find((one) => one.layer === name);
    const found = strongOf(searched?.hits ?? [], query).length;
    return (
      <>
        {LAYERS[name]} {searched && <small>{found === MOST ? `${MOST}+` : found}</small>}
      </>
    );
  };
  const options = { memories: 'Memories', ...Object.fromEntries(ALL.map((name) => [name, counted(name)])) };
  return (
    <Segments label="Layer" options={options} chosen={layer} onChoose={(name) => change({ layer: name })} />
  );
}

/** What another layer than the memories has, best first. */
export function LayerHits({ query }: { readonly query: Query }): ReactNode {
  const { text, layer } = query;
  const asked = useLayers(text);
  if (text === '') return <EmptyState text="Write what to look for." />;
  return (
    <Answered asked={asked} what="The search failed">
      {({ layers }) => {
        const hits = strongOf(layers.find((one) => one.layer === layer)?.hits ?? [], query);
        if (hits.length === 0) return <EmptyState text="Nothing here holds these words." />;
        return (
          <ul>
            {hits.map((hit) => (
              <li key={`${hit.agent_id} ${hit.session_id} ${hit.id}`}>
                <Link className="found-hit" href={addressOfHit(layer as Layer, hit, text)}>
                  <span className="text" dir="auto">
                    {marked(hit.text, text.split(/\s+/))}
                  </span>
                  <span className="entry-facts">
                    {layer === 'notes' && <b dir="auto">{hit.id}</b>}
                    {hit.type !== undefined && <span>{hit.type}</span>}
                    {hit.timestamp !== undefined && <RelativeTime time={hit.timestamp} />}
                    <bdi>{hit.agent_id ?? hit.session_id}</bdi>
                    <TrustBadge trust={hit.trust} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        );
      }}
    </Answered>
  );
}

function addressOfHit(layer: Layer, { id, agent_id = '', session_id = '' }: Hit, text: string): string {
  if (layer === 'details') return addressOf(['details', id]);
  if (layer === 'notes') return addressOf(['notes', agent_id]);
  if (layer === 'transcript') return addressOf(['sessions', session_id], { message: id });
  return addressOf(['agents', agent_id], { q: text, show: layer });
}
