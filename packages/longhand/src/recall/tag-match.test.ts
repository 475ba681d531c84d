import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldTag,
  isTag,
  matchesTags,
  resolveTagFilter,
  type TagQuery,
  tagAncestors,
  tagCovers,
  tagKeys,
} from './tag-match.ts';

describe('isTag', () => {
  it('takes letters, digits, hyphens and underscores, with dots between levels', () => {
    for (const tag of [
      'a',
      'Security',
      'security.authentication',
      'q3-2026',
      'snake_case',
      '1.2.3',
      'x'.repeat(32),
    ]) {
      expect(isTag(tag), tag).toBe(true);
    }
  });

  it('refuses anything else', () => {
    for (const tag of [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      'a b',
      'a/b',
      '=a',
      'é',
      'a\u0000',
      '*',
      'x'.repeat(33),
    ]) {
      expect(isTag(tag), tag).toBe(false);
    }
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

describe('matchesTags', () => {
  const matches = (tags: string[], query: TagQuery): boolean => matchesTags(tags, resolveTagFilter(query));

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
          expect(matchesTags(tags, resolveTagFilter({ include, exclude, mode, exact }))).toBe(expected);
          for (const asked of include) {
            for (const tag of tags) expect(tagCovers(asked, tag, exact)).toBe(covers(asked, tag, exact));
          }
        },
      ),
    );
  });

  it('make tags of 32 characters at most whose folded form is a tag of the same length', () => {
    fc.assert(
      fc.property(fc.oneof(anyTag, fc.string({ maxLength: 40 })), (text) => {
        const naive = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(text) && text.length <= 32;
        expect(isTag(text)).toBe(naive);
        if (naive) expect(foldTag(text)).toHaveLength(text.length);
      }),
    );
  });
});
