import { describe, expect, it } from 'vitest';
import { findTimeMentions } from './mentions.ts';
import { showRange } from './show-range.ts';
import { parseWithin } from './within.ts';

/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

function within(expression: string): string {
  const result = parseWithin(expression, NOW);
  return result.ok ? showRange(result.range) : result.problem;
}

const mentions = (question: string): string[] => findTimeMentions(question, NOW).map(showRange);

/** What a filter and a question understand alike; a question has a word before it that places it in time. */
const WORDINGS: readonly (readonly [title: string, wordings: Readonly<Record<string, string>>])[] = [
  [
    'stretches up to now',
    {
      'the past 36 hours': '2026-05-19T03:30/2026-05-20T15:30',
      'the last 5 minutes': '2026-05-20T15:25/2026-05-20T15:30',
    },
  ],
  [
    'distances',
    {
      'a few days ago': '2026-05-17',
      'a couple of weeks ago': '2026-05-03/2026-05-09',
    },
  ],
  [
    'parts of days',
    {
      'this morning': '2026-05-20T04:00/2026-05-20T11:59',
      'this evening': '2026-05-20T17:00/2026-05-20T23:59',
      'last night': '2026-05-19T18:00/2026-05-20T05:59',
    },
  ],
  [
    'days',
    {
      'May 1st': '2026-05-01',
      '1 May 2026': '2026-05-01',
      'the day before yesterday': '2026-05-18',
      'Monday last week': '2026-05-11',
      'Monday of this week': '2026-05-18',
      'the Monday before last': '2026-05-11',
    },
  ],
  ['weeks', { 'the weekend before last': '2026-05-09/2026-05-10' }],
  [
    'seasons',
    {
      'last summer': '2025-06-01/2025-08-31',
      'the summer before last': '2024-06-01/2024-08-31',
      'this spring': '2026-03-01/2026-05-31',
      'spring 2025': '2025-03-01/2025-05-31',
      'the fall': '2025-09-01/2025-11-30',
    },
  ],
  [
    'ranges',
    {
      'between March and May': '2026-03-01/2026-05-31',
      'from Monday to Wednesday': '2026-05-11/2026-05-13',
      'from Friday to Monday': '2026-05-15/2026-05-18',
      'from Monday to 8 May': '2026-05-04/2026-05-08',
      'between last Monday and yesterday': '2026-05-18/2026-05-19',
      'since Tuesday': '2026-05-19T00:00/2026-05-20T15:30',
      'since this morning': '2026-05-20T04:00/2026-05-20T15:30',
      'before May 2025': '1000-01-01/2025-04-30',
      'until yesterday': '1000-01-01/2026-05-18',
    },
  ],
];

describe.each(WORDINGS)('%s', (_, wordings) => {
  it.each(Object.entries(wordings))('%s', (wording, range) => {
    expect(within(wording)).toBe(range);
    const isRange = /^(between|from|since|before|after|until)/.test(wording);
    expect(mentions(`What did we decide ${isRange ? wording : `in ${wording}`}?`)).toEqual([range]);
  });
});
