/** Tags by their levels, one by one: "Narrowing" in docs/queries.md. */

import type { TagQuery } from '../../src/recall/tag-match.ts';

/** A final sigma is a sigma, and a letter is one whether its accent was typed with it or behind it. */
function isSameLevel(one: string | undefined, other: string | undefined): boolean {
  const plain = (level: string): string => level.normalize('NFC').toLowerCase().replace(/ς/g, 'σ');
  return one !== undefined && other !== undefined && plain(one) === plain(other);
}

/** Whether a tag is the one that is asked for, or lies under it. */
function isUnder(tag: string, asked: string, exact: boolean): boolean {
  const levels = tag.split('.');
  const askedLevels = asked.split('.');
  const beginsAlike = askedLevels.every((level, at) => isSameLevel(level, levels[at]));
  return beginsAlike && (!exact || levels.length === askedLevels.length);
}

export function hasTags(
  tags: readonly string[],
  { include = [], exclude = [], mode = 'all', exact = false }: TagQuery,
): boolean {
  const has = (asked: string): boolean => tags.some((tag) => isUnder(tag, asked, exact));
  if (exclude.some(has)) return false;
  if (include.length === 0) return true;
  return mode === 'all' ? include.every(has) : include.some(has);
}
