import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTimeMentions } from './mentions.ts';
import { showRange } from './show-range.ts';
import { parseWithin } from './within.ts';

/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

function within(expression: string, nowMs = NOW): string {
  const result = parseWithin(expression, nowMs);
  return result.ok ? showRange(result.range) : result.problem;
}

const mentions = (question: string, nowMs = NOW): string[] =>
  findTimeMentions(question, nowMs).map(showRange);

type Wordings = Readonly<Record<string, string>>;

/** What a filter and a question understand alike, and what has begun whenever it is asked for. */
const PAST: Readonly<Record<string, Wordings>> = {
  'stretches up to now': {
    'the past 36 hours': '2026-05-19T03:30/2026-05-20T15:30',
    'the past 36h': '2026-05-19T03:30/2026-05-20T15:30',
    'the past 1 day and 12 hours': '2026-05-19T03:30/2026-05-20T15:30',
    'the last 2 weeks and 3 days': '2026-05-03T15:30/2026-05-20T15:30',
    'the last 1 year, two months and 3 days': '2025-03-17T15:30/2026-05-20T15:30',
    'the last 5 minutes': '2026-05-20T15:25/2026-05-20T15:30',
    'the past quarter': '2026-02-20T15:30/2026-05-20T15:30',
    'the last two quarters': '2025-11-20T15:30/2026-05-20T15:30',
    'earlier today': '2026-05-20T00:00/2026-05-20T15:30',
    'earlier this week': '2026-05-18T00:00/2026-05-20T15:30',
    'year to date': '2026-01-01T00:00/2026-05-20T15:30',
    'the month to date': '2026-05-01T00:00/2026-05-20T15:30',
    YTD: '2026-01-01T00:00/2026-05-20T15:30',
    'this year so far': '2026-01-01T00:00/2026-05-20T15:30',
    'so far this week': '2026-05-18T00:00/2026-05-20T15:30',
    'the last 2-3 days': '2026-05-17T15:30/2026-05-20T15:30',
    'the last two or three weeks': '2026-04-29T15:30/2026-05-20T15:30',
  },
  distances: {
    'a few days ago': '2026-05-17',
    '2-3 days ago': '2026-05-17/2026-05-18',
    'two or three days ago': '2026-05-17/2026-05-18',
    '2 to 3 weeks ago': '2026-04-26/2026-05-09',
    'the day before yesterday': '2026-05-18',
    'a couple of weeks ago': '2026-05-03/2026-05-09',
    'half a year ago': '2025-11-05/2025-12-05',
    '36h ago': '2026-05-19T03:00/2026-05-19T04:00',
    '3d ago': '2026-05-17',
    'two Mondays ago': '2026-05-11',
    'a couple of weekends ago': '2026-05-09/2026-05-10',
    'two nights ago': '2026-05-18T18:00/2026-05-19T05:59',
    'two quarters ago': '2025-10-01/2025-12-31',
    'two summers ago': '2024-06-01/2024-08-31',
  },
  'some days of a month, and what is placed by "at" and "over"': {
    'May 5-7': '2026-05-05/2026-05-07',
    'May 5\u20137': '2026-05-05/2026-05-07',
    'May 5th to 7th': '2026-05-05/2026-05-07',
    '5-7 May': '2026-05-05/2026-05-07',
    'from 5 to 7 May 2025': '2025-05-05/2025-05-07',
    'between May 5 and 7': '2026-05-05/2026-05-07',
    'between 5 and 7 May': '2026-05-05/2026-05-07',
    'the 5th to the 7th of May': '2026-05-05/2026-05-07',
    'the weekend': '2026-05-16/2026-05-17',
    'over the weekend': '2026-05-16/2026-05-17',
    'at the weekend': '2026-05-16/2026-05-17',
    'at Christmas': '2025-12-25',
    'over Christmas': '2025-12-25',
    "on New Year's Eve": '2025-12-31',
    "on Valentine's Day": '2026-02-14',
    'on Boxing Day': '2025-12-26',
    'at the end of last year': '2025-09-01/2025-12-31',
  },
  'quarters and halves': {
    'last quarter': '2026-01-01/2026-03-31',
    'the quarter before last': '2025-10-01/2025-12-31',
    'Q1 2026': '2026-01-01/2026-03-31',
    '2026-Q1': '2026-01-01/2026-03-31',
    '2026 Q1': '2026-01-01/2026-03-31',
    Q2: '2026-04-01/2026-06-30',
    Q3: '2025-07-01/2025-09-30',
    'Q3 last year': '2025-07-01/2025-09-30',
    'last Q2': '2025-04-01/2025-06-30',
    'the first quarter of 2026': '2026-01-01/2026-03-31',
    'the 2nd quarter of last year': '2025-04-01/2025-06-30',
    'the last quarter of 2025': '2025-10-01/2025-12-31',
    'the end of Q1': '2026-03-01/2026-03-31',
    'H1 2025': '2025-01-01/2025-06-30',
    H2: '2025-07-01/2025-12-31',
    'the first half of 2025': '2025-01-01/2025-06-30',
    'the second half of last year': '2025-07-01/2025-12-31',
    'the first half of the year': '2026-01-01/2026-06-30',
    'the first half of May': '2026-05-01/2026-05-15',
    'the second half of May': '2026-05-16/2026-05-31',
    'the second half of last week': '2026-05-14/2026-05-17',
  },
  'parts of days': {
    'last night': '2026-05-19T18:00/2026-05-20T05:59',
    'yesterday evening': '2026-05-19T17:00/2026-05-19T23:59',
    'Monday afternoon': '2026-05-18T12:00/2026-05-18T17:59',
    'last Friday night': '2026-05-15T18:00/2026-05-16T05:59',
    'two days ago in the morning': '2026-05-18T04:00/2026-05-18T11:59',
    'the morning of May 4': '2026-05-04T04:00/2026-05-04T11:59',
    'May 20 in the evening': '2025-05-20T17:00/2025-05-20T23:59',
  },
  days: {
    'May 1st': '2026-05-01',
    '1 May 2026': '2026-05-01',
    'the first of May': '2026-05-01',
    'the twenty-first of May': '2025-05-21',
    'May the first': '2026-05-01',
    'the thirtieth of April 2024': '2024-04-30',
    'May 3 last year': '2025-05-03',
    'the 3rd': '2026-05-03',
    'the 25th': '2026-04-25',
    'the 31st': '2026-03-31',
    'the first of the month': '2026-05-01',
    'the 3rd of last month': '2026-04-03',
    'the day before yesterday': '2026-05-18',
    'Tuesday the 5th': '2026-05-05',
    'Monday last week': '2026-05-11',
    'last week on Monday': '2026-05-11',
    "last week's Monday": '2026-05-11',
    'last week\u2019s Monday': '2026-05-11',
    'Monday of this week': '2026-05-18',
    'the Monday before last': '2026-05-11',
    'the first Monday of May': '2026-05-04',
    'the last Friday of last month': '2026-04-24',
    'the last day of March': '2026-03-31',
    'the day before the 3rd': '2026-05-02',
  },
  'days in numbers': {
    '5/14/2026': '2026-05-14',
    '14/5/2026': '2026-05-14',
    '14.05.2026': '2026-05-14',
    '14-05-2026': '2026-05-14',
    '5/14/26': '2026-05-14',
    '5/5/2026': '2026-05-05',
    '2/29/2024': '2024-02-29',
    '5/14': '2026-05-14',
    '14/5': '2026-05-14',
    '14.5.': '2026-05-14',
    '5/25': '2025-05-25',
    'Thursday, 5/14/2026': '2026-05-14',
    'the week before 5/14/2026': '2026-05-07/2026-05-13',
    '5/14/2026 to 5/18/2026': '2026-05-14/2026-05-18',
    'from 14.05. to 18.05.': '2026-05-14/2026-05-18',
    'since 14.05.2026': '2026-05-14T00:00/2026-05-20T15:30',
    'since 2026-05-14 10:30': '2026-05-14T10:30/2026-05-20T15:30',
    '05/2026': '2026-05-01/2026-05-31',
  },
  'weeks by number': {
    '2026-W20': '2026-05-11/2026-05-17',
    '2026W20': '2026-05-11/2026-05-17',
    '2026-W20-3': '2026-05-13',
    '2020-W53': '2020-12-28/2021-01-03',
    'week 20 of 2026': '2026-05-11/2026-05-17',
    'week 20': '2026-05-11/2026-05-17',
    W46: '2025-11-10/2025-11-16',
    'KW 46': '2025-11-10/2025-11-16',
  },
  'short and vague': {
    Sat: '2026-05-16',
    Mon: '2026-05-18',
    recently: '2026-05-06T15:30/2026-05-20T15:30',
    lately: '2026-05-06T15:30/2026-05-20T15:30',
    'from Monday to now': '2026-05-18T00:00/2026-05-20T15:30',
    'March\u2013April': '2026-03-01/2026-04-30',
  },
  weeks: {
    'the weekend before last': '2026-05-09/2026-05-10',
    'the week of May 4': '2026-05-04/2026-05-10',
    'the week of the 6th': '2026-05-04/2026-05-10',
    'the weekend of 6 May': '2026-05-09/2026-05-10',
    'the last two weeks of June': '2025-06-17/2025-06-30',
    'the last week of March': '2026-03-25/2026-03-31',
    'the last week of May': '2025-05-25/2025-05-31',
    'the second week of May': '2026-05-08/2026-05-14',
    'the first 10 days of May': '2026-05-01/2026-05-10',
    'the last weekend of February': '2026-02-28/2026-03-01',
    'the last two months of 2025': '2025-11-01/2025-12-31',
    'the week before Christmas': '2025-12-18/2025-12-24',
  },
  holidays: {
    Christmas: '2025-12-25',
    'last Christmas': '2025-12-25',
    'Christmas Eve 2024': '2024-12-24',
    "New Year's Eve": '2025-12-31',
    'New Year\u2019s Day': '2026-01-01',
    Halloween: '2025-10-31',
  },
  'months and seasons': {
    'March of last year': '2025-03-01/2025-03-31',
    'last summer': '2025-06-01/2025-08-31',
    'the summer before last': '2024-06-01/2024-08-31',
    'the summer of last year': '2025-06-01/2025-08-31',
    'spring 2025': '2025-03-01/2025-05-31',
    'the fall': '2025-09-01/2025-11-30',
    'the winter': '2025-12-01/2026-02-28',
    'early May': '2026-05-01/2026-05-10',
    'mid-May': '2026-05-11/2026-05-20',
    'late May': '2025-05-21/2025-05-31',
    'late summer': '2025-08-01/2025-08-31',
    'the end of last year': '2025-09-01/2025-12-31',
    'the beginning of the month': '2026-05-01/2026-05-10',
    'the start of the year': '2026-01-01/2026-04-30',
    'the middle of last week': '2026-05-13/2026-05-14',
    'the year 2022': '2022-01-01/2022-12-31',
  },
  ranges: {
    'between March and May': '2026-03-01/2026-05-31',
    'between Q1 and Q3': '2025-01-01/2025-09-30',
    'from the 3rd to the 5th': '2026-05-03/2026-05-05',
    'from Monday to Wednesday': '2026-05-11/2026-05-13',
    'from Friday to Monday': '2026-05-15/2026-05-18',
    'from Monday to 8 May': '2026-05-04/2026-05-08',
    'from Monday morning to Tuesday evening': '2026-05-18T04:00/2026-05-19T23:59',
    'Monday to Tuesday': '2026-05-18/2026-05-19',
    '2026-05-01 - 2026-05-07': '2026-05-01/2026-05-07',
    'summer 2024 to spring 2025': '2024-06-01/2025-05-31',
    'between last Monday and yesterday': '2026-05-18/2026-05-19',
    'since Tuesday': '2026-05-19T00:00/2026-05-20T15:30',
    'since the first of May': '2026-05-01T00:00/2026-05-20T15:30',
    'since yesterday morning': '2026-05-19T04:00/2026-05-20T15:30',
    'after last Christmas': '2025-12-26T00:00/2026-05-20T15:30',
    'before May 2025': '1000-01-01/2025-04-30',
    'before Q3 2025': '1000-01-01/2025-06-30',
    'until the 3rd': '1000-01-01/2026-05-02',
  },
};

