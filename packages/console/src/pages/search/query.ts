import { MEMORY_TYPES, type Memory } from '../../parts/memory-fields.tsx';

/** What is asked for, as it stands in the address. */
export interface Query {
  readonly text: string;
  readonly types: readonly string[];
  readonly tags: readonly string[];
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly trust: string | undefined;
  /** In words: `last week`. */
  readonly within: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Another one than the memories. */
  readonly layer: string | undefined;
  readonly sort: 'relevance' | 'time';
}

export type FilterName =
  | 'layer'
  | 'type'
  | 'tag'
  | 'session'
  | 'agent'
  | 'trust'
  | 'within'
  | 'before'
  | 'after';

/** From the least narrow to the most: the last is what is dropped first when nothing is found. */
export const FILTERS: readonly FilterName[] = [
  'layer',
  'type',
  'trust',
  'agent',
  'after',
  'before',
  'within',
  'session',
  'tag',
];

export function queryOf(params: URLSearchParams): Query {
  const one = (name: string): string | undefined => params.get(name) ?? undefined;
  return {
    text: one('q') ?? '',
    types: params.getAll('type'),
    tags: params.getAll('tag'),
    session: one('session'),
    agent: one('agent'),
    trust: one('trust'),
    within: one('within'),
    before: one('before'),
    after: one('after'),
    layer: one('layer') === 'memories' ? undefined : one('layer'),
    sort: one('sort') === 'time' ? 'time' : 'relevance',
  };
}

/** Words such as `tag:security` become filters; the rest is the text. */
export function takeOperators(typed: string): {
  readonly text: string;
  readonly filters: ReadonlyMap<FilterName, string[]>;
} {
  const filters = new Map<FilterName, string[]>();
  const text = typed.replaceAll(/(?<!\S)(\w+):("[^"]+"|\S+)/g, (whole, name: string, value: string) => {
    if (!(FILTERS as readonly string[]).includes(name)) return whole;
    const known = filters.get(name as FilterName) ?? [];
    filters.set(name as FilterName, [...known, value.replaceAll('"', '')]);
    return '';
  });
  return { text: text.replaceAll(/\s+/g, ' ').trim(), filters };
}

/** Below this share of the asked words, a hit counts as near. */
const NEAR_MATCH = 0.25;

/** The hits that hold enough of what was asked. When none does, they are what there is. */
export function strongOf<Hit extends { readonly match?: number | undefined }>(
  hits: readonly Hit[],
  { text, sort }: Query,
): readonly Hit[] {
  const strong = hits.filter(({ match = 1 }) => text === '' || sort === 'time' || match >= NEAR_MATCH);
  return strong.length === 0 ? hits : strong;
}

/** Whether something is asked for that the server has no filter for: it is taken out of its answers. */
export function isNarrowedHere({ agent, trust }: Query): boolean {
  return agent !== undefined || trust !== undefined;
}

export function fits({ provenance }: Pick<Memory, 'provenance'>, { agent, trust }: Query): boolean {
  return (
    (agent === undefined || provenance.agent_id === agent) &&
    (trust === undefined || provenance.trust === trust)
  );
}

/** The same for the server. */
export function inputOf({ text, types, tags, session, within, before, after, sort }: Query, now?: string) {
  const known = MEMORY_TYPES.filter((type) => types.includes(type));
  return {
    text: text === '' ? '*' : text,
    ...(known.length === 0 ? {} : { types: known }),
    ...(tags.length === 0 ? {} : { tags: { include: tags, mode: 'all' as const } }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(within === undefined ? {} : { within }),
    ...(before === undefined && after === undefined
      ? {}
      : {
          time_range: {
            ...(after === undefined ? {} : { start: after }),
            ...(before === undefined ? {} : { end: before }),
          },
        }),
    sort_by: text === '' ? ('time' as const) : sort,
    explain: true,
    details: false,
    limit: 50,
    // Said so, it does not count as a use of what is found: looking does not keep a memory from fading.
    ...(now === undefined ? {} : { now }),
  };
}

/** How often each value is there, the commonest first. */
export function tally(values: readonly (string | undefined)[], most: number): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, left], [b, right]) => right - left || a.localeCompare(b)).slice(0, most);
}
