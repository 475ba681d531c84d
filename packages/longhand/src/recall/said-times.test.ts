import { describe, expect, it } from 'vitest';
import { indexOfTurns } from '../../test/index-of-turns.ts';
import { asksWhen } from './asking-words.ts';
import { resolveDecayPolicy } from './decay.ts';
import type { RecallIndex } from './recall-index.ts';
import { search } from './search.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const policy = resolveDecayPolicy();

/** Each written an hour before the one before it. */
function indexOf(texts: readonly string[]): RecallIndex {
  const written = texts.map((text, order) => [text, new Date(NOW - order * 3_600_000).toISOString()]);
  return indexOfTurns(Object.fromEntries(written));
}

describe('a question that asks when', () => {
  it.each([
    ['When is the demo?', true],
    ['By when is the demo?', true],
    ['What time is the demo?', true],
    ['On which day is the demo?', true],
    ['Wann ist die Demo?', true],
    ['Quand est la demo ?', true],
    ['Who was there when we saw the demo?', false],
    ['What is the time of the demo worth?', false],
  ])('%s %s', (text, expected) => {
    const words = text.toLowerCase().match(/[a-z]+/g)!;
    expect(asksWhen(words)).toBe(expected);
  });

  it.each([
    'The demo is on Wednesday',
    'The demo was yesterday',
    'The demo is in July',
    'Die Demo ist am Mittwoch',
    'The demo starts at 4 pm',
  ])('is answered by what says a time: %s', (says) => {
    const index = indexOf(['The demo is ready', says]);
    const ids = (text: string): string[] =>
      search(index, { text, nowMs: NOW, policy }).hits.map(({ id }) => id);
    expect(ids('When is the demo?')[0]).toBe('mem_1');
    expect(ids('How is the demo?')[0]).toBe('mem_0');
  });

  it('is not answered by the day of writing', () => {
    const index = indexOf(['The demo is ready']);
    const [hit] = search(index, { text: 'When is the demo?', nowMs: NOW, policy, explain: true }).hits;
    expect(hit?.matchParts?.time).toBe(0);
  });
});
