import { describe, expect, it } from 'vitest';
import { ValidationError } from '../core/errors.ts';
import { parseQuery } from '../core/query.ts';
import { fieldProblemOf } from './field-of-error.ts';

function problemOf(query: object) {
  try {
    parseQuery(query);
  } catch (error) {
    return fieldProblemOf(error as ValidationError);
  }
  throw new Error('It was taken.');
}

describe('the field that an error is about', () => {
  it.each([
    [{ timeZone: 'Moon' }, 'time_zone', /^must be the IANA name .*machine$/],
    [{ timeRange: { start: 'soon' } }, 'time_range.start', /^must be a Date/],
    [{ timeRange: { start: '2026-02-01', end: '2026-01-01' } }, 'time_range', /^starts after its end$/],
    [{ asOf: 'soon' }, 'as_of', /^must be a Date/],
    [{ maxDepth: 101 }, 'max_depth', /^must be a whole number from 0 to 100$/],
    [{ minImportance: 2 }, 'min_importance', /^must be a number from 0 to 1$/],
    [{ tags: { mode: 'some' } }, 'tags.mode', /^must be one of all, any$/],
    [{ limit: -1 }, 'limit', /^must be a whole number of at least 0$/],
    [{ references: ['no id'] }, 'references', /^The reference/],
  ])('of %j is %s', (query, field, message) => {
    const problem = problemOf(query);
    expect(problem).toMatchObject({ field, message: expect.stringMatching(message) });
    expect(problem?.detail).not.toMatch(/[a-z][A-Z]/);
  });

  it('is spelt as asked for, and none where the error names none', () => {
    const error = new ValidationError('INVALID_QUERY', 'sortBy must be known.', {
      details: { field: 'sortBy' },
    });
    expect(fieldProblemOf(error, () => '--sort')?.detail).toBe('--sort must be known.');
    expect(fieldProblemOf(new ValidationError('INVALID_QUERY', 'No.'))).toBeUndefined();
  });
});
