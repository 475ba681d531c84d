/**
 * Tags and their levels. A tag is a path: `security.authentication` lies under `security`. A query for a tag finds the
 * tag and all below it; an `exact` query finds the tag alone. Tags are stored as given and compared without case.
 *
 * An entry is indexed under every ancestor of its tags (`security`, `security.authentication`) and once more under a
 * marked key for the whole tag (`=security.authentication`), which exact queries look up: a query is always one lookup.
 */

/** Cannot occur in a tag. */
const EXACT_MARK = '=';

export interface TagQuery {
  /** Tags that an entry must have: all of them, or one of them in mode `any`. */
  readonly include?: readonly string[];
  /** Tags of which an entry must have none. */
  readonly exclude?: readonly string[];
  /** Default `all`. */
  readonly mode?: 'all' | 'any';
  /** Leaves out what lies under a tag, for `include` and `exclude` alike. Default `false`. */
  readonly exact?: boolean;
}

/** A tag query as distinct, sorted keys to look up. See `tagKeys`. */
interface TagFilter {
  readonly includeKeys: readonly string[];
  readonly excludeKeys: readonly string[];
  readonly mode: 'all' | 'any';
}

/**
 * The form in which tags are compared: NFC in small letters. A capital sigma becomes one of two small letters, depending
 * on what follows; they count as one, so that a level reads alike alone and in a path.
 */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** The folded tag after its ancestors, shortest first: `['security', 'security.authentication']`. */
export function tagAncestors(tag: string): string[] {
  const levels = foldTag(tag).split('.');
  return levels.map((_, last) => levels.slice(0, last + 1).join('.'));
}

/** The keys under which an entry with these tags is indexed, distinct and sorted. */
export function tagKeys(tags: readonly string[]): string[] {
  const keys = tags.flatMap((tag) => [...tagAncestors(tag), EXACT_MARK + foldTag(tag)]);
  return [...new Set(keys)].sort();
}

/** Whether a query for `asked` finds an entry tagged `tag`. */
export function tagCovers(asked: string, tag: string, exact = false): boolean {
  const foldedAsked = foldTag(asked);
  const foldedTag = foldTag(tag);
  if (exact || foldedTag.length <= foldedAsked.length) return foldedTag === foldedAsked;
  return foldedTag.startsWith(foldedAsked) && foldedTag[foldedAsked.length] === '.';
}

/** A text that cannot be a tag becomes a key without entries. */
export function resolveTagFilter(query: TagQuery): TagFilter {
  const keyOf = (tag: string): string => {
    // A text that begins with the mark is not a tag: a second mark keeps it from passing for the key of one.
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
