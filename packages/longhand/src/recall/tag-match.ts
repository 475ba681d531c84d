/**
 * Tags and the levels inside them.
 *
 * A tag is a path: `security.authentication` lies under `security`. Asking for a tag finds it and everything
 * under it; `exact` finds the tag alone. Tags are stored as they were given and compared without case. What may
 * be a tag is decided where memories are checked (`core/new-memory.ts`); here any text may be asked for.
 *
 * For an index the question is turned round, so that asking costs one lookup however deep the tree is: each
 * entry is filed under every ancestor of its tags (`security`, `security.authentication`), and once more under
 * a key for the whole tag, marked with a character that no tag can hold (`=security.authentication`), which is
 * what an exact question looks up.
 */

/** Cannot occur in a tag, so a key for the whole tag never meets the key of an ancestor. */
const EXACT_MARK = '=';

export interface TagQuery {
  /** Tags that an entry must have: all of them, or one of them in mode `any`. None: every entry qualifies. */
  readonly include?: readonly string[];
  /** Tags of which an entry must have none, whatever else it has. */
  readonly exclude?: readonly string[];
  /** Default `all`. */
  readonly mode?: 'all' | 'any';
  /** Leaves out what lies under a tag, for `include` and `exclude` alike. Default `false`. */
  readonly exact?: boolean;
}

/** A tag query as keys to look up in an index that files entries by `tagKeys`. Keys are distinct and sorted. */
export interface TagFilter {
  readonly includeKeys: readonly string[];
  readonly excludeKeys: readonly string[];
  readonly mode: 'all' | 'any';
}

/**
 * The form in which tags are compared: composed (NFC), so that one text has one form however it was typed, then
 * in small letters. The small sigma at the end of a word is taken for the other one, since whether a capital
 * becomes the one or the other depends on what follows it, and a level must read alike alone and in a path.
 * Letters stay letters: `ß` is not `ss`, and an accent is not dropped.
 */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** The folded tag after its ancestors, shortest first: `['security', 'security.authentication']`. */
export function tagAncestors(tag: string): string[] {
  const folded = foldTag(tag);
  const ancestors: string[] = [];
  for (let dot = folded.indexOf('.'); dot !== -1; dot = folded.indexOf('.', dot + 1)) {
    ancestors.push(folded.slice(0, dot));
  }
  ancestors.push(folded);
  return ancestors;
}

/** Every key under which an index files an entry with these tags. Distinct and sorted. */
export function tagKeys(tags: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const tag of tags) {
    for (const ancestor of tagAncestors(tag)) keys.add(ancestor);
    keys.add(EXACT_MARK + foldTag(tag));
  }
  return [...keys].sort();
}

/** Whether asking for `asked` finds an entry tagged `tag`. */
export function tagCovers(asked: string, tag: string, exact = false): boolean {
  const foldedAsked = foldTag(asked);
  const foldedTag = foldTag(tag);
  if (exact || foldedTag.length <= foldedAsked.length) return foldedTag === foldedAsked;
  return foldedTag.startsWith(foldedAsked) && foldedTag[foldedAsked.length] === '.';
}

/** Prepares a query for lookups. A tag that no entry has, or that cannot be one, is a key without entries. */
export function resolveTagFilter(query: TagQuery): TagFilter {
  const keyOf = (tag: string): string => {
    // A text that begins with the mark is no tag, and must not pass for the key of one.
    const isMarked = query.exact === true || tag.startsWith(EXACT_MARK);
    return (isMarked ? EXACT_MARK : '') + foldTag(tag);
  };
  const keysOf = (tags: readonly string[] = []): string[] => [...new Set(tags.map(keyOf))].sort();
  return {
    includeKeys: keysOf(query.include),
    excludeKeys: keysOf(query.exclude),
    mode: query.mode ?? 'all',
  };
}

/** Whether an entry filed under `keys` (see `tagKeys`) passes the filter. */
export function passesTagFilter(keys: ReadonlySet<string>, filter: TagFilter): boolean {
  if (filter.excludeKeys.some((key) => keys.has(key))) return false;
  if (filter.includeKeys.length === 0) return true;
  return filter.mode === 'all'
    ? filter.includeKeys.every((key) => keys.has(key))
    : filter.includeKeys.some((key) => keys.has(key));
}

/** Whether an entry with these tags passes, for callers without an index. */
export function matchesTags(tags: readonly string[], filter: TagFilter): boolean {
  if (filter.includeKeys.length === 0 && filter.excludeKeys.length === 0) return true;
  return passesTagFilter(new Set(tagKeys(tags)), filter);
}
