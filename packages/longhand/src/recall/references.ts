/**
 * What hangs together: the memories reached from some memories by following references.
 *
 * References are ids inside entries. They may form circles, and they may dangle, because a memory can be
 * forgotten while another one still names it. The walk goes level by level, so the depth of a memory is the
 * length of its shortest path, and each is visited once. Inside a level ids are sorted: the order then depends
 * on the live entries alone, never on the order in which an index came to know them.
 */

export type ReferenceDirection = 'outgoing' | 'incoming' | 'both';

/** The graph of references, given as lookups. */
export interface ReferenceGraph {
  /** The ids that an entry references; `undefined` when there is no such entry. */
  readonly referencesOf: (id: string) => readonly string[] | undefined;
  /** The ids of the entries that reference an id. Asked only for `incoming` and `both`. */
  readonly referencedBy?: (id: string) => Iterable<string>;
}

export interface ClosureOptions {
  /** How many steps to follow: 0 gives the start alone, Infinity everything connected. Default 1. */
  readonly maxDepth?: number;
  /** `outgoing`: what an entry references. `incoming`: what references it. Default `both`. */
  readonly direction?: ReferenceDirection;
}

export interface ReachedMemory {
  readonly id: string;
  /** Steps from the nearest start; 0 for a start itself. */
  readonly depth: number;
}

export interface ReferenceClosure {
  /** The entries that exist, nearest first, then by id. */
  readonly reached: readonly ReachedMemory[];
  /** Ids that were asked for or referenced and have no entry, sorted. */
  readonly dangling: readonly string[];
}

/**
 * Follows references from the start ids. A start without an entry counts as dangling, and is still followed
 * against the arrows: what spoke of a forgotten memory is found through its id.
 *
 * @throws RangeError when `maxDepth` is negative or not a number
 */
export function referenceClosure(
  startIds: Iterable<string>,
  graph: ReferenceGraph,
  options: ClosureOptions = {},
): ReferenceClosure {
  const maxDepth = options.maxDepth ?? 1;
  const direction = options.direction ?? 'both';
  if (!(maxDepth >= 0)) throw new RangeError('maxDepth must be 0 or more');
  const seen = new Set(startIds);
  const reached: ReachedMemory[] = [];
  const dangling: string[] = [];
  let level = [...seen].sort();
  for (let depth = 0; level.length > 0; depth++) {
    const isLastLevel = depth + 1 > maxDepth;
    const next: string[] = [];
    for (const id of level) {
      const references = graph.referencesOf(id);
      if (references) reached.push({ id, depth });
      else dangling.push(id);
      if (isLastLevel) continue;
      if (direction !== 'incoming') addUnseen(references ?? [], seen, next);
      if (direction !== 'outgoing') addUnseen(graph.referencedBy?.(id) ?? [], seen, next);
    }
    level = next.sort();
  }
  return { reached, dangling: dangling.sort() };
}

function addUnseen(ids: Iterable<string>, seen: Set<string>, next: string[]): void {
  for (const id of ids) {
    if (seen.has(id)) continue;
    seen.add(id);
    next.push(id);
  }
}

/** The reverse of the references of some entries, for callers without an index of them. */
export function reverseReferences(
  entries: Iterable<{ readonly id: string; readonly references: readonly string[] }>,
): Map<string, string[]> {
  const referencedBy = new Map<string, string[]>();
  for (const { id, references } of entries) {
    for (const target of new Set(references)) {
      const sources = referencedBy.get(target);
      if (sources) sources.push(id);
      else referencedBy.set(target, [id]);
    }
  }
  return referencedBy;
}
