import { describe, expect, it } from 'vitest';
import { findTimeMentions, MAX_MENTIONS, mentionCloseness } from './mentions.ts';
import { showRange } from './show-range.ts';

const DAY = 86_400_000;
/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

const mentions = (question: string, nowMs = NOW): string[] =>
  findTimeMentions(question, nowMs).map(showRange);

describe('findTimeMentions', () => {
  it('resolves distances, as exact as their unit', () => {
    expect(mentions('What did I plant ten days ago?')).toEqual(['2026-05-10']);
    expect(mentions('Where were we a couple of weeks ago?')).toEqual(['2026-05-03/2026-05-09']);
    expect(mentions('three months ago')).toEqual(['2026-02-05/2026-03-07']);
    expect(mentions('twenty-one days ago')).toEqual(['2026-04-29']);
    expect(mentions('a dozen days ago')).toEqual(['2026-05-08']);
    expect(mentions('an hour ago')).toEqual(['2026-05-20T14:00/2026-05-20T15:00']);
    expect(mentions('a year and two months ago')).toEqual(['2025-03-05/2025-04-04']);
    expect(mentions('1.5 years ago')).toEqual(mentions('a year and a half ago'));
    expect(mentions('one and a half years ago')).toEqual(mentions('a year and a half ago'));
    expect(mentions('ten days from now')).toEqual(['2026-05-30']);
    expect(mentions('a month or two ago')).toEqual(['2026-03-29/2026-04-12']);
    expect(mentions('a week or so ago')).toEqual(['2026-05-10/2026-05-16']);
  });

  it('resolves distances ahead, for those who ask for plans', () => {
    const ahead = (question: string): unknown =>
      findTimeMentions(question, NOW).map((mention) => [showRange(mention), mention.isOfPlans]);
    expect(ahead('What is due in two days?')).toEqual([['2026-05-22', true]]);
    expect(ahead('in a week')).toEqual([['2026-05-24/2026-05-30', true]]);
    expect(ahead('in 2 weeks and 3 days')).toEqual([['2026-06-06', true]]);
    expect(ahead("in a month's time")).toEqual([['2026-06-05/2026-07-05', true]]);
    expect(ahead('in a few days')).toEqual([['2026-05-21/2026-05-25', true]]);
    expect(ahead('within two days')).toEqual([['2026-05-20T15:30/2026-05-22T15:30', true]]);
    expect(ahead('within a few days')).toEqual([['2026-05-20T15:30/2026-05-23T15:30', true]]);
    expect(ahead('in zwei Tagen, in 3 Tagen')).toEqual([
      ['2026-05-22', true],
      ['2026-05-23', true],
    ]);
    expect(ahead('innerhalb von einer Woche')).toEqual([['2026-05-20T15:30/2026-05-27T15:30', true]]);
    expect(ahead('dans deux semaines')).toEqual([['2026-05-31/2026-06-06', true]]);
    for (const other of ['in two hours', 'in two days of rain', 'in two rooms', 'in two', 'dans la semaine'])
      expect(ahead(other), other).toEqual([]);
  });

  it('resolves last, this and next', () => {
    expect(mentions('Where did we go last May?')).toEqual(['2025-05-01/2025-05-31']);
    expect(mentions('last April')).toEqual(['2026-04-01/2026-04-30']);
    expect(mentions('last Tuesday')).toEqual(['2026-05-19']);
    expect(mentions('last Wednesday')).toEqual(['2026-05-13']);
    expect(mentions('this Friday')).toEqual(['2026-05-22']);
    expect(mentions('next Wednesday')).toEqual(['2026-05-27']);
    expect(mentions('last week')).toEqual(['2026-05-11/2026-05-17']);
    expect(mentions('the past week')).toEqual(['2026-05-13T15:30/2026-05-20T15:30']);
    expect(mentions('the weekend before last')).toEqual(['2026-05-09/2026-05-10']);
    expect(mentions('the year before last')).toEqual(['2024-01-01/2024-12-31']);
    expect(mentions('the week after next')).toEqual(['2026-06-01/2026-06-07']);
    expect(mentions('last summer')).toEqual(['2025-06-01/2025-08-31']);
    expect(mentions('last winter')).toEqual(['2025-12-01/2026-02-28']);
    expect(mentions('this winter', Date.UTC(2026, 0, 5))).toEqual(['2025-12-01/2026-02-28']);
    expect(mentions('last night')).toEqual(['2026-05-19T18:00/2026-05-20T05:59']);
    expect(mentions('Tuesday of last week')).toEqual(['2026-05-12']);
  });

  it('resolves days, months and years', () => {
    expect(mentions('yesterday')).toEqual(['2026-05-19']);
    expect(mentions('the day before yesterday')).toEqual(['2026-05-18']);
    expect(mentions('on 5 May')).toEqual(['2026-05-05']);
    expect(mentions('on the 25th of May')).toEqual(['2025-05-25']);
    expect(mentions('May 5th, 2023')).toEqual(['2023-05-05']);
    expect(mentions('Tuesday, 5 May 2020')).toEqual(['2020-05-05']);
    expect(mentions('29 February')).toEqual(['2024-02-29']);
    expect(mentions('on Tuesday')).toEqual(['2026-05-19']);
    expect(mentions('in March 2023')).toEqual(['2023-03-01/2023-03-31']);
    expect(mentions('in June')).toEqual(['2025-06-01/2025-06-30']);
    expect(mentions('the photos from June')).toEqual(['2025-06-01/2025-06-30']);
    expect(mentions('in 2022')).toEqual(['2022-01-01/2022-12-31']);
    expect(mentions('in the 1990s')).toEqual(['1990-01-01/1999-12-31']);
    expect(mentions('summer of 2022')).toEqual(['2022-06-01/2022-08-31']);
    expect(mentions('early 2025')).toEqual(['2025-01-01/2025-04-30']);
    expect(mentions('the meeting of 2026-01-31.')).toEqual(['2026-01-31']);
  });

  it('counts from a date', () => {
    expect(mentions('two weeks before August 11, 2023')).toEqual(['2023-07-25/2023-07-31']);
    expect(mentions('three days after 2026-01-31')).toEqual(['2026-02-03']);
    expect(mentions('the week before August 3, 2023')).toEqual(['2023-07-27/2023-08-02']);
    expect(mentions('the week after 5 May 2026')).toEqual(['2026-05-06/2026-05-12']);
    expect(mentions('the Sunday before October 25, 2022')).toEqual(['2022-10-23']);
    expect(mentions('the first Monday after 1 September 2025')).toEqual(['2025-09-08']);
    expect(mentions('the last weekend before April 10, 2023')).toEqual(['2023-04-08/2023-04-09']);
    expect(mentions('the weekend after 5 May 2026')).toEqual(['2026-05-09/2026-05-10']);
    expect(mentions('the weekend after 9 May 2026')).toEqual(['2026-05-16/2026-05-17']);
  });

  it('resolves ranges, lending the year of one end to the other', () => {
    expect(mentions('between March and May')).toEqual(['2026-03-01/2026-05-31']);
    expect(mentions('between November and February')).toEqual(['2025-11-01/2026-02-28']);
    expect(mentions('between May and March 2020')).toEqual(['2019-05-01/2020-03-31']);
    expect(mentions('from early June to late June 2020')).toEqual(['2020-06-01/2020-06-30']);
    expect(mentions('from May 2021 to July')).toEqual(['2021-05-01/2021-07-31']);
    expect(mentions('since last week')).toEqual(['2026-05-11T00:00/2026-05-20T15:30']);
    expect(mentions('after 2024')).toEqual(['2025-01-01T00:00/2026-05-20T15:30']);
    expect(mentions('before 2020')).toEqual(['1000-01-01/2019-12-31']);
  });

  it('finds several mentions and where they stand', () => {
    const question = 'Did I run more in March than in April 2025?';
    const found = findTimeMentions(question, NOW);
    expect(found.map(showRange)).toEqual(['2026-03-01/2026-03-31', '2025-04-01/2025-04-30']);
    expect(found.map(({ from, to }) => question.slice(from, to))).toEqual(['in March', 'in April 2025']);
    expect(mentions('Was it in May, 3 weeks ago?')).toEqual([
      '2026-05-01/2026-05-31',
      '2026-04-26/2026-05-02',
    ]);
  });

  it('leaves words alone that only look like times', () => {
    for (const question of [
      'Who may march, and who sat in the sun?',
      'What did June tell April?',
      'the last time we spoke',
      'the last day of the trip',
      'at the last minute',
      'Which 2022 people?',
      'a second opinion',
      'the day before the wedding',
      'five days earlier',
      'What is 2026-13-45?',
    ]) {
      expect(mentions(question), question).toEqual([]);
    }
    expect(mentions('after May')).toEqual([]);
  });

  it('is softer where people are vaguer', () => {
    const softness = (question: string): number =>
      (findTimeMentions(question, NOW)[0]?.softnessMs ?? 0) / DAY;
    expect(softness('ten days ago')).toBeCloseTo(1, 1);
    expect(softness('about ten days ago')).toBeCloseTo(2, 1);
    expect(softness('forty days ago')).toBeCloseTo(4, 1);
    expect(softness('two weeks ago')).toBe(3.5);
    expect(softness('a couple of weeks ago')).toBe(7);
    expect(softness('in March 2023')).toBe(1);
    expect(softness('last week')).toBeCloseTo(1.75, 5);
  });

  it('stops where a question names too many times', () => {
    expect(mentions('yesterday '.repeat(1000))).toHaveLength(MAX_MENTIONS);
  });
});

describe('mentionCloseness', () => {
  it('is 1 inside and halves with each softness outside', () => {
    const mention = { startMs: 10 * DAY, endMs: 11 * DAY, softnessMs: DAY, from: 0, to: 1 };
    expect(mentionCloseness(mention, 10.5 * DAY)).toBe(1);
    expect(mentionCloseness(mention, 11 * DAY)).toBe(1);
    expect(mentionCloseness(mention, 12 * DAY)).toBe(0.5);
    expect(mentionCloseness(mention, 8 * DAY)).toBe(0.25);
  });
});