/** Alike too, but part of it may be to come: it says so. */
const PRESENT: Wordings = {
  'this morning': '2026-05-20T04:00/2026-05-20T11:59',
  'this evening': '2026-05-20T17:00/2026-05-20T23:59',
  tonight: '2026-05-20T18:00/2026-05-21T05:59',
  'tomorrow morning': '2026-05-21T04:00/2026-05-21T11:59',
  'since this morning': '2026-05-20T04:00/2026-05-20T15:30',
  'this quarter': '2026-04-01/2026-06-30',
  'next quarter': '2026-07-01/2026-09-30',
  'this spring': '2026-03-01/2026-05-31',
  'next Christmas': '2026-12-25',
  'the end of the month': '2026-05-21/2026-05-31',
};

/** What only a filter understands as it is meant. */
const FILTERS: Wordings = {
  'more than a week ago': '1000-01-01T00:00/2026-05-13T15:29',
  'over a month ago': '1000-01-01T00:00/2026-04-20T15:29',
  'at least 3 days ago': '1000-01-01T00:00/2026-05-17T15:29',
  'older than 30 days': '1000-01-01T00:00/2026-04-20T15:29',
  'less than 2 days ago': '2026-05-18T15:30/2026-05-20T15:30',
  'newer than 3 days': '2026-05-17T15:30/2026-05-20T15:30',
  'not older than 3 days': '2026-05-17T15:30/2026-05-20T15:30',
  'up to 3 days ago': '2026-05-17T15:30/2026-05-20T15:30',
  'up to yesterday': '1000-01-01/2026-05-19',
  'by Friday': '1000-01-01/2026-05-15',
  'through 5/14': '1000-01-01/2026-05-14',
  'prior to May': '1000-01-01/2026-04-30',
  'earlier than May': '1000-01-01/2026-04-30',
  'later than April': '2026-05-01T00:00/2026-05-20T15:30',
  'starting Monday': '2026-05-18T00:00/2026-05-20T15:30',
  'as of Monday': '2026-05-18T00:00/2026-05-20T15:30',
  'from May on': '2026-05-01T00:00/2026-05-20T15:30',
  'from Monday onwards': '2026-05-18T00:00/2026-05-20T15:30',
  'until now': '1000-01-01T00:00/2026-05-20T15:29',
  'all of last year': '2025-01-01/2025-12-31',
  'the whole of April': '2026-04-01/2026-04-30',
  'sometime last summer': '2025-06-01/2025-08-31',
  'today and yesterday': '2026-05-19/2026-05-20',
  'Monday or Tuesday': '2026-05-18/2026-05-19',
  'this past week': '2026-05-13T15:30/2026-05-20T15:30',
  '2026 May': '2026-05-01/2026-05-31',
  '2026-05-14 10:00': '2026-05-14T10:00',
};

