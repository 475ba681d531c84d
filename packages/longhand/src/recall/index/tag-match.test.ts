import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTag } from '../../core/new-memory.ts';
import { foldTag, resolveTagFilter, type TagQuery, tagAncestors, tagCovers, tagKeys } from './tag-match.ts';

/** What an index does with the keys. */
function matches(tags: string[], query: TagQuery): boolean {
  const { includeKeys, excludeKeys, mode } = resolveTagFilter(query);
  const keys = new Set(tagKeys(tags));
  const has = (key: string): boolean => keys.has(key);
  if (excludeKeys.some(has)) return false;
  if (includeKeys.length === 0) return true;
  return mode === 'all' ? includeKeys.every(has) : includeKeys.some(has);
}

describe('foldTag', () => {
  it('folds case in every script, and texts that only look alike into one', () => {
    expect(foldTag('Sécurité.AUTH')).toBe('sécurité.auth');
    expect(foldTag('ПЛАНЫ')).toBe('планы');
    expect(foldTag('한국'.normalize('NFD'))).toBe('한국');
    expect(foldTag('caf\u0065\u0301')).toBe('café');
    expect(foldTag('安全-1')).toBe('安全-1');
  });

  it('folds a level alike alone and inside a path', () => {
    expect(foldTag('ΟΔΟΣ')).toBe(foldTag('οδος'));
    expect(tagCovers('ΟΔΟΣ', 'οδος.αθήνα')).toBe(true);
    expect(tagCovers('οδος', 'ΟΔΟΣ.ΑΘΗΝΑ')).toBe(true);
    expect(tagAncestors('ΟΔΟΣ.ΑΒ')[0]).toBe(foldTag('οδος'));
  });

  it('keeps letters apart that differ in more than case', () => {
    expect(foldTag('straße')).not.toBe(foldTag('strasse'));
    expect(foldTag('pêche')).not.toBe(foldTag('peche'));
  });
});

describe('tagKeys', () => {
  it('files a tag under its ancestors and once under itself alone', () => {
    expect(tagAncestors('A.b.C')).toEqual(['a', 'a.b', 'a.b.c']);
    expect(tagKeys(['Security.Auth', 'security'])).toEqual([
      '=security',
      '=security.auth',
      'security',
      'security.auth',
    ]);
  });
});

describe('tagCovers', () => {
  it('finds a tag and what lies under it, without case', () => {
    expect(tagCovers('security', 'Security.Authentication')).toBe(true);
    expect(tagCovers('SECURITY', 'security')).toBe(true);
    expect(tagCovers('security', 'security-review')).toBe(false);
    expect(tagCovers('security.authentication', 'security')).toBe(false);
    expect(tagCovers('authentication', 'security.authentication')).toBe(false);
  });

  it('finds the tag alone when exact', () => {
    expect(tagCovers('security', 'security.authentication', true)).toBe(false);
    expect(tagCovers('security', 'SECURITY', true)).toBe(true);
  });
});

describe('a tag query', () => {
  it('asks for all tags, or for any', () => {
    expect(matches(['a', 'b'], { include: ['a', 'b'] })).toBe(true);
    expect(matches(['a'], { include: ['a', 'b'] })).toBe(false);
    expect(matches(['a'], { include: ['a', 'b'], mode: 'any' })).toBe(true);
    expect(matches(['c'], { include: ['a', 'b'], mode: 'any' })).toBe(false);
  });

  it('takes everything when nothing is asked for', () => {
    expect(matches([], {})).toBe(true);
    expect(matches([], { include: [], mode: 'any' })).toBe(true);
  });

  it('leaves out what is excluded, under a tag too unless exact', () => {
    expect(matches(['a', 'old.thing'], { include: ['a'], exclude: ['old'] })).toBe(false);
    expect(matches(['a', 'old.thing'], { include: ['a'], exclude: ['old'], exact: true })).toBe(true);
    expect(matches([], { exclude: ['old'] })).toBe(true);
  });

  it('finds nothing for an unknown tag, or for a text that cannot be one', () => {
    expect(matches(['a'], { include: ['unknown'] })).toBe(false);
    expect(matches(['a'], { include: ['=a'] })).toBe(false);
    expect(matches(['a'], { include: [''] })).toBe(false);
  });
});

describe('properties', () => {
  // Few letters, so that tags often lie under one another.
  const anyTag = fc
    .array(fc.stringMatching(/^[aAbB_-]{1,2}$/), { minLength: 1, maxLength: 4 })
    .map((levels) => levels.join('.'));
  const anyTags = fc.array(anyTag, { maxLength: 5 });

  it('agree with comparing the levels one by one', () => {
    const covers = (asked: string, tag: string, exact: boolean): boolean => {
      const askedLevels = asked.toUpperCase().split('.');
      const levels = tag.toUpperCase().split('.');
      return (
        askedLevels.every((level, at) => levels[at] === level) &&
        (!exact || levels.length === askedLevels.length)
      );
    };
    fc.assert(
      fc.property(
        anyTags,
        anyTags,
        anyTags,
        fc.constantFrom('all' as const, 'any' as const),
        fc.boolean(),
        (tags, include, exclude, mode, exact) => {
          const has = (asked: string): boolean => tags.some((tag) => covers(asked, tag, exact));
          const isIncluded =
            include.length === 0 || (mode === 'all' ? include.every(has) : include.some(has));
          const expected = isIncluded && !exclude.some(has);
          expect(matches(tags, { include, exclude, mode, exact })).toBe(expected);
          for (const asked of include) {
            for (const tag of tags) expect(tagCovers(asked, tag, exact)).toBe(covers(asked, tag, exact));
          }
        },
      ),
    );
  });

  it('hold for every tag that a memory may have, in any script', () => {
    const letters = 'aAéÉσΣςжЖßẞİıǅ한\u1112\u1161\u11ab語9_-';
    const level = fc
      .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 4 })
      .map((all) => all.join(''));
    const tag = fc.array(level, { minLength: 1, maxLength: 3 }).map((levels) => levels.join('.'));
    fc.assert(
      fc.property(tag, level, (text, under) => {
        expect(parseTag(text)).toBe(text);
        expect(foldTag(foldTag(text))).toBe(foldTag(text));
        expect(tagCovers(text, `${text}.${under}`)).toBe(true);
        expect(tagKeys([`${text}.${under}`])).toContain(foldTag(text));
        expect(tagCovers(text.normalize('NFD'), text, true)).toBe(true);
        expect(tagCovers(text.toLowerCase(), text, true)).toBe(true);
      }),
    );
  });
});
