import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileWildcard, hasWildcard, matchesWildcard } from './wildcard.ts';

const matches = (pattern: string, text: string): boolean => matchesWildcard(compileWildcard(pattern), text);

/** The definition itself, exponential in the worst case. */
function matchesNaively(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') {
    return matchesNaively(pattern.slice(1), text) || (text !== '' && matchesNaively(pattern, text.slice(1)));
  }
  return text[0] === pattern[0] && matchesNaively(pattern.slice(1), text.slice(1));
}

describe('matchesWildcard', () => {
  it('fills a star with anything, or nothing', () => {
    expect(matches('auth*', 'authentication')).toBe(true);
    expect(matches('auth*', 'auth')).toBe(true);
    expect(matches('auth*', 'oauth')).toBe(false);
    expect(matches('*token', 'refreshtoken')).toBe(true);
    expect(matches('*token', 'tokens')).toBe(false);
    expect(matches('re*ion', 'revocation')).toBe(true);
    expect(matches('*cat*', 'revocation')).toBe(true);
    expect(matches('*', '')).toBe(true);
  });

  it('compares a pattern without a star as it is', () => {
    expect(matches('token', 'token')).toBe(true);
    expect(matches('token', 'tokens')).toBe(false);
    expect(matches('', '')).toBe(true);
    expect(matches('', 'a')).toBe(false);
  });

  it('does not let prefix and suffix share characters', () => {
    expect(matches('aba*ba', 'aba')).toBe(false);
    expect(matches('aba*ba', 'ababa')).toBe(true);
  });

  it('takes a question mark, and whatever regular expressions would mean, as it is', () => {
    expect(matches('token?', 'tokens')).toBe(false);
    expect(matches('token?', 'token?')).toBe(true);
    expect(matches('a.c*', 'abc')).toBe(false);
    expect(matches('a.c*', 'a.cd')).toBe(true);
  });

  it('answers at once where backtracking would not', () => {
    const word = 'a'.repeat(64);
    expect(matches(`${'*a'.repeat(31)}*b`, word)).toBe(false);
    expect(matches(`${'*a'.repeat(64)}*`, word)).toBe(true);
    expect(matches(`${'*a'.repeat(65)}*`, word)).toBe(false);
    expect(matches('*'.repeat(1000), word)).toBe(true);
  });
});

describe('hasWildcard', () => {
  it('is a star with something beside it', () => {
    expect(hasWildcard('auth*')).toBe(true);
    expect(hasWildcard('auth')).toBe(false);
    expect(hasWildcard('***')).toBe(false);
    expect(hasWildcard('')).toBe(false);
  });
});

describe('properties', () => {
  it('agree with the definition', () => {
    const anyPattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 9 });
    const anyText = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(anyPattern, anyText, (pattern, text) => {
        expect(matches(pattern, text)).toBe(matchesNaively(pattern, text));
      }),
      { numRuns: 2000 },
    );
  });

  it('find any text through gaps cut into it, by its prefix', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.boolean())), (parts) => {
        const text = parts.map(([part]) => part).join('');
        const pattern = parts.map(([part, isGap]) => (isGap ? '*' : part)).join('');
        const compiled = compileWildcard(pattern);
        expect(matchesWildcard(compiled, text)).toBe(true);
        expect(text.startsWith(compiled.prefix)).toBe(true);
      }),
    );
  });
});
