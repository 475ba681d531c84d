import {
  forceCenter,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force';
import type { OutputOf } from 'longhand/client';
import { type ReactNode, useMemo } from 'react';
import { useFilters } from '../../api/address.ts';
import { useAnswer } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Entry } from '../../parts/entry.tsx';
import { placeOf } from '../../parts/memory-fields.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useWidth } from '../../parts/use-width.ts';
import type { OfSessionProps } from './session-memories.tsx';

type Graph = OutputOf<'references'>;
type Node = Graph['nodes'][number];

const MOST_NODES = 300;
const HEIGHT = 380;

const DEPTHS = { 1: '1 step', 2: '2', 3: '3', 20: 'all' } as const;

/** How the memories of the session, or those around one of them, refer to others: as a graph, and as a list that says the same. */
export function References({ sessionId }: OfSessionProps): ReactNode {
  const [params, change] = useFilters();
  const from = params.get('from') ?? undefined;
  const depth = params.get('depth') ?? undefined;
  const asked = useAnswer('references', {
    limit: MOST_NODES,
    ...(from === undefined ? {} : { memory_id: from, depth: Number(depth ?? 1) || 1 }),
  });
  const graph = useMemo(
    () => asked.data && (from === undefined ? aroundSession(asked.data, sessionId) : asked.data),
    [asked.data, from, sessionId],
  );
  const start = graph?.nodes.find(({ id }) => id === from);
  const open = (node: Node): void => change({ open: placeOf(node) });
  return (
    <Answered asked={asked} what="The references could not be read">
      {() =>
        graph === undefined ? null : (
          <>
            {from !== undefined && (
              <div className="row graph-head">
                <p className="hint">
                  From <b dir="auto">{start?.text ?? from}</b> outward
                </p>
                <Segments
                  label="How far"
                  options={DEPTHS}
                  chosen={depth}
                  onChoose={(far) => change({ depth: far })}
                />
                <Button onClick={() => change({ from: undefined, depth: undefined })}>
                  All of the session
                </Button>
              </div>
            )}
            {graph.edges.length === 0 ? (
              <EmptyState
                text={
                  from === undefined
                    ? 'No memory of this session refers to another, or takes the place of one.'
                    : 'It refers to no other memory, and none refers to it.'
                }
              />
            ) : (
              <>
                <Picture graph={graph} from={from} onOpen={open} />
                {!graph.is_complete && <p className="hint">There are more: the newest are shown.</p>}
                <EdgeList graph={graph} onOpen={open} />
              </>
            )}
          </>
        )
      }
    </Answered>
  );
}

/** What the memories of a session refer to, and what refers to them. */
function aroundSession({ nodes, edges, is_complete }: Graph, sessionId: string): Graph {
  const own = new Set(nodes.filter(({ session_id }) => session_id === sessionId).map(({ id }) => id));
  const kept = edges.filter(({ from, to }) => own.has(from) || own.has(to));
  const met = new Set(kept.flatMap(({ from, to }) => [from, to]));
  const there = new Set(nodes.map(({ id }) => id));
  return {
    nodes: nodes.filter(({ id }) => met.has(id)),
    edges: kept.filter(({ from, to }) => there.has(from) && there.has(to)),
    is_complete,
  };
}

interface GraphProps {
  readonly graph: Graph;
  /** The memory that it begins with. */
  readonly from?: string | undefined;
  readonly onOpen: (node: Node) => void;
}

function Picture({ graph, from, onOpen }: GraphProps): ReactNode {
  const [frame, width] = useWidth<HTMLDivElement>();
  const { places, lines } = useMemo(() => laidOut(graph, width), [graph, width]);
  return (
    // The list below says the same to those who cannot see it.
    <div ref={frame} className="graph" aria-hidden>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="presentation">
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="8"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 8 4 0 8Z" className="arrow" />
            </marker>
          </defs>
          {lines.map(({ key, kind, ...line }) => (
            <line key={key} {...line} className={`edge is-${kind}`} markerEnd="url(#arrow)" />
          ))}
          {places.map(({ node, x, y }) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same as buttons
            <g
              key={node.id}
              className={`node is-${node.type}${node.id === from ? ' is-start' : ''}`}
              transform={`translate(${x} ${y})`}
              onClick={() => onOpen(node)}
            >
              <title>{node.text}</title>
              <circle r={node.id === from ? 12 : 9} />
              <text y={24} textAnchor="middle">
                {node.text.length > 28 ? `${node.text.slice(0, 27)}…` : node.text}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

interface Point extends SimulationNodeDatum {
  readonly id: string;
  readonly node: Node;
}

/** The same graph always gets the same picture. */
function laidOut({ nodes, edges }: Graph, width: number) {
  const points = nodes.map((node): Point => ({ id: node.id, node }));
  const links = edges.map(({ from, to, kind }) => ({ source: from, target: to, kind }));
  forceSimulation(points)
    .force(
      'link',
      forceLink<Point, (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(190),
    )
    .force('charge', forceManyBody().strength(-900))
    .force('collide', forceCollide(64))
    .force('center', forceCenter(width / 2, HEIGHT / 2))
    .force('x', forceX(width / 2).strength(0.03))
    .force('y', forceY(HEIGHT / 2).strength(0.12))
    .stop()
    .tick(240);
  const within = (value: number, most: number, margin: number): number =>
    Math.round(Math.max(margin, Math.min(most - margin, value)));
  const places = points.map(({ node, x = 0, y = 0 }) => ({
    node,
    x: within(x, width, 96),
    y: within(y, HEIGHT, 32),
  }));
  const placeById = new Map(places.map((place) => [place.node.id, place]));
  const lines = edges.flatMap(({ from, to, kind }) => {
    const [start, end] = [placeById.get(from), placeById.get(to)];
    if (start === undefined || end === undefined) return [];
    const length = Math.hypot(end.x - start.x, end.y - start.y) || 1;
    // It ends at the rim of the circle.
    const [x2, y2] = [end.x - ((end.x - start.x) / length) * 12, end.y - ((end.y - start.y) / length) * 12];
    return [{ key: `${from} ${to} ${kind}`, kind, x1: start.x, y1: start.y, x2, y2 }];
  });
  return { places, lines };
}

function EdgeList({ graph, onOpen }: GraphProps): ReactNode {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  return (
    <ul className="edges">
      {graph.edges.map(({ from, to, kind }) => {
        const [start, end] = [byId.get(from), byId.get(to)];
        if (start === undefined || end === undefined) return null;
        return (
          <li key={`${from} ${to} ${kind}`}>
            <Entry entry={{ ...start, time: start.timestamp }} onOpen={() => onOpen(start)} />
            <span className="hint edge-kind">{kind === 'replaces' ? 'replaces' : 'refers to'}</span>
            <Entry entry={{ ...end, time: end.timestamp }} onOpen={() => onOpen(end)} />
          </li>
        );
      })}
    </ul>
  );
}
