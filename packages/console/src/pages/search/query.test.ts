import { describe, expect, it } from 'vitest';
import { inputOf, queryOf, takeOperators, tally } from './query.ts';

describe('what is typed into the search', () => {
  it('becomes filters where it names them, and text where not', () => {
    const { text, filters } = takeOperators(
      'type:decision backup  tag:security.tokens tag:"two words" http://x:1',
    );
    expect(text).toBe('backup http://x:1');
    expect([...filters]).toEqual([
      ['type', ['decision']],
      ['tag', ['security.tokens', 'two words']],
    ]);
  });

  it('is asked with every filter of the address', () => {
    const query = queryOf(
      new URLSearchParams('q=a&type=decision&type=nonsense&tag=x&after=2026-01-01&session=s'),
    );
    expect(inputOf(query)).toMatchObject({
      text: 'a',
      types: ['decision'],
      tags: { include: ['x'], mode: 'all' },
      session_id: 's',
      time_range: { start: '2026-01-01' },
      sort_by: 'relevance',
    });
  });

  it('lists the newest when there is no text', () => {
    expect(inputOf(queryOf(new URLSearchParams()))).toMatchObject({ text: '*', sort_by: 'time' });
  });
});

it('counts the commonest first', () => {
  expect(tally(['b', 'a', undefined, 'b', 'c'], 2)).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});