const PLACES_ITSELF = /^(between|from|since|before|after|until|earlier) /;

/** A question with the wording in it, after a word that places it in time. */
const questionOf = (wording: string): string =>
  `What did we decide ${PLACES_ITSELF.test(wording) ? '' : 'on '}${wording}?`;

describe.each(Object.entries({ ...PAST, 'what is, or is to come': PRESENT }))('%s', (_, wordings) => {
  it.each(Object.entries(wordings))('%s', (wording, range) => {
    expect(within(wording)).toBe(range);
    expect(mentions(questionOf(wording))).toEqual([range]);
  });
});

describe('wordings of time', () => {
  it('have begun when they speak of the past, whenever they are read', () => {
    const anyNow = fc.integer({ min: Date.UTC(2027, 0, 1), max: Date.UTC(2150, 0, 1) });
    const anyWording = fc.constantFrom(...Object.values(PAST).flatMap((wordings) => Object.keys(wordings)));
    fc.assert(
      fc.property(anyWording, anyNow, (wording, nowMs) => {
        const result = parseWithin(wording, nowMs);
        const [mention, ...more] = findTimeMentions(questionOf(wording), nowMs);
        expect(more).toEqual([]);
        for (const range of [result.ok ? result.range : undefined, mention]) {
          expect(range?.startMs).toBeLessThanOrEqual(nowMs);
          expect(range?.startMs).toBeLessThanOrEqual(range?.endMs ?? Number.NaN);
        }
        expect(result).toMatchObject({ range: { startMs: mention?.startMs, endMs: mention?.endMs } });
      }),
      { numRuns: 3000 },
    );
  });

  it('count short units in a filter, where nothing else can be meant', () => {
    const day = '2026-05-19T03:30/2026-05-20T15:30';
    for (const wording of ['1d12h', '1d 12h', '36h', '1 day 12 hours', 'a day and 12 hours', 'last 1d12h'])
      expect(within(wording), wording).toBe(day);
    expect(within('2 weeks and 3 days')).toBe('2026-05-03T15:30/2026-05-20T15:30');
    expect(within('1y6mo')).toBe('2024-11-20T15:30/2026-05-20T15:30');
    expect(within('2h30m')).toBe('2026-05-20T13:00/2026-05-20T15:30');
    expect(within('a week and a half')).toBe('2026-05-10T03:30/2026-05-20T15:30');
    expect(mentions('Did the 2d version take the last 5m?')).toEqual([]);
  });

  it('are as soft as people are of two minds about them', () => {
    const softness = (question: string): number =>
      (findTimeMentions(question, NOW)[0]?.softnessMs ?? 0) / 86_400_000;
    expect(softness('the second week of May')).toBe(7);
    expect(softness('the first half of April')).toBeCloseTo(3.75, 5);
    expect(softness('last quarter')).toBeCloseTo(22.5, 5);
    expect(softness('in Q1')).toBe(1);
    expect(softness('on the first of May')).toBe(1);
    expect(softness('yesterday evening')).toBe(1);
    expect(softness('two weekends ago')).toBe(1);
    expect(softness('a couple of weekends ago')).toBe(2);
  });

  it('take the night that is under way, up to its end', () => {
    expect(within('tonight', Date.UTC(2026, 4, 20, 5))).toBe('2026-05-19T18:00/2026-05-20T05:59');
    expect(within('tonight', Date.UTC(2026, 4, 20, 6))).toBe('2026-05-20T18:00/2026-05-21T05:59');
  });

  it.each(Object.entries(FILTERS))('mean as a filter: %s', (wording, range) => {
    expect(within(wording)).toBe(range);
  });

  it('leave open which number is the day: a filter asks back, and a question takes both', () => {
    expect(mentions('What was on 5/6/2026?')).toEqual(['2026-05-06', '2026-06-05']);
    expect(mentions('What was on 5/6?')).toEqual(['2026-05-06', '2025-06-05']);
    expect(mentions('What was since 4/5/2026?')).toEqual(['2026-04-05T00:00/2026-05-20T15:30']);
    expect(mentions('What was before 4/5/2026?')).toEqual(['1000-01-01/2026-05-03']);
    expect(mentions('from 4/5/2026 to 6/5/2026')).toEqual(['2026-04-05/2026-06-05']);
    for (const wording of ['5/6/2026', 'since 5/6/2026', '5/6', '05-06-2026', 'from 5/6/2026 to 7/6/2026']) {
      const result = parseWithin(wording, NOW);
      expect(result, wording).toMatchObject({ ok: false, problem: 'ambiguous' });
      expect(!result.ok && result.message).toMatch(
        /2026-05-06 with the month first, 202[56]-06-05 with the day first/,
      );
    }
  });

  it('tell the weeks of ISO 8601, whatever the year', () => {
    const anyDay = fc.integer({
      min: Date.UTC(1950, 0, 1) / 86_400_000,
      max: Date.UTC(2150, 0, 1) / 86_400_000,
    });
    fc.assert(
      fc.property(anyDay, (day) => {
        // The week of a day is that of its Thursday, and the first of a year is that of its first Thursday.
        const weekday = (new Date(day * 86_400_000).getUTCDay() + 6) % 7;
        const thursday = new Date((day - weekday + 3) * 86_400_000);
        const year = thursday.getUTCFullYear();
        const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000));
        const name = `${year}-W${String(week).padStart(2, '0')}`;
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        expect(within(`${name}-${weekday + 1}`)).toBe(date);
        const monday = new Date((day - weekday) * 86_400_000).toISOString().slice(0, 10);
        expect(within(name).slice(0, 10)).toBe(monday);
      }),
    );
    expect(within('2025-W53')).toBe('not-understood');
    expect(within('2026-W00')).toBe('not-understood');
  });

  it('are refused in a filter where they leave something open', () => {
    for (const wording of [
      'Q5',
      'H3 2025',
      'Q1.5',
      'first half',
      'the fifth quarter of 2025',
      'first of',
      'the 32nd',
      'the 3rd attempt',
      'the first days of May',
      'the first 40 days of May',
      'the fifth Monday of May',
      'the last 1.5 weeks of May',
      'the first two Mondays of May',
      'the second two weeks of May',
      'a weekend',
      'a night',
      'weekend of May',
      'morning of last week',
      'last week evening',
      '31st of last month',
      'March and May',
      'Monday and Wednesday',
      'this 3 days',
      'the other day',
      'ever',
      '13/13/2026',
      '32.01.2026',
      '2/30/2026',
      '20260514',
      'more than',
      'older than May 3 years',
      'Easter',
      'earlier last week',
      'end of the day',
      '999999999999 summers ago',
      '2 weeks and',
      '1d12',
    ])
      expect(within(wording), wording).toBe('not-understood');
  });

  it('are not seen in words that only look like them', () => {
    for (const question of [
      'May I come in?',
      'You may first look at it.',
      'May the first person speak?',
      'They march on.',
      'Did they march the route?',
      'Who came second?',
      'a second half of the team',
      'half of the team',
      'the first half of the match',
      'in the first quarter of the game',
      'three quarters of the users',
      'Did she fall?',
      'in the fall of Rome',
      'to spring a surprise',
      'the 3rd attempt',
      'on the 3rd floor',
      'on the 3rd of the questions',
      'What about the 3rd?',
      'He scored in the 3rd.',
      'the first of many',
      'the second week of the trip',
      'the last day of school',
      'the H1 of the page',
      'an evening of music',
      'the week of the launch',
      'a happy new year',
      'the new year budget',
      'the end of the story',
      'earlier versions',
      'may 5 people come?',
      'may 3 guests stay?',
      'may 5 be enough?',
      'weekend plans',
      'the weekend after the party',
      'so far so good',
      'date to date',
      'two or three of them',
      'the 5/14 tests',
      'open 24/7',
      'in 1/2 of the cases',
      'about 3/4',
      'version 1.5.2',
      '14.05 euros',
      '192.168.10.12',
      'week 3 of the trip',
      'in the sun',
      'They sat there.',
      'the W20 engine',
    ])
      expect(mentions(question), question).toEqual([]);
    expect(mentions('What was on may 5?')).toEqual(['2026-05-05']);
    expect(mentions('May 5 meetings')).toEqual(['2026-05-05']);
    expect(mentions('May 5 to 7 June')).toEqual(['2025-05-05/2025-06-07']);
    expect(mentions('5 May - 10:30')).toEqual(['2026-05-05']);
    expect(mentions('A third of May was rainy')).toEqual(['2026-05-01/2026-05-31']);
    expect(mentions('ahead in the first half yesterday')).toEqual(['2026-05-19']);
    expect(mentions('Did they march last year?')).toEqual(['2025-01-01/2025-12-31']);
  });
});
