/**
 * The memories that are reached from some memories by following references.
 *
 * References are ids inside entries. They may form cycles, and they may dangle when a memory was forgotten. The walk is
 * breadth first, so a memory's depth is the length of its shortest path. Ids are sorted inside a level: the result does
 * not depend on the order in which an index learned of the entries.
 */

/** The graph of references, given as lookups. */
export interface ReferenceGraph {
  /** The ids that an entry references; `undefined` when there is no such entry. */
  readonly referencesOf: (id: string) => readonly string[] | undefined;
  /** The ids of the entries that reference an id. */
  readonly referencedBy: (id: string) => Iterable<string>;
}

interface ReferenceClosure {
  /** The entries that exist, by depth, then by id. A start has depth 0. */
  readonly reached: readonly { readonly id: string; readonly depth: number }[];
  /** Ids that were asked for or referenced and have no entry, sorted. */
  readonly dangling: readonly string[];
}

/**
 * Follows references in both directions. A start without an entry is dangling, but what references it is still found.
 *
 * @param maxDepth how many steps to follow: 0 gives the start alone, Infinity everything connected
 * @throws RangeError when `maxDepth` is negative or not a number
 */
export function referenceClosure(
  startIds: Iterable<string>,
  graph: ReferenceGraph,
  { maxDepth = 1 }: { readonly maxDepth?: number } = {},
): ReferenceClosure {
  if (!(maxDepth >= 0)) throw new RangeError('maxDepth must be 0 or more');
  const seen = new Set(startIds);
  const reached: { id: string; depth: number }[] = [];
  const dangling: string[] = [];
  let level = [...seen].sort();
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = [];
    for (const id of level) {
      const references = graph.referencesOf(id);
      if (references) reached.push({ id, depth });
      else dangling.push(id);
      if (depth + 1 > maxDepth) continue;
      for (const other of [...(references ?? []), ...graph.referencedBy(id)]) {
        if (seen.has(other)) continue;
        seen.add(other);
        next.push(other);
      }
    }
    level = next.sort();
  }
  return { reached, dangling: dangling.sort() };
}

/** Id → the entries that reference it, for callers without an index. */
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
