import { describe, expect, it } from 'vitest';
import { showRange } from './show-range.ts';
import { parseWithin } from './within.ts';

/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

function within(expression: string, nowMs = NOW): string {
  const result = parseWithin(expression, nowMs);
  return result.ok ? showRange(result.range) : result.problem;
}

describe('parseWithin', () => {
  it('counts back from now', () => {
    expect(within('last hour')).toBe('2026-05-20T14:30/2026-05-20T15:30');
    expect(within('last day')).toBe('2026-05-19T15:30/2026-05-20T15:30');
    expect(within('last week')).toBe('2026-05-13T15:30/2026-05-20T15:30');
    expect(within('last month')).toBe('2026-04-20T15:30/2026-05-20T15:30');
    expect(within('last year')).toBe('2025-05-20T15:30/2026-05-20T15:30');
    expect(within('last 3 weeks')).toBe('2026-04-29T15:30/2026-05-20T15:30');
    expect(within('in the last two days')).toBe('2026-05-18T15:30/2026-05-20T15:30');
    expect(within('past fortnight')).toBe('2026-05-06T15:30/2026-05-20T15:30');
    expect(within('last month', Date.UTC(2026, 2, 31))).toBe('2026-02-28T00:00/2026-03-31T00:00');
  });

  it('takes short forms and ISO 8601 durations', () => {
    expect(within('24h')).toBe(within('last day'));
    expect(within('7d')).toBe(within('last week'));
    expect(within('7 days')).toBe(within('last week'));
    expect(within('60m')).toBe(within('last hour'));
    expect(within('12mo')).toBe(within('last year'));
    expect(within('P7D')).toBe(within('last week'));
    expect(within('P1W')).toBe(within('last week'));
    expect(within('PT24H')).toBe(within('last day'));
    expect(within('P1Y2M3DT4H')).toBe('2025-03-17T11:30/2026-05-20T15:30');
  });

  it('takes named days, weeks, months and years whole', () => {
    expect(within('today')).toBe('2026-05-20');
    expect(within('Yesterday')).toBe('2026-05-19');
    expect(within('this week')).toBe('2026-05-18/2026-05-24');
    expect(within('this month')).toBe('2026-05-01/2026-05-31');
    expect(within('this year')).toBe('2026-01-01/2026-12-31');
    expect(within('last weekend')).toBe('2026-05-16/2026-05-17');
    expect(within('last night')).toBe('2026-05-19T18:00/2026-05-20T05:59');
    expect(within('March 2023')).toBe('2023-03-01/2023-03-31');
    expect(within('may')).toBe('2026-05-01/2026-05-31');
    expect(within('2022')).toBe('2022-01-01/2022-12-31');
  });

  it('takes beginnings and both ends', () => {
    expect(within('since 2026-01-01')).toBe('2026-01-01T00:00/2026-05-20T15:30');
    expect(within('since 2026-01-01T10:00:00+02:00')).toBe('2026-01-01T08:00/2026-05-20T15:30');
    expect(within('from 5 May to 7 May')).toBe('2026-05-05/2026-05-07');
    expect(within('between 2024 and 2022')).toBe('2022-01-01/2024-12-31');
  });

  it('takes seconds for seconds', () => {
    expect(within('90s')).toBe('2026-05-20T15:28/2026-05-20T15:30');
    expect(within('the last 90s')).toBe('2026-05-20T15:28/2026-05-20T15:30');
    expect(within('1990s')).toBe('1990-01-01/1999-12-31');
  });

  it('says what is wrong with the rest', () => {
    expect(within('')).toBe('empty');
    expect(within(' \t\n')).toBe('empty');
    expect(within('x'.repeat(201))).toBe('too-long');
    expect(within('since tomorrow')).toBe('reversed');
    const unclear = [
      'soon',
      'last',
      'since',
      'last week or so',
      'last 0 days',
      'last -3 days',
      '2026-02-30',
      '7',
      'the 90s',
      'in the 90s',
    ];
    const badDurations = ['P', 'PT', 'P0D', 'P7', 'PD', 'P1D5M', 'PT1HT1H', 'P1D1Y', 'P 7D', 'P1X', 'P1DT'];
    for (const text of [...unclear, ...badDurations]) expect(within(text), text).toBe('not-understood');
    const result = parseWithin('soon', NOW);
    expect(!result.ok && result.message).toContain("'last week'");
  });
});

describe('a filter of time in other words', () => {
  it.each([
    ['letzte Woche', 'last week'],
    ['in den letzten 3 Tagen', 'last 3 days'],
    ['les 3 derniers jours', 'last 3 days'],
    ["l'ann\u00e9e derni\u00e8re", 'last year'],
    ['n\u00e4chste Woche', 'next week'],
    ['la semaine prochaine', 'next week'],
    ['letztes Quartal', 'last quarter'],
    ['la semaine derni\u00e8re', 'last week'],
    ['letzten Monat', 'last month'],
    ['le mois dernier', 'last month'],
    ['die letzten drei Tage', 'last 3 days'],
    ['half a year ago', 'six months ago'],
    ['first quarter', 'Q1'],
    ['the third quarter', 'Q3'],
    ['2026-05-01..2026-05-15', '2026-05-01 to 2026-05-15'],
    ['from 5/1/2026 to 5/15/2026', '2026-05-01 to 2026-05-15'],
    ['from 1/5/2026 to 15/5/2026', '2026-05-01 to 2026-05-15'],
    ['16.11.25', '2025-11-16'],
    ['5.12.25', '2025-12-05'],
  ])('%s is %s', (text, same) => {
    expect(within(text)).toBe(within(same));
    expect(parseWithin(text, NOW).ok).toBe(true);
  });

  it('does not run backwards', () => {
    for (const text of [
      'from 2026-05-15 to 2026-05-01',
      '2026-05-15..2026-05-01',
      '15.05.2026 to 01.05.2026',
    ])
      expect(within(text), text).toBe('reversed');
    expect(within('between 2024 and 2022')).toBe(within('2022 to 2024'));
    expect(within('from Friday to Monday')).not.toBe('reversed');
  });

  it('does not guess where its dates contradict each other, or leave all open', () => {
    expect(within('from 5/1/2026 to 5/6/2026')).toBe('ambiguous');
    expect(within('from 5/14/2026 to 14/6/2026 and 5/6/2026')).not.toBe(within('5/6/2026 to 5/14/2026'));
  });
});
